"""The list of what the book needs of the system: what is recognised, what each system calls it, who reads it."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

from d2lbook import system_packages
from d2lbook.export.pdf.tex import what_is_missing
from d2lbook.make import TARGETS
from d2lbook.system_packages import (
    NEEDS,
    NOTES,
    USES,
    Need,
    System,
    absent_files,
    absent_fonts,
    chromium_hint,
    font_package,
    hint,
    how_to_get,
    known_patterns,
    lacking,
    needed,
    patterns_package,
    tex_package,
    this_system,
)

ROOT = Path(__file__).parent.parent
DEBIAN = System("debian", "Debian GNU/Linux")


def on(system: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pretends a system by its /etc/os-release."""
    path = folder / "os-release"
    path.write_text(system)
    monkeypatch.setattr(system_packages, "OS_RELEASE", path)


def program(folder: Path, name: str, text: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{text}\n")
    (folder / name).chmod(0o755)


# ---- the list --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("need", NEEDS, ids=lambda need: need.name)
def test_each_need_has_a_reason_a_use_a_package_and_a_sign(need: Need) -> None:
    assert len(need.reason.split()) >= 2 and need.uses and set(need.uses) <= set(USES)
    assert all(re.fullmatch(r"[a-z0-9][a-z0-9+.-]+", name) for name in need.packages(DEBIAN)) and need.debian
    assert any((need.programs, need.modules, need.tex, need.patterns, need.fonts, need.libraries, need.files))


def test_targets_name_uses_of_the_list_and_each_use_is_read() -> None:
    named = {use for target in TARGETS.values() for use in target.needs}
    assert named <= set(USES)
    assert set(USES) - named == {"slides"}  # which the format itself asks for: only --pdf needs it


def test_what_tests_need_is_all_that_any_format_needs() -> None:
    formats = {need.name for need in needed(["pdf", "slides", "hosted", "eval", "fast"])}
    assert formats <= {need.name for need in needed(["test"])}


def test_the_gate_installs_from_the_list() -> None:
    text = (ROOT / ".ci" / "run").read_text()
    assert "python3 -m d2lbook make system" in text and "apt" not in text
    assert set(TARGETS["system"].needs) >= {"html", "test", "gate"}


def test_readme_shows_the_list() -> None:
    text = (ROOT / "README.md").read_text().split("<!-- system -->")[1].split("<!-- /system -->")[0]
    rows = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in text.strip().splitlines()[2:]]
    assert rows == [
        (need.name, need.reason, ", ".join(USES[use] for use in need.uses), f"`{need.debian}`") for need in NEEDS
    ]


def test_the_style_of_the_pdf_loads_what_the_list_has() -> None:
    """texlive-xetex brings LaTeX's base; what the style loads beyond it has a need of its own."""
    base = {
        "amssymb",
        "array",
        "bookmark",
        "fancyhdr",
        "geometry",
        "graphicx",
        "hyperref",
        "ifthen",
        "longtable",
        "multicol",
        "url",
    }
    style = (ROOT / "d2lbook" / "static" / "latex" / "book.tex").read_text()
    loaded = {
        name for names in re.findall(r"\\usepackage(?:\[[^]]*\])?\{([^}]+)\}", style) for name in names.split(",")
    }
    listed = {file.removesuffix(".sty") for need in NEEDS for file in need.tex}
    assert loaded - base <= listed and "titlesec" in loaded
    assert "pzdr.tfm" in listed  # which hyperref loads, and no list had


# ---- what is there ---------------------------------------------------------------------------------------------------


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of programs, empty, which is the whole path."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("D2L_DATA", raising=False)
    return folder


def test_a_program_is_one_of_its_names_on_the_path(bare: Path) -> None:
    need = Need("x", ("test",), "a reason", "x", programs=("x-one", "x-two"))
    assert lacking([need]) == [need]
    program(bare, "x-two", "")
    assert lacking([need]) == []


def test_modules_libraries_and_files_are_looked_for(
    bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    modules = Need("m", ("test",), "a reason", "m", modules=("venv", "no_such_module"))
    libraries = Need("l", ("test",), "a reason", "l", libraries=("nosuchlibrary",))
    files = Need("f", ("test",), "a reason", "f", files=(str(tmp_path / "a"), str(tmp_path / "b")))
    monkeypatch.setattr(sys, "platform", "linux")
    assert lacking([modules, libraries, files]) == [modules, libraries, files]
    (tmp_path / "b").touch()
    good = [Need("m", ("test",), "a reason", "m", modules=("venv",), libraries=("c",))]
    assert lacking([*good, files]) == []
    monkeypatch.setattr(sys, "platform", "darwin")
    assert lacking([libraries]) == []  # which MXNet loads on Linux


def test_tex_is_asked_once_for_all_files(bare: Path, tmp_path: Path) -> None:
    assert absent_files(["a.sty", "b.tfm"]) == ["a.sty", "b.tfm"]
    program(bare, "kpsewhich", f'echo "$@" >>{tmp_path}/asked; echo /usr/share/tex/b.tfm; exit 1')
    needs = [Need(name, ("test",), "a reason", "x", tex=(name,)) for name in ("a.sty", "b.tfm")]
    assert lacking(needs) == [needs[0]]
    assert (tmp_path / "asked").read_text() == "a.sty b.tfm\n"


def test_patterns_are_those_of_the_format(bare: Path, tmp_path: Path) -> None:
    assert known_patterns() == set()
    (tmp_path / "language.dat").write_text(
        "% a comment\nenglish hyphen.tex\n=usenglish\n\nturkish loadhyph-tr.tex % x\n"
    )
    program(bare, "kpsewhich", f"echo {tmp_path}/language.dat")
    assert known_patterns() == {"english", "usenglish", "turkish"}
    need = Need("x", ("test",), "a reason", "x", patterns=("turkish", "welsh"))
    assert lacking([need]) == [need]


def test_fonts_are_those_of_fontconfig(bare: Path) -> None:
    assert absent_fonts(["Noto Sans"]) == ["Noto Sans"]
    program(bare, "fc-list", 'echo "Noto Sans,Noto Sans Light"; echo "Noto Sans Symbols 2"')
    assert absent_fonts(["noto sans", "Noto Sans Symbols2", "Noto Serif"]) == ["Noto Serif"]


def test_fashion_mnist_is_a_package_a_folder_or_an_earlier_download(
    bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (data,) = [need for need in NEEDS if need.comes_by_itself]
    folder = tmp_path / "cache" / "d2l" / "fashion-mnist"
    folder.mkdir(parents=True)
    monkeypatch.setattr(system_packages, "Path", lambda name: Path(tmp_path, str(name).lstrip("/")))
    monkeypatch.setenv("XDG_CACHE_HOME", "cache")
    assert lacking([data]) == [data]
    names = ["t10k-images-idx3", "t10k-labels-idx1", "train-images-idx3"]
    for name in names:
        (folder / f"{name}-ubyte.gz").touch()
    assert lacking([data]) == [data]
    (folder / "train-labels-idx1-ubyte").touch()
    assert lacking([data]) == []
    (folder / "train-labels-idx1-ubyte").unlink()
    monkeypatch.setenv("D2L_DATA", "somewhere")
    assert lacking([data]) == []


# ---- systems ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("release", "key", "name"),
    [
        ('ID=debian\nNAME="Debian GNU/Linux"\n', "debian", "Debian GNU/Linux"),
        ("NAME='Ubuntu'\nID=ubuntu\nID_LIKE=debian\n", "ubuntu", "Ubuntu"),
        ('ID=linuxmint\nID_LIKE="ubuntu debian"\nNAME="Linux Mint"\n', "ubuntu", "Linux Mint"),
        ('ID=pop\nID_LIKE="debian ubuntu"\nNAME="Pop"\n', "ubuntu", "Pop"),
        ("ID=raspbian\nID_LIKE=debian\nNAME=Raspbian\n", "debian", "Raspbian"),
        ("ID=fedora\nNAME=Fedora Linux\n", "fedora", "Fedora Linux"),
        ('ID="rocky"\nID_LIKE="rhel centos fedora"\nNAME="Rocky Linux"\n', "fedora", "Rocky Linux"),
        ("ID=manjaro\nID_LIKE=arch\nNAME=Manjaro\n", "arch", "Manjaro"),
        ("ID=alpine\nNAME=Alpine\n", "", "Alpine"),
        ("", "", "this system"),
    ],
)
def test_a_system_is_told_by_its_release(
    release: str, key: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    on(release, tmp_path, monkeypatch)
    assert this_system() == System(key, name)


def test_systems_without_a_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system_packages, "OS_RELEASE", tmp_path / "none")
    assert this_system() == System("", "this system")
    monkeypatch.setattr(sys, "platform", "darwin")
    assert this_system().key == "macos"
    monkeypatch.setattr(os, "name", "nt")
    assert this_system().key == "windows"


CHROMIUM, EPUBCHECK, XETEX = (
    next(need for need in NEEDS if need.name == name) for name in ("Chromium", "epubcheck", "XeLaTeX")
)


@pytest.mark.parametrize(
    ("key", "command"),
    [
        ("debian", "  sudo apt-get install --no-install-recommends chromium-headless-shell texlive-xetex epubcheck"),
        ("ubuntu", "  sudo apt-get install --no-install-recommends texlive-xetex epubcheck"),
        ("fedora", "  sudo dnf install chromium texlive-xetex"),
        ("arch", "  sudo pacman -S --needed chromium texlive-xetex"),
        ("macos", "  brew install chromium mactex-no-gui"),
    ],
)
def test_there_is_one_command_for_each_system(key: str, command: str) -> None:
    lines = how_to_get([CHROMIUM, XETEX, EPUBCHECK], System(key, "A System")).split("\n")
    assert lines[:4] == [
        "this is missing on A System:",
        f"  Chromium: {CHROMIUM.reason}",
        f"  XeLaTeX: {XETEX.reason}",
        f"  epubcheck: {EPUBCHECK.reason}",
    ]
    assert command in lines
    by_hand = {"ubuntu": "Chromium", "fedora": "epubcheck", "arch": "epubcheck", "macos": "epubcheck"}
    assert ("without a package that we know: " + by_hand.get(key, "")) in lines or key == "debian"
    assert lines[-1] == NOTES.get(key, lines[-1]) and ("not tested" in lines[-1].lower()) == (key != "debian")


@pytest.mark.parametrize("key", ["windows", ""])
def test_where_we_know_no_packages_it_is_said_what_works(key: str) -> None:
    text = how_to_get([XETEX], System(key, "A System"))
    assert text.endswith(NOTES[key]) and "install it" not in text
    assert ("wsl --install Debian" in text) == (key == "windows")


def test_messages_name_the_package_of_this_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for release, expected in {
        "ID=debian\n": "on Debian: apt-get install texlive-xetex texlive-lang-french fonts-noto-cjk",
        "ID=fedora\n": "on Fedora: dnf install texlive-xetex texlive-collection-langfrench google-noto-serif-cjk-fonts",
        "ID=arch\n": "on Arch Linux: pacman -S --needed texlive-xetex texlive-langfrench noto-fonts-cjk",
        "ID=other\n": "on Debian: apt-get install texlive-xetex texlive-lang-french fonts-noto-cjk",
    }.items():
        on(release, tmp_path, monkeypatch)
        packages = [tex_package("amsmath.sty"), patterns_package("french"), font_package("Noto Serif CJK JP"), ""]
        assert hint([*packages, packages[0]]) == expected
        assert re.search(r" chromium(-headless-shell)?$", chromium_hint())
    on("ID=ubuntu\n", tmp_path, monkeypatch)
    assert chromium_hint() == "on Ubuntu: snap install chromium"
    assert patterns_package("turkish") == "texlive-lang-european" and patterns_package("english") == "texlive-base"


@pytest.mark.tex
def test_a_pdf_says_that_the_font_of_its_links_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = os.environ["PATH"]
    program(tmp_path / "bin", "kpsewhich", f'PATH={before} kpsewhich "$@" | grep -v pzdr')
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{before}")
    assert what_is_missing(("Noto Serif",), "en") == [("pzdr.tfm", "texlive-fonts-recommended")]


def test_a_language_brings_the_package_with_its_hyphenation(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {"turkish": "Turkish", "ngerman": "German", "dutch": "Dutch", "english": "English"}
    monkeypatch.setattr(system_packages, "hyphenated", lambda: known)
    found = {need.debian: (need.name, need.reason, need.patterns) for need in system_packages._hyphenation()}
    assert found == {
        "texlive-lang-european": (
            "hyphenation of European languages",
            "breaks words of Turkish, Dutch",
            ("turkish", "dutch"),
        ),
        "texlive-lang-german": ("hyphenation of German", "breaks words of German", ("ngerman",)),
    }
