"""Drawings without anything that runs or loads: an allow-list over their XML.

A clean drawing comes back byte for byte. From another one a clean copy is written; what was left out is told.
"""

from __future__ import annotations

import re
from functools import lru_cache
from xml.etree import ElementTree

_SVG, _XLINK, _XML = (
    "http://www.w3.org/2000/svg",
    "http://www.w3.org/1999/xlink",
    "http://www.w3.org/XML/1998/namespace",
)
ElementTree.register_namespace("", _SVG)
ElementTree.register_namespace("xlink", _XLINK)
_ELEMENTS = {
    *("a", "circle", "clipPath", "defs", "desc", "ellipse", "feBlend", "feColorMatrix"),
    *("feComponentTransfer", "feComposite", "feConvolveMatrix", "feDiffuseLighting", "feDisplacementMap"),
    *("feDistantLight", "feDropShadow", "feFlood", "feFuncA", "feFuncB", "feFuncG", "feFuncR"),
    *("feGaussianBlur", "feMerge", "feMergeNode", "feMorphology", "feOffset", "fePointLight"),
    *("feSpecularLighting", "feSpotLight", "feTile", "feTurbulence", "filter", "g", "image", "line"),
    *("linearGradient", "marker", "mask", "path", "pattern", "polygon", "polyline", "radialGradient"),
    *("rect", "stop", "style", "svg", "switch", "symbol", "text", "textPath", "title", "tspan", "use"),
}
_ATTRIBUTE = re.compile(r"(?!on)[a-z][A-Za-z0-9-]*")  # what is not a handler of an event; addresses are looked at
_ADDRESSES = {"href", "src", "from", "to", "by", "values", "action", "formaction", "base"}
_PICTURE = re.compile(r"data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=\s]*")
_LINK = re.compile(r"https?://", re.IGNORECASE)
_LOCAL_URL = re.compile(r"""url\(\s*(["']?)#[^"'()\\]*\1\s*\)""", re.IGNORECASE)
_LOADS = re.compile(
    r"url\(|src\(|image\(|image-set\(|cross-fade\(|element\(|expression\(|javascript:|@|\\", re.IGNORECASE
)
_MARKS = "(:@\\"  # one of which whatever loads has: there is none in the long paths that drawings consist of
_AT_RULE = re.compile(r"@media\b", re.IGNORECASE)
# What an HTML parser reads otherwise than an XML parser, beside plain comments.
_OTHERWISE = re.compile(r"<!\[CDATA\[|<\?(?!xml\s)|<!--(?:-?>|(?:(?!-->).)*[<>])", re.DOTALL)
_BEFORE = re.compile(r"^\s*(?:<\?xml[^<>]*\?>|<!DOCTYPE[^<>\[]*>|<!--(?:(?!--)[^<>])*-->|\s)*", re.DOTALL)


def clean_svg(svg: str) -> tuple[str, tuple[str, ...]]:
    """A drawing that neither runs nor loads anything, and what had to be left out of it.

    Raises ElementTree.ParseError for what is not well-formed, ValueError for a document type with declarations.
    """
    if "<!ENTITY" in svg or re.search(r"<!DOCTYPE[^>]*\[", svg):
        raise ValueError("defines entities")
    return _cleaned(svg)


@lru_cache(maxsize=512)  # each format asks for the same drawings
def _cleaned(svg: str) -> tuple[str, tuple[str, ...]]:
    root = ElementTree.fromstring(svg)
    if root.tag == "svg":  # within HTML, where many outputs come from, a drawing needs no namespace
        for element in root.iter():
            if isinstance(element.tag, str) and not element.tag.startswith("{"):
                element.tag = f"{{{_SVG}}}{element.tag}"
    found: dict[str, None] = {}
    _clean(root, found)
    if _OTHERWISE.search(svg[_end_of(_BEFORE, svg) :]):
        found.setdefault("a comment, CDATA section or instruction that HTML reads otherwise")
    return (ElementTree.tostring(root, encoding="unicode") if found else svg), tuple(found)


def _end_of(pattern: re.Pattern[str], text: str) -> int:
    found = pattern.match(text)
    return found.end() if found else 0


def _clean(element: ElementTree.Element, found: dict[str, None]) -> None:
    for name in list(element.attrib):
        if why := _wrong(element, name, element.attrib[name]):
            found.setdefault(why)
            del element.attrib[name]
    if element.tag == f"{{{_SVG}}}style" and not is_safe_style(element.text or ""):
        found.setdefault("a style that loads something")
        element.text = ""
    kept: list[ElementTree.Element] = []
    for child in element:
        if child.tag == f"{{{_SVG}}}metadata":
            kept.append(child)  # left out by whoever shows the drawing; browsers show nothing of it
            _clean_metadata(child, found)
        elif isinstance(child.tag, str) and _local(child.tag, _SVG) in _ELEMENTS:
            kept.append(child)
            _clean(child, found)
        else:
            found.setdefault(f"<{_shown(child.tag)}>")
            if child.tail and kept:
                kept[-1].tail = (kept[-1].tail or "") + child.tail
    element[:] = kept


def _clean_metadata(metadata: ElementTree.Element, found: dict[str, None]) -> None:
    """Facts about a drawing are in namespaces that mean nothing to a browser, and hold no element of HTML or SVG."""
    for inner in metadata.iter():
        if inner is not metadata and (
            not isinstance(inner.tag, str)
            or not inner.tag.startswith("{http")
            or _SVG in inner.tag
            or "xhtml" in inner.tag
        ):
            found.setdefault("metadata that a browser would show")
            metadata[:] = []
            metadata.text = ""
            return


def _wrong(element: ElementTree.Element, name: str, value: str) -> str:
    """What is wrong with an attribute; "" when nothing is."""
    space, _, local = name.rpartition("}")
    space = space.lstrip("{")
    if space not in {"", _XLINK, _XML} or not _ATTRIBUTE.fullmatch(local):
        return (
            ""
            if space.startswith("http") and space != _SVG and _ATTRIBUTE.fullmatch(local)
            else f"the attribute {_shown(name)}"
        )
    if local in _ADDRESSES and not _is_safe_address(_local(str(element.tag), _SVG), local, value.strip()):
        return f"{_shown(name)}='{value.strip()[:40]}'"
    if local not in _ADDRESSES and not is_safe_value(value):
        return f"{_shown(name)}='{value.strip()[:40]}'"
    return ""


def _is_safe_address(tag: str, name: str, value: str) -> bool:
    if name != "href":
        return False
    if value.startswith("#"):
        return True
    return bool((tag == "image" and _PICTURE.fullmatch(value)) or (tag == "a" and _LINK.match(value)))


def is_safe_value(value: str) -> bool:
    """Whether an attribute's value, or one of a style sheet, loads nothing: `url(#name)` leads into the drawing."""
    return not any(mark in value for mark in _MARKS) or not _LOADS.search(_LOCAL_URL.sub("", value))


def is_safe_style(text: str) -> bool:
    """Whether a style sheet loads nothing."""
    return "<" not in text and is_safe_value(_AT_RULE.sub("", text))


def _local(tag: str, space: str) -> str:
    return tag.removeprefix(f"{{{space}}}") if tag.startswith(f"{{{space}}}") else ""


def _shown(name: object) -> str:
    return str(name).rpartition("}")[2] if isinstance(name, str) else "an instruction"
