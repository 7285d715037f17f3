"""The blocks of a page as Markdown for notebooks that have nothing beside them: figures inside, links to the site."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path

from d2lbook.book.assets import IMAGE, assets_of, file_of
from d2lbook.book.cross_references import plain_text
from d2lbook.diagnostics import BookError
from d2lbook.export.notebook.hosted.pictures import Pictures, image_tag, width_in_pixels
from d2lbook.export.notebook.maker import NotebookCell
from d2lbook.export.notebook.markdown import PageMarkdown
from d2lbook.model import Block, Figure
from d2lbook.rendering.figures import BadPicture, finding, read_drawing
from d2lbook.rendering.paths import EXTERNAL, beside, picture_path

Address = Callable[[str], str]  # page name -> where it can be read; empty when that is not known
_ANCHOR = re.compile(r'<a id="([^"]+)"></a>')
_WITHIN = re.compile(r"\]\(#([^)\s]+)\)")
_INLINE = re.compile(
    r"(?P<image>!?)\[(?P<text>(?:[^\[\]\\]|\\.|\[[^\[\]]*\])*)\]\(\s*(?P<target><[^>]*>|[^\s)]*)[^)]*\)", re.DOTALL
)
_SIZE = re.compile(r"([\d.]+)\s*(?:px)?$|([\d.]+%)$")


@dataclass(slots=True, kw_only=True)
class HostedMarkdown(PageMarkdown):
    """Carries figures inside, and links to where the book's pages can be read."""

    pictures: Pictures
    address: Address
    _failed: set[str] = field(default_factory=set)

    def block(self, block: Block) -> str:
        text = PageMarkdown.block(self, block)  # zero-argument super() does not work in a dataclass with slots
        local = [asset for asset in assets_of((block,)) if not asset.target.startswith(("/", "#"))]
        for images in (True, False):  # an image may be what a link shows
            targets = {asset.target for asset in local if (asset.kind == IMAGE) is images}
            text = self._without_files(text, targets, images, block) if targets and "](" in text else text
        return text

    def link(self, page: str, anchor: str) -> str:
        fragment = f"#{anchor}" if anchor else ""
        if fragment and (page == self.name or (page == self.book.bibliography_page and anchor.startswith("cite-"))):
            return fragment
        address = self.address(page)
        return f"{address}{fragment}" if address else ""

    def figure(self, figure: Figure) -> str:
        alt = figure.alt or plain_text(figure.caption, self.book)
        return self.captioned(figure, self._shown(figure.target, alt, figure.width, figure))

    def _shown(self, target: str, alt: str, width: str, block: Block) -> str:
        """A figure as HTML, which can say how wide it is."""
        if EXTERNAL.match(target):
            return image_tag(target, alt, _pixels(width))
        try:
            path = picture_path(self.around.config.root, self.name, target)
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
            self.around.messages.error(self.page.document.path, span.line, span.column, text, code)

    def _without_files(self, text: str, targets: Collection[str], images: bool, block: Block) -> str:
        """Markdown whose images, or links, do not ask for these files, which are not beside the notebook."""

        def written(found: re.Match[str]) -> str:
            path, _, anchor = found["target"].strip("<>").partition("#")
            target = file_of(path)
            if bool(found["image"]) is not images or target not in targets:
                return found[0]
            return (
                self._shown(target, found["text"], "", block) if images else self._linked(found["text"], target, anchor)
            )

        return _INLINE.sub(written, text)

    def _linked(self, shown: str, target: str, anchor: str) -> str:
        """A link to another page of the book; of one to another file its text."""
        name = posixpath.splitext(beside(self.name, target))[0]
        address = self.link(name, anchor) if self.book.page(name) is not None else ""
        return f"[{shown}]({address})" if address else shown


def linked_by_cell(cells: list[NotebookCell]) -> list[NotebookCell]:
    """Links within the notebook lead to cells, which is what Colab knows (googlecolab/colabtools#3983)."""
    texts = [cell for cell in cells if cell["cell_type"] == "markdown"]
    place = {name: cell["id"] for cell in reversed(texts) for name in _ANCHOR.findall(cell["source"])}

    def linked(found: re.Match[str]) -> str:
        return f"](#scrollTo={place[found[1]]})" if found[1] in place else found[0]

    return [
        {**cell, "metadata": {**cell["metadata"], "id": cell["id"]}, "source": _WITHIN.sub(linked, cell["source"])}
        if cell["cell_type"] == "markdown"
        else cell
        for cell in cells
    ]


def _pixels(width: str) -> str:
    found = _SIZE.match(width.strip())
    return (found[1] or found[2]) if found else ""
