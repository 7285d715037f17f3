"""The libraries that pages save; tests/library/*.md holds sources and what becomes of them."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest
from library_fixtures import CONFIG, library_text, open_book, page, read_fixture, write_book

from d2lbook import files
from d2lbook.diagnostics import BookError, Messages
from d2lbook.library import BANNER, library_of, used_sources, write_libraries

FIXTURES = sorted((Path(__file__).parents[1] / "library").glob("*.md"))
LIBRARY = "d2l/torch.py"


@pytest.mark.parametrize("path", FIXTURES, ids=[path.stem for path in FIXTURES])
def test_fixture(path: Path, tmp_path: Path) -> None:
    fixture = read_fixture(path)
    book, config, messages = open_book(tmp_path, fixture.files)
    made = {}
    for tab in config.libraries:
        text = library_text(book, config, tab, messages)
        compile(text, LIBRARY, "exec")
        made[config.libraries[tab].lib_file] = text
    made["messages"] = "".join(f"{message}\n" for message in messages)
    expected = {"messages": "", **fixture.expected}
    assert {name: made[name] for name in expected} == expected


def test_every_fixture_expects_something() -> None:
    assert len(FIXTURES) >= 8
    assert all(any(read_fixture(path).expected.values()) for path in FIXTURES)


@pytest.mark.parametrize(
    ("head", "saved", "expected"),
    [
        ("import os\nfrom .shown import show, _hidden\nx = 1\n", "def f():  #@save\n    return os", ["f", "show"]),
        ("", "import json  #@save\nfrom os import path  #@save\ndef _f():  #@save\n    return json", []),
        ('__all__ = ["g"]\n', "def f():  #@save\n    return 1", ["g"]),
        ("", "__all__ = ['h']  #@save\ndef f():  #@save\n    return 1", ["h"]),
        (
            "plt: object\ndef __getattr__(name):\n    if name == 'plt':\n        return 1\n    raise AttributeError\n",
            "def f():  #@save\n    return 1",
            ["f", "plt"],
        ),
    ],
)
def test_all_lists_what_the_book_defines(tmp_path: Path, head: str, saved: str, expected: list[str]) -> None:
    book, config, messages = open_book(tmp_path, {"a.md": page(saved), LIBRARY: f"{head}{BANNER}\n"})
    text = library_text(book, config, "pytorch", messages)
    assigned = [
        node for node in ast.parse(text).body if isinstance(node, ast.Assign) and "__all__" in ast.unparse(node)
    ]
    assert [ast.literal_eval(node.value) for node in assigned] == [expected] * len(assigned)
    assert bool(assigned) == bool(expected)


# ---- writing --------------------------------------------------------------------------------------------------------


def lib(root: Path, files: dict[str, str]) -> tuple[list[str], list[str]]:
    """Writes the libraries of a book: names of the files that changed, messages."""
    book, config, messages = open_book(root, files)
    assert not list(messages)
    written = write_libraries(book, config, config.tabs, messages)
    return [path.relative_to(root).as_posix() for path in written], [str(message) for message in messages]


def test_a_library_is_written_once(tmp_path: Path) -> None:
    book = {"a.md": page("def one():  #@save\n    return 1")}
    assert lib(tmp_path, book) == ([LIBRARY], [])
    first = (tmp_path / LIBRARY).read_text()
    assert "def one():" in first
    assert lib(tmp_path, book) == ([], [])
    assert (tmp_path / LIBRARY).read_text() == first


@pytest.mark.parametrize("banner", [BANNER, "#################   WARNING   ################"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_the_head_is_kept(tmp_path: Path, banner: str, newline: str) -> None:
    head = newline.join(["\ufeff# by hand  ", "y = (1,", "  2)", "", ""])
    old = head + banner + newline + "rubbish(" + newline
    book = {"a.md": page("def one():  #@save\n    return y"), LIBRARY: old}
    assert lib(tmp_path, book) == ([LIBRARY], [])
    made = (tmp_path / LIBRARY).read_bytes().decode()
    assert made.startswith(head + BANNER + newline)
    assert "rubbish" not in made
    assert made.count("\n") == made.count(newline)
    assert lib(tmp_path, {"a.md": book["a.md"]}) == ([], [])


def test_a_file_without_banner_is_not_overwritten(tmp_path: Path) -> None:
    written, messages = lib(tmp_path, {"a.md": page("x = 1  #@save"), LIBRARY: "mine = 1\n"})
    assert written == []
    assert messages[0].startswith("d2l/torch.py:1:1: error: has no line that says what is generated")
    assert (tmp_path / LIBRARY).read_text() == "mine = 1\n"


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("import sys, os  #@save\nx = os.nothing  #@save", "a.md:6:1: error: d2l/torch.py cannot be imported: Attr"),
        ("def f():  #@save\n    return 1\nx = f() / 0  #@save", "a.md:7:1: error: d2l/torch.py cannot be imported: Z"),
        ("def f():  #@save\n    nonlocal q", "a.md:6:5: error: d2l/torch.py: no binding for nonlocal 'q' found"),
        ("from d2l.absent import x  #@save", "a.md:5:1: error: d2l/torch.py cannot be imported: ModuleNotFound"),
        ("import os; os._exit(3)  #@save", "d2l/torch.py: error: d2l/torch.py cannot be imported: Python stopped with"),
    ],
)
def test_what_does_not_import_leaves_the_old_file(tmp_path: Path, cell: str, message: str) -> None:
    good = {"a.md": page("y = 2  #@save"), "d2l/__init__.py": ""}
    lib(tmp_path, good)
    old = (tmp_path / LIBRARY).read_bytes()
    written, messages = lib(tmp_path, {"a.md": page(cell)})
    assert written == []
    (error,) = [found for found in messages if ": error: " in found]
    assert error.startswith(message)
    assert (tmp_path / LIBRARY).read_bytes() == old


def test_a_missing_framework_is_no_reason_not_to_write(tmp_path: Path) -> None:
    cell = "import a_framework_that_is_not_here as f  #@save\ndef one():  #@save\n    return f.one()"
    written, (message,) = lib(tmp_path, {"a.md": page(cell)})
    assert written == [LIBRARY]
    assert message.startswith(
        "a.md:5:1: warning: d2l/torch.py cannot be imported on this machine: ModuleNotFoundError: "
    )
    assert message.endswith("it is written all the same [lib-import-here]")


def test_a_library_is_imported_as_what_it_is(tmp_path: Path) -> None:
    """As a module of its package, from the book's folder, with its own name for itself."""
    cell = "from .helper import helped  #@save\nassert __name__ == 'd2l.torch' and d2l.helped == 1  #@save\n"
    cell += "class A:  #@save\n    pass\nclass B(d2l.A):  #@save\n    pass"
    package = {"d2l/__init__.py": "", "d2l/helper.py": "helped = 1\n"}
    assert lib(tmp_path, {"a.md": page(cell), **package}) == ([LIBRARY], [])


@pytest.mark.parametrize("init", [True, False])
def test_a_library_does_not_stand_for_the_package_of_its_name(tmp_path: Path, init: bool) -> None:
    cells = "from json import dumps  #@save\nfrom .shown import show  #@save\ndef one():  #@save\n    return dumps(1)"
    config = CONFIG.replace("d2l/torch.py", "signals/json.py")
    files = {"config.ini": config, "a.md": page(cells), "signals/shown.py": "def show():\n    return 1\n"}
    assert lib(tmp_path, files | ({"signals/__init__.py": ""} if init else {})) == (["signals/json.py"], [])


def test_a_write_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lib(tmp_path, {"a.md": page("y = 2  #@save")})
    old = (tmp_path / LIBRARY).read_bytes()

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", full)
    with pytest.raises((OSError, BookError)):
        lib(tmp_path, {"a.md": page("y = 3  #@save")})
    assert (tmp_path / LIBRARY).read_bytes() == old
    assert [path.name for path in (tmp_path / "d2l").iterdir()] == ["torch.py"]


def test_a_killed_write_leaves_the_old_file(tmp_path: Path) -> None:
    lib(tmp_path, {"a.md": page("y = 2  #@save")})
    old = (tmp_path / LIBRARY).read_bytes()
    write_book(tmp_path, {"a.md": page("y = 3  #@save")})
    code = (
        "import os, signal\n"
        "from pathlib import Path\n"
        "from d2lbook import book, config, diagnostics, library\n"
        "found = diagnostics.Messages()\n"
        "c = config.load(Path('config.ini'), found)\n"
        "os.fsync = lambda handle: os.kill(os.getpid(), signal.SIGKILL)\n"
        "library.write_libraries(book.load_book(c, found), c, c.tabs, found)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run([sys.executable, "-c", code], env=environment, cwd=tmp_path, check=False)
    assert done.returncode == -9
    assert (tmp_path / LIBRARY).read_bytes() == old
    assert lib(tmp_path, {"a.md": page("y = 3  #@save")}) == ([LIBRARY], [])


def test_an_alias_of_what_the_framework_lacks(tmp_path: Path) -> None:
    config = CONFIG + "lib_name = math\nsimple_alias = sqrt,\n  root -> squareroot\n"
    written, messages = lib(tmp_path, {"config.ini": config, "a.md": page("import math  #@save")})
    assert written == []
    start = "config.ini:8:3: error: d2l/torch.py cannot be imported: AttributeError: module 'math'"
    assert messages[0].startswith(start)


def test_aliases_without_the_framework(tmp_path: Path) -> None:
    config = CONFIG + "lib_name = np\nsimple_alias = ones\n"
    _, messages = lib(tmp_path, {"config.ini": config, "a.md": page("x = 1")})
    assert messages[1].startswith("config.ini:7:16: warning: 'np' is used in d2l/torch.py")


UPSTREAM = """[build]
tabs = pytorch
[library-pytorch]
lib_file = d2l/torch.py
lib_name = np
simple_alias = ModuleType, FunctionType(
reverse_alias =
       d2l.Base_Module -> object
"""
UPSTREAM_HEAD = "DATA_HUB = dict()\nclass Base_Module: pass\n\n#################   WARNING   ################\n# old\n"
UPSTREAM_CELLS = (
    "%matplotlib inline\n#@save\nimport sys\nimport types as np\nd2l = sys.modules[__name__]",
    "%load_ext d2lbook.tab\ntab.interact_select(['pytorch'])",
    "%%tab all\nclass HyperParameters:  #@save\n    def save(self, ignore=[]):\n        raise NotImplemented",
    "%%tab pytorch\nclass Module(d2l.Base_Module, d2l.HyperParameters):  #@save\n    pass",
    "%%tab all\n@d2l.add_to_class(Module)  #@save\ndef fit(self):\n    return d2l.DATA_HUB",
    "%%tab all\nlimit = 1  #@save\n#@save\nd2l.DATA_HUB['x'] = (limit,\n    'sha')\n\nModule().fit()",
)


def test_a_book_as_upstream_has_them(tmp_path: Path) -> None:
    book = {"config.ini": UPSTREAM, LIBRARY: UPSTREAM_HEAD, "a.md": page(*UPSTREAM_CELLS)}
    written, messages = lib(tmp_path, book)
    assert (written, len(messages)) == ([LIBRARY], 1), messages
    assert [message.rsplit("[")[1] for message in messages] == ["alias-parenthesis]"]
    assert ": warning: " in messages[0]


def test_one_bad_library_does_not_keep_the_others(tmp_path: Path) -> None:
    config = CONFIG.replace("tabs = pytorch", "tabs = pytorch, jax") + "\n[library-jax]\nlib_file = d2l/jax.py\n"
    cells = ["#@tab pytorch\nx = (1  #@save", "#@tab jax\nx = 1  #@save"]
    written, messages = lib(tmp_path, {"config.ini": config, "a.md": page(*cells)})
    assert written == ["d2l/jax.py"]
    assert messages == ["a.md:6:5: error: not Python: '(' was never closed [cell-syntax]"]


@pytest.mark.parametrize("strict", [False, True])
def test_a_missing_name_stops_a_strict_book(tmp_path: Path, strict: bool) -> None:
    config = CONFIG.replace("[build]", "[build]\nstrict = true") if strict else CONFIG
    written, messages = lib(tmp_path, {"config.ini": config, "a.md": page("def f():  #@save\n    return missing")})
    level = "error" if strict else "warning"
    assert messages == [
        f"a.md:6:12: {level}: 'missing' is used in d2l/torch.py, which neither defines nor imports it; mark its"
        " definition or import with #@save [lib-name-undefined]"
    ]
    assert written == ([] if strict else [LIBRARY])


def test_the_release_is_written_into_the_version_file(tmp_path: Path) -> None:
    config = CONFIG + "\n[project]\nrelease = 3.1\n[library]\nversion_file = d2l/__init__.py\n"
    book = {"config.ini": config, "a.md": page("x = 1  #@save"), "d2l/__init__.py": "a = 1\n__version__ = '1.0'\n"}
    assert lib(tmp_path, book) == ([LIBRARY, "d2l/__init__.py"], [])
    assert (tmp_path / "d2l/__init__.py").read_text() == "a = 1\n__version__ = '3.1'\n"


def test_the_same_bytes_from_every_process(tmp_path: Path) -> None:
    for path in FIXTURES:
        write_book(tmp_path / path.stem, read_fixture(path).files)
    code = (
        "import hashlib, pathlib, sys\n"
        "from d2lbook import book, config, diagnostics, library\n"
        "for root in sorted(pathlib.Path(sys.argv[1]).iterdir()):\n"
        "    found = diagnostics.Messages()\n"
        "    c = config.load(root / 'config.ini', found)\n"
        "    b = book.load_book(c, found)\n"
        "    for tab in c.libraries:\n"
        "        uses = library.used_sources(b, c, tab, ['d2l.area', 'd2l.Middle'])\n"
        "        print(library.library_of(b, c, tab).text, uses)\n"
        "    print(*found, sep='\\n')\n"
    )
    outputs = []
    for seed in ("0", "1", "4711"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[2])}
        command = [sys.executable, "-c", code, str(tmp_path)]
        done = subprocess.run(command, env=environment, capture_output=True, check=True, cwd=tmp_path)
        outputs.append(done.stdout)
    assert b"def area(" in outputs[0]
    assert outputs[0] == outputs[1] == outputs[2]


# ---- what a page uses -----------------------------------------------------------------------------------------------

USED = """
import math  #@save
SCALE = 2  #@save

def inner(x):  #@save
    \"\"\"Text.\"\"\"
    return x * SCALE  # why

def outer(x):  #@save
    return d2l.inner(math.sqrt(x))

class Base:  #@save
    pass

class Derived(d2l.Base):  #@save
    pass

@d2l.add_to_class(Derived)  #@save
def method(self, outer):
    return outer

DATA_HUB = {}  #@save
d2l.DATA_HUB['x'] = 1  #@save
"""


def uses(root: Path, code: str, saved: str = USED) -> list[str]:
    book, config, messages = open_book(root, {"a.md": page(saved)})
    found = used_sources(book, config, "pytorch", [code])
    assert not list(messages)
    return list(found)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("x = 1", []),
        ("d2l.outer(4)", ["SCALE = 2", "def inner", "def outer"]),
        ("from d2l import torch as d2l\nclass C(d2l.Derived): pass", ["class Base", "class Derived"]),
        ("from d2l.torch import inner", ["SCALE = 2", "def inner"]),
        ("%%time\nd2l.DATA_HUB", ["DATA_HUB = { }", "DATA_HUB [ 'x' ] = 1"]),
        ("if d2l.Base(:", ["class Base"]),
        ("text = 'd2l.outer'  # d2l.inner\nx.d2l.outer", []),
    ],
)
def test_what_a_page_uses(tmp_path: Path, code: str, expected: list[str]) -> None:
    found = uses(tmp_path, code)
    assert [source[: len(start)] for source, start in zip(found, expected, strict=True)] == expected


def test_comments_and_docstrings_change_no_use(tmp_path: Path) -> None:
    before = uses(tmp_path / "1", "d2l.outer(1)")
    plain = USED.replace("  # why", "").replace("Text.", "Other\n    text.").replace("x * SCALE", "x  *  SCALE")
    assert uses(tmp_path / "2", "d2l.outer(1)", plain) == before
    for old, new in [("x * SCALE", "x + SCALE"), ("SCALE = 2", "SCALE = 3"), ("math.sqrt", "math.exp")]:
        assert uses(tmp_path / new[-3:], "d2l.outer(1)", USED.replace(old, new)) != before


def test_a_library_is_made_once_for_a_book(tmp_path: Path) -> None:
    book, config, messages = open_book(tmp_path, {"a.md": page("x = 1  #@save")})
    library = library_of(book, config, "pytorch")
    assert library_of(book, config, "pytorch") is library
    other = open_book(tmp_path, {"a.md": page("x = 2  #@save")})
    assert library_of(other[0], other[1], "pytorch") is not library
    assert isinstance(messages, Messages)
