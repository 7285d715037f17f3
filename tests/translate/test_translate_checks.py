"""What a translation must not do, and what becomes of one that does: a message, English in its place, no more."""

from __future__ import annotations

import random
import re
import unicodedata
from pathlib import Path

import polib
import pytest
from translated import CONFIG, PAGE, catalog, fill, in_xx, open_book, page_text, run, set_message, write

from d2lbook.book import load_book
from d2lbook.cli import main
from d2lbook.config import load
from d2lbook.diagnostics import Messages
from d2lbook.editions import words_in
from d2lbook.model import Block
from d2lbook.parse import parse_document
from d2lbook.translate.apply import same_program, translate_document
from d2lbook.translate.catalog import Catalog, CatalogEntry, catalog_of, parse_po
from d2lbook.translate.checks.catalog import check_catalog, check_entry
from d2lbook.translate.checks.glossary import Glossary, load_glossary, read_glossary
from d2lbook.translate.checks.numbers import numbers_missing
from d2lbook.translate.checks.punctuation import check_punctuation
from d2lbook.translate.checks.translation import check_translation
from d2lbook.translate.edition import check_translations
from d2lbook.translate.extract import units
from d2lbook.translate.units import Unit

ROOT = Path(__file__).parents[2]
TEXT = "Take `code` and $x_1$ of [**:numref:`sec_a`**], see [here](https://a.org/b) in *all* 1,024 cases."


@pytest.fixture
def root(tmp_path: Path) -> Path:
    book = write(tmp_path / "book")
    assert run(book, "update") == 0
    return book


def codes(unit: Unit, text: str) -> list[str]:
    return [f"{finding.level} {finding.code}" for finding in check_translation(unit, text)]


def prose(msgid: str, kind: str = "paragraph", form: str = "text") -> Unit:
    return Unit(0, 0, kind, f"a: {kind}", msgid, form=form)


def test_an_address_in_code_is_code() -> None:
    source = "Begin with `https://`, or `https://a.org`."
    assert codes(prose(source), "`https://a.org` steht am Anfang, oder nur `https://`.") == []
    assert codes(prose("See https://a.org/b, then go on."), "Dann weiter.") != []


def test_a_translation_in_another_order_is_right() -> None:
    text = "In *allen* 1.024 Fällen, siehe [hier](https://a.org/b), nimm $x_1$ von [**:numref:`sec_a`**] und `code`."
    assert codes(prose(TEXT), text) == []


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("`code`", "code", "translation-code"),
        ("`code`", "`kode`", "translation-code"),
        ("$x_1$", "$x_2$", "translation-math"),
        ("$x_1$", "x_1", "translation-math"),
        ("sec_a", "sec_b", "translation-role"),
        (":numref:`sec_a`", "it", "translation-role"),
        ("https://a.org/b", "https://a.org/c", "translation-link"),
        ("[here](https://a.org/b)", "here", "translation-link"),
        ("[**", "(**", "translation-mark"),
        ("**]", "**", "translation-mark"),
        ("*all*", "*all", "translation-emphasis"),
        ("*all*", "* all*", "translation-emphasis"),
        ("Take", "TODO Take", "translation-leftover"),
        ("Take", "[[Take]]", "translation-leftover"),
        ("Take", "Take&nbsp;the", "translation-leftover"),
        ("Take", "Take \ufffd", "translation-leftover"),
        ("Take", "Ta\u200bke", "translation-character"),
        ("Take", "\ufeffTake", "translation-character"),
        ("Take", "\u202eTake", "translation-character"),
        ("Take", "Take\tthe", "translation-character"),
        ("Take", "1. Take", "translation-structure"),
        ("Take", "# Take", "translation-structure"),
        ("Take", "- Take", "translation-structure"),
        ("Take", "> Take", "translation-structure"),
        ("Take", ":begin_tab:`a`\nTake", "translation-structure"),
        ("Take", "```\nTake\n```\n", "translation-code"),
    ],
)
def test_what_is_no_word_must_be_the_same(old: str, new: str, code: str) -> None:
    assert old in TEXT
    found = codes(prose(TEXT), TEXT.replace(old, new))
    assert f"error {code}" in found


@pytest.mark.parametrize(
    "mark",
    [
        "TODO",
        "XXXX",
        "=======",
        "&quot;",
        "&nbsp;",
        "\ue000",
        '<x id="1"/>',
        "</g>",
        "<span class='notranslate'>",
        "<1>",
        "<!--",
        "{1}",
        "__PH1__",
        "@@1@@",
        "⟦1⟧",
        "[[",
    ],
)
@pytest.mark.parametrize(("kind", "form"), [("paragraph", "text"), ("table cell", "cell"), ("docstring", "literal")])
def test_no_mark_of_a_tool_is_left_over(mark: str, kind: str, form: str) -> None:
    assert "error translation-leftover" in codes(prose("A word.", kind, form), f"Ein {mark} Wort.")
    assert "error translation-leftover" not in codes(prose(f"A {mark} word.", kind, form), f"Ein {mark} Wort.")


@pytest.mark.parametrize("text", ["a < b und c > d", "$x^{1}$ ist $a<b>c$", "`{0}`", "<https://a.org/b>"])
def test_what_only_looks_like_a_mark_of_a_tool_may_stand(text: str) -> None:
    assert "error translation-leftover" not in codes(prose("A word."), text)


@pytest.mark.parametrize(
    ("kind", "form"), [("paragraph", "text"), ("docstring", "literal"), ("code comment", "comment")]
)
def test_a_backquote_has_its_other_end(kind: str, form: str) -> None:
    assert codes(prose("A word.", kind, form), "Ein ` Wort.") == ["error translation-code"]


def test_line_breaks_and_outer_spaces_of_an_editor_do_no_harm(root: Path) -> None:
    set_message(root, "It is solved", "  \nEs ist\n\n# gelöst. \n")
    assert "\nEs ist # gelöst.\n" in page_text(root)
    assert in_xx(root)[1] == []


@pytest.mark.parametrize("text", ["ein ] Wort", "-a:", "ein [ Wort"])
def test_a_caption_stays_a_caption(text: str) -> None:
    assert codes(prose("A caption", "caption"), text) == ["error translation-structure"]
    assert codes(prose("A caption", "caption"), "[ein] Wort: so") == []


def test_a_text_may_start_with_a_letter_where_its_source_starts_with_a_mark() -> None:
    unit = prose("[**Two**] sums, one of them with `x`.")
    assert codes(unit, "Summen: [**zwei**], eine mit `x`.") == []
    assert codes(prose("Two sums."), "„Zwei“ Summen.") == []


def test_slide_marks_stand_around_their_words() -> None:
    unit = prose("Take [**one**] and (**two**) words.")
    assert codes(unit, "Nimm (**zwei**) und [**ein**] Wort.") == []
    for text in ("Nimm **]ein[** und (**zwei**) Wort.", "Nimm [**ein**) und (**zwei**] Wort."):
        assert "error translation-mark" in codes(unit, text)


def test_words_in_formulas_may_be_translated() -> None:
    unit = prose(r"It is $\underbrace{x}_{\text{on device } j}$ here.")
    assert codes(unit, r"Es ist hier $\underbrace{x}_{\text{auf Gerät } j}$.") == []
    assert codes(unit, r"Es ist hier $\underbrace{y}_{\text{auf Gerät } j}$.") == ["error translation-math"] * 2


@pytest.mark.parametrize("written", [r"12\,288", r"12{\,}288", "12{.}288", "12288", "12~288"])
def test_a_formula_groups_digits_as_its_language_does(written: str) -> None:
    unit = prose("It has $h = 12{,}288$ and $x_{1}$.")
    assert codes(unit, f"Es hat $h = {written}$ und $x_{{1}}$.") == []
    assert codes(unit, f"Es hat $h = {written}1$ und $x_{{1}}$.") == ["error translation-math"] * 2


def test_digits_of_a_formula_that_are_no_groups_stay_apart() -> None:
    unit = prose(r"The pair $(1\,23)$ it is.")
    assert codes(unit, "Es ist das Paar $(123)$.") == ["error translation-math"] * 2


def test_code_and_formulas_may_be_said_once_or_twice() -> None:
    unit = prose("With `n` parts, `n` sums and $k$.")
    assert codes(unit, "Teile und Summen: `n`, mit $k$, ja $k$.") == []


def test_decomposed_letters_are_a_warning() -> None:
    text = unicodedata.normalize("NFD", "Thiết bị")
    assert codes(prose("Device"), text) == ["warning translation-nfc"]


@pytest.mark.parametrize(("text", "code"), [("`x", "code"), ("a `b` c", "code"), ("eine\nKiste", "")])
def test_an_alternative_text_stands_in_backquotes(text: str, code: str) -> None:
    found = codes(prose("a box", "alternative text", "mark"), text)
    assert ("error translation-structure" in found) == bool(code)


def code_unit(msgid: str, kind: str, form: str, prefix: str = "    ") -> Unit:
    return Unit(0, 0, kind, f"a: {kind}", msgid, prefix, form)


@pytest.mark.parametrize(
    ("unit", "text", "found"),
    [
        (code_unit("the area is {x:.1f}\\n", "string", "literal", "'"), "die Fläche ist {x:.1f}\\n", []),
        (code_unit("the area is {x:.1f}", "string", "literal", "'"), "die Fläche ist {x:.2f}", ["placeholder"] * 2),
        (code_unit("%d of %s", "string", "literal", '"'), "%s von %d", []),
        (code_unit("%d of %s", "string", "literal", '"'), "%d", ["placeholder"]),
        (code_unit("a line\\n", "string", "literal", '"'), "eine Zeile", ["placeholder"]),
        (code_unit("it is", "string", "literal", "'"), "it's", ["string"]),
        (code_unit("it is", "string", "literal", '"'), "it's", []),
        (code_unit("the `r` of it", "docstring", "literal"), "sein `r`", []),
        (code_unit("the `r` of it", "docstring", "literal"), "sein `s`", ["code"] * 2),
        (code_unit("the end", "docstring", "literal"), 'das """ Ende', ["string"]),
        (code_unit("the end", "docstring", "literal"), 'das "Ende"', ["string"]),
        (code_unit("the end", "docstring", "literal"), "das \\x Ende", ["string"]),
        (code_unit("the end", "code comment", "comment"), "@save", ["comment"]),
        (code_unit("the end", "code comment", "comment"), "noqa", ["comment"]),
        (code_unit("the end", "code comment", "comment"), "das Ende #@save", ["comment"]),
        (code_unit("a curve", "alternative text", "comment"), "eine # @tab Kurve", ["comment"]),
        (code_unit("the end", "code comment", "comment"), "das Ende", []),
        (code_unit("{count} pages", "interface", "word"), "{count} Seiten", []),
        (code_unit("{count} pages", "interface", "word"), "{anzahl} Seiten", ["placeholder"] * 2),
        (code_unit("a <1>h</1>", "figure text", "drawing"), "<1>h</1> a", []),
        (code_unit("a <1>h</1>", "figure text", "drawing"), "a h", ["structure"]),
        (code_unit("a b", "figure text", "drawing"), "a & b", ["structure"]),
        (code_unit("a <1>h</1>", "figure text", "drawing"), "</1>h<1> a", ["structure"]),
    ],
)
def test_code_and_its_placeholders_stay(unit: Unit, text: str, found: list[str]) -> None:
    expected = {"error translation-structure" if what == "structure" else f"error translation-{what}" for what in found}
    result = codes(unit, text)
    assert set(result) == expected and len(result) == len(found)


@pytest.mark.parametrize(
    ("source", "lang", "text", "missing"),
    [
        ("1,024 and 3.5 of `x7`", "de", "1.024 und 3,5", []),
        ("12 images", "de", "zwölf Bilder", ["12"]),
        ("two or 2", "de", "zwei", []),
        ("44.7 MB, 44.7 MB", "de", "44,7 MB", ["44.7"]),
        ("44.7 MB", "tr", "447 MB", ["44.7"]),
        ("1,024", "fr", "1\u202f024", []),
        ("$128$ parts", "de", "Teile", []),
        ("table 1.5.1", "de", "Tabelle 1.5.1", []),
        ("10,000 images", "tr", "10 bin görüntü", []),
        ("60,000, 10,000", "tr", "60 bini, 10 bini", []),
        ("10,000 Images", "tr", "10 Bin Görüntü", []),
        ("7.5 billion", "tr", "7,5 milyar", []),
        ("10,000 images", "ko", "이미지 1만 장", []),
        ("160,000", "ko", "16만을", []),
        ("13 billion of them", "ko", "130억 개", []),
        ("11 million", "ko", "1,100만", []),
        ("16 pieces", "ko", "16조각", []),
        ("10,000 steps", "vi", "10 nghìn bước", []),
        ("10,000 steps", "vi", "10 ngàn bước", []),
        ("7.5 billion", "vi", "7.5 tỉ", []),
        # A round number of another size is another number.
        ("10 images", "tr", "10 bin görüntü", ["10"]),
        ("10,000 images", "tr", "10 görüntü", ["10,000"]),
        ("10,000 images", "tr", "100 bin görüntü", ["10,000"]),
        ("10,000 images", "ko", "10만 장", ["10,000"]),
        ("13 billion", "tr", "13 milyon", ["13 billion"]),
        ("13 billion", "ko", "13억", ["13 billion"]),
        ("10,000 and 10,000", "tr", "10 bin", ["10,000"]),
        ("10,000", "vi", "10 triệu", ["10,000"]),
        # The words of a language that nobody has described are not asked for.
        ("13 billion", "xx", "13 xx", []),
        ("13 billion", "xx", "12 xx", ["13"]),
    ],
)
def test_numbers_are_not_lost(source: str, lang: str, text: str, missing: list[str]) -> None:
    assert numbers_missing(source, text, lang) == missing


@pytest.mark.parametrize(
    ("lang", "text", "wrong"),
    [
        ("ko", "장치, 그리고 `x`를 봅니다.", False),
        ("ko", "장치，그리고", True),
        ("ko", "`x` 를 봅니다.", True),
        ("ko", "`x` 이 함수는", False),
        ("ko", "(장치)를", False),
        ("ko", "장치 를", False),
        ("ko", "장치 , 그리고", True),
        ("ko", "$n$ 은 수입니다.", True),
        ("tr", 'o "cihaz" dedi', True),
        ("tr", "o “cihaz” dedi", False),
        ("tr", "ve sonra...", True),
        ("vi", "và sau đó…", False),
        ("vi", "thiết bị , và", True),
        ("vi", "thiết bị  và", True),
        ("fr", 'le "mot"', False),
        ("tr", '`x = "a"` olur', False),
    ],
)
def test_punctuation_is_the_languages(lang: str, text: str, wrong: bool) -> None:
    found = list(check_punctuation(lang, prose("The source."), text))
    assert bool(found) == wrong
    assert all(finding.level == "warning" for finding in found)


# ---- the glossary ---------------------------------------------------------------------------------------------------

GLOSSARY = "term,translation,note\nrate,Rate,\nlearning rate,Lernrate | Schrittweite,\nZeRO,ZeRO,a name\n"


def glossary(text: str = GLOSSARY, lang: str = "xx") -> tuple[Glossary, list[str]]:
    messages = Messages()
    return read_glossary(text, lang, "g.csv", messages), [str(message) for message in messages]


@pytest.mark.parametrize(
    ("source", "text", "terms"),
    [
        ("The learning rate", "Die Lernrate", []),
        ("The learning rate", "Die schrittweite", []),
        ("The learning rate", "Die Rate", ["learning rate"]),
        ("Its Rate and rate", "Sein Tempo", ["rate"]),
        ("rated", "x", []),
        ("`rate`", "x", []),
        ("$rate$", "x", []),
        ("from zero", "von null", []),
        ("with ZeRO", "damit", ["ZeRO"]),
        ("rate", "rate", []),
        ("two rates", "zwei", ["rate"]),
        ("Rates", "Tempo", ["rate"]),
        ("ZeROes", "x", ["ZeRO"]),
    ],
)
def test_terms_are_called_as_in_the_glossary(source: str, text: str, terms: list[str]) -> None:
    found, messages = glossary()
    assert messages == []
    assert [finding.text.split("'")[1] for finding in found.check(prose(source), text)] == terms


def test_of_terms_that_begin_alike_the_longest_counts_and_each_place_belongs_to_one() -> None:
    found, _ = glossary("term,translation,note\nbatch,Stapel,\nbatch size,Größe,\nsize,Maß,\nall-reduce,Summe,\n")
    terms = [finding.text.split("'")[1] for finding in found.check(prose("Batch sizes, all-reduces, a size"), "x")]
    assert terms == ["batch size", "all-reduce", "size"]
    assert list(found.check(prose("minibatch, batch-size, all reduce, resizes"), "x")) == []


def test_a_term_may_begin_with_any_sign() -> None:
    found, _ = glossary("term,translation,note\n.rec file,rec-Datei,\nrate,Rate,\n")
    terms = [finding.text.split("'")[1] for finding in found.check(prose("A .rec file has a rate."), "x")]
    assert terms == [".rec file", "rate"]


def test_turkish_letters_have_their_own_capitals() -> None:
    found, _ = glossary("term,translation,note\nchannel,ılık | kanal,\nprocess,işlem,\n", "tr")
    for source, text in (("channel", "ILIK"), ("process", "İşlem")):
        assert list(found.check(prose(source), text)) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b,c\n", "g.csv:1:1: error: the first line is not 'term,translation,note'; write it [glossary-line]"),
        (
            "term,translation,note\nrate\n",
            "g.csv:2:1: error: the line needs a term, its translation and perhaps a note;"
            " put a text with commas in double quotes [glossary-line]",
        ),
        ("term,translation,note\nx,y,z,w\n", "g.csv:2:1: error: the line needs"),
        ("term,translation,note\nx,y,\nx,z,\n", "g.csv:3:1: warning: 'x' has a line already"),
        ('term,translation,note\nx,"y" z,\n', "g.csv:2:1: error: no line of a table"),
        (
            "term,translation,note\nrate,\u05e7\u05e6\u05d1,\n",
            "g.csv:2:1: error: 'rate' holds a letter that is written"
            " from right to left (hebrew letter qof), which xx has not; replace it [glossary-direction]",
        ),
        ("term,translation,note\nrate,\u202erate,\n", "g.csv:2:1: error: 'rate' holds a letter"),
    ],
)
def test_a_line_of_the_glossary_that_is_none_is_reported(text: str, message: str) -> None:
    _, messages = glossary(text)
    assert len(messages) == 1 and messages[0].startswith(message)


def test_the_line_of_quotes_that_do_not_close_is_told() -> None:
    _, messages = glossary('term,translation,note\nx,y,\n"a,b,\nc,d,\n')
    assert [message.split(": ")[0] for message in messages] == ["g.csv:3:1"]


def test_the_glossary_has_the_letters_of_texts() -> None:
    found, messages = glossary(unicodedata.normalize("NFD", "term,translation,note\nsize,Größe,\n"))
    assert [message.rpartition(" ")[2] for message in messages] == ["[translation-nfc]"]
    for text in ("Die Größe.", unicodedata.normalize("NFD", "Die Größe.")):
        assert list(found.check(prose("The size."), text)) == []
    found, messages = glossary('term,translation,note\nsize,Grö\u200bße,\nrate,"die\nRate",\n')
    assert found.terms == {"rate": ("die Rate",)}
    assert len(messages) == 1 and messages[0].startswith(
        "g.csv:2:1: error: 'size' holds an invisible character, U+200B"
    )


def test_joiners_are_letters_of_some_languages() -> None:
    assert codes(prose("A word."), "می\u200cخواهم") == []
    assert codes(prose("A word."), "ein\u200cWort") == ["error translation-character"]


@pytest.mark.parametrize(("lang", "found"), [("tr", ["translation-character"]), ("he", [])])
def test_a_translation_goes_in_its_languages_direction(lang: str, found: list[str]) -> None:
    entry = CatalogEntry("a", "A rate.", "\u05e7\u05e6\u05d1.", fuzzy=False, line=1)
    assert [finding.code for finding in check_entry(prose("A rate."), entry, Glossary(lang, ""))] == found


def test_a_language_written_from_right_to_left_may() -> None:
    assert glossary("term,translation,note\nrate,\u05e7\u05e6\u05d1,\n", "he")[1] == []


# ---- in a book ------------------------------------------------------------------------------------------------------


def test_a_bad_message_is_shown_in_english_and_the_others_go_on(root: Path) -> None:
    fill(root, lambda entry: entry.msgid.replace("is", "ist"))
    set_message(root, "A paragraph", "Ein Absatz ohne alles.")
    book, found = in_xx(root)
    page = book.page("page")
    assert page is not None
    assert "A paragraph with `code`" in page.document.text and "It ist solved." in page.document.text
    lines = (root / "locales" / "xx" / "page.po").read_text().split("\n")
    assert len(found) == 4
    for message in found:
        place, line, _ = message.split(":", 2)
        assert place == "locales/xx/page.po" and lines[int(line) - 1].startswith('msgstr "Ein Absatz')
        assert "warning" in message and message.count("until then the source is shown") == 1


def test_a_warning_holds_no_translation_back(root: Path) -> None:
    (root / "locales" / "xx" / "glossary.csv").write_text("term,translation,note\nsolved,gelöst,\n")
    set_message(root, "It is solved", "Fertig.")
    book, found = in_xx(root)
    page = book.page("page")
    assert page is not None and "Fertig." in page.document.text
    assert [message.rpartition(" ")[2] for message in found] == ["[translation-glossary]"]


def test_a_translators_comment_excuses_a_warning(root: Path) -> None:
    (root / "locales" / "xx" / "glossary.csv").write_text("term,translation,note\nsolved,gelöst,\n")
    set_message(root, "It is solved", "Fertig.", comment="glossary: ok, it is about exercises")
    assert in_xx(root)[1] == []
    set_message(root, "It is solved", "Fertig `x`.", comment="code: ok, no")
    assert any("[translation-code]" in message for message in in_xx(root)[1])


def test_of_two_messages_for_one_text_and_context_none_is_shown(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    po = catalog(root)
    first = po.find("It is solved.")
    po.append(polib.POEntry(msgctxt=first.msgctxt, msgid=first.msgid, msgstr="zweite"))
    first.msgstr = "erste"
    po.save()
    book, found = in_xx(root)
    page = book.page("page")
    assert page is not None and "It is solved." in page.document.text
    assert len(found) == 1 and found[0].endswith(
        "notes the other beside it; until then the source is shown [translation-twice]"
    )
    capsys.readouterr()
    assert run(root, "status", "page") == 0
    assert capsys.readouterr().out.split("\n")[1].split()[:4] == ["page", "0", "0", "1"]


def test_a_message_for_a_text_that_is_gone(root: Path) -> None:
    po = catalog(root)
    po.append(polib.POEntry(msgctxt="nowhere: paragraph", msgid="Gone.", msgstr="Weg."))
    po.save()
    (message,) = in_xx(root)[1]
    assert message.endswith("page.md has no such text; run: d2lbook translate update [translation-unknown]")


def test_a_catalog_of_a_page_that_is_gone(root: Path) -> None:
    (root / "locales" / "xx" / "pgae.po").write_text((root / "locales" / "xx" / "page.po").read_text())
    (message,) = in_xx(root)[1]
    assert message == (
        "locales/xx/pgae.po: warning: the book has no page or figure 'pgae'; did you mean 'page'?; rename or remove it"
        " [catalog-page]"
    )


def test_a_catalog_with_a_syntax_error_shows_its_page_in_english(root: Path) -> None:
    fill(root, lambda entry: "Ein Buch" if entry.msgid == "A Book" else "Worum es geht.", "index")
    path = root / "locales" / "xx" / "page.po"
    path.write_text(path.read_text().replace('msgid "Another:"', 'msgid "Another:'))
    book, found = in_xx(root)
    page, index = book.page("page"), book.page("index")
    assert page is not None and index is not None
    assert page.document.text == PAGE and index.document.title == "Ein Buch"
    (message,) = found
    line = path.read_text().split("\n").index('msgid "Another:') + 1
    assert message.startswith(f"locales/xx/page.po:{line}:1: warning: a text that is not between double quotes; ")


@pytest.mark.parametrize(
    ("old", "new", "line", "what"),
    [
        ('\nmsgstr "weg"', "", "msgctxt", "a message without its msgstr"),
        ('msgid "It is solved."\n', "", "msgstr", "msgstr stands where gettext expects msgid"),
        ('msgstr "weg"', '#~ msgstr "weg"', "#~ msgstr", "half of the message of line"),
        (
            'msgstr "weg"',
            'msgstr[0] "weg"',
            "msgstr[0]",
            "msgstr[…] stands where gettext expects msgid_plural or msgstr",
        ),
        ('msgstr "weg"', '# or so\nmsgstr "weg"', "# or so", "a comment inside the message of line"),
        ('msgstr "weg"', 'msgstr "w\\eg"', 'msgstr "w', "'\\e' means nothing in a catalog"),
        ('msgstr "weg"', 'msgstr ""\n#| "weg"', '#| "weg"', "a text that belongs to no message"),
        (
            "#. paragraph\nmsgctxt",
            "#. paragraph\n#| msgctxt",
            "msgid",
            "the earlier text above, after #|, has no msgid",
        ),
        ('msgstr "weg"', '#| msgid "x"\nmsgstr "weg"', '#| msgid "x"', "an earlier text inside the message of line"),
    ],
)
def test_what_gettext_refuses_is_refused_with_its_line(root: Path, old: str, new: str, line: str, what: str) -> None:
    set_message(root, "It is solved", "weg")
    path = root / "locales" / "xx" / "page.po"
    text = path.read_text()
    start = text.rindex("\n\n", 0, text.index('"It is solved."'))
    assert old in text[start:]
    path.write_text(text[:start] + text[start:].replace(old, new, 1))
    number = path.read_text().count("\n", 0, start) + 2
    number += next(k for k, read in enumerate(path.read_text().split("\n")[number:]) if read.startswith(line)) + 1
    assert any(message.startswith(f"locales/xx/page.po:{number}:1: warning: {what}") for message in in_xx(root)[1])
    assert page_text(root) == PAGE
    before = path.read_bytes()
    assert run(root, "update") == 1 and path.read_bytes() == before


def test_letters_may_be_written_as_numbers_of_their_bytes(root: Path) -> None:
    set_message(root, "It is solved", "Gelöst \\123.")
    path = root / "locales" / "xx" / "page.po"
    path.write_text(path.read_text().replace("ö", "\\303\\266"))
    assert in_xx(root)[1] == [] and "Gelöst \\123." in page_text(root)
    path.write_text(path.read_text().replace("\\303\\266", "\\303"))
    (message,) = in_xx(root)[1]
    assert "'\\3' means nothing in a catalog" in message


def test_a_translation_of_blanks_is_none(root: Path) -> None:
    fill(root, lambda entry: "  ")
    book, found = in_xx(root)
    page = book.page("page")
    assert found == [] and page is not None and page.document.text == PAGE


def test_a_catalog_that_is_no_text(root: Path) -> None:
    (root / "locales" / "xx" / "page.po").write_bytes(b"msgid \xff")
    (message,) = in_xx(root)[1]
    assert message.startswith("locales/xx/page.po:1:7: warning: not UTF-8") and "[file-encoding]" in message
    assert page_text(root) == PAGE


def test_a_catalog_in_two_bytes_a_letter(root: Path) -> None:
    path = root / "locales" / "xx" / "page.po"
    path.write_bytes(path.read_text().encode("utf-16"))
    (message,) = in_xx(root)[1]
    assert message == "locales/xx/page.po:1:1: warning: UTF-16, not UTF-8; save it in that encoding [file-encoding]"


def test_a_language_without_catalogs(tmp_path: Path) -> None:
    root = write(tmp_path / "book")
    book, found = in_xx(root)
    assert found == [
        "config.ini:3: warning: the language 'xx' has no catalogs in locales/xx, so all is shown in the source's"
        " language; run: d2lbook translate add xx [language-empty]"
    ]
    page = book.page("page")
    assert page is not None and page.document.text == PAGE


def test_code_stays_the_same_program(root: Path) -> None:
    set_message(root, "roughly", "etwa")
    set_message(root, "`r` is its", "`r`: Radius {x}")
    assert "# etwa" in page_text(root) and "`r`: Radius {x}" in page_text(root)


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        ("f('a', 1)  # one", "f('b', 1)  # eins", True),
        ("def f():\n    'a'", "def f():\n    'b'", True),
        ("f(1)", "f(True)", False),
        ("f(1)", "f(1.0)", False),
        ("f('a')", "f(b'a')", False),
        ("f(x)", "f(y)", False),
        ("f(a=1)", "f(b=1)", False),
        ("a + b", "a - b", False),
        ("{**a}", "{1: a}", False),
        ("f'{x} a'", "f'{x} b'", True),
        ("f'{x} a'", "f'{y} a'", False),
        ("f(a)(b)", "f(a, b)", False),
        ("f(", "f(", False),
    ],
)
def test_another_program_is_told_from_other_words(before: str, after: str, same: bool) -> None:
    assert same_program(before, after) is same


CODE = """# T

```{.python .input}
#@tab all
def f(x):
    'Say it plainly.'
    print(f"the {x} value")
    return x  # one comment here
```
"""


@pytest.mark.parametrize(
    ("msgid", "text"),
    [
        ("Say it", "Nimm's leicht."),
        ("the {x}", "der Wert {x} {"),
        ("the {x}", "der Wert {x} }"),
        ("the {x}", "der Wert {x} \\"),
    ],
)
def test_a_text_that_ends_its_literal_is_told_and_counted(
    tmp_path: Path, msgid: str, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    root = write(tmp_path / "book", CODE)
    assert run(root, "update") == 0
    fill(root, lambda entry: text if entry.msgid.startswith(msgid) else entry.msgid.replace("comment", "Kommentar"))
    (message,) = in_xx(root)[1]
    assert message.endswith("until then the source is shown [translation-string]")
    assert "'Say it plainly.'\n" in page_text(root) and "# one Kommentar here\n" in page_text(root)
    capsys.readouterr()
    assert run(root, "status", "page") == 0
    assert capsys.readouterr().out.split("\n")[1].split()[1:4] == ["2", "0", "1"]


def test_a_literal_that_may_have_one_line_has_one(tmp_path: Path) -> None:
    root = write(tmp_path / "book", CODE)
    assert run(root, "update") == 0
    set_message(root, "Say it", "Wort " * 40)
    assert in_xx(root)[1] == []
    assert f"    '{('Wort ' * 40).strip()}'\n" in page_text(root)


@pytest.mark.parametrize(
    "text", ["{number}. Kapitel {", "Kapitel {nummer}", "{{number}}", "Kapitel", "<b>{number}</b>", "} {number}"]
)
def test_words_that_cannot_be_put_together_stay_english(root: Path, text: str) -> None:
    set_message(root, "Chapter {number}", text, "interface")
    set_message(root, "Next", "  Weiter\n", "interface")
    book, found = in_xx(root)
    assert found and all("until then the source is shown" in message for message in found)
    for words in (book.words, words_in(open_book(root)[1], "xx")):
        assert words("Chapter {number}", number=1) == "Chapter 1" and words("Next") == "Weiter"


def test_a_finding_is_one_line_whatever_it_quotes(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    set_message(root, "the area is", "{area\n(2)}\\n")
    capsys.readouterr()
    assert run(root, "check") == 1
    lines = capsys.readouterr().err.rstrip("\n").split("\n")
    assert lines and all(re.fullmatch(r"locales/xx/page\.po:\d+:\d+: error: .+ \[[a-z-]+\]", line) for line in lines)


def test_ends_of_lines_that_no_catalog_can_hold_are_spaces(tmp_path: Path) -> None:
    page = "# T\n\nOne\u2028two\u2029words.\n\n```{.python .input}\n#@tab all\n# a\u2028comment\nx = 1\n```\n"
    root = write(tmp_path / "book", page)
    assert run(root, "update") == 0 and run(root, "check") == 0
    assert [entry.msgid for entry in catalog(root)] == ["One two words.", "a comment"]
    fill(root, lambda entry: entry.msgid)
    assert page_text(root) == page


@pytest.mark.parametrize("command", ["translate", "check"])
def test_the_check_reports_errors_where_a_build_warns(
    root: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    set_message(root, "It is solved", "TODO")
    capsys.readouterr()
    arguments = ["translate", "check"] if command == "translate" else ["check"]
    assert main([*arguments, "--config", str(root / "config.ini")]) == 1
    error = capsys.readouterr().err
    assert "error: 'TODO' is left over; take it out; until then the source is shown [translation-leftover]" in error


def test_a_strict_book_is_strict_with_its_translations(root: Path) -> None:
    write(root, config=f"{CONFIG}strict = true\n")
    (root / "locales" / "xx" / "glossary.csv").write_text("term,translation,note\nsolved,gelöst,\n")
    set_message(root, "It is solved", "Fertig.")
    book, config = open_book(root)
    messages = Messages(strict=True)
    check_translations(book, config, ["xx"], messages)
    assert [message.level for message in messages] == ["error"]
    assert [message.split(": ")[1] for message in in_xx(root)[1]] == ["warning"]


def test_the_message_that_the_guide_shows_is_there_and_passes() -> None:
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```po\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL)
    (entry,) = catalog_of(parse_po(block, "x.po"), "x.po", block).entries
    unit = Unit(0, 0, "paragraph", entry.context, entry.msgid)
    assert list(check_entry(unit, entry, Glossary("ko", ""))) == []
    (path,) = re.findall(r"^Open `(locales/ko/\S+\.po)`", guide, re.MULTILINE)
    text = (ROOT / path).read_text(encoding="utf-8")
    assert entry.key in catalog_of(parse_po(text, path), path, text).by_key


# ---- whatever a translator writes -----------------------------------------------------------------------------------

BITS = [
    "word ",
    "한국어",
    "- ",
    "* ",
    "1. ",
    "# ",
    "> ",
    "|",
    "\\",
    "`",
    "``",
    "```",
    "$",
    "$$",
    "**",
    "*",
    "_",
    "[**",
    "**]",
    "(**",
    "~~]",
    ":",
    ":label:`x`",
    ":numref:`sec_page`",
    ":begin_tab:`a`",
    ":end_tab:",
    ":end_solution:",
    "\n",
    "\\\n",
    "\n\n",
    "    ",
    "\t",
    "<div>",
    "<!--",
    "---",
    "~~~",
    "![x](y)",
    "[x]: y",
    '"',
    '"""',
    "'",
    "#@tab b",
    "#@save",
    "{",
    "}",
    "%",
    "\u200b",
    "\r",
    "\x0c",
    ": caption\n",
    "| a |\n|--|\n",
    "&amp;",
    "=",
    "</1>",
]


def test_whatever_a_translator_writes_the_page_keeps_its_blocks() -> None:
    chance = random.Random(20261121)
    document = parse_document(PAGE, "page.md", Messages())
    found = units(document)
    for _ in range(150):
        entries = tuple(
            CatalogEntry(unit.context, unit.msgid, _scribbled(chance, unit.msgid), False, 1)
            for unit in {unit.key: unit for unit in found}.values()
        )
        catalog = Catalog("page.po", entries)
        refused = check_catalog(found, catalog, Glossary("ko", ""), "page.md").refused
        result = translate_document(document, catalog, "en", refused, strings=True, known=found)
        assert result is not None
        for before, after in zip(document.walk(), result.walk(), strict=True):
            assert type(before) is type(after)
            assert _fixed(before) == _fixed(after)


def _scribbled(chance: random.Random, text: str) -> str:
    if chance.random() < 0.3:
        return "".join(chance.choices(BITS, k=4))
    position = chance.randint(0, len(text))
    return text[:position] + chance.choice(BITS) + text[position:]


def _fixed(block: Block) -> list[object]:
    roles = sorted((role.kind, role.text) for role in getattr(block, "roles", ()))
    label = getattr(block, "label", None)
    return [roles, label and label.name, getattr(block, "target", ""), getattr(block, "tabs", ())]


# ---- the catalogs of this book --------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", ["ko", "tr", "vi"])
@pytest.mark.slow
def test_every_translation_of_the_book_can_be_used(lang: str) -> None:
    messages = Messages()
    config = load(ROOT / "config.ini", messages)
    found = Messages()
    check_translations(load_book(config, messages), config, [lang], found)
    assert [str(message) for message in found if message.level == "error"] == []
    assert len(load_glossary(config, lang, Messages()).terms) >= 150
