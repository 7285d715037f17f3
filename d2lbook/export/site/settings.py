"""Sphinx's configuration for a book."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from d2lbook.config import Config
from d2lbook.model import Book

STATIC = Path(__file__).resolve().parent.parent.parent / "static"


def sphinx_settings(book: Book, config: Config) -> dict[str, Any]:
    """What `conf.py` would hold."""
    pages = [page.document.path for page in book.pages]
    settings: dict[str, Any] = {
        "extensions": ["sphinx_book_theme", "sphinx_copybutton", "d2lbook.export.site.extension"],
        "project": config.title, "author": config.author, "project_copyright": config.copyright,
        "release": config.release, "version": config.release, "language": config.lang, "root_doc": config.index,
        "html_title": config.title,
        "include_patterns": pages, "exclude_patterns": _unrelated(config.root, pages),
        "html_theme": "sphinx_book_theme", "html_theme_options": theme_options(config),
        "html_static_path": [str(STATIC / "site")], "templates_path": [str(STATIC / "templates")],
        "html_css_files": ["site.css"],
        "html_js_files": [("head.js", {"priority": 1, "loading_method": "none"}), ("tabs.js", {"loading_method": "defer"})],
        "html_math_renderer": "d2lbook", "html_copy_source": False, "html_show_sourcelink": False,
        "html_show_sphinx": False, "html_last_updated_fmt": None, "html_use_index": False, "html_domain_indices": False,
        "html_permalinks_icon": "#", "html_additional_pages": {"search": "d2l-search.html"},
        "html_sidebars": {"**": ["navbar-logo.html", "search-button-field.html", "sbt-sidebar-nav.html"]},
        "copybutton_selector": "div.d2l-code pre", "copybutton_prompt_text": "", "numfig": False, "smartquotes": False,
        "highlight_language": "none", "suppress_warnings": ["epub.unknown_project_files"],
        "today": "", "nitpicky": False,
    }  # fmt: skip
    settings |= _pictures(config)
    settings |= _own(config)
    return settings


def theme_options(config: Config) -> dict[str, Any]:
    """Options of sphinx-book-theme. Everything that would ask another origin is off."""
    return {
        "use_download_button": False, "use_fullscreen_button": False, "use_repository_button": False,
        "use_issues_button": False, "home_page_in_toc": True, "show_navbar_depth": 2, "show_toc_level": 2,
        "pygments_light_style": "a11y-high-contrast-light", "pygments_dark_style": "a11y-high-contrast-dark",
        "article_header_end": ["d2l-framework.html", "theme-switcher.html", "search-button.html",
                               "toggle-secondary-sidebar.html"],
        "logo": {"text": config.title},
    }  # fmt: skip


def _unrelated(root: Path, pages: list[str]) -> list[str]:
    """Top-level folders without pages: Sphinx would walk through all of them."""
    wanted = {page.split("/")[0] for page in pages}
    return sorted(entry.name for entry in os.scandir(root) if entry.is_dir() and entry.name not in wanted)


def _pictures(config: Config) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, option in (("html_logo", "html_logo"), ("favicon", "html_favicon")):
        value = config.value("html", key)
        if value and (config.root / value).is_file():
            found[option] = str(config.root / value)
    return found


def _own(config: Config) -> dict[str, Any]:
    """Style sheets and scripts of the book itself, from `[html] include_css` and `include_js`."""
    css, js = config.value("html", "include_css").split(), config.value("html", "include_js").split()
    folders = sorted({str((config.root / path).parent) for path in css + js})
    if not folders:
        return {}
    return {
        "html_static_path": [str(STATIC / "site"), *folders],
        "html_css_files": ["site.css", *(Path(path).name for path in css)],
        "html_js_files": [
            ("head.js", {"priority": 1, "loading_method": "none"}), ("tabs.js", {"loading_method": "defer"}),
            *(Path(path).name for path in js),
        ],
    }  # fmt: skip
