"""Writes a bundle: one file that holds all that a machine without network and builder needs to run pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from d2lbook.config import Config
from d2lbook.diagnostics import error_at
from d2lbook.execute.bundle.data import data_files
from d2lbook.execute.bundle.plan import plan_of
from d2lbook.execute.bundle.runner.archive import packed, write
from d2lbook.execute.bundle.runner.main import MANIFEST
from d2lbook.execute.key import key_parts
from d2lbook.execute.sources import sources
from d2lbook.files import git
from d2lbook.model import Book, View
from d2lbook.view import make_view

KIND = "d2lbook bundle"
RUNNER = Path(__file__).parent / "runner"


def pack(
    book: Book,
    config: Config,
    tabs: Sequence[str],
    pages: Sequence[str],
    path: Path,
    size: int,
    wheels: Path | None = None,
) -> str:
    """Writes the bundle of pages in frameworks to `path`; what to say of it. The same book gives the same bytes.

    Raises BookError when nothing can run, data is missing, or it would be larger than `size` MiB.
    """
    views = _views(book, tabs, pages)
    if not views:
        raise error_at("--bundle", 0, 0, "these pages have no cells for these frameworks", "bundle-empty")
    plans = {f"pages/{view.document.name}/{view.tab}.json": view for view in views}
    members = {name: plan_of(view, book, config) for name, view in plans.items()}
    members |= _runner() | _sources(config, tabs, views) | _wheels(wheels)
    parts = [key_parts(view, book, config) for view in views]
    members |= data_files(config, (checksum for part in parts for checksum in _strings(part["data"])))
    commit = git(config.root, "rev-parse", "HEAD")
    manifest = {
        "kind": KIND,
        "book": config.name,
        "commit": commit,
        "changed": bool(git(config.root, "status", "--porcelain", "--", ".")),
        "time_limit": config.time_limit,
        "tabs": [tab for tab in tabs if any(view.tab == tab for view in views)],
        "pages": [{"page": view.document.result_name, "tab": view.tab, "file": name} for name, view in plans.items()],
    }
    data = packed(manifest, members, MANIFEST)
    if len(data) > size << 20:
        raise error_at("--bundle", 0, 0, _too_large(len(data), size, members), "bundle-size")
    write(path, data)
    return f"{path}: {len(views)} to run, {len(data) / 2**20:.1f} MiB"


def _views(book: Book, tabs: Sequence[str], pages: Sequence[str]) -> list[View]:
    documents = [page.document for page in book.pages if page.document.name in pages]
    views = [make_view(document, tab, book.tabs) for document in documents for tab in tabs]
    return [view for view in views if view.own]


def _runner() -> dict[str, bytes]:
    files = {path.name: path.read_bytes() for path in RUNNER.glob("*.py")}
    return {"run.py": files.pop("run.py")} | {f"runner/{name}": content for name, content in files.items()}


def _sources(config: Config, tabs: Sequence[str], views: Iterable[View]) -> dict[str, bytes]:
    """The libraries of frameworks, and the book's resources that the code of some page names."""
    found = sources(config, tabs, (cell.runs for view in views for cell in view.cells))
    return {f"book/{name}": content for name, content in found.items()}


def _wheels(folder: Path | None) -> dict[str, bytes]:
    if folder is None:
        return {}
    found = {f"wheels/{path.name}": path.read_bytes() for path in folder.glob("*.whl")}
    if not found:
        raise error_at("--wheels", 0, 0, f"{folder} has no wheels; fetch them with: pip download", "bundle-wheels")
    return found


def _strings(value: Any) -> list[str]:
    return [part for part in value if isinstance(part, str)]


def _too_large(size: int, limit: int, members: Mapping[str, bytes]) -> str:
    parts: Counter[str] = Counter()
    for name, content in members.items():
        parts[name.split("/")[0]] += len(content)
    largest = ", ".join(f"{name} {total / 2**20:.1f}" for name, total in parts.most_common(3))
    what = f"the bundle has {size / 2**20:.1f} MiB, more than --size {limit}"
    return f"{what} allows; before packing, in MiB: {largest}; name fewer pages or frameworks, or a larger --size"
