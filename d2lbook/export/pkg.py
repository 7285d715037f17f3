"""The notebooks of all frameworks as one archive to download."""

from __future__ import annotations

import io
import time
import zipfile
from collections.abc import Sequence
from pathlib import Path

from d2lbook.config import Config
from d2lbook.export import notebook
from d2lbook.export.fresh import epoch
from d2lbook.export.made import tab_label
from d2lbook.files import write_atomic
from d2lbook.messages import Messages
from d2lbook.model import Book
from d2lbook.references import plain_text

_EARLIEST = 315532800  # 1980-01-01: archives know no time before


def package_path(config: Config, solutions: bool = True) -> Path:
    name = "notebooks" if solutions else "notebooks-without-solutions"
    return config.output_dir / "pkg" / config.lang / f"{config.name}-{name}.zip"


def build(
    book: Book, config: Config, tabs: Sequence[str], messages: Messages, solutions: bool = True
) -> Path | None:  # fmt: skip
    """Writes `_build/pkg/LANG/NAME-notebooks.zip`: a folder for each framework with its figures, and a README."""
    notebook.build(book, config, tabs, messages, with_outputs=False, solutions=solutions)
    if messages.failed:
        return None
    root = notebook.directory(config, solutions=solutions)
    files = {"README.md": _readme(book, config, tabs).encode()}
    for tab in tabs:
        paths = (path for path in (root / tab).rglob("*") if path.is_file() and ".ipynb_checkpoints" not in path.parts)
        files |= {path.relative_to(root).as_posix(): path.read_bytes() for path in paths}
    path = package_path(config, solutions)
    write_atomic(path, archive({f"{config.name}/{name}": content for name, content in files.items()}, config.root))
    return path


def archive(files: dict[str, bytes], root: Path) -> bytes:
    """A zip of files by path, dated as the sources in `root` are: the same files give the same bytes."""
    moment = time.gmtime(max(epoch(root), _EARLIEST))[:6]
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as zipped:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, moment)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            zipped.writestr(entry, files[name])
    return buffer.getvalue()


def _readme(book: Book, config: Config, tabs: Sequence[str]) -> str:
    words = book.words
    lines = [f"# {config.title}", "", words("Notebooks, a folder for each framework:"), ""]
    lines += [f"* `{tab}`: {tab_label(tab)}" for tab in tabs]
    lines += [
        "",
        words(
            "Start Jupyter in this folder and open a page; figures lie beside the notebooks, below {folder}.",
            folder="`img/`",
        ),
        "",
    ]
    if any(library.lib_file for library in config.libraries.values()):
        known = config.d2l_address not in ("", ".")
        here = words("{command} in the book's repository", command="`pip install .`")
        where = f"`pip install {config.d2l_address}`" if known else here
        lines += [words("The pages import the package that the book builds. To install it: {command}.", command=where)]
        lines += [""]
    lines += [f"| {words('Page')} | |", "|:--|:--|"]
    for page in book.pages:
        title = plain_text(page.document.title, book, page.document.name)
        shown = " ".join(part for part in (page.number, title) if part).replace("|", "\\|")
        lines.append(f"| {shown} | `{page.document.name}.ipynb` |")
    rights = [config.copyright] if config.copyright else []
    return "\n".join([*lines, "", *rights]).rstrip() + "\n"
