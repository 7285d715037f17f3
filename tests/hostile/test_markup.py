"""Row 14: what cells, drawings, bibliographies and HTML on pages hold neither runs nor loads anything."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from books import write_book

from d2lbook.book import load_book
from d2lbook.book.bibliography import read_bibliography
from d2lbook.check import check_book
from d2lbook.config import load
from d2lbook.diagnostics import Messages
from d2lbook.parse import markdown
from d2lbook.rendering.figures import inline_svg, plain_svg
from d2lbook.rendering.results import bitmap
from d2lbook.security.markup import clean_output, clean_tags
from d2lbook.security.svg import clean_svg

ROOT = Path(__file__).parents[2]
CONFIG = "[build]\ntabs = pytorch\neval_notebook = false\n"
ACTIVE = (
    "<script",
    "onload",
    "onerror",
    "onclick",
    "javascript:",
    "evil.example",
    "<iframe",
    "position",
    "data-module",
    "<?x",
    "alert(",
    "d2l-svg",
)
SVG = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="9">{}</svg>'
DRAWINGS = [
    "<script>alert(1)</script>",
    "<g onload='alert(1)'/>",
    "<foreignObject><b xmlns='http://www.w3.org/1999/xhtml'>x</b></foreignObject>",
    "<image href='https://evil.example/x.png'/>",
    "<image xlink:href='//evil.example/x.png'/>",
    "<image href='data:image/svg+xml;base64,PHN2Zz4='/>",
    "<use href='https://evil.example/x.svg#a'/>",
    "<a href='javascript:alert(1)'><text>x</text></a>",
    "<a href='java&#10;script:alert(1)'><text>x</text></a>",
    "<style>@import 'https://evil.example/x.css';</style>",
    "<style>*{background:url(//evil.example/x)}</style>",
    "<style>*{background:\\75rl(//evil.example/x)}</style>",
    "<rect style=\"fill:url('https://evil.example/x#a')\"/>",
    "<rect fill='url(//evil.example/x.svg#a)'/>",
    "<rect style='fill:u\\72l(//evil.example/x)'/>",
    "<animate attributeName='href' to='javascript:alert(1)'/>",
    "<set attributeName='onload' to='alert(1)'/>",
    "<!--><image onerror='alert(1)'/>-->",
    "<?x ><script>alert(1)</script>?>",
    "<desc><![CDATA[ ><img onerror='alert(1)'>]]></desc>",
    "<title><img src='x' onerror='alert(1)'/></title>",
    "<metadata><script xmlns='http://www.w3.org/1999/xhtml'>alert(1)</script></metadata>",
    "<iframe xmlns='http://www.w3.org/1999/xhtml' src='https://evil.example/'/>",
    "<filter><feImage href='https://evil.example/x'/></filter>",
]


def tags_of(markup: str) -> list[str]:
    return [part.split(">")[0].lower() for part in markup.split("<")[1:]]


@pytest.mark.parametrize("inside", DRAWINGS)
def test_a_drawing_neither_runs_nor_loads(inside: str) -> None:
    clean, found = clean_svg(SVG.format(inside))
    assert found
    for shown in (clean, inline_svg(SVG.format(inside), "a"), plain_svg(SVG.format(inside))):
        assert not [sign for sign in ACTIVE if any(sign.lstrip("<") in tag for tag in tags_of(shown))]
        assert ElementTree.fromstring(shown).tag == "{http://www.w3.org/2000/svg}svg"
    assert clean_svg(clean) == (clean, ())


def test_a_drawing_within_html_needs_no_namespace_and_is_cleaned_all_the_same() -> None:
    clean = '<svg viewBox="0 0 9 9"><path d="M0 0"/></svg>'
    assert clean_svg(clean) == (clean, ())
    cleaned, found = clean_svg('<svg viewBox="0 0 9 9"><path onclick="f()" d="M0 0"/><script>f()</script></svg>')
    assert "f()" not in cleaned and 'd="M0 0"' in cleaned and len(found) == 2


def test_a_clean_drawing_stays_byte_for_byte() -> None:
    inside = (
        "<!-- a comment --><defs><linearGradient id='a'><stop offset='0' stop-color='#fff'/></linearGradient></defs>"
        "<style type='text/css'>*{stroke-linejoin: round} @media print {text{fill:#000}}</style>"
        "<rect fill='url(#a)' style=\"clip-path:url('#a')\" data-step='1'/><use xlink:href='#a'/>"
        "<image href='data:image/png;base64,iVBORw0KGgo='/><a href='https://a.example'><text>a &lt; b</text></a>"
    )
    assert clean_svg(SVG.format(inside)) == (SVG.format(inside), ())


@pytest.mark.parametrize("svg", ["<!DOCTYPE svg [<!ENTITY a 'b'>]><svg xmlns='http://www.w3.org/2000/svg'>&a;</svg>"])
def test_entities_are_refused(svg: str) -> None:
    with pytest.raises(ValueError, match="entities"):
        clean_svg(svg)


def test_our_own_drawings_and_results_look_as_before() -> None:
    """Drawings are untouched; of tables only the spelling of styles changes, as nh3 writes them."""
    for path in (ROOT / "img").glob("*.svg"):
        assert clean_svg(path.read_text()) == (path.read_text(), ())
    for path in (ROOT / "outputs").rglob("*.json"):
        for cell in json.loads(path.read_text())["cells"]:
            for output in cell["outputs"]:
                data = {mime: "".join(value) for mime, value in output.get("data", {}).items()}
                if svg := data.get("image/svg+xml"):
                    assert clean_svg(svg) == (svg, ()), path
                if markup := data.get("text/html"):
                    assert clean_output(markup) == markup.replace("text-align: ", "text-align:"), path


OUTPUTS = [
    "<scr<script>ipt>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<img src=https://evil.example/x.png>",
    "<img src=//evil.example/x.png>",
    "<b style='position:fixed;background:url(https://evil.example)'>x</b>",
    "<style>@import url(https://evil.example)</style>",
    "<iframe src=https://evil.example></iframe>",
    "<a href='java\tscript:alert(1)'>x</a>",
    "<svg/onload=alert(1)>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "<div class='d2l-svg' data-module='https://evil.example/x.js'>x</div>",
    "<form action=https://evil.example><input></form>",
    "<object data=https://evil.example></object>",
    "<base href=https://evil.example>",
    "<meta http-equiv=refresh content='0;url=https://evil.example'>",
    "<link rel=stylesheet href=https://evil.example>",
    "<td background=https://evil.example>x",
    "<table><tr><td style='color: url(//evil.example) red'>x</td></tr></table>",
    "<![CATA[<script>alert(1)</script>",
    "<![if x]><img src=x onerror=alert(1)>",
]


@pytest.mark.parametrize("markup", OUTPUTS)
@pytest.mark.parametrize("way", ["output", "page", "markdown"])
def test_html_neither_runs_nor_loads(markup: str, way: str) -> None:
    if way == "output":
        shown = clean_output(markup)
    elif way == "page":
        shown = clean_tags(markup)[0]
        assert shown != markup
    else:
        shown = markdown().render(f"Text {markup}\n\n{markup}\n")
    assert not [sign for sign in ACTIVE if any(sign.lstrip("<") in tag for tag in tags_of(shown))]
    refused = {"script", "style", "iframe", "form", "base", "meta", "link", "svg"}
    assert not [tag for tag in tags_of(shown) if tag.strip("/").split(" ")[0] in refused]


def test_a_table_keeps_its_classes_and_safe_styles() -> None:
    table = '<table class="dataframe"><tbody><tr><td style="color:red;text-align:right">1</td></tr></tbody></table>'
    assert clean_output(table) == table
    assert clean_tags(table)[0] == table.replace("red;text", "red; text")


def test_ordinary_html_of_a_page_stays() -> None:
    text = (
        "Press <kbd>a</kbd>,<br> H<sub>2</sub>O.\n\n<details open>\n<summary>More</summary>\n\nIt is.\n\n</details>\n"
    )
    assert clean_tags("<kbd>a</kbd><br><br />") == ("<kbd>a</kbd><br><br />", ())
    shown = markdown().render(text)
    assert "<details open>" in shown and "</details>" in shown and "<sub>2</sub>" in shown


def findings(root: Path, page: str) -> list[str]:
    write_book(root, {"page": page}, CONFIG)
    messages = Messages()
    config = load(root / "config.ini", messages)
    check_book(load_book(config, messages), config, messages)
    return [str(message) for message in messages]


@pytest.mark.parametrize(
    ("page", "place", "code"),
    [
        ("Text <img src=x onerror=f()> on.\n", "page.md:4:6", "html-unsafe"),
        ("Text.\n\n<script>f()</script>\n", "page.md:6:1", "html-unsafe"),
        ("| <iframe src=x></iframe> |\n|---|\n", "page.md:4:3", "html-unsafe"),
        ("![A](a.svg)\n:alt:`a`\n", "page.md:4:1", "figure-unsafe"),
        ("![A](b.svg)\n:alt:`a`\n:width:`1px;background:url(//evil.example)`\n", "page.md:4:1", "figure-size"),
    ],
)
def test_it_is_an_error_of_check(tmp_path: Path, page: str, place: str, code: str) -> None:
    (tmp_path / "a.svg").write_text(SVG.format("<g onload='f()'/>"))
    (tmp_path / "b.svg").write_text(SVG.format("<g/>"))
    found = [found for found in findings(tmp_path, page) if f"[{code}]" in found]
    assert found and all(line.startswith(f"{place}: error: ") for line in found)


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "//evil.example"])
def test_a_work_is_found_on_the_web_only(url: str) -> None:
    messages = Messages()
    entries = read_bibliography(
        f"@misc{{a, author = {{B}}, title = {{C}},\n url = {{{url}}}, year = 1}}", "a.bib", messages
    )
    assert "url" not in entries["a"]
    assert [message.code for message in messages] == ["bibliography-url"]


@pytest.mark.parametrize("encoded", ['"onerror="alert(1)', "iVBOR%", "a"])
def test_what_is_not_base64_is_no_bitmap(encoded: str) -> None:
    with pytest.raises(ValueError, match="base64"):
        bitmap(encoded)
