"""Names by Python's symbol table, beside those by pyflakes, which also knows their places."""

from __future__ import annotations

import ast

import pytest

from d2lbook.library.names import bound, free_names, global_names
from d2lbook.pycode import parse_cell

CODES = [
    "x = y\nprint(x)",
    "import a.b, c as d\nfrom e import f as g\nfrom h import *",
    "def f(a, b=default, *rest, **more) -> result:\n    c = a + outer\n    return c, own, rest, more",
    "class C(Base):\n    z = first\n    def m(self):\n        return self.z + other",
    "[v for v in values if v > limit]\n{k: w for k, w in pairs.items()}",
    "(n := count) + n",
    "def f():\n    global made\n    made = 1\nprint(made)",
    "try:\n    risky()\nexcept Error as error:\n    print(error)",
    "for i in numbers:\n    with opened as file:\n        total += i",
    "match point:\n    case [x, *others]:\n        print(x)\n    case Point(px=p) | {1: p, **more}:\n        pass",
    "async def f():\n    await g()\nawait f()\n[await x async for x in source]",
    "number: int\nother: 'Later' = 1",
    "f = lambda a: a + free\nf'{inside!r:>{width}}'",
    "def outer():\n    seen = 1\n    def inner():\n        nonlocal seen\n        seen = far\n    return inner",
    "%time x = slow()\n!ls\nx = 1\nx?",
    "%%bash\necho $HOME",
    "'\\d'",
]


@pytest.mark.parametrize("code", CODES)
def test_the_same_names_are_bound_and_read(code: str) -> None:
    names = global_names(code)
    declared = {name for node in parse_cell(code).nodes if isinstance(node, ast.Global) for name in node.names}
    assert names.bound == bound(parse_cell(code).tree) | declared
    free = {use.name for use in free_names(code)} - {"Later"}  # in a string, which nobody looks up when it runs
    assert free - names.bound == names.read - names.bound


def test_what_is_no_python_is_refused() -> None:
    with pytest.raises(SyntaxError):
        global_names("def f(:")
