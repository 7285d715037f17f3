"""Rows 7, 19, 21 and 22: foreign folders to publish in, large results, and what a killed command leaves."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from books import write_book

from d2lbook.cli import main
from d2lbook.config import load
from d2lbook.diagnostics import BookError, Messages
from d2lbook.execute import frozen
from d2lbook.export.deploy.manifest import NAME
from d2lbook.export.deploy.targets import open_target
from d2lbook.files import TEMPORARY, sweep, write_atomic

CONFIG = "[build]\ntabs = pytorch\neval_notebook = false\n"
OURS = {"builder": "d2lbook 2.0", "files": {}}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "book"
    write_book(root, {"page": "Text.\n"}, CONFIG)
    monkeypatch.chdir(root)
    return root


def put(root: Path, host: Path, name: str) -> None:
    target = open_target(str(host), load(root / "config.ini", Messages()))
    target.put({name: b"new", NAME: json.dumps(OURS).encode()})


@pytest.mark.parametrize(
    "content", ['{"name": "an app"}', '{"files": {"thesis.txt": {"sha256": "x"}}}', "[]", "no JSON"]
)
def test_a_folder_with_a_manifest_of_another_kind_is_refused(root: Path, tmp_path: Path, content: str) -> None:
    host = tmp_path / "host"
    host.mkdir()
    (host / NAME).write_text(content)
    (host / "thesis.txt").write_text("years of work")
    with pytest.raises(BookError):
        put(root, host, "index.html")
    assert (host / "thesis.txt").read_text() == "years of work"


@pytest.mark.parametrize("listed", [{}, {"link/f": {"sha256": "x"}}])
def test_nothing_is_written_or_removed_through_a_link(root: Path, tmp_path: Path, listed: dict[str, object]) -> None:
    host, other = tmp_path / "host", tmp_path / "other"
    host.mkdir()
    other.mkdir()
    (other / "f").write_text("years of work")
    (host / "link").symlink_to(other)
    listed = listed or {"index.html": {"sha256": "x"}}
    (host / NAME).write_text(json.dumps({**OURS, "files": listed}))
    with pytest.raises(BookError):
        put(root, host, "link/f" if "link/f" not in listed else "index.html")
    assert [path.read_text() for path in other.iterdir()] == ["years of work"]


@pytest.mark.parametrize("name", ["refs/heads/main", "-x", "a..b", "a b"])
def test_a_branch_has_a_plain_name(root: Path, name: str) -> None:
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    with pytest.raises(BookError):
        open_target(f"branch:{name}", load(root / "config.ini", Messages()))


@pytest.mark.parametrize(("size", "code"), [(2000, "result-large"), (900, "result-damaged")])
def test_a_result_that_no_page_can_show_is_not_read(
    root: Path, monkeypatch: pytest.MonkeyPatch, size: int, code: str
) -> None:
    monkeypatch.setattr(frozen, "LARGEST", 1000)
    path = frozen.run_path(root, "page", "pytorch")
    path.parent.mkdir(parents=True)
    path.write_text("[" * size)
    with pytest.raises(BookError) as caught:
        frozen.load_run(root, "page", "pytorch")
    assert caught.value.messages[0].code == code


KILLED = """
import os, signal, sys
from pathlib import Path
from d2lbook import files
os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)
files.write_atomic(Path(sys.argv[1]), "half")
"""


@pytest.mark.parametrize("place", ["locales/ko/page.po", "outputs/page/pytorch.cpu.json", "words/torch.py"])
def test_what_a_killed_command_left_is_swept(root: Path, place: str) -> None:
    (root / "config.ini").write_text(f"{CONFIG}\n[library-pytorch]\nlib_file = words/torch.py\nlib_name = torch\n")
    path = root / place
    subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
    (left,) = path.parent.iterdir()
    assert left.name.endswith(TEMPORARY)
    mine = path.with_name(f".{path.name}.{os.getpid()}.abc{TEMPORARY}")
    mine.touch()
    own = path.with_name(f".notes{TEMPORARY}")
    own.touch()
    assert main(["check"]) == 0
    assert set(path.parent.iterdir()) == {mine, own}


def test_a_long_name_is_written_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 250)
    assert write_atomic(path, "text")
    sweep(tmp_path)
    assert path.read_text() == "text"
