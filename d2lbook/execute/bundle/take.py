"""Freezes what a bundle's machine has sent back, after everything about it was checked."""

from __future__ import annotations

import datetime
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from d2lbook.config import Config
from d2lbook.diagnostics import BookError, Messages, error_at
from d2lbook.execute.bundle.runner.archive import ArchiveError, unpacked
from d2lbook.execute.bundle.runner.results import KIND, LIMIT, MANIFEST, MOST
from d2lbook.execute.device import Device, from_probe
from d2lbook.execute.frozen import CellResult, Produced, Run, load_run, run_path, store_run
from d2lbook.execute.key import cell_hash, key_parts, part_digests, result_key
from d2lbook.execute.outputs import SIZE_LIMIT, clean, size
from d2lbook.execute.versions import expected
from d2lbook.files import git
from d2lbook.frameworks import with_free
from d2lbook.model import Book, View
from d2lbook.view import make_view

Report = Callable[[str], None]
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)
_LONGEST_NAME = 100  # characters of a device's name


def take(
    book: Book,
    config: Config,
    tabs: Sequence[str],
    pages: Sequence[str],
    path: Path,
    messages: Messages,
    report: Report,
    store: bool = True,
) -> bool:
    """Freezes the results in a file; False when some could not be, which `messages` say.

    A file that is damaged, or of another book, is refused whole: BookError. A page that failed there, or changed here
    since, keeps the result that it has, and so does one whose result here is newer.
    """
    try:
        manifest, members = unpacked(path, MANIFEST, KIND, LIMIT, MOST)
        results = [_Result.read(name, members[name]) for name in sorted(members)]
        _check_origin(manifest, config, book, results)
    except ArchiveError as error:
        raise error_at(str(path), 0, 0, f"{error}; nothing of it was taken", "results-refused") from error
    if manifest.get("short"):
        raise error_at(str(path), 0, 0, "holds short results (D2L_SHORT), which are not kept", "eval-short")
    taking = _Taking(book, config, messages, report, store)
    chosen = [result for result in results if result.page in pages and result.tab in tabs]
    done = [taking.take(result) for result in chosen]
    report(f"{sum(done)} of {len(done)} results taken from {path}")
    return all(done)


def _check_origin(manifest: Mapping[str, Any], config: Config, book: Book, results: Sequence[_Result]) -> None:
    """Refuses what belongs to another book: its name, a commit that is not here, pages that it does not have."""
    if manifest.get("book") != config.name:
        raise ArchiveError(f"has results of the book '{manifest.get('book')}'; this one is '{config.name}'")
    commit = manifest.get("commit")
    if not isinstance(commit, str) or (commit and not commit.isalnum()):
        raise ArchiveError("is damaged: it names no commit")
    here = git(config.root, "rev-parse", "HEAD")
    if bool(commit) != bool(here) or (commit and git(config.root, "cat-file", "-t", commit) != "commit"):
        raise ArchiveError(f"was made of the commit {commit[:12] or 'of no repository'}, which is not here")
    names = {page.document.result_name for page in book.pages}
    for result in results:
        if result.page not in names or result.tab not in with_free(book.tabs):
            raise ArchiveError(f"has a result of {result.page} [{result.tab}], which is not in this book")


@dataclass(frozen=True, slots=True)
class _Result:
    """One page's result, whose form is known to be right."""

    page: str
    tab: str
    state: str
    key: str
    parts: dict[str, str]
    cells: tuple[CellResult, ...]
    device: Device
    versions: dict[str, str]
    finished: str
    seconds: float
    error: dict[str, Any]

    @classmethod
    def read(cls, name: str, data: bytes) -> _Result:
        """Raises ArchiveError for one that does not have the form."""
        try:
            given = json.loads(data)
            result = cls(
                _text(given["page"]),
                _text(given["tab"]),
                _text(given["state"]),
                _text(given["key"]),
                {_text(part): _text(digest) for part, digest in given["parts"].items()},
                tuple(_cell(cell) for cell in given.get("cells", ())),
                _device(given),
                {_text(package): _text(version) for package, version in given["versions"].items()},
                _moment(given["finished"]),
                _seconds(given["seconds"]),
                dict(given.get("error") or {}),
            )
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ArchiveError(f"is damaged: {name} is not a result ({type(error).__name__}: {error})") from error
        if name != f"results/{result.page}/{result.tab}.json":
            raise ArchiveError(f"is damaged: {name} holds the result of {result.page} [{result.tab}]")
        return result


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r:.40} is no text")
    return value


def _seconds(value: object) -> float:
    if not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{value!r:.40} is no time in seconds")
    return float(value)


def _moment(value: object) -> str:
    if not (isinstance(value, str) and _MOMENT.fullmatch(value)):
        raise ValueError(f"{value!r:.40} is no moment in UTC")
    datetime.datetime.fromisoformat(value)
    return value


def _cell(given: Mapping[str, Any]) -> CellResult:
    for output in given["outputs"]:
        texts = [output["name"], output["text"]] if output["output_type"] == "stream" else []
        if texts and texts[0] not in {"stdout", "stderr"}:
            raise ValueError(f"{texts[0]!r:.40} is no stream")
        for text in (*texts, *dict(output.get("data", {})).values()):
            _text(text)
    if size(given["outputs"]) > SIZE_LIMIT:
        raise ValueError("more output than a page can keep")
    return CellResult(_text(given["hash"]), _seconds(given["seconds"]), clean(given["outputs"]))


def _device(given: Mapping[str, Any]) -> Device:
    device = from_probe(_text(given.get("probe", "")))
    if not (device.kind.isalnum() and device.description.isprintable() and len(device.description) <= _LONGEST_NAME):
        raise ValueError(f"{device!r:.80} is no device")
    cores = int(given["cores"])
    return Device("cpu", f"CPU, {cores} core{'s' * (cores > 1)}") if device.kind == "cpu" else device


class _Taking:
    def __init__(self, book: Book, config: Config, messages: Messages, report: Report, store: bool) -> None:
        self.book, self.config, self.messages, self.report, self.store = book, config, messages, report, store

    def take(self, result: _Result) -> bool:
        page = next(page for page in self.book.pages if page.document.result_name == result.page)
        view = make_view(page.document, result.tab, self.book.tabs)
        name = f"{result.page} [{result.tab}]"
        if result.state != "done":
            return self._failed(view, result)
        if result.key != result_key(view, self.book, self.config, None) or not _same_cells(view, result):
            changed = ", ".join(self._changed(view, result)) or "code"
            return self._refuse(view, f"its {changed} changed since the bundle was made; make a new one")
        versions = self._versions(view, result)
        if versions is not None and (text := self._other_versions(result, versions)):
            return self._refuse(view, text)
        key = result_key(view, self.book, self.config, versions)
        if newer := self._newer_here(result, key):
            self.report(f"{name}: the result of {newer} that is here is as new; it stays")
            return True
        made = Produced(
            result.versions, result.device.description, result.finished[:10], result.seconds, result.finished
        )
        if self.store:
            own = tuple(
                replace(one, outputs=()) if cell.free else one
                for one, cell in zip(result.cells, view.cells, strict=True)
            )
            store_run(self.config.root, result.page, result.tab, Run(key, own, made), result.device.kind)
        self.report(f"{name}: {result.device.kind}, {made.device}, {made.date}")
        return True

    def _versions(self, view: View, result: _Result) -> dict[str, str] | None:
        """The versions that are part of the key: a CPU's, which have to be those that the book pins."""
        if result.device.kind != "cpu":
            return None
        names = expected(view.tab, self.config.root, result.versions)
        return {name: result.versions[name] for name in names if name in result.versions}

    def _other_versions(self, result: _Result, versions: dict[str, str]) -> str:
        wanted = expected(result.tab, self.config.root, result.versions)
        other = [f"{name} {versions.get(name, 'none')}, here {wanted[name]}" for name in wanted]
        different = [text for name, text in zip(wanted, other, strict=True) if versions.get(name) != wanted[name]]
        return f"a CPU's result needs the book's versions: it ran with {'; '.join(different)}" if different else ""

    def _changed(self, view: View, result: _Result) -> list[str]:
        here = part_digests(key_parts(view, self.book, self.config))
        return [part for part, digest in here.items() if result.parts.get(part) != digest]

    def _newer_here(self, result: _Result, key: str) -> str:
        """When the fresh result here was made, if that was not before this one; else ""."""
        try:
            run = load_run(self.config.root, result.page, result.tab, result.device.kind)
        except BookError:  # damaged: anything is better
            return ""
        if run is None or run.key != key:
            return ""
        there = run.produced.finished or run.produced.date
        return there if there >= result.finished[: len(there)] else ""

    def _failed(self, view: View, result: _Result) -> bool:
        error = result.error
        what = f"cell {error.get('cell', 0)} failed: {error.get('name', '')}: {error.get('value', '')}"
        line = error.get("line")
        self.messages.error(
            view.document.path, line if isinstance(line, int) else 0, 0, f"{view.tab}: there, {what}", "eval-failed"
        )
        for part in ("printed", "traceback"):
            if text := str(error.get(part, "")).strip():
                self.report(text)
        return False

    def _refuse(self, view: View, text: str) -> bool:
        place = run_path(self.config.root, view.document.result_name, view.tab).parent
        name = place.relative_to(self.config.root).as_posix()
        self.messages.error(view.document.path, 0, 0, f"{view.tab}: {text}; {name} is as it was", "results-changed")
        return False


def _same_cells(view: View, result: _Result) -> bool:
    return [cell.hash for cell in result.cells] == [cell_hash(cell.runs) for cell in view.cells]
