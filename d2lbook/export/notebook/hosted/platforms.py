"""What is known of the hosted platforms: the packages they come with, how a notebook is opened there."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path

from babel import Locale, UnknownLocaleError

from d2lbook.execute.versions import PIN, canonical
from d2lbook.frameworks import with_module
from d2lbook.languages import DEFAULT
from d2lbook.model import UiStrings

LISTS = Path(__file__).resolve().parents[3] / "static" / "platforms"
_PYTHON = re.compile(r"# Python (\d+)\.(\d+)")
_NUMPY_2 = (2, 0)


@dataclass(frozen=True)
class Platform:
    """A platform as its list of versions, taken on one day, tells of it."""

    key: str  # "colab": the section of config.ini and the directory of the notebooks
    name: str  # for readers
    taken: str  # the list of its packages, named by its month or version
    opener: str  # address that opens a notebook of GitHub, before OWNER/REPOSITORY/blob/…
    kernel: str
    kernel_name: str  # for readers
    has_anchors: bool  # whether a link within a notebook finds an element; else it has to name a cell
    picks_gpu: bool  # whether it reads from the notebook's metadata that a GPU is wanted

    def described(self, words: UiStrings) -> str:
        """Which version the list is of, for readers."""
        if self.key == "colab":
            return words("as of {month}", month=month_name(self.taken, words.lang))
        return words(
            "SageMaker Distribution {version}; in Studio Lab, choose the kernel {kernel}",
            version=self.taken,
            kernel="`sagemaker-distribution:Python`",
        )

    @cached_property
    def text(self) -> str:
        return (LISTS / f"{self.key}-{self.taken}.txt").read_text(encoding="utf-8")

    @cached_property
    def python(self) -> tuple[int, int]:
        found = _PYTHON.match(self.text)
        if found is None:
            raise ValueError(f"the list of {self.name} does not begin with its Python version")
        return int(found[1]), int(found[2])

    @cached_property
    def packages(self) -> dict[str, str]:
        """Versions by canonical name."""
        pins = (PIN.match(line) for line in self.text.splitlines())
        return {canonical(pin[1]): pin[2] for pin in pins if pin is not None}

    def asked(self, package: str) -> str:
        """pip's arguments that install what the platform lacks, and move nothing that it has."""
        framework = with_module(package)
        if framework is None:
            return package
        numpy = tuple(int(part) for part in self.packages["numpy"].split(".")[:2])
        older = framework.pip_beside_numpy_1 if numpy < _NUMPY_2 else {}
        return older.get(package) or framework.pip.get(package) or package


COLAB = Platform(
    key="colab",
    name="Google Colab",
    taken="2026-08",
    opener="https://colab.research.google.com/github/",
    kernel="python3",
    kernel_name="Python 3",
    has_anchors=False,
    picks_gpu=True,
)
SAGEMAKER = Platform(
    key="sagemaker",
    name="SageMaker",
    taken="4.4.1",
    opener="https://studiolab.sagemaker.aws/import/github/",
    kernel="python3",
    kernel_name="Python 3 (ipykernel)",
    has_anchors=True,
    picks_gpu=False,
)
PLATFORMS = {platform.key: platform for platform in (COLAB, SAGEMAKER)}
# What the site calls the place where a page opens.
OPENED_IN = {"colab": "Colab", "sagemaker": "Studio Lab"}


def month_name(month: str, lang: str) -> str:
    """How a language writes a month such as 2026-08; in the builder's own language where Babel does not know it."""
    from babel.dates import format_skeleton  # reads the zones of all clocks

    year, number = map(int, month.split("-"))
    try:
        locale = Locale.parse(lang, sep="-")
    except (UnknownLocaleError, ValueError):
        locale = Locale(DEFAULT)
    return str(format_skeleton("yMMMM", date(year, number, 1), locale=locale))
