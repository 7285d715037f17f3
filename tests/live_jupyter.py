"""A running Jupyter for the tests, whose contents manager is ours."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import quote

ROOT = Path(__file__).parents[1]


def setting() -> str:
    """The one setting, as the manual gives it for the command line; the line for a file says the same."""
    text = (ROOT / "manual" / "running.md").read_text(encoding="utf-8")
    (name,) = re.findall(r'^c\.ServerApp\.contents_manager_class = "([\w.]+)"$', text, re.MULTILINE)
    (option,) = re.findall(r"^jupyter lab (--\S+)$", text, re.MULTILINE)
    assert option == f"--ServerApp.contents_manager_class={name}"
    return str(option)


class Server:
    """Jupyter's server, or JupyterLab's, started with the one setting and a home of its own."""

    def __init__(self, module: str, root: Path, home: Path) -> None:
        self.root = root
        environment = os.environ | {
            "HOME": str(home),
            "JUPYTER_CONFIG_DIR": str(home),
            "JUPYTER_DATA_DIR": str(home),
            "PYTHONPATH": str(ROOT),
            "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
            "IPYTHONDIR": str(home / "ipython"),
        }
        self.log = (home / "log").open("w")
        self.process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                module,
                "--no-browser",
                "--allow-root",
                "--ServerApp.port=0",
                "--IdentityProvider.token=secret",
                f"--ServerApp.root_dir={root}",
                setting(),
            ],
            env=environment,
            cwd=home,
            stdout=self.log,
            stderr=self.log,
        )
        self.address = self._address(home)

    def _address(self, home: Path) -> str:
        for _ in range(600):
            for path in (home / "runtime").glob("jpserver-*.json"):
                if text := path.read_text():
                    return str(json.loads(text)["url"])
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        raise AssertionError((home / "log").read_text())

    def ask(self, method: str, path: str, body: object = None) -> Any:
        request = urllib.request.Request(
            f"{self.address}api/contents/{quote(path, safe='/?=&')}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": "token secret"},
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.loads(answer.read() or "null")

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:  # asked to end while a kernel connects, it waits for a thread that never ends
            self.process.kill()
            self.process.wait(10)
        self.log.close()
