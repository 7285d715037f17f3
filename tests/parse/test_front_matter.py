"""Front matter: what is read of it, what is refused at its line, and where pages show it."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from d2lbook.cli import main
from d2lbook.diagnostics import Messages
from d2lbook.model import Document, Heading, Prose
from d2lbook.parse import parse_document
from d2lbook.translate.extract import units
from d2lbook.translate.splice import splice


def parsed(text: str) -> tuple[Document, list[str]]:
    messages = Messages()
    document = parse_document(text, "page.md", messages)
    return document, [str(message).removeprefix("page.md:") for message in messages]


@pytest.mark.parametrize(
    ("written", "authors"),
    [
        ("author: Ada Lovelace", ("Ada Lovelace",)),
        ('authors: [Ada, \'Babbage, Charles\', "Mary \\"M\\""]', ("Ada", "Babbage, Charles", 'Mary "M"')),
        ("authors:\n  - Ada\n  - name: Charles", ("Ada", "Charles")),
        ("authors:\n- Ada", ("Ada",)),
        ("author:", ()),
        ("# nobody yet\n\nauthors: []", ()),
    ],
)
@pytest.mark.parametrize("ends", ["\n", "\r\n"], ids=["unix", "windows"])
def test_names_are_read(written: str, authors: tuple[str, ...], ends: str) -> None:
    text = f"---\ntitle: A Title\n{written}\nkeywords: one, two\n---\n\nText.\n"
    document, found = parsed("\ufeff" + text.replace("\n", ends))
    assert found == [] and document.front is not None
    assert (document.title, document.front.authors) == ("A Title", authors)
    assert document.front.keywords == ("one, two",)


def test_a_title_is_the_page_s_heading_and_takes_a_label() -> None:
    document, found = parsed('---\ntitle: "The *Title*: all"\n---\n:label:`sec_a`\n\nText.\n')
    heading, text = document.blocks
    assert found == [] and isinstance(heading, Heading) and isinstance(text, Prose)
    assert (heading.level, heading.title, heading.labels[0].name) == (1, "The *Title*: all", "sec_a")


def test_a_page_with_a_heading_keeps_it() -> None:
    document, found = parsed("---\ntitle: One\nauthor: Ada\n---\n\n# One\n")
    assert (found, document.title, document.authors) == ([], "One", "Ada")
    assert [block.title for block in document.blocks if isinstance(block, Heading)] == ["One"]
    document, found = parsed("---\ntitle: One\n---\n\n# Two\n")
    what = "the title 'One' is not shown: the page's heading in line 5 is another; remove one of the two"
    assert (document.title, found) == ("Two", [f"1:1: warning: {what} [front-matter-title]"])


@pytest.mark.parametrize(
    ("lines", "wrong"),
    [
        ("date: 2026", "3:1: warning: 'date' has no effect in front matter, which is read for title, authors and"),
        ("toc:\n  depth: 2\n  - a", "3:1: warning: 'toc' has no effect"),
        ("no key", "3:1: error: this line of the front matter cannot be read; write 'key: value' [front-matter]"),
        ("keywords: [a, b", "3:1: error: this list does not end on its line; add ']'"),
        ("keywords: [a, {b: c}]", "3:1: error: this list cannot be read; write each name as '- name'"),
        ("authors:\n  Ada", "4:3: error: this line belongs to no name; write each as '- name'"),
        ("title: >", "3:1: error: the title cannot be read; write it on this line"),
    ],
)
def test_what_cannot_be_read_is_refused_at_its_line(lines: str, wrong: str) -> None:
    _, found = parsed(f"---\nauthor: Ada\n{lines}\n---\n\n# Page\n")
    assert len(found) == 1 and found[0].startswith(wrong)


def test_front_matter_that_does_not_end_is_reported() -> None:
    assert parsed("---\ntitle: One\n\n# Page\n")[1] == [
        "1:1: error: this front matter does not end; add a line '---' behind it [front-matter]"
    ]


@pytest.mark.parametrize("text", ["---\n\n# Page\n", "---\nA heading\n---\n", "Text\n\n---\ntitle: no\n---\n"])
def test_rules_and_underlined_headings_are_no_front_matter(text: str) -> None:
    document, found = parsed(text)
    assert document.front is None and found == []


def test_its_title_is_translated_and_nothing_else_of_it() -> None:
    text = "---\nauthor: Ada\ntitle: 'One title'\nkeywords: [few words]\n---\n:label:`sec_a`\n"
    document, _ = parsed(text)
    (unit,) = units(document)
    assert (unit.kind, unit.msgid, unit.context) == ("title", "One title", "sec_a: title")
    assert splice(text, {unit: "Ein Titel"}) == text.replace("One title", "Ein Titel")
    (unit,) = units(parsed("---\ntitle: One\nauthor: Ada\n---\n\n# One\n")[0])
    assert unit.start > 30


def test_pages_show_their_authors_and_the_site_its_keywords(tmp_path: Path) -> None:
    (tmp_path / "config.ini").write_text("[project]\nname = x\n[build]\nstrict = true\n")
    (tmp_path / "index.md").write_text("# Book\n\n```toc\n:numbered:\n\npage\n```\n")
    page = "---\ntitle: First & last\nauthors: [Ada, Charles]\nkeywords: [one, two]\n---\n\nText. [**A mark.**]\n"
    (tmp_path / "page.md").write_text(page)
    config = ["--config", str(tmp_path / "config.ini")]
    assert main(["build", "html", "ipynb", "slides", "epub", *config]) == 0
    built = tmp_path / "_build"
    html = (built / "html" / "page.html").read_text()
    assert '<meta name="author" content="Ada, Charles" />\n  <meta name="keywords" content="one, two" />' in html
    assert "First &amp; last" in html and '</h1>\n<p class="authors">Ada, Charles</p>' in html
    assert '<meta name="author"' not in (built / "html" / "index.html").read_text()
    notebook = json.loads((built / "ipynb" / "en" / "default" / "page.ipynb").read_text())
    assert "".join(notebook["cells"][0]["source"]).startswith("# 1 First & last\n\n*Ada, Charles*\n\nText.")
    assert '<p class="about">Ada, Charles</p>' in (built / "slides" / "en" / "default" / "page.html").read_text()
    with zipfile.ZipFile(built / "epub" / "en" / "default.epub") as archive:
        name = next(name for name in archive.namelist() if name.endswith("/page.xhtml"))
        assert '<p class="authors">Ada, Charles</p>' in archive.read(name).decode()
