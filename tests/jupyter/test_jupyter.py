"""Pages as notebooks: what Jupyter's server gives and takes; only what was changed changes in a page."""

from __future__ import annotations

import json
import random
import re
import shutil
import urllib.error
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from live_jupyter import Server

from d2lbook.jupyter.notebook import NoPlaceError, notebook_of, text_of

ROOT = Path(__file__).parents[2]
PAGES = sorted(path for path in (*ROOT.glob("*.md"), *ROOT.glob("chapter_*/*.md"), *ROOT.glob("tests/**/*.md")))
PAGE = """\
# A Page
:label:`sec_page`

Before the cell,
two lines.
```{.python .input n=3 .no-slide}
#@tab pytorch, jax
x = 1  #@save
```


:begin_tab:`jax`
For JAX.

```{.python .input}
%%tab jax
y = 2
```
:end_tab:

## Exercises

1. Why?

:begin_solution:
Because.

```{.python .input}
y
```
:end_solution:

```bash
make html
```
"""


def cells(text: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = notebook_of(text, "page.md")["cells"]
    return found


def saved(text: str, changed: list[dict[str, Any]]) -> str:
    return text_of({"cells": changed}, text, "page.md")


def new(kind: str, source: str) -> dict[str, Any]:
    return {"cell_type": kind, "metadata": {}, "source": source}


def at(text: str, source: str) -> tuple[list[dict[str, Any]], int]:
    """The cells of a page, and the position of the one whose source holds `source`."""
    found = cells(text)
    return found, next(number for number, cell in enumerate(found) if source in cell["source"])


def test_a_page_is_cut_at_its_cells_and_headings() -> None:
    notebook = notebook_of(PAGE, "page.md")
    nbformat.validate(nbformat.from_dict(notebook))
    assert [(cell["cell_type"], cell["source"].split("\n")[0]) for cell in notebook["cells"]] == [
        ("markdown", "# A Page"),
        ("code", "#@tab pytorch, jax"),
        ("markdown", ":begin_tab:`jax`"),
        ("code", "%%tab jax"),
        ("markdown", ":end_tab:"),
        ("markdown", "## Exercises"),
        ("code", "y"),
        ("markdown", ":end_solution:"),
    ]
    assert cells(PAGE)[1]["source"] == "#@tab pytorch, jax\nx = 1  #@save"


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_unchanged_pages_are_the_same_bytes(path: Path) -> None:
    text = path.read_bytes().decode()
    for variant in (text, text.replace("\n", "\r\n"), f"\ufeff{text}", text.rstrip("\n"), f"\n \n{text}\n\n\t\n"):
        assert saved(variant, cells(variant)) == variant


def test_pages_with_errors_open_and_stay_the_same() -> None:
    lines = [
        "",
        "",
        " \t",
        "text",
        "# Head",
        "Head\n====",
        "```{.python .input}",
        "```",
        "````{.python .input n=1}",
        "````",
        "~~~",
        ":begin_tab:`a`",
        ":end_tab:",
        ":begin_solution:",
        ":end_solution:",
        ":label:``",
        "x = 1",
        "- item",
        "  ```",
        "$$",
        "| a |",
        ": caption",
        "```toc",
        "<div>",
        "```{.json .output}",
        "\x0c",
    ]
    chance = random.Random(5)
    for _ in range(600):
        ends = chance.choice([["\n"], ["\r\n"], ["\n", "\r\n"]])
        text = "".join(chance.choice(lines) + chance.choice(ends) for _ in range(chance.randrange(12)))
        assert saved(text, cells(text)) == text


def test_an_edited_cell_changes_its_lines_only() -> None:
    for text in (PAGE, PAGE.replace("\n", "\r\n"), f"\ufeff{PAGE}"):
        end = "\r\n" if "\r" in text else "\n"
        found, number = at(text, "x = 1")
        found[number]["source"] = found[number]["source"].replace("x = 1", "x = 3\nz = 4")
        assert saved(text, found) == text.replace("x = 1", f"x = 3{end}z = 4")
        found, number = at(text, "two lines")
        found[number]["source"] += " More."
        assert saved(text, found) == text.replace("two lines.", "two lines. More.")


def test_every_cell_edited_keeps_what_lies_between() -> None:
    found = cells(PAGE)
    for cell in found:
        cell["source"] += "!"
    expected = PAGE
    for old in cells(PAGE):
        expected = expected.replace(f"{old['source']}\n", f"{old['source']}!\n", 1)
    assert saved(PAGE, found) == expected


def test_mixed_line_ends_stay_where_they_are() -> None:
    text = "# A\r\n\none\n\r\n```{.python .input}\r\nx\ny\r\n```\nend\r\n"
    found, number = at(text, "x")
    found[number]["source"] = "x\nnew\ny"
    assert saved(text, found) == text.replace("x\ny\r\n", "x\nnew\r\ny\r\n")


def test_cells_are_added_deleted_moved_and_split() -> None:
    found, number = at(PAGE, "%%tab jax")
    without = PAGE.replace("```{.python .input}\n%%tab jax\ny = 2\n```\n", "")
    assert saved(PAGE, found[:number] + found[number + 1 :]) == without
    added = [*found[:number], new("code", "#@tab all\nnew()"), *found[number:]]
    block = "```{.python .input}\n#@tab all\nnew()\n```\n\n"
    assert saved(PAGE, added) == PAGE.replace(
        "```{.python .input}\n%%tab jax", block + "```{.python .input}\n%%tab jax"
    )
    last = [*found, new("markdown", "The end.\n")]
    assert saved(PAGE, last) == PAGE.rstrip("\n") + "\n\nThe end.\n"
    split = [*found[:number], new("code", "%%tab jax"), new("code", "y = 2"), *found[number + 1 :]]
    assert saved(PAGE, split) == PAGE.replace("%%tab jax\ny", "%%tab jax\n```\n\n```{.python .input}\ny")
    _, head = at(PAGE, "## Exercises")
    moved = [*found[:head], found[head + 1], found[head], *found[head + 2 :]]
    text = saved(PAGE, moved)
    assert text.index("```{.python .input}\ny\n```\n") < text.index("## Exercises")
    assert sorted(line for line in text.split("\n") if line) == sorted(line for line in PAGE.split("\n") if line)


def test_a_moved_cell_takes_its_attributes_along_and_a_new_kind_its_fence() -> None:
    found, number = at(PAGE, "x = 1")
    cell = found.pop(number)
    text = saved(PAGE, [*found, {**cell, "source": "x = 5"}])
    assert text.endswith("```\n\n```{.python .input n=3 .no-slide}\nx = 5\n```\n")
    found, number = at(PAGE, "x = 1")
    found[number] = new("markdown", "Prose now.")
    assert "two lines.\n\nProse now.\n\n\n:begin_tab:" in saved(PAGE, found)


def test_prose_that_was_split_is_one_paragraph_apart_and_saving_again_changes_nothing() -> None:
    text = "# A\n\none\ntwo\n\n```{.python .input}\nx\n```\n"
    found = [new("markdown", "# A\n\none"), new("markdown", "two"), cells(text)[1]]
    once = saved(text, found)
    assert once == text.replace("one\ntwo", "one\n\ntwo")
    assert saved(once, found) == once


def test_empty_cells_are_not_written_unless_they_were_there() -> None:
    found, number = at(PAGE, "%%tab jax")
    assert saved(PAGE, [*found, new("code", "\n"), new("markdown", " ")]) == PAGE
    text = PAGE.replace("%%tab jax\ny = 2\n", "")
    assert saved(text, cells(text)) == text
    found[number]["source"] = ""
    assert saved(PAGE, found) == PAGE.replace("```{.python .input}\n%%tab jax\ny = 2\n```\n", "")


def test_code_that_holds_a_fence_gets_a_longer_one() -> None:
    code = 'text = """\n```\n````{.python .input}\n"""'
    text = saved("", [new("code", code)])
    assert text == f"`````{{.python .input}}\n{code}\n`````\n"
    assert [cell["source"] for cell in cells(text)] == [code]


def test_an_unclosed_cell_is_closed_when_something_follows() -> None:
    text = "# A\n\n```{.python .input}\nx = 1\n"
    assert saved(text, cells(text)) == text
    assert saved(text, [*cells(text), new("markdown", "End.")]) == f"{text}```\n\nEnd.\n"


def test_a_new_page_and_an_emptied_one() -> None:
    assert saved("", [new("markdown", "# New"), new("code", "1 + 1")]) == "# New\n\n```{.python .input}\n1 + 1\n```\n"
    assert saved("", []) == ""
    assert saved("\ufeffA\r\n", []) == "\ufeff"


def test_what_cells_say_is_what_the_page_says_after_any_change() -> None:
    """Whatever is added, deleted, moved: the page, read again, has the notebook's cells, neighbouring prose as one."""
    blank = re.compile(r"\n{3,}")  # as between some pieces of the page
    chance = random.Random(5)
    for _ in range(300):
        found = cells(PAGE)
        for number in range(chance.randrange(5)):
            place = chance.randrange(len(found))
            match chance.randrange(4):
                case 0:
                    found.insert(place, new(chance.choice(["code", "markdown"]), f"new {number}"))
                case 1:
                    del found[place]
                case 2:
                    found.insert(chance.randrange(len(found)), found.pop(place))
                case _:
                    found[place]["source"] += f"\nmore {number}"
        expected: list[tuple[str, str]] = []
        for cell in found:
            kind, source = cell["cell_type"], cell["source"]
            if kind == "markdown" and expected and expected[-1][0] == kind and not source.startswith("#"):
                expected[-1] = (kind, f"{expected[-1][1]}\n\n{source}")
            else:
                expected.append((kind, source))
        text = saved(PAGE, found)
        assert [(cell["cell_type"], blank.sub("\n\n", cell["source"])) for cell in cells(text)] == expected
        assert saved(text, found) == text


def test_outputs_and_counts_are_left_out() -> None:
    found, number = at(PAGE, "x = 1")
    found[number] |= {"execution_count": 3, "outputs": [{"output_type": "stream", "name": "stdout", "text": "secret"}]}
    assert saved(PAGE, found) == PAGE


def test_a_pasted_picture_is_refused() -> None:
    picture = {**new("markdown", "![](attachment:a.png)"), "attachments": {"a.png": {"image/png": ""}}}
    with pytest.raises(NoPlaceError, match="save it as a file"):
        saved(PAGE, [picture])


# ---- Jupyter's server ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    root = tmp_path_factory.mktemp("book")
    for path in (*ROOT.glob("*.md"), *ROOT.glob("chapter_*/*.md")):
        (root / path.relative_to(ROOT)).parent.mkdir(exist_ok=True)
        shutil.copy(path, root / path.relative_to(ROOT))
    started = Server("jupyter_server", root, tmp_path_factory.mktemp("home"))
    yield started
    started.stop()


def pages(root: Path) -> list[str]:
    return sorted(path.relative_to(root).as_posix() for path in root.glob("*/*.md"))


def test_every_page_comes_back_the_same_from_the_server(server: Server) -> None:
    names = pages(server.root)
    assert len(names) >= 8
    for name in names:
        before = (server.root / name).read_bytes()
        model = server.ask("GET", f"{name}?type=notebook&content=1")
        nbformat.validate(nbformat.from_dict(model["content"]))
        assert model["type"] == "notebook" and model["format"] == "json"
        answer = server.ask("PUT", name, {"type": "notebook", "format": "json", "content": model["content"]})
        assert (server.root / name).read_bytes() == before
        assert answer["last_modified"] == model["last_modified"]


def test_a_change_is_saved_and_a_checkpoint_brings_the_page_back(server: Server) -> None:
    path = server.root / "chapter_computation" / "lenet.md"
    name, before = "chapter_computation/lenet.md", path.read_text()
    model = server.ask("GET", f"{name}?type=notebook")
    server.ask("PUT", name, {"type": "notebook", "format": "json", "content": model["content"]})
    checkpoint = server.ask("POST", f"{name}/checkpoints")
    cell = next(cell for cell in model["content"]["cells"] if cell["cell_type"] == "code")
    cell["source"] += "\nnew_line = 1"
    cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "an output"}]
    server.ask("PUT", name, {"type": "notebook", "format": "json", "content": model["content"]})
    after = path.read_text()
    changed = [line for line in after.split("\n") if line not in before.split("\n")]
    assert changed == ["new_line = 1"] and len(after) == len(before) + len("new_line = 1\n")
    server.ask("POST", f"{name}/checkpoints/{checkpoint['id']}")
    assert path.read_text() == before


def test_a_listing_a_copy_and_the_text_of_a_page(server: Server) -> None:
    listing = server.ask("GET", "chapter_computation")["content"]
    assert {entry["type"] for entry in listing if entry["name"].endswith(".md")} == {"notebook"}
    page = server.root / "odd.md"
    page.write_bytes(b"# Odd\r\n\n\nText\n```{.python .input}\n1\n```")
    assert server.ask("GET", "odd.md?type=file&format=text")["content"].encode() == page.read_bytes()
    copied = server.ask("POST", "", {"copy_from": "odd.md"})
    assert (server.root / copied["path"]).read_bytes() == page.read_bytes() and copied["path"] != "odd.md"
    server.ask("PUT", "odd.md", {"type": "file", "format": "text", "content": "as text"})
    assert page.read_text() == "as text"


def test_other_files_are_as_ever(server: Server) -> None:
    notebook = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    server.ask("PUT", "plain.ipynb", {"type": "notebook", "format": "json", "content": notebook})
    assert json.loads((server.root / "plain.ipynb").read_text()) == notebook
    server.ask("PUT", "notes.txt", {"type": "file", "format": "text", "content": "# no page"})
    assert server.ask("GET", "notes.txt")["type"] == "file"


def refused(server: Server, method: str, path: str, body: object = None) -> str:
    with pytest.raises(urllib.error.HTTPError) as error:
        server.ask(method, path, body)
    assert error.value.code == 400
    return str(json.loads(error.value.read())["message"])


def test_what_cannot_be_read_or_written_is_said_and_leaves_the_page(server: Server) -> None:
    page = server.root / "latin.md"
    page.write_bytes("# Größe\n".encode("latin-1"))
    assert "not UTF-8; save it in that encoding" in refused(server, "GET", "latin.md?type=notebook")
    empty = {"type": "notebook", "format": "json", "content": {**notebook_of("", ""), "cells": [{"cell_type": "raw"}]}}
    (server.root / "good.md").write_text("# Good\n")
    assert "not a notebook" in refused(server, "PUT", "good.md", empty)
    assert (server.root / "good.md").read_text() == "# Good\n"
    whole = {**empty, "content": notebook_of("# New\n", "")}
    assert "not UTF-8" in refused(server, "PUT", "latin.md", whole)
    assert page.read_bytes() == "# Größe\n".encode("latin-1")
