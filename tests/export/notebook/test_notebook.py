"""Notebooks: marks resolved, references as links, figures beside them, outputs from frozen results."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat
import pytest
from books import freeze, open_book, view_of
from editions import edition

from d2lbook.book import load_book
from d2lbook.config import load
from d2lbook.diagnostics import Messages
from d2lbook.execute.frozen import CellResult, Produced, Run
from d2lbook.execute.key import cell_hash
from d2lbook.execute.state import DeviceRun
from d2lbook.export.notebook.build import build, directory, notebook_path, page_notebook
from d2lbook.export.notebook.constructs import written
from d2lbook.model import UiStrings
from d2lbook.rendering.book_context import BookContext
from d2lbook.rendering.results import Results

CONFIG = "[build]\ntabs = pytorch, jax\nresources = img/\n"
INDEX = "# The Book\n\n```toc\n:numbered:\n\nchapter/index\n```\n\nAfter it:\n\n```toc\n\nend\n```\n"
CHAPTER = "# A Chapter\n:label:`chap_a`\n\n```toc\n\nfirst\nsecond\n```\n"
FIRST = r"""
```{.python .input}
%load_ext d2lbook.tab
tab.interact_select(['pytorch', 'jax'])
```

# First Steps
:label:`sec_first`

See :numref:`sec_second`, :numref:`fig_box`, :eqref:`eq_sum`, :numref:`tab_x` and work :cite:`li2014`.
[**A slide**] and (~~hidden~~) text; :func:`torch.add`.

:begin_tab:`jax`
Only in JAX.
:end_tab:

## A Part

$$a + b = c.$$
:eqlabel:`eq_sum`

![A *box*.](../img/box.svg)
:alt:`A square.`
:width:`200px`
:label:`fig_box`

: Numbers of :numref:`sec_second`

| a | b |
|---|---|
| 1 | 2 |
:label:`tab_x`

```{.python .input}
#@tab pytorch
#@alt A falling line.
import torch  #@save
if tab.selected('pytorch'):
    x = 1
x
```

```{.python .input}
#@tab jax
#@hide_code
x = 'jax'  # as in :numref:`sec_second`, not in :numref:`nowhere`
```

```bash
nvidia-smi
```

## Exercises

1. Why?

:begin_solution:
Because.

```{.python .input}
#@tab all
1 + 1
```
:end_solution:

2. And?
"""
SECOND = "# Second Steps\n:label:`sec_second`\n\nBack to :numref:`sec_first` in :numref:`chap_a`.\n"
END = "# Works\n\n:bibliography:`works.bib`\n"
WORKS = """@article{li2014, author={Li, Mu and Andersen, David}, title={On $x$ [y]}, journal={J}, year={2014},
doi={10.1/2}}
@book{unused, author={Nobody, A.}, title={Not Cited}, year={1999}}
"""
SVG = '<svg xmlns="http://www.w3.org/2000/svg"><rect fill="currentColor" stroke="var(--d2l-blue, #0072B2)"/></svg>'


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files = {
        "config.ini": CONFIG,
        "index.md": INDEX,
        "chapter/index.md": CHAPTER,
        "chapter/first.md": FIRST,
        "chapter/second.md": SECOND,
        "end.md": END,
        "works.bib": WORKS,
        "img/box.svg": SVG,
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def make(root: Path, with_outputs: bool = False) -> tuple[list[Path], list[str]]:
    messages = Messages()
    config = load(root / "config.ini", messages)
    book = load_book(config, messages)
    assert [str(message) for message in messages] == []
    paths = build(BookContext.of(book, config, book.tabs, messages), with_outputs)
    return paths, [str(message) for message in messages]


def read(root: Path, tab: str, page: str, with_outputs: bool = False) -> list[Any]:
    config = load(root / "config.ini", Messages())
    notebook = nbformat.read(notebook_path(config, tab, page, with_outputs), as_version=4)
    nbformat.validate(notebook)
    return list(notebook.cells)


def markdown(cells: list[Any]) -> str:
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def code(cells: list[Any]) -> list[str]:
    return [cell.source for cell in cells if cell.cell_type == "code"]


def test_one_valid_notebook_per_page_and_framework(root: Path) -> None:
    paths, messages = make(root)
    assert messages == []
    base = root / "_build" / "ipynb" / "en"
    names = ["index", "chapter/index", "chapter/first", "chapter/second", "end"]
    assert paths == [base / tab / f"{name}.ipynb" for tab in ("pytorch", "jax") for name in names]
    data = json.loads((base / "jax" / "chapter" / "first.ipynb").read_text())
    assert (data["nbformat"], data["nbformat_minor"]) == (4, 5)
    assert data["metadata"]["kernelspec"]["name"] == "python3"
    ids = [cell["id"] for cell in data["cells"]]
    assert len(set(ids)) == len(ids)


def test_code_is_the_framework_s_without_marks(root: Path) -> None:
    make(root)
    assert code(read(root, "pytorch", "chapter/first")) == ["import torch  #@save\nx = 1\nx", "1 + 1"]
    jax = read(root, "jax", "chapter/first")
    assert code(jax) == ["x = 'jax'  # as in Section 1.2, not in :numref:`nowhere`", "1 + 1"]
    (hidden,) = [cell for cell in jax if cell.source.startswith("x = 'jax'")]
    assert hidden.metadata == {"jupyter": {"source_hidden": True}}


def test_prose_has_references_as_links_and_no_marks(root: Path) -> None:
    make(root)
    text = markdown(read(root, "pytorch", "chapter/first"))
    assert (
        "See [Section 1.2](second.ipynb#sec-second), [Fig. 1.1.1](#fig-box), [(1.1.1)](#eq-sum), [Table 1.1.1](#tab-x)"
        " and work ([Li and Andersen, 2014](#cite-li2014)).\nA slide and text; `torch.add`."
    ) in text
    assert "Only in JAX" not in text
    assert "Only in JAX." in markdown(read(root, "jax", "chapter/first"))
    assert not re.search(r":[a-z_]+:`|\[\*\*|\(~~|#@|tab\.", text)
    assert "Back to [Section 1.1](first.ipynb#sec-first) in [Chapter 1](index.ipynb#chap-a)." in markdown(
        read(root, "jax", "chapter/second")
    )


def test_headings_figures_tables_and_equations_carry_number_and_anchor(root: Path) -> None:
    make(root)
    text = markdown(read(root, "pytorch", "chapter/first"))
    for part in (
        '<a id="sec-first"></a>\n# 1.1 First Steps',
        "## 1.1.1 A Part",
        '<a id="eq-sum"></a>\n$$\na + b = c. \\tag{1.1.1}\n$$',
        '<a id="fig-box"></a>\n\n![A square.](../img/box.svg)\n\n**Fig. 1.1.1** A *box*.',
        '<a id="tab-x"></a>\n\n**Table 1.1.1** Numbers of [Section 1.2](second.ipynb#sec-second)\n\n| a | b |',
        "```bash\nnvidia-smi\n```",
    ):
        assert part in text


def test_a_solution_is_present_below_its_exercise(root: Path) -> None:
    make(root)
    sources = [cell.source for cell in read(root, "jax", "chapter/first")]
    start = next(number for number, source in enumerate(sources) if source.endswith("1. Why?"))
    assert sources[start + 1 : start + 4] == ["### Solution\n\nBecause.", "1 + 1", "2. And?"]


def test_cited_works_are_listed_where_they_are_cited(root: Path) -> None:
    make(root)
    last = read(root, "pytorch", "chapter/first")[-1].source
    assert last == (
        '## References\n\n<a id="cite-li2014"></a>Mu Li and David Andersen (2014). On \\$x\\$ \\[y\\]. J.'
        " <https://doi.org/10.1/2>"
    )
    assert "References" not in markdown(read(root, "pytorch", "chapter/second"))
    works = markdown(read(root, "pytorch", "end"))
    assert "Not Cited" in works and "cite-li2014" in works and "## References" not in works


def test_the_contents_link_to_the_notebooks(root: Path) -> None:
    make(root)
    text = markdown(read(root, "pytorch", "index"))
    assert text.endswith(
        "* [1 A Chapter](chapter/index.ipynb)\n    * [1.1 First Steps](chapter/first.ipynb)\n"
        "    * [1.2 Second Steps](chapter/second.ipynb)\n\nAfter it:\n\n* [Works](end.ipynb)"
    )


def test_every_link_leads_to_a_notebook_and_an_anchor_that_exist(root: Path) -> None:
    paths, _ = make(root)
    found = 0
    for path in paths:
        for target in re.findall(r"\]\(([^)#]*\.ipynb)?(?:#([\w-]+))?\)", markdown(nbformat.read(path, 4).cells)):
            other = (path.parent / target[0]).resolve() if target[0] else path
            assert other in paths
            assert not target[1] or f'<a id="{target[1]}">' in markdown(nbformat.read(other, 4).cells)
            found += 1
    assert found > 20


def test_figures_stand_beside_with_their_colours_resolved(root: Path) -> None:
    make(root)
    copy = (root / "_build/ipynb/en/jax/img/box.svg").read_text()
    assert 'stroke="#0072B2"' in copy
    assert "var(" not in copy and "currentColor" not in copy


def test_outputs_come_from_frozen_results_with_what_made_them(root: Path) -> None:
    for page, tab in (("chapter/first", "pytorch"), ("chapter/first", "jax")):
        freeze(root, page, tab, f"of {tab}")
    paths, messages = make(root, with_outputs=True)
    assert messages == []
    assert len(paths) == 10
    cells = [cell for cell in read(root, "jax", "chapter/first", True) if cell.cell_type == "code"]
    assert [cell.outputs[0]["text"] for cell in cells] == ["of jax\n", "of jax\n"]
    assert [cell.execution_count for cell in cells] == [1, 2]
    metadata = json.loads((root / "_build/ipynb-with-outputs/en/jax/chapter/first.ipynb").read_text())["metadata"]
    made = {"versions": {"python": "3.11"}, "device": "CPU, 2 cores", "date": "2026-01-02"}
    assert metadata["d2lbook"] == {"lang": "en", **made}
    make(root)
    assert all(not cell.get("outputs") for cell in read(root, "jax", "chapter/first"))


def test_an_image_carries_its_alternative_text(root: Path) -> None:
    book, config = open_book(root)
    page = book.page("chapter/first")
    assert page is not None
    plot = {"output_type": "display_data", "data": {"image/svg+xml": SVG, "text/plain": "<Figure>"}, "metadata": {}}
    result = {"output_type": "execute_result", "data": {"text/plain": "1"}, "metadata": {}, "execution_count": None}
    view = view_of(book, "chapter/first", "pytorch")
    outputs = ((plot, result), ())
    cells = tuple(CellResult(cell_hash(cell.code), 0.1, out) for cell, out in zip(view.cells, outputs, strict=True))
    run = Run("key", cells, Produced({}, "CPU", "2026-01-02", 1.0))
    context = BookContext.of(book, config, book.tabs, Messages())
    text = page_notebook(context, page, "pytorch", Results((DeviceRun("cpu", "fresh", run),)))
    notebook = nbformat.reads(text, 4)
    nbformat.validate(notebook)
    assert nbformat.writes(notebook) + "\n" == text
    first = next(cell for cell in notebook.cells if cell.cell_type == "code")
    assert first.outputs[0].metadata == {"image/svg+xml": {"alt": "A falling line."}}
    assert first.outputs[1].execution_count == 1


def test_a_stale_result_is_an_error_that_names_the_command_and_the_older_notebook_stays(root: Path) -> None:
    for tab in ("pytorch", "jax"):
        freeze(root, "chapter/first", tab)
    make(root, with_outputs=True)
    path = root / "_build/ipynb-with-outputs/en/jax/chapter/first.ipynb"
    before = path.read_bytes()
    page = root / "chapter" / "first.md"
    page.write_text(page.read_text().replace("x = 'jax'", "x = 'other'"))
    paths, messages = make(root, with_outputs=True)
    (message,) = messages
    assert message.startswith("chapter/first.md: error: ") and message.endswith("[result-stale]")
    assert "d2lbook eval chapter/first.md --tab jax" in message
    assert path not in paths and path.read_bytes() == before


def test_the_words_of_what_is_not_translated_are_looked_up_once_for_all_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For each block anew it took two thirds of the time that a half-translated book takes."""
    page = "# Titel\n:label:`sec_a`\n\nDeutsch.\n\nEnglish :numref:`sec_a`.\n\n## Teil\n\nEnglish, too.\n"
    here = edition(tmp_path, "vi", {"index": page}, english="English")
    source, *_ = open_book(tmp_path)
    context = replace(BookContext.of(source, here.config, ["a"], Messages()), edition=here)
    asked: list[str] = []
    monkeypatch.setattr(
        "d2lbook.export.notebook.markdown.citations_in",
        lambda words, citations: asked.append(words.lang) or citations,
    )
    page_notebook(context, here.book.pages[0], "a")
    assert asked == ["en"]


def test_a_second_build_changes_nothing_and_a_removed_page_goes(root: Path) -> None:
    make(root)
    config = load(root / "config.ini", Messages())
    files = {path: path.stat().st_mtime_ns for path in directory(config).rglob("*") if path.is_file()}
    assert len(files) == 12
    make(root)
    assert {path: path.stat().st_mtime_ns for path in directory(config).rglob("*") if path.is_file()} == files
    (root / "end.md").unlink()
    (root / "index.md").write_text(INDEX.split("After")[0])
    first = (root / "chapter" / "first.md").read_text()
    (root / "chapter" / "first.md").write_text(first.replace(" and work :cite:`li2014`", ""))
    make(root)
    left = {path for path in directory(config).rglob("*") if path.is_file()}
    assert left == {path for path in files if path.stem != "end"}


def test_a_lone_carriage_return_ends_no_line_of_a_definition() -> None:
    words = UiStrings()
    assert written("a\rb\n: c", {}, words) == written("a b\n: c", {}, words).replace("a b", "a\rb")
