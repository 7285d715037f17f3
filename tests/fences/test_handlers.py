"""Fences that an installed package draws: in every format; one finding where that fails; nothing run untrusted."""

from __future__ import annotations

import json
import subprocess
import zipfile
from pathlib import Path

import pytest
from books import write_book

from d2lbook.cli import main
from d2lbook.fences import process
from d2lbook.fences.draw import options_of

CONFIG = "[build]\neval_notebook = false\n[fences]\nboxes = drawers.boxes:draw\n"
DRAWER = """
from pathlib import Path

def draw(code, language, options):
    with Path(__file__).with_name("calls").open("a") as calls:
        calls.write(f"{language} {code!r} {sorted(options.items())}\\n")
    print("handlers may print")
    rows = "".join(f"<text y='{20 * number}'>{word}</text>" for number, word in enumerate(code.split(), 1))
    return f"<svg xmlns='http://www.w3.org/2000/svg' width='80' height='60'>{rows}</svg>", "from the handler"
"""
FENCE = '```Boxes alt="Two words." width=60px theme=dark\none two\n```\n'


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of installed packages, with the handler's."""
    folder = tmp_path / "packages"
    (folder / "drawers").mkdir(parents=True)
    (folder / "drawers" / "__init__.py").touch()
    (folder / "drawers" / "boxes.py").write_text(DRAWER)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("PYTHONPATH", str(folder))
    return folder


@pytest.fixture
def root(tmp_path: Path, packages: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "book"
    write_book(root, {"part/page": FENCE}, CONFIG)
    monkeypatch.chdir(root)
    return root


def set_page(root: Path, text: str) -> None:
    (root / "part" / "page.md").write_text(f"# Page\n\n{text}")


def site(root: Path) -> str:
    return (root / "_build" / "html" / "part" / "page.html").read_text()


def calls(packages: Path) -> list[str]:
    path = packages / "drawers" / "calls"
    return path.read_text().splitlines() if path.is_file() else []


def test_the_site_shows_the_drawing_with_its_words_and_width(root: Path, packages: Path) -> None:
    assert main(["html"]) == 0
    text = site(root)
    assert 'aria-label="Two words."' in text and "max-width:60px" in text
    assert ">one</text>" in text and "highlight-text" not in text
    assert calls(packages) == ["boxes 'one two' [('theme', 'dark')]"]


def test_every_format_shows_the_drawing(root: Path) -> None:
    write_book(root, {"part/page": f"[**Look:**]\n\n{FENCE}"}, CONFIG)
    assert main(["build", "ipynb", "pkg", "epub", "slides"]) == 0
    build = root / "_build"
    (notebook,) = build.glob("ipynb/en/*/part/page.ipynb")
    (cell,) = [cell for cell in json.loads(notebook.read_text())["cells"] if "Two words." in "".join(cell["source"])]
    target = "".join(cell["source"]).partition("](")[2].partition(")")[0]
    assert ">one</text>" in (notebook.parent / target).read_text()
    for pattern, name in (("*.zip", target), ("**/*.epub", ".svg")):
        (path,) = build.rglob(pattern.removeprefix("**/"))
        with zipfile.ZipFile(path) as packed:
            assert any(entry.endswith(name) for entry in packed.namelist()), path
    assert any(">one</text>" in path.read_text() for path in build.rglob("slides/**/*.svg"))


@pytest.mark.tex
def test_the_pdf_shows_the_drawing(root: Path) -> None:
    assert main(["pdf"]) == 0
    (path,) = (root / "_build").rglob("*/en/*.pdf")
    assert (
        " one" in subprocess.run(["pdftotext", "-layout", path, "-"], capture_output=True, text=True, check=True).stdout
    )


def test_hosted_notebooks_carry_the_drawing(root: Path) -> None:
    (root / "config.ini").write_text(f"{CONFIG}[colab]\ngithub_repo = a/b\n")
    assert main(["colab"]) == 0
    (notebook,) = (root / "_build").rglob("colab/**/part/page.ipynb")
    assert "data:image/png;base64," in notebook.read_text() and "Two words." in notebook.read_text()


def test_a_drawing_is_kept_until_its_text_or_its_package_changes(root: Path, packages: Path) -> None:
    assert main(["html"]) == main(["epub"]) == 0
    assert len(calls(packages)) == 1
    set_page(root, FENCE.replace("one", "uno"))
    assert main(["html"]) == 0 and ">uno</text>" in site(root)
    assert len(calls(packages)) == 2
    (packages / "drawers" / "boxes.py").write_text(DRAWER.replace("width='80'", "width='81.5'"))
    assert main(["html"]) == 0 and "81.5px" in site(root)
    assert len(calls(packages)) == 3


def test_tabs_prose_and_solutions_are_drawn_too_and_labels_stay(root: Path) -> None:
    solution = f":begin_solution:\n\n{FENCE}\n:end_solution:\n"
    set_page(root, f"1. Do it.\n\n{solution}\n## Next\n:label:`sec_next`\n\nSee :numref:`sec_next`.\n")
    assert main(["html"]) == 0
    assert ">one</text>" in site(root)


FAULTS = [
    ("drawers.none:draw", "", "there is no module 'drawers.none'", "fence-handler"),
    ("nowhere:draw", "", "there is no module 'nowhere'", "fence-handler"),
    ("drawers.boxes:paint", "", "has no function 'paint'", "fence-handler"),
    ("drawers.boxes:draw", "def draw(*_): raise ValueError('two\\nlines')", "ValueError: two lines", "fence-handler"),
    ("drawers.boxes:draw", "import sys\ndef draw(*_): sys.exit(3)", "SystemExit: 3", "fence-handler"),
    ("drawers.boxes:draw", "import os\ndef draw(*_): os._exit(3)", "it ended Python itself", "fence-handler"),
    ("drawers.boxes:draw", "import missing_package_x", "No module named 'missing_package_x'", "fence-handler"),
    ("drawers.boxes:draw", "def draw(*_): return 'a < b'", "is not SVG", "fence-svg"),
    ("drawers.boxes:draw", "def draw(*_): return '<html/>'", "another root", "fence-svg"),
    ("drawers.boxes:draw", "def draw(*_): return b'<svg/>'", "it returns bytes", "fence-svg"),
    ("drawers.boxes:draw", "def draw(*_):\n    while True: pass", "it was stopped after 1 s", "fence-time-limit"),
]


@pytest.mark.parametrize("command", ["check", "html"])
@pytest.mark.parametrize(("entry", "module", "what", "code"), FAULTS)
def test_what_goes_wrong_is_one_finding_at_the_fence_which_stays_code(
    root: Path,
    packages: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: str,
    entry: str,
    module: str,
    what: str,
    code: str,
) -> None:
    monkeypatch.setattr(process, "LIMIT", 1.0 if code == "fence-time-limit" else 30.0)
    (root / "config.ini").write_text(CONFIG.replace("drawers.boxes:draw", entry))
    if module:
        (packages / "drawers" / "boxes.py").write_text(module)
    assert main([command]) == 1
    (said,) = [line for line in capsys.readouterr().err.splitlines() if "error" in line]
    assert said.startswith("part/page.md:4:1: error: ") and what in said and said.endswith(f"[{code}]")
    if command == "html":
        assert "one two" in site(root) and "highlight-text" in site(root)


def test_a_fence_after_one_that_was_stopped_is_drawn(
    root: Path, packages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "LIMIT", 2.0)
    slow = "    while code == 'slow': pass\n    return"
    (packages / "drawers" / "boxes.py").write_text(DRAWER.replace("    return", slow))
    set_page(root, f"```boxes alt=x\nslow\n```\n\n{FENCE}")
    assert main(["html"]) == 1
    assert ">one</text>" in site(root) and "slow" in site(root)


def test_what_runs_or_loads_is_left_out_and_told(
    root: Path, packages: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = DRAWER.replace("{rows}", "<script>steal()</script>{rows}<image href='https://a.example/b.png'/>")
    (packages / "drawers" / "boxes.py").write_text(bad)
    assert main(["html"]) == 1
    assert capsys.readouterr().err.count("[figure-unsafe]") == 2
    assert ">one</text>" in site(root) and "<script>steal" not in site(root) and '"https://a.example' not in site(root)


def test_alternative_text_comes_from_the_fence_else_the_handler_else_is_missed(
    root: Path, packages: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    set_page(root, "```boxes\none\n```\n")
    assert main(["html"]) == 0 and 'aria-label="from the handler"' in site(root)
    (packages / "drawers" / "boxes.py").write_text(DRAWER.replace(', "from the handler"', ""))
    assert main(["check"]) == 0
    assert "part/page.md:3:1: warning: the figure of this 'boxes' has no alternative text" in capsys.readouterr().err


@pytest.mark.parametrize("info", ['alt="open', "dark", "width=wide"])
def test_a_first_line_that_cannot_be_read_is_told(root: Path, capsys: pytest.CaptureFixture[str], info: str) -> None:
    set_page(root, f"```boxes {info}\none\n```\n")
    assert main(["check"]) == 1
    assert "part/page.md:3:1: error: 'boxes' cannot be drawn: " in (said := capsys.readouterr().err)
    assert "[fence-options]" in said


def test_options_keep_spaces_and_equals_signs() -> None:
    assert options_of('boxes a="x = 1" b=2=3') == {"a": "x = 1", "b": "2=3"}


def test_other_languages_and_fences_in_lists_stay_as_they_are(
    root: Path, packages: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    set_page(root, "```circles\none\n```\n\n- item\n\n  ```boxes\n  two\n  ```\n")
    assert main(["html"]) == 0
    said = capsys.readouterr().err
    assert "3:1: warning: 'circles' is no language that Pygments knows" in said and "[fence-inside]" in said
    assert calls(packages) == []


@pytest.mark.parametrize("value", ["drawers", "drawers:", "a b:draw", "drawers:draw()"])
def test_what_names_no_function_is_told_in_the_configuration(
    root: Path, capsys: pytest.CaptureFixture[str], value: str
) -> None:
    (root / "config.ini").write_text(f"[fences]\nboxes = {value}\n")
    assert main(["check"]) == 1
    assert "config.ini:2:9: error: boxes: " in capsys.readouterr().err


@pytest.mark.parametrize("command", ["check", "html", "epub"])
def test_a_handler_that_lies_in_the_book_runs_when_it_is_trusted_only(
    root: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    (root / "own.py").write_text(DRAWER)
    (root / "config.ini").write_text("[build]\neval_notebook = false\n[fences]\nboxes = own:draw\n")
    assert main([command]) == 1
    said = capsys.readouterr().err
    assert said.count("[program-untrusted]") == 1 and said.startswith("config.ini:4:1: error: boxes: 'own' ")
    assert not (root / "calls").exists()
    assert main([command, "--trust"]) == 0
    assert (root / "calls").exists()


def test_a_handler_in_the_book_is_found_wherever_the_path_leads_to_it(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with an editable installation."""
    (root / "src").mkdir()
    (root / "src" / "own.py").write_text(DRAWER)
    monkeypatch.syspath_prepend(str(root / "src"))
    monkeypatch.setenv("PYTHONPATH", str(root / "src"))
    (root / "config.ini").write_text("[build]\neval_notebook = false\n[fences]\nboxes = own:draw\n")
    assert main(["html"]) == 1
    assert "[program-untrusted]" in capsys.readouterr().err and not (root / "src" / "calls").exists()


def test_a_translation_shows_the_drawing_and_tells_a_fault_once(
    root: Path, packages: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (root / "config.ini").write_text(f"[project]\nlanguages = ko\n{CONFIG}")
    assert main(["translate", "update"]) == 0
    capsys.readouterr()
    main(["html"])
    assert ">one</text>" in (root / "_build" / "html" / "ko" / "part" / "page.html").read_text()
    (packages / "drawers" / "boxes.py").write_text("def draw(*_): raise KeyError")
    assert main(["html"]) == 1
    assert capsys.readouterr().err.count("[fence-handler]") == 1
