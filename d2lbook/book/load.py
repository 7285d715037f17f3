"""Loads a book: follows its tables of contents, then numbers, labels and citations."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field, replace
from pathlib import Path

from d2lbook.book.citation_style import style_of
from d2lbook.book.citations import citations_in
from d2lbook.book.collisions import check_names
from d2lbook.book.numbering import Numbering
from d2lbook.book.pagefiles import page_files
from d2lbook.book.targets import check_references, find_targets
from d2lbook.book.unsafe import Findings, check_safety
from d2lbook.config import Config
from d2lbook.config.keys import nearest
from d2lbook.diagnostics import BookError, Message, Messages, error_at
from d2lbook.files import is_file, read_text
from d2lbook.model import ApiListing, Bibliography, Book, Document, Page, Toc, TocEntry, UiStrings
from d2lbook.parse import parse_document
from d2lbook.security.inside import CODE, OutsideBook, inside, is_inside, place_of


@dataclass(frozen=True, slots=True)
class _Parsed:
    text: str
    document: Document
    found: tuple[Message, ...]


Entries = dict[str, dict[str, str]]  # of bibliographies: key -> fields


@dataclass(slots=True)
class ParsedPages:
    """Documents and bibliographies by path, kept from one loading of a book to the next: only what changed is parsed
    anew."""

    pages: dict[str, _Parsed] = field(default_factory=dict)
    bibliographies: dict[str, tuple[str, Entries, tuple[Message, ...]]] = field(default_factory=dict)
    safe: Findings = field(default_factory=dict)

    def document(self, path: str, text: str, messages: Messages) -> Document:
        parsed = self.pages.get(path)
        if parsed is None or parsed.text != text:
            found = Messages(messages.strict)
            parsed = _Parsed(text, parse_document(text, path, found), tuple(found))
            self.pages[path] = parsed
        messages.extend(parsed.found)
        return parsed.document

    def bibliography(self, path: str, text: str, messages: Messages) -> Entries:
        known = self.bibliographies.get(path)
        if known is None or known[0] != text:
            from d2lbook.book.bibliography import read_bibliography  # its parser is needed for nothing else

            found = Messages(messages.strict)
            known = self.bibliographies[path] = text, read_bibliography(text, path, found), tuple(found)
        messages.extend(known[2])
        return known[1]


def load_book(config: Config, messages: Messages, parsed: ParsedPages | None = None) -> Book:
    """The book that starts at the page `[build] index`.

    All findings go to `messages`. With `parsed` from an earlier call, pages whose text did not change are not
    parsed again. Raises BookError when the first page cannot be read.
    """
    if parsed is None:
        parsed = ParsedPages()
    walk = _TocWalk(config, messages, parsed)
    walk.start()
    pages = tuple(walk.pages)
    _report_orphans(config, {f"{name}.md" for name in (config.index, *walk.listed)}, messages)
    numbering = Numbering(walk.follow)
    numbering.number(pages[0].document)
    pages = tuple(replace(page, number=_page_number(page.document, numbering)) for page in pages)
    words = UiStrings(config.lang)
    book = Book(
        root=config.root,
        pages=pages,
        targets={},
        tabs=config.tabs,
        citations=citations_in(words, _citations(config, pages, messages, parsed)),
        numbers={place: ".".join(number) for place, number in numbering.found.items()},
        words=words,
    )
    book = replace(book, citation_style=style_of(book, config, messages))
    book = replace(book, targets=find_targets(book, messages))
    book = replace(book, targets=find_targets(book, Messages()))  # titles that hold references
    check_references(book, messages)
    check_safety(book, messages, parsed.safe)
    check_names(pages, config, messages)
    _check_libraries(config, pages, messages)
    return book


def _page_number(document: Document, numbering: Numbering) -> str:
    title = next((block for block in document.blocks if getattr(block, "level", 0)), None)
    return numbering.text(document.name, title) if title is not None else ""


@dataclass(slots=True)
class _TocWalk:
    """Follows the tables of contents from the first page on."""

    config: Config
    messages: Messages
    parsed: ParsedPages
    pages: list[Page] = field(default_factory=list)
    listed: dict[str, tuple[str, TocEntry]] = field(default_factory=dict)  # page -> the path and entry that lists it
    links: dict[tuple[str, int], Document] = field(default_factory=dict)

    def start(self) -> None:
        name = self.config.index
        path = f"{name}.md"
        line = self.config.line("build", "index")
        try:
            there = is_file(inside(self.config.root, path))
        except OutsideBook as error:
            raise error_at(self.config.name_in_messages, line, 0, f"index: {error}", CODE) from error
        if not there:
            what = f"the first page '{path}' does not exist; set index in [build]"
            raise error_at(self.config.name_in_messages, line, 0, what, "page-missing")
        document = self._read(path)
        if document is None:
            raise BookError(self.messages)
        self._visit(document, (name,))

    def follow(self, page: str, start: int) -> Document | None:
        return self.links.get((page, start))

    def _visit(self, document: Document, ancestors: tuple[str, ...]) -> None:
        position = len(self.pages)
        self.pages.append(Page(document, "", len(ancestors) - 1, ()))
        children: list[str] = []
        for block in document.walk():
            for entry in block.entries if isinstance(block, Toc) else ():
                child = self._child(document, entry, ancestors)
                if child is not None:
                    self.links[document.name, entry.span.start] = child
                    children.append(child.name)
                    self._visit(child, (*ancestors, child.name))
        self.pages[position] = replace(self.pages[position], children=tuple(children))

    def _child(self, document: Document, entry: TocEntry, ancestors: tuple[str, ...]) -> Document | None:
        """The document that an entry names; None, with a message, when it is none or none again."""
        try:
            name = _resolved(document.name, entry.target)
            inside(self.config.root, f"{name}.md")
        except OutsideBook as error:
            self._error(document, entry, str(error), CODE)
            return None
        if name in ancestors:
            chain = " → ".join([*ancestors[ancestors.index(name) :], name])
            self._error(
                document, entry, f"the tables of contents go in a circle: {chain}; remove one entry", "toc-cycle"
            )
            return None
        if name in self.listed:
            path, earlier = self.listed[name]
            what = f"'{entry.target}' is already listed in {path}:{earlier.span.line}; remove one of the two"
            self.messages.warning(document.path, entry.span.line, entry.span.column, what, "toc-twice")
            return None
        if not is_file(self.config.root / f"{name}.md"):
            names = [path.removesuffix(".md") for path in page_files(self.config)]
            relative = [posixpath.relpath(other, posixpath.dirname(document.name) or ".") for other in names]
            what = f"there is no page '{name}.md'{nearest(entry.target, relative)}"
            self._error(document, entry, what, "toc-missing")
            return None
        self.listed[name] = document.path, entry
        return self._read(f"{name}.md")

    def _read(self, path: str) -> Document | None:
        try:
            text = read_text(self.config.root / path)
        except BookError as error:
            self.messages.extend(replace(message, path=path) for message in error.messages)
            return None
        document = self.parsed.document(path, text, self.messages)
        if not document.blocks:
            self.messages.error(
                path, 1, 1, "the page is empty; write it, or take it out of the table of contents", "page-empty"
            )
        elif not document.title:
            self.messages.warning(path, 1, 1, "the page has no title; start it with a line '# Title'", "page-title")
        return document

    def _error(self, document: Document, entry: TocEntry, text: str, code: str) -> None:
        self.messages.error(document.path, entry.span.line, entry.span.column, text, code)


def _resolved(page: str, target: str) -> str:
    """The name of the page that `target`, written on `page`, leads to: from the root with "/". Raises OutsideBook."""
    return place_of("" if target.startswith("/") else page, target.lstrip("/"))


def _report_orphans(config: Config, paths: set[str], messages: Messages) -> None:
    for path in page_files(config):
        if path not in paths:
            why = "the page is in no table of contents; add it to one, or to exclusions in [build]"
            messages.warning(path, 1, 1, why, "toc-orphan")


def _check_libraries(config: Config, pages: tuple[Page, ...], messages: Messages) -> None:
    """Reports lists of the libraries where there is no library, and a list that stands twice."""
    first: dict[str, str] = {}  # part -> where it is listed
    for page in pages:
        path = page.document.path
        for block in page.document.walk():
            if not isinstance(block, ApiListing):
                continue
            place = path, block.span.line, block.span.column
            if not any(library.lib_file for library in config.libraries.values()):
                what = "the book has no library; add a section [library-TAB] with lib_file to config.ini"
                messages.error(*place, what, "library-none")
            elif block.part in first:
                what = f"the libraries' {block.part} are already listed in {first[block.part]}; remove one of the two"
                messages.error(*place, what, "library-twice")
            first.setdefault(block.part, f"{path}:{block.span.line}")


def _citations(config: Config, pages: tuple[Page, ...], messages: Messages, parsed: ParsedPages) -> Entries:
    """The entries of all bibliographies that pages print or the configuration names."""
    files: dict[str, tuple[str, int, int]] = {}  # path -> where it is named
    for page in pages:
        for block in page.document.walk():
            if isinstance(block, Bibliography):
                path = _bibliography_path(config.root, page.document.name, block.file)
                files.setdefault(path, (page.document.path, block.span.line, block.span.column))
    if named := config.value("pdf", "bibfile").strip():
        files.setdefault(posixpath.normpath(named), (config.name_in_messages, config.line("pdf", "bibfile"), 0))
    citations: Entries = {}
    for path, place in files.items():
        try:
            inside(config.root, path)
        except OutsideBook as error:
            messages.error(*place, str(error), CODE)
            continue
        if not is_file(config.root / path):
            messages.error(*place, f"there is no bibliography '{path}'", "bibliography-missing")
            continue
        try:
            text = read_text(config.root / path)
        except BookError as error:
            messages.extend(replace(message, path=path) for message in error.messages)
            continue
        citations |= parsed.bibliography(path, text, messages)
    return citations


def _bibliography_path(root: Path, page: str, file: str) -> str:
    """A bibliography is named relative to its page or, as upstream also allowed, to the book's root."""
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(page), file))
    return beside if is_file(root / beside) and is_inside(root, root / beside) else posixpath.normpath(file)
