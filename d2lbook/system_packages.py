"""What the book needs of the system beside Python's packages: the one list, with a reason each, and how to get it.

`make` installs from it, the formats name from it what they lack, and README shows it. Standard library only, since
`python -m d2lbook make` runs before anything is installed. Debian's names are proved by `make test-fresh`; those of
other systems are not tested.
"""

from __future__ import annotations

import ctypes.util
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from d2lbook.frameworks import loads, without_build
from d2lbook.languages import hyphenated

OS_RELEASE = Path("/etc/os-release")
USES = {
    "html": "`make html`, and every other target",
    "pdf": "`make pdf`",
    "slides": "`d2lbook slides --pdf`",
    "hosted": "`make colab`, `make sagemaker`",
    "eval": "`make eval`",
    "test": "`make test`",
    "fast": "`make test-fast`",
    "bench": "`make bench`",
    "gate": "`.ci/run`",
    "fresh": "`make test-fresh`",
}


@dataclass(frozen=True, slots=True)
class Need:
    """One thing; it is there when every kind of it that is named here is found."""

    name: str
    uses: tuple[str, ...]  # of USES
    reason: str
    debian: str  # packages, separated by blanks; Ubuntu's have the same names
    fedora: str = ""  # empty, as for the others: part of Python there, or no package that we know
    arch: str = ""
    homebrew: str = ""
    programs: tuple[str, ...] = ()  # one of these is on the path
    modules: tuple[str, ...] = ()  # Python has them all
    tex: tuple[str, ...] = ()  # files that kpsewhich finds
    patterns: tuple[str, ...] = ()  # languages that XeLaTeX hyphenates
    fonts: tuple[str, ...] = ()  # families that fontconfig lists
    libraries: tuple[str, ...] = ()  # which the dynamic linker finds
    files: tuple[str, ...] = ()  # one of these exists
    comes_by_itself: bool = False  # without a package it is downloaded when it is wanted

    def packages(self, system: System) -> tuple[str, ...]:
        """What a system calls it; Ubuntu has Debian's names, but for Chromium (see `NOTES`)."""
        if system.key == "ubuntu" and self.name == CHROMIUM:
            return ()
        names = {"fedora": self.fedora, "arch": self.arch, "macos": self.homebrew}
        return tuple(names.get(system.key, self.debian).split())


@dataclass(frozen=True, slots=True)
class System:
    key: str  # "debian", "ubuntu", "fedora", "arch", "macos", "windows", or "" for one that we do not know
    name: str


CHROMIUM = "Chromium"
# Debian's shell is Chromium without its windows: the tests take half of the processor time with it.
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome", "msedge")
FASHION_MNIST = "Fashion-MNIST"
FONTS_BY_LANGUAGE = re.compile(r" CJK \w+$")  # of a family: Noto's are one package for all of them
_PDF = ("pdf", "test")
_RUN = ("eval", "test")
_EUROPEAN = "langeuropean"
# Debian packs patterns of hyphenation by TeX Live's collections: babel's name of a language, its collection.
_COLLECTIONS = {
    "english": "basic", "french": "langfrench", "ngerman": "langgerman", "german": "langgerman",
    "italian": "langitalian", "polish": "langpolish", "portuguese": "langportuguese", "spanish": "langspanish",
    "czech": "langczechslovak", "slovak": "langczechslovak", "greek": "langgreek", "russian": "langcyrillic",
    "ukrainian": "langcyrillic", "bulgarian": "langcyrillic",
}  # fmt: skip


def _hyphenation() -> list[Need]:
    """The packages with the patterns of the languages that the builder knows, each with its languages."""
    languages = hyphenated()
    needs = []
    for collection in sorted({_COLLECTIONS.get(language, _EUROPEAN) for language in languages} - {"basic"}):
        found = [language for language in languages if _COLLECTIONS.get(language, _EUROPEAN) == collection]
        what = "European languages" if collection == _EUROPEAN else languages[found[0]]
        reason = f"breaks words of {', '.join(languages[language] for language in found)}"
        names = (
            f"texlive-lang-{collection.removeprefix('lang')}",
            f"texlive-collection-{collection}",
            f"texlive-{collection}",
        )
        needs.append(Need(f"hyphenation of {what}", _PDF, reason, *names, "mactex-no-gui", patterns=tuple(found)))
    return needs


NEEDS = (
    Need(
        "Python's venv", ("html",), "makes `.venv`, into which pip puts all of Python's packages", "python3-venv",
        modules=("venv", "ensurepip"),
    ),
    Need(
        "make", ("gate",), "the gate calls make; elsewhere `python3 -m d2lbook make` does as well", "make", "make",
        "make", "make", ("make", "gmake"),
    ),
    Need(
        "git", ("fast", "test"), "tests publish to branches with it; what is built is dated by it",
        "git", "git-core", "git", "git", ("git",),
    ),
    Need(
        CHROMIUM, ("slides", "test"), "prints decks of slides; reads the site in the tests", "chromium-headless-shell",
        "chromium", "chromium", "chromium", BROWSERS,
    ),
    Need(
        "XeLaTeX", _PDF, "typesets the PDFs", "texlive-xetex", "texlive-xetex", "texlive-xetex", "mactex-no-gui",
        ("xelatex",), tex=("amsmath.sty",),
    ),
    Need(
        "LaTeX's recommended packages", _PDF, "booktabs, fontspec and xcolor of the PDFs' style",
        "texlive-latex-recommended", "texlive-collection-latexrecommended", "texlive-latexrecommended",
        "mactex-no-gui", tex=("booktabs.sty", "fontspec.sty", "xcolor.sty"),
    ),
    Need(
        "LaTeX's extra packages", _PDF, "titlesec, needspace, enumitem and framed of the PDFs' style",
        "texlive-latex-extra", "texlive-collection-latexextra", "texlive-latexextra", "mactex-no-gui",
        tex=("titlesec.sty", "needspace.sty", "enumitem.sty", "framed.sty"),
    ),
    Need(
        "TeX's generic packages", _PDF, "ulem of the PDFs' style, which strikes out", "texlive-plain-generic",
        "texlive-collection-plaingeneric", "texlive-plaingeneric", "mactex-no-gui", tex=("ulem.sty",),
    ),
    Need(
        "TeX's recommended fonts", _PDF, "`pzdr`, a font that hyperref loads for every link",
        "texlive-fonts-recommended", "texlive-collection-fontsrecommended", "texlive-fontsrecommended",
        "mactex-no-gui", tex=("pzdr.tfm",),
    ),
    *_hyphenation(),
    Need(
        "fontconfig", _PDF, "tells which fonts are there", "fontconfig", "fontconfig", "fontconfig", "fontconfig",
        ("fc-list",),
    ),
    Need(
        "Noto's serif, sans and symbols", _PDF, "set the PDFs' text and signs", "fonts-noto-core",
        "google-noto-serif-fonts google-noto-sans-fonts google-noto-sans-math-fonts google-noto-sans-symbols-2-fonts",
        "noto-fonts", "font-noto-serif font-noto-sans font-noto-sans-math font-noto-sans-symbols-2",
        fonts=("Noto Serif", "Noto Sans", "Noto Sans Math", "Noto Sans Symbols2"),
    ),
    Need(
        "Noto Sans Mono", _PDF, "sets the PDFs' code", "fonts-noto-mono", "google-noto-sans-mono-fonts", "noto-fonts",
        "font-noto-sans-mono", fonts=("Noto Sans Mono",),
    ),
    Need(
        "Noto's fonts for Hangul and Han", _PDF, "set them in PDFs and in pictures", "fonts-noto-cjk",
        "google-noto-serif-cjk-fonts google-noto-sans-cjk-fonts google-noto-sans-mono-cjk-fonts", "noto-fonts-cjk",
        "font-noto-serif-cjk font-noto-sans-cjk",
        fonts=("Noto Serif CJK KR", "Noto Sans CJK KR", "Noto Sans Mono CJK KR"),
    ),
    Need(
        "rsvg-convert", ("pdf", "hosted", "test"), "turns drawings into PDF for print, into bitmaps for notebooks",
        "librsvg2-bin", "librsvg2-tools", "librsvg", "librsvg", ("rsvg-convert",),
    ),
    Need(
        "Poppler's tools", ("test",), "read the PDFs in the tests", "poppler-utils", "poppler-utils", "poppler",
        "poppler", ("pdftotext",),
    ),
    Need("gettext", ("fast", "test"), "msgfmt reads the translations' catalogs in the tests", "gettext", "gettext",
         "gettext", "gettext", ("msgfmt",)),
    Need(
        "epubcheck", ("test",), "finds faults in the ePubs in the tests", "epubcheck",
        files=("/usr/share/java/epubcheck.jar",),
    ),
    Need(
        "Java", ("test",), "runs epubcheck", "default-jre-headless", "java-headless", "jre-openjdk-headless", "openjdk",
        ("java",),
    ),
    Need("libgomp", _RUN, loads("libgomp"), "libgomp1", "libgomp", "gcc-libs", libraries=("gomp",)),
    Need(
        "libquadmath", _RUN, loads("libquadmath"), "libquadmath0", "libquadmath",
        "gcc-libs", libraries=("quadmath",),
    ),
    Need(
        "libatomic", ("test",), "the Node.js that drives Chromium in the tests loads it", "libatomic1", "libatomic",
        "gcc-libs", libraries=("atomic",),
    ),
    Need(
        FASHION_MNIST, _RUN, "the images that models learn from; where no package has them they are downloaded",
        "dataset-fashion-mnist", files=("/usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz",),
        comes_by_itself=True,
    ),
    Need("pandoc", ("bench",), "d2lbook 1.0.3, beside which ours is measured, needs it", "pandoc", "pandoc",
         "pandoc-cli", "pandoc", ("pandoc",)),
    Need(
        "debootstrap", ("fresh",), "makes the minimal Debian in which everything is tried", "debootstrap",
        "debootstrap", "debootstrap", programs=("debootstrap",),
    ),
)  # fmt: skip


_INSTALL = {
    "debian": "apt-get install --no-install-recommends", "ubuntu": "apt-get install --no-install-recommends",
    "fedora": "dnf install", "arch": "pacman -S --needed", "macos": "brew install",
}  # fmt: skip
_SHOULD_WORK = "Not tested: the site, the libraries, the notebooks and the other formats should work"
# What works on a system beside Debian and what not; said below the command that installs what is missing.
NOTES = {
    "ubuntu": "Ubuntu is not tested. Its Chromium is a snap, which make does not install: `sudo snap install "
    "chromium`, or Google Chrome's package, whose google-chrome is found as well.",
    "fedora": f"{_SHOULD_WORK}; `make test` looks for epubcheck where Debian puts it.",
    "arch": f"{_SHOULD_WORK}; `make test` looks for epubcheck where Debian puts it.",
    "macos": f"{_SHOULD_WORK}; `make test` does not, since {without_build('macos')} has no build for macOS.",
    "windows": "Not tested: `wsl --install Debian` sets up a Debian in which everything runs; outside it, `python -m "
    f"d2lbook make html` should build the site; `make test` does not run there, since {without_build('windows')} has "
    "no build for Windows.",
    "": f"{_SHOULD_WORK}; `make test` runs on Debian.",
}


def this_system() -> System:
    """The system that this runs on, by its own name; what is made from Debian or Ubuntu counts as such."""
    if os.name == "nt":
        return System("windows", "Windows")
    if sys.platform == "darwin":
        return System("macos", "macOS")
    lines = OS_RELEASE.read_text(encoding="utf-8").splitlines() if OS_RELEASE.is_file() else []
    values = {key: value.strip("\"'") for key, equals, value in (line.partition("=") for line in lines) if equals}
    known = (values.get("ID", ""), *values.get("ID_LIKE", "").split())
    key = next((name for name in known if name in _INSTALL), "")
    if key == "debian" and "ubuntu" in known:
        key = "ubuntu"
    return System(key, values.get("NAME", "") or "this system")


def needed(uses: Iterable[str]) -> list[Need]:
    wanted = set(uses)
    return [need for need in NEEDS if not wanted.isdisjoint(need.uses)]


def lacking(needs: Sequence[Need]) -> list[Need]:
    """Those of the needs that are not met here."""
    importlib.invalidate_caches()  # what was just installed is seen
    absent_tex = set(absent_files(name for need in needs for name in need.tex))
    absent_families = set(absent_fonts(name for need in needs for name in need.fonts))
    patterns = known_patterns() if any(need.patterns for need in needs) else set()
    return [
        need
        for need in needs
        if not (
            absent_tex.isdisjoint(need.tex)
            and absent_families.isdisjoint(need.fonts)
            and patterns.issuperset(need.patterns)
            and _is_there(need)
        )
    ]


def _is_there(need: Need) -> bool:
    if need.name == FASHION_MNIST and (os.environ.get("D2L_DATA") or _is_cached()):
        return True
    return (
        (not need.programs or any(map(shutil.which, need.programs)))
        and all(map(importlib.util.find_spec, need.modules))
        and (sys.platform != "linux" or all(map(ctypes.util.find_library, need.libraries)))
        and (not need.files or any(Path(name).is_file() for name in need.files))
    )


def _is_cached() -> bool:
    """Whether an earlier download of Fashion-MNIST lies where d2l.fashion_mnist keeps it."""
    base = os.environ.get("XDG_CACHE_HOME")
    folder = (Path(base) if base else Path.home() / ".cache") / "d2l" / "fashion-mnist"
    return len({path.name.removesuffix(".gz") for path in folder.glob("*-ubyte*")}) == 4


def absent_files(names: Iterable[str]) -> list[str]:
    """The files that TeX does not find, all of them where there is no TeX."""
    wanted = list(dict.fromkeys(names))
    found = {Path(line).name for line in _answer(["kpsewhich", *wanted]).splitlines()} if wanted else set()
    return [name for name in wanted if name not in found]


def absent_fonts(families: Iterable[str]) -> list[str]:
    """The families that fontconfig does not list; as to it, capitals and blanks are all the same."""
    wanted = list(dict.fromkeys(families))
    listed = _answer(["fc-list", ":", "family"]) if wanted else ""
    known = {_plain(name) for line in listed.splitlines() for name in line.split(",")}
    return [family for family in wanted if _plain(family) not in known]


def _plain(family: str) -> str:
    return family.replace(" ", "").replace("\\", "").casefold()


def known_patterns() -> set[str]:
    """Languages whose patterns of hyphenation are in XeLaTeX's format."""
    path = _answer(["kpsewhich", "language.dat"])
    lines = Path(path).read_text(encoding="utf-8", errors="replace").splitlines() if path else []
    return {line.split("%")[0].split()[0].removeprefix("=") for line in lines if line.split("%")[0].strip()}


def _answer(command: list[str]) -> str:
    if shutil.which(command[0]) is None:
        return ""
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def font_package(family: str) -> str:
    """The package with a family of fonts; empty for one that the list does not have."""
    korean = FONTS_BY_LANGUAGE.sub(" CJK KR", family)
    return next((_first_package(need) for need in NEEDS if korean in need.fonts), "")


def tex_package(file: str) -> str:
    """The package with a file of TeX's; empty for one that the list does not have."""
    return next((_first_package(need) for need in NEEDS if file in need.tex), "")


def patterns_package(language: str) -> str:
    """The package with the patterns of a language, as babel calls it; those of most are with the European ones."""
    collection = _COLLECTIONS.get(language, _EUROPEAN)
    system = this_system()
    if system.key == "macos":
        return "mactex-no-gui"
    if system.key in ("fedora", "arch"):
        return f"texlive-{'collection-' if system.key == 'fedora' else ''}{collection}"
    return "texlive-base" if collection == "basic" else f"texlive-lang-{collection.removeprefix('lang')}"


def program_package(program: str) -> str:
    """The package with a program; empty for one that the list does not have."""
    return next((_first_package(need) for need in NEEDS if program in need.programs), "")


def _first_package(need: Need) -> str:
    return next(iter(need.packages(this_system())), "")


def hint(packages: Iterable[str]) -> str:
    """How to install packages here, for a message: "on Debian: apt-get install chromium"; else as on Debian."""
    system = this_system()
    command = _INSTALL.get(system.key, _INSTALL["debian"]).removesuffix(" --no-install-recommends")
    names = {"ubuntu": "Ubuntu", "fedora": "Fedora", "arch": "Arch Linux", "macos": "macOS"}
    return f"on {names.get(system.key, 'Debian')}: {command} {' '.join(dict.fromkeys(filter(None, packages)))}"


def chromium_hint() -> str:
    """How to get Chromium here."""
    return "on Ubuntu: snap install chromium" if this_system().key == "ubuntu" else hint([program_package("chromium")])


def how_to_get(needs: Sequence[Need], system: System) -> str:
    """The one command that brings what is lacking, for a person who may install; and what works on that system."""
    named = "\n".join(f"  {need.name}: {need.reason}" for need in needs)
    packages = list(dict.fromkeys(name for need in needs for name in need.packages(system)))
    by_hand = [need.name for need in needs if not need.packages(system)]
    parts = [f"this is missing on {system.name}:\n{named}"]
    if system.key in _INSTALL and packages:
        sudo = "" if system.key == "macos" else "sudo "
        parts.append(f"install it, and run this again:\n  {sudo}{_INSTALL[system.key]} {' '.join(packages)}")
    if system.key in _INSTALL and by_hand:
        parts.append(f"without a package that we know: {', '.join(by_hand)}")
    return "\n".join([*parts, *filter(None, [NOTES.get(system.key, "")])])
