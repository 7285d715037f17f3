"""What is remembered between commands counts only while it was made of the same, by the same builder and user."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import time
from pathlib import Path

import pytest

from d2lbook.cache import Cache, FileHashes, PageValues

ROOT = Path(__file__).parents[1]
VALUE = {"page": ("text", 1)}


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "_build")


def stored(cache: Cache) -> Path:
    (path,) = (cache.output_dir / ".cache").glob("*.pickle")
    return path


class Harm:
    """What does something when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, (str(self.path),)


def test_a_value_comes_back_while_it_is_made_of_the_same(cache: Cache) -> None:
    assert cache.load("pages", "a") is None
    cache.store("pages", VALUE, "a")
    assert cache.load("pages", "a") == VALUE
    assert cache.load("pages", "b") is None
    assert cache.load("other", "a") is None


@pytest.mark.parametrize("where", ["signature", "content", "end"])
def test_a_damaged_value_is_none(cache: Cache, where: str) -> None:
    cache.store("pages", VALUE)
    data = bytearray(stored(cache).read_bytes())
    if where == "end":
        del data[-3:]
    else:
        data[5 if where == "signature" else 40] ^= 1
    stored(cache).write_bytes(bytes(data))
    assert cache.load("pages") is None


def test_a_value_under_another_name_is_none(cache: Cache) -> None:
    cache.store("pages", VALUE)
    stored(cache).rename(cache.output_dir / ".cache" / "other.pickle")
    assert cache.load("other") is None


def test_a_pickle_from_elsewhere_is_not_read(cache: Cache, tmp_path: Path) -> None:
    cache.store("pages", VALUE)
    content = pickle.dumps(Harm(tmp_path / "harm"))
    for forged in (content, stored(cache).read_bytes()[:32] + content, bytes(32) + content):
        stored(cache).write_bytes(forged)
        assert cache.load("pages") is None
    assert not (tmp_path / "harm").exists()
    pickle.loads(content)
    assert (tmp_path / "harm").exists()  # as it would be


@pytest.mark.parametrize("home", ["home", "new", "no"])
def test_the_key_is_the_users(tmp_path: Path, home: str) -> None:
    """Another user's values, and those of one whose key cannot be kept, are not read."""
    (tmp_path / "no").write_text("no folder")
    code = "import sys, pathlib; from d2lbook.cache import Cache; c = Cache(pathlib.Path('_build'));"

    def said(name: str, words: str) -> str:
        environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / name), "PYTHONPATH": str(ROOT)}
        done = subprocess.run(
            [sys.executable, "-c", code + words],
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    said("home", "c.store('pages', 7)")
    assert said(home, "print(c.load('pages'))") == ("7" if home == "home" else "None")
    if home == "home":
        assert (tmp_path / "home/d2lbook/key").stat().st_mode & 0o077 == 0


def test_outputs_are_fresh_while_they_are_there_and_made_of_the_same(cache: Cache) -> None:
    path = cache.output_dir / "pdf" / "a.pdf"
    path.parent.mkdir(parents=True)
    path.write_text("PDF")
    assert cache.outputs("pdf-a", "x") is None
    cache.mark("pdf-a", "x", [path])
    assert cache.outputs("pdf-a", "x") == [path]
    assert cache.outputs("pdf-a", "y") is None
    assert cache.outputs("pdf-b", "x") is None
    path.unlink()
    assert cache.outputs("pdf-a", "x") is None


def test_what_is_forgotten_or_damaged_is_made_again(cache: Cache) -> None:
    cache.mark("pdf-a", "x", [])
    assert cache.outputs("pdf-a", "x") == []
    cache.forget("pdf-a")
    cache.forget("pdf-a")
    assert cache.outputs("pdf-a", "x") is None
    cache.mark("pdf-a", "x", [])
    (path,) = (cache.output_dir / ".cache" / "outputs").iterdir()
    for damaged in ("", "[]", "{", '{"made of": "y"}'):
        path.write_text(damaged)
        assert cache.outputs("pdf-a", "x") is None


def test_a_file_is_hashed_again_when_it_changed_even_within_one_tick_of_the_clock(tmp_path: Path) -> None:
    path, place = tmp_path / "page.md", tmp_path / "files.json"
    hashes = FileHashes(place)
    found = []
    for text in ("one", "two", "one"):  # of one length, written within the same tick
        path.write_text(text)
        found.append(hashes.of(path))
    assert found[0] == found[2] != found[1]


def test_what_did_not_change_is_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, place = tmp_path / "page.md", tmp_path / "files.json"
    path.write_text("one")
    time.sleep(0.2)
    hashes = FileHashes(place)
    before = hashes.of(path)
    hashes.store()
    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_bytes", lambda self: place.open("rb").read() if self == place else pytest.fail())
        assert FileHashes(place).of(path) == before
    path.write_text("two")
    assert FileHashes(place).of(path) != before


@pytest.mark.parametrize(
    "damaged", ["", "{", "[]", "7", '{"page.md": 3}', '{"page.md": ["only one"]}', '{"page.md": {}}']
)
def test_damaged_hashes_are_made_again(tmp_path: Path, damaged: str) -> None:
    path, place = tmp_path / "page.md", tmp_path / "files.json"
    path.write_text("one")
    right = FileHashes(tmp_path / "none").of(path)
    place.write_text(damaged.replace("page.md", str(path)))
    assert FileHashes(place).of(path) == right


def test_a_page_keeps_the_values_that_it_still_has(tmp_path: Path) -> None:
    made = []

    def shout(text: str) -> str:
        made.append(text)
        return text.upper()

    first = PageValues()
    assert [first.of(shout, word) for word in ("a", "b", "a")] == ["A", "B", "A"] and first.changed
    second = PageValues(first.used)
    assert second.of(shout, "a") == "A" and made == ["a", "b"]
    assert second.changed and len(second.used) == 1  # "b" is forgotten
