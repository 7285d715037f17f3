"""A bundle: what another machine runs without the builder, and what of its results is taken."""

from __future__ import annotations

import ast
import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest
from books import cell, freeze, open_book, view_of, write_book

from d2lbook.cli import main
from d2lbook.diagnostics import BookError, Messages
from d2lbook.execute import bundle, device_states, status
from d2lbook.execute.bundle.runner import archive, results
from d2lbook.execute.bundle.runner.pretty import pretty
from d2lbook.execute.frozen import load_run, run_path
from d2lbook.execute.gpus import gpus_asked_for
from d2lbook.execute.schedule import evaluate

RUNNER = Path(bundle.__file__).parent / "runner"
SHOWS = (
    'import sys\nprint("one")\nprint("two", file=sys.stderr)\n{"a": [1, 2], "b": "x" * 70}',
    'class Shown:\n    def _repr_html_(self):\n        return "<b>bold</b>"\n\n    def __repr__(self):\n'
    '        return "bold"\n\nShown()',
    "Shown();",
    'from IPython.display import HTML, display\nhandle = display("first", display_id=True)\nprint("then")',
    'handle.update("second")\nx = 3\ndisplay(HTML("<i>x</i>"), x)',
    'name = "note.txt"',
    "%%writefile {name}\nline {x}",
    "open(name).read()",
    "!echo {x} shell\nlines = !echo a; echo b\nlines",
    "from __future__ import annotations",
    "def late(y: not_defined) -> int:\n    return y\nlate",
    "import inspect\ninspect.getsource(late)",
    "import matplotlib\nfrom matplotlib import pyplot as plt\nmatplotlib.rcParams['svg.hashsalt'] = 'd2l'\n"
    "from matplotlib_inline import backend_inline\n"
    "backend_inline.set_matplotlib_formats('svg', metadata={'Date': None})",
    "plt.figure(figsize=(3, 2))\nplt.plot([1, 2, 3])\nprint('drawn')",
    "figure, axes = plt.subplots()\naxes.plot([3, 2, 1])\ndisplay(figure)\nplt.close(figure)",
    "%matplotlib inline\n_, get_ipython().user_ns['x']",
)
FAILS = "Text.\n\n" + cell("a = 0") + "\n" + cell('print("before")\n\ndef inverse(b):\n    return 1 / b\n\ninverse(a)')
TORCH = """class cuda:
    is_available = staticmethod(lambda: True)
    get_device_name = staticmethod(lambda i: "Pretended GPU")
    device_count = staticmethod(lambda: 1)
    memory_stats = staticmethod(lambda i: {"allocation.all.allocated": 2})
class version:
    cuda = "13.0"
"""
SMI = """#!/bin/sh
if [ "$1" = -L ]; then exit 0; fi
for i in {numbers}; do echo "$i, Pretended GPU, 81559 MiB, 580.1"; done
"""
VISIBLE = 'import os, time, torch\ntime.sleep(0.5)\nprint(os.environ["CUDA_VISIBLE_DEVICES"], time.time())'


def pack(root: Path, folder: Path, *pages: str, size: int = 48) -> Path:
    """The unpacked bundle of a book's pages, which lies in `folder`."""
    book, config = open_book(root)
    names = pages or tuple(page.document.name for page in book.pages)
    bundle.pack(book, config, book.tabs, names, folder / "bundle.zip", size)
    with zipfile.ZipFile(folder / "bundle.zip") as packed:
        packed.extractall(folder / "there")
    return folder / "there"


def run(there: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "run.py", *arguments]
    return subprocess.run(command, cwd=there, env={**os.environ, **environment}, capture_output=True, text=True)


def read(there: Path, page: str, tab: str = "default") -> dict[str, Any]:
    _, members = archive.unpacked(there / "results.zip", results.MANIFEST, results.KIND, results.LIMIT, results.MOST)
    found: dict[str, Any] = json.loads(members[f"results/{page}/{tab}.json"])
    return found


def take(root: Path, path: Path, store: bool = True) -> tuple[bool, list[str], list[str]]:
    book, config = open_book(root)
    messages, lines = Messages(), list[str]()
    names = [page.document.name for page in book.pages]
    taken = bundle.take(book, config, book.tabs, names, path, messages, lines.append, store)
    return taken, [str(message) for message in messages], lines


def pretended_gpus(folder: Path, *numbers: int) -> dict[str, str]:
    """The environment of a machine with GPUs and PyTorch, as far as pages and `run.py` ask."""
    folder.mkdir()
    (folder / "torch.py").write_text(TORCH)
    (folder / "nvidia-smi").write_text(SMI.format(numbers=" ".join(map(str, numbers))))
    (folder / "nvidia-smi").chmod(0o755)
    return {"PATH": f"{folder}:{os.environ['PATH']}", "PYTHONPATH": str(folder)}


def test_outputs_are_those_of_a_kernel(tmp_path: Path) -> None:
    root = tmp_path / "book"
    write_book(root, {"shows": "\n".join(map(cell, SHOWS))})
    there = pack(root, tmp_path)
    done = run(there)
    assert done.returncode == 0, done.stdout + done.stderr
    taken, messages, _ = take(root, there / "results.zip")
    assert taken and messages == []
    here = load_run(root, "shows", "default")
    book, config = open_book(root)
    assert status(book, config, book.tabs) == [("shows", "default", "fresh")]
    assert evaluate(book, config, book.tabs, ["shows"], True, 1, Messages(), print)
    kernel = load_run(root, "shows", "default")
    assert here is not None and kernel is not None
    for number, (ours, theirs) in enumerate(zip(here.cells, kernel.cells, strict=True)):
        assert (number, ours.hash, ours.outputs) == (number, theirs.hash, theirs.outputs)
    assert here.key == kernel.key


def test_what_programs_print_is_shown_and_what_libraries_log_is_not(tmp_path: Path) -> None:
    code = (
        'import os, subprocess\nprint("first")\nos.write(2, b"a log")\nsubprocess.run(["echo", "then"])\nprint("last")'
    )
    write_book(tmp_path / "book", {"page": cell(code)})
    there = pack(tmp_path / "book", tmp_path)
    assert run(there).returncode == 0
    (only,) = read(there, "page")["cells"]
    assert only["outputs"] == [{"output_type": "stream", "name": "stdout", "text": "first\nthen\nlast\n"}]


def test_pages_run_without_jupyter_and_the_builder(tmp_path: Path) -> None:
    modules = ("IPython.terminal", "ipykernel", "traitlets", "nbformat", "zmq", "d2lbook")
    write_book(tmp_path / "book", {"page": cell(f"import sys\n[name for name in {modules} if name in sys.modules]")})
    there = pack(tmp_path / "book", tmp_path)
    assert run(there).returncode == 0
    (only,) = read(there, "page")["cells"]
    assert only["outputs"][0]["data"]["text/plain"] == "[]"


@pytest.mark.parametrize("path", sorted(RUNNER.glob("*.py")), ids=lambda path: path.name)
def test_what_travels_needs_the_standard_library_of_an_older_python_only(path: Path) -> None:
    known = sys.stdlib_module_names | {"matplotlib"}
    tree = ast.parse(path.read_text(), feature_version=(3, 10))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            assert {alias.name.split(".")[0] for alias in node.names} <= known
        elif isinstance(node, ast.ImportFrom) and not node.level:
            assert str(node.module).split(".")[0] in known


def test_values_are_laid_out_as_ipython_does() -> None:
    from IPython.lib.pretty import pretty as theirs

    wide = {"key": ["x" * 40, ("y" * 40,), {3, 1, 2}], "other": [list(range(40)), {"deep": [1.5] * 30}]}
    looped: list[object] = [1]
    looped.append(looped)
    for value in (wide, [wide, wide], looped, int, len, pretty, frozenset({2, 1}), (), {}, set(), list(range(1200))):
        assert pretty(value) == theirs(value)


def test_a_failing_cell_is_told_with_the_page_s_line_and_the_others_go_on(tmp_path: Path) -> None:
    root = tmp_path / "book"
    write_book(root, {"fails": FAILS, "dies": cell("import os\nos._exit(3)"), "good": cell("print(1)")})
    there = pack(root, tmp_path)
    done = run(there, "--jobs", "3")
    assert done.returncode == 1
    line = (root / "fails.md").read_text().splitlines().index("inverse(a)") + 1
    assert f"cell 2 failed: ZeroDivisionError: division by zero (fails.md:{line})" in done.stdout
    error = read(there, "fails")["error"]
    assert error["printed"].startswith("before\n") and "return 1 / b" in error["traceback"]
    assert error["traceback"].index("Cell In[2], line 6") < error["traceback"].index("Cell In[2], line 4")
    assert "exit status 3" in read(there, "dies")["error"]["value"]
    freeze(root, "fails", "default", "kept")
    taken, messages, _ = take(root, there / "results.zip")
    assert not taken
    assert any(message.startswith(f"fails.md:{line}: error: ") for message in messages)
    kept = load_run(root, "fails", "default")
    assert kept is not None and kept.cells[0].outputs[0]["text"] == "kept\n"
    assert load_run(root, "good", "default") is not None


def test_it_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    pages = {
        name: cell(f"open({str(marks)!r}, 'a').write('{name}\\n')\nimport time\ntime.sleep({seconds})")
        for name, seconds in (("first", 0), ("second", 60))
    }
    write_book(tmp_path / "book", pages)
    there = pack(tmp_path / "book", tmp_path)
    process = subprocess.Popen([sys.executable, "run.py"], cwd=there, stdout=subprocess.PIPE, text=True)
    while not marks.exists() or marks.read_text() != "first\nsecond\n":
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    output, _ = process.communicate(timeout=30)
    assert process.returncode == 128 + signal.SIGTERM
    assert "not done: second [default]" in output
    done = run(there, "--limit", "2")
    assert done.returncode == 1 and "1 of 2 to run" in done.stdout
    assert read(there, "second")["state"] == "limit"
    assert "0 of 2 to run" in run(there).stdout  # what took too long is not tried again by itself
    assert "1 of 2 to run" in run(there, "--again", "--total", "1").stdout
    assert read(there, "first")["state"] == "done"


def test_pages_are_spread_over_gpus_and_get_as_many_as_they_ask_for(tmp_path: Path) -> None:
    pages = {name: cell(VISIBLE, "pytorch") for name in ("a", "b")}
    pages["two"] = cell(VISIBLE + "\ndef devices(k): ...\ndevices(2)", "pytorch")
    write_book(tmp_path / "book", pages, "[build]\ntabs = pytorch\n")
    there = pack(tmp_path / "book", tmp_path)
    done = run(there, "two", "a", "b", **pretended_gpus(tmp_path / "bin", 0, 1))
    assert done.returncode == 0, done.stdout + done.stderr
    told = {page: read(there, page, "pytorch")["cells"][0]["outputs"][0]["text"].split() for page in pages}
    assert told["two"][0] == "0,1"
    assert {told["a"][0], told["b"][0]} == {"0", "1"}
    assert max(read(there, page, "pytorch")["began"] for page in "ab") >= read(there, "two", "pytorch")["finished"]


def test_what_a_page_asks_for_is_read_from_its_calls(tmp_path: Path) -> None:
    write_book(
        tmp_path, {"page": cell("two = d2l.devices(2)\nd2l.devices(k)\ndevices(4)"), "pair": cell("link_pair()")}
    )
    book, _ = open_book(tmp_path)
    assert gpus_asked_for(view_of(book, "page", "default")) == 4
    assert gpus_asked_for(view_of(book, "pair", "default")) == 2


@pytest.fixture(scope="module")
def from_gpu(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A book, and results of its page from a pretended GPU."""
    folder = tmp_path_factory.mktemp("gpu")
    root = folder / "book"
    write_book(root, {"page": cell("import torch\nprint('fast')", "pytorch")}, "[build]\ntabs = pytorch\n")
    (root / "requirements").mkdir()
    (root / "requirements" / "all.txt").write_text("torch==0.1\n")
    there = pack(root, folder)
    done = run(there, **pretended_gpus(folder / "bin", 0))
    assert done.returncode == 0, done.stdout + done.stderr
    return root, there / "results.zip"


@pytest.fixture
def gpu_book(from_gpu: tuple[Path, Path], tmp_path: Path) -> tuple[Path, Path]:
    import shutil

    return shutil.copytree(from_gpu[0], tmp_path / "book"), from_gpu[1]


def test_a_gpu_s_result_is_frozen_beside_the_cpu_s_with_its_versions(gpu_book: tuple[Path, Path]) -> None:
    root, path = gpu_book
    taken, messages, _ = take(root, path)
    assert taken and messages == []
    found = load_run(root, "page", "pytorch", "cuda")
    assert found is not None
    assert found.produced.device == "Pretended GPU"
    assert found.produced.versions["cuda"] == "13.0" and found.produced.versions["driver"] == "580.1"
    assert found.cells[0].outputs[0]["text"] == "fast\n"
    book, config = open_book(root)
    assert status(book, config, book.tabs) == [("page", "pytorch", "missing")]  # the CPU's
    (state,) = device_states(book, config, book.tabs)
    assert (state.kind, state.device, state.state) == ("cuda", "Pretended GPU", "fresh")


def test_a_page_that_has_put_nothing_on_the_gpu_was_computed_by_the_cpu(tmp_path: Path) -> None:
    root = tmp_path / "book"
    write_book(
        root,
        {"page": cell("import torch\ntorch.cuda.memory_stats = lambda i: {}", "pytorch")},
        "[build]\ntabs = pytorch\n",
    )
    (root / "requirements").mkdir()
    (root / "requirements" / "all.txt").write_text("torch==0.1\n")
    there = pack(root, tmp_path)
    assert run(there, **pretended_gpus(tmp_path / "bin", 0)).returncode == 0
    taken, (message,), _ = take(root, there / "results.zip")
    assert not taken and "a CPU's result needs the book's versions" in message
    assert load_run(root, "page", "pytorch", "cuda") is None


def test_commands_take_and_list_it_and_notebooks_show_it(
    gpu_book: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    root, path = gpu_book
    config = ["--config", str(root / "config.ini")]
    freeze(root, "page", "pytorch", "slow")
    assert main(["eval", *config, "--take", str(path), "--dry-run"]) == 0
    assert not run_path(root, "page", "pytorch", "cuda").exists()
    assert main(["eval", *config, "--take", str(path)]) == 0
    capsys.readouterr()
    assert main(["status", *config]) == 0
    cpu, gpu, counts = capsys.readouterr().out.splitlines()
    assert cpu.split() == ["page", "pytorch", "fresh"] and counts.startswith("1 fresh, ")
    assert gpu.split()[:3] == ["page", "pytorch", "fresh"] and "cuda, Pretended GPU, 20" in gpu
    assert main(["ipynb", *config]) == 0
    notebooks = "".join(path.read_text() for path in (root / "_build").rglob("page.ipynb"))
    assert '"fast' in notebooks and "slow" not in notebooks


def test_wheels_travel_and_are_installed_for_the_pages(tmp_path: Path) -> None:
    root, wheels = tmp_path / "book", tmp_path / "wheels"
    write_book(root, {"page": cell("import carried\ncarried.what")})
    wheels.mkdir()
    with pytest.raises(BookError, match="bundle-wheels"):
        bundle.pack(*open_book(root), ("default",), ("page",), tmp_path / "bundle.zip", 1, wheels)
    with zipfile.ZipFile(wheels / "carried-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("carried.py", "what = 'from a wheel'\n")
        wheel.writestr("carried-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: carried\nVersion: 1.0\n")
        wheel.writestr("carried-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr("carried-1.0.dist-info/RECORD", "")
    bundle.pack(*open_book(root), ("default",), ("page",), tmp_path / "bundle.zip", 1, wheels)
    with zipfile.ZipFile(tmp_path / "bundle.zip") as packed:
        packed.extractall(tmp_path / "there")
    done = run(tmp_path / "there")
    assert done.returncode == 0, done.stdout + done.stderr
    (only,) = read(tmp_path / "there", "page")["cells"]
    assert only["outputs"][0]["data"]["text/plain"] == "'from a wheel'"


def test_only_code_definitions_and_data_make_a_gpu_s_result_stale(gpu_book: tuple[Path, Path]) -> None:
    root, path = gpu_book
    take(root, path)

    def state() -> str:
        book, config = open_book(root)
        (found,) = device_states(book, config, book.tabs)
        return found.state

    (root / "requirements" / "all.txt").write_text("torch==0.2\n")
    assert state() == "fresh"
    page = root / "page.md"
    page.write_text(page.read_text().replace("'fast'", "'slow'"))
    assert state() == "stale"
    taken, (message,), _ = take(root, path)
    assert not taken and message.startswith("page.md: error: ") and "code" in message
    run_path(root, "page", "pytorch", "cuda").write_text("{")
    assert state() == "stale"


def test_a_newer_result_stays(gpu_book: tuple[Path, Path]) -> None:
    root, path = gpu_book
    take(root, path)
    frozen = run_path(root, "page", "pytorch", "cuda")
    data = json.loads(frozen.read_text())
    data["produced"]["finished"] = "2999-01-01T00:00:00Z"
    frozen.write_text(json.dumps(data))
    before = frozen.read_text()
    assert take(root, path)[0] and frozen.read_text() == before
    data["produced"]["finished"] = "2001-01-01T00:00:00Z"
    frozen.write_text(json.dumps(data))
    assert take(root, path)[0]
    assert json.loads(frozen.read_text())["produced"]["finished"] > "2020"


def test_a_cpu_s_result_needs_the_versions_that_the_book_pins(tmp_path: Path) -> None:
    root = tmp_path / "book"
    write_book(root, {"page": cell("print(1)", "pytorch")}, "[build]\ntabs = pytorch\n")
    (root / "requirements").mkdir()
    (root / "requirements" / "all.txt").write_text("torch==0.1\n")
    there = pack(root, tmp_path)
    run(there, PATH="/nonexistent")
    taken, (message,), _ = take(root, there / "results.zip")
    assert not taken and "0.1" in message
    assert not run_path(root, "page", "pytorch").exists()


def damage(path: Path, to: Path, change: str) -> None:
    """Writes an archive that is not as it should be."""
    if change in {"nothing", "text"}:
        to.write_bytes(b"" if change == "nothing" else b"no archive")
        return
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            data = source.read(name)
            manifest = name == results.MANIFEST
            if change == "a byte" and not manifest:
                data = data.replace(b"fast", b"last")
            for what, old, new in (
                ("book", b'"book": "', b'"book": "other'),
                ("commit", b'"commit": "', b'"commit": "0123456789abcdef'),
                ("format", b'"format": 1', b'"format": 2'),
                ("kind", b"d2lbook results", b"d2lbook bundle"),
            ):
                if change == what and manifest:
                    assert old in data
                    data = data.replace(old, new)
            if change != "no manifest" or not manifest:
                target.writestr("../" + name if change == "traversal" and not manifest else name, data)
        if change == "more":
            target.writestr("results/more.json", b"{}")
        if change == "bomb":
            target.writestr("results/bomb.json", b"\0" * (results.LIMIT + 1))


@pytest.mark.parametrize(
    "change",
    ["nothing", "text", "a byte", "book", "commit", "format", "kind", "no manifest", "traversal", "more", "bomb"],
)
def test_a_damaged_or_foreign_file_is_refused_whole(gpu_book: tuple[Path, Path], change: str) -> None:
    root, path = gpu_book
    damage(path, root.parent / "changed.zip", change)
    with pytest.raises(BookError) as refused:
        take(root, root.parent / "changed.zip")
    (message,) = refused.value.messages
    assert message.code == "results-refused" and message.path.endswith("changed.zip")
    assert not (root / "outputs").exists()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("page", "../../page"),
        ("page", "unknown"),
        ("tab", "../x"),
        ("probe", "../../x y x 1"),
        ("probe", None),
        ("cells", [{"hash": "x"}]),
        ("versions", {"torch": 1}),
        ("finished", 3),
        ("finished", "2026-13-01T00:00:00Z"),
        ("seconds", float("nan")),
        ("probe", "cuda a\x1b[2Jb x 1"),
        ("parts", []),
    ],
)
def test_a_result_of_another_form_is_refused_with_its_file(
    gpu_book: tuple[Path, Path], name: str, value: object
) -> None:
    root, path = gpu_book
    manifest, members = archive.unpacked(path, results.MANIFEST, results.KIND, results.LIMIT, results.MOST)
    ((member, data),) = members.items()
    changed = json.dumps({**json.loads(data), name: value}).encode()
    bad = root.parent / "changed.zip"
    bad.write_bytes(archive.packed(manifest, {member: changed}, results.MANIFEST))
    with pytest.raises(BookError) as refused:
        take(root, bad)
    assert [message.code for message in refused.value.messages] == ["results-refused"]
    assert not (root / "outputs").exists()


def test_short_results_are_not_kept(tmp_path: Path) -> None:
    write_book(tmp_path / "book", {"page": cell("print(1)")})
    there = pack(tmp_path / "book", tmp_path)
    run(there, D2L_SHORT="1")
    with pytest.raises(BookError, match="eval-short"):
        take(tmp_path / "book", there / "results.zip")
    assert run(there).returncode == 2  # full results are not mixed with them


def test_the_same_book_gives_the_same_bytes_with_checksums_over_all(tmp_path: Path) -> None:
    write_book(tmp_path / "book", {"page": cell("print(1)")})
    there = pack(tmp_path / "book", tmp_path)
    first = (tmp_path / "bundle.zip").read_bytes()
    pack(tmp_path / "book", tmp_path)
    assert (tmp_path / "bundle.zip").read_bytes() == first
    files = {path.relative_to(there).as_posix() for path in there.rglob("*") if path.is_file()}
    assert json.loads((there / "bundle.json").read_text())["files"].keys() == files - {"bundle.json"}
    (there / "pages" / "page" / "default.json").write_text("{}")
    assert run(there).returncode == 2


def test_a_bundle_that_would_be_too_large_says_what_is_large(tmp_path: Path) -> None:
    config = "[build]\nresources = big/\n"
    write_book(tmp_path / "book", {"page": cell("open('big/noise')")}, config)
    (tmp_path / "book" / "big").mkdir()
    (tmp_path / "book" / "big" / "noise").write_bytes(os.urandom(3 << 20))
    with pytest.raises(BookError, match=r"book 3\.0"):
        pack(tmp_path / "book", tmp_path, size=2)
    assert not (tmp_path / "bundle.zip").exists()
    with pytest.raises(BookError, match="bundle-empty"):
        pack(tmp_path / "book", tmp_path, "index")


def test_the_data_that_pages_use_travels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import gzip
    import hashlib

    from d2lbook.execute import key

    content = b"four images"
    root = tmp_path / "book"
    write_book(root, {"page": cell("import os\nFashionMNIST = os.listdir(os.environ['D2L_DATA'] + '/fashion-mnist')")})
    (root / "d2l").mkdir()
    (root / "d2l" / "__init__.py").touch()
    (root / "d2l" / "fashion_mnist.py").write_text(
        "import os, pathlib\nSHA256 = {'images': " + repr(hashlib.sha256(content).hexdigest()) + "}\n"
        "def folders():\n    return [pathlib.Path(os.environ['D2L_DATA'])]\n"
    )
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "images.gz").write_bytes(gzip.compress(b"damaged"))
    monkeypatch.setenv("D2L_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(key, "DATA", {"FashionMNIST": (hashlib.sha256(content).hexdigest(),)})
    with pytest.raises(BookError, match=r"images .*bundle-data"):
        pack(root, tmp_path)
    (tmp_path / "data" / "images").write_bytes(content)
    there = pack(root, tmp_path)
    assert gzip.decompress((there / "data" / "fashion-mnist" / "images.gz").read_bytes()) == content
    assert run(there).returncode == 0
