"""Files that pages show and link to, and links by name: the same for the site, notebooks, ePub, slides and PDF."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from books import open_book, view_of, write_book

from d2lbook.book.assets import FILE, IMAGE, SCRIPT, assets_of
from d2lbook.cache import sources_digests
from d2lbook.cli import main
from d2lbook.diagnostics import Messages
from d2lbook.export.notebook.build import figure_targets
from d2lbook.export.notebook.hosted.build import build as build_hosted
from d2lbook.export.notebook.hosted.platforms import COLAB
from d2lbook.export.site.assets import figure_places, site_files
from d2lbook.export.site.inputs import page_fingerprint
from d2lbook.parse import markdown, parse_document
from d2lbook.rendering.book_context import BookContext

SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><path d="M0 0V9"/></svg>\n'
CONFIG = "[build]\ntabs = pytorch\neval_notebook = false\n"
COLAB_CONFIG = "[project]\nd2l_address = d2l\n[colab]\ngithub_repo = pytorch, a/b\n"
PAGE = """\
| drawing | photograph | data |
|:--|:--|:--|
| ![d](in-table.svg) | ![p](photo.png) | [the numbers](numbers.csv) |

:A caption with [its source](source.txt).

| a |
|---|
| 1 |

![A figure, by [someone](someone.txt).](whole.svg)
:alt:`A figure.`
:interactive:`move.js`

* in a list: ![](<my drawing.svg>), [ä](ä.txt), `![](code.svg)`

## A [heading](heading.txt)
"""
IMAGES = ["in-table.svg", "my drawing.svg", "photo.png", "whole.svg"]
FILES = ["heading.txt", "numbers.csv", "someone.txt", "source.txt", "ä.txt"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "book"
    write_book(root, {"page": PAGE}, CONFIG)
    for name in [*IMAGES, *FILES, "move.js"]:
        (root / name).write_text(SVG if name.endswith(".svg") else "x\n", encoding="utf-8")
    return root


def test_everything_that_a_page_shows_or_links_to_is_found(root: Path) -> None:
    book, _ = open_book(root)
    page = book.page("page")
    assert page is not None
    found = {(asset.kind, asset.target) for asset in assets_of(page.document.walk())}
    assert {target for kind, target in found if kind == IMAGE} == {*IMAGES}
    assert {target for kind, target in found if kind == FILE} == {*FILES}
    assert {target for kind, target in found if kind == SCRIPT} == {"move.js"}


def test_the_site_has_them_all(root: Path) -> None:
    book, config = open_book(root)
    context = BookContext.of(book, config, book.tabs, Messages())
    files = site_files(context)
    assert [name for name in FILES if f"_files/{name}" not in files] == []
    assert "_images/photo.png" in files and "_scripts/move.js" in files
    assert figure_places(context) == IMAGES


def test_a_built_site_leads_to_them(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(root)
    assert main(["linkcheck"]) == 0, capsys.readouterr().err
    assert (root / "_build/html/_files/numbers.csv").is_file()
    assert (root / "_build/html/_images/photo.png").is_file()


@pytest.mark.parametrize("name", ["in-table.svg", "photo.png", "my drawing.svg"])
def test_a_changed_image_changes_its_page(root: Path, name: str) -> None:
    def fingerprint() -> str:
        book, config = open_book(root)
        page = book.page("page")
        assert page is not None
        return page_fingerprint(page, BookContext.of(book, config, book.tabs, Messages()), "", [], [])

    before = fingerprint()
    (root / name).write_text(SVG + "\n")
    assert fingerprint() != before


def test_notebooks_have_the_images_beside_them(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    book, _ = open_book(root)
    assert sorted(set(figure_targets(view_of(book, "page", "pytorch")))) == IMAGES
    monkeypatch.chdir(root)
    assert main(["build", "ipynb", "pkg"]) == 0
    assert [name for name in IMAGES if not (root / "_build/ipynb/en/pytorch" / name).is_file()] == []
    (packed,) = (root / "_build/pkg/en").glob("*.zip")
    with zipfile.ZipFile(packed) as archive:
        names = [Path(name).name for name in archive.namelist()]
    assert [name for name in IMAGES if name not in names] == []


def test_a_hosted_notebook_carries_images_of_tables_and_asks_for_no_file(root: Path) -> None:
    (root / "photo.png").unlink()
    (root / "page.md").write_text((root / "page.md").read_text(encoding="utf-8").replace("photo.png", "whole.svg"))
    (root / "config.ini").write_text(CONFIG + COLAB_CONFIG)
    book, config = open_book(root)
    messages = Messages()
    paths = build_hosted(BookContext.of(book, config, book.tabs, messages), COLAB)
    (path, *_) = [one for one in paths if one.stem == "page"]
    assert [str(message) for message in messages] == []
    text = "".join("".join(cell["source"]) for cell in json.loads(path.read_text(encoding="utf-8"))["cells"])
    assert text.count("data:image/png;base64,") == 4
    assert [name for name in FILES if f"({name}" in text] == []


def test_what_is_not_there_is_reported_in_tables_too(tmp_path: Path) -> None:
    source = "# Page\n\n| a | b |\n|---|---|\n| x | ![](none.png) |\n"
    (tmp_path / "config.ini").write_text(CONFIG)
    (tmp_path / "index.md").write_text(source)
    from d2lbook.book import load_book
    from d2lbook.config import load

    messages = Messages()
    load_book(load(tmp_path / "config.ini", messages), messages)
    (message,) = messages
    assert str(message).startswith("index.md:5:7: error: there is no file 'none.png'")


def test_a_site_knows_of_a_change_to_what_is_linked_in_a_table(root: Path) -> None:
    _, config = open_book(root)
    before = sources_digests(config, ("pytorch",))
    (root / "numbers.csv").write_text("y\n")
    assert sources_digests(config, ("pytorch",)) != before


# ---- links by name --------------------------------------------------------------------------------------------------

DEFINITIONS = '\n\n[page]: other.md "A \\"page\\""\n[two words]: https://example.org/a_(b)\n[fig]: <my drawing.svg>\n'
TEXTS = [
    "[the page][page]",
    "[page][] and [Page] and [PAGE][]",
    "[the\npage][two   words]",
    "a [text [with] brackets][page]",
    "an [outer [inner][page] link](out.md)",
    "an [outer [inner](out.md) name][page]",
    "`[page]`, $[page]$, \\[page], [page\\]",
    "![an image][fig], ![fig]",
    "[![an image][fig]][page], [![an image][fig]](out.md)",
    "[page](out.md), [page] (out.md), [page][none], [none][page]",
    "[a](<page [page].md>) [b](x[page]y)",
    "*[page]*, **[x][page]**, ~~[page]~~",
    "* a list: [page]\n\n  ~~~\n  [page]\n  ~~~\n\n* > a quotation\n  > [in\n  > two lines][page]",
    "| a | b |\n|---|---|\n| [page] | `[page]` |\n| [x][two words] | \\|[page]\\| |",
    "    [page]\n\n[page]",
    "<div>\n[page]\n</div>\n\n[page]",
    "1 [page]\n\n2 [page][]",
    "[] [page][ ] [][page]",
]


@pytest.mark.parametrize("text", TEXTS)
def test_a_link_by_name_is_written_out_as_markdown_reads_it(text: str) -> None:
    """What each block shows by itself is what the page shows as a whole."""
    source = f"{text}\n{DEFINITIONS}"
    document = parse_document(source, "page.md", Messages())
    shown = "".join(markdown().render(getattr(block, "text", "")) for block in document.blocks)
    assert shown.replace("\n", "") == markdown().render(source).replace("\n", "")
    assert document.text == source


@pytest.mark.parametrize("command", ["html", "ipynb", "epub"])
def test_every_format_follows_links_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    root = tmp_path / "book"
    source = "See [the other][o].\n\n: By [the other][o].\n\n| a |\n|---|\n| [b][o] |\n\n## Section\n\n[o]: other.md\n"
    write_book(root, {"page": source, "other": "Text.\n"}, CONFIG)
    monkeypatch.chdir(root)
    assert main([command]) == 0
    place = {"html": "html/page.html", "ipynb": "ipynb/en/pytorch/page.ipynb", "epub": "epub/en/pytorch.epub"}[command]
    path = root / "_build" / place
    if command == "epub":
        with zipfile.ZipFile(path) as archive:
            text = archive.read("book/page.xhtml").decode()
    else:
        text = path.read_text(encoding="utf-8")
    address = {"html": 'href="other.html"', "ipynb": "](other.md)", "epub": 'href="other.xhtml"'}[command]
    assert text.count(address) >= 3
    assert "[o]" not in text


def test_a_slide_mark_before_a_colon_is_no_definition() -> None:
    document = parse_document("# T\n\n[**Two numbers**]: flat\n\nSee [**Two numbers**].\n", "page.md", Messages())
    assert [getattr(block, "text", "") for block in document.blocks[1:]] == [
        "[**Two numbers**]: flat",
        "See [**Two numbers**].",
    ]
    assert "Two numbers" in markdown().render("[**Two numbers**]: flat")


def test_a_name_that_nothing_defines_is_reported() -> None:
    messages = Messages()
    parse_document("# T\n\nSee [the page][pgae], x[i][j], `a[b][c]`.\n\n[page]: other.md\n", "page.md", messages)
    (message,) = messages
    assert str(message) == (
        "page.md:3:5: warning: the page defines no address 'pgae' for this link; did you mean 'page'? [link-undefined]"
    )
