"""The parts that make a set of XHTML pages an ePub 3: its list of files, its contents, its archive."""

from __future__ import annotations

import posixpath
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field

from d2lbook.html.markup import attribute, escape
from d2lbook.html.pictures import media_type
from d2lbook.rendering.epoch import zipped

_NAMESPACE = uuid.UUID("5d3c9a7e-0d2b-5a44-9a53-5e0f5f0a6d21")  # of this builder's books
_CONTAINER = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">\n<rootfiles>\n'
    '<rootfile full-path="book/content.opf" media-type="application/oebps-package+xml"/>\n</rootfiles>\n</container>\n'
)


@dataclass(frozen=True, slots=True)
class Chapter:
    """One file of the book."""

    file: str
    title: str
    body: str
    depth: int
    sections: tuple[tuple[str, str], ...] = ()  # (anchor, title) of what the contents lists below it

    @property
    def properties(self) -> str:
        """What reading systems have to be told that the file holds."""
        return "mathml" if "<math" in self.body else ""


@dataclass(frozen=True, slots=True)
class Publication:
    """A whole book."""

    title: str
    author: str
    rights: str
    language: str
    release: str
    epoch: int  # seconds since 1970: when the sources were committed
    contents: str  # heading of the table of contents
    chapters: tuple[Chapter, ...]
    style: str
    images: dict[str, bytes] = field(default_factory=dict)  # path -> content

    @property
    def identifier(self) -> str:
        return f"urn:uuid:{uuid.uuid5(_NAMESPACE, f'{self.title}/{self.language}/{self.release}')}"

    def archive(self) -> bytes:
        """The ePub. The same book gives the same bytes."""
        # Readers know an ePub by its first file, which has to be stored as it is.
        return zipped(self._files(), self.epoch, stored="mimetype")

    def _files(self) -> Iterator[tuple[str, bytes]]:
        yield "mimetype", b"application/epub+zip"
        yield "META-INF/container.xml", _CONTAINER.encode()
        yield "book/content.opf", self._package().encode()
        yield "book/contents.xhtml", self._contents().encode()
        yield "book/style.css", self.style.encode()
        for chapter in self.chapters:
            yield f"book/{chapter.file}", self._page(chapter.title, chapter.body).encode()
        for path in sorted(self.images):
            yield f"book/{path}", self.images[path]

    def _page(self, title: str, body: str) -> str:
        language = attribute(self.language)
        return (
            '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE html>\n'
            '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"'
            f' lang="{language}" xml:lang="{language}">\n<head>\n<title>{escape(title)}</title>\n'
            f'<link rel="stylesheet" type="text/css" href="style.css"/>\n</head>\n<body>\n{body}</body>\n</html>\n'
        )

    def _contents(self) -> str:
        heading = f"<h1>{escape(self.contents)}</h1>"
        return self._page(self.contents, f'<nav epub:type="toc" id="toc">\n{heading}\n{_nested(self.chapters)}</nav>\n')

    def _package(self) -> str:
        modified = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.epoch))
        metadata = [
            f'<dc:identifier id="id">{self.identifier}</dc:identifier>',
            f"<dc:title>{escape(self.title)}</dc:title>",
            f"<dc:language>{escape(self.language)}</dc:language>",
            *([f"<dc:creator>{escape(self.author)}</dc:creator>"] if self.author else []),
            *([f"<dc:rights>{escape(self.rights)}</dc:rights>"] if self.rights else []),
            f'<meta property="dcterms:modified">{modified}</meta>',
            '<meta property="schema:accessMode">textual</meta>',
            '<meta property="schema:accessMode">visual</meta>',
            '<meta property="schema:accessModeSufficient">textual</meta>',
            '<meta property="schema:accessibilityFeature">alternativeText</meta>',
            '<meta property="schema:accessibilityFeature">MathML</meta>',
            '<meta property="schema:accessibilityFeature">tableOfContents</meta>',
            '<meta property="schema:accessibilityHazard">none</meta>',
        ]
        return (
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            '<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id"'
            ' prefix="schema: http://schema.org/">\n'
            '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">\n' + "\n".join(metadata) + "\n</metadata>\n"
            f"<manifest>\n{''.join(self._manifest())}</manifest>\n<spine>\n{''.join(self._spine())}</spine>\n</package>\n"
        )

    def _manifest(self) -> Iterator[str]:
        yield '<item id="contents" href="contents.xhtml" media-type="application/xhtml+xml" properties="nav"/>\n'
        yield '<item id="style" href="style.css" media-type="text/css"/>\n'
        for number, chapter in enumerate(self.chapters):
            properties = f' properties="{chapter.properties}"' if chapter.properties else ""
            yield f'<item id="page-{number}" href="{chapter.file}" media-type="application/xhtml+xml"{properties}/>\n'
        for number, path in enumerate(sorted(self.images)):
            yield f'<item id="image-{number}" href="{path}" media-type="{media_type(path)}"/>\n'

    def _spine(self) -> Iterator[str]:
        for number, _ in enumerate(self.chapters):
            yield f'<itemref idref="page-{number}"/>\n'
            if number == 0:  # after the title
                yield '<itemref idref="contents"/>\n'


def _nested(chapters: tuple[Chapter, ...]) -> str:
    """The contents: an ordered list, in which what stands deeper is a list of its own."""
    parts: list[str] = []
    open_depths: list[int] = []
    for number, chapter in enumerate(chapters):
        if not open_depths or chapter.depth > open_depths[-1]:
            parts.append("<ol>\n")
            open_depths.append(chapter.depth)
        else:
            parts.append("</li>\n")
            while chapter.depth < open_depths[-1] and len(open_depths) > 1:
                parts.append("</ol>\n</li>\n")
                open_depths.pop()
        parts.append(f'<li><a href="{chapter.file}">{escape(chapter.title)}</a>')
        has_pages = number + 1 < len(chapters) and chapters[number + 1].depth > chapter.depth
        if chapter.sections and not has_pages:  # an item may hold one list
            listed = (
                f'<li><a href="{chapter.file}#{anchor}">{escape(title)}</a></li>\n'
                for anchor, title in chapter.sections
            )
            parts.append(f"\n<ol>\n{''.join(listed)}</ol>\n")
    parts.append("</li>\n</ol>\n" * len(open_depths))
    return "".join(parts)


def flat_name(page: str) -> str:
    """The file of a page: all files lie side by side."""
    return posixpath.normpath(page).replace("/", "-") + ".xhtml"
