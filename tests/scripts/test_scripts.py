"""What the site's scripts compute, without a page: `*.test.mjs`, run by the test runner of Playwright's Node.js."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from playwright._impl._driver import compute_driver_executable

from d2lbook import languages

HERE = Path(__file__).parent


@pytest.mark.parametrize("path", sorted(HERE.glob("*.test.mjs")), ids=lambda path: path.name)
def test_script(path: Path) -> None:
    node, _ = compute_driver_executable()
    known = {lang: json.loads(languages.search(lang)) for lang in languages.known()}
    environment = {**os.environ, "D2L_LANGUAGES": json.dumps(known)}
    done = subprocess.run([node, "--test", path], capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "# tests 0" not in done.stdout
