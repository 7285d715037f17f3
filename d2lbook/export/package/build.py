"""Builds the distributions of the book's package into `_build/dist`: an archive of its sources and a wheel."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from d2lbook.config import UNTRUSTED, Config
from d2lbook.diagnostics import Messages
from d2lbook.export.offer import Offer
from d2lbook.export.package.pep517 import PackageError, distributions
from d2lbook.files import remove_others, write_atomic
from d2lbook.model import UiStrings
from d2lbook.rendering.epoch import epoch
from d2lbook.session import Session


def run(session: Session) -> bool:
    """The command `dist`."""
    for path in build(session.config, session.messages):
        session.say(f"the package: {path}")
    return not session.messages.failed


def offer(config: Config, tabs: Collection[str], words: UiStrings) -> Offer:
    """The wheel and the source archive. They have no language: other editions link to those of the book's own."""
    found = Offer()
    for path in sorted(dist_directory(config).glob("*")):
        if path.name.endswith((".whl", ".tar.gz")):
            found.add(path.name, path, group=words("Python package: {files}", files="{files}"))
    if config.lang != config.source_lang:
        return Offer(downloads=[replace(download, path=f"../{download.path}") for download in found.downloads])
    return found


def dist_directory(config: Config) -> Path:
    return config.output_dir / "dist"


def build(config: Config, messages: Messages) -> list[Path]:
    """Writes `_build/dist/NAME-VERSION.tar.gz` and the wheel made from it; their paths.

    With an error, which goes to `messages`, the last distributions stay.
    """
    if not config.trusted:
        messages.error("pyproject.toml", 0, 0, f"the build of the package {UNTRUSTED}", "program-untrusted")
        return []
    try:
        files = distributions(config.root, config.output_dir, epoch(config.root))
    except PackageError as error:
        messages.error("pyproject.toml", 0, 0, f"the package cannot be built: {error}", "dist-build")
        return []
    directory = dist_directory(config)
    paths = [directory / name for name in sorted(files)]
    for path in paths:
        write_atomic(path, files[path.name])
    remove_others(directory, paths)
    return paths
