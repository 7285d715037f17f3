"""Which of the formats that were built go into the folder, where, and what readers are told of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from d2lbook.config import Config
from d2lbook.export import html
from d2lbook.export.epub.build import epub_path
from d2lbook.export.notebook.archive import package_path
from d2lbook.export.pdf.build import pdf_path
from d2lbook.export.site.links import files_below
from d2lbook.export.site.offline import offline_path
from d2lbook.export.slides.build import slides_directory
from d2lbook.frameworks import label_of
from d2lbook.model import UiStrings

Files = dict[str, Path | bytes]  # by path in the folder: where a file lies, or what is in it
DOWNLOADS = "downloads"
HOSTED = ("colab", "sagemaker")
# Formats of which readers get a link, in the order in which they are listed.
FORMATS = ("pdf", "epub", "slides", "pkg", "offline", "dist")


@dataclass(frozen=True, slots=True)
class Download:
    """What a reader can get beside the pages."""

    format: str  # as the stage that builds it is called
    label: str
    path: str  # in the folder
    size: int  # bytes; 0 for what is read in the browser
    tab: str = ""  # the framework, for what is of one


@dataclass(slots=True)
class Contents:
    """The files of the folder, and those of them that readers download."""

    files: Files = field(default_factory=dict)
    downloads: list[Download] = field(default_factory=list)


def collect(config: Config, tabs: Collection[str], left_out: Collection[str], words: UiStrings) -> Contents:
    """Each format beside the site that lies built of an edition, without those in `left_out`.

    Paths are from the edition's pages; the package, which has no language, is with those of the book's own.
    """
    contents = Contents()
    for kind in FORMATS:
        if kind not in left_out:
            for found, source in _offered(kind, config, tabs, words):
                if kind == "dist" and config.lang != config.source_lang:
                    contents.downloads.append(replace(found, path=f"../{found.path}"))
                else:
                    contents.files[found.path] = source
                    contents.downloads.append(found)
    decks = files_below(slides_directory(config)) if "slides" not in left_out else {}
    if "index.html" in decks:
        contents.files |= {f"slides/{name}": path for name, path in _without_marks(decks)}
        contents.downloads.append(Download("slides", words("Slides"), "slides/index.html", 0))
    for platform in HOSTED:
        if platform not in left_out:
            notebooks = files_below(config.output_dir / platform / config.lang)
            contents.files |= {f"{platform}/{config.lang}/{name}": path for name, path in notebooks.items()}
    contents.downloads.sort(key=lambda download: FORMATS.index(download.format))
    return contents


def site_files(config: Config) -> Files:
    """The site, of the languages that the book has."""
    return dict(files_below(html.site_directory(config)))


def _without_marks(decks: Mapping[str, Path]) -> Iterator[tuple[str, Path]]:
    """Decks without the files that only say which deck a PDF was printed from."""
    return ((name, path) for name, path in decks.items() if not name.endswith(".pdf-of"))


def _offered(
    kind: str, config: Config, tabs: Collection[str], words: UiStrings
) -> Iterator[tuple[Download, Path]]:  # fmt: skip
    """What lies built of a format, each with its file."""
    if kind in ("pdf", "epub"):
        for tab in tabs:
            path = (pdf_path if kind == "pdf" else epub_path)(config, tab)
            named = f"{config.name}-{tab}" if len(tabs) > 1 else config.name
            yield from _if_there(kind, label_of(tab), path, f"{named}.{kind}", tab)
    elif kind == "pkg":
        yield from _if_there(kind, words("Notebooks"), package_path(config))
        yield from _if_there(kind, words("Notebooks without solutions"), package_path(config, solutions=False))
    elif kind == "offline":
        yield from _if_there(kind, words("This site, to read without a network"), offline_path(config))
    elif kind == "dist":
        for path in sorted((config.output_dir / "dist").glob("*")):
            if path.name.endswith((".whl", ".tar.gz")):
                yield from _if_there(kind, path.name, path)


def _if_there(kind: str, label: str, path: Path, name: str = "", tab: str = "") -> Iterator[tuple[Download, Path]]:
    if path.is_file():
        yield Download(kind, label, f"{DOWNLOADS}/{name or path.name}", path.stat().st_size, tab), path
