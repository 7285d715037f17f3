"""Pages changed at random, and all that reads and writes them: whatever a page holds, nothing may raise or hang.

What is wrong with a page is a message; what this module looks for is an exception, or a page that takes too long.
"""

from __future__ import annotations

import random
import signal
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from cases import BLOCK

from d2lbook.book import load_book
from d2lbook.check import check_book
from d2lbook.config import Config, load
from d2lbook.diagnostics import Messages
from d2lbook.export.epub import build as epub
from d2lbook.export.notebook import build as ipynb
from d2lbook.export.pdf.images import Images
from d2lbook.export.pdf.pages import book_text
from d2lbook.export.site.assets import site_files
from d2lbook.export.site.context import Site
from d2lbook.export.site.frame import Frame
from d2lbook.export.site.nav import Navigation
from d2lbook.export.site.page import SitePage
from d2lbook.export.site.search import records
from d2lbook.export.slides import build as slides
from d2lbook.model import Book
from d2lbook.rendering.book_context import BookContext
from d2lbook.rendering.typesetting import load_formulas
from d2lbook.translate.extract import units

HERE = Path(__file__).parent
ROOT = HERE.parent
CONFIG = """\
[project]
name = mutated
title = Mutated
[build]
tabs = pytorch, jax
notebooks = *.md
eval_notebook = false
[library-pytorch]
lib_file = d2l/torch.py
lib_name = torch
simple_alias = ones, zeros -> empty
[library-jax]
lib_file = d2l/jax.py
lib_name = jnp
"""
FILES = {
    "fig.svg": '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><path d="M0 0V9"/></svg>\n',
    "refs.bib": "@misc{kahan1965, author = {Kahan, William}, title = {Remarks}, year = 1965}\n",
    "move.js": "export default () => {};\n",
}
# What means something somewhere, whole and in pieces; what is long, deep or odd.
PARTS = (
    "```",
    "~~~",
    "```{.python .input}\n",
    "```{.python .input n=1}\n#@tab all\n",
    "\n```\n",
    "```toc\na\n```\n",
    "```eval_rst\n",
    "```{.json .output}\n",
    "#@save",
    "#@tab jax\n",
    "#@hide",
    "#@gpu_first",
    "#@compare_devices",
    "#@alt x",
    "%%bash\n",
    "%time x\n",
    "!ls\n",
    "x?\n",
    ":label:`x`\n",
    ":eqlabel:`e`\n",
    ":numref:`x`",
    ":eqref:`e`",
    ":ref:`x, y`",
    ":cite:`kahan1965`",
    ":cite:``",
    ":citet:`nobody`",
    ":class:`d2l.A`",
    ":func:`~d2l.f()`",
    ":width:`9px`\n",
    ":alt:`a`\n",
    ":interactive:`move.js`\n",
    ":bibliography:`refs.bib`\n",
    ":library:`definitions`\n",
    ":library:`aliases`\n",
    ":begin_tab:`jax`\n",
    ":end_tab:\n",
    ":begin_solution:\n",
    ":end_solution:\n",
    "[**",
    "**]",
    "(**",
    "**)",
    "[~~",
    "~~]",
    "(~~",
    "~~)",
    "$",
    "$$",
    "\n$$\n",
    "\\begin{aligned}",
    "\\end{aligned}",
    "\\frac{",
    "{",
    "}",
    "\\",
    "\\\n",
    "# ",
    "\n# T\n",
    "\n## S\n",
    "\n===\n",
    "\n---\n",
    "* ",
    "1. ",
    "  - ",
    "> ",
    "    ",
    "\t",
    "| a | b |\n|---|--:|\n| c | d |\n",
    "|",
    "\n: caption\n",
    "\n: definition\n",
    "[^1]",
    "\n[^1]: note\n",
    "> [!NOTE]\n",
    "- [ ] ",
    "\n\\begin{align}\n",
    "\n\\end{align}\n",
    "---\ntitle: t\nkeywords: [a\n---\n",
    "*",
    "**",
    "_",
    "`",
    "~~",
    "![c](fig.svg)",
    "\n![c](fig.svg)\n",
    "![",
    "](",
    "[a][b]",
    "[b][]",
    "[b]\n\n[b]: a.md 'x'\n",
    "[b]: <",
    "<a@b.c>",
    "<div>",
    "</div>",
    "<!--",
    "-->",
    "<br>",
    "&amp;",
    "&#0;",
    "&",
    "<",
    '"',
    "'",
    '"""',
    "'''",
    "f'{x!r:>{9}}'",
    "f'",
    "#",
    "def f():\n",
    "class A(d2l.B):  #@save\n",
    "@d2l.add_to_class(A)  #@save\n",
    "    return 1\n",
    "from a import *  #@save\n",
    "import a.b as c",
    "if tab.selected('jax'):\n",
    "tab.selected('jax', 'nobody')",
    "%load_ext d2lbook.tab\n",
    "d2l.",
    "lambda x: ",
    "async ",
    "(",
    ")",
    "\r",
    "\r\n",
    "\x0b",
    "\x0c",
    "\x07",
    "\x1c",
    "\x7f",
    "\x85",
    "\u2028",
    "\ufeff",
    "\u200f",
    "\U0001f600",
    "라고",
    "é",
    "ı",
    "\n\n",
    "\n",
    "x" * 300,
    "*" * 300,
    "{" * 300,
    "> " * 60,
    "- " * 60,
    "[" * 200,
    "(" * 200,
    "-" * 400 + "1",
    "`" * 99,
    "a/" * 200,
    "%00",
    "../",
    " + ".join("1" * 300),
    "\n".join(f"{'  ' * depth}- x" for depth in range(60)),
)


class TooSlow(Exception):
    """A page on which something takes longer than it may."""


@dataclass(frozen=True)
class Failure:
    """A page that something does not bear, and how it ended."""

    page: str
    trace: str


# ---- pages ----------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def sources() -> tuple[str, ...]:
    """Our own pages, those of the tests, and the texts of their cases."""
    paths = [*ROOT.glob("chapter_*/*.md"), *(HERE / "tinybook").rglob("*.md")]
    texts = [path.read_text(encoding="utf-8") for path in sorted(paths)]
    for folder in ("dialect", "messages", "library"):
        for path in sorted((HERE / folder).glob("*.md")):
            texts += [
                block["text"] for block in BLOCK.finditer(path.read_text(encoding="utf-8")) if block["text"].strip()
            ]
    return tuple(texts)


def mutated(seed: int) -> str:
    """A page of its own for each seed: a stretch of a source, changed in some places."""
    chance = random.Random(seed)
    page = _stretch(chance)
    for _ in range(chance.choice((1, 2, 3, 5, 9))):
        page = chance.choice(_MUTATIONS)(chance, page)
    return page if chance.random() < 0.1 else f"# Page\n\n{page}"


def _stretch(chance: random.Random) -> str:
    lines = chance.choice(sources()).splitlines(keepends=True)
    first = chance.randrange(len(lines))
    return "".join(lines[first : first + chance.randrange(1, 40)])


def _place(chance: random.Random, page: str) -> int:
    """A place in a page: anywhere, or more often where a line begins."""
    place = chance.randrange(len(page) + 1)
    return page.rfind("\n", 0, place) + 1 if chance.random() < 0.5 else place


def _insert(chance: random.Random, page: str) -> str:
    place = _place(chance, page)
    return page[:place] + chance.choice(PARTS) + page[place:]


def _remove(chance: random.Random, page: str) -> str:
    first = _place(chance, page)
    return page[:first] + page[first + chance.randrange(1, 40) :]


def _repeat(chance: random.Random, page: str) -> str:
    first = _place(chance, page)
    part = page[first : first + chance.randrange(1, 80)]
    return page[:first] + part * chance.choice((2, 3, 30)) + page[first:]


def _move(chance: random.Random, page: str) -> str:
    first = _place(chance, page)
    part = page[first : first + chance.randrange(1, 200)]
    rest = page[:first] + page[first + len(part) :]
    place = _place(chance, rest)
    return rest[:place] + part + rest[place:]


def _join(chance: random.Random, page: str) -> str:
    place = _place(chance, page)
    return page[:place] + _stretch(chance)[:400] + page[place:]


_MUTATIONS: tuple[Callable[[random.Random, str], str], ...] = (
    _insert,
    _insert,
    _insert,
    _remove,
    _repeat,
    _move,
    _join,
)


# ---- what is done with them -----------------------------------------------------------------------------------------


def failures(pages: list[str], seconds: float = 10.0) -> Iterator[Failure]:
    """The pages among some that raise or take longer than `seconds`: each alone, found by halving."""
    with tempfile.TemporaryDirectory(prefix="mutated-") as folder:
        try:
            with limited(seconds + 0.3 * len(pages)):
                examine(pages, Path(folder))
            return
        except Exception:  # noqa: BLE001 - whatever it is, it is what is looked for
            trace = traceback.format_exc()
    if len(pages) == 1:
        yield Failure(pages[0], trace)
        return
    half = len(pages) // 2
    found = [*failures(pages[:half], seconds), *failures(pages[half:], seconds)]
    yield from found or [Failure("\n\n<!-- the next page -->\n\n".join(pages), trace)]


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raises TooSlow in what takes longer: of this process's time, which is not other programs', or ten times that."""

    def stop(signum: int, frame: object) -> None:
        raise TooSlow(f"more than {seconds:g} s")

    before = [(number, signal.signal(number, stop)) for number in (signal.SIGPROF, signal.SIGALRM)]
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, 10 * seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before:
            signal.signal(number, handler)


def examine(pages: list[str], root: Path) -> Messages:
    """Reads a book of these pages, checks it, takes its texts to translate, and writes it in every format."""
    for name, text in FILES.items():
        (root / name).write_text(text, encoding="utf-8")
    names = [f"page{number}" for number in range(len(pages))]
    for name, page in zip(names, pages, strict=True):
        (root / f"{name}.md").write_text(page, encoding="utf-8", newline="")
    book, config, messages = _read(root, names)
    check_book(book, config, messages)
    for page in book.pages:
        units(page.document)
    # What the check refuses, blocks too deep to follow and a circle of contents, nothing else has to bear.
    refused = {message.path for message in messages if message.code in {"nesting", "toc-cycle"}}
    if refused:
        book, config, _ = _read(root, [name for name in names if f"{name}.md" not in refused])
    _write(book, config, root)
    return messages


def _read(root: Path, names: list[str]) -> tuple[Book, Config, Messages]:
    messages = Messages()
    (root / "config.ini").write_text(CONFIG, encoding="utf-8")
    (root / "index.md").write_text("# Book\n\n```toc\n:numbered:\n\n" + "\n".join(names) + "\n```\n", encoding="utf-8")
    config = load(root / "config.ini", messages)
    return load_book(config, messages), config, messages


def _write(book: Book, config: Config, root: Path) -> None:
    """Every writer writes all pages, whatever was reported about them."""
    messages = Messages()
    context = BookContext.of(book, config, book.tabs, messages)
    load_formulas(book.pages, context.formulas)
    _write_site(context)
    site_files(context)
    for tab in book.tabs:
        images = Images(config.output_dir / ".cache" / "drawings", config.lang, book.drawings)
        book_text(context, tab, images)
    ipynb.build(context, with_outputs=True)
    try:
        slides.build(context)
        epub.build(context)
    finally:
        context.formulas.close()


def _write_site(context: BookContext) -> None:
    site, navigation = Site(context, {}), Navigation(context.book)
    frame = Frame(site, navigation)
    for page in context.book.pages:
        writer = SitePage(site, page, navigation, context.messages)
        article = writer.body()
        frame.page(page.document.name, writer.context.whole(article), writer.outline)
        records(writer.context.searched(article), context.tabs, context.lang)
