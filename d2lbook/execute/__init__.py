"""Running pages and freezing what comes out: which results are fresh, stale or missing, and making them fresh."""

from d2lbook.execute.schedule import evaluate, status, view_state

__all__ = ["evaluate", "status", "view_state"]
