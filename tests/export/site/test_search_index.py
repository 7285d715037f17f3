"""The index of an edit is that of a new build: parts that stay are taken over, others are gone."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from d2lbook.export.site import search
from d2lbook.export.site.search import indexing

TABS = ("pytorch", "jax")


def write_pages(sources: Path, texts: dict[str, str]) -> None:
    for tab in TABS:
        (sources / tab).mkdir(parents=True, exist_ok=True)
        for path in (sources / tab).iterdir():
            path.unlink()
        for name, text in texts.items():
            page = f'<html lang="en"><body><main data-pagefind-body><h1 id="a">{name}</h1><p>{text}</p></main></body>'
            (sources / tab / f"{name}.html").write_text(f"<!doctype html>{page}</html>", encoding="utf-8")


def index(sources: Path, target: Path) -> None:
    with indexing(sources, TABS, target):
        pass


def bytes_in(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_after_edits_it_is_that_of_a_new_build(tmp_path: Path) -> None:
    sources, edited, new = tmp_path / "sources", tmp_path / "edited", tmp_path / "new"
    for texts in ({"one": "gradient", "two": "descent"}, {"one": "gradient", "two": "ascent"}, {"one": "gradient"}):
        write_pages(sources, texts)
        index(sources, edited)
    index(sources, new)
    assert bytes_in(edited) == bytes_in(new)
    assert len(list(new.glob("jax/fragment/*"))) == 1


@pytest.mark.parametrize("content", [b"", b"half of", b"\x1f\x8b\x08"])
def test_damaged_parts_are_made_anew(tmp_path: Path, content: bytes) -> None:
    sources, target = tmp_path / "sources", tmp_path / "index"
    write_pages(sources, {"one": "gradient"})
    index(sources, target)
    good = bytes_in(target)
    for part in target.rglob("*.pf_*"):
        part.write_bytes(content)
    index(sources, target)
    assert bytes_in(target) == good


def test_parts_of_another_version_are_not_taken_over(tmp_path: Path) -> None:
    sources, target = tmp_path / "sources", tmp_path / "index"
    write_pages(sources, {"one": "gradient"})
    index(sources, target)
    good = bytes_in(target)
    for tab in TABS:
        entry = target / tab / "pagefind-entry.json"
        entry.write_text(json.dumps({**json.loads(entry.read_text()), "version": "0.1"}))
        for part in target.glob(f"{tab}/fragment/*"):
            part.write_bytes(gzip.compress(b"as another version writes it"))
    index(sources, target)
    assert bytes_in(target) == good


def test_an_index_that_was_begun_is_begun_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sources, target = tmp_path / "sources", tmp_path / "index"
    write_pages(sources, {"one": "gradient"})
    run = search._run_pagefind

    def stopped(sources: Path, target: Path) -> None:
        run(sources, target)
        for part in tmp_path.glob("index.new/*/fragment/*"):
            part.write_bytes(b"half of")
        raise KeyboardInterrupt

    monkeypatch.setattr(search, "_run_pagefind", stopped)
    with pytest.raises(KeyboardInterrupt):
        index(sources, target)
    monkeypatch.undo()
    index(sources, target)
    index(sources, tmp_path / "new")
    assert bytes_in(target) == bytes_in(tmp_path / "new")
