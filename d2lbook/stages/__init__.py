"""What the commands do: each stage is imported when it runs, prints nothing itself and succeeds or not."""

from __future__ import annotations

from collections.abc import Callable

from d2lbook.stages.formats import (
    stage_colab,
    stage_deploy,
    stage_dist,
    stage_epub,
    stage_html,
    stage_ipynb,
    stage_linkcheck,
    stage_offline,
    stage_pdf,
    stage_pkg,
    stage_sagemaker,
    stage_serve,
    stage_slides,
)
from d2lbook.stages.session import Session
from d2lbook.stages.sources import (
    stage_activate,
    stage_check,
    stage_check_all,
    stage_clear,
    stage_eval,
    stage_lib,
    stage_outputcheck,
    stage_status,
    stage_tabcheck,
    stage_translate,
)

__all__ = ["ALL", "FORMATS", "STAGES", "TAKES_PAGES", "WITHOUT_CHECK", "Session", "stage_check"]

STAGES: dict[str, tuple[Callable[[Session], bool], str]] = {
    "check": (stage_check_all, "report everything wrong that can be known without running code"),
    "lib": (stage_lib, "write the libraries from the cells marked #@save"),
    "eval": (stage_eval, "run the pages whose frozen results are stale or missing"),
    "status": (stage_status, "list which frozen results are fresh, stale, missing"),
    "html": (stage_html, "build the website from the frozen results"),
    "ipynb": (stage_ipynb, "write a notebook per page and framework, with and without outputs"),
    "pdf": (stage_pdf, "build a PDF per framework from the frozen results"),
    "epub": (stage_epub, "build an ePub per framework from the frozen results"),
    "slides": (stage_slides, "build a deck of slides per marked page and framework from the frozen results"),
    "pkg": (stage_pkg, "pack the notebooks of all frameworks into one archive"),
    "offline": (stage_offline, "pack the site so that it reads from files, search included"),
    "colab": (stage_colab, "write notebooks for Google Colab, which install what they need"),
    "sagemaker": (stage_sagemaker, "write notebooks for SageMaker, which install what they need"),
    "dist": (stage_dist, "build the wheel and the source archive of the book's package"),
    "linkcheck": (stage_linkcheck, "build the site and report links in it that lead nowhere"),
    "deploy": (stage_deploy, "put the site and the formats that lie built into one folder to publish"),
    "serve": (stage_serve, "serve the site, rebuild what changes, reload the browser"),
    "tabcheck": (stage_tabcheck, "report unknown framework tabs"),
    "outputcheck": (stage_outputcheck, "report outputs stored in the pages"),
    "translate": (
        stage_translate,
        "update, check, status, extract: the catalogs of the book's translations; add LANGUAGE",
    ),
    "activate": (stage_activate, "switch cells of one tab on and others off in pages' sources: activate TAB PAGE"),
    "clear": (stage_clear, "remove what was built"),
}
ALL = ("lib", "html", "ipynb")  # `build all`: what exists, from frozen results
# One that fails stops no other.
FORMATS = {
    "html", "ipynb", "pdf", "epub", "slides", "pkg", "offline", "colab", "sagemaker", "dist", "linkcheck", "deploy",
}  # fmt: skip
# The others are about the book as a whole.
TAKES_PAGES = {
    "activate", "check", "colab", "eval", "ipynb", "pkg", "sagemaker", "slides", "status", "translate",
}  # fmt: skip
WITHOUT_CHECK = {"tabcheck", "outputcheck", "clear", "serve", "check", "status", "activate", "translate"}
