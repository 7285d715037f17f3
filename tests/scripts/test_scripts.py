"""What the site's scripts compute, without a page: `*.test.mjs`, run by the test runner of Playwright's Node.js."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from playwright._impl._driver import compute_driver_executable

HERE = Path(__file__).parent


@pytest.mark.parametrize("path", sorted(HERE.glob("*.test.mjs")), ids=lambda path: path.name)
def test_script(path: Path) -> None:
    node, _ = compute_driver_executable()
    done = subprocess.run([node, "--test", str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "# tests 0" not in done.stdout
