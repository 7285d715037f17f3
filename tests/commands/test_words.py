"""The command `words`: what counts as prose, in each framework's view."""

from __future__ import annotations

from pathlib import Path

import pytest
from books import cell, write_book

from d2lbook.cli import main

PAGE = f"""[**Three *plain* words.**] With $a + b$ and
:numref:`sec_page` that is nine [~~only on slides~~].

$$c = d$$

* `code` is one
* [two words](https://example.org/not-counted)

:begin_tab:`b`
Five words in one tab.
:end_tab:

| a table | of words |
|:--|:--|
| not | counted |

![A caption that nobody counts.](https://example.org/x.svg)

```bash
neither a listing
```

{cell("# nor a cell", "all")}
## Exercises

1. Nor an exercise.

:begin_solution:
Nor its solution.
:end_solution:

### Harder ones

Nor these.

## After [**them**]

Two – more.
"""


@pytest.mark.parametrize(("pages", "lines"), [((), 3), (("page",), 2)])
def test_words_of_prose(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    pages: tuple[str, ...],
    lines: int,
) -> None:
    write_book(tmp_path, {"page": PAGE}, "[build]\ntabs = a, b\n")
    monkeypatch.chdir(tmp_path)

    assert main(["words", *pages]) == 0

    shown = capsys.readouterr().out.splitlines()
    title, paragraph, items, after = 2, 3 + 2 + 2 + 3, 3 + 2, 2 + 2
    words = title + paragraph + items + after
    assert shown[-1].split() == ["page", str(words), str(words + 5)]
    assert len([line for line in shown if line.strip()]) == lines
