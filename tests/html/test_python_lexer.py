"""The lexer that looks first for the commonest tokens gives those of Pygments' own."""

from __future__ import annotations

import ast
import asyncio.tasks
import dataclasses
import inspect
import tokenize
import typing

import pytest
from pygments.lexers.python import PythonLexer

from d2lbook.html.python_lexer import PythonCode

CODE = '''%matplotlib inline
from d2l import jax as d2l  #@save
lazy from x import y

@d2l.add_to_class(Net)
class Net(nn.Module, metaclass=abc.ABCMeta):
    """Doc of `it`."""
    __slots__ = ()

    def __init__(self, *sizes: int, lr=.5, **rest) -> None:
        r"""Raw \\d."""
        super().__init__(); self.self = cls = self.max
        print(f"{self!r:>{width}} {x.print(1)}", rb'\\x', u"é", Rb"x", 'it''s')

async def f(match, case, type, _):
    match match:
        case {"a": _, **rest} if rest is not None: ...
        case Point(x=0) | [1, *_]: pass
    async for a in b:
        yield from (await c for c in d if not c or c in e and ~c)
    type Alias[T] = list[T]
    return x[1:2, ..., ::-1], 0x1F + 1_000.5e-3j // .5 ** 2 @ m, (y := 3) != 4 <= 5, a.b.__len__, Ellipsis
naïve = été = x2 = ünder_2
lambda x: x if True else None
\t# a comment with "quotes" and 'self'
x = 1 \\
    + 2
!pip install it's
'''


def tokens(lexer: PythonLexer, code: str) -> list[tuple[object, str]]:
    return list(lexer.get_tokens(code))


@pytest.mark.parametrize(
    "code",
    [CODE, *CODE.splitlines(), *map(inspect.getsource, (ast, asyncio.tasks, dataclasses, tokenize, typing))],
    ids=lambda code: code[:20].strip(),
)
def test_the_tokens_are_those_of_pygments(code: str) -> None:
    assert tokens(PythonCode(stripnl=False), code) == tokens(PythonLexer(stripnl=False), code)
