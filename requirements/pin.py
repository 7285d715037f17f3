"""Writes html.txt and test.txt: html.in and test.in with the newest versions that fit together, pinned.

Run it with the oldest Python that the build supports, `python3.11 requirements/pin.py`, then lock.py for the hashes and
licenses.py for the list of licences, and commit what changes. What is too new for Debian's 3.11.2, which a later 3.11
does not notice, stands in constraints.txt; a test tells.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
HEADER = "# Written by requirements/pin.py from {source}; edit that and run it.\n"


def main() -> None:
    with tempfile.TemporaryDirectory() as directory:
        subprocess.check_call([sys.executable, "-m", "venv", directory])
        python = Path(directory) / "bin" / "python"
        html = pin(python, "html", ())
        # torch first: its pinned version is the CPU build, which a later requirement must find installed.
        pin(python, "test", html, "torch.txt")


def pin(python: Path, name: str, known: tuple[str, ...], *first: str) -> tuple[str, ...]:
    for source in (*first, f"{name}.in"):
        command = [str(python), "-m", "pip", "install", "--quiet", "-c", str(HERE / "constraints.txt")]
        subprocess.check_call([*command, "-r", str(HERE / source)])
    frozen = subprocess.run(
        [str(python), "-m", "pip", "freeze", "--all", "--exclude", "pip", "--exclude", "torch"],
        check=True, capture_output=True, text=True,
    ).stdout.split("\n")  # fmt: skip
    lines = tuple(sorted((line for line in frozen if line and line not in known), key=str.lower))
    (HERE / f"{name}.txt").write_text(HEADER.format(source=f"{name}.in") + "\n".join(lines) + "\n")
    return lines


if __name__ == "__main__":
    main()
