"""Aliases written out on the pages."""

from __future__ import annotations

from pathlib import Path

import pytest
from library_fixtures import CONFIG, open_book, page

from d2lbook.diagnostics import Messages
from d2lbook.library import apply_aliases, view_of
from d2lbook.library.aliases import read_aliases
from d2lbook.view import make_view

ALIASES = (
    CONFIG
    + r"""lib_name = torch
simple_alias = ones, concat -> cat, float32, eye, cat -> concatenated
fluent_alias = numpy -> detach().numpy, reshape, size -> numel, reduce_sum -> sum
args_alias = randn(size, device=None) -> np.random.randn(*size, 2 * size, ctx=device)
reverse_alias =
  d2l.width\((\w+)\) -> \1.shape[1]
  d2l.nn_Module -> nn.Module
  d2l.to -> put
"""
)
PAIRS = [
    ("d2l.concat(a)", "torch.cat(a)"),
    ("d2l.concatenate(a)", "d2l.concatenate(a)"),
    ("d2l.cat", "torch.concatenated"),
    ("f(dtype=d2l.float32)", "f(dtype=torch.float32)"),
    ("'d2l.concat'  # d2l.concat(é)", "'d2l.concat'  # d2l.concat(é)"),
    ("é = d2l.numpy(é)", "é = é.detach().numpy()"),
    ("d2l.numpy(f(1)(x))", "f(1)(x).detach().numpy()"),
    ("d2l.reduce_sum(a + b, 0)", "(a + b).sum(0)"),
    ("d2l.reduce_sum((a + b) * (c), axis=(0, 1),)", "((a + b) * (c)).sum(axis=(0, 1),)"),
    ("d2l.reduce_sum(((a + b) * (c)))", "((a + b) * (c)).sum()"),
    ("d2l.size([d2l.size(x), -1])", "[x.numel(), -1].numel()"),
    ("d2l.size(-1)", "(-1).numel()"),
    ("d2l.size(*a)", "d2l.size(*a)"),
    ("d2l.size()", "d2l.size()"),
    ("x = d2l.size", "x = d2l.size"),
    ("d2l.float32 = 1", "d2l.float32 = 1"),
    ("d2l.randn((1, 2)) * 3", "np.random.randn(*(1, 2), 2 * (1, 2)) * 3"),
    ("d2l.randn(device=d2l.ones(1), size=s)", "np.random.randn(*s, 2 * s, ctx=torch.ones(1))"),
    ("d2l.randn(s, other=2)", "d2l.randn(s, other=2)"),
    ("class A(d2l.nn_Module): pass", "class A(nn.Module): pass"),
    ("d2l.width(x)", "x.shape[1]"),
    ("d2l.to(d2l.total)", "put(d2l.total)"),
    ("%matplotlib inline\nd2l.ones(1)", "%matplotlib inline\ntorch.ones(1)"),
    ("d2l.ones(", "d2l.ones("),
]


def written_out(root: Path, code: str) -> tuple[str, tuple[int, ...]]:
    book, config, messages = open_book(root, {"config.ini": ALIASES, "a.md": page(code, "import torch, numpy as np")})
    cell = view_of(book.pages[1].document, "pytorch", book, config).cells[0]
    assert not list(messages)
    return cell.code, cell.line_map


@pytest.mark.parametrize(("code", "expected"), PAIRS)
def test_aliases_are_written_out(tmp_path: Path, code: str, expected: str) -> None:
    assert written_out(tmp_path, code)[0] == expected


def test_lines_keep_their_places(tmp_path: Path) -> None:
    code = "a = 1\nb = d2l.reshape(\n    d2l.concat(x,  # why\n               y),\n    (1,\n     2))\nc = 3"
    expected = "a = 1\nb = torch.cat(x,  # why\n               y).reshape(\n    (1,\n     2))\nc = 3"
    found, lines = written_out(tmp_path, code)
    assert found == code.replace("d2l.concat", "torch.cat")  # a comment within stays where it is
    found, lines = written_out(tmp_path, code.replace("  # why", ""))
    assert found == expected.replace("  # why", "")
    assert lines == (5, 6, 8, 9, 10, 11)


def test_what_the_page_does_not_import_stays(tmp_path: Path) -> None:
    code = "d2l.ones(1), d2l.numpy(x), d2l.randn(2)"
    book, config, _ = open_book(tmp_path, {"config.ini": ALIASES, "a.md": page(code, "import numpy as np")})
    cell = view_of(book.pages[1].document, "pytorch", book, config).cells[0]
    assert cell.code == "d2l.ones(1), x.detach().numpy(), np.random.randn(*2, 2 * 2)"


def test_without_aliases_nothing_changes(tmp_path: Path) -> None:
    book, config, _ = open_book(tmp_path, {"a.md": page("d2l.ones(1)")})
    view = make_view(book.pages[1].document, "pytorch", book.tabs)
    assert apply_aliases(view, read_aliases(config, "pytorch", Messages())) == view
