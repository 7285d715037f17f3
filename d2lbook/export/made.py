"""What a result was made with, as readers see it."""

from __future__ import annotations

from d2lbook.execute.cache import Run
from d2lbook.execute.versions import PACKAGES

LABELS = {"pytorch": "PyTorch", "mxnet": "MXNet", "jax": "JAX", "tensorflow": "TensorFlow", "default": "Code"}


def tab_label(tab: str) -> str:
    """How a framework writes its own name."""
    return LABELS.get(tab, tab)


def made_with(tab: str, run: Run) -> str:
    """The line below an output: framework and version, device, date."""
    produced = run.produced
    names = [name for names in PACKAGES.get(tab, ())[:1] for name in names]
    version = next((produced.versions[name] for name in names if name in produced.versions), "")
    return " · ".join(part for part in (f"{tab_label(tab)} {version}".strip(), produced.device, produced.date) if part)
