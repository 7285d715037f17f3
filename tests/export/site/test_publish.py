"""A site is put in place at once, and what is known of it early is copied early."""

from __future__ import annotations

from pathlib import Path

import pytest

from d2lbook.export.site.publish import publish, stage


def files_in(root: Path) -> dict[str, str]:
    return {path.relative_to(root).as_posix(): path.read_text() for path in root.rglob("*") if path.is_file()}


def write(root: Path, texts: dict[str, str]) -> dict[str, Path]:
    """Files of a site, at work in `root`: each in its own place, whatever their places on the site."""
    root.mkdir(exist_ok=True)
    files = {}
    for name, text in texts.items():
        path = root / name.replace("/", "-")
        if not path.exists() or path.read_text() != text:
            path.unlink(missing_ok=True)
            path.write_text(text)
        files[name] = path
    return files


SITES = [
    {"a.html": "one", "ko/b.html": "zwei"},
    {"a.html": "one", "ko/b.html": "other", "c": "a file"},
    {"a.html": "another", "c/d.html": "a folder"},
    {"a.html/e": "a folder", "c": "a file again"},
    {"a.html": "another", "c": "a file again"},
]


@pytest.mark.parametrize("staged", [True, False])
def test_the_site_holds_what_was_published_last(tmp_path: Path, staged: bool) -> None:
    target = tmp_path / "html"
    for texts in SITES:
        files = write(tmp_path / "work", texts)
        if staged:
            stage(files, target)
        publish(files, target)
        assert files_in(target) == texts


def test_what_is_staged_changes_no_site(tmp_path: Path) -> None:
    target = tmp_path / "html"
    for texts in SITES[:2]:
        publish(write(tmp_path / "work", texts), target)
    stage(write(tmp_path / "work", {"a.html": "half of", "ko/b.html": "a site"}), target)
    assert files_in(target) == SITES[1]
    publish(write(tmp_path / "work", SITES[2]), target)
    assert files_in(target) == SITES[2]


def test_what_is_staged_is_not_copied_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target, files = tmp_path / "html", write(tmp_path / "work", SITES[0])
    stage({"a.html": files["a.html"]}, target)
    copied: list[str] = []
    monkeypatch.setattr("shutil.copy2", lambda source, place: (copied.append(source.name), place.touch()))
    publish(files, target)
    assert copied == ["ko-b.html"]
