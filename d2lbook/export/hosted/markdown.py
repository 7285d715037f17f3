"""The blocks of a page as Markdown for notebooks that have nothing beside them: figures inside, links to the site."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from d2lbook.config import Config
from d2lbook.export.figures import BadPicture, finding, read_drawing
from d2lbook.export.hosted.pictures import Pictures, image_tag, width_in_pixels
from d2lbook.export.ipynb.maker import NotebookCell
from d2lbook.export.ipynb.markdown import PageMarkdown
from d2lbook.export.places import EXTERNAL, beside
from d2lbook.messages import BookError, Messages
from d2lbook.model import Block, Figure, Prose, Table
from d2lbook.parse import markdown
from d2lbook.references import bibliography_page, plain_text

Address = Callable[[str], str]  # page name -> where it can be read; empty when that is not known
_ANCHOR = re.compile(r'<a id="([^"]+)"></a>')
_WITHIN = re.compile(r"\]\(#([^)\s]+)\)")
_SIZE = re.compile(r"([\d.]+)\s*(?:px)?$|([\d.]+%)$")


@dataclass(slots=True, kw_only=True)
class HostedMarkdown(PageMarkdown):
    """Carries figures inside, and links to where the book's pages can be read."""

    config: Config
    pictures: Pictures
    address: Address
    messages: Messages
    _failed: set[str] = field(default_factory=set)

    def block(self, block: Block) -> str:
        text = PageMarkdown.block(self, block)  # zero-argument super() does not work in a dataclass with slots
        if isinstance(block, Prose | Table) and "](" in text:
            for target, is_image in _targets(block.text):
                text = self._image(text, target, block) if is_image else self._relinked(text, target)
        return text

    def link(self, page: str, anchor: str) -> str:
        fragment = f"#{anchor}" if anchor else ""
        if fragment and (page == self.name or (page == bibliography_page(self.book) and anchor.startswith("cite-"))):
            return fragment
        address = self.address(page)
        return f"{address}{fragment}" if address else ""

    def figure(self, figure: Figure) -> str:
        alt = figure.alt or plain_text(figure.caption, self.book, self.name)
        return self.captioned(figure, self._shown(figure.target, alt, figure.width, figure))

    def _shown(self, target: str, alt: str, width: str, block: Block) -> str:
        """A figure as HTML, which can say how wide it is."""
        if EXTERNAL.match(target):
            return image_tag(target, alt, _pixels(width))
        path = self.config.root / beside(self.name, target)
        try:
            address = self.pictures.address(path)
            own = self._own_width(path)
        except (BadPicture, BookError, OSError) as error:
            self._report(target, block, error)
            return ""
        return image_tag(address, alt, _pixels(width) or own)

    def _own_width(self, path: Path) -> str:
        if path.suffix.lower() != ".svg":
            return ""
        return str(width_in_pixels(self.pictures.drawing(read_drawing(path, self.book.drawings))))

    def _report(self, target: str, block: Block, error: BadPicture | BookError | OSError) -> None:
        if target not in self._failed:
            self._failed.add(target)
            span = block.span
            text, code = finding(beside(self.name, target), error)
            self.messages.error(self.page.document.path, span.line, span.column, text, code)

    def _image(self, text: str, target: str, block: Block) -> str:
        pattern = re.compile(rf"!\[((?:[^\]\\]|\\.)*)\]\(<?{re.escape(target)}>?[^)]*\)")
        return pattern.sub(lambda found: self._shown(target, found[1], "", block), text)

    def _relinked(self, text: str, target: str) -> str:
        """A link to another page of the book, or to a file of it, which is not beside the notebook."""
        path, _, anchor = target.partition("#")
        name = posixpath.splitext(beside(self.name, path))[0]
        address = self.link(name, anchor) if self.book.page(name) is not None else ""
        pattern = re.compile(rf"(?<!!)\[((?:[^\]\\]|\\.)*)\]\(<?{re.escape(target)}>?[^)]*\)")
        return pattern.sub(lambda found: f"[{found[1]}]({address})" if address else found[1], text)


def linked_by_cell(cells: list[NotebookCell]) -> list[NotebookCell]:
    """Links within the notebook lead to cells, which is what Colab knows (googlecolab/colabtools#3983)."""
    texts = [cell for cell in cells if cell["cell_type"] == "markdown"]
    place = {name: cell["id"] for cell in reversed(texts) for name in _ANCHOR.findall(cell["source"])}

    def linked(found: re.Match[str]) -> str:
        return f"](#scrollTo={place[found[1]]})" if found[1] in place else found[0]

    return [
        {**cell, "metadata": {**cell["metadata"], "id": cell["id"]}, "source": _WITHIN.sub(linked, cell["source"])}
        if cell["cell_type"] == "markdown" else cell
        for cell in cells
    ]  # fmt: skip


def _pixels(width: str) -> str:
    found = _SIZE.match(width.strip())
    return (found[1] or found[2]) if found else ""


def _targets(text: str) -> Iterator[tuple[str, bool]]:
    """Local targets of the images (True) and links (False) in Markdown, as written, each once."""
    found: dict[tuple[str, bool], None] = {}
    for token in markdown().parse(text):
        for child in token.children or ():
            if child.type in {"image", "link_open"}:
                target = str(child.attrs["src" if child.type == "image" else "href"])
                if not EXTERNAL.match(target) and not target.startswith(("/", "#")):
                    found[target, child.type == "image"] = None
    yield from found
