"""Catalogs follow their pages: nothing changes without cause, what changed turns fuzzy, nothing is lost."""

from __future__ import annotations

import io
import subprocess
from collections.abc import Callable
from pathlib import Path

import polib
import pytest
import translated
from babel.messages.pofile import read_po
from translated import PAGE, catalog, fill, run, set_message, write

from d2lbook.config import load
from d2lbook.diagnostics import Messages
from d2lbook.translate.commands import languages_of

ROOT = Path(__file__).parents[2]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    book = write(tmp_path / "book")
    assert run(book, "update") == 0
    return book


def files(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(root.rglob("*.po"))}


def entry(root: Path, msgid: str) -> polib.POEntry:
    return next(entry for entry in catalog(root) if entry.msgid.startswith(msgid) and not entry.obsolete)


def test_update_makes_a_catalog_of_each_page_drawing_and_of_the_words(root: Path) -> None:
    assert [name.removeprefix("locales/xx/") for name in files(root)] == [
        "box.po",
        "index.po",
        "interface.po",
        "page.po",
    ]
    assert [found.msgid for found in catalog(root, "index")] == ["A Book", "What it is about."]
    assert catalog(root, "interface").find("A Book").msgctxt == "config.ini: title"
    assert catalog(root, "interface").find("Next").comment == "Above the next page's title."


def test_gettext_reads_the_catalogs(root: Path) -> None:
    fill(root, lambda entry: entry.msgid)
    write(root, PAGE.replace("Only for a.", "Only for the framework a."))
    assert run(root, "update") == 0
    for path in root.rglob("*.po"):
        check_with_gettext(path)


def test_gettext_reads_a_changed_text_that_is_gone(root: Path) -> None:
    fill(root, lambda entry: entry.msgid)
    write(root, PAGE.replace("Only for a.", "Only for the framework a."))
    assert run(root, "update") == 0
    write(root, PAGE.replace("Only for a.", ""))
    assert run(root, "update") == 0
    for path in root.rglob("*.po"):
        check_with_gettext(path)
        assert "#~|" not in path.read_text(encoding="utf-8")
    write(root, PAGE)
    assert run(root, "update") == 0
    assert run(root, "status") == 0


def test_gettext_reads_the_catalogs_of_the_book() -> None:
    paths = list((ROOT / "locales").rglob("*.po"))
    assert len(paths) > 100
    for path in paths:
        check_with_gettext(path)


def check_with_gettext(path: Path) -> None:
    """That a catalog is one, by Babel and by `msgfmt --check`."""
    read = read_po(io.BytesIO(path.read_bytes()), abort_invalid=True)
    assert {"Content-Type", "Language", "PO-Revision-Date"} <= {name for name, _ in read.mime_headers}
    command = ["msgfmt", "--check", "--output-file=/dev/null", str(path)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")


def test_extracting_twice_changes_nothing(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = files(root)
    capsys.readouterr()
    assert run(root, "update") == 0
    assert capsys.readouterr().out == "nothing changed\n"
    assert files(root) == before
    fill(root, lambda entry: f"xx {entry.msgid}")
    before = files(root)
    assert run(root, "update") == 0
    assert files(root) == before


def test_wrapping_a_paragraph_anew_changes_nothing(root: Path) -> None:
    fill(root, lambda entry: f"xx {entry.msgid}")
    before = files(root)
    write(root, PAGE.replace("`sec_page`,\nwrapped", "`sec_page`, wrapped"))
    assert run(root, "update") == 0
    assert files(root) == before


def test_a_changed_sentence_turns_fuzzy_and_keeps_the_old_text(root: Path) -> None:
    fill(root, lambda entry: f"xx {entry.msgid}")
    write(root, PAGE.replace("wrapped over two lines", "wrapped over three lines"))
    assert run(root, "update") == 0
    found = entry(root, "A paragraph")
    assert found.msgid.endswith("over three lines.")
    assert found.fuzzy and found.msgstr.startswith("xx A paragraph")
    assert found.previous_msgid is not None and found.previous_msgid.endswith("over two lines.")
    assert [other for other in catalog(root) if other.fuzzy] == [found]


def test_a_text_changed_twice_keeps_the_one_that_was_translated(root: Path) -> None:
    fill(root, lambda entry: f"xx {entry.msgid}")
    for number in ("three", "four"):
        write(root, PAGE.replace("wrapped over two lines", f"wrapped over {number} lines"))
        assert run(root, "update") == 0
    found = entry(root, "A paragraph")
    assert found.fuzzy and found.previous_msgid is not None and "over two lines" in found.previous_msgid


def test_a_text_changed_back_is_as_it_was(root: Path) -> None:
    fill(root, lambda entry: f"xx {entry.msgid}")
    before = files(root)
    for text in (PAGE.replace("wrapped over two lines", "wrapped over three lines"), PAGE):
        write(root, text)
        assert run(root, "update") == 0
    assert files(root) == before


def test_a_moved_text_keeps_its_translation(root: Path) -> None:
    fill(root, lambda entry: f"xx {entry.msgid}")
    write(root, PAGE.replace("[**Lists**] and Tables", "Of Lists and Tables"))
    assert run(root, "update") == 0
    found = entry(root, "It follows that")
    assert found.msgctxt == "of-lists-and-tables: paragraph"
    assert found.msgstr == "xx It follows that" and not found.fuzzy
    assert [other.msgid for other in catalog(root) if other.fuzzy] == ["Of Lists and Tables"]
    assert [other for other in catalog(root) if other.obsolete] == []


def test_a_removed_text_stays_as_obsolete_and_comes_back(root: Path) -> None:
    fill(root, lambda entry: f"xx {entry.msgid}")
    before = files(root)
    write(root, PAGE.replace("It is solved.\n", ""))
    assert run(root, "update") == 0
    assert [found.msgid for found in catalog(root) if found.obsolete] == ["It is solved."]
    write(root, PAGE)
    assert run(root, "update") == 0
    assert files(root) == before


def test_a_removed_text_without_a_translation_is_gone(root: Path) -> None:
    write(root, PAGE.replace("It is solved.\n", ""))
    assert run(root, "update") == 0
    assert "It is solved." not in (root / "locales" / "xx" / "page.po").read_text()


def test_what_a_translator_wrote_beside_a_message_stays(root: Path) -> None:
    set_message(root, "It is solved", "xx", comment="glossary: ok, a name")
    write(root, PAGE.replace("Only for a.", "Something else altogether."))
    assert run(root, "update") == 0
    found = entry(root, "It is solved")
    assert (found.msgstr, found.tcomment) == ("xx", "glossary: ok, a name")


def test_of_two_messages_for_one_text_none_is_lost(root: Path) -> None:
    set_message(root, "It is solved", "eins")
    po = catalog(root)
    first = po.find("It is solved.")
    for text in ("zwei", "eins"):
        po.append(polib.POEntry(msgctxt=first.msgctxt, msgid=first.msgid, msgstr=text))
    po.save()
    write(root, PAGE.replace("Only for a.", "Only for b."))
    assert run(root, "update") == 0
    (found,) = [entry for entry in catalog(root) if entry.msgid == "It is solved."]
    assert (found.msgstr, found.tcomment) == ("eins", "another translation: zwei")
    check_with_gettext(root / "locales" / "xx" / "page.po")


def test_renamed_places_of_one_text_get_back_their_own_translations(root: Path) -> None:
    page = "# P\n\n## One\n\nSame words.\n\n## Two\n\nSame words.\n"
    write(root, page)
    assert run(root, "update") == 0
    fill(root, lambda entry: f"{entry.msgctxt}")
    write(root, page.replace("One", "First").replace("Two", "Second"))
    assert run(root, "update") == 0
    found = [entry.msgstr for entry in catalog(root) if entry.msgid == "Same words."]
    assert found == ["one: paragraph", "two: paragraph"]


def test_what_a_translator_marks_as_fuzzy_stays_so_in_another_place(root: Path) -> None:
    page = "# P\n\n## One\n\nSame words.\n"
    write(root, page)
    assert run(root, "update") == 0
    po = catalog(root)
    found = po.find("Same words.")
    found.msgstr, found.flags = "xx", ["fuzzy"]
    po.save()
    for text in (page.replace("One", "First"), page.replace("One", "First") + "\nMore.\n"):
        write(root, text)
        assert run(root, "update") == 0
        assert entry(root, "Same words.").fuzzy


def test_what_tools_write_beside_a_message_stays(root: Path) -> None:
    po = catalog(root)
    found = po.find("roughly")
    found.msgstr, found.flags = "xx", [*found.flags, "no-wrap"]
    po.save()
    write(root, PAGE.replace("Only for a.", "Only for b."))
    assert run(root, "update") == 0
    assert entry(root, "roughly").flags == ["code-comment", "no-wrap"]


def test_messages_that_lost_their_contexts_are_found_by_their_texts(root: Path) -> None:
    fill(root, lambda entry: f"xx {entry.msgid}")
    po = catalog(root)
    for found in po:
        found.msgctxt = None
    po.save()
    write(root, PAGE.replace("wrapped over two lines", "wrapped over three lines"))
    assert run(root, "update") == 0
    assert entry(root, "It is solved.").msgstr == "xx It is solved." and not entry(root, "It is solved.").fuzzy
    assert entry(root, "A paragraph").fuzzy
    assert all(found.msgstr and not found.obsolete for found in catalog(root))


def test_forms_for_numbers_are_kept_beside_the_message(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    po = catalog(root)
    found = po.find("It is solved.")
    found.msgid_plural, found.msgstr_plural = "They are solved.", {0: "eins", 1: "zwei"}
    po.save()
    capsys.readouterr()
    assert run(root, "check") == 1
    assert "[translation-plural]" in capsys.readouterr().err
    assert run(root, "update") == 0
    found = entry(root, "It is solved.")
    assert (found.msgstr, found.fuzzy, found.tcomment) == ("eins", True, "another translation: zwei")
    assert run(root, "check") == 0


def _without_header(data: bytes) -> bytes:
    return data[data.index(b"\n\n") + 2 :]


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (_without_header, "has no header"),
        (lambda data: data.replace(b"charset=UTF-8", b"charset=EUC-KR"), "has no header"),
        (lambda data: data.replace(b"charset=UTF-8", b"charset=CHARSET"), "has no header"),
        (lambda data: b"\xef\xbb\xbf" + data, "begins with a byte-order mark"),
    ],
)
def test_a_beginning_that_other_tools_cannot_read_is_told_and_mended(
    root: Path, change: Callable[[bytes], bytes], what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(root, lambda entry: f"글 {entry.msgid}")
    path = root / "locales" / "xx" / "page.po"
    right = path.read_bytes()
    path.write_bytes(change(right))
    capsys.readouterr()
    run(root, "check")
    assert f"locales/xx/page.po:1:1: warning: {what}" in capsys.readouterr().err
    assert run(root, "update") == 0
    assert path.read_bytes() == right
    check_with_gettext(path)


def test_line_ends_of_a_catalog_stay(root: Path) -> None:
    path = root / "locales" / "xx" / "page.po"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    write(root, PAGE.replace("Only for a.", "Only for b."))
    assert run(root, "update") == 0
    data = path.read_bytes()
    assert b"Only for b." in data and data.count(b"\n") == data.count(b"\r\n")
    check_with_gettext(path)


def test_a_text_that_becomes_another_kind_of_block_is_fuzzy(root: Path) -> None:
    fill(root, lambda entry: f"xx {entry.msgid}")
    write(root, PAGE.replace("> A quotation,\n> wrapped.", "A quotation,\nwrapped."))
    assert run(root, "update") == 0
    found = entry(root, "A quotation")
    assert (found.msgctxt, found.msgstr, found.fuzzy) == (
        "lists-and-tables: paragraph",
        "xx A quotation, wrapped.",
        True,
    )


def test_a_renamed_page_keeps_its_translations(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fill(root, lambda entry: f"xx {entry.msgid}")
    before = files(root)["locales/xx/page.po"]
    (root / "page.md").rename(root / "other.md")
    (root / "index.md").write_text((root / "index.md").read_text().replace("page", "other"))
    (root / "next.md").write_text("# A Page\n\nOther words stand here.\n")
    (root / "index.md").write_text((root / "index.md").read_text().replace("other\n", "other\nnext\n"))
    assert run(root, "update") == 0
    assert [entry.msgstr for entry in catalog(root, "other")] == [
        f"xx {entry.msgid}" for entry in catalog(root, "other")
    ]
    assert not any(entry.msgstr for entry in catalog(root, "next"))
    assert files(root)["locales/xx/page.po"] == before
    capsys.readouterr()
    assert run(root, "check") == 0
    assert "no page or figure 'page'" in capsys.readouterr().err


def test_joined_catalogs_become_one(root: Path) -> None:
    fill(root, lambda entry: f"xx {entry.msgid}")
    path = root / "locales" / "xx" / "page.po"
    right = path.read_bytes()
    path.write_bytes(right + b"\n" + right)
    assert run(root, "update") == 0
    assert path.read_bytes() == right
    check_with_gettext(path)


def test_an_unlike_text_takes_nothing_over(root: Path) -> None:
    set_message(root, "Only for a", "xx")
    write(root, PAGE.replace("Only for a.", "Completely different words stand here now."))
    assert run(root, "update") == 0
    assert entry(root, "Completely").msgstr == ""


@pytest.mark.parametrize(
    ("old", "new"),
    [("msgstr", "msgstrr"), ('msgid "Another:"', 'msgid "Another:'), ("msgctxt", "wordctxt"), ("msgid", "msgstr")],
)
def test_a_catalog_that_cannot_be_read_is_left_alone(
    root: Path, old: str, new: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = root / "locales" / "xx" / "page.po"
    broken = path.read_text().replace(old, new)
    path.write_text(broken)
    write(root, PAGE.replace("Only for a.", "Only for b."))
    (root / "index.md").write_text(translated.INDEX.replace("about", "for"))
    assert run(root, "update") == 1
    assert path.read_text() == broken
    assert catalog(root, "index").find("What it is for.")
    error = capsys.readouterr().err
    assert (
        error.startswith("locales/xx/page.po:")
        and "until then the catalog is not used" in error
        and "[catalog-syntax]" in error
    )


def test_update_of_one_page_leaves_the_others(root: Path) -> None:
    write(root, PAGE.replace("Only for a.", "Only for b."))
    (root / "index.md").write_text(translated.INDEX.replace("about", "for"))
    assert run(root, "update", "page") == 0
    assert entry(root, "Only for b.")
    assert catalog(root, "index").find("What it is for.") is None


def test_extract_writes_templates(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(root, "extract") == 0
    templates = sorted(path.name for path in (root / "_build" / "locales").rglob("*.pot"))
    assert templates == ["box.pot", "index.pot", "interface.pot", "page.pot"]
    assert "messages" in capsys.readouterr().out


def test_status_counts_messages_and_words(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fill(root, lambda entry: "xx" if entry.msgid == "A Book" else "", "index")
    capsys.readouterr()
    assert run(root, "status", "index") == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines() if line]
    assert lines == [
        ["xx", "done", "fuzzy", "wrong", "missing", "words", "in", "words"],
        ["index", "1", "0", "0", "1", "6", "33", "%"],
        ["all", "1", "0", "0", "1", "6", "33", "%"],
    ]


def test_a_translation_that_cannot_be_used_is_not_done(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fill(root, lambda entry: "TODO" if entry.msgid == "A Book" else "xx", "index")
    capsys.readouterr()
    assert run(root, "status", "index") == 0
    assert capsys.readouterr().out.splitlines()[1].split() == ["index", "1", "0", "1", "0", "6", "66", "%"]


def test_strings_of_code_need_no_translation(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fill(root, lambda entry: "" if "code-string" in entry.flags else entry.msgid)
    capsys.readouterr()
    assert run(root, "status", "page") == 0
    assert "100 %" in capsys.readouterr().out.splitlines()[1]


# ---- a new language -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("config", "line"),
    [
        ("[project]\ntitle = A\nlanguages = xx\n", "languages = xx, yy"),
        ("[project]\nlanguages = en, xx\n", "languages = en, xx, yy"),
        ("[project]\ntitle = A\n", "languages = yy"),
        ("[build]\ntabs = a\n", "languages = yy"),
        ("[project]\r\nlanguages = xx\r\n", "languages = xx, yy"),
    ],
)
def test_one_command_adds_a_language(tmp_path: Path, config: str, line: str) -> None:
    root = write(tmp_path / "book", config=f"{config}[html]\n")
    assert run(root, "add", "yy") == 0
    assert line in (root / "config.ini").read_text().splitlines()
    assert (root / "locales" / "yy" / "glossary.csv").read_text() == "term,translation,note\n"
    assert (root / "locales" / "yy" / "page.po").exists() and (root / "locales" / "yy" / "interface.po").exists()
    messages = Messages()
    assert "yy" in load(root / "config.ini", messages).languages and not messages.found
    before = (root / "config.ini").read_bytes(), files(root)
    assert run(root, "add", "yy") == 0
    assert ((root / "config.ini").read_bytes(), files(root)) == before


@pytest.mark.parametrize(
    ("names", "why"),
    [((), "name one language"), (("en",), "name another"), (("../x",), "no code"), (("ja", "fr"), "name one language")],
)
def test_what_is_no_language_is_not_added(
    root: Path, names: tuple[str, ...], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(root.rglob("*"))
    assert run(root, "add", *names) == 1
    assert why in capsys.readouterr().err
    assert [path for path in sorted(root.rglob("*")) if "_build" not in path.parts] == [
        path for path in before if "_build" not in path.parts
    ]


def test_languages_are_those_of_the_configuration_and_those_with_catalogs(root: Path) -> None:
    (root / "locales" / "ja").mkdir()
    (root / "locales" / "not a language").mkdir()
    assert languages_of(load(root / "config.ini", Messages())) == ("xx", "ja")
