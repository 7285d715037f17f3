"""Builds the website: which languages and pages changed, those pages, notebooks and search, published at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from d2lbook.cache import CATALOGS, sources_digests
from d2lbook.config import Config
from d2lbook.diagnostics import Messages
from d2lbook.export.site.assets import check_own_files
from d2lbook.export.site.current import site_directory, stale, start_page
from d2lbook.export.site.publish import publish, recover, stage
from d2lbook.files import everything_below, is_file
from d2lbook.rendering.book_context import BookContext

if TYPE_CHECKING:
    from d2lbook.export.site.work import Built


def build(context: BookContext, languages: Iterable[str] = (), pending_ok: bool = False, search: bool = True) -> Path:
    """Builds the site of a checked book; its directory.

    With errors the last good site stays, and an error in one translation keeps that language's alone, unless the
    configuration says that the build goes on.
    `languages`: only these are brought up to date; all without any. `pending_ok` shows cells that have not been run as
    such. Without `search` its index is left to the next build.
    """
    config = context.config
    target = site_directory(config)
    recover(target)
    wanted = sources_digests(config, context.tabs, pending_ok)
    to_build = stale(config, wanted, tuple(languages) or config.all_languages)
    if not to_build:
        return target
    before = set(context.messages)
    check_own_files(config, context.messages)
    context.formulas.finish()
    about_catalogs = context.messages.apart()  # what is wrong there is in English on the site: stops nothing
    built = _build_languages(context, to_build, about_catalogs, pending_ok, search)
    context.messages.extend(about_catalogs)
    for lang in built:
        context.cache.forget(f"site-{lang}")  # until what is published is known to be whole
    if built:
        from d2lbook.export.site.work import shared_files

        made = {name: path for files in built.values() for name, path in files.items()}
        publish({**_kept_files(config, built), **shared_files(context), **made}, target)
    failed = any(message.level == "error" and message not in before for message in context.messages)
    for lang in built:
        found = failed or any(message.path.startswith(f"{CATALOGS}/{lang}/") for message in about_catalogs)
        if search and not found and not context.book.faults:  # findings are told again until they are mended
            context.cache.mark(f"site-{lang}", wanted[lang], [start_page(config, lang)])
    return target


def _build_languages(
    context: BookContext, languages: Sequence[str], about_catalogs: Messages, pending_ok: bool, search: bool
) -> dict[str, dict[str, Path]]:
    """Builds languages side by side: the files of those without errors, of none when the source has some."""
    from d2lbook.export.site.work import Settings, build_language  # a site that is up to date needs none of it
    from d2lbook.process_pool import processors, run_all

    at_once = min(processors(), len(languages))

    def works() -> Iterator[Callable[[], Built]]:
        for lang in languages:
            edition = context.reporting_to(about_catalogs).in_language(lang).apart()
            edition.apart().results(edition.book.pages, stale_ok=True)  # loaded here, where other formats find them
            alone = processors() if lang == languages[-1] else max(processors() // at_once, 1)
            yield partial(build_language, edition, Settings(pending_ok, search, alone))

    built: dict[str, dict[str, Path]] = {}
    for lang, files, found in run_all(works(), at_once):
        context.messages.extend(found)
        if context.config.goes_on or not any(message.level == "error" for message in found):
            built[lang] = files
            if len(languages) > 1:
                stage(files, site_directory(context.config))  # while others are still being built
        elif lang == context.config.source_lang:
            return {}
    return built


def _kept_files(config: Config, built: Iterable[str]) -> dict[str, Path]:
    """The pages and their like that the site has in the languages that were not built, where they lie now."""
    site = site_directory(config)
    kept: dict[str, Path] = {}
    if set(built) >= set(config.all_languages) or not site.is_dir():
        return kept
    for name, entry in everything_below(site):
        lang = name.partition("/")[0]
        lang = lang if lang in config.languages else config.source_lang
        if lang not in built and is_file(entry):
            kept[name] = Path(entry.path)
    return kept
