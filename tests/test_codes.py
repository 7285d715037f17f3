"""Every code of a message is explained, and every explanation is of a code."""

import ast
import re
from functools import cache
from pathlib import Path

from d2lbook.codes import codes

ROOT = Path(__file__).parent.parent
REPORTERS = {"error", "warning", "error_at", "Message", "Finding", "PageError", "Failed", "BadPicture", "warn"}
SHAPE = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
# Codes that are put together where they are used, as f"{kind}-stray".
COMPOSED = ("-stray", "-unclosed", "-missing", "-stale")


def constants(node: ast.expr) -> set[str]:
    if isinstance(node, ast.IfExp):
        return constants(node.body) | constants(node.orelse)
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and SHAPE.fullmatch(node.value):
        return {node.value}
    return set()


@cache
def in_sources() -> tuple[set[str], set[str]]:
    """The codes that calls report, and all strings that could be one."""
    reported: set[str] = set()
    strings: set[str] = set()
    for path in (ROOT / "d2lbook").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                strings.add(node.value)
            if isinstance(node, ast.Call) and len(node.args) > 1:
                name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                reported |= constants(node.args[-1]) if name in REPORTERS else set()
    return {code for code in reported if "-" in code}, strings


def test_every_code_that_the_sources_report_is_explained() -> None:
    reported, _ = in_sources()
    assert len(reported) > 100
    assert reported - codes().keys() == set()


def test_every_code_of_a_fixture_is_explained() -> None:
    line = re.compile(r": (?:error|warning): .* \[([a-z0-9]+(?:-[a-z0-9]+)*)\]$", re.MULTILINE)
    fixtures = [
        path.read_text(encoding="utf-8")
        for folder in ("dialect", "messages", "library")
        for path in (ROOT / "tests" / folder).glob("*.md")
    ]
    shown = {code for text in fixtures for code in line.findall(text)}
    assert shown
    assert shown - codes().keys() == set()


def test_every_explanation_is_of_a_code_that_the_sources_have() -> None:
    _, strings = in_sources()
    assert {code for code in codes() if code not in strings and not code.endswith(COMPOSED)} == set()


def test_codes_are_in_order_and_have_a_meaning_and_a_remedy() -> None:
    assert list(codes()) == sorted(codes())
    for name, code in codes().items():
        assert code.meaning.endswith("."), name
        assert code.remedy.endswith("."), name
