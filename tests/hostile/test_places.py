"""Row 1: whatever names a file, it names one of the book. The rest is an error with its place, and no format has it."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from d2lbook.book import load_book
from d2lbook.check import check_book
from d2lbook.cli import main
from d2lbook.config import load
from d2lbook.diagnostics import Messages
from d2lbook.export.epub.build import build as build_epub
from d2lbook.export.notebook.build import build as build_notebooks
from d2lbook.export.notebook.hosted.build import build as build_hosted
from d2lbook.export.notebook.hosted.platforms import COLAB
from d2lbook.export.site.assets import figure_places, site_files
from d2lbook.export.slides.build import build as build_slides
from d2lbook.model import Book
from d2lbook.rendering.book_context import BookContext

SECRET = "a-secret-of-this-machine"
DRAWING = f'<svg xmlns="http://www.w3.org/2000/svg"><text>{SECRET}</text></svg>\n'
CONFIG = "[build]\ntabs = pytorch\neval_notebook = false\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A book beside files that are none of its business, and links into them."""
    root = tmp_path / "book"
    (root / "part").mkdir(parents=True)
    (root / ".git").mkdir()
    (root / ".git" / "config").write_text(SECRET)
    for name in ("secret.svg", "secret.txt", "secret.md", "secret.bib", "secret.js"):
        (tmp_path / name).write_text(DRAWING if name.endswith(".svg") else f"# {SECRET}\n")
    (root / "link.svg").symlink_to(tmp_path / "secret.svg")
    (root / "link.md").symlink_to(tmp_path / "secret.md")
    (root / "link.bib").symlink_to(tmp_path / "secret.bib")
    (root / "folder").symlink_to(tmp_path)
    (root / "own.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>\n')
    return root


def write(root: Path, text: str, config: str = CONFIG) -> None:
    (root / "config.ini").write_text(config.replace("@", root.parent.as_posix()))
    (root / "index.md").write_text(f"# Book\n\n{text.replace('@', root.parent.as_posix())}\n")


def findings(root: Path) -> tuple[Book, list[str]]:
    messages = Messages()
    config = load(root / "config.ini", messages)
    book = load_book(config, messages)
    check_book(book, config, messages)
    return book, [str(message) for message in messages]


TARGETS = [
    ("Text [x](@/secret.txt)", "index.md:3:6"),
    ("Text [x](../secret.txt)", "index.md:3:6"),
    ("Text [x](folder/secret.txt)", "index.md:3:6"),
    ("Text [x](.git/config)", "index.md:3:6"),
    ("Text [x][y]\n\n[y]: ../secret.txt", "index.md:3:1"),
    ("Text ![x](@/secret.svg)", "index.md:3:6"),
    ("Text ![x](..%2Fsecret.svg)", "index.md:3:1"),
    ("![c](@/secret.svg)\n:alt:`a`", "index.md:3:1"),
    ("![c](../secret.svg)\n:alt:`a`", "index.md:3:1"),
    ("![c](part/../../secret.svg)\n:alt:`a`", "index.md:3:1"),
    ("![c](link.svg)\n:alt:`a`", "index.md:3:1"),
    ("![c](folder/secret.svg)\n:alt:`a`", "index.md:3:1"),
    ("![c](part\\own.svg)\n:alt:`a`", "index.md:3:1"),
    ("![c](own.svg)\n:alt:`a`\n:interactive:`../secret.js`", "index.md:3:1"),
    ("```toc\n../secret\n```", "index.md:4:1"),
    ("```toc\nlink\n```", "index.md:4:1"),
    ("```toc\nfolder/secret\n```", "index.md:4:1"),
    (":bibliography:`../secret.bib`", "index.md:3:1"),
    (":bibliography:`@/secret.bib`", "index.md:3:1"),
    (":bibliography:`link.bib`", "index.md:3:1"),
]


@pytest.mark.parametrize(("text", "place"), TARGETS)
def test_a_target_outside_the_book_is_an_error_at_its_place(root: Path, text: str, place: str) -> None:
    write(root, text)
    (found,) = [found for found in findings(root)[1] if "warning" not in found]
    assert found.startswith(f"{place}: error: ") and found.endswith("[path-outside]")


@pytest.mark.parametrize(("text", "_"), TARGETS)
def test_no_format_has_it(root: Path, text: str, _: str) -> None:
    write(root, text, f"{CONFIG}[project]\nd2l_address = d2l\n[colab]\ngithub_repo = pytorch, a/b\n")
    book, _found = findings(root)
    config = load(root / "config.ini", Messages())
    context = BookContext.of(book, config, ("pytorch",), Messages())
    assert not any(SECRET in path.read_text() for path in site_files(context).values() if path.suffix != ".woff2")
    assert figure_places(context) in ([], ["own.svg"])
    build_notebooks(context, with_outputs=False)
    for build in (build_epub, build_slides):
        build(context)
    build_hosted(context, COLAB)
    for path in (root / "_build").rglob("*"):
        content = path.read_bytes() if path.is_file() else b""
        if path.suffix == ".epub":
            with zipfile.ZipFile(path) as archive:
                content = b"".join(map(archive.read, archive.namelist()))
        assert SECRET.encode() not in content, path


@pytest.mark.parametrize(
    "setting",
    [
        "[html]\nfavicon = ../secret.svg",
        "[html]\nhtml_logo = @/secret.svg",
        "[html]\ninclude_css = own.svg ../secret.txt",
        "[html]\ninclude_js = folder/secret.js",
        "[pdf]\nlatex_logo = ../secret.svg",
        "[pdf]\nstyle = @/secret.txt",
        "[pdf]\nbibfile = ../secret.bib",
        "[pdf]\npost_latex = ../secret.py",
        "[deploy]\nsocial_card = link.svg",
        "[library]\nversion_file = ../secret.py",
        "[library-pytorch]\nlib_file = ../secret.py",
        "[build]\nresources = ../",
        "[build]\nsource_dir = ..",
        "[build]\nsource_dir = @",
        "[build]\nsource_dir = folder",
    ],
)
def test_a_configured_path_outside_the_book_is_an_error_at_its_line(root: Path, setting: str) -> None:
    text = f"{CONFIG}{setting.removeprefix('[build]').lstrip()}\n"
    write(root, "Text.", text)
    line = len(text.splitlines())
    (found,) = findings(root)[1]
    assert found.startswith(f"config.ini:{line}:1: error: ") and found.endswith("[path-outside]")


def test_what_is_left_of_a_list_is_used(root: Path) -> None:
    write(root, "Text.", f"{CONFIG}[html]\ninclude_css = own.svg ../secret.txt\n")
    assert load(root / "config.ini", Messages()).value("html", "include_css") == "own.svg"


def test_the_first_page_is_one_of_the_book(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write(root, "Text.", "[build]\nindex = ../secret\n")
    monkeypatch.chdir(root)
    assert main(["check"]) == 1
    assert "config.ini:2: error: " in (said := capsys.readouterr().err) and "[path-outside]" in said


def test_a_catalog_or_result_behind_a_link_is_refused(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write(root, "Text.\n\n```{.python .input}\n1\n```", "[project]\nlanguages = ko\n[build]\ntabs = pytorch\n")
    (root / "outputs").symlink_to(root.parent)
    (root / "locales" / "ko").mkdir(parents=True)
    (root / "locales" / "ko" / "index.po").symlink_to(root.parent / "secret.txt")
    monkeypatch.chdir(root)
    assert main(["html"]) == 1
    said = capsys.readouterr().err
    assert said.count("[path-outside]") >= 1
    assert SECRET not in said


def test_own_files_by_any_relative_path_are_fine(root: Path) -> None:
    (root / "part" / "page.md").write_text("# Page\n\n![c](../own.svg)\n:alt:`a`\n\n[x](../part/../own.svg)\n")
    (root / "part" / "here.svg").symlink_to("../own.svg")
    write(root, "```toc\n/part/page\n```\n\n![c](part/here.svg)\n:alt:`a`")
    book, found = findings(root)
    assert found == []
    context = BookContext.of(book, load(root / "config.ini", Messages()), book.tabs, Messages())
    assert figure_places(context) == [
        "own.svg",
        "part/here.svg",
    ]
