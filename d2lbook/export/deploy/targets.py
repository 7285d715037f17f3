"""Where a folder can be put when that is asked for: a directory that is there, or a branch of the book's repository."""

from __future__ import annotations

import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from d2lbook.config import Config
from d2lbook.diagnostics import BookError, error_at
from d2lbook.export.deploy.assets import content_of
from d2lbook.export.deploy.manifest import NAME, listed_files, sources
from d2lbook.export.offer import Files
from d2lbook.files import write_atomic
from d2lbook.security.inside import is_inside

BRANCH = "branch:"
_KEPT = {"CNAME"}  # beside hidden files, what a host's directory may hold of its own


class Target(Protocol):
    """A place for the files."""

    @property
    def known(self) -> dict[str, str]:
        """Checksums by path of what was put there the last time."""

    def put(self, files: Files) -> str:
        """Brings the place up to date; says what was done and what comes next."""


def open_target(written: str, config: Config) -> Target:
    """The target that the command line names. Raises BookError when there is no such place."""
    if written.startswith(BRANCH):
        return _branch(written.removeprefix(BRANCH), config)
    path = Path(written)
    if "://" in written or not path.is_dir():
        why = "is not a directory that is there; create it, or write branch:NAME for a branch of the book's repository"
        raise _wrong(f"'{written}' {why}; nothing was put anywhere")
    path = path.resolve()
    if path == config.root or path in config.root.parents or config.output_dir.is_relative_to(path):
        raise _wrong(f"'{written}' holds the book itself; name a directory of its own")
    others = [entry.name for entry in path.iterdir() if not entry.name.startswith(".") and entry.name not in _KEPT]
    if others and NAME not in others:
        raise _wrong(f"'{written}' holds other files, as '{min(others)}', and no {NAME}; name an empty directory")
    directory = Directory(path)
    if others and not directory.known:
        raise _wrong(f"the {NAME} in '{written}' is not one of d2lbook's; name an empty directory")
    return directory


def _wrong(text: str) -> BookError:
    return error_at("--target", 0, 0, text, "deploy-target")


@dataclass(frozen=True, slots=True)
class Directory:
    """A directory: files are written one by one, pages after what they show; files that are not ours stay."""

    path: Path

    @property
    def known(self) -> dict[str, str]:
        try:
            return listed_files((self.path / NAME).read_bytes())
        except FileNotFoundError:
            return {}

    def put(self, files: Files) -> str:
        old = self.known
        for name in (*files, *old):
            if not is_inside(self.path, (self.path / name).parent):
                raise _wrong(f"'{name}' leads out of {self.path} through a symbolic link; remove the link")
        for name in sorted(files, key=lambda name: (name == NAME, name.endswith(".html"), name)):
            write_atomic(self.path / name, content_of(files[name]), durable=False)
        for name in old.keys() - files.keys():
            (self.path / name).unlink(missing_ok=True)
            self._remove_empty((self.path / name).parent)
        return f"{len(files)} files are in {self.path}"

    def _remove_empty(self, folder: Path) -> None:
        while folder != self.path and folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
            folder = folder.parent


def _branch(name: str, config: Config) -> Branch:
    branch = Branch(name, config.root)
    if not branch.git("rev-parse", "--git-dir", check=False):
        raise _wrong(f"'{BRANCH}{name}': the book is not in a Git repository; name a directory")
    if name.startswith("refs/") or not branch.git("check-ref-format", "--branch", name, check=False):
        raise _wrong(f"'{BRANCH}{name}': that is no name for a branch")
    if f"branch {branch.reference}" in branch.git("worktree", "list", "--porcelain").splitlines():
        raise _wrong(f"'{BRANCH}{name}' is checked out; name a branch that holds what is published and nothing else")
    if branch.tip and not branch.known:
        raise _wrong(f"'{BRANCH}{name}' holds other files and no {NAME}; name a new branch")
    return branch


@dataclass(frozen=True, slots=True)
class Branch:
    """A local branch, made when it is not there, that holds the files and nothing else. Pushing it is left to you."""

    name: str
    root: Path

    @property
    def reference(self) -> str:
        return f"refs/heads/{self.name}"

    @property
    def tip(self) -> str:
        return self.git("rev-parse", "--verify", "--quiet", self.reference, check=False)

    @property
    def known(self) -> dict[str, str]:
        return listed_files(self.git("cat-file", "blob", f"{self.reference}:{NAME}", check=False).encode())

    def put(self, files: Files) -> str:
        tip = self.tip
        tree = self._tree(files)
        if tip and tree == self.git("rev-parse", f"{tip}^{{tree}}"):
            return f"the branch {self.name} holds that already"
        commit = sources(self.root).commit
        parents = ["-p", tip] if tip else []
        made = self.git("commit-tree", tree, *parents, "-m", f"Publish {commit[:12] or 'the book'}")
        self.git("update-ref", self.reference, made, tip or "0" * len(made))
        return f"{len(files)} files are in the branch {self.name}; to publish it: git push REMOTE {self.name}"

    def _tree(self, files: Files) -> str:
        """Stores the files and a tree of them; the repository's own index is not touched."""
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for number, name in enumerate(files):
                content = files[name]
                path = content if isinstance(content, Path) else Path(folder) / str(number)
                if isinstance(content, bytes):
                    path.write_bytes(content)
                paths.append(path.as_posix())
            blobs = self.git("hash-object", "-w", "--no-filters", "--stdin-paths", given="\n".join(paths)).split()
            rows = [f"100644 {blob}\t{name}" for blob, name in zip(blobs, files, strict=True)]
            index = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
            self.git("update-index", "--add", "--index-info", given="\n".join(rows) + "\n", environment=index)
            return self.git("write-tree", environment=index)

    def git(
        self, *arguments: str, given: str = "", check: bool = True, environment: dict[str, str] | None = None
    ) -> str:
        """What Git answers; empty when it fails and may. Raises BookError when it fails and may not."""
        try:
            done = subprocess.run(
                ["git", *arguments],
                cwd=self.root,
                input=given,
                capture_output=True,
                encoding="utf-8",
                check=False,
                env=os.environ | (environment or {}),
            )
        except FileNotFoundError:
            raise _wrong(f"'{BRANCH}{self.name}' needs Git, which is not installed") from None
        if done.returncode and check:
            reason = (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]
            raise _wrong(f"'{BRANCH}{self.name}': git {arguments[0]}: {reason}; the branch is as it was")
        return done.stdout.strip() if not done.returncode else ""
