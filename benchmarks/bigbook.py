"""Writes a book for any builder. A page has 14 cells, 40 formulas, 40 blocks, a table and a figure."""

from __future__ import annotations

import random
from pathlib import Path

from d2lbook.frameworks import TABS

CELLS, FORMULAS, BLOCKS = 14, 40, 40
WORDS = (
    *("device", "memory", "gradient", "batch", "layer", "weight", "copy", "step", "kernel", "result", "cost", "time"),
    *("bandwidth", "parameter", "model", "loss", "rate", "sum", "array", "shard", "worker", "update", "queue", "cache"),
    *("buffer", "tensor", "product", "value", "shape", "order", "mean"),
)
FIGURE = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 40" width="120" height="40">
<rect x="5" y="5" width="40" height="30" fill="none" stroke="black"/><text x="12" y="25" font-size="10">page {n}</text>
<path d="M45 20 H75" stroke="black"/><rect x="75" y="5" width="40" height="30" fill="none" stroke="black"/></svg>
"""


def write_book(root: Path, pages: int, per_chapter: int = 20) -> list[Path]:
    """Writes `config.ini`, index, chapters, figures below `root`; returns the pages' paths."""
    (root / "img").mkdir(parents=True)
    (root / "config.ini").write_text(
        "[project]\nname = big\ntitle = Big\nauthor = nobody\ncopyright = 2026\nrelease = 1.0\n"
        "[build]\nindex = index\nnotebooks = *.md */*.md\nresources = img\n"
        f"eval_notebook = False\ntabs = {', '.join(TABS)}\n"
    )
    chapters = [range(start, min(start + per_chapter, pages)) for start in range(0, pages, per_chapter)]
    names = [f"chapter_{number:02d}/index" for number in range(len(chapters))]
    (root / "index.md").write_text("# Big\n\n```toc\n:maxdepth: 2\n:numbered:\n\n" + "\n".join(names) + "\n```\n")
    paths: list[Path] = []
    for number, members in enumerate(chapters):
        folder = root / f"chapter_{number:02d}"
        folder.mkdir()
        toc = "\n".join(f"page_{member:03d}" for member in members)
        (folder / "index.md").write_text(
            f"# Chapter {number}\n:label:`chap_{number}`\n\n```toc\n:maxdepth: 2\n\n{toc}\n```\n"
        )
        for member in members:
            path = folder / f"page_{member:03d}.md"
            path.write_text(_page(member, random.Random(member)))
            (root / "img" / f"figure_{member:03d}.svg").write_text(FIGURE.format(n=member))
            paths.append(path)
    return paths


def _sentence(rng: random.Random, words: int = 14) -> str:
    text = " ".join(rng.choices(WORDS, k=words))
    return text.capitalize() + "."


def _page(number: int, rng: random.Random) -> str:
    parts = [f"# Page {number}: {_sentence(rng, 3)[:-1]}\n:label:`sec_page_{number}`\n"]
    prose = BLOCKS - CELLS - 5  # what is left beside cells, headings, table, figure, numbered equation
    inline = FORMULAS - 1
    cells = 0
    for block in range(prose):
        if block % 7 == 6:
            parts.append(f"## {_sentence(rng, 4)[:-1]}\n:label:`sec_page_{number}_{block}`\n")
        count = inline * (block + 1) // prose - inline * block // prose
        formulas = " ".join(
            f"Let $x_{{{block}}}^{{{k}}} = \\frac{{a_{{{rng.randint(1, 99)}}}}}{{b + {k}}}$." for k in range(count)
        )
        reference = f"See :numref:`sec_page_{max(0, number - 1)}`." if block % 5 == 0 else ""
        parts.append(f"{_sentence(rng)} {formulas} **{_sentence(rng, 3)}** {_sentence(rng)} {reference}".strip() + "\n")
        if cells < CELLS * (block + 1) // prose:
            parts.append(_cell(cells, rng))
            cells += 1
    parts.append(
        f"$$\\mathbf{{g}} = \\frac{{1}}{{k}}\\sum_{{i=1}}^{{k}} \\mathbf{{g}}_i$$\n:eqlabel:`eq_page_{number}`\n"
    )
    parts.append(f"![{_sentence(rng, 4)}](../img/figure_{number:03d}.svg)\n:label:`fig_page_{number}`\n")
    parts.append(
        f":Times\n\n| a | b |\n|:--|:--|\n| {rng.random():.3f} | {rng.random():.3f} |\n:label:`tab_page_{number}`\n"
    )
    return "\n".join(parts)


def _cell(number: int, rng: random.Random) -> str:
    tabs = "all" if number % 2 else TABS[number // 2 % len(TABS)]
    lines = [
        f"def f{number}_{k}(x, y={rng.randint(1, 9)}):\n    return x * y + {rng.random():.3f}  # a step"
        for k in range(2)
    ]
    code = "\n\n".join(lines)
    return f"```{{.python .input}}\n#@tab {tabs}\n{code}\n```\n"
