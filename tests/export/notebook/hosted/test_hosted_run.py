"""Hosted notebooks run from top to bottom on their platform's versions, with nothing of the repository in reach.

Environments with those versions, CPU builds, are kept in `.venv/platforms`. PyTorch has one CPU build, for Python 3.11:
its notebooks run there, beside the platform's NumPy and matplotlib.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hosted import ROOT, build_book, install_cell, interpreter, read, run

from d2lbook.execute.versions import canonical, pinned
from d2lbook.export.notebook.hosted.platforms import PLATFORMS, Platform

pytestmark = [pytest.mark.hosted, pytest.mark.timeout(2400)]  # installs environments, runs several pages
FRAMEWORKS = ("pytorch", "mxnet", "jax", "tensorflow")
WITH_TORCH = (3, 11)
BASE = ("numpy", "matplotlib", "matplotlib-inline", "ipykernel", "ipython", "requests", "setuptools")
TO_COMPUTE = ("tensorflow", "keras", "jax", "jaxlib", "flax", "optax", "scipy")
ADDED = ("d2l", "mxnet", "jax", "jaxlib", "flax", "optax")  # by install cells, where the platform lacks them
CPU_BUILDS = {"tensorflow": "tensorflow-cpu"}


def requirements(platform: Platform, torch: bool) -> list[str]:
    """The platform's versions of what notebooks use; what its list leaves out (ipykernel) in any version."""
    wanted = [name for name in BASE if name != "setuptools"] if torch else [*BASE, *TO_COMPUTE]  # torch has its own
    listed = [name for name in wanted if name in platform.packages]
    pins = [f"{CPU_BUILDS.get(name, name)}=={platform.packages[name]}" for name in listed]
    own = [f"torch=={pinned(ROOT)['torch']}"] if torch else []
    return [*own, *pins, *(name for name in ("ipykernel",) if name not in platform.packages)]


def environment(platform: Platform, torch: bool) -> Path:
    """The Python of an environment as the platform's; made once, and brought back to what the platform has."""
    wanted = requirements(platform, torch)
    version = WITH_TORCH if torch else platform.python
    python = interpreter(version)
    mark = hashlib.sha256(json.dumps([*wanted, str(python)]).encode()).hexdigest()[:12]
    folder = ROOT / ".venv" / "platforms" / f"{platform.key}{'-torch' if torch else ''}-{mark}"
    own = folder / "bin" / "python"
    if not (folder / "complete").exists():
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([python, "-m", "venv", folder], check=True)
        subprocess.run([own, "-m", "pip", "install", "--quiet", *wanted], check=True)
        (folder / "complete").touch()
    extra = [name for name in ADDED if name not in platform.packages]
    subprocess.run([own, "-m", "pip", "uninstall", "--quiet", "--yes", *extra], check=True, capture_output=True)
    return own


def versions(python: Path) -> dict[str, str]:
    code = "import importlib.metadata as m, json; print(json.dumps({d.name: d.version for d in m.distributions()}))"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    return {canonical(name): version for name, version in json.loads(done.stdout).items()}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The notebooks of the book by platform, outside of the repository."""
    return {key: build_book(platform, tmp_path_factory.mktemp(key)) for key, platform in PLATFORMS.items()}


def chosen(root: Path, key: str, tab: str) -> list[Path]:
    """The notebooks to run of those below `root`: all where `D2L_ALL_PAGES` is set, else each page in one place.

    Two pages or so for a framework on a platform, so that it takes minutes, and no page that never ran.
    """
    places = list(itertools.product(sorted(PLATFORMS), FRAMEWORKS))
    everywhere = bool(os.environ.get("D2L_ALL_PAGES"))
    return [
        path
        for number, path in enumerate(sorted(root.rglob("*.ipynb")))
        if install_cell(read(path)) and (everywhere or number % len(places) == places.index((key, tab)))
    ]


@pytest.mark.parametrize("tab", FRAMEWORKS)
@pytest.mark.parametrize("key", sorted(PLATFORMS))
def test_notebooks_run_on_the_platforms_versions(
    key: str, tab: str, built: dict[str, Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("D2L_SHORT", "1")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    monkeypatch.delenv("PYTHONPATH", raising=False)
    platform = PLATFORMS[key]
    python = environment(platform, tab == "pytorch")
    before = versions(python)
    assert "d2l" not in before
    root = built[key] / tab
    paths = chosen(root, key, tab)
    assert paths
    for path in paths:
        done = run(path, python, tmp_path)  # as opened from disk: nothing lies beside it
        outputs = [output for cell in done.cells if cell.cell_type == "code" for output in cell.outputs]
        assert outputs and not any(output.output_type == "error" for output in outputs)
    after = versions(python)
    assert {name: after.get(name) for name in before} == before  # the install cell has moved nothing
    assert "d2l" in after
