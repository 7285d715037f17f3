"""The libraries' reference: what is listed of the saved definitions, under which page, and where names lead."""

from __future__ import annotations

from pathlib import Path

import polib
import pytest
from language_book import fill, open_language_book, update_catalogs
from library_fixtures import open_book

from d2lbook.diagnostics import Messages
from d2lbook.export.notebook.build import page_notebook
from d2lbook.library.reference import ApiEntry
from d2lbook.model import UiStrings
from d2lbook.rendering.api import Api, alike, literal_prose
from d2lbook.rendering.book_context import BookContext
from d2lbook.ui_strings import WORDS

ROOT = Path(__file__).parents[2]
CONFIG = """
[build]
index = index
notebooks = *.md
tabs = plain, exact

[library-plain]
lib_file = lib/plain.py
lib_name = math
simple_alias = root -> sqrt, floor
fluent_alias = ratio -> as_integer_ratio

[library-exact]
lib_file = lib/exact.py
lib_name = math
args_alias = power(base, exponent) -> base ** exponent
alias = number = Fraction
    def half(x): return x / 2
"""
INDEX = "# Book\n\n```toc\n:numbered:\n\none\ntwo\nlists\n```\n"
LISTS = """# Lists

See :func:`d2l.mean`, :class:`the timer <d2l.Timer>`, :func:`~d2l.Timer.stop()`, :func:`d2l.floor`, :func:`floor`.

:library:`definitions`

:library:`aliases`
"""


def cell(tabs: str, code: str) -> str:
    return f"\n```{{.python .input}}\n#@tab {tabs}\n{code}\n```\n"


ONE = (
    "# One\n:label:`sec_one`\n"
    + cell(
        "all",
        '''class Base:  #@save
    """The base."""
    def __init__(self, a, *, b=2):
        """Keeps `a`."""
        self.a = a

    def _private(self):
        """Not told."""

    @property
    def twice(self):
        return 2 * self.a

    @staticmethod
    def of(x):
        """Made of `x`."""

class Timer(d2l.Base):  #@save
    """Measures."""
    def stop(self, *, wait=True) -> float:
        return 0.0

UNIT = 's'  #@save
LONG = 'a string of more than sixty characters, which nobody wants to see in a list'  #@save
''',
    )
    + "\n## Later\n:label:`sec_later`\n"
    + cell(
        "plain",
        '''def mean(numbers, /, weights=None, *rest, **options):  #@save
    """The mean, see :numref:`sec_one`.

    Takes *args and x_0 literally.
    """

def _hidden():  #@save
    """Not told."""
''',
    )
)
TWO = (
    "# Two\n:label:`sec_two`\n"
    + cell(
        "exact",
        '''from dataclasses import dataclass, field  #@save

@dataclass
class Machine:  #@save
    flops: float
    name: str = 'it'
    kept: int = field(default=0, init=False)

def mean(numbers):  #@save
    """The mean, exactly.

            mean([1, 2])
    """

class Odd:  #@save
    """Defined in the usual way."""
    def told(self): """Defined in its class."""

#@save
def short(): """In one line.

            is code
    """
''',
    )
    + cell(
        "all",
        '''@d2l.add_to_class(d2l.Timer)  #@save
def start(self):
    """Begins."""
''',
    )
)
BOOK = {"config.ini": CONFIG, "index.md": INDEX, "one.md": ONE, "two.md": TWO, "lists.md": LISTS}


@pytest.fixture
def api(tmp_path: Path) -> Api:
    book, config, messages = open_book(tmp_path, BOOK)
    assert [str(message) for message in messages] == []
    return Api(book, config)


@pytest.fixture
def translated(tmp_path: Path) -> tuple[Api, Api]:
    """The reference of the book in Korean: made from that of its source, and from the translated pages alone."""
    config = CONFIG.replace("[build]", "[project]\nlanguages = ko\n\n[build]", 1)
    root = tmp_path / "translated"
    open_book(root, {**BOOK, "config.ini": config})
    update_catalogs(root)
    for path in sorted((root / "locales" / "ko").rglob("*.po")):
        catalog = polib.pofile(str(path))
        fill(path, {entry.msgid: entry.msgid.replace("e", "ㅔ", 1) for entry in catalog if entry.msgid not in WORDS})
    book, settings = open_language_book(root)
    context = BookContext.of(book, settings, book.tabs, Messages()).in_language("ko")
    assert list(context.messages) == []
    return context.api, Api(context.book, context.config)


def entry(api: Api, tab: str, name: str) -> ApiEntry:
    (found,) = [entry for entry in api.entries[tab] if entry.name == name]
    return found


def test_names_stand_below_the_page_that_saves_them_in_the_order_of_the_book(api: Api) -> None:
    listed = {page: [name.name for name in names] for page, names in api.pages.items()}
    assert listed == {"one": ["Base", "Timer", "UNIT", "LONG", "mean"], "two": ["Machine", "Odd", "short"]}


def test_signatures_are_what_a_caller_writes(api: Api) -> None:
    assert entry(api, "plain", "Base").signature == "Base(a, *, b=2)"
    assert entry(api, "plain", "Timer").signature == "Timer(a, *, b=2)"  # the constructor is its base's
    assert entry(api, "plain", "mean").signature == "mean(numbers, /, weights=None, *rest, **options)"
    assert entry(api, "exact", "Machine").signature == "Machine(flops: float, name: str = 'it')"
    assert entry(api, "plain", "UNIT").signature == "UNIT = 's'"
    assert entry(api, "plain", "LONG").signature == "LONG = …"


def test_methods_are_listed_with_those_that_other_pages_add(api: Api) -> None:
    base, timer = entry(api, "plain", "Base"), entry(api, "plain", "Timer")
    assert [(one.kind, one.signature) for one in base.methods] == [("property", "twice"), ("staticmethod", "of(x)")]
    assert [one.signature for one in timer.methods] == ["stop(*, wait=True) -> float", "start()"]
    assert timer.bases == ("Base",)
    assert timer.methods[1].section is not None and timer.methods[1].section.label == "sec_two"


def test_docstrings_lose_the_line_of_their_origin_which_is_the_section(api: Api) -> None:
    assert entry(api, "plain", "Base").doc == "The base.\n\nKeeps `a`."
    mean = entry(api, "plain", "mean")
    assert mean.doc == "The mean, see :numref:`sec_one`.\n\nTakes *args and x_0 literally."
    assert mean.section is not None and (mean.section.label, mean.section.text(UiStrings())) == (
        "sec_later",
        "Section 1.1",
    )
    assert literal_prose(mean.doc).endswith("Takes \\*args and x\\_0 literally.")
    assert ":numref:`sec_one`" in literal_prose(mean.doc)


def test_a_translation_says_in_its_words_what_its_source_offers(translated: tuple[Api, Api]) -> None:
    ours, assembled = translated
    assert ours.source is not None and ours.aliases == assembled.aliases and ours.members == assembled.members
    for tab in assembled.tabs:
        assert [told(one) for one in ours.entries[tab]] == [told(one) for one in assembled.entries[tab]]
    base, mean = entry(ours, "plain", "Base"), entry(ours, "plain", "mean")
    assert base.doc == "Thㅔ base.\n\nKㅔeps `a`."
    assert base.methods[1].doc == "Madㅔ of `x`."
    assert mean.section is not None and mean.section.title == "Latㅔr"
    assert mean.doc == "Thㅔ mean, see :numref:`sec_one`.\n\nTakㅔs *args and x_0 literally."


def test_the_book_in_korean_has_the_reference_that_its_pages_would_give() -> None:
    book, settings = open_language_book(ROOT)
    context = BookContext.of(book, settings, book.tabs, Messages()).in_language("ko")
    ours, assembled = context.api, Api(context.book, context.config)
    assert ours.source is not None and ours.aliases == assembled.aliases
    for tab in assembled.tabs:
        assert [told(one) for one in ours.entries[tab]] == [told(one) for one in assembled.entries[tab]]


def told(one: ApiEntry) -> object:
    """All that readers get to see of an entry."""
    methods = [told(method) for method in one.methods]
    return one.name, one.kind, one.signature, one.doc, one.page, one.section, one.bases, methods


def test_aliases_of_every_kind(api: Api) -> None:
    shown = {name: {tab: (a.call, a.meaning) for tab, a in by_tab.items()} for name, by_tab in api.aliases.items()}
    assert shown == {
        "floor": {"plain": ("floor", "math.floor")},
        "half": {"exact": ("half(x)", "x / 2")},
        "number": {"exact": ("number", "Fraction")},
        "power": {"exact": ("power(base, exponent)", "base ** exponent")},
        "ratio": {"plain": ("ratio", "x.as_integer_ratio(…)")},
        "root": {"plain": ("root", "math.sqrt")},
    }


@pytest.mark.parametrize(
    ("text", "anchor"),
    [
        ("d2l.mean", "api-mean"),
        ("mean", "api-mean"),
        ("~d2l.Timer.stop()", "api-Timer.stop"),
        ("the timer <lib.plain.Timer>", "api-Timer"),
        ("d2l.floor", "api-floor"),
        ("floor", None),
        ("d2l.none", None),
        ("math.floor", None),
        ("d2l.Timer.none", None),
    ],
)
def test_where_a_role_leads(api: Api, text: str, anchor: str | None) -> None:
    assert api.place_of(text) == (("lists", anchor) if anchor else None)


def test_without_a_list_no_role_leads_anywhere(tmp_path: Path) -> None:
    pages = BOOK | {"lists.md": "# Lists\n\n:library:`aliases`\n"}
    book, config, _ = open_book(tmp_path, pages)
    assert Api(book, config).place_of("d2l.mean") is None
    assert Api(book, config).place_of("d2l.floor") == ("lists", "api-floor")


def test_frameworks_that_say_the_same_say_it_once() -> None:
    assert alike({"a": 1, "b": 2, "c": 1}, lambda value: value) == [(("a", "c"), 1), (("b",), 2)]


def test_a_page_depends_on_what_it_shows_of_the_reference(tmp_path: Path) -> None:
    def inputs(name: str, folder: str, **changed: str) -> list[object]:
        book, config, _ = open_book(tmp_path / folder, BOOK | {f"{key}.md": text for key, text in changed.items()})
        page = book.page(name)
        assert page is not None
        return Api(book, config).inputs(page)

    before = inputs("lists", "a")
    assert inputs("one", "b") == []
    assert inputs("lists", "c", one=ONE.replace("# One\n", "# One\n\nMore prose.\n")) == before
    assert inputs("lists", "d", one=ONE.replace("Measures.", "Takes the time.")) != before
    assert inputs("lists", "e", one=ONE.replace("def mean", "def average")) != before


def test_a_notebook_lists_its_own_framework(api: Api) -> None:
    page = api.book.page("lists")
    assert page is not None
    text = page_notebook(BookContext.of(api.book, api.config, api.book.tabs, Messages()), page, "exact")
    for part in (
        "**[1 One](one.ipynb)**",
        '* <a id=\\"api-Timer\\"></a>class `Timer(a, *, b=2)` ([Section 1](one.ipynb#sec-one))',
        '    * <a id=\\"api-Timer.start\\"></a>`start()`',
        "The mean, exactly.",
        "| `power(base, exponent)` |",
        "[`d2l.mean`](#api-mean)",
        "[`the timer`](#api-Timer)",
        "[`stop()`](#api-Timer.stop)",
    ):
        assert part in text, part
    assert "weights" not in text and "Not told" not in text and "math.floor" not in text
