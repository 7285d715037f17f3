"""The process that typesets formulas ends when nobody needs it any more, whatever ended them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import d2lbook
from d2lbook.rendering.formulas import KATEX

QUESTION = json.dumps([["x", False]]) + "\n"


@contextmanager
def katex() -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-P", "-m", "d2lbook.rendering.katex_process", str(KATEX / "dist" / "katex.min.js")]
    home = Path(d2lbook.__file__).parent.parent
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": str(home)},
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def test_it_ends_with_its_questions() -> None:
    with katex() as process:
        answer, trace = process.communicate(QUESTION, timeout=60)
        assert process.returncode == 0, trace
    assert "katex" in json.loads(answer)[0][0]


@pytest.mark.parametrize("question", [QUESTION, "no JSON\n"])
def test_it_ends_when_whoever_asked_is_gone(question: str) -> None:
    with katex() as process:
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        process.stdout.close()
        process.stderr.close()
        process.stdin.write(question)
        process.stdin.close()
        assert process.wait(60) != 0
