"""A small book in two languages, the second one made up (`xx`), and catalogs for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polib

from d2lbook.book import load_book
from d2lbook.cli import main
from d2lbook.config import Config, load
from d2lbook.diagnostics import Messages
from d2lbook.model import Book
from d2lbook.translate.edition import TranslationCache, translated_book

CONFIG = "[project]\ntitle = A Book\nlanguages = xx\n[build]\ntabs = a, b\nnotebooks = *.md\n"
INDEX = "# A Book\n\nWhat it is about.\n\n```toc\n:numbered:\n\npage\n```\n"
PAGE = '''# The Page
:label:`sec_page`

A paragraph with `code`, $x = 1$, a [link](https://example.org/x7) and :numref:`sec_page`,
wrapped over two lines.

## [**Lists**] and Tables

* One *item*,
  wrapped.
* Another:

  ```python
  not_ours()
  ```

  and its end.

1. An exercise of 120 words.

> A quotation,
> wrapped.

:What the table shows

| Column | $n$ |
|:--|--:|
| a cell | 12 |
| either \\| or | $k$ |
:label:`tab_one`

![A caption](box.svg)
:alt:`What it shows`
:label:`fig_box`

It follows that
$$a = b$$
:eqlabel:`eq_one`

:begin_tab:`a`
Only for a.
:end_tab:

:begin_solution:
It is solved.

```{.python .input}
#@tab all
#@alt A curve
#@alt that rises.
# A comment
# over two lines.
def area(r):  #@save
    """The area of a circle.

    `r` is its radius, which is
    a number.
    """
    return 3 * r ** 2  # roughly

print(f'the area is {area(2):.1f}\\n', 'x')  # noqa: T201
plot(xlabel='radius in m', kind='line')
```
:end_solution:
'''
SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 60" width="90">\n'
    '<text x="9" y="50">a box of <tspan font-style="italic">h</tspan></text><text>12</text>\n</svg>\n'
)


def write(root: Path, page: str = PAGE, config: str = CONFIG, svg: str = SVG) -> Path:
    root.mkdir(exist_ok=True)
    (root / "config.ini").write_text(config)
    (root / "index.md").write_text(INDEX)
    (root / "page.md").write_bytes(page.encode())
    (root / "box.svg").write_text(svg)
    return root


def run(root: Path, *arguments: str) -> int:
    return main(["translate", *arguments, "--config", str(root / "config.ini")])


def open_book(root: Path) -> tuple[Book, Config]:
    messages = Messages()
    config = load(root / "config.ini", messages)
    book = load_book(config, messages)
    assert [str(message) for message in messages] == []
    return book, config


def catalog(root: Path, name: str = "page") -> polib.POFile:
    return polib.pofile(str(root / "locales" / "xx" / f"{name}.po"))


def fill(root: Path, translate: Callable[[polib.POEntry], str], name: str = "page") -> None:
    """Gives each message of a catalog the translation that the function makes."""
    po = catalog(root, name)
    for entry in po:
        entry.msgstr = translate(entry)
    po.save()


def set_message(root: Path, msgid: str, text: str, name: str = "page", comment: str = "") -> None:
    """Translates one message, found by how it starts."""
    po = catalog(root, name)
    entry = next(entry for entry in po if entry.msgid.startswith(msgid))
    entry.msgstr, entry.tcomment = text, comment
    po.save()


def in_xx(root: Path, kept: TranslationCache | None = None) -> tuple[Book, list[str]]:
    """The book in the made-up language, and what was found in its catalogs."""
    book, config = open_book(root)
    messages = Messages()
    translated = translated_book(book, config, "xx", messages, kept or TranslationCache())
    return translated, [str(message) for message in messages]


def page_text(root: Path) -> str:
    book, _ = in_xx(root)
    page = book.page("page")
    assert page is not None
    return page.document.text
