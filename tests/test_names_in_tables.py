"""Names of frameworks and of languages stand in their tables, nowhere else in the builder."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import d2lbook
from d2lbook.frameworks import FRAMEWORKS
from d2lbook.languages import DEFAULT, known

PACKAGE = Path(d2lbook.__file__).parent
MODULES = [
    path
    for path in sorted(PACKAGE.rglob("*.py"))
    if path.name != "frameworks.py"
    and not path.is_relative_to(PACKAGE / "languages")
    and not path.is_relative_to(PACKAGE / "execute/bundle/runner")  # which travels without the tables
]
STYLES = sorted(path for path in (PACKAGE / "static").rglob("*.css") if "vendor" not in path.parts)
NAMES = {
    name
    for row in FRAMEWORKS
    for name in (row.tab, row.label, *row.modules, *row.other_names, *(name for name in row.packages[0]))
}
FRAMEWORK = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(NAMES, key=len, reverse=True)))})\b")
# The builder's own words are in the default language, and may say so.
LANGUAGE = re.compile(rf"\b(?:{'|'.join(row.name for row in known().values() if row.code != DEFAULT)})\b")
SCRIPTS = re.compile("[\u3041-\u30ff\u4e00-\u9fff\uac00-\ud7a3]")


def constants(tree: ast.Module) -> Iterator[ast.Constant]:
    """The strings of a module, without docstrings and without the HTML elements of tables, of which one is `tr`."""
    left_out: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            left_out.add(id(node.value))
        elif isinstance(node, ast.Set | ast.List | ast.Tuple):
            strings = {item.value: item for item in node.elts if isinstance(item, ast.Constant)}
            if strings.keys() & {"td", "th"}:
                left_out.update(id(item) for item in strings.values())
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in left_out:
            yield node


def found_in(path: Path) -> Iterator[str]:
    for node in constants(ast.parse(path.read_text(encoding="utf-8"))):
        if match := FRAMEWORK.search(node.value) or LANGUAGE.search(node.value):
            yield f"{path.relative_to(PACKAGE)}:{node.lineno}: {match[0]}"
        elif node.value in known():
            yield f"{path.relative_to(PACKAGE)}:{node.lineno}: {node.value}"


def letters_in(path: Path) -> Iterator[str]:
    """Letters of other scripts in strings, where they are not written as numbers of ranges."""
    for token in tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline):
        if token.type == tokenize.STRING and not token.string.startswith('"""') and SCRIPTS.search(token.string):
            yield f"{path.relative_to(PACKAGE)}:{token.start[0]}: {token.string}"


def test_modules_name_no_framework_and_no_language() -> None:
    assert [found for path in MODULES for found in found_in(path)] == []
    assert [found for path in MODULES for found in letters_in(path)] == []


def test_style_sheets_name_none_either() -> None:
    names = re.compile(rf":lang\(|{FRAMEWORK.pattern}")
    assert [path.name for path in STYLES if names.search(path.read_text(encoding="utf-8"))] == []


def test_what_is_looked_for_is_found() -> None:
    text = '"""PyTorch."""\n# ko\nA = ["jax", "ko"]\nB = f"for Korean {A}"\nC = {"td", "tr"}\nD = "torch.txt"\n'
    tree = ast.parse(text)
    strings = [node.value for node in constants(tree)]
    assert sorted(strings) == ["for Korean ", "jax", "ko", "torch.txt"]
    assert all(FRAMEWORK.search(value) or LANGUAGE.search(value) or value in known() for value in strings)
