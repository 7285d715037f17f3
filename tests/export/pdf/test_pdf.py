"""The PDF: one framework's book, whole, with what goes wrong told in the book's terms."""

from __future__ import annotations

import re
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest
from books import cell, freeze, freeze_output, open_book, write_book

from d2lbook.diagnostics import Messages
from d2lbook.export.pdf import build as pdf_build
from d2lbook.export.pdf.build import build, pdf_path
from d2lbook.export.pdf.code import CODE_COLUMNS, TEXT_COLUMNS, code_lines, text_lines
from d2lbook.export.pdf.escape import escape, escape_code
from d2lbook.rendering.book_context import BookContext

TINYBOOK = Path(__file__).parents[2] / "tinybook"
SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 60" width="90"><text x="9" y="50">{}</text></svg>'
PAGE = """Prose for everybody: 5 % of $x_1$, `a_b`, {page}.

:begin_tab:`b`
Words of the second framework.
:end_tab:

"""
CODE = """def area(r):  #@save
    if r < 0:
        raise ValueError(f'{r}')
    return 3 * r ** 2"""
EXERCISE = "\n1. How large?\n\n:begin_solution:\nAs large as this.\n:end_solution:\n"


def make(root: Path, pages: dict[str, str], config: str = "[build]\ntabs = a, b\n", strict: bool = False) -> None:
    write_book(root, pages, config + ("strict = true\n" if strict else ""))


def build_pdf(root: Path, tab: str = "a") -> tuple[list[Path], list[str]]:
    book, config = open_book(root)
    messages = Messages(strict=config.strict)
    paths = build(BookContext.of(book, config, [tab], messages))
    return paths, [str(message) for message in messages]


def text_of(pdf: Path, *options: str) -> str:
    return subprocess.run(["pdftotext", *options, str(pdf), "-"], check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A book of two frameworks, its PDF of the first."""
    root = tmp_path_factory.mktemp("pdf") / "book"
    first = PAGE.format(page=":numref:`sec_second`") + cell(CODE, "a") + cell("print('only b')", "b") + EXERCISE
    make(root, {"first": first, "second": "See :numref:`sec_first`. [**A mark.**]\n\n" + cell("1 + 1", "all")})
    for page in ("first", "second"):
        freeze(root, page, "a", f"printed on {page}")
    paths, messages = build_pdf(root)
    assert messages == []
    return paths[0]


def test_it_holds_one_framework_only(made: Path) -> None:
    text = text_of(made, "-layout")
    assert "def area" in text and "printed on first" in text
    assert "only b" not in text and "second framework" not in text


def test_marks_and_references_are_resolved(made: Path) -> None:
    text = text_of(made)
    assert "See Section 1" in text and "A mark." in text
    assert not re.search(r":numref:|:label:|\[\*\*|#@tab|:begin_", text)


def test_code_is_copied_with_its_indentation(made: Path) -> None:
    lines = [line.rstrip() for line in text_of(made, "-fixed", "3.95").splitlines()]  # points for a character of code
    at = next(number for number, line in enumerate(lines) if "def area" in line)
    margin = lines[at].index("def")
    indents = [len(line) - len(line.lstrip()) - margin for line in lines[at : at + 4]]
    assert indents == [0, 4, 8, 4]


def test_solutions_references_and_names_stand_at_the_end(made: Path) -> None:
    text = text_of(made)
    assert text.index("How large?") < text.index("Solutions\n", text.index("How large?")) < text.rindex("As large as")
    assert text.rindex("As large as") < text.rindex("Index of Saved Names") < text.rindex("area")


def test_solutions_run_under_the_number_of_their_page(tmp_path: Path) -> None:
    exercise = f"\n1. Why?\n\n:begin_solution:\n{'Because. ' * 2000}\n:end_solution:\n"
    make(tmp_path / "book", {"first": exercise, "second": "One.\n\n## Later\n"})

    text = text_of(build_pdf(tmp_path / "book")[0][0], "-layout")

    heads = re.findall(r"^[ \f]*(\S+) +The Page +\d+$", text[text.rindex("Solution 1") :], re.MULTILINE)
    assert set(heads) == {"1"}


def test_a_caption_stands_on_the_page_of_its_table(tmp_path: Path) -> None:
    rows = f"| {'many words ' * 20} | {'and more ' * 9} |\n" * 4
    table = f": The caption.\n\n| a | b |\n|:--|:--|\n{rows}:label:`tab_{{}}`\n\n"
    text = "".join("One line.\n\n" * count + table.format(count) for count in range(26, 38))
    make(tmp_path / "book", {"first": text})

    pages = text_of(build_pdf(tmp_path / "book")[0][0]).split("\f")

    lines = [[line for line in page.splitlines() if line.strip() and not line.strip().isdigit()] for page in pages]
    assert [page[-1] for page in lines if page and "The caption." in page[-1]] == []
    assert sum(page.count("The caption.") for page in pages) == 12


def test_numbers_of_two_digits_have_room_in_the_contents(tmp_path: Path) -> None:
    chapter = "".join(f"## Part {number}\n\nText.\n\n" for number in range(1, 13))
    pages = {f"p{number}": "Text.\n" for number in range(1, 12)} | {"last": chapter}
    make(tmp_path, {"chapter": "```toc\n" + "\n".join(pages) + "\n```\n"})
    for name, text in pages.items():
        (tmp_path / f"{name}.md").write_text(f"# Page {name}\n:label:`sec_{name}`\n\n{text}")
    paths, messages = build_pdf(tmp_path)
    assert messages == []
    words = subprocess.run(
        ["pdftotext", "-bbox", "-l", "4", str(paths[0]), "-"], check=True, capture_output=True, text=True
    )
    found = re.findall(r'xMin="([\d.]+)" yMin="([\d.]+)" xMax="([\d.]+)" yMax="[\d.]+">([^<]+)<', words.stdout)
    gaps = {
        one[3]: float(other[0]) - float(one[2])
        for one, other in pairwise(found)
        if re.fullmatch(r"1\.1\d(\.1\d)?", one[3]) and one[1] == other[1]
    }
    assert {"1.12", "1.12.12"} <= gaps.keys()
    assert min(gaps.values()) > 4  # points


def test_an_appendix_is_called_so_above_its_title(tmp_path: Path) -> None:
    make(tmp_path, {"one": "```toc\ninner\n```\n"})
    (tmp_path / "inner.md").write_text("# Inner\n\nText.\n")
    (tmp_path / "more.md").write_text("# More\n:label:`sec_more`\n\nAs :numref:`sec_one` and :numref:`sec_more` say.\n")
    index = tmp_path / "index.md"
    index.write_text(index.read_text() + "\n```toc\n:appendix:\n\nmore\n```\n")

    paths, messages = build_pdf(tmp_path)

    assert messages == []
    text = text_of(paths[0])
    assert {"Chapter 1", "Appendix A"} <= set(text.splitlines())  # which end at the ends of pages, too
    assert "As Chapter 1 and Appendix A say." in text


def test_korean_in_nothing_but_a_solution(tmp_path: Path) -> None:
    make(tmp_path / "book", {"first": "\n1. How large?\n\n:begin_solution:\n이만큼\n:end_solution:\n"})

    paths, messages = build_pdf(tmp_path / "book")

    assert messages == []
    assert "이만큼" in text_of(paths[0])


def test_every_font_is_embedded(made: Path) -> None:
    rows = subprocess.run(["pdffonts", str(made)], check=True, capture_output=True, text=True).stdout.splitlines()[2:]
    assert len(rows) >= 3
    assert all(row.split()[-5] == "yes" for row in rows), rows


def test_the_title_and_links_are_there(made: Path) -> None:
    about = subprocess.run(["pdfinfo", str(made)], check=True, capture_output=True, text=True).stdout
    assert re.search(r"Title: +Book, a", about)
    destinations = subprocess.run(["pdfinfo", "-dests", str(made)], check=True, capture_output=True, text=True).stdout
    assert "section" in destinations or "chapter" in destinations


def test_the_same_bytes_from_another_place(made: Path, tmp_path: Path) -> None:
    copy = tmp_path / "elsewhere"
    shutil.copytree(made.parents[3], copy, ignore=shutil.ignore_patterns("_build"))
    paths, _ = build_pdf(copy)
    assert paths[0].read_bytes() == made.read_bytes()


def test_what_did_not_change_is_not_typeset_again(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise RuntimeError("typeset")

    monkeypatch.setattr(pdf_build, "typeset", fails)
    assert build_pdf(made.parents[3])[0] == [made]


def test_every_construct_of_the_tiny_book(tmp_path: Path) -> None:
    root = tmp_path / "book"
    shutil.copytree(TINYBOOK, root)
    config = root / "config.ini"
    config.write_text(config.read_text().replace("[build]", "[build]\neval_notebook = False"))
    paths, messages = build_pdf(root, "plain")
    assert messages == []
    text = text_of(paths[0])
    assert "Fig. 1.1.1" in text and "(1.1.1)" in text and "Raw reStructuredText" in text and "평균" in text


# ---- bad input -------------------------------------------------------------------------------------------------------


def test_a_formula_that_latex_rejects_is_told_with_its_page(tmp_path: Path) -> None:
    root = tmp_path / "book"
    make(root, {"page": "Fine.\n\n$$\\cancel{x}$$\n"})
    paths, messages = build_pdf(root)
    assert paths == []
    assert messages[0].startswith("page.md:6:1: error: XeLaTeX cannot typeset this: Undefined control sequence")
    assert messages[0].endswith("[pdf-latex]")


def test_a_failed_build_leaves_the_last_good_pdf(tmp_path: Path) -> None:
    root = tmp_path / "book"
    make(root, {"page": "Fine.\n"})
    (path,), _ = build_pdf(root)
    before = path.read_bytes()
    make(root, {"page": "$$\\nosuchcommand$$\n"})
    assert build_pdf(root)[0] == []
    assert path.read_bytes() == before


def test_a_character_that_no_font_has(tmp_path: Path) -> None:
    root = tmp_path / "book"
    make(root, {"page": "Fine.\n\nA \U00013000 hieroglyph.\n"})
    paths, messages = build_pdf(root)
    assert paths == []
    assert messages[0].startswith("page.md:6:1: error: no font of the PDF has '\U00013000'")


def test_a_line_in_the_margin_is_told(tmp_path: Path) -> None:
    root = tmp_path / "book"
    make(root, {"page": "Fine.\n\n$$" + "a + " * 90 + "b$$\n"})
    paths, messages = build_pdf(root)
    assert len(paths) == 1
    assert re.match(r"page.md:6:1: warning: stands \d+ pt into the margin", messages[0])


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("broken.svg", b"<svg", "this drawing is not well-formed SVG: unclosed token: line 1, column 0"),
        ("empty.svg", b'<svg xmlns="http://www.w3.org/2000/svg"/>', "rsvg-convert cannot read this drawing"),
        ("large.png", bytes(50_000_000), "a bitmap of 50 MB; reduce it"),
        ("sound.gif", b"GIF", "a PDF cannot show .gif"),
    ],
)
def test_a_figure_that_cannot_be_shown(tmp_path: Path, name: str, content: bytes, why: str) -> None:
    root = tmp_path / "book"
    make(root, {"page": f"Fine.\n\n![A picture]({name})\n:alt:`It shows.`\n"})
    (root / name).write_bytes(content)
    paths, messages = build_pdf(root)
    assert paths == []
    assert messages[0].startswith(f"page.md:6:1: error: figure '{name}': {why}")


def test_an_output_that_latex_cannot_show(tmp_path: Path) -> None:
    root = tmp_path / "book"
    make(root, {"page": cell("x", "all")})
    freeze_output(root, "page", "a", {"text/html": "<video>"})
    paths, messages = build_pdf(root)
    assert len(paths) == 1
    assert "[a] PDF, ePub and slides leave out an output that is only text/html" in messages[0]


def test_plots_are_drawings(tmp_path: Path) -> None:
    root = tmp_path / "book"
    make(root, {"page": cell("x", "all")})
    freeze_output(root, "page", "a", {"image/svg+xml": SVG.format("Plotted"), "text/plain": "<Figure>"})
    paths, messages = build_pdf(root)
    assert messages == []
    text = text_of(paths[0])
    assert "Plotted" in text and "<Figure>" not in text


def test_a_stale_result_is_told_and_nothing_built(tmp_path: Path) -> None:
    root = tmp_path / "book"
    make(root, {"page": cell("x", "all")})
    paths, messages = build_pdf(root)
    assert paths == []
    assert "the result for a is missing; run: d2lbook eval" in messages[0]


def test_programs_and_fonts_that_are_missing_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "book"
    make(root, {"page": "Fine.\n"}, "[build]\ntabs = a, b\n[pdf]\nmain_font = No Such Font\n")
    _, messages = build_pdf(root)
    assert messages == [
        "config.ini:3: error: the PDF needs No Such Font; a font that config.ini names in [pdf] has to be installed"
        " [pdf-missing]"
    ]
    monkeypatch.setenv("PATH", str(tmp_path))
    _, messages = build_pdf(root)
    assert "xelatex" in messages[0] and "apt-get install" in messages[0] and "texlive-xetex" in messages[0]


def test_post_latex_changes_the_file_and_its_failure_is_told(tmp_path: Path) -> None:
    root = tmp_path / "book"
    config = "[build]\ntabs = a, b\n[pdf]\npost_latex = post.py\n"
    make(root, {"page": "Fine.\n"}, config)
    change = (
        "import pathlib, sys\np = pathlib.Path(sys.argv[1])\np.write_text(p.read_text().replace('Fine', 'Changed'))\n"
    )
    (root / "post.py").write_text(change)
    paths, messages = build_pdf(root)
    assert messages == [] and "Changed." in text_of(paths[0])
    (root / "post.py").write_text("raise SystemExit('no')\n")
    make(root, {"page": "Else.\n"}, config)
    paths, messages = build_pdf(root)
    assert paths == []
    assert messages == ["config.ini:4:1: error: 'post.py' failed: no; mend it or remove it [pdf-post]"]


# ---- text ------------------------------------------------------------------------------------------------------------


def test_what_tex_reads_as_commands_is_text() -> None:
    assert escape("50% of {a}_b & $c #1 ~^\\") == (
        r"50\% of \{a\}\_b \& \$c \#1 \textasciitilde{}\textasciicircum{}\textbackslash{}"
    )
    assert escape("a → b") == r"a \sym{→} b"
    assert escape("3 − 2") == r"3 \sym{−} 2"
    assert escape("평균 x") == r"\cjk{평균} x"
    assert escape_code("a  'b'") == r"a\csp{}\csp{}{'}b{'}"


def test_a_column_of_references_is_as_wide_as_one(tmp_path: Path) -> None:
    root = tmp_path / "book"
    row = f"| {'words ' * 12} | :numref:`sec_last` | {'more words ' * 12} |\n"
    pages = {f"page{number}": "Words.\n" for number in range(1, 11)}
    make(root, {**pages, "last": f": A table\n\n| a | b | c |\n|:--|:--|:--|\n{row}"}, strict=True)
    paths, messages = build_pdf(root)
    assert messages == [] and "Section 11" in text_of(paths[0])


@pytest.mark.parametrize("length", [120, 121])
def test_a_line_of_code_has_120_characters(length: int) -> None:
    lines = code_lines("x" * length, "python").splitlines()
    assert len(lines) == 1 + (length > 120)


def test_the_space_at_which_a_line_is_broken_takes_no_room() -> None:
    first, second = text_lines("x" * TEXT_COLUMNS + " y").splitlines()
    assert first == rf"\codeline{{{'x' * TEXT_COLUMNS}}}" and second.endswith("y}")


def test_long_lines_are_broken_and_say_so() -> None:
    lines = code_lines("x = '" + "word " * 40 + "'", "python").splitlines()
    assert len(lines) > 1
    assert [line.count(r"\continued{}") for line in lines] == [0] + [1] * (len(lines) - 1)
    plain = re.sub(r"\\tok\w+\{|\\codeline\{|\\continued\{\}|[{}]", "", "\n".join(lines)).replace(r"\csp", " ")
    assert max(len(line) for line in plain.splitlines()) <= CODE_COLUMNS


def test_pdf_path_is_by_language_and_framework(tmp_path: Path) -> None:
    make(tmp_path / "book", {"page": "Fine.\n"})
    _, config = open_book(tmp_path / "book")
    assert pdf_path(config, "b") == tmp_path / "book" / "_build" / "pdf" / "en" / "b.pdf"
