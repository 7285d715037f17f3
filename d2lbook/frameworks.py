"""The deep learning frameworks: one row each. A further framework is a further row.

A book may have tabs without a row. They have no label, colour or versions of their own, and everything else works.
Standard library only, because `make` reads the rows before anything is installed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

DEFAULT_TAB = "default"  # of a book that names no tabs
# Marks cells that need no framework: run once, shown in every framework's view. A tab like others where a book has it.
FREE_TAB = "python"


@dataclass(frozen=True, slots=True)
class Framework:
    """One framework: its names, and how it is installed, asked for its devices and shown."""

    tab: str  # in config.ini, `#@tab`, addresses and paths
    label: str  # as the framework writes its own name
    modules: tuple[str, ...]  # imported by a library for it
    # Distributions that decide its results, the framework first. Of several names for one, the first installed counts.
    packages: tuple[tuple[str, ...], ...]
    # Python that prints the kind of accelerator, its name, "x" and how many there are; nothing without one, or where
    # the page has used none. `m` is the first of `modules`.
    probe: str = ""
    colours: tuple[str, str] = ("", "")  # of its tab, on a light and on a dark page
    # pip's arguments for this repository's environment; empty where requirements/test.txt names the framework.
    requirements: tuple[str, ...] = ()
    # For notebooks on hosted platforms, by module: pip's arguments, those beside NumPy 1, and what has to be added.
    pip: Mapping[str, str] = field(default_factory=dict)
    pip_beside_numpy_1: Mapping[str, str] = field(default_factory=dict)
    pip_adds: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    pip_uses_gpu: bool = True  # whether what pip installs there computes on a GPU
    shared_libraries: Mapping[str, str] = field(default_factory=dict)  # of the system: name, what it is loaded for
    no_build_for: Mapping[str, str] = field(default_factory=dict)  # system, the distribution that it lacks
    other_names: tuple[str, ...] = ()  # of its parts; like its label, the same in every language


FRAMEWORKS: tuple[Framework, ...] = (
    Framework(
        tab="pytorch",
        label="PyTorch",
        modules=("torch",),
        packages=(("torch",),),
        # Its arrays are on the CPU unless a page says otherwise; a page that never has was computed there.
        probe="if m.cuda.is_available():\n"
        "    n = m.cuda.device_count()\n"
        "    if any(m.cuda.memory_stats(i).get('allocation.all.allocated') for i in range(n)):\n"
        "        print('cuda', m.cuda.get_device_name(0), 'x', n)\n"
        "elif m.backends.mps.is_available(): print('mps', 'Apple GPU', 'x', 1)\n",
        colours=("#c8401f", "#ee7d5f"),
        requirements=("-r", "torch.txt"),
    ),
    Framework(
        tab="mxnet",
        label="MXNet",
        modules=("mxnet",),
        packages=(("mxnet", "mxnet-cu112"), ("numpy",)),
        probe="n = m.context.num_gpus()\nif n: print('cuda', 'NVIDIA GPU', 'x', n)\n",
        colours=("#2a6cb0", "#76b1ea"),
        # It asks for NumPy 1, which it does not need. Without its requirements, what it does need has to be named;
        # it imports distutils, which setuptools brings.
        requirements=("--no-deps", "-r", "mxnet.txt"),
        pip={"mxnet": "--no-deps mxnet==1.9.1"},
        pip_adds={"mxnet": ("requests", "setuptools")},
        pip_uses_gpu=False,
        shared_libraries={"libgomp": "for its threads", "libquadmath": "with its linear algebra"},
        no_build_for={"windows": "MXNet"},
    ),
    Framework(
        tab="jax",
        label="JAX",
        modules=("jax", "flax"),
        packages=(("jax",), ("jaxlib",), ("flax",)),
        probe="kind = m.default_backend()\n"
        "if kind != 'cpu': print({'gpu': 'cuda'}.get(kind, kind), m.devices()[0].device_kind, 'x', m.device_count())\n",
        colours=("#7a4fb0", "#b794e6"),
        # From 0.7.2 on it asks for NumPy 2: where an older NumPy is, an older JAX and the Flax that goes with it.
        pip_beside_numpy_1={"jax": '"jax<0.7.2"', "flax": '"flax<0.12"'},
    ),
    Framework(
        tab="tensorflow",
        label="TensorFlow",
        modules=("tensorflow", "keras"),
        packages=(("tensorflow-cpu", "tensorflow"), ("keras",)),
        probe="gpus = m.config.list_physical_devices('GPU')\n"
        "if gpus: print('cuda', m.config.experimental.get_device_details(gpus[0]).get('device_name', 'GPU'),"
        " 'x', len(gpus))\n",
        colours=("#b06a00", "#eda945"),
        no_build_for={"macos": "the pinned tensorflow-cpu"},
        other_names=("Keras",),
    ),
)
TABS = tuple(framework.tab for framework in FRAMEWORKS)
NAMES = ", ".join(framework.label for framework in FRAMEWORKS)
EVERY_NAME = frozenset(name for framework in FRAMEWORKS for name in (framework.label, *framework.other_names))
BY_TAB = {framework.tab: framework for framework in FRAMEWORKS}


def label_of(tab: str) -> str:
    """Return a tab's name for readers."""
    if framework := BY_TAB.get(tab):
        return framework.label
    return {DEFAULT_TAB: "Code", FREE_TAB: "Python"}.get(tab, tab)


def needs_none(marked: Collection[str], tabs: Collection[str]) -> bool:
    """Return whether a cell marked so needs no framework, in a book of `tabs`."""
    return FREE_TAB in marked and FREE_TAB not in tabs


def with_free(tabs: Sequence[str]) -> tuple[str, ...]:
    """Return what the pages of a book of `tabs` are run for: each of these, and once what needs none of them."""
    return tuple(tabs) if FREE_TAB in tabs else (*tabs, FREE_TAB)


def packages_of(tab: str) -> tuple[tuple[str, ...], ...]:
    return BY_TAB[tab].packages if tab in BY_TAB else ()


def modules_of(tab: str) -> tuple[str, ...]:
    return BY_TAB[tab].modules if tab in BY_TAB else ()


def with_module(module: str) -> Framework | None:
    """Return the framework that `module` belongs to."""
    return next((framework for framework in FRAMEWORKS if module in framework.modules), None)


def loads(library: str) -> str:
    """Say which frameworks load one of the system's libraries, and what for."""
    uses = ((framework.label, framework.shared_libraries.get(library)) for framework in FRAMEWORKS)
    return "; ".join(f"{label} loads it {use}" for label, use in uses if use)


def without_build(system: str) -> str:
    """Name what has no build for a system."""
    return " and ".join(lacking for framework in FRAMEWORKS if (lacking := framework.no_build_for.get(system)))


def style(tabs: Sequence[str]) -> str:
    """Return the CSS of a site's tabs: their colours, and that a reader sees the parts of one framework only."""
    hidden = "".join(f'html[data-fw="{tab}"] [data-for]:not([data-for~="{tab}"]){{display:none}}' for tab in tabs)
    coloured = [BY_TAB[tab] for tab in tabs if tab in BY_TAB and all(BY_TAB[tab].colours)]
    light, dark = ("".join(f"--fw-{row.tab}:{row.colours[at]};" for row in coloured) for at in (0, 1))
    used = "".join(f'[data-tab="{row.tab}"],[data-for="{row.tab}"]{{--d2l-fw:var(--fw-{row.tab})}}' for row in coloured)
    if not coloured:
        return hidden
    return f':root{{{light}}}@media screen{{html[data-theme="dark"]{{{dark}}}}}{used}{hidden}'
