"""The cell that installs what a page needs and a platform lacks, and whether the page asks for a GPU."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import urlsplit

from d2lbook.execute.versions import canonical
from d2lbook.export.notebook.hosted.platforms import Platform
from d2lbook.export.notebook.hosted.settings import Settings
from d2lbook.frameworks import BY_TAB, modules_of, with_module
from d2lbook.model import Cell, View
from d2lbook.pycode import normalise, parse_cell

OWN = "d2l"  # the package of a book that names no library of its own
# Distributions that are not called as what they are imported by.
_DISTRIBUTIONS = {
    "PIL": "pillow",
    "bs4": "beautifulsoup4",
    "cv2": "opencv-python",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "yaml": "PyYAML",
}
# What pip must leave as it is although a newer one would suit what it installs; IPython puts the version in.
_KEPT = ("\"numpy=={version('numpy')}\"",)
_REPOSITORY_HOSTS = {"github.com", "gitlab.com", "bitbucket.org", "codeberg.org"}
_NAME = re.compile(r"[^\w.-]")  # what ends a package's name, as in "pandas>=2"
_PLAIN = re.compile(r"[\w.=-]+")
_ASKS_FOR_GPU = re.compile(r"\b(?:try_gpu|try_all_gpus|gpu|gpus|num_gpus|cuda)\b|['\"](?:GPU|gpu|cuda)(?::\d+)?['\"]")


@dataclass(frozen=True, slots=True)
class Needs:
    """What the code of a page is about, as far as installing goes."""

    imports: frozenset[str]  # top-level names, without the standard library
    required: tuple[str, ...]  # as `required_libs` on the page names them


def own_package(lib_file: str) -> str:
    """The package or module that a library at `lib_file` is imported from: "signals" of "signals/torch.py"."""
    return PurePosixPath(lib_file).parts[0].removesuffix(".py") if lib_file else OWN


def needs_of(view: View, own_name: str = OWN) -> Needs:
    """What a page imports in one framework, its library's framework included, but for modules that it writes itself."""
    names: set[str] = set()
    for cell in view.cells:
        try:
            tree = parse_cell(cell.code).tree
        except SyntaxError:  # reported by `check`
            continue
        names.update(_imported(tree))
    if own_name in names:
        names.update(modules_of(view.tab))
    code = "\n".join(cell.code for cell in view.cells)
    own = {name for name in names if re.search(rf"\b{name}\.py\b", code)}  # pip must not be asked for those
    required = [name for block in view.document.walk() if isinstance(block, Cell) for name in block.required_libs]
    return Needs(frozenset(names - own - sys.stdlib_module_names), tuple(dict.fromkeys(required)))


def _imported(tree: ast.Module) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.split(".")[0])
    return names


def asks_for_gpu(sources: Iterable[str], tab: str, settings: Settings) -> bool:
    """Whether a GPU is of use to code, given with the saved definitions it uses.

    The author's pattern decides, else the words of the code without its comments. A framework that pip installs for
    the CPU only gains nothing, unless the author names another build.
    """
    if settings.gpu_pattern is not None:
        return any(settings.gpu_pattern.search(source) for source in sources)
    framework = BY_TAB.get(tab)
    if framework and not framework.pip_uses_gpu and not settings.library(tab, framework.modules[0]):
        return False
    return any(_ASKS_FOR_GPU.search(normalise(source)) for source in sources)


def install_lines(needs: Needs, tab: str, settings: Settings, own: Sequence[str], own_name: str = OWN) -> list[str]:
    """pip's arguments, a line each; the book's package `own_name` from `own`, and from nowhere else.

    What goes without its requirements comes last, since pip would complain of them with every later line.
    """
    platform = settings.platform
    together: list[str] = []
    apart: list[str] = []
    lacking = [name for name in sorted(needs.imports - {own_name}) if not _has(platform, name)]
    written = [name for name in sorted(needs.imports) if settings.library(tab, name)]
    for name in dict.fromkeys((*lacking, *written)):
        words = settings.library(tab, name) or platform.asked(_distribution(name))
        (apart if words.startswith("-") else together).append(words)
        if framework := with_module(name):
            together += [other for other in framework.pip_adds.get(name, ()) if not _has(platform, other)]
    together += [_quoted(words) for words in needs.required if not _has(platform, _NAME.split(words)[0])]
    lines = [" ".join([*dict.fromkeys(together), *_KEPT])] if together else []
    if own_name not in written:
        lines += own
    return lines + apart


def install_code(lines: list[str]) -> str:
    """The code of the installing cell."""
    needed = ["from importlib.metadata import version", ""] if any("{version(" in line for line in lines) else []
    return "\n".join([*needed, *(f"%pip install --quiet {line}" for line in lines)])


def _has(platform: Platform, name: str) -> bool:
    return canonical(_distribution(name)) in platform.packages


def _distribution(name: str) -> str:
    return _DISTRIBUTIONS.get(name, name)


def own_words(address: str, name: str = OWN) -> str:
    """pip's arguments for `[project] d2l_address`: a wheel or another archive, a repository, an index.

    Empty for what is not an address on the network.
    """
    if address.startswith("-"):  # such as "--index-url https://…/simple d2l"
        return address if name in address.split() else f"{address} {name}"
    parts = urlsplit(address)
    if not parts.scheme or not parts.netloc:
        return ""
    if parts.scheme.startswith("git+") or parts.path.endswith((".whl", ".zip", ".tar.gz")):
        return _quoted(f"{name} @ {address}")
    if parts.path.endswith(".git") or parts.hostname in _REPOSITORY_HOSTS:
        return _quoted(f"{name} @ git+{address}")
    return f"--index-url {address} {name}"


def _quoted(words: str) -> str:
    """Words as the shell takes for one."""
    return words if _PLAIN.fullmatch(words) else f'"{words}"'
