"""Cells with results of several devices: which of them each format of the tiny book shows, and what it says of them."""

from __future__ import annotations

import re
import shutil
import zipfile
from pathlib import Path

import nbformat
import pytest
from books import GPU, freeze, freeze_on_gpu, open_book, printed, view_of
from site_book import TINYBOOK

from d2lbook.diagnostics import Messages
from d2lbook.execute.frozen import CPU, CellResult, Produced, Run, run_path
from d2lbook.execute.key import cell_hash
from d2lbook.execute.state import DeviceRun
from d2lbook.export.epub import build as epub
from d2lbook.export.notebook import build as notebook
from d2lbook.export.pdf.images import Images
from d2lbook.export.pdf.pages import book_text
from d2lbook.export.site import build as html
from d2lbook.export.slides import build as slides
from d2lbook.rendering.book_context import BookContext
from d2lbook.rendering.provenance import device_label
from d2lbook.rendering.results import Result, Results

MEANS = "chapter_numbers/means"
COMPARED = 1  # the cell of "plain" with `#@compare_devices`
STALE = "the code has changed since"
ON = re.compile(r'<div class="d2l-on" data-on="(\w+)"( data-printed)?>\s*<pre[^>]*>([^<]*)</pre>')


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny book with all results of the CPU, and of a GPU those of a page: in "exact" of other code."""
    root = tmp_path_factory.mktemp("devices") / "book"
    shutil.copytree(TINYBOOK, root)
    book, _ = open_book(root)
    for page in book.pages:
        for tab in book.tabs:
            if view_of(book, page.document.name, tab).cells:
                freeze(root, page.document.name, tab, "by the processor")
    freeze_on_gpu(root, MEANS, "plain", printed("by the GPU"))
    freeze_on_gpu(root, MEANS, "exact", printed("by the GPU"), stale=True)
    freeze_on_gpu(root, MEANS, "whole", printed("by the processor"))
    return root


@pytest.fixture(scope="module")
def page(root: Path) -> str:
    book, config = open_book(root)
    messages = Messages()
    site = html.build(BookContext.of(book, config, book.tabs, messages))
    assert [str(message) for message in messages] == []
    return (site / f"{MEANS}.html").read_text()


def panel(page: str, tab: str, number: int) -> str:
    """What the page shows of a framework's cell in its `number`-th group."""
    return page.split(f'id="panel-{number}-{tab}"')[1].split('role="tabpanel"')[0]


def outputs(page: str) -> list[list[tuple[str, bool, str]]]:
    """The kind, whether it is printed, and the text of each result of each cell that has several."""
    cells = page.split('<div class="d2l-output" data-devices=')[1:]
    return [[(kind, bool(marked), text.strip()) for kind, marked, text in ON.findall(cell)] for cell in cells]


def test_the_site_offers_a_choice_where_results_differ_and_marks_what_is_printed(page: str) -> None:
    cpu, gpu = ("cpu", False, "by the processor"), ("cuda", True, "by the GPU")
    found = outputs(page)
    assert found[0] == [cpu, gpu]  # as usual the CPU's first
    assert [("cpu", True, cpu[2]), gpu] in found  # `#@compare_devices`: both are printed
    assert found[-1] == [gpu, cpu]  # behind `#@gpu_first`
    assert '<html lang="en"' in page and 'data-devices="cpu cuda"' in page
    buttons = re.findall(r'data-device="(\w+)" aria-checked="(\w+)" tabindex="(-?\d)">([^<]+)<', page)
    assert {("cpu", "true", "0", "CPU"), ("cuda", "false", "-1", "H100")} < set(buttons)
    assert page.count('role="radiogroup" aria-label="Device"') == len(found)


def test_one_result_or_two_that_are_the_same_are_no_choice(page: str) -> None:
    assert "data-devices" not in panel(page, "whole", 1)
    assert "by the processor" in panel(page, "whole", 1)


def test_a_stale_result_of_a_gpu_says_so_and_is_no_error(page: str) -> None:
    assert STALE in panel(page, "exact", 1) and STALE not in panel(page, "plain", 1)


def test_a_book_with_results_of_one_device_says_nothing_of_devices(root: Path, tmp_path: Path) -> None:
    other = tmp_path / "book"
    shutil.copytree(root, other, ignore=shutil.ignore_patterns("_build", "*.cuda.json"))
    book, config = open_book(other)
    site = html.build(BookContext.of(book, config, book.tabs, Messages()))
    assert "data-device" not in (site / f"{MEANS}.html").read_text()


def test_a_new_result_of_a_gpu_makes_the_page_anew_and_a_damaged_one_is_an_error(root: Path, tmp_path: Path) -> None:
    other = tmp_path / "book"
    shutil.copytree(root, other)
    freeze_on_gpu(other, MEANS, "plain", printed("by a newer GPU"))
    book, config = open_book(other)
    site = html.build(BookContext.of(book, config, book.tabs, Messages()))
    assert "by a newer GPU" in (site / f"{MEANS}.html").read_text()
    run_path(other, MEANS, "plain", "cuda").write_text("{")
    messages = Messages()
    html.build(BookContext.of(*open_book(other), book.tabs, messages))
    assert [message.code for message in messages] == ["result-damaged"]


def test_notebooks_have_the_gpu_s_and_both_where_the_text_compares(root: Path) -> None:
    book, config = open_book(root)
    messages = Messages()
    notebook.build(BookContext.of(book, config, ["plain"], messages), with_outputs=True)
    assert list(messages) == []
    path = notebook.notebook_path(config, "plain", MEANS, with_outputs=True)
    made = nbformat.read(path, 4)
    shown = [
        [output.get("text") or output["data"]["text/plain"] for output in cell.outputs]
        for cell in made.cells
        if cell.cell_type == "code"
    ]
    assert shown[0] == ["by the GPU\n", f"plain · {GPU} · 2026-02-03"]
    assert [text for text in shown[COMPARED] if text.startswith("by")] == ["by the processor\n", "by the GPU\n"]
    assert made.metadata["d2lbook"]["others"][0]["device"] == GPU


def test_an_epub_has_the_gpu_s_and_both_where_the_text_compares(root: Path) -> None:
    book, config = open_book(root)
    messages = Messages()
    (path,) = epub.build(BookContext.of(book, config, ["plain"], messages))
    assert list(messages) == []
    with zipfile.ZipFile(path) as archive:
        text = next(archive.read(name).decode() for name in archive.namelist() if name.endswith("means.xhtml"))
    check_order(re.findall(r'<pre class="printed">([^<]*)</pre>', text))
    assert f'<p class="made">plain · {GPU} · 2026-02-03</p>' in text


def test_the_pdf_has_the_gpu_s_and_both_where_the_text_compares(root: Path) -> None:
    book, config = open_book(root)
    messages = Messages()
    images = Images(config.output_dir / ".cache" / "drawings", config.lang, book.drawings)
    context = BookContext.of(book, config, book.tabs, messages)
    made = book_text(context, "plain", images)
    context.formulas.close()
    text = "".join(part for part in made.body if part.startswith(f"%@ {MEANS}.md:"))
    check_order([line.replace("\\csp{}", " ") for line in re.findall(r"\\codeline\{(by\\csp.*)\}", text)])
    assert re.search(rf"\\made\{{plain[^}}]*{GPU}", text)


def test_slides_have_the_gpu_s_and_both_where_the_text_compares(root: Path) -> None:
    page = root / f"{MEANS}.md"
    page.write_text(page.read_text().replace("## One Cell for All\n", "## [**One Cell for All**]\n"))
    book, config = open_book(root)
    messages = Messages()
    (path,) = slides.build(BookContext.of(book, config, ["plain"], messages), [MEANS])
    assert list(messages) == []
    shown = re.findall(r'<pre class="printed">([^<]*)</pre>', path.read_text())
    check_order([text.strip() for text in shown])


def check_order(shown: list[str]) -> None:
    texts = [text.strip() for text in shown]
    assert texts[0] == "by the GPU" and texts[1:3] == ["by the processor", "by the GPU"]
    assert set(texts[3:]) <= {"by the GPU"}


@pytest.mark.parametrize(
    ("device", "label"),
    [
        (GPU, "H100"),
        ("2 × NVIDIA A100-SXM4-80GB", "2 × A100"),
        ("NVIDIA GeForce RTX 4090", "RTX 4090"),
        ("Tesla T4", "T4"),
        ("TPU v4", "TPU v4"),
        ("", "CUDA"),
    ],
)
def test_a_device_has_a_short_name(device: str, label: str) -> None:
    assert device_label(Result("cuda", Run("", (), Produced({}, device, "", 0)), ())) == label


def test_of_results_without_output_those_with_one_are_shown(root: Path) -> None:
    book, _ = open_book(root)
    cell = view_of(book, MEANS, "plain").cells[0]
    runs = [
        DeviceRun(kind, "fresh", Run("", (CellResult(cell_hash(cell.code), 0, outputs),), Produced({}, "", "", 0)))
        for kind, outputs in ((CPU, (printed("here"),)), ("cuda", ()))
    ]
    assert [one.kind for one in Results(tuple(runs)).printed(cell)] == [CPU]
