"""Frozen results: one file per page, framework and kind of device under `outputs/`."""

from __future__ import annotations

import glob
import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from d2lbook.diagnostics import error_at
from d2lbook.execute.outputs import from_lines, to_lines
from d2lbook.files import write_atomic
from d2lbook.security.inside import CODE, why_outside

CPU = "cpu"  # the kind of device that every machine has
_KIND = re.compile("[a-z][a-z0-9]*")
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


def run_path(root: Path, page: str, tab: str, device: str = CPU) -> Path:
    return root / "outputs" / page / f"{tab}.{device}.json"


def load_run(root: Path, page: str, tab: str, device: str = CPU) -> Run | None:
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
            CellResult(cell["hash"], cell["seconds"], tuple(map(_read_output, cell["outputs"])))
            for cell in data["cells"]
        )
        return Run(data["key"], cells, Produced(**data["produced"]))
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        place = path.relative_to(root).as_posix()
        mend = f"run: d2lbook eval {page} --tab {tab}" if device == CPU else "take it again, or remove it"
        text = f"a damaged result ({error}); {mend}"
        raise error_at(place, 0, 0, text, "result-damaged") from error


def _read_output(written: dict[str, Any]) -> dict[str, Any]:
    """An output with all that the formats ask it for. Raises what `load_run` calls damage."""
    output = from_lines(written)
    wanted = {"stream": ("name", "text"), "display_data": ("data", "metadata")}
    wanted["execute_result"] = wanted["display_data"]
    for name in wanted.get(output["output_type"], ()):
        if not isinstance(output[name], str if name in {"name", "text"} else dict):
            raise TypeError(f"{name} of an output is of another kind")
    for text in (output.get("text", ""), *output.get("data", {}).values()):
        text.encode()  # half of a character beyond U+FFFF, which only JSON can write, is no text
    return output


def store_run(root: Path, page: str, tab: str, run: Run, device: str = CPU) -> Path:
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


def run_paths(root: Path, page: str, tab: str) -> list[Path]:
    """The files of a page's results, the CPU's first."""
    return [run_path(root, page, tab, kind) for kind in (CPU, *frozen_devices(root, page, tab))]


def frozen_devices(root: Path, page: str, tab: str) -> list[str]:
    """The kinds of device other than the CPU that there is a result from, such as "cuda"."""
    kinds = (
        path.name[len(tab) + 1 : -len(".json")] for path in (root / "outputs" / page).glob(f"{glob.escape(tab)}.*.json")
    )
    return sorted(kind for kind in kinds if kind != CPU and _KIND.fullmatch(kind))
