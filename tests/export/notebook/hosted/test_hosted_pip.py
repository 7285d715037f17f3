"""pip's own resolver, asked with a platform's packages in place: no install cell of the book moves any of them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hosted import build_book, install_cell, interpreter, pip_arguments, read, with_package

from d2lbook.execute.versions import canonical
from d2lbook.export.notebook.hosted.platforms import PLATFORMS, Platform

pytestmark = pytest.mark.hosted


@pytest.fixture(scope="module", params=sorted(PLATFORMS))
def platform(request: pytest.FixtureRequest) -> Platform:
    return PLATFORMS[request.param]


@pytest.fixture(scope="module")
def notebooks(platform: Platform, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """For each install cell that the book has on the platform, a notebook with it."""
    paths = sorted(build_book(platform, tmp_path_factory.mktemp(platform.key)).rglob("*.ipynb"), reverse=True)
    return {code: path for path in paths if (code := install_cell(read(path)))}


@pytest.fixture(scope="module")
def there(platform: Platform, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Python as on the platform, with all of its packages, of which there is only what pip reads of them."""
    folder = tmp_path_factory.mktemp("platform") / "venv"
    command = [interpreter(platform.python), "-m", "venv", "--without-pip", folder]
    subprocess.run(command, check=True)
    place = next(folder.glob("lib/python3.*/site-packages"))
    for name, version in platform.packages.items():
        info = place / f"{name.replace('-', '_')}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        (info / "INSTALLER").write_text("pip\n")
    return folder / "bin" / "python"


def resolved(python: Path, arguments: list[str], folder: Path) -> dict[str, str]:
    """What pip would install, by name."""
    report = folder / "report.json"
    command = [sys.executable, "-m", "pip", "--python", python, *arguments, "--dry-run", "--report", report]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{arguments}\n{done.stderr}"
    items = json.loads(report.read_text())["install"]
    return {canonical(item["metadata"]["name"]): item["metadata"]["version"] for item in items}


def test_the_list_is_seen_by_pip(platform: Platform, there: Path, tmp_path: Path) -> None:
    """Else the next test could not fail: a version that is there is kept, a newer one would move it."""
    assert resolved(there, ["install", "numpy"], tmp_path) == {}
    assert list(resolved(there, ["install", f"numpy!={platform.packages['numpy']}"], tmp_path)) == ["numpy"]


def test_no_install_cell_moves_what_the_platform_has(
    platform: Platform, notebooks: dict[str, Path], there: Path, tmp_path: Path
) -> None:
    assert notebooks
    for code in notebooks:
        installed: dict[str, str] = {}
        for arguments in with_package(pip_arguments(code, platform), code, tmp_path):
            installed |= resolved(there, arguments, tmp_path)
        assert "d2l" in installed
        moved = {name: (platform.packages[name], new) for name, new in installed.items() if name in platform.packages}
        assert moved == {}, code
