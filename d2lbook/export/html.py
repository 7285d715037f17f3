"""Builds the website: which languages and pages changed, those pages, notebooks and search, published at once."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from d2lbook.cache import CATALOGS, Cache, sources_digests
from d2lbook.config import Config
from d2lbook.diagnostics import Messages
from d2lbook.editions import Edition, editions
from d2lbook.export.shared.fresh import frozen_runs
from d2lbook.export.site.publish import publish, recover
from d2lbook.model import Book

if TYPE_CHECKING:
    from d2lbook.translate.unit_cache import TranslationCache


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
    wanted = sources_digests(config, tabs, pending_ok)
    return not _stale(config, wanted, tuple(languages) or config.all_languages)


def _stale(config: Config, wanted: dict[str, str], languages: Iterable[str]) -> tuple[str, ...]:
    """The languages whose part of the site is not made of `wanted`, their inputs."""
    cache = Cache(config.output_dir)
    return tuple(lang for lang in languages if cache.outputs(f"site-{lang}", wanted[lang]) is None)


def build(
    book: Book,
    config: Config,
    tabs: tuple[str, ...],
    messages: Messages,
    pending_ok: bool = False,
    languages: Iterable[str] = (),
    translations: TranslationCache | None = None,
) -> Path:
    """Builds the site of a checked book; its directory.

    With errors in `messages` the last good site stays; an error in one translation keeps that language's alone.
    `pending_ok` shows cells that have not been run as such. `translations` is what is known of catalogs from an
    earlier build. `languages`: only these are brought up to date; all without any.
    """
    target = site_directory(config)
    recover(target)
    wanted = sources_digests(config, tabs, pending_ok)
    stale = _stale(config, wanted, tuple(languages) or config.all_languages)
    if not stale:
        return target
    about_catalogs = Messages(messages.strict)  # what is wrong there is in English on the site, which stops nothing
    read = (editions(book, config, [lang], about_catalogs, translations)[0] for lang in stale)
    built = _build_languages(book, config, tabs, messages, pending_ok, read, len(stale))
    messages.extend(about_catalogs)
    cache = Cache(config.output_dir)
    for lang in built:
        cache.forget(f"site-{lang}")  # until what is published is known to be whole
    if built:
        from d2lbook.export.site.work import shared_files

        made = {name: path for files in built.values() for name, path in files.items()}
        publish({**_kept_files(config, built), **shared_files(book, config), **made}, target)
    for lang in built:
        if not _concerns(about_catalogs, lang):  # findings are told again until they are mended
            cache.mark(f"site-{lang}", wanted[lang], [start_page(config, lang)])
    return target


def _build_languages(
    book: Book,
    config: Config,
    tabs: tuple[str, ...],
    messages: Messages,
    pending_ok: bool,
    languages: Iterable[Edition],
    count: int,
) -> dict[str, dict[str, Path]]:
    """Builds `count` languages side by side: the files of those without errors, of none when the source has some."""
    from d2lbook.export.site.forked import processors, run_all
    from d2lbook.export.site.work import (  # a site that is up to date needs none of it
        Shared,
        build_edition,
        colour_code,
    )

    about_results = Messages(messages.strict)
    documents = [page.document for page in book.pages]
    runs = frozen_runs(documents, book, config, tabs, about_results, pending_ok)
    at_once = min(processors(), count)
    if count > 1:
        colour_code(book, config, tabs)
    shared = Shared(book, tabs, runs, about_results, pending_ok, processes=max(processors() // at_once, 1))
    built: dict[str, dict[str, Path]] = {}
    for lang, files, found in run_all((partial(build_edition, one, shared) for one in languages), at_once):
        messages.extend(found)
        if not any(message.level == "error" for message in found):
            built[lang] = files
        elif lang == config.source_lang:
            return {}
    return built


def _kept_files(config: Config, built: Iterable[str]) -> dict[str, Path]:
    """The pages and their like that the site has in the languages that were not built, where they lie now."""
    site = site_directory(config)
    kept: dict[str, Path] = {}
    for path in site.rglob("*") if site.is_dir() else ():
        lang = path.relative_to(site).parts[0]
        lang = lang if lang in config.languages else config.source_lang
        if lang not in built and path.is_file():
            kept[path.relative_to(site).as_posix()] = path
    return kept


def _concerns(messages: Messages, lang: str) -> bool:
    return any(message.path.startswith(f"{CATALOGS}/{lang}/") for message in messages)
