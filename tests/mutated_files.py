"""What a book has beside its pages, changed at random: catalogs, frozen results, drawings, configurations.

None of them may make anything raise or hang, and nothing that a page shows of them may run or load anything.
"""

from __future__ import annotations

import json
import random
import re
import tempfile
import traceback
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from xml.etree import ElementTree

from books import cell, freeze_output, open_book, write_book
from mutation import HERE, ROOT, Failure, limited

from d2lbook.book import load_book
from d2lbook.check import check_book
from d2lbook.check.results import check_results
from d2lbook.config import load
from d2lbook.diagnostics import BookError, Messages
from d2lbook.editions import editions
from d2lbook.execute.frozen import run_path
from d2lbook.export.epub import build as epub
from d2lbook.export.notebook import build as ipynb
from d2lbook.export.site import build as html
from d2lbook.export.slides import build as slides
from d2lbook.rendering.book_context import BookContext
from d2lbook.rendering.figures import inline_svg, plain_svg
from d2lbook.security.markup import clean_output, clean_tags
from d2lbook.security.svg import clean_svg
from d2lbook.translate.edition import check_translations
from d2lbook.translate.extract import units
from d2lbook.translate.update import update_catalog

SECONDS = 20.0  # that one file may take
PARTS = (
    *("<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<iframe src=//evil.example>"),
    *("<svg onload=alert(1)>", '" onclick="alert(1)', "' onclick='alert(1)", "javascript:alert(1)"),
    *("java\tscript:alert(1)", "&#106;avascript:", "url(//evil.example/a)", "u\\72l(//evil.example)"),
    *("@import 'https://evil.example';", "style='position:fixed'", "<foreignObject>"),
    *("</foreignObject>", "<style>", "</style>", "<!--", "-->", "<![CDATA[", "]]>", "<?x ", "?>"),
    *("<!DOCTYPE x [<!ENTITY a 'b'>]>", "&a;", "&lt;", "&#0;", "&", "<", ">", '"', "'", "`", "\\"),
    *("\\\\", "\\n", "\n", "<use href='https://evil.example/#a'/>"),
    *("<image xlink:href='//evil.example/a.png'/>", "<a href='javascript:f'>"),
    *("xmlns='http://www.w3.org/1999/xhtml'", "xmlns:x='http://a'", "<x:script/>", "<math>"),
    *("<mtext>", "<table>", "</p>", "#, fuzzy\n", "#. title\n", "#~ ", 'msgctxt "x"\n', 'msgid ""\n'),
    *('msgstr ""\n', 'msgid_plural "x"\n', "{x}", "%s", "{", "}", "[", "]", "null", "-1", "1e999"),
    *("NaN", "[" * 300, "{'a':" * 60, "\\ud83d", "\u2028", "\x00", "\r", "\x1b[1m", "[build]\n"),
    *("[x]\n", "=", ":", " ", "\t", "../", "/etc/passwd", "C:\\x", "*", "**/*.md", "%(x)s", "${x}"),
    *(";", ",", "->", "$$", "$x$", "![a](b.svg)", "[a](https://evil.example)", ":numref:`x`", "`"),
    *("*", "**", "_", "x" * 300, "é", "라고"),
)
ACTIVE = re.compile(r"\son\w+\s*=|javascript:|evil\.example", re.IGNORECASE)
REFUSED = re.compile(r"<\s*(?:script|iframe|object|embed|foreignObject|base|meta|link|form)\b", re.IGNORECASE)
STYLING = {"style=", "fill=", "stroke=", "filter=", "mask=", "clip-path=", "background="}
TAG = re.compile(r"<[^<>]*>")


def changed(seed: int, text: str) -> str:
    """A text with some changes."""
    chance = random.Random(seed)
    for _ in range(chance.choice((1, 1, 2, 4, 8))):
        place, length = chance.randrange(len(text) + 1), chance.randrange(1, 40)
        piece = text[place : place + length]
        rest = text[:place] + text[place + length :]
        there = chance.randrange(len(rest) + 1)
        text = chance.choice(
            (
                text[:place] + chance.choice(PARTS) + text[place:],
                text[:place] + chance.choice(PARTS) + text[place:],
                rest,
                text[:place] + piece * chance.choice((2, 30)) + text[place:],
                rest[:there] + piece + rest[there:],
            )
        )
    return text


def is_inert(markup: str) -> bool:
    """Whether no tag of some HTML or SVG runs or loads anything; a link may lead anywhere on the web."""
    if REFUSED.search(markup):
        return False
    tags = (re.sub(r"""^<a [^<>]*href=["']https://[^"']*["']""", "<a", tag) for tag in TAG.findall(markup))
    # What stands in quotes that a browser shows, such as a title, is no attribute.
    return not any(ACTIVE.search(re.sub(r'(?<=\w=)"[^"]*"', _value, tag)) for tag in tags)


def _value(found: re.Match[str]) -> str:
    """A quoted value, if it can be an address or a style; else nothing."""
    before = found.string[: found.start()].rsplit(None, 1)[-1]
    is_read = before in {"href=", "src=", "xlink:href="} or (before in STYLING and "url(" in found[0])
    return f'"{found[0].strip(chr(34)).lstrip().replace("=", "")}"' if is_read else '""'


# ---- one kind each --------------------------------------------------------------------------------------------------


def drawing(seed: int, root: Path) -> str:
    text = changed(seed, _drawings()[seed % len(_drawings())])
    for clean in (lambda svg: clean_svg(svg)[0], plain_svg, lambda svg: inline_svg(svg, "a")):
        try:
            shown = clean(text)
        except (ValueError, ElementTree.ParseError):
            continue
        ElementTree.fromstring(shown)
        if not is_inert(shown):
            raise AssertionError(f"active: {shown}")
    return text


def markup(seed: int, root: Path) -> str:
    text = changed(seed, '<div class="a"><table border="1"><tr><td style="color: red">a</td></tr></table></div>\n')
    for shown in (clean_output(text), clean_tags(text)[0]):
        if not is_inert(shown):
            raise AssertionError(f"active: {shown}")
    return text


def configuration(seed: int, root: Path) -> str:
    text = changed(seed, _configurations()[seed % len(_configurations())])
    _book(root)
    (root / "config.ini").write_text(text, "utf-8")
    messages = Messages()
    try:
        config = load(root / "config.ini", messages)
        if not config.root.is_relative_to(root.resolve()):
            raise AssertionError(f"the book is at {config.root}")
        check_book(load_book(config, messages), config, messages)
    except BookError:
        pass
    return text


def catalog(seed: int, root: Path) -> str:
    _book(root)
    book, config = open_book(root)
    path = root / "locales" / "xx" / "page.po"
    path.parent.mkdir(parents=True)
    text = changed(seed, _catalog())
    path.write_text(text, "utf-8", newline="")
    messages = Messages()
    check_translations(book, config, ["xx"], messages)
    editions(book, config, ["xx"], messages)
    html.build(BookContext.of(book, config, book.tabs, messages), pending_ok=True, languages=["xx"])
    page = config.output_dir / "html" / "xx" / "page.html"
    if page.exists() and not is_inert(_article(page.read_text("utf-8"))):
        raise AssertionError(f"active: {_article(page.read_text('utf-8'))}")
    return text


def result(seed: int, root: Path) -> str:
    _book(root)
    freeze_output(root, "page", "pytorch", _outputs()[seed % len(_outputs())])
    path = run_path(root, "page", "pytorch")
    data = json.loads(path.read_text())
    if seed % 2:  # what it holds, else how it is written
        output = data["cells"][0]["outputs"][0]["data"]
        output.update({mime: changed(seed, "".join(value)) for mime, value in output.items()})
    text = json.dumps(data, indent=1) if seed % 2 else changed(seed, path.read_text())
    path.write_text(text, "utf-8")
    book, config = open_book(root)
    messages = Messages()
    check_results(book, config, messages)
    context = BookContext.of(book, config, book.tabs, messages)
    for build in (html.build, epub.build, slides.build):
        build(context)
    ipynb.build(context, with_outputs=True)
    page = config.output_dir / "html" / "page.html"
    if page.exists() and not is_inert(_article(page.read_text("utf-8"))):
        raise AssertionError(f"active: {_article(page.read_text('utf-8'))}")
    return text


KINDS: dict[str, Callable[[int, Path], str]] = {
    "drawing": drawing,
    "markup": markup,
    "configuration": configuration,
    "catalog": catalog,
    "result": result,
}
# Of twenty files. A catalog or a result is a book built in one or four formats, which takes longer than a thousand
# drawings.
SHARES = {"drawing": 8, "markup": 8, "configuration": 2, "catalog": 1, "result": 1}


def dealt_out(files: int, seed: int) -> list[tuple[str, int]]:
    """So many files, of each kind its share, with their numbers from `seed` on."""
    each = {kind: files * share // sum(SHARES.values()) for kind, share in SHARES.items()}
    return [(kind, number) for kind in KINDS for number in range(seed, seed + each[kind])]


def failure(kind: str, seed: int) -> Failure | None:
    """What is wrong with the file of this kind and number; None if nothing is."""
    with tempfile.TemporaryDirectory(prefix="mutated-") as folder:
        try:
            with limited(SECONDS):
                KINDS[kind](seed, Path(folder) / "book")
        except Exception:  # noqa: BLE001 - whatever it is, it is what is looked for
            return Failure(f"{kind} {seed}\n", traceback.format_exc())
    return None


# ---- what is changed ------------------------------------------------------------------------------------------------

_PAGE = 'Goal, *this* and `that`, $x$ and a [link](https://a.example "title").\n\n'
_PAGE += "## A section\n\n* One\n* <kbd>Two</kbd>\n\n"
_PAGE += "| a | b |\n|---|---|\n| c | d |\n: A caption\n\n![A figure](fig.svg)\n:alt:`a line`\n\n" + cell("print(1)")


def _book(root: Path) -> None:
    write_book(root, {"page": _PAGE}, "[project]\nlanguages = xx\n[build]\ntabs = pytorch\n")
    (root / "fig.svg").write_text(_drawings()[0])


@lru_cache(maxsize=1)
def _drawings() -> tuple[str, ...]:
    own = (path.read_text("utf-8") for path in sorted((ROOT / "img").glob("*.svg")))
    small = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="9" height="9">'
    small += '<defs><clipPath id="p"><rect width="9"/></clipPath></defs><style>path {fill: red}</style>'
    small += '<g clip-path="url(#p)"><path d="M0 0V9"/><text style="fill: #000">a &lt; b</text></g></svg>\n'
    return (small, *(text for text in own if len(text) < 20_000))


@lru_cache(maxsize=1)
def _configurations() -> tuple[str, ...]:
    tiny, own = HERE / "tinybook" / "config.ini", ROOT / "config.ini"
    return tuple(path.read_text("utf-8") for path in (tiny, own))


@lru_cache(maxsize=1)
def _catalog() -> str:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "book"
        _book(root)
        book, config = open_book(root)
        for page in book.pages:
            update_catalog(config, "xx", page.document.name, units(page.document))
        text = (root / "locales" / "xx" / "page.po").read_text("utf-8")
    return re.sub(r'msgid "(.+)"\nmsgstr ""', r'msgid "\1"\nmsgstr "\1"', text)


@lru_cache(maxsize=1)
def _outputs() -> tuple[dict[str, str], ...]:
    table = '<table border="1" class="dataframe">\n<tbody><tr><th></th><td>1</td></tr></tbody></table>\n'
    return (
        {"text/html": table, "text/plain": "1"},
        {"image/svg+xml": _drawings()[0]},
        {"image/png": "iVBORw0KGgo=\n"},
        {"text/markdown": "A **table** of $x$.\n", "text/plain": "a"},
        {"text/latex": "$$\\frac{a}{b}$$", "text/plain": "a"},
        {"text/plain": "1\n2\n"},
    )


def _article(page: str) -> str:
    """What stands in a page between the site's own parts."""
    return page.partition("<h1>")[2].partition("</article>")[0]
