"""Pages changed at random: a small part of what `make fuzz` does, the same in every run."""

from __future__ import annotations

from pathlib import Path

import mutation
import pytest
from mutated_files import KINDS, dealt_out, failure, is_inert
from mutation import Failure, TooSlow, examine, failures, mutated

FIRST, PAGES = 7_000_000, 60  # none of those that `make fuzz` begins with


def test_nothing_raises_or_hangs_whatever_a_page_holds() -> None:
    found = list(failures([mutated(seed) for seed in range(FIRST, FIRST + PAGES)]))
    assert "\n\n".join(f"{failure.page}\n{failure.trace}" for failure in found) == ""


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_raises_hangs_or_runs_whatever_another_file_holds(kind: str) -> None:
    count = 10 if kind in {"catalog", "result"} else 100
    found = [failed for seed in range(FIRST, FIRST + count) if (failed := failure(kind, seed)) is not None]
    assert "\n\n".join(f"{failed.page}\n{failed.trace}" for failed in found) == ""


def test_every_kind_of_file_has_its_share() -> None:
    dealt = dealt_out(2_000, 7)
    assert len(dealt) == len(set(dealt)) == 2_000 and {kind for kind, _ in dealt} == set(KINDS)
    assert min(number for _, number in dealt) == 7 and dealt.count(("result", 106)) == 1


def test_what_runs_or_loads_is_told_from_what_does_not() -> None:
    for text in ('<a href="https://evil.example/">x</a>', '<b title="javascript:f onload=x">x</b>', "a onload=b"):
        assert is_inert(text)
    for text in (
        '<b onload="f()">',
        '<a href="javascript:f()">',
        '<p style="x:url(//evil.example)">',
        "<script>",
        "<Iframe>",
    ):
        assert not is_inert(text)


def test_a_seed_is_always_the_same_page() -> None:
    assert [mutated(seed) for seed in range(9)] == [mutated(seed) for seed in range(9)]
    assert len({mutated(seed) for seed in range(99)}) > 90


def test_the_page_that_raises_is_found_among_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def pretended(pages: list[str], root: Path) -> None:
        if "bad" in pages:
            raise KeyError("pretended")

    monkeypatch.setattr(mutation, "examine", pretended)
    (found,) = failures(["a", "b", "bad", "c", "d"])
    assert found.page == "bad" and "KeyError: 'pretended'" in found.trace


def test_a_page_that_takes_too_long_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def pretended(pages: list[str], root: Path) -> None:
        while "slow" in pages:
            pass

    monkeypatch.setattr(mutation, "examine", pretended)
    (found,) = failures(["a", "slow"], seconds=0.2)
    assert isinstance(found, Failure) and found.page == "slow" and TooSlow.__name__ in found.trace


def test_pages_are_examined_in_every_format(tmp_path: Path) -> None:
    messages = examine(["# A\n\n[**Shown**] $x$ :numref:`none`\n"], tmp_path)
    assert {message.code for message in messages} == {"label-undefined", "lib-name-undefined"}
    made = {path.suffix for path in (tmp_path / "_build").rglob("*") if path.is_file()}
    assert {".html", ".ipynb", ".epub"} <= made
    assert (tmp_path / "_build/slides/en/jax/page0.html").is_file()
