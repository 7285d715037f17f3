"""JupyterLab, with the one setting, in a browser: a page opens as a notebook, runs, and is saved as a page."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from live_jupyter import Server
from playwright.sync_api import Browser, Locator, Page, expect

PAGE = """\
# Live
:label:`sec_live`

```{.python .input}
%load_ext d2lbook.tab
tab.interact_select(['pytorch', 'jax'])
```

```{.python .input  .no-slide}
#@tab pytorch
print(6 * 7)
```


```{.python .input}
%%tab jax
print("jax ran")
```

## The End
"""


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Server]:
    (tmp_path / "book").mkdir()
    (tmp_path / "home").mkdir()
    (tmp_path / "book" / "live.md").write_bytes(PAGE.replace("\n", "\r\n").encode())
    started = Server("jupyterlab", tmp_path / "book", tmp_path / "home")
    yield started
    started.stop()


@pytest.fixture
def page(browser: Browser, lab: Server) -> Iterator[Page]:
    context = browser.new_context()
    found = context.new_page()
    found.goto(f"{lab.address}lab?token=secret&reset")
    yield found
    context.close()


def opened(page: Page) -> Locator:
    """The cells of the page, opened by a double click."""
    page.locator(".jp-DirListing-item", has_text="live.md").dblclick(timeout=120_000)
    cells = page.locator(".jp-Notebook .jp-Cell")
    expect(cells).to_have_count(5, timeout=120_000)
    expect(page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]")).to_be_visible(timeout=120_000)
    return cells


def run(page: Page, cell: Locator) -> None:
    """Runs a cell; again where JupyterLab, with a kernel just started, let the key pass without doing anything."""
    prompt = cell.locator(".jp-InputPrompt")
    for _ in range(20):
        cell.locator(".cm-content").click()
        page.keyboard.press("Shift+Enter")
        page.wait_for_timeout(1000)
        if prompt.inner_text().strip() != "[ ]:":
            return
    raise AssertionError("the cell did not run")


def append(page: Page, cell: Locator, text: str) -> None:
    """Adds to a cell and saves."""
    cell.locator(".cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.type(text)
    page.keyboard.press("Control+s")


def test_a_page_opens_runs_and_is_saved_with_the_edit_only(page: Page, lab: Server) -> None:
    cells = opened(page)
    expect(page.locator(".jp-RenderedMarkdown h1", has_text="Live")).to_be_visible()
    for number in (1, 2, 3):
        run(page, cells.nth(number))
    expect(cells.nth(2).locator(".jp-OutputArea")).to_contain_text("42", timeout=120_000)
    expect(cells.nth(3).locator(".jp-OutputArea")).to_contain_text("Skipped: a cell of jax, not of pytorch.")
    append(page, cells.nth(2), "\nprint(43)")
    path = lab.root / "live.md"
    expected = PAGE.replace("print(6 * 7)\n", "print(6 * 7)\nprint(43)\n").replace("\n", "\r\n").encode()
    for _ in range(100):
        if path.read_bytes() == expected:
            break
        page.wait_for_timeout(100)
    assert path.read_bytes() == expected


def test_a_page_that_changed_on_the_disk_is_not_overwritten_unasked(page: Page, lab: Server) -> None:
    cells = opened(page)
    path = lab.root / "live.md"
    path.write_text("# Written elsewhere\n")
    later = path.stat().st_mtime + 60
    os.utime(path, (later, later))
    append(page, cells.nth(2), "\nprint(43)")
    expect(page.locator(".jp-Dialog", has_text="has changed on disk")).to_be_visible(timeout=60_000)
    assert path.read_text() == "# Written elsewhere\n"
