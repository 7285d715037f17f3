"""Where the site lies, and whether it is made of the book as it is: known without reading the book."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from d2lbook.cache import Cache, sources_digests
from d2lbook.config import Config


def site_directory(config: Config) -> Path:
    return config.output_dir / "html"


def start_page(config: Config, lang: str) -> Path:
    """The page at which readers of a language begin."""
    place = site_directory(config) if lang == config.source_lang else site_directory(config) / lang
    return place / f"{config.index}.html"


def is_current(config: Config, tabs: Iterable[str], pending_ok: bool = False, languages: Iterable[str] = ()) -> bool:
    """Whether the site is what building it now would give, judged by the inputs alone.

    `languages`: only these; all without any.
    """
    return not stale(config, sources_digests(config, tabs, pending_ok), tuple(languages) or config.all_languages)


def stale(config: Config, wanted: dict[str, str], languages: Iterable[str]) -> tuple[str, ...]:
    """The languages whose part of the site is not made of `wanted`, their inputs."""
    cache = Cache(config.output_dir)
    return tuple(lang for lang in languages if cache.outputs(f"site-{lang}", wanted[lang]) is None)


def current(config: Config, languages: Iterable[str]) -> Path | None:
    """The start page of the site, if nothing that these languages are made of has changed since it was built."""
    there = is_current(config, config.tabs, languages=languages)
    return site_directory(config) / "index.html" if there else None
