"""The command of a bundle: which pages run, on what, for how long, and where their results go."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from . import jobs, machine, page
from .archive import ArchiveError
from .results import Results

ROOT = Path(__file__).resolve().parents[1]
MANIFEST = "bundle.json"


def main(argv: Sequence[str]) -> int:
    """0 when every page asked for is there, 1 when one failed or is left to do, 2 for what cannot be read."""
    if argv[:1] == ["--in-process"]:
        return page.run(*map(Path, argv[1:]))
    try:
        return _Command(_arguments(argv)).run()
    except ArchiveError as error:
        print(f"run.py: {error}", file=sys.stderr)
        return 2


def _arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="run.py", description="Runs the bundle's pages; those that the results hold already are left out."
    )
    parser.add_argument("pages", nargs="*", metavar="PAGE", help="only these, in this order")
    parser.add_argument("--tab", default="", help="only these frameworks, comma-separated")
    parser.add_argument("--limit", type=float, default=0, help="seconds a page may take (default: as the book says)")
    parser.add_argument("--total", type=float, default=float("inf"), help="seconds in all; then what runs is given up")
    parser.add_argument("--results", type=Path, default=Path("results.zip"), help="file to write, and to go on from")
    parser.add_argument("--resume", type=Path, help="go on from this file, too, if it is there")
    parser.add_argument("--again", action="store_true", help="also run what failed or took too long before")
    parser.add_argument("--jobs", type=int, default=0, help="pages at a time (default: one a GPU, or one)")
    return parser.parse_args(argv)


class _Command:
    def __init__(self, arguments: argparse.Namespace) -> None:
        self.arguments = arguments
        self.manifest, self.bundle = _verified()
        self.gpus = machine.gpus()
        short = bool(os.environ.get("D2L_SHORT"))
        head = {name: self.manifest[name] for name in ("book", "commit")}
        head |= {"bundle": self.bundle, "short": short, "machine": machine.described(self.gpus)}
        self.results = Results(arguments.results.resolve(), head)
        self.versions: dict[str, dict[str, str]] = {}
        self.done = self.failed = 0

    def run(self) -> int:
        for path in (self.arguments.results, self.arguments.resume):
            if path is not None and path.is_file():
                self.results.go_on_from(path)
        wanted = self._wanted()
        again = {""} if not self.arguments.again else {"", "failed", "limit"}
        todo = [job for job in wanted if self.results.state(job.plan["page"], job.plan["tab"]) in again]
        names = ", ".join(gpu.name for gpu in self.gpus) or f"no GPU, {machine.cores()} cores"
        _say(f"{len(todo)} of {len(wanted)} to run on {names}")
        signal.signal(signal.SIGTERM, _interrupt)
        limits = jobs.Limits(
            self.arguments.limit or self.manifest["time_limit"], time.monotonic() + self.arguments.total
        )
        at_once = self.arguments.jobs or max(len(self.gpus), 1)
        stopped = 0
        with tempfile.TemporaryDirectory(prefix="d2l-wheels-") as folder:
            try:
                path = _install_wheels(folder)
                jobs.run_all(todo, [gpu.index for gpu in self.gpus], at_once, ROOT, path, limits, self._finished)
            except KeyboardInterrupt as error:
                stopped = error.args[0] if error.args else 130
        self.results.write()
        left = [job.name for job in wanted if self.results.state(job.plan["page"], job.plan["tab"]) != "done"]
        _say(f"{len(wanted) - len(left)} of {len(wanted)} done, in {self.arguments.results}")
        if left:
            _say("not done: " + ", ".join(left))
        return stopped or int(bool(left))

    def _wanted(self) -> list[jobs.Job]:
        tabs = [tab.strip() for tab in self.arguments.tab.split(",") if tab.strip()]
        pages = list(dict.fromkeys(map(self._page, self.arguments.pages)))
        if unknown := set(tabs) - set(self.manifest["tabs"]):
            raise ArchiveError(f"this bundle has {', '.join(self.manifest['tabs'])}; not {', '.join(sorted(unknown))}")
        found = [entry for entry in self.manifest["pages"] if not tabs or entry["tab"] in tabs]
        if pages:
            found = sorted((entry for entry in found if entry["page"] in pages), key=lambda e: pages.index(e["page"]))
        paths = [ROOT / entry["file"] for entry in found]
        return [jobs.Job(path, json.loads(path.read_text(encoding="utf-8"))) for path in paths]

    def _page(self, name: str) -> str:
        names = {entry["page"] for entry in self.manifest["pages"]}
        found = [known for known in names if known == name or known.endswith(f"/{name}")]
        if len(found) != 1:
            raise ArchiveError(f"no page {name} in this bundle; there are {', '.join(sorted(names))}")
        return str(found[0])

    def _finished(self, job: jobs.Job, outcome: dict[str, Any]) -> None:
        if not outcome["state"]:  # given up at the end of the time: not run
            _say(f"{job.name} given up: the time is over")
            return
        tab = job.plan["tab"]
        if tab not in self.versions:
            self.versions[tab] = machine.versions(job.plan["packages"], job.plan["modules"])
        versions = dict(self.versions[tab])
        if cuda := outcome.pop("cuda", ""):
            versions["cuda"] = cuda
        if self.gpus:
            versions["driver"] = self.gpus[0].driver
        self.results.keep({**outcome, "versions": versions, "cores": machine.cores()})
        error = outcome.get("error")
        _say(f"{job.name} {outcome['state']} in {outcome['seconds']:.0f} s")
        if error and error["name"] in {"Died", "TimeLimit"}:
            _say(f"{job.name} {error['value']}\n{error['printed']}".rstrip())


def _verified() -> tuple[dict[str, Any], str]:
    """The bundle's manifest and its SHA-256, after every file was found to be as it says. Raises ArchiveError."""
    data = (ROOT / MANIFEST).read_bytes()
    manifest: dict[str, Any] = json.loads(data)
    for name, known in manifest["files"].items():
        path = ROOT / name
        if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != known["sha256"]:
            raise ArchiveError(f"{name} of this bundle is missing or damaged; unpack it again")
    return manifest, hashlib.sha256(data).hexdigest()


def _install_wheels(folder: str) -> list[str]:
    """Installs the bundle's wheels into a folder of their own; the folders to import from."""
    wheels = sorted(map(str, (ROOT / "wheels").glob("*.whl")))
    if not wheels:
        return []
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--target", folder, *wheels]
    if subprocess.run(pip, check=False).returncode:
        raise ArchiveError("the bundle's wheels cannot be installed here")
    sys.path.insert(0, folder)  # for the versions
    return [folder]


def _interrupt(number: int, frame: object) -> None:
    raise KeyboardInterrupt(128 + number)


def _say(text: str) -> None:
    print(text, flush=True)
