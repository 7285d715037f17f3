"""The notebooks of all frameworks as one archive to download."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from d2lbook.book.cross_references import plain_text
from d2lbook.config import Config
from d2lbook.export.notebook import build as notebooks
from d2lbook.export.notebook.build import figure_targets
from d2lbook.export.offer import Offer
from d2lbook.files import is_file, write_atomic
from d2lbook.frameworks import label_of
from d2lbook.model import Page, UiStrings
from d2lbook.rendering.book_context import BookContext
from d2lbook.rendering.epoch import epoch, zipped
from d2lbook.rendering.paths import beside, shown_file
from d2lbook.session import Session


def run(session: Session) -> bool:
    """The command `pkg`."""
    solutions = not session.arguments.without_solutions
    for context in session.each_language():
        path = build(context, solutions, session.chosen)
        if path is not None:
            session.say(f"the notebooks: {path}")
    return not session.messages.failed


def offer(config: Config, tabs: Collection[str], words: UiStrings) -> Offer:
    """The archives that readers can download."""
    found = Offer()
    found.add(words("Notebooks"), package_path(config), menu=words("Notebooks of all pages"))
    found.add(words("Notebooks without solutions"), package_path(config, solutions=False))
    return found


def package_path(config: Config, solutions: bool = True, chosen: bool = False) -> Path:
    """Where the archive is; `chosen`: the one of some pages only."""
    name = f"notebooks{'-chosen' if chosen else ''}{'' if solutions else '-without-solutions'}"
    return config.output_dir / "pkg" / config.lang / f"{config.name}-{name}.zip"


def build(context: BookContext, solutions: bool = True, pages: Collection[str] = ()) -> Path | None:
    """Writes `_build/pkg/LANG/NAME-notebooks.zip`: a folder for each framework with its figures, and a README.

    `pages`: names of the only ones that go in, into an archive of their own; all without any.
    """
    notebooks.build(context, with_outputs=False, solutions=solutions, pages=pages)
    if context.messages.failed and not context.config.goes_on:
        return None
    config = context.config
    root = notebooks.directory(config, solutions=solutions)
    chosen = context.pages(pages)
    files = {"README.md": _readme(context, chosen).encode()}
    for tab in context.tabs:
        names = {name for page in chosen for name in _files_of(context, page, tab)}
        paths = {f"{tab}/{name}": root / tab / name for name in names}
        files |= {name: path.read_bytes() for name, path in paths.items() if is_file(path)}
    path = package_path(config, solutions, bool(pages))
    write_atomic(path, archive({f"{config.name}/{name}": content for name, content in files.items()}, config.root))
    return path


def _files_of(context: BookContext, page: Page, tab: str) -> Iterator[str]:
    """A page's notebook and the figures that it shows, by their place in the framework's folder."""
    name = page.document.name
    yield f"{name}.ipynb"
    for target in figure_targets(context.view(page, tab)):
        if shown_file(context.book, name, target) is not None:  # what is elsewhere, `check` reports
            yield beside(name, target)


def archive(files: dict[str, bytes], root: Path) -> bytes:
    """A zip of files by path, dated as the sources in `root` are: the same files give the same bytes."""
    return zipped(sorted(files.items()), epoch(root))


def _readme(context: BookContext, pages: Sequence[Page]) -> str:
    book, config, words = context.book, context.config, context.book.words
    lines = [f"# {config.title}", "", words("Notebooks, a folder for each framework:"), ""]
    lines += [f"* `{tab}`: {label_of(tab)}" for tab in context.tabs]
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
    for page in pages:
        title = plain_text(page.document.title, book)
        shown = " ".join(part for part in (page.number, title) if part).replace("|", "\\|")
        lines.append(f"| {shown} | `{page.document.name}.ipynb` |")
    rights = [config.copyright] if config.copyright else []
    return "\n".join([*lines, "", *rights]).rstrip() + "\n"
