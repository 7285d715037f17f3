"""What search knows of a page: its words by section and framework, without outputs and the frame.

Of formulas only single letters are words: k, α.
"""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from docutils import nodes
from pagefind_bin import get_executable

from d2lbook.diagnostics import error_at
from d2lbook.export.site.nodes import Captioned, Group, Html, Katex, Output, Panel, Part, Picture, Words
from d2lbook.export.site.reference import Described, Signature, Signatures
from d2lbook.export.site.symbols import symbol_of
from d2lbook.export.site.word_forms import other_forms
from d2lbook.languages import language_of

ALSO = "d2l-also"
_TAG = re.compile(r"<[^>]+>")
_LEFT_OUT = (Katex, Html, Output, nodes.comment, nodes.raw)
_BLOCKS = (
    nodes.title, nodes.paragraph, nodes.literal_block, nodes.list_item, nodes.caption, nodes.entry, nodes.rubric,
    Words, Group, Picture, Captioned,
)  # fmt: skip


def records(tree: nodes.document, tabs: tuple[str, ...], language: str) -> list[tuple[tuple[str, ...], str]]:
    """The page as small HTML for the index, once for frameworks that read the same: (frameworks, HTML)."""
    found: dict[str, list[str]] = {}
    for tab in tabs:
        parts: list[str] = []
        _add(tree, tab, parts, 1)
        found.setdefault("".join(parts), []).append(tab)
    return [(tuple(same), text + _also(text, language)) for text, same in found.items()]


def _add(node: nodes.Node, tab: str, parts: list[str], level: int) -> None:
    for child in node.children:
        if isinstance(child, nodes.Text):
            parts.append(html.escape(child.astext(), quote=False))
        elif isinstance(child, Katex) and (sign := symbol_of(child.astext())):
            parts.append(html.escape(sign, quote=False))
        elif isinstance(child, _LEFT_OUT) or _for_others(child, tab):
            continue
        elif isinstance(child, nodes.section):
            _add(child, tab, parts, level + 1)
        elif isinstance(child, Signatures):
            rank, name = min(level, 6), child["anchor"].removeprefix("api-")
            parts.append(f'<h{rank} id="{html.escape(child["anchor"])}">{html.escape(name)}</h{rank}>\n<p>')
            _add(child, tab, parts, level)
            parts.append("</p>\n")
        elif isinstance(child, nodes.title) and isinstance(child.parent, nodes.section):
            rank = min(level - 1, 6) or 1
            parts.append(f'<h{rank} id="{child.parent["ids"][0]}">')
            _add(child, tab, parts, level)
            parts.append(f"</h{rank}>\n")
        elif isinstance(child, _BLOCKS):
            parts.append("<p>")
            _add(child, tab, parts, level)
            parts.append("</p>\n")
        else:
            _add(child, tab, parts, level)


def _for_others(node: nodes.Node, tab: str) -> bool:
    if isinstance(node, Panel):
        return bool(node["tab"] != tab)
    if isinstance(node, Described | Signature):
        return bool(node["tabs"]) and tab not in node["tabs"]
    return isinstance(node, Part) and tab not in node["tabs"]


def store(directory: Path, name: str, tree: nodes.document, tabs: tuple[str, ...], language: str) -> None:
    """Keeps what is to be indexed of a page that was made."""
    path = directory / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(records(tree, tabs, language), ensure_ascii=False), encoding="utf-8")


def write_sources(stored: Path, pages: list[str], target: Path, language: str) -> None:
    """The pages to index: `target/FRAMEWORK/PAGE.html` is page PAGE as that framework reads it."""
    left = set(target.rglob("*.html"))
    for name in pages:
        for tabs, body in json.loads((stored / f"{name}.json").read_text(encoding="utf-8")):
            main = f"<main data-pagefind-body>{body}</main>"
            text = f'<!doctype html><html lang="{language}"><body>{main}</body></html>'
            for tab in tabs:
                path = target / tab / f"{name}.html"
                if path not in left or path.read_text(encoding="utf-8") != text:
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(text, encoding="utf-8")
                left.discard(path)
    for path in left:
        path.unlink()


def _also(body: str, language: str) -> str:
    """Words that are found but not shown: `search.js` leaves out what stands below this anchor."""
    if language_of(language).pagefind_ranks:
        return ""
    forms = other_forms(html.unescape(_TAG.sub(" ", body)), language)
    return f'<h6 id="{ALSO}">{ALSO}</h6><p>{html.escape(" ".join(forms))}</p>' if forms else ""


def index(sources: Path, tabs: tuple[str, ...], target: Path) -> None:
    """Runs Pagefind over the sources; `target` then holds an index per framework, nothing else.

    An index each, because Pagefind writes filters in another order every time. Raises BookError when it fails.
    """
    fresh = target.with_name(f"{target.name}.new")
    shutil.rmtree(fresh, ignore_errors=True)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda tab: _index_one(sources / tab, fresh / tab), tabs))
    _adopt(fresh, target)


def _index_one(sources: Path, target: Path) -> None:
    command = [str(get_executable()), "--site", str(sources), "--output-path", str(target), "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        reason = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["no reason given"]
        raise error_at("search", 0, 0, f"Pagefind cannot index the site: {reason[0]}; run: make setup", "search-index")


def _adopt(fresh: Path, target: Path) -> None:
    """Makes `target` what `fresh` is. What did not change keeps its time, by which publishing knows it."""
    made = {path.relative_to(fresh) for path in fresh.rglob("*") if path.is_file()}
    for name in made:
        old, new = target / name, fresh / name
        if not old.exists() or old.read_bytes() != new.read_bytes():
            old.parent.mkdir(parents=True, exist_ok=True)
            new.replace(old)
    for path in list(target.rglob("*")):
        if path.is_file() and path.relative_to(target) not in made:
            path.unlink()
    shutil.rmtree(fresh)
