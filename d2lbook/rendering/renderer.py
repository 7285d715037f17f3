"""Markdown as text of another format: the walk over markdown-it's tree, and what all formats do alike."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar, Generic, Protocol, TypeVar

from markdown_it.tree import SyntaxTreeNode

from d2lbook.book.cross_references import api_text
from d2lbook.model import UiStrings
from d2lbook.parse import markdown
from d2lbook.parse.footnotes import Note
from d2lbook.parse.listing_language import language_of_fence
from d2lbook.parse.prose import API, CITATIONS


class Context(Protocol):
    """What prose needs to know of its page and book."""

    def reference(self, kind: str, key: str) -> str: ...

    def citation(self, kind: str, keys: Sequence[str]) -> str: ...

    def api(self, text: str, shown: str) -> str: ...

    def link(self, target: str, shown: str) -> str: ...

    def warn(self, text: str, code: str) -> None: ...

    def escape(self, text: str) -> str: ...

    def note(self, name: str) -> Note | None: ...

    @property
    def words(self) -> UiStrings: ...


OfPage = TypeVar("OfPage", bound=Context)


class Renderer(ABC, Generic[OfPage]):
    """Renders the Markdown of one page. A node that is no `wrapped` one has a method `_TYPE`, or is left out."""

    wrapped: ClassVar[dict[str, tuple[str, str]]]  # type of a node -> what stands before and after its children
    unknown: ClassVar[tuple[str, str]]  # the message on a node without a form, of its {type}, and the message's code

    def __init__(self, context: OfPage) -> None:
        self.context = context

    @abstractmethod
    def code_block(self, code: str, language: str) -> str: ...

    @abstractmethod
    def code_span(self, code: str) -> str: ...

    @abstractmethod
    def callout(self, kind: str, title: str, body: str) -> str:
        """A box of a kind such as "note", under its title in the book's language."""

    @abstractmethod
    def footnote(self, note: Note) -> str:
        """What stands where a text refers to a note."""

    def blocks(self, text: str) -> str:
        return self._children(SyntaxTreeNode(markdown().parse(text)))

    def inline(self, text: str) -> str:
        return self._children(SyntaxTreeNode(markdown().parseInline(" ".join(text.split())))).strip()

    def _children(self, token: SyntaxTreeNode) -> str:
        return "".join(self._node(child) for child in token.children)

    def _node(self, token: SyntaxTreeNode) -> str:
        if token.type in self.wrapped:
            before, after = self.wrapped[token.type]
            return f"{before}{self._children(token)}{after}"
        method: Callable[[SyntaxTreeNode], str] | None = getattr(self, f"_{token.type}", None)
        if method is None:
            text, code = self.unknown
            self.context.warn(text.format(type=token.type), code)
            return ""
        return method(token)

    def _inline(self, token: SyntaxTreeNode) -> str:
        return self._children(token)

    def _alert(self, token: SyntaxTreeNode) -> str:
        kind = str(token.meta["kind"]).lower()
        title = self.context.escape(self.context.words(kind.capitalize()))
        return self.callout(kind, title, self._children(token))

    def _alert_title(self, token: SyntaxTreeNode) -> str:
        return ""  # which markdown-it says in English

    def _footnote_ref(self, token: SyntaxTreeNode) -> str:
        name = str(token.meta["label"])
        note = self.context.note(name)
        return self.footnote(note) if note is not None else self.context.escape(f"[^{name}]")

    def _footnote_reference(self, token: SyntaxTreeNode) -> str:
        return self._children(token)

    def _softbreak(self, token: SyntaxTreeNode) -> str:
        return "\n"

    def _code_inline(self, token: SyntaxTreeNode) -> str:
        return self.code_span(token.content)

    def _code_block(self, token: SyntaxTreeNode) -> str:
        return self.code_block(token.content.rstrip("\n"), "")

    def _fence(self, token: SyntaxTreeNode) -> str:
        return self.code_block(token.content.rstrip("\n"), language_of_fence(token.info))

    def _d2l_mark(self, token: SyntaxTreeNode) -> str:
        return "" if token.meta["only_slides"] else self._children(token)

    def _d2l_role(self, token: SyntaxTreeNode) -> str:
        kind = token.meta["kind"]
        keys = [key.strip() for key in token.content.split(",")]
        if kind in CITATIONS:
            return self.context.citation(kind, keys)
        if kind in API:
            return self.context.api(token.content, self.code_span(api_text(token.content)))
        return ", ".join(self.context.reference(kind, key) for key in keys)

    def _link(self, token: SyntaxTreeNode) -> str:
        return self.context.link(str(token.attrs.get("href", "")), self._children(token))
