"""The commands of `d2lbook`: one table, from which the command line, `build`, `make` and `deploy` derive."""

from __future__ import annotations

from d2lbook.commands.command import Command, Option, load
from d2lbook.commands.table import ALL, BY_NAME, COMMANDS, ON_BOOKS

__all__ = ["ALL", "BY_NAME", "COMMANDS", "ON_BOOKS", "Command", "Option", "load"]
