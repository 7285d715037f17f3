"""Works in processes of their own: results in order, errors as they are, nothing left behind."""

from __future__ import annotations

import functools
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from d2lbook.diagnostics import BookError, error_at
from d2lbook.process_pool import run_all


def _note(path: Path, seconds: float = 0.0, after: Path | None = None) -> int:
    time.sleep(seconds)
    if after is not None:
        _wait_for(after)
    path.touch()
    return os.getpid()


def _wait_for(path: Path) -> None:
    deadline = time.monotonic() + 20
    while not path.exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize("at_once", [1, 2, 5])
def test_results_come_in_order_whoever_is_done_first(at_once: int) -> None:
    def slow_first(number: int) -> int:
        time.sleep(0.2 if number == 0 else 0.0)
        return number

    works = [functools.partial(slow_first, number) for number in range(4)]
    assert list(run_all(works, at_once)) == [0, 1, 2, 3]


def test_each_work_has_a_process_that_knows_what_was_read() -> None:
    known = {"read": "before"}

    def work() -> tuple[int, dict[str, str]]:
        known["read"] += " and after"
        return os.getpid(), dict(known)

    (first, seen), (second, seen_too) = run_all([work, work], 2)
    assert len({first, second, os.getpid()}) == 3
    assert seen == seen_too == {"read": "before and after"}
    assert known == {"read": "before"}


def test_works_begin_while_the_next_are_prepared(tmp_path: Path) -> None:
    """The second is only made when the first is at work, and made though the first is not done."""

    def works() -> Iterator[Callable[[], int]]:
        yield functools.partial(_note, tmp_path / "first", after=tmp_path / "prepared")
        assert not (tmp_path / "first").exists()
        (tmp_path / "prepared").touch()
        _wait_for(tmp_path / "first")
        yield functools.partial(_note, tmp_path / "second")

    assert len(list(run_all(works(), 2))) == 2


def test_no_more_than_asked_for_are_at_work(tmp_path: Path) -> None:
    def count() -> int:
        place = tmp_path / str(os.getpid())
        place.touch()
        time.sleep(0.1)
        found = len(list(tmp_path.iterdir()))
        place.unlink()
        return found

    assert max(run_all([count] * 6, 2)) <= 2


def test_a_large_result_comes_whole() -> None:
    assert [len(text) for text in run_all([lambda: "x" * 5_000_000] * 2, 2)] == [5_000_000] * 2


def test_an_error_is_raised_as_it_is_and_stops_the_others(tmp_path: Path) -> None:
    def wrong() -> int:
        raise error_at("page.md", 3, 4, "what is wrong; what to do", "some-code")

    with pytest.raises(BookError) as raised:
        list(run_all([wrong, functools.partial(_note, tmp_path / "late", 30.0)], 2))
    assert str(raised.value) == "page.md:3:4: error: what is wrong; what to do [some-code]"
    assert [str(message) for message in raised.value.messages] == [
        "page.md:3:4: error: what is wrong; what to do [some-code]"
    ]
    assert not multiprocessing.active_children()
    assert not (tmp_path / "late").exists()


def test_a_full_disk_is_told_as_such() -> None:
    def full() -> int:
        raise OSError(28, "No space left on device", "page.html")

    with pytest.raises(OSError, match="No space left") as raised:
        list(run_all([full, full], 2))
    assert (raised.value.errno, raised.value.filename) == (28, "page.html")


def test_a_process_that_is_killed_is_no_result() -> None:
    def killed() -> int:
        os.kill(os.getpid(), signal.SIGKILL)
        return 1

    with pytest.raises(BookError, match=r"status -9.*--lang"):
        list(run_all([killed, killed], 2))
    assert not multiprocessing.active_children()


def test_whoever_stops_listening_leaves_nothing_running() -> None:
    results = run_all([lambda: 1, lambda: time.sleep(60)], 2)
    assert next(results) == 1
    results.close()
    assert not multiprocessing.active_children()


def test_a_process_with_threads_of_its_own_is_not_copied() -> None:
    """A copy of it could wait for ever for a lock that a thread held which the copy does not have."""
    alone = "from d2lbook.process_pool import processors; print(processors())"
    threaded = f"import threading; threading.Thread(target=threading.Event().wait, daemon=True).start(); {alone}"
    found = [
        int(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)
        for code in (alone, threaded)
    ]
    assert found == [os.cpu_count(), 1]
