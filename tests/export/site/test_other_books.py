"""What other books in the dialect have and ours has not: built where it can be, a finding at its place where not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from books import write_book

from d2lbook.cli import main

CONFIG = "[project]\nname = other\n[build]\ntabs = pytorch, paddle\neval_notebook = false\n"
# A file that is a picture by its name, which is all that the site asks.
PHOTO = b"\xff\xd8\xff\xd9"
PAGE = r"""Short sentences are filled up with "<pad>", and each ends with `<eos>`. A line may be broken<br>here.

$$f(x) = \begin{cases} 1 & x > 0 \\ 0 & \text{else} \end{cases}, \quad \begin{pmatrix} a & b \end{pmatrix}$$

<!-- a note to ourselves -->

![A photo of a key.](img/key.jpg)
:width:`200px`
:label:`img_key`
:alt:`A key.`

<center>In the middle.</center>

##### A Fifth Level

As :numref:`img_key` shows. In :ref:`sec_words`, and :fig:`img_key`.

:ref:`sec_words`

```{.python .input}
%%bash
ls
```

```
%%bash
ls
```

```{.python .input}
#@tab paddle
import paddle
```
"""


@pytest.fixture
def article(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    """The page's article on the site, and what the command said."""
    write_book(tmp_path, {"words": PAGE}, CONFIG)
    (tmp_path / "img").mkdir()
    (tmp_path / "img/key.jpg").write_bytes(PHOTO)
    monkeypatch.chdir(tmp_path)
    assert main(["html"]) == 1
    page = (tmp_path / "_build/html/words.html").read_text(encoding="utf-8")
    return page.partition("<article")[2].partition("</article>")[0], capsys.readouterr().err


@pytest.mark.parametrize(
    "part",
    [
        "each ends with <code>&lt;eos&gt;</code>",
        "broken<br>here",
        'class="katex-html"',
        'src="_images/img/key.jpg" alt="A key."',
        "max-width:200px",
        "<center>In the middle.</center>",
        "d2l-numref reference internal",
        "d2l-ref reference internal",
        "<pre>%%bash\nls\n</pre>",
        '<span class="kn">import</span> paddle',  # a framework that the builder does not know is a name like others
    ],
)
def test_what_can_be_shown_is_shown(article: tuple[str, str], part: str) -> None:
    assert part in article[0]


def test_a_comment_is_not_for_readers(article: tuple[str, str]) -> None:
    assert "note to ourselves" not in article[0]


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("html-unsafe", "<pad>"),
        ("role-unknown", "':fig:'"),
        ("heading-level", "level 5 below one of level 1"),
    ],
)
def test_what_cannot_is_found_at_its_place(article: tuple[str, str], code: str, words: str) -> None:
    found = [line for line in article[1].splitlines() if line.endswith(f"[{code}]")]
    assert len(found) == 1 and words in found[0] and re.match(r"words\.md:\d+:\d+: ", found[0]), article[1]
