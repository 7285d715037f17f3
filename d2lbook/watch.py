"""Watches the sources of a book while it is being written."""

from __future__ import annotations

import queue
import threading
from pathlib import Path

import watchfiles

from d2lbook.config import Config

_IGNORED = {"__pycache__", "node_modules"}
# What a book is written in. Other files do not count: were a log of the server one, each build would start the next.
_SOURCES = {
    *(".md", ".ini", ".bib", ".po", ".csv", ".json", ".py", ".toml"),
    *(".css", ".js", ".mjs", ".html", ".woff2", ".ttf", ".otf"),
    *(".svg", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".ico", ".pdf", ".mp4", ".webm"),
}


class Watcher:
    """Collects the names of sources that change. Directories that appear at the book's root are watched, too."""

    def __init__(self, config: Config) -> None:
        self._root, self._output, self._resources = config.root, config.output_dir, config.resources
        self._names: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._stop = threading.Event()
        self._watched: set[Path] = set()

    def start(self) -> None:
        self._thread(self._root, recursive=False)
        self._watch_directories()

    def stop(self) -> None:
        self._stop.set()

    def changes(self) -> set[str]:
        """Waits for a change; all that changed since the last call."""
        while True:
            try:
                names = {self._names.get(timeout=0.5)}  # a plain wait would not hear Ctrl-C on every system
                break
            except queue.Empty:
                continue
        while not self._names.empty():
            names.add(self._names.get())
        return names

    def is_source(self, path: Path) -> bool:
        """Whether a change of a file or directory may change the book."""
        if not self._is_visible(path):
            return False
        if path.suffix.lower() in _SOURCES or path.is_dir() or not (path.suffix or path.is_file()):
            return True  # a directory, which may be gone by now, brings or takes pages
        return any(path.match(pattern) or path.is_relative_to(self._root / pattern) for pattern in self._resources)

    def _is_visible(self, path: Path) -> bool:
        """Whether a path is not hidden, not built, not an environment's, not an editor's."""
        if path.is_relative_to(self._output) or path.name.endswith(("~", ".swp", ".tmp")):
            return False
        parts = path.relative_to(self._root).parts if path.is_relative_to(self._root) else path.parts
        return not any(part.startswith((".", "#")) or part in _IGNORED for part in parts)

    def _watch_directories(self) -> None:
        for path in sorted(self._root.iterdir()):
            environment = (path / "pyvenv.cfg").exists()
            if path.is_dir() and path not in self._watched and not environment and self.is_source(path):
                self._watched.add(path)
                self._thread(path, recursive=True)

    def _thread(self, path: Path, recursive: bool) -> None:
        threading.Thread(target=self._watch, args=(path, recursive), daemon=True).start()

    def _watch(self, path: Path, recursive: bool) -> None:
        for changes in watchfiles.watch(path, watch_filter=None, stop_event=self._stop, recursive=recursive):
            paths = [Path(name) for _, name in changes]
            if not recursive:
                self._watch_directories()
            for changed in paths:
                if self.is_source(changed):
                    self._names.put(changed.relative_to(self._root).as_posix())
