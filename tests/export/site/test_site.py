"""The site's files: the same from the same input, whole when stopped, right in what they say."""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from faults import KILLED, forks
from jinja2 import Environment
from site_book import TINYBOOK, build_site, freeze_means

from d2lbook.book import load_book
from d2lbook.config import load
from d2lbook.diagnostics import Messages
from d2lbook.export.site.build import build
from d2lbook.export.site.current import is_current
from d2lbook.rendering.book_context import BookContext
from d2lbook.rendering.figures import inline_svg, labelled, resolve_colours

ROOT = Path(__file__).parents[3]
HERE = Path(__file__).parents[2]
BUILD = (
    "import sys; from pathlib import Path; from site_book import build_site;build_site(Path(sys.argv[1]), freeze=False)"
)


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """A copy of the tiny book with some results."""
    return copy_book(tmp_path / "book")


def copy_book(root: Path) -> Path:
    shutil.copytree(TINYBOOK, root)
    freeze_means(root, load_book(load(root / "config.ini", Messages()), Messages()))
    return root


def build_in_fresh_process(root: Path, seed: str) -> None:
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join((str(ROOT), str(HERE)))}
    subprocess.run([sys.executable, "-c", BUILD, str(root)], env=environment, check=True)


def content(site: Path) -> dict[str, str]:
    files = (path for path in site.rglob("*") if path.is_file())
    return {path.relative_to(site).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def messages_of(root: Path, pending_ok: bool = True) -> list[str]:
    messages = Messages()
    config = load(root / "config.ini", messages)
    book = load_book(config, messages)
    build(BookContext.of(book, config, book.tabs, messages), pending_ok=pending_ok)
    return [str(message) for message in messages]


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_two_processes_write_the_same_bytes(tmp_path: Path) -> None:
    first, second = copy_book(tmp_path / "first" / "book"), copy_book(tmp_path / "second" / "book")
    build_in_fresh_process(first, "1")
    build_in_fresh_process(second, "2")
    found = content(first / "_build" / "html")
    assert {"index.html", "pagefind/plain/pagefind.js", "_notebooks/plain/preface.ipynb"} <= found.keys()
    assert found == content(second / "_build" / "html")


def test_an_incremental_build_equals_a_clean_one(tiny: Path, tmp_path: Path) -> None:
    build_site(tiny, freeze=False)
    page = tiny / "chapter_numbers" / "means.md"
    edit(page, "# Means\n", "# Averages\n")
    edit(page, "## Exercises", "## Another\n\n$a^2$\n\n## Exercises")
    edit(tiny / "img" / "line.js", "values: [2, 3,", "values: [3,")
    (tiny / "chapter_numbers" / "library.md").unlink()
    edit(tiny / "chapter_numbers" / "index.md", "\nlibrary\n", "\n")
    edit(tiny / "chapter_numbers" / "index.md", ":numref:`sec_library`", "none")
    incremental = content(build_site(tiny, freeze=False))
    clean = tmp_path / "clean" / "book"
    shutil.copytree(tiny, clean, ignore=shutil.ignore_patterns("_build"))
    assert incremental == content(build_site(clean, freeze=False))
    assert not any("library" in name for name in incremental)


def test_templates_are_compiled_once(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str | None] = []
    compile_one = Environment.compile

    def noted(self: Environment, source: str, name: str | None = None, *more: object) -> object:
        compiled.append(name)
        return compile_one(self, source, name, *more)

    monkeypatch.setattr(Environment, "compile", noted)
    build_site(tiny, freeze=False)
    assert "page.html" in compiled
    compiled.clear()
    edit(tiny / "chapter_numbers" / "means.md", "# Means\n", "# Averages\n")
    build_site(tiny, freeze=False)
    assert "page.html" not in compiled


def test_the_reference_follows_what_other_pages_save(tiny: Path, tmp_path: Path) -> None:
    means = tiny / "chapter_numbers" / "means.md"
    site = build_site(tiny, freeze=False)
    for path, old, new in (
        (means, "The mean of a list of numbers (see", "The average of numbers (see"),
        (means, "subsec_one_cell", "subsec_one"),
        (means, "def mean(numbers):", "def mean(numbers, weights=None):"),
        (tiny / "config.ini", "root -> sqrt, floor", "root -> sqrt, floor, ceil"),
    ):
        before = (site / "chapter_numbers" / "library.html").read_bytes()
        edit(path, old, new)
        build_site(tiny, freeze=False)
        assert (site / "chapter_numbers" / "library.html").read_bytes() != before, new
    clean = tmp_path / "clean" / "book"
    shutil.copytree(tiny, clean, ignore=shutil.ignore_patterns("_build"))
    assert content(site) == content(build_site(clean, freeze=False))


def test_a_name_in_prose_leads_to_its_description(tiny: Path) -> None:
    edit(
        tiny / "preface.md",
        "This page has no code",
        "As :func:`d2l.mean` and :func:`math.floor`, this page has no code",
    )
    site = build_site(tiny, freeze=False)
    assert 'href="chapter_numbers/library.html#api-mean"' in (site / "preface.html").read_text(encoding="utf-8")
    page = (site / "chapter_numbers" / "library.html").read_text(encoding="utf-8")
    ids = re.findall(r'\bid="(api-[^"]+)"', page)
    assert {"api-mean", "api-Summary", "api-Summary.of", "api-DATA_HUB", "api-floor", "api-power"} <= set(ids)
    assert len(ids) == len(set(ids))
    assert "Defined in" not in page
    assert '<a class="reference internal" href="means.html#subsec-one-cell">Section 1.1.1</a>' in page


def test_what_is_up_to_date_is_known_without_the_writer(tiny: Path) -> None:
    build_site(tiny, freeze=False)
    config = load(tiny / "config.ini", Messages())
    assert is_current(config, config.tabs, pending_ok=True)
    program = (
        "import sys; from pathlib import Path; from site_book import build_site;"
        "build_site(Path(sys.argv[1]), freeze=False); assert 'd2lbook.export.site.work' not in sys.modules"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), str(HERE)))}
    subprocess.run([sys.executable, "-c", program, str(tiny)], env=environment, check=True)
    edit(tiny / "preface.md", "This page", "Our page")
    assert not is_current(config, config.tabs, pending_ok=True)


def test_a_build_stopped_anywhere_leaves_the_last_good_site(tiny: Path) -> None:
    old = content(build_site(tiny, freeze=False))
    pristine = tiny.with_name("pristine")
    edit(tiny / "preface.md", "This page", "Our page")
    shutil.copytree(tiny, pristine)
    script = f"import sys; sys.path.insert(0, {str(HERE)!r}); {BUILD.replace('sys.argv[1]', repr(str(tiny)))}"
    with forks(script, tiny) as (total, run_until):
        new = content(tiny / "_build" / "html")
        assert new != old
        for at in random.Random(2).sample(range(1, total), 5):
            shutil.rmtree(tiny)
            shutil.copytree(pristine, tiny)
            assert run_until(at) == KILLED
            assert content(tiny / "_build" / "html") in (old, new), f"stopped at write {at} of {total}"
            assert content(build_site(tiny, freeze=False)) == new, f"after a stop at write {at} of {total}"


def test_a_wrong_formula_is_reported_where_it_is_and_the_site_stays(tiny: Path) -> None:
    good = content(build_site(tiny, freeze=False))
    edit(tiny / "preface.md", "This page has no code", "As $x + \\nosuch{y}$ says, this page has no code")
    wanted = ["preface.md:4:9: error: Undefined control sequence: \\nosuch; mend this formula [formula-syntax]"]
    assert messages_of(tiny) == wanted
    assert messages_of(tiny) == wanted  # as long as it lasts
    assert content(tiny / "_build" / "html") == good


def test_what_docutils_does_not_know_is_an_error_until_it_is_mended(tiny: Path) -> None:
    edit(tiny / "preface.md", ".. note::", ".. nonsense::")
    first = messages_of(tiny)
    assert len(first) == 1
    assert re.match(r'preface\.md:37:1: error: reStructuredText: Unknown directive type "nonsense"', first[0]), first
    assert messages_of(tiny) == first
    edit(tiny / "preface.md", ".. nonsense::", ".. note::")
    assert messages_of(tiny) == []


def test_results_of_other_code_are_shown_beside_none(tiny: Path) -> None:
    page = tiny / "chapter_numbers" / "means.md"
    edit(page, "## Exercises", "```{.python .input}\n#@tab all\nprint('new')\n```\n\n## Exercises")
    edit(page, "from tiny import plain as d2l", "from tiny import plain as d2l\n1 + 1")
    site = build_site(tiny, freeze=False)
    notebook = json.loads((site / "_notebooks" / "plain" / "chapter_numbers" / "means.ipynb").read_text())
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    shown = {"".join(cell["source"]): bool(cell["outputs"]) for cell in code}
    assert not shown["print('new')"] and not shown["from tiny import plain as d2l\n1 + 1\nimport math"]
    assert shown["mean([7])"]


def test_results_that_are_not_there_are_errors_that_name_the_command(tiny: Path) -> None:
    found = messages_of(tiny, pending_ok=False)
    assert any(
        line.startswith("chapter_numbers/rounding.md: error: the result for exact is missing; run: d2lbook eval")
        for line in found
    )
    assert any("means.md" in line and "is stale" in line for line in found)
    assert not (tiny / "_build" / "html").exists()


def test_sections_are_numbered_as_the_book_says(tiny: Path) -> None:
    site = build_site(tiny, freeze=False)
    config = load(tiny / "config.ini", Messages())
    sections = [target for target in load_book(config, Messages()).targets.values() if target.kind == "section"]
    assert len(sections) > 5
    for target in sections:
        text = (site / f"{target.page}.html").read_text(encoding="utf-8")
        heading = re.search(rf'id="{target.anchor}">.*?<h\d>(.*?)</h\d>', text, re.DOTALL)
        assert heading is not None, target
        number = re.search(r'<span class="section-number">([\d.]+)', heading[1])
        assert (number[1] if number else "") == target.number, target


def test_a_drawing_shares_no_ids_and_says_what_it_shows() -> None:
    drawing = (
        '<svg width="9pt" viewBox="0 0 9 9"><defs><path id="a"/></defs><use href="#a"/><g clip-path="url(#a)"/></svg>'
    )
    drawn = labelled(inline_svg(drawing, "p1"), 'two "lines"')
    assert 'role="img" aria-label="two &quot;lines&quot;"' in drawn
    assert '<path id="p1-a"/>' in drawn and 'href="#p1-a"' in drawn and "url(#p1-a)" in drawn
    assert "width:12px" in drawn


def test_a_standalone_drawing_has_plain_colours() -> None:
    drawn = resolve_colours('<path stroke="currentColor" fill="var(--d2l-blue, #0072B2)"/>')
    assert drawn == '<path stroke="#222222" fill="#0072B2"/>'


def test_a_page_opens_on_hosted_platforms_in_its_framework(tiny: Path) -> None:
    with (tiny / "config.ini").open("a") as config:
        config.write(
            "\n[colab]\ngithub_repo = whole, a/b@stable\n\n[sagemaker]\ngithub_repo = a/c\nexclusions = preface\n"
        )
    site = build_site(tiny, freeze=False)
    page = (site / "chapter_numbers" / "means.html").read_text()
    colab = "https://colab.research.google.com/github/a/b/blob/stable/chapter_numbers/means.ipynb"
    lab = "https://studiolab.sagemaker.aws/import/github/a/c/blob/main/en/exact/chapter_numbers/means.ipynb"
    assert f'<span data-for="whole"><a href="{colab}">Open in Colab</a></span>' in page
    assert f'<span data-for="exact"><a href="{lab}">Open in Studio Lab</a></span>' in page
    assert page.count("Open in Colab") == 1
    assert "Studio Lab" not in (site / "preface.html").read_text()


def test_links_styles_and_scripts_of_the_book_itself_are_there(tiny: Path) -> None:
    (tiny / "own").mkdir()
    (tiny / "own" / "book.css").write_text("main { outline: 0 }\n")
    (tiny / "own" / "book.js").write_text("window.own = true;\n")
    edit(tiny / "config.ini", "header_links", "include_css = own/book.css\ninclude_js = own/book.js\nheader_links")
    site = build_site(tiny, freeze=False)
    page = (site / "chapter_numbers" / "means.html").read_text(encoding="utf-8")
    assert '<a class="d2l-link" href="https://example.org/source">Source</a>' in page
    assert 'href="../_static/own/own/book.css"' in page
    assert 'src="../_static/own/own/book.js"' in page
    assert (site / "_static" / "own" / "own" / "book.js").read_text() == "window.own = true;\n"
