"""Typesets formulas with KaTeX: a process of its own, because V8's threads and copies of a process do not go together.

Reads one JSON list of `[tex, display]` a line, answers each with a JSON list of `[html, error, position]`.
`python -m d2lbook.rendering.katex_process PATH_OF_KATEX_JS`
"""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path

from py_mini_racer import MiniRacer

# `strict` reports what LaTeX would not take; of it, only Unicode text in math is fine.
# What KaTeX asks trust for, such as pictures and addresses, it would set in red: here it is an error.
TYPESET = """
function untrusted(context) {
  throw new katex.ParseError(`${context.command} is not for formulas of a book`);
}
function typeset(formulas) {
  return formulas.map(([tex, display]) => {
    try {
      return [katex.renderToString(tex, {
        displayMode: display, throwOnError: true, trust: untrusted,
        strict: code => code === 'unicodeTextInMathMode' || code === 'newLineInDisplayMode' ? 'ignore' : 'error',
      }), '', 0];
    } catch (error) {
      // What is no mistake of KaTeX's own kind is the engine's, at the end of its stack.
      if (!(error instanceof katex.ParseError)) return ['', 'more groups inside each other than can be typeset', 0];
      return ['', error.rawMessage || error.message, error.position === undefined ? 0 : error.position];
    }
  });
}
"""


def main() -> None:
    with closing(MiniRacer()) as engine:  # left open by an error, its thread would keep this process for ever
        engine.eval(Path(sys.argv[1]).read_text(encoding="utf-8"))
        engine.eval(TYPESET)
        for line in sys.stdin:
            sys.stdout.write(str(engine.eval(f"JSON.stringify(typeset({line}))")) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
