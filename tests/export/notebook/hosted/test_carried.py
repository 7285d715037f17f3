"""Without an address, a hosted notebook carries the book's package: opened from disk, it runs alone."""

from __future__ import annotations

import base64
import hashlib
import lzma
import os
import re
import subprocess
import sys
import venv
import zipfile
from email.parser import Parser
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from books import CONFIG, cell, write_book
from hosted import install_cell, pip_arguments, read, run
from nbclient.exceptions import CellExecutionError

from d2lbook.cli import main
from d2lbook.export.notebook.hosted.platforms import PLATFORMS

LIBRARY = "[project]\nname = My-sums\nrelease = 1.2\n[library-default]\nlib_file = sums/code.py\n"
PAGE = {
    "first": cell("def double(n):  #@save\n    return 2 * n"),
    "second": cell("from sums import code as sums\nsums.double(21)"),
}
INSTALLED = "import importlib.util as i; print(bool(i.find_spec('sums')))"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "book"
    write_book(root, PAGE, CONFIG + LIBRARY)
    monkeypatch.chdir(root)
    assert main(["lib"]) == 0
    return root


def notebook(root: Path, key: str = "colab") -> Path:
    """The notebook that imports the library, built anew."""
    assert main([key]) == 0
    return root / "_build" / key / "en" / "default" / "second.ipynb"


def package(code: str) -> bytes:
    """What an installing cell carries."""
    found = re.search(r'b64decode\("""\n(.*?)\n"""\)', code, re.DOTALL)
    assert found is not None
    assert max(map(len, found[1].split("\n"))) <= 120
    packed = base64.b64decode(found[1])
    assert hashlib.sha256(packed).hexdigest() in code
    return lzma.decompress(packed)


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment of its own, that sees what this one has: a kernel and pip."""
    folder = tmp_path_factory.mktemp("platform") / "venv"
    venv.create(folder, with_pip=False, symlinks=os.name != "nt")
    (place,) = folder.glob("lib/python3.*/site-packages")
    (place / "there.pth").write_text("\n".join(path for path in sys.path if path.endswith("-packages")))
    return folder / "bin" / "python"


@pytest.fixture(autouse=True)
def without_network(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.delenv("PYTHONPATH", raising=False)


def shown(python: Path, folder: Path) -> str:
    done = subprocess.run([python, "-c", INSTALLED], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def results(done: Any) -> list[str]:
    outputs = (output for found in done.cells if found.cell_type == "code" for output in found.outputs)
    return [output.data["text/plain"] for output in outputs if output.output_type == "execute_result"]


def test_a_notebook_opened_from_disk_installs_what_it_carries_and_runs(
    root: Path, python: Path, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "downloads"
    elsewhere.mkdir()
    assert shown(python, elsewhere) == "False"
    path = notebook(root)
    damaged = elsewhere / "damaged.ipynb"
    text = path.read_text()
    found = re.search(r'"[A-Za-z0-9+/]{50}', text)
    assert found is not None
    other = "B" if text[found.end()] != "B" else "C"
    damaged.write_text(f"{text[: found.end()]}{other}{text[found.end() + 1 :]}")
    with pytest.raises(CellExecutionError, match="damaged: download the notebook again"):
        run(damaged, python, elsewhere)
    assert shown(python, elsewhere) == "False"  # the digest is checked before anything is installed
    assert results(run(path, python, elsewhere)) == ["42"]
    # Another state of the library with the same version takes the place of the one that is there.
    page = root / "first.md"
    page.write_text(page.read_text().replace("2 * n", "3 * n"))
    assert main(["lib"]) == 0
    assert results(run(notebook(root), python, elsewhere)) == ["63"]


@pytest.mark.parametrize("key", sorted(PLATFORMS))
def test_the_cell_is_folded_and_says_what_it_is(root: Path, key: str) -> None:
    cells = read(notebook(root, key))["cells"]
    header, found = cells[:2]
    assert "The book's package, `my_sums_library-1.2-py3-none-any.whl`, is inside it, as text." in "".join(
        header["source"]
    )
    assert found["metadata"]["cellView"] == "form" and found["metadata"]["jupyter"] == {"source_hidden": True}
    assert re.fullmatch(
        r"#@title Install what this page needs: my_sums_library-1\.2-py3-none-any\.whl is inside \(\d KB\)\n",
        found["source"][0],
    )


def test_pip_is_given_a_file_and_never_a_name(root: Path) -> None:
    platform = PLATFORMS["colab"]
    arguments = pip_arguments(install_cell(read(notebook(root))), platform)
    assert arguments == [
        ["install", "--quiet", "--no-deps", "--force-reinstall", "{_wheel}"],
        ["install", "--quiet", "{_wheel}"],
    ]


def test_the_wheel_is_whole_and_the_same_each_time(root: Path) -> None:
    (root / "sums" / "more.py").write_text("x = 1\n")
    (root / "sums" / ".secret.py").write_text("x = 1\n")
    (root / "sums" / "data.txt").write_text("x")
    first = notebook(root).read_bytes()
    main(["clear"])
    for path in (root / "sums").iterdir():
        os.utime(path, (1_000_000_000, 1_000_000_000))
    path = notebook(root)
    assert path.read_bytes() == first
    with zipfile.ZipFile(BytesIO(package(install_cell(read(path))))) as archive:
        info = "my_sums_library-1.2.dist-info"
        files = {"sums/code.py", "sums/more.py", f"{info}/METADATA", f"{info}/WHEEL", f"{info}/RECORD"}
        assert set(archive.namelist()) == files
        about = Parser().parsestr(archive.read(f"{info}/METADATA").decode())
        assert (about["Name"], about["Version"]) == ("my_sums_library", "1.2")
        for row in archive.read(f"{info}/RECORD").decode().splitlines():
            name, digest, size = row.split(",")
            if digest:
                content = archive.read(name)
                known = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
                assert (digest, size) == (f"sha256={known}", str(len(content)))


def test_a_library_of_one_module_is_carried(root: Path) -> None:
    config = root / "config.ini"
    config.write_text(config.read_text().replace("sums/code.py", "sums.py"))
    page = root / "second.md"
    page.write_text(page.read_text().replace("from sums import code as sums", "import sums"))
    assert main(["lib"]) == 0
    with zipfile.ZipFile(BytesIO(package(install_cell(read(notebook(root)))))) as archive:
        assert "sums.py" in archive.namelist()


def test_a_wheel_of_the_book_is_carried_and_one_that_is_none_is_one_message(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = root / "config.ini"
    config.write_text(config.read_text().replace("[project]\n", "[project]\nd2l_address = own-3-py3-none-any.whl\n"))
    wheel = root / "own-3-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("sums/code.py", "x = 3\n")
    code = install_cell(read(notebook(root)))
    assert "own-3-py3-none-any.whl" in code
    with zipfile.ZipFile(BytesIO(package(code))) as archive:
        assert archive.read("sums/code.py") == b"x = 3\n"
    wheel.write_bytes(b"no archive")
    assert main(["colab"]) == 1
    said = capsys.readouterr().err
    assert "config.ini:4:1: error: 'own-3-py3-none-any.whl' is no wheel" in said and "[d2l-address]" in said


def test_a_library_that_is_not_written_yet_is_one_message(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / "sums" / "code.py").unlink()
    assert main(["colab"]) == 1
    said = capsys.readouterr().err
    assert "the library 'sums' has no file yet; run: d2lbook lib [d2l-address]" in said
