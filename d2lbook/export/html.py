"""Builds the website: which pages changed, Sphinx over them, notebooks and search beside them, published at once."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from d2lbook.config import Config
from d2lbook.export.site import inputs
from d2lbook.export.site.publish import publish, recover
from d2lbook.export.site.stamp import read_stamp, write_stamp
from d2lbook.library import KeptCode
from d2lbook.messages import Messages
from d2lbook.model import Book


def site_directory(config: Config) -> Path:
    return config.output_dir / "html"


def is_current(config: Config, tabs: Iterable[str], pending_ok: bool = False) -> bool:
    """Whether the site is what building it now would give, judged by the inputs alone."""
    target = site_directory(config)
    return (target / "index.html").exists() and read_stamp(config) == inputs.everything(config, tabs, pending_ok)


def build(
    book: Book, config: Config, tabs: tuple[str, ...], messages: Messages, pending_ok: bool = False,
    kept: KeptCode | None = None,
) -> Path:  # fmt: skip
    """Builds the site of a checked book; its directory.

    With errors in `messages` the last good site stays. `pending_ok` shows cells that have not been run as such.
    `kept` is what is known of the code from an earlier build.
    """
    target = site_directory(config)
    recover(target)
    before = inputs.everything(config, tabs, pending_ok)
    if (target / "index.html").exists() and read_stamp(config) == before:
        return target
    from d2lbook.export.site.work import Work  # Sphinx is not needed before

    work = Work(book, config, tabs, messages, pending_ok, KeptCode() if kept is None else kept)
    files = work.build()
    if not messages.failed:
        publish(files, target)
        write_stamp(config, before)
    return target
