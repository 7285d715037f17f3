"""reStructuredText of an `eval_rst` fence as HTML, by docutils; the libraries' names by our reference of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any, ClassVar

from docutils import nodes
from docutils.core import publish_doctree
from docutils.frontend import get_default_settings
from docutils.parsers.rst import Directive, Parser, directives
from docutils.parsers.rst.directives import misc
from docutils.statemachine import StringList
from docutils.writers.html5_polyglot import HTMLTranslator, Writer

from d2lbook.diagnostics import BookError
from d2lbook.files import read_text
from d2lbook.html.context import HtmlContext
from d2lbook.html.markup import escape
from d2lbook.html.prose import Prose
from d2lbook.html.reference import ReferenceWriter, for_tabs, names_of
from d2lbook.rendering.api import Name
from d2lbook.security.inside import book_file
from d2lbook.security.markup import OWN_CLASS, clean_tags, is_safe_link

_WARNING = 2  # level of docutils' messages from which on they are findings


class Rst:
    """The fences of one page. `currentmodule` holds from one fence to the next, for each framework."""

    def __init__(self, context: HtmlContext, tabs: tuple[str, ...], prose: Prose) -> None:
        self.context, self.prose = context, prose
        self.reference = ReferenceWriter(context, tabs, prose.blocks)
        self.tabs = tabs  # those that the fence at work is for
        self._modules: dict[str, str] = {}
        self._shown: set[str] = set()  # names that have their anchor

    def html(self, text: str, tabs: tuple[str, ...], line: int) -> str:
        """The HTML of a fence that opens at `line`."""
        self.tabs = tabs
        settings = get_default_settings(Parser, Writer)
        overrides = {
            "report_level": _WARNING, "halt_level": 5, "warning_stream": False, "file_insertion_enabled": False,
            "raw_enabled": True, "syntax_highlight": "none", "doctitle_xform": False, "sectsubtitle_xform": False,
            "_disable_config": True, "d2l": self,
        }  # fmt: skip
        for name, value in overrides.items():
            setattr(settings, name, value)
        tree = publish_doctree("\n" * line + text, self.context.page.document.path, settings=settings)
        for message in list(tree.findall(nodes.system_message)):
            if message["level"] >= _WARNING:
                what = " ".join(message.children[0].astext().split())
                self.context.error(f"reStructuredText: {what.rstrip('.')}", "rst", message.get("line", 0))
            message.parent.remove(message)
        for node in tree.findall(nodes.Element):
            node["classes"] = [name for name in node["classes"] if not OWN_CLASS.match(name)]
        translator = _Translator(tree)
        tree.walkabout(translator)
        return "".join(translator.body)

    def use_module(self, name: str) -> None:
        self._modules.update(dict.fromkeys(self.tabs, name))

    def described(self, written: str, members: bool) -> str:
        """What the libraries say of a name; empty, with a finding, where none has it."""
        tabs, bare = self._place(written)
        found = next((name for name in self._names() if name.name == bare), None)
        here = tuple(tab for tab in tabs if found is not None and tab in found.variants)
        if found is None or not here:
            where = ", ".join(sorted({self._modules.get(tab, "") for tab in self.tabs} - {""})) or "the libraries"
            self.context.error(f"there is no '{written}' in {where}; name what a page saves with #@save", "rst-name")
            return ""
        return self._entries((found if members else replace(found, methods=()),), here)

    def module(self, name: str) -> str:
        """All names of a library."""
        here = tuple(tab for tab in self.tabs if self._library(tab) == name)
        if not here:
            self.context.error(f"'{name}' is not a library of this book; name one of config.ini", "rst-name")
        return self._entries(tuple(self._names()), here) if here else ""

    def _entries(self, names: tuple[Name, ...], tabs: tuple[str, ...]) -> str:
        fresh = not {name.name for name in names} & self._shown and not self.context.book.reference_pages
        self._shown.update(name.name for name in names)
        html = self.reference.entries(names, None, tabs, fresh)
        if tabs == self.reference.tabs or tabs == self.tabs:
            return html
        name = self.context.unsearched(f'<p class="d2l-name">{names_of(tabs)}</p>\n')
        return f'<div class="d2l-part" {for_tabs(tabs)}>{name}{html}</div>\n'

    def _names(self) -> Iterator[Name]:
        for names in self.reference.api.pages.values():
            yield from names

    def _place(self, written: str) -> tuple[tuple[str, ...], str]:
        """The frameworks whose library a name is of, and the name there."""
        for tab in self.tabs:
            prefix = f"{self._library(tab)}."
            if written.startswith(prefix):
                return (tab,), written.removeprefix(prefix)
        inside = (tab for tab in self.tabs if self._modules.get(tab, self._library(tab)) == self._library(tab))
        return tuple(inside), written.removeprefix("d2l.")

    def _library(self, tab: str) -> str:
        """The module of a framework's library; empty when it has none."""
        library = self.context.config.libraries.get(tab)
        file = library.lib_file if library is not None else ""
        return ".".join(PurePosixPath(file).with_suffix("").parts) if file else ""


def _rst(directive: Directive) -> Rst:
    """The fences of the page; docutils has its directives for all who use it, and LaTeX has no such thing."""
    rst: Rst | None = getattr(directive.state.document.settings, "d2l", None)
    if rst is None:
        raise directive.error(f"only a site shows '{directive.name}' with this")
    return rst


class _CurrentModule(Directive):
    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        _rst(self).use_module(self.arguments[0])
        return []


class _Described(Directive):
    """`autoclass` and `autofunction`; with `:members:` a class's methods too."""

    required_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[dict[str, Any]] = dict.fromkeys(
        ("members", "undoc-members", "inherited-members", "show-inheritance", "noindex", "exclude-members"),
        directives.unchanged,
    )

    def run(self) -> list[nodes.Node]:
        rst = _rst(self)
        rst.context.line = self.lineno
        return _ready(self.html(rst))

    def html(self, rst: Rst) -> str:
        name = self.arguments[0].partition("(")[0].strip()
        return rst.described(name, "members" in self.options or self.name == "autofunction")


class _Module(_Described):
    def html(self, rst: Rst) -> str:
        return rst.module(self.arguments[0].strip())


class _Raw(misc.Raw):
    """docutils' own, with files of the book only and without addresses."""

    def run(self) -> list[nodes.Node]:
        name = self.options.pop("file", "")
        if name:
            context = _rst(self).context
            path = book_file(context.config.root, context.name, name)
            if path is None:
                raise self.error(f"'{name}' is no file of the book; keep a copy there")
            try:
                self.content = StringList(read_text(path).splitlines(), source=name)
            except (BookError, OSError) as error:
                raise self.error(f"'{name}' cannot be read: {error}") from error
        return list(super().run())


def _upwards(node: nodes.Element) -> Iterator[nodes.Element]:
    while node is not None:
        yield node
        node = node.parent


def _ready(html: str) -> list[nodes.Node]:
    return [nodes.raw("", html, format="html", made_here=True)] if html else []


for _name, _directive in {
    "currentmodule": _CurrentModule, "autoclass": _Described, "autofunction": _Described, "automodule": _Module,
    "raw": _Raw,
}.items():  # fmt: skip
    directives.register_directive(_name, _directive)


class _Translator(HTMLTranslator):
    """docutils' HTML with boxes and code as the rest of the page has them."""

    def __init__(self, tree: nodes.document) -> None:
        super().__init__(tree)
        self.rst: Rst = tree.settings.d2l

    def visit_raw(self, node: nodes.Element) -> None:
        if "html" in node["format"].split():
            markup = node.astext()
            clean, removed = (markup, ()) if node.get("made_here") else clean_tags(markup)
            for what in removed:
                self._refuse(what, node)
            self.body.append(self.rst.context.unsearched(clean))
        raise nodes.SkipNode

    def visit_reference(self, node: nodes.reference) -> None:
        if not is_safe_link(address := str(node.get("refuri", ""))):
            self._refuse(f"the address '{address}'", node)
            node["refuri"] = "#"
        super().visit_reference(node)

    def visit_image(self, node: nodes.image) -> None:
        """Left out: it may lie anywhere, and what Markdown shows is copied, cleaned and described."""
        self._refuse(f"the picture '{node['uri']}'", node)
        raise nodes.SkipNode

    def _refuse(self, what: str, node: nodes.Element) -> None:
        line = next((place.line for place in _upwards(node) if place.line), 0)
        text = (
            f"{what} is not shown from reStructuredText that others may change; write it in Markdown, or leave it out"
        )
        self.rst.context.error(text, "html-unsafe", line)

    def visit_admonition(self, node: nodes.Element) -> None:
        self.body.append(f'<div class="{" ".join(["admonition", *node["classes"]])}">\n')

    def visit_box(self, node: nodes.Element) -> None:
        """A box of a kind that has a heading of its own, which the book says in its language."""
        kind, words = node.tagname, self.rst.context.words
        title = escape(words(kind.capitalize()))
        self.body.append(f'<div class="admonition {kind}">\n<p class="admonition-title">{title}</p>\n')

    def depart_admonition(self, node: nodes.Element | None = None) -> None:
        self.body.append("</div>\n")

    def visit_literal_block(self, node: nodes.Element) -> None:
        language = next((name for name in node["classes"] if name not in {"code", "literal-block"}), "")
        self.body.append(self.rst.prose.code_block(node.astext(), language))
        raise nodes.SkipNode


for _name in ("attention", "caution", "danger", "error", "hint", "important", "note", "tip", "warning"):
    setattr(_Translator, f"visit_{_name}", _Translator.visit_box)
    setattr(_Translator, f"depart_{_name}", _Translator.depart_admonition)
