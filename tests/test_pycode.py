"""Python as cells hold it."""

from __future__ import annotations

import ast

import pytest

from d2lbook.pycode import comments, lines_inside_strings, normalise, parse_cell

MEANS_THE_SAME = [
    ("x = 1", "x  =  1  # why\n\n"),
    ("x = 1; y = 2", "x = 1\ny = 2\n"),
    ("def f(a):\n    return a", "def f( a ):\n  '''Text.'''\n  # why\n\n  return (a)".replace("(a)", "a")),
    ("def f():\n    return 1", 'def f():\n    ("Two "\n     "parts.")\n    return 1'),
    ("class A:\n    x = 1", 'class A:\n    """Text.\n\n    More."""\n    x = 1'),
    ("%matplotlib inline\nx", "%matplotlib inline   \nx # y"),
    ("f(a,\n  b)", "f(a, b)"),
]
MEANS_SOMETHING_ELSE = [
    ("x = 1", "x = 2"),
    ("x = '#'", "x = ''"),
    ("x = '''a\n b'''", "x = '''a\nb'''"),
    ("x = f'{a} b'", "x = f'{a}  b'"),
    ("if x:\n    y\nz", "if x:\n    y\n    z"),
    ("%time f()", "%time g()"),
    ("%%bash\nls", "%%bash\nls -l"),
    ("x = 'kept'", "x"),
    ("'a string that is shown'", ""),
    ("def f(:", "def g(:"),
]


@pytest.mark.parametrize(("one", "other"), MEANS_THE_SAME)
def test_what_means_the_same_is_normalised_to_the_same(one: str, other: str) -> None:
    assert normalise(one) == normalise(other)


@pytest.mark.parametrize(("one", "other"), MEANS_SOMETHING_ELSE)
def test_what_means_something_else_is_not(one: str, other: str) -> None:
    assert normalise(one) != normalise(other)


def test_magics_become_pass_and_nothing_moves() -> None:
    code = "%matplotlib inline\nif x:\n    !ls\ny = !ls\nz = '''\n%text\n'''\nf?\na = (b\n%c)"
    cell = parse_cell(code)
    assert cell.source == "pass\nif x:\n    pass\npass\nz = '''\n%text\n'''\npass\na = (b\n%c)"
    assert [node.lineno for node in cell.tree.body] == [1, 2, 4, 5, 8, 9]


@pytest.mark.parametrize("magic", ["time", "capture out", "tab pytorch"])
def test_cells_under_magics_that_run_python(magic: str) -> None:
    tree = parse_cell(f"\n%%{magic}\nx = 1").tree
    assert isinstance(tree.body[0], ast.Assign)
    assert tree.body[0].lineno == 3


def test_cells_of_other_languages_have_no_tree() -> None:
    assert parse_cell("%%writefile a.txt\nx = (").tree.body == []


@pytest.mark.parametrize("code", ["x = (", "\0", "x = 1 % \n", "%time x\ny = ("])
def test_what_is_not_python(code: str) -> None:
    with pytest.raises(SyntaxError):
        parse_cell(code)


def test_comments_and_strings_are_told_apart() -> None:
    code = "x = '# no'  # yes\ny = '''\n# no\n'''\n# yes"
    assert {number: comment.text for number, comment in comments(code).items()} == {1: "# yes", 5: "# yes"}
    assert lines_inside_strings(code) == {3, 4}
