"""`activate`: a page's cells of one framework on, the others off, and nothing else of the page changed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from site_book import TINYBOOK

from d2lbook.activate import activate
from d2lbook.cli import main
from d2lbook.config import Config, load
from d2lbook.diagnostics import BookError, Messages

PAGE = """# Page

```{.python .input}
%load_ext d2lbook.tab
tab.interact_select(['a', 'b'])
```

```{.python .input  n=3}
first = 1
```

~~~{.python .input}
%%tab b
second = 2
~~~

```{.python .input}
#@tab all
both = 3
```

```python
prose = "no cell"
```

:begin_solution:
```{.python .input}
#@tab A, b
solution = 4
```
:end_solution:
"""
ONLY_B = PAGE.replace("{.python .input  n=3}", "{.python .inactive  n=3}")
ONLY_A = PAGE.replace("~~~{.python .input}", "~~~{.python .inactive}")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "config.ini").write_text("[build]\ntabs = a, b\nstrict = true\n")
    (tmp_path / "index.md").write_text("# Book\n\n```toc\n\npart/page\nother\n```\n")
    (tmp_path / "part").mkdir()
    (tmp_path / "part" / "page.md").write_text(PAGE)
    (tmp_path / "other.md").write_text("# Other\n\n:numref:`sec_nowhere`\n")
    return tmp_path


def switch(root: Path, tab: str, text: str) -> str:
    page = root / "part" / "page.md"
    page.write_bytes(text.encode())
    messages = Messages(strict=True)
    config = open_config(root)
    assert activate("part/page.md", tab, config, messages) == (page.read_bytes() != text.encode())
    assert [str(message) for message in messages] == []
    done = page.read_bytes()
    assert not activate("part/page.md", tab, config, messages) and page.read_bytes() == done
    return done.decode()


def open_config(root: Path) -> Config:
    return load(root / "config.ini", Messages())


def test_one_framework_then_the_other_then_all_of_them(root: Path) -> None:
    assert switch(root, "b", PAGE) == ONLY_B
    assert switch(root, "A", ONLY_B) == ONLY_A
    assert switch(root, "default", ONLY_B) == ONLY_A
    assert switch(root, "all", ONLY_A) == PAGE


def test_line_ends_and_byte_order_mark_stay(root: Path) -> None:
    def windows(text: str) -> str:
        return "\ufeff" + text.replace("\n", "\r\n").removesuffix("\r\n")

    assert switch(root, "b", windows(PAGE)) == windows(ONLY_B)
    assert switch(root, "all", windows(ONLY_B)) == windows(PAGE)


def test_cells_that_the_earlier_builder_switched_off_come_back(root: Path) -> None:
    earlier = PAGE.replace("~~~{.python .input}", "~~~python")
    assert switch(root, "b", earlier) == ONLY_B
    assert switch(root, "a", earlier) == earlier


def test_a_page_that_does_not_parse_is_left_alone(root: Path) -> None:
    page = root / "part" / "page.md"
    broken = PAGE + "```{.python .input}\nopen = 1\n"
    page.write_text(broken)
    messages = Messages()
    assert not activate("part/page.md", "b", open_config(root), messages)
    assert page.read_text() == broken
    assert [message.code for message in messages] == ["fence-unclosed"]


def test_an_unknown_tab_is_named(root: Path) -> None:
    with pytest.raises(BookError, match="'c' is not a tab of this book; known: a, b, all"):
        activate("part/page.md", "c", open_config(root), Messages())


def test_the_command_line_takes_both_orders(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(root)
    page = root / "part" / "page.md"
    assert main(["activate", "b", "part/page.md"]) == 0
    assert page.read_text() == ONLY_B
    assert main(["activate", "page", "--tab", "a"]) == 0
    assert page.read_text() == ONLY_A
    assert main(["activate", "all", "page", "other"]) == 0
    assert page.read_text() == PAGE
    captured = capsys.readouterr()
    assert captured.out == "changed part/page.md\n" * 3 and captured.err == ""
    assert main(["activate", "a"]) == 1
    assert "name a tab, default or all, and pages" in capsys.readouterr().err


def test_every_page_of_the_tiny_book_comes_back_as_it_was(tmp_path: Path) -> None:
    root = tmp_path / "book"
    shutil.copytree(TINYBOOK, root, ignore=shutil.ignore_patterns("_build"))
    config = open_config(root)
    pages = sorted(root.rglob("*.md"))
    before = {path: path.read_bytes() for path in pages}
    changed = 0
    for path in pages:
        for tab in (*config.tabs, "all"):
            changed += activate(path.relative_to(root).as_posix(), tab, config, Messages())
    assert changed > 0
    assert {path: path.read_bytes() for path in pages} == before
