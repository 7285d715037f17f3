"""Reading sources as they are; writing so that neither a full disk nor a kill loses what was there."""

from __future__ import annotations

import errno
import os
import random
from pathlib import Path

import pytest
from faults import KILLED, run_until

from d2lbook.diagnostics import BookError
from d2lbook.files import everything_below, is_file, read_text, write_atomic

WRITE = """
from pathlib import Path
from d2lbook.files import write_atomic
for number in range(4):
    write_atomic(Path(f"page{number}.txt"), "new " * 1000)
"""


def test_line_ends_and_byte_order_mark_are_kept(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes("\ufeff# Ä\r\n\r\nb\n".encode())
    assert read_text(tmp_path / "a.md") == "\ufeff# Ä\r\n\r\nb\n"


@pytest.mark.parametrize(
    ("content", "line", "code"), [(b"a\nb\xff\n", 2, "file-encoding"), (b"a\n\n\x00\xff", 3, "file-binary")]
)
def test_what_is_not_text_is_an_error_with_its_line(tmp_path: Path, content: bytes, line: int, code: str) -> None:
    (tmp_path / "a.md").write_bytes(content)
    with pytest.raises(BookError) as caught:
        read_text(tmp_path / "a.md")
    (message,) = caught.value.messages
    assert (message.line, message.code) == (line, code)


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(BookError, match=r"cannot be read: No such file"):
        read_text(tmp_path / "a.md")


def test_unchanged_content_is_not_written_again(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "a.txt"
    assert write_atomic(path, "x\r\n")
    before = path.stat()
    assert not write_atomic(path, b"x\r\n")
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert write_atomic(path, "y")
    assert path.read_bytes() == b"y"


@pytest.mark.parametrize("call", ["fsync", "chmod", "rename", "replace"])
def test_a_full_disk_leaves_the_old_file_and_nothing_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    path = tmp_path / "a.txt"
    write_atomic(path, "old")

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    if call == "rename":
        monkeypatch.setattr(Path, "replace", full)
    else:
        monkeypatch.setattr(os, call, full)
    with pytest.raises(OSError, match="No space left"):
        write_atomic(path, "new")
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.txt"]


def test_a_kill_at_any_write_leaves_each_file_old_or_new(tmp_path: Path) -> None:
    old = {f"page{number}.txt": "old" for number in range(4)}

    def restore() -> None:
        for entry in tmp_path.iterdir():
            entry.unlink()
        for name, text in old.items():
            (tmp_path / name).write_text(text)

    restore()
    total = run_until(WRITE, tmp_path, 0).writes
    assert total >= 8
    assert {path.read_text() for path in tmp_path.iterdir()} == {"new " * 1000}
    for nth in random.Random(7).sample(range(1, total + 1), 5):
        restore()
        assert run_until(WRITE, tmp_path, nth).status == KILLED
        assert all((tmp_path / name).read_text() in ("old", "new " * 1000) for name in old)


def test_everything_below_is_named_by_its_place_and_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "left-out" / "x").mkdir(parents=True)
    (tmp_path / "a" / "b" / "c.txt").write_text("c")
    (tmp_path / "a.txt").write_text("a")
    (tmp_path / "link").symlink_to(tmp_path / "a", target_is_directory=True)
    (tmp_path / "nowhere").symlink_to(tmp_path / "is-not-there")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    found = dict(everything_below(tmp_path, lambda folder: folder.name == "left-out"))
    assert sorted(found) == ["a", "a.txt", "a/b", "a/b/c.txt", "link", "loop", "nowhere"]
    assert all(Path(entry) == tmp_path / name for name, entry in found.items())
    assert list(everything_below(tmp_path / "is-not-there")) == []
    assert [name for name, entry in sorted(found.items()) if is_file(entry)] == ["a.txt", "a/b/c.txt"]
