"""Sphinx's entry: makes the builder known before Sphinx looks for it."""

from __future__ import annotations

from typing import Any

from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, Any]:
    from d2lbook.export.site.sphinx_app import SiteBuilder

    app.add_builder(SiteBuilder)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
