"""The commands `colab` and `sagemaker`: notebooks for hosted platforms, and what readers are offered of them."""

from __future__ import annotations

import posixpath
from collections.abc import Collection
from functools import partial

from d2lbook.config import Config
from d2lbook.export.notebook.hosted.build import build
from d2lbook.export.notebook.hosted.platforms import PLATFORMS, Platform
from d2lbook.export.notebook.hosted.settings import open_links, read_settings
from d2lbook.export.offer import Offer, PageFile, below
from d2lbook.model import UiStrings
from d2lbook.session import Session

COLAB, SAGEMAKER = PLATFORMS["colab"], PLATFORMS["sagemaker"]


def _run(platform: Platform, session: Session) -> bool:
    for context in session.each_language():
        paths = build(context, platform, session.chosen)
        if paths:
            place = session.config.output_dir / platform.key / context.lang
            session.say(f"{len(paths)} notebooks for {platform.name} in {place}")
    return not session.messages.failed


def _offer(platform: Platform, config: Config, tabs: Collection[str], words: UiStrings) -> Offer:
    folder = f"{platform.key}/{config.lang}"
    found = Offer(dict(below(config.output_dir / platform.key / config.lang, folder)))
    label = words("Notebook for {platform}", platform=platform.name)
    for tab in tabs:
        for path in found.files:
            if not path.startswith(f"{folder}/{tab}/") or not path.endswith(".ipynb"):
                continue
            page = path.removeprefix(f"{folder}/{tab}/").removesuffix(".ipynb")
            if platform.key not in dict(open_links(config, tab, page)):  # the site has a link to the platform
                saved = f"{posixpath.basename(page)}-{tab}-{platform.key}.ipynb"
                found.of_pages.append(PageFile(page, tab, path, label, saved))
    return found


def _check(platform: Platform, session: Session) -> None:
    """Report what is wrong with the platform's section of config.ini."""
    read_settings(session.config, platform, session.messages)


run_colab, run_sagemaker = (partial(_run, platform) for platform in (COLAB, SAGEMAKER))
offer_colab, offer_sagemaker = (partial(_offer, platform) for platform in (COLAB, SAGEMAKER))
check_colab, check_sagemaker = (partial(_check, platform) for platform in (COLAB, SAGEMAKER))
