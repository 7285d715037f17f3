"""What one framework sees of a page: cells, prose, `tab.selected`, marks; and how references read as text."""

from __future__ import annotations

from pathlib import Path

import pytest

from d2lbook.book import load_book
from d2lbook.book.cross_references import plain_text, resolve_markdown
from d2lbook.config import load
from d2lbook.diagnostics import Messages
from d2lbook.model import Book, Cell, Prose, Solution, View
from d2lbook.parse import parse_document
from d2lbook.view import cell_tabs, make_view

TABS = ("a", "b", "c")
TINYBOOK = Path(__file__).parent / "tinybook"


def view_of(text: str, tab: str, slides: bool = False) -> View:
    return make_view(parse_document(text, "page.md", Messages()), tab, TABS, slides=slides)


def cell(code: str, mark: str = "#@tab all\n") -> str:
    return f"```{{.python .input}}\n{mark}{code}\n```\n"


def code_of(code: str, tab: str) -> str:
    cells = view_of(cell(code), tab).cells
    return cells[0].code if cells else ""


IF_ELIF_ELSE = """\
x = 1   # kept,  as it is
if tab.selected('a'):
    # of a
    y = [1,
  2]
elif tab.selected("b", 'c') and x > 0:
    y = 2
else:
    y = '''
  kept
'''

z = 3"""


@pytest.mark.parametrize(
    ("tab", "expected"),
    [
        ("a", "x = 1   # kept,  as it is\n# of a\ny = [1,\n2]\n\nz = 3"),
        ("b", "x = 1   # kept,  as it is\nif x > 0:\n    y = 2\nelse:\n    y = '''\n  kept\n'''\n\nz = 3"),
    ],
)
def test_if_elif_else(tab: str, expected: str) -> None:
    assert code_of(IF_ELIF_ELSE, tab) == expected


@pytest.mark.parametrize(
    ("code", "a", "b"),
    [
        ("if tab.selected('a'): x = 1; y = 2  # why\nz", "x = 1; y = 2  # why\nz", "z"),
        ("if not tab.selected('a'):\n    x\nelse:\n    y", "y", "x"),
        ("if tab.selected('a') or tab.selected('c'):\n    x", "x", ""),
        ("if tab.selected(['a', 'c']):\n    x", "x", ""),
        ("if tab.selected('a') and not tab.selected('b'):\n    x\nelif p:\n    y", "x", "if p:\n    y"),
        ("if tab.selected('a') or p:\n    x", "x", "if p:\n    x"),
        ("if p and tab.selected('a') and (q or r):\n    x\nz", "if p and (q or r):\n    x\nz", "z"),
        (
            "if p:\n    x\nelif tab.selected('a'):\n    y\nelse:\n    z",
            "if p:\n    x\nelse:\n    y",
            "if p:\n    x\nelse:\n    z",
        ),
        ("if p:\n    x\nelif tab.selected('a'):\n    y", "if p:\n    x\nelse:\n    y", "if p:\n    x"),
        (
            "if p:\n    x\nelif tab.selected('a'):\n    y\nelif q:\n    z",
            "if p:\n    x\nelse:\n    y",
            "if p:\n    x\nelif q:\n    z",
        ),
        (
            "def f():\n    if tab.selected('a'):\n        return 1\n    # end",
            "def f():\n    return 1\n    # end",
            "def f():\n    pass\n    # end",
        ),
        (
            "class C:\n    def f(self):\n        if tab.selected('a'):\n            if tab.selected('b'):\n"
            "                x\n            else:\n                if p:\n                    y\n        return z",
            "class C:\n    def f(self):\n        if p:\n            y\n        return z",
            "class C:\n    def f(self):\n        return z",
        ),
        ("x = 1 if tab.selected('a') else 2 + 3", "x = 1", "x = 2 + 3"),
        ("f(tab.selected('a'), '한', tab.selected('b'))", "f(True, '한', False)", "f(False, '한', True)"),
        ("if tab.selected(name):\n    x", "if tab.selected(name):\n    x", "if tab.selected(name):\n    x"),
        (
            "%matplotlib inline\n!ls\nif tab.selected('a'):\n    x\n    %timeit f()",
            "%matplotlib inline\n!ls\nx\n%timeit f()",
            "%matplotlib inline\n!ls",
        ),
        ("if (\n    tab.selected('a')\n):\n    x\n\n# outside\ny", "x\n\n# outside\ny", "# outside\ny"),
        ("s = \"if tab.selected('a'):\"", "s = \"if tab.selected('a'):\"", "s = \"if tab.selected('a'):\""),
        (
            "for i in x:\n    if tab.selected('a'):\n        break\nelse:\n    y",
            "for i in x:\n    break\nelse:\n    y",
            "for i in x:\n    pass\nelse:\n    y",
        ),
    ],
)
def test_selected(code: str, a: str, b: str) -> None:
    assert code_of(code, "a") == a
    assert code_of(code, "b") == b


def test_code_that_does_not_parse_is_left_to_the_check() -> None:
    assert code_of("if tab.selected('a'):\nx", "a") == "if tab.selected('a'):\nx"


def test_every_line_knows_where_it_comes_from() -> None:
    text = "# T\n\n" + cell("# Hide code\nx = 1\nif tab.selected('b'):\n    y = 2\n    #@alt Two words\nz = 3\n")
    (shown,) = view_of(text, "b").cells
    lines = text.split("\n")
    assert shown.code == "x = 1\ny = 2\nz = 3"
    assert [lines[line - 1].strip() for line in (line.number for line in shown.lines)] == shown.code.split("\n")


@pytest.mark.parametrize(
    ("marks", "hide_code", "hide_output"),
    [
        ("# Hide code", True, False),
        ("#hide outputs", False, True),
        ("#@hide", True, True),
        ("#@hide_code", True, False),
        ("#@hide_output", False, True),
        ("#@hide_all", True, True),
        ("# Hide codes of others", False, False),
    ],
)
def test_hidden(marks: str, hide_code: bool, hide_output: bool) -> None:
    for code in (f"{marks}\nx", f"x  {marks}"):
        (shown,) = view_of(cell(code), "a").cells
        assert (shown.hide_code, shown.hide_output) == (hide_code, hide_output)
        assert (shown.code == "x") == (hide_code or hide_output)


def test_hide_all_hides_the_rest_of_the_page() -> None:
    cells = view_of(cell("x") + cell("#@hide_all\ny") + cell("z"), "a").cells
    assert [(shown.hide_code, shown.hide_output) for shown in cells] == [(False, False), (True, True), (True, True)]


def test_marks_say_whose_results_are_shown() -> None:
    text = cell("w") + cell("x  #@compare_devices") + cell("#@gpu_first\ny") + cell("z")
    cells = view_of(text, "a").cells
    assert [shown.code for shown in cells] == ["w", "x", "y", "z"]
    assert [shown.gpu_first for shown in cells] == [False, False, True, True]
    assert [shown.compare_devices for shown in cells] == [False, True, False, False]


def test_marks_inside_strings_stay() -> None:
    code = "text = '''\n#@tab all\n#@hide\n'''"
    assert code_of(code, "a") == code
    assert code_of("# a comment\nx = '#@hide'", "a") == "# a comment\nx = '#@hide'"


def test_alternative_text() -> None:
    (shown,) = view_of(cell("#@alt A curve\n#@alt that falls.\nplot()"), "a").cells
    assert (shown.alt, shown.code) == ("A curve that falls.", "plot()")


def test_cells_of_each_framework() -> None:
    text = cell("one", "") + cell("two", "#@tab b, c\n") + cell("three", "%%tab all\n") + cell("%load_ext d2lbook.tab")
    assert [shown.code for shown in view_of(text, "a").cells] == ["one", "three"]
    assert [shown.code for shown in view_of(text, "b").cells] == ["two", "three"]
    cells = [block for block in parse_document(text, "p.md", Messages()).walk() if isinstance(block, Cell)]
    assert [cell_tabs(block, TABS) for block in cells[:3]] == [("a",), ("b", "c"), TABS]


def test_prose_and_solutions_of_each_framework() -> None:
    text = (
        ":begin_tab:`a, b`\nOne.\n:begin_tab:`b`\nTwo.\n:end_tab:\n:end_tab:\n"
        ":begin_solution:\n:begin_tab:`c`\nThree.\n:end_tab:\n"
        + cell("x", "#@tab c\n")
        + ":end_solution:\n[~~$$s$$~~]\n"
    )

    def texts(tab: str) -> list[str]:
        return [block.text for block in view_of(text, tab).blocks if isinstance(block, Prose)]

    assert (texts("a"), texts("b"), texts("c")) == (["One."], ["One.", "Two."], [])
    assert not any(isinstance(block, Solution) for block in view_of(text, "a").blocks)
    assert len(view_of(text, "c").cells) == 1
    assert len(view_of(text, "a", slides=True).blocks) == len(view_of(text, "a").blocks) + 1


def test_a_views_cell_is_found_by_its_source() -> None:
    view = view_of(cell("x", "#@tab a\n") + cell("x", "#@tab a, b\n"), "b")
    (shown,) = view.cells
    assert view.cell(shown.cell) is shown
    other = next(block for block in view.document.blocks if isinstance(block, Cell))
    assert view.cell(other) is None


@pytest.fixture(scope="module")
def book() -> Book:
    messages = Messages()
    loaded = load_book(load(TINYBOOK / "config.ini", messages), messages)
    assert [str(message) for message in messages] == []
    return loaded


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("See :numref:`sec_means`.", "See [Section 1.1](chapter_numbers/means#sec-means)."),
        (":ref:`chap_numbers`", "[Numbers](chapter_numbers/index#chap-numbers)"),
        (":eqref:`eq_mean`", "[(1.1.1)](chapter_numbers/means#eq-mean)"),
        (
            ":cite:`kahan1965further,rump2008accurate`",
            "([Kahan, 1965](index#cite-kahan1965further); [Rump et al., 2008](index#cite-rump2008accurate))",
        ),
        (":citet:`goldberg1991every`", "[Goldberg (1991)](index#cite-goldberg1991every)"),
        (":class:`~fractions.Fraction` and :func:`floor <math.floor>`", "`Fraction` and `floor`"),
        ("[**New**], (**same**) `[**code**]`", "New, same `[**code**]`"),
        ("One (~~slides :numref:`sec_means`~~) two\n(~~three~~)\nfour", "One two\nfour"),
        ("`:numref:`x` $:a$", "`:numref:`x` $:a$"),
        ("Undefined :numref:`nothing`", "Undefined `nothing`"),
    ],
)
def test_references_in_notebooks(book: Book, text: str, expected: str) -> None:
    assert resolve_markdown(text, book, lambda page, anchor: f"{page}#{anchor}") == expected


def test_plain_text(book: Book) -> None:
    text = "*A* [**`b`**] :numref:`fig_line` (~~c~~)$x_1$ [link](u) :cite:`kahan1965further`"
    assert plain_text(text, book) == "A b Fig. 1.1.1 x_1 link (Kahan, 1965)"
