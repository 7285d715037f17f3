"""Everything that is wrong with a book, found without running it or building anything."""

from __future__ import annotations

from d2lbook.check.everything import check_book, check_everything, outputcheck
from d2lbook.check.tabs import tabcheck

__all__ = ["check_book", "check_everything", "outputcheck", "tabcheck"]
