"""HTML that others wrote, without anything that runs, loads from elsewhere or covers the page.

Two ways to the same policy. What cells put out is a fragment of its own: nh3 cleans it. HTML on a page stands between
Markdown, tag by tag, and a tag may be closed three blocks later: each is read and written anew.
"""

from __future__ import annotations

import html
import re
from functools import lru_cache
from html.parser import HTMLParser

TAGS = {
    *("a", "abbr", "b", "bdi", "bdo", "blockquote", "br", "caption", "center", "cite", "code", "col"),
    *("colgroup", "dd", "del", "details", "dfn", "div", "dl", "dt", "em", "figcaption", "figure", "h1"),
    *("h2", "h3", "h4", "h5", "h6", "hr", "i", "img", "ins", "kbd", "li", "mark", "ol", "p", "pre", "q"),
    *("rp", "rt", "ruby", "s", "samp", "section", "small", "span", "strong", "sub", "summary", "sup"),
    *("table", "tbody", "td", "tfoot", "th", "thead", "time", "tr", "u", "ul", "var", "wbr"),
}
_EVERYWHERE = {"class", "id", "title", "lang", "dir", "style", "align", "role"}
ATTRIBUTES = {
    "*": _EVERYWHERE,
    "a": {"href"},
    "img": {"src", "alt", "width", "height"},
    **{tag: {"colspan", "rowspan", "scope", "headers", "width", "valign"} for tag in ("td", "th")},
    **{tag: {"span", "width"} for tag in ("col", "colgroup")},
    "table": {"border", "width", "cellpadding", "cellspacing"},
    "ol": {"start", "type", "reversed"},
    "li": {"value"},
    "details": {"open"},
    "time": {"datetime"},
    **{tag: {"cite"} for tag in ("blockquote", "q", "del", "ins")},
}
# Colours, letters, borders and sizes; nothing that places an element over others.
PROPERTIES = {
    *("background-color", "border", "border-bottom", "border-bottom-color", "border-bottom-style"),
    *("border-bottom-width", "border-collapse", "border-color", "border-left", "border-left-color"),
    *("border-radius", "border-right", "border-right-color", "border-spacing", "border-style"),
    *("border-top", "border-top-color", "border-width", "caption-side", "clear", "color", "display"),
    *("float", "font-family", "font-size", "font-style", "font-variant", "font-weight", "height"),
    *("letter-spacing", "line-height", "list-style-type", "margin", "margin-bottom", "margin-left"),
    *("margin-right", "margin-top", "max-height", "max-width", "min-height", "min-width", "overflow"),
    *("overflow-x", "padding", "padding-bottom", "padding-left", "padding-right", "padding-top"),
    *("table-layout", "text-align", "text-decoration", "text-indent", "text-transform", "vertical-align"),
    *("white-space", "width", "word-break", "word-wrap"),
}
_LINKS = {"http", "https", "mailto"}
_SCHEME = re.compile(r"\s*([a-z][a-z0-9+.-]*):", re.IGNORECASE)
_PICTURE = re.compile(r"data:image/(?:png|jpeg|gif|webp|svg\+xml);base64,[A-Za-z0-9+/=\s]*")
OWN_CLASS = re.compile(r"(?:d2l|pst|pagefind)-\S*")  # what our scripts look for
_UNSAFE_STYLE = re.compile(r"[\\@<]|url\(|src\(|image|expression|javascript:", re.IGNORECASE)
_WITH_CONTENT = {"script", "style", "iframe", "object", "noscript", "template", "textarea", "title", "svg", "math"}


# ---- what cells put out --------------------------------------------------------------------------------------------


@lru_cache(maxsize=512)
def clean_output(markup: str) -> str:
    """A cell's HTML as a fragment that a page can hold."""
    import nh3  # pages that hold no such output are made without it

    return nh3.clean(
        markup,
        tags=TAGS,
        clean_content_tags={"script", "style"},
        attributes=ATTRIBUTES,
        attribute_filter=_filtered,
        url_schemes=_LINKS | {"data"},
        link_rel=None,
        filter_style_properties=PROPERTIES,
        strip_comments=True,
    )


def _filtered(tag: str, name: str, value: str) -> str | None:
    """An attribute's value as it may stand; None to leave it out."""
    if name in {"href", "cite"}:
        return value if is_safe_link(value) else None
    if name == "src":
        return value if _is_safe_source(value) else None
    if name == "class":
        return " ".join(OWN_CLASS.sub("", value).split())
    if name == "id":
        return None if OWN_CLASS.match(value) else value
    return _style(value) if name == "style" else value


def is_safe_link(value: str) -> bool:
    plain = re.sub(r"[\x00-\x20]", "", value)  # which browsers leave out
    scheme = _SCHEME.match(plain)
    return scheme is None or scheme[1].lower() in _LINKS


def _is_safe_source(value: str) -> bool:
    """Whether a picture comes with the page."""
    plain = value.strip()
    if _SCHEME.match(plain):
        return bool(_PICTURE.fullmatch(plain))
    return not plain.startswith(("//", "/", "\\"))


# ---- HTML on a page -------------------------------------------------------------------------------------------------


@lru_cache(maxsize=2048)
def clean_tags(markup: str) -> tuple[str, tuple[str, ...]]:
    """HTML from a page, tag by tag, and what had to be left out of it."""
    parser = _Tags()
    parser.feed(markup)
    parser.close()
    return "".join(parser.parts), tuple(dict.fromkeys(parser.removed))


class PatientParser(HTMLParser):
    """Python's parser, which raises where a browser reads a comment: at `<![x[`."""

    def parse_marked_section(self, i: int, report: int = 1) -> int:
        self.unknown_decl(self.rawdata[i:])
        end = self.rawdata.find(">", i)
        return end + 1 if end >= 0 else -1


class _Tags(PatientParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.parts: list[str] = []
        self.removed: list[str] = []
        self._inside = ""  # an element that goes with all that is in it

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._inside:
            return
        if tag not in TAGS:
            self.removed.append(f"<{tag}>")
            self._inside = tag if tag in _WITH_CONTENT else ""
            return
        self.parts.append(f"<{tag}{''.join(self._attributes(tag, attrs))}>")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._inside:
            return
        if tag not in TAGS:
            self.removed.append(f"<{tag}>")
        else:
            self.parts.append(f"<{tag}{''.join(self._attributes(tag, attrs))} />")

    def handle_endtag(self, tag: str) -> None:
        if self._inside:
            self._inside = "" if tag == self._inside else self._inside
        elif tag in TAGS:
            self.parts.append(f"</{tag}>")

    def unknown_decl(self, data: str) -> None:
        self.removed.append("<![")

    def handle_data(self, data: str) -> None:
        if not self._inside:
            self.parts.append(data.replace("<", "&lt;").replace(">", "&gt;"))

    def handle_entityref(self, name: str) -> None:
        self.handle_data(f"&{name};")

    def handle_charref(self, name: str) -> None:
        self.handle_data(f"&#{name};")

    def _attributes(self, tag: str, attrs: list[tuple[str, str | None]]) -> list[str]:
        written = []
        for name, value in dict(attrs).items():
            kept = self._attribute(tag, name, value or "")
            if kept is None:
                self.removed.append(f"{name} of <{tag}>")
            else:
                written.append(f' {name}="{html.escape(kept)}"' if value is not None else f" {name}")
        return written

    def _attribute(self, tag: str, name: str, value: str) -> str | None:
        if name not in _EVERYWHERE and name not in ATTRIBUTES.get(tag, set()) and not name.startswith("aria-"):
            return None
        return _filtered(tag, name, value)


def _style(value: str) -> str | None:
    """The declarations of a style that are safe."""
    kept = []
    for declaration in value.split(";"):
        name, _, given = declaration.partition(":")
        if name.strip().lower() in PROPERTIES and not _UNSAFE_STYLE.search(given):
            kept.append(declaration.strip())
    return "; ".join(kept) or None
