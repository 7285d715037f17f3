"""What a format offers to readers of the published site; `deploy` puts the offers of all formats together."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from d2lbook.config import Config
from d2lbook.export.site.links import files_below

Files = dict[str, Path | bytes]  # by path in the published folder: where a file lies, or what is in it
DOWNLOADS = "downloads"
ALONE = "{files}"


@dataclass(frozen=True, slots=True)
class Download:
    """One thing that a reader can get beside the pages."""

    label: str
    path: str  # in the folder
    size: int  # bytes; 0 for what is read in the browser
    tab: str = ""  # the framework, for what is of one
    group: str = ALONE  # the row of the start page that it shares with others, such as "PDF: {files}"
    menu: str = ""  # its text in the menu of every page; empty: it is not in there


@dataclass(frozen=True, slots=True)
class PageFile:
    """A form of one page, such as its slides: a row in the menu of that page."""

    page: str
    tab: str
    path: str  # in the folder
    label: str
    saved: str = ""  # the name under which browsers save it; empty: it opens in the browser


@dataclass(slots=True)
class Offer:
    """The files of one format in the folder, and how pages refer to them."""

    files: Files = field(default_factory=dict)
    downloads: list[Download] = field(default_factory=list)
    of_pages: list[PageFile] = field(default_factory=list)

    def add(self, label: str, path: Path, name: str = "", **more: str) -> None:
        """Offer the file at `path` as a download, if it was built; `more` are fields of `Download`."""
        if path.is_file():
            target = f"{DOWNLOADS}/{name or path.name}"
            self.files[target] = path
            self.downloads.append(Download(label, target, path.stat().st_size, **more))

    def extend(self, other: Offer) -> None:
        self.files |= other.files
        self.downloads += other.downloads
        self.of_pages += other.of_pages


def file_name(config: Config, tabs: Collection[str], tab: str, suffix: str) -> str:
    """The name of a framework's book; it names the framework where there are several."""
    return f"{config.name}-{tab}.{suffix}" if len(tabs) > 1 else f"{config.name}.{suffix}"


def below(folder: Path, prefix: str) -> Mapping[str, Path]:
    """The files below a folder, by their path behind `prefix`."""
    return {f"{prefix}/{name}": path for name, path in files_below(folder).items()}
