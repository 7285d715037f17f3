"""The list of the builder's words and the places where it says them hold each other."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterator
from pathlib import Path

from d2lbook.model import NUMBERED
from d2lbook.ui_strings import IN_SCRIPTS, WORDS

PACKAGE = Path(__file__).parents[1] / "d2lbook"
# The headings of reStructuredText's boxes, which are said by the names of their directives.
SAID_BY_OTHERS = {
    *("Note", "Tip", "Hint", "Important", "Warning", "Caution", "Attention", "Danger", "Error"),
}
_IN_SCRIPTS = re.compile(r'\bd2lSay\(\s*"((?:[^"\\]|\\.)*)"')
_IN_TEMPLATES = re.compile(r"""\bwords\(\s*(?:'([^']*)'|"([^"]*)")""")


def calls() -> Iterator[tuple[str, ast.Call]]:
    """Each call of `words(…)` in the builder, with its place."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                name = getattr(node.func, "id", getattr(node.func, "attr", ""))
                if name == "words":
                    yield f"{path.relative_to(PACKAGE)}:{node.lineno}", node


def said() -> dict[str, str]:
    """Every phrase that the builder says, and a place where it does."""
    found = {phrase: "model.py" for phrase in NUMBERED.values()}
    for place, call in calls():
        if call.args and isinstance(call.args[0], ast.Constant):
            found[str(call.args[0].value)] = place
    found |= dict.fromkeys(said_in_scripts(), "static/*.js")
    for path in sorted((PACKAGE / "static" / "templates").rglob("*.html")):
        for match in _IN_TEMPLATES.finditer(path.read_text(encoding="utf-8")):
            found[match[1] or match[2]] = path.name
    return found


def said_in_scripts() -> set[str]:
    texts = (path.read_text(encoding="utf-8") for path in (PACKAGE / "static").glob("*.js"))
    return {match[1] for text in texts for match in _IN_SCRIPTS.finditer(text)}


def placeholders(phrase: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(phrase) if name is not None}


def test_all_that_the_builder_says_is_in_the_list() -> None:
    missing = {phrase: place for phrase, place in said().items() if phrase not in WORDS}

    assert missing == {}


def test_the_list_has_nothing_that_nobody_says() -> None:
    assert sorted(WORDS.keys() - said().keys() - SAID_BY_OTHERS) == []


def test_pages_have_what_their_scripts_say() -> None:
    assert said_in_scripts() == set(IN_SCRIPTS)


def test_calls_fill_the_placeholders() -> None:
    wrong = {}
    for place, call in calls():
        if call.args and isinstance(call.args[0], ast.Constant):
            phrase = str(call.args[0].value)
            given = {keyword.arg for keyword in call.keywords}
            if given != placeholders(phrase):
                wrong[place] = phrase

    assert wrong == {}


def test_placeholders_have_names() -> None:
    assert [phrase for phrase in WORDS if not all(name.isidentifier() for name in placeholders(phrase))] == []
