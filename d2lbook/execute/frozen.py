"""Frozen results: one file per page, framework and kind of device under `outputs/`."""

from __future__ import annotations

import glob
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from d2lbook.diagnostics import error_at
from d2lbook.execute.outputs import from_lines, to_lines
from d2lbook.files import write_atomic
from d2lbook.security.inside import CODE, why_outside

LARGEST = 50_000_000  # bytes of a page's result: more than all that its cells may print


@dataclass(frozen=True, slots=True)
class CellResult:
    hash: str  # of the cell's code
    seconds: float
    outputs: tuple[dict[str, Any], ...]  # as nbformat writes them


@dataclass(frozen=True, slots=True)
class Produced:
    """What a result was made with."""

    versions: dict[str, str]
    device: str  # "CPU, 2 cores" or an accelerator's name
    date: str  # UTC, as 2026-11-21
    seconds: float
    finished: str = ""  # UTC to the second, of a result from another machine: tells the newer of two


@dataclass(frozen=True, slots=True)
class Run:
    """The results of one page in one framework."""

    key: str
    cells: tuple[CellResult, ...]
    produced: Produced


def run_path(root: Path, page: str, tab: str, device: str = "cpu") -> Path:
    return root / "outputs" / page / f"{tab}.{device}.json"


def load_run(root: Path, page: str, tab: str, device: str = "cpu") -> Run | None:
    """The frozen result, None when there is none. Raises BookError when the file is damaged."""
    path = run_path(root, page, tab, device)
    if why := why_outside(root, "", path.relative_to(root).as_posix()):
        raise error_at(path.relative_to(root).as_posix(), 0, 0, why, CODE)
    try:
        if (size := path.stat().st_size) > LARGEST:
            what = f"a result of {size / 1e6:.0f} MB, which no page can show; let its cells print less"
            raise error_at(path.relative_to(root).as_posix(), 0, 0, what, "result-large")
        data = json.loads(path.read_text(encoding="utf-8"))
        cells = tuple(
            CellResult(cell["hash"], cell["seconds"], tuple(from_lines(output) for output in cell["outputs"]))
            for cell in data["cells"]
        )
        return Run(data["key"], cells, Produced(**data["produced"]))
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        place = path.relative_to(root).as_posix()
        text = f"a damaged result ({error}); run: d2lbook eval {page} --tab {tab}"
        raise error_at(place, 0, 0, text, "result-damaged") from error


def store_run(root: Path, page: str, tab: str, run: Run, device: str = "cpu") -> Path:
    """Freezes a result in place of the older one. OSError leaves the older one."""
    path = run_path(root, page, tab, device)
    data = asdict(run)
    if not run.produced.finished:
        del data["produced"]["finished"]
    for cell in data["cells"]:
        cell["outputs"] = [to_lines(output) for output in cell["outputs"]]
    text = json.dumps(data, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    write_atomic(path, text)
    return path


def frozen_devices(root: Path, page: str, tab: str) -> list[str]:
    """The kinds of device other than the CPU that there is a result from, such as "cuda"."""
    found = (root / "outputs" / page).glob(f"{glob.escape(tab)}.*.json")
    return sorted(kind for path in found if (kind := path.name.removeprefix(f"{tab}.").removesuffix(".json")) != "cpu")
