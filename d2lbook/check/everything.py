"""The way into all checks: pages, translations, and what single formats ask of a book."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial

from d2lbook.build_cache import Findings
from d2lbook.check.code import CodeCheck
from d2lbook.check.libraries import Libraries, check_api_roles
from d2lbook.check.pages import check_fence_languages, check_figures
from d2lbook.check.structure import check_structure
from d2lbook.check.tabs import check_tabs
from d2lbook.check.writing import check_writing, has_conflict
from d2lbook.config import Config
from d2lbook.diagnostics import Message, Messages
from d2lbook.fences import handled
from d2lbook.model import Book, Document
from d2lbook.process_pool import FEW, processors, run_all
from d2lbook.session import Session
from d2lbook.view import make_view


def check_everything(session: Session, of_formats: Iterable[Callable[[Session], object]]) -> None:
    """Report whatever can be known without running code; `of_formats` are the checks of single formats."""
    from d2lbook.check.links import check_files, check_links
    from d2lbook.check.results import check_results  # which the check before a build does without
    from d2lbook.translate.edition import check_translations

    check_book(session.book, session.config, session.messages, session.kept.checked)
    check_results(session.book, session.config, session.messages)
    check_files(session.config, session.messages)
    check_links(session.book, session.messages)
    check_translations(session.book, session.config, session.translations, session.messages, session.kept.translations)
    check_fences(session)
    for check in of_formats:
        check(session)


def check_fences(session: Session) -> None:
    """Report fences that their handlers cannot draw."""
    if handled(session.config):
        session.context.in_language(session.config.source_lang)


def check_book(book: Book, config: Config, messages: Messages, kept: Findings | None = None) -> None:
    """Report what is wrong with the pages, except for what reading the book has reported already.

    With `kept` from an earlier call, only pages for which something changed are checked again.
    """
    libraries = Libraries.of(book, config, messages)
    told = {(found.path, found.line, found.column) for found in messages if found.code == "lib-name-undefined"}
    check = _PageCheck(book.tabs, tuple(sorted(handled(config))), libraries, told, messages.strict)
    kept = {} if kept is None else kept
    documents = {check.key(page.document): page.document for page in book.pages}
    changed = [key for key, document in documents.items() if kept.get(document.path, ("",))[0] != key]
    count = processors() if len(changed) > FEW else 1
    parts = [changed[start::count] for start in range(count)]
    works = (partial(check.findings, [documents[key] for key in part]) for part in parts)
    for part, found in zip(parts, run_all(works, count), strict=True):
        for key, findings in zip(part, found, strict=True):
            kept[documents[key].path] = key, findings
    for document in documents.values():
        messages.extend(kept[document.path][1])


@dataclass(frozen=True, slots=True)
class _PageCheck:
    """What pages are checked with, beside their own text."""

    tabs: tuple[str, ...]
    handlers: tuple[str, ...]
    libraries: Libraries
    told: set[tuple[str, int, int]]  # places of names that a library was found to lack
    strict: bool

    def key(self, document: Document) -> str:
        """A digest of all that a page's findings depend on."""
        here = sorted(place for place in self.told if place[0] == document.path)
        about = repr((document.path, document.text, self.tabs, self.handlers, self.libraries.key, here, self.strict))
        return hashlib.sha256(about.encode("utf-8", "surrogatepass")).hexdigest()

    def findings(self, documents: Iterable[Document]) -> list[tuple[Message, ...]]:
        """What is wrong with each page."""
        return [tuple(self._of(document)) for document in documents]

    def _of(self, document: Document) -> Messages:
        found = Messages(self.strict)
        check_tabs(document, self.tabs, found)
        check_figures(document, found)
        check_fence_languages(document, self.handlers, found)
        check_writing(document, found)
        if not has_conflict(document):
            check_structure(document, found)
        check_api_roles(document, self.libraries, found)
        views = [make_view(document, tab, self.tabs) for tab in self.tabs]
        CodeCheck(self.libraries, found, self.told).check(views)
        return found


def outputcheck(messages: Messages) -> None:
    """Refuse outputs that are stored in the pages, of which reading the book only warns."""
    warnings = {message for message in messages if message.code == "output-stored"}
    messages.found -= warnings
    messages.extend(replace(message, level="error") for message in warnings)
