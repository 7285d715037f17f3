"""One hostile book with a case for each row of the review, in every format.

What is wrong is an error of `check` at its place; no format ends in a traceback, shows what it must not, runs what the
book brings, or writes beside its own directory; and the good page is in every format.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from books import cell, freeze_output, write_book
from mutated_files import is_inert

from d2lbook.book import load_book
from d2lbook.cli import main
from d2lbook.commands import COMMANDS
from d2lbook.config import Config, load
from d2lbook.diagnostics import BookError, Messages
from d2lbook.export.epub.build import build as build_epub
from d2lbook.export.notebook.build import build as build_notebooks
from d2lbook.export.notebook.hosted.build import build as build_hosted
from d2lbook.export.notebook.hosted.platforms import PLATFORMS
from d2lbook.export.pdf.images import Images
from d2lbook.export.pdf.pages import book_text
from d2lbook.export.site import build as html
from d2lbook.export.site.preview import preview
from d2lbook.export.slides.build import build as build_slides
from d2lbook.model import Book
from d2lbook.rendering.book_context import BookContext
from d2lbook.rendering.typesetting import load_formulas

SECRET, GOOD = "asecretofthismachine", "A good page."
CONFIG = """\
[project]
name = ../../x
languages = xx
d2l_address = d2l
[build]
tabs = pytorch
[pdf]
post_latex = post.py
[html]
favicon = ../secret.svg
content_sources = https://evil.example; script-src *
[colab]
github_repo = a/b
[sagemaker]
github_repo = a/b
"""
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">{}</svg>\n'
LONG = "x" * 300
RAN = "from pathlib import Path\nPath(__file__).with_name('it-ran').touch()\n"
# The row, the page, and the codes of what `check` says about it.
PAGES: dict[str, tuple[str, set[str]]] = {
    "good": (GOOD, set()),
    "row1": ("[x](/etc/passwd) ![c](@/secret.svg) [y](../secret.txt) ![c](link.svg)", {"path-outside"}),
    "row2": ("Text to translate.", set()),
    "row3": (
        "```eval_rst\n.. raw:: html\n   :file: @/secret.txt\n\n.. include:: ../../secret.txt\n\n"
        ".. image:: https://evil.example/a.png\n```",
        set(),  # docutils speaks when a format asks it
    ),
    "row4": (r"$$\text{\input{@/secret.txt}}$$" + "\n\n" + r"$$\def\x{\x}\x$$", {"formula-syntax"}),
    "row9": (cell("#@save\nclass M:\n    a = 1\r    b = 2\n\nsecret = 1"), {"control-character"}),
    "row10": (
        f"[x]({LONG}.md) ![c]({LONG}.svg)\n\n:bibliography:`{LONG}.bib`",
        {"figure-missing", "bibliography-missing"},
    ),
    "row11": (cell("def g():  #@save\n\\\n    if n:\n        pass\n  pass"), {"cell-syntax"}),
    "row12": ("\n".join(f"{'  ' * depth}- x" for depth in range(150)), {"nesting"}),
    "a-b": ("One.", set()),
    "a/b": ("Two.", {"page-name"}),
    "row14": (
        "Text <img src=x onerror=alert(1)> <script>alert(1)</script>\n\n<iframe src=https://evil.example></iframe>\n\n"
        "![A](active.svg)\n:alt:`a`\n:width:`1px;background:url(//evil.example)`\n\n:bibliography:`active.bib`\n\n"
        + cell("show()"),
        {"html-unsafe", "figure-unsafe", "figure-size", "result-unsafe"},
    ),
    "row16": ("[x](ü.txt) ![y](<my pic.svg>)", set()),
    "row18": ("*" * 500 + "\n\n" + cell(" + ".join("1" * 3000)) + "\n$" + "{" * 2000 + "$", {"formula-syntax"}),
}
CATALOG = """msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\\n"

msgctxt "sec_row2: paragraph"
msgid "Text to translate."
msgstr "<img src=x onerror=alert(1)> [x](javascript:alert(1)) ![x](../../secret.svg)"
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    outside = tmp_path_factory.mktemp("hostile")
    root = outside / "book"
    pages = {name: text.replace("@", outside.as_posix()) for name, (text, _) in PAGES.items()}
    for name in ("secret.txt", "secret.svg"):
        (outside / name).write_text(SVG.format(f"<text>{SECRET}</text>") if name.endswith("svg") else SECRET)
    write_book(root, pages, "[build]\ntabs = pytorch\n")
    for name, text in {
        "active.svg": SVG.format("<script>alert(1)</script><image href='https://evil.example/a.png'/>"),
        "my pic.svg": SVG.format("<path d='M0 0V9'/>"),
        "ü.txt": "own",
        "active.bib": "@misc{a, author = {B}, title = {C}, url = {javascript:alert(1)}, year = 1}\n",
        "locales/xx/row2.po": CATALOG,
        "post.py": RAN,
        "pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "post"\nbackend-path = ["."]\n',
        **{f"{name}.py": RAN for name in ("py_mini_racer", "nh3", "polib", "docutils", "sitecustomize")},
        "docutils.conf": "[general]\nfile_insertion_enabled: yes\n",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (root / "link.svg").symlink_to("../secret.svg")
    _freeze(root)
    (root / "config.ini").write_text(CONFIG)
    return root


def _freeze(root: Path) -> None:
    """A result of the page with an active output, made where nothing else is wrong."""
    calm = root.parent / "calm"
    write_book(calm, {"row14": PAGES["row14"][0].rpartition("```{")[1] + cell("show()")}, "[build]\ntabs = pytorch\n")
    (calm / "row14.md").write_text("# The Page\n\n" + cell("show()"))
    freeze_output(calm, "row14", "pytorch", {"text/html": "<b>x</b><script>alert(1)</script>", "text/plain": "x"})
    (root / "outputs" / "row14").mkdir(parents=True)
    (calm / "outputs" / "row14" / "pytorch.cpu.json").rename(root / "outputs" / "row14" / "pytorch.cpu.json")


def opened(root: Path) -> tuple[Book, Config, Messages]:
    messages = Messages()
    config = load(root / "config.ini", messages)
    return load_book(config, messages), replace(config, trusted=False), messages


def test_check_names_each_case_with_its_place(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(root)
    assert main(["check"]) == 1
    said = capsys.readouterr().err.splitlines()
    for name, (_, codes) in PAGES.items():
        places = (f"{name}.md", f"outputs/{name}/", f"locales/xx/{name}.po")
        here = [line for line in said if line.startswith(places)]
        found = {line.rpartition("[")[2].rstrip("]") for line in here if ": error: " in line}
        assert codes <= found, (name, found)
        assert codes or name == "row2" or not found, (name, found)
    for place in ("config.ini:2:8:", "config.ini:10:1:", "config.ini:11:", "active.bib:1:", "locales/xx/row2.po:7:"):
        assert any(line.startswith(place) for line in said), place
    assert not any(SECRET in line for line in said)


@pytest.mark.parametrize("command", [*(row.name for row in COMMANDS if row.is_format), "deploy", "lib"])
def test_no_command_ends_in_a_traceback(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    monkeypatch.chdir(root)
    assert main([command]) == 1
    assert SECRET not in capsys.readouterr().err
    assert_harmless(root)


def test_every_writer_has_the_good_page_and_nothing_of_the_others(root: Path) -> None:
    """Whatever was reported, as when an author builds one page of many."""
    book, config, messages = opened(root)
    context = BookContext.of(book, config, book.tabs, messages)
    other = context.in_language("xx")
    preview(context, [page.document.name for page in book.pages])
    build_notebooks(context, with_outputs=True)
    for build in (build_epub, build_slides):
        build(context)
        build(other)
    for platform in PLATFORMS.values():
        try:
            build_hosted(context, platform)
        except BookError as error:
            messages.extend(error.messages)
    load_formulas(book.pages, context.formulas)
    images = Images(config.output_dir / ".cache" / "drawings", config.lang, book.drawings)
    text = repr(book_text(context, "pytorch", images))
    context.formulas.close()
    assert GOOD in text and SECRET not in text and r"\\input" not in text
    assert html.site_directory(config).is_dir() or messages.failed
    assert_harmless(root)


def assert_harmless(root: Path) -> None:
    assert not (root / "it-ran").exists()
    beside = {path.name for path in root.parent.iterdir()}
    assert beside <= {"book", "calm", "secret.txt", "secret.svg"}
    for name, content in contents(root / "_build"):
        assert SECRET.encode() not in content, name
        if name.endswith((".html", ".xhtml")) and b"<h1" in content:
            shown = content.decode().partition("<h1")[2].partition("</article>")[0].partition("<script src=")[0]
            assert is_inert(f"<h1{shown}"), name


def contents(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Each file below a folder, and those that archives hold."""
    for path in folder.rglob("*"):
        if path.is_file():
            yield path.as_posix(), path.read_bytes()
            if path.suffix in {".epub", ".zip"}:
                with zipfile.ZipFile(path) as archive:
                    for name in archive.namelist():
                        yield f"{path}:{name}", archive.read(name)
