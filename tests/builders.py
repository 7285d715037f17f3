"""A copy of the builder to change, and books that it builds."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import d2lbook


def copy_builder(room: Path) -> Path:
    """Copy the builder into `room`; what it vendors is linked to, not copied."""
    package = Path(d2lbook.__file__).parent
    shutil.copytree(package, room / "d2lbook", ignore=shutil.ignore_patterns("__pycache__", "vendor"))
    (room / "d2lbook/static/vendor").symlink_to(package / "static/vendor")
    return room / "d2lbook"


def run_copy(room: Path, *arguments: str) -> str:
    """Run the copy on the book in `room/book`, and return all that it says."""
    environment = {**os.environ, "PYTHONPATH": f"{room}{os.pathsep}{room / 'book'}"}
    command = [sys.executable, "-m", "d2lbook", *arguments]
    done = subprocess.run(command, cwd=room / "book", env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr
