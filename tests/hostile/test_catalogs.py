"""Row 2: a catalog brings words along, no markup and no addresses."""

from __future__ import annotations

from pathlib import Path

import pytest
from books import write_book

from d2lbook.cli import main
from d2lbook.translate.checks.translation import check_translation
from d2lbook.translate.units import Unit

IMAGE = "<img src=x onerror=f()>"
CONFIG = "[project]\ntitle = A Book\nlanguages = xx\n[build]\ntabs = pytorch\neval_notebook = false\n"


def codes(kind: str, form: str, msgid: str, text: str) -> set[str]:
    return {finding.code for finding in check_translation(Unit(0, 0, kind, f"a: {kind}", msgid, form=form), text)}


@pytest.mark.parametrize(
    "payload", [IMAGE, "<img src=x onerror='f()'>", "<iframe src=//a.org>", "<!-- a", "<a href=x>"]
)
@pytest.mark.parametrize(
    ("kind", "form"),
    [
        ("paragraph", "text"),
        ("list item", "text"),
        ("quotation", "text"),
        ("title", "text"),
        ("caption", "text"),
        ("table cell", "cell"),
        ("interface", "word"),
        ("config.ini", "word"),
        ("figure text", "drawing"),
    ],
)
def test_markup_that_the_source_has_not_is_an_error(kind: str, form: str, payload: str) -> None:
    found = codes(kind, form, "A word.", f"Ein {payload} Wort.")
    assert found & {"translation-html", "translation-structure", "translation-leftover"}


@pytest.mark.parametrize(
    "payload", ["<https://evil.example/>", "[x](javascript:f)", "[x](https://evil.example)", "<m@evil.example>"]
)
def test_an_address_that_the_source_has_not_is_an_error(payload: str) -> None:
    assert codes("paragraph", "text", "A word.", f"Ein {payload} Wort.")


def test_the_sources_own_markup_and_addresses_stay() -> None:
    text = 'A <kbd>key</kbd>, a [link](page.md "its title") and ![picture](a.svg).'
    assert (
        codes("paragraph", "text", text, 'Ein [Link](page.md "ihr Titel"), ![Bild](a.svg), <kbd>Taste</kbd>.') == set()
    )
    assert codes("paragraph", "text", "If a < b.", "Wenn a < b und b > a.") == set()
    assert codes("interface", "word", "Close", 'Zu "machen"') == set()


@pytest.mark.parametrize(
    "text",
    [
        "<foreignObject><b>x</b></foreignObject>",
        '<1>x</1><image href="https://evil.example/a.png"/>',
        "<1>x</1><script>f()</script>",
        "<1>x</1><a href='javascript:f()'>y</a>",
        "<1>x</1><![CDATA[y]]>",
        "<1>x</1><!-- y -->",
        "<1>x</1><?y z?>",
        "<1 onload='f()'>x</1>",
    ],
)
def test_a_drawings_text_has_its_numbered_marks_only(text: str) -> None:
    assert "translation-structure" in codes("figure text", "drawing", "<1>h</1>", text)


def test_a_drawings_own_tags_may_stay() -> None:
    assert codes("figure text", "drawing", "<1>h</1> <a>b</a>", "<a>B</a> <1>h</1>") == set()


HOSTILE = """msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\\n"

msgctxt "interface"
msgid "Close"
msgstr "\\"><b title=\\"x"

msgctxt "interface"
msgid "Search"
msgstr "\\" onmouseover=\\"f()"

msgctxt "interface"
msgid "Previous"
msgstr "A & B"

msgctxt "interface"
msgid "On this page"
msgstr "<i onclick=f()>"

msgctxt "config.ini: title"
msgid "A Book"
msgstr "\\"Ein\\" Buch &lt;img src=x&gt;"
"""


def test_the_words_of_a_catalog_are_text_in_every_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "book"
    write_book(root, {"page": "Text.\n\n## Section\n"}, CONFIG)
    (root / "locales" / "xx").mkdir(parents=True)
    (root / "locales" / "xx" / "interface.po").write_text(HOSTILE)
    monkeypatch.chdir(root)
    assert main(["html"]) == 0
    page = (root / "_build" / "html" / "xx" / "page.html").read_text()
    assert "onmouseover=&#34;f()" in page or "onmouseover=&quot;f()" in page
    assert ' onmouseover="' not in page and "<b title" not in page and "<i onclick" not in page
    assert "A &amp; B" in page
    assert "<img src=x" not in page
