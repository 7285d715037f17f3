"""Words in plots: messages of one catalog, which every format shows without running a page again."""

from __future__ import annotations

import json
from pathlib import Path

import polib
import pytest
from books import freeze_output
from language_book import build_languages, fill, write_language_book

from d2lbook.cli import main
from d2lbook.execute.frozen import run_path

PLOT = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="90pt" height="60pt" viewBox="0 0 90 60">'
    '<text x="9" y="50" fill="#222222">epoch</text><text x="9" y="20">train_loss</text>'
    '<text x="9" y="10">a &lt; b, measured</text><text x="0" y="9">0.5</text></svg>'
)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The book with a plot in both frameworks, and its catalogs."""
    root = write_language_book(tmp_path / "book")
    for tab in ("pytorch", "jax"):
        freeze_output(root, "means", tab, {"image/svg+xml": PLOT})
    monkeypatch.chdir(root)
    assert main(["translate", "update"]) == 0
    return root


def catalog(root: Path, lang: str = "ko") -> Path:
    return root / "locales" / lang / "plots.po"


def shown(root: Path, lang: str = "ko") -> str:
    return (root / "_build" / "html" / lang / "means.html").read_text(encoding="utf-8")


def built(root: Path) -> list[str]:
    """The findings of a build."""
    return build_languages(root)[1]


def test_words_of_plots_are_messages_by_page(root: Path) -> None:
    found = [(entry.msgctxt, entry.msgid, entry.msgstr) for entry in polib.pofile(str(catalog(root)))]

    assert found == [("means: plot", "epoch", ""), ("means: plot", "a &lt; b, measured", "")]


def test_a_plot_shows_the_words_of_the_language(root: Path) -> None:
    fill(catalog(root), {"epoch": "에포크", "a &lt; b, measured": "a &lt; b, 측정"})

    assert built(root) == []

    assert all(text in shown(root) for text in (">에포크<", ">train_loss<", ">a &lt; b, 측정<"))
    assert ">epoch<" not in shown(root)
    assert ">epoch<" in shown(root, "vi")
    notebook = json.loads((root / "_build/html/ko/_notebooks/pytorch/means.ipynb").read_text(encoding="utf-8"))
    assert "에포크" in json.dumps(notebook, ensure_ascii=False)


def test_a_changed_word_is_seen_after_the_next_build(root: Path) -> None:
    fill(catalog(root), {"epoch": "시대"})
    built(root)
    fill(catalog(root), {"epoch": "에포크"})

    built(root)

    assert ">에포크<" in shown(root)
    assert ">시대<" not in shown(root)


def test_a_text_without_a_translation_stays(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert built(root) == []
    assert main(["translate", "status", "--lang", "ko"]) == 0

    assert ">epoch<" in shown(root)
    row = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("plots"))
    assert row.split()[1:5] == ["0", "0", "0", "0"]


def test_a_translation_that_breaks_the_drawing_is_refused(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fill(catalog(root), {"epoch": "에포크 & 단계"})

    assert main(["translate", "check", "--lang", "ko"]) == 1
    (told,) = [line for line in capsys.readouterr().err.splitlines() if "plots.po" in line]
    assert "this is not well-formed in a drawing" in told
    built(root)
    assert ">epoch<" in shown(root)


def test_a_damaged_result_is_no_reason_to_update_nothing(root: Path) -> None:
    run_path(root, "means", "jax").write_text("{", encoding="utf-8")

    assert main(["translate", "update"]) == 0

    assert [entry.msgid for entry in polib.pofile(str(catalog(root)))] == ["epoch", "a &lt; b, measured"]


def test_a_word_that_no_plot_has_any_more_is_kept_as_obsolete(root: Path) -> None:
    fill(catalog(root), {"epoch": "에포크"})
    for tab in ("pytorch", "jax"):
        freeze_output(root, "means", tab, {"image/svg+xml": PLOT.replace("epoch", "2")})

    assert main(["translate", "update"]) == 0

    assert [entry.msgstr for entry in polib.pofile(str(catalog(root))) if entry.obsolete] == ["에포크"]
