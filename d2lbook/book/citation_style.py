"""Citations and the list of works in a style of CSL, by citeproc-py: `[bibliography] style` in `config.ini`."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

from d2lbook.config import Config
from d2lbook.diagnostics import BookError, Messages, to_install
from d2lbook.files import is_file, read_text
from d2lbook.languages import DEFAULT
from d2lbook.model import Book, CitationStyle, roles_of
from d2lbook.parse.prose import CITATIONS
from d2lbook.security.inside import CODE, OutsideBook, inside

_PLACE = "bibliography", "style"
_NAME = re.compile(r"[A-Za-z0-9][\w-]*")
_TYPES = {
    **dict.fromkeys(("article", "misc"), "article-journal"),
    **dict.fromkeys(("book", "proceedings", "manual", "booklet"), "book"),
    **dict.fromkeys(("inproceedings", "conference"), "paper-conference"),
    **dict.fromkeys(("inbook", "incollection"), "chapter"),
    **dict.fromkeys(("phdthesis", "mastersthesis", "thesis"), "thesis"),
    **dict.fromkeys(("techreport", "report"), "report"),
    **dict.fromkeys(("online", "electronic"), "webpage"),
    "unpublished": "manuscript",
}
_VARIABLES = {
    **{"title": "title", "journal": "container-title", "booktitle": "container-title", "publisher": "publisher"},
    **{"address": "publisher-place", "volume": "volume", "number": "issue", "edition": "edition", "note": "note"},
    **{"series": "collection-title", "school": "publisher", "institution": "publisher", "howpublished": "medium"},
}
OPEN, CLOSE = CitationStyle.ITALIC


class _Unusable(Exception):
    """A style that cannot be used; the text says why."""


def style_of(book: Book, config: Config, messages: Messages) -> CitationStyle | None:
    """The style that the configuration names, with all works of the book written in it; None without one.

    What is wrong with it is one finding, and citations are then written as without it.
    """
    written = config.value(*_PLACE).strip()
    if not written:
        return None
    try:
        return _applied(_source(written, config), book, config)
    except ModuleNotFoundError:
        what, code = f"a style needs citeproc-py; run: {to_install('citeproc-py')}", "style-citeproc"
    except OutsideBook as error:
        what, code = str(error), CODE
    except BookError as error:
        what, code = f"'{written}': {error.messages[0].text}", error.messages[0].code
    except _Unusable as error:
        what, code = f"'{written}' {error}", "style-csl"
    except Exception as error:  # noqa: BLE001 -- citeproc-py raises whatever happens on what a style may hold
        what, code = f"citeproc-py cannot use '{written}': {type(error).__name__}: {error}"[:300], "style-csl"
    messages.error(config.name_in_messages, config.line(*_PLACE), 1, f"style: {what}", code)
    return None


def _source(written: str, config: Config) -> str:
    """The path of a style in the book, or the name of one that is installed."""
    if _NAME.fullmatch(written):
        return written
    path = inside(config.root, written)
    if not is_file(path):
        raise _Unusable("is no file of the book; name a file such as styles/own.csl, or a style that is installed")
    text = read_text(path)
    if "<!" in re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL):
        raise _Unusable("has a document type or CDATA, which no style needs; remove it")
    try:
        root = ElementTree.fromstring(text)
    except (ElementTree.ParseError, ValueError) as error:
        raise _Unusable(f"is no CSL style: {error}") from None
    if root.tag != "{http://purl.org/net/xbiblio/csl}style":
        raise _Unusable('is no CSL style: its root is not <style xmlns="http://purl.org/net/xbiblio/csl">')
    return str(path)


def _applied(source: str, book: Book, config: Config) -> CitationStyle:
    from citeproc import Citation, CitationItem, CitationStylesBibliography, CitationStylesStyle
    from citeproc.source.json import CiteProcJSON

    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        try:
            style = CitationStylesStyle(source, locale=_locale(config), validate=True)
        except (ValueError, SyntaxError) as error:
            raise _Unusable(f"is no CSL style: {' '.join(str(error).split())[:200]}") from None
    if wrong := [str(one.message) for one in found if "schema" in str(one.message)]:
        lines = wrong[0].split("\n")
        raise _Unusable(f"is no valid CSL 1.0: {lines[1] if lines[1:] else lines[0]}")
    if style.root.citation is None or style.root.bibliography is None:
        raise _Unusable("has no citation or no bibliography; name the style that it depends on")
    layout = style.root.citation.layout
    prefix, suffix = layout.get("prefix", ""), layout.get("suffix", "")
    keys = list(dict.fromkeys((*(key for key in _cited(book) if key in book.citations), *book.citations)))
    names = {key: f"w{number}" for number, key in enumerate(keys)}  # citeproc-py makes keys lower case
    works = CiteProcJSON([{"id": names[key], **_variables(book.citations[key])} for key in keys])
    all_works = CitationStylesBibliography(style, works, _FORMATTER)
    citations = {key: Citation([CitationItem(names[key])]) for key in keys}
    for citation in citations.values():
        all_works.register(citation)
    all_works.sort()
    cited = {
        key: _plain(all_works.cite(citation, lambda _: None)).removeprefix(prefix).removesuffix(suffix)
        for key, citation in citations.items()
    }
    key_of = {name: key for key, name in names.items()}
    listed = zip(all_works.items, all_works.bibliography(), strict=True)
    entries = {key_of[item.key]: " ".join(str(entry).split()) for item, entry in listed}
    delimiter = layout.get("delimiter", "; ")
    return CitationStyle(prefix, suffix, delimiter, {key: text or key for key, text in cited.items()}, entries)


def _locale(config: Config) -> str | None:
    """The language of the book, where citeproc-py has it; else what the style says."""
    from citeproc import LOCALES_PATH

    if config.source_lang.partition("-")[0] == DEFAULT:
        return None
    known = sorted(Path(LOCALES_PATH).glob(f"locales-{config.source_lang}*.xml"))
    return known[0].stem.removeprefix("locales-") if known else None


def _cited(book: Book) -> Iterator[str]:
    """The works that the text cites, in its order."""
    for page in book.pages:
        for block in page.document.walk():
            for role in roles_of(block):
                if role.kind in CITATIONS:
                    yield from role.keys


def _variables(fields: dict[str, str]) -> dict[str, Any]:
    """A work as CSL has it. Its address is left out: each format writes it as a link behind the entry."""
    found: dict[str, Any] = {"type": _TYPES.get(fields["type"], "article-journal")}
    for name, variable in _VARIABLES.items():
        if fields.get(name):
            found.setdefault(variable, fields[name])
    if fields.get("pages"):
        found["page"] = fields["pages"].replace("--", "–")
    if fields.get("year", "").isdecimal():
        found["issued"] = {"date-parts": [[int(fields["year"])]]}
    last = fields["short_names"].split("\n")
    for role in ("author", "editor"):
        if people := fields.get(role):
            own = last if role == "author" or not fields.get("author") else []
            names = people.split(" and ")
            found[role] = [_name(name, own[at] if at < len(own) else "") for at, name in enumerate(names)]
    if "author" not in found and fields.get("organization"):
        found["author"] = [{"literal": fields["organization"]}]
    return found


def _name(full: str, last: str) -> dict[str, str]:
    last = last if last and last in full else full.rpartition(" ")[2]
    given = " ".join(full.replace(last, "", 1).split())
    return {"family": last, "given": given} if given else {"literal": full}


def _plain(text: object) -> str:
    return str(text).replace(OPEN, "").replace(CLOSE, "")


def _italic(text: str) -> str:
    return f"{OPEN}{text}{CLOSE}"


_FORMATTER = SimpleNamespace(
    preformat=str,
    Italic=_italic,
    Oblique=_italic,
    **dict.fromkeys(("Bold", "Light", "Underline", "Superscript", "Subscript", "SmallCaps"), str),
)
