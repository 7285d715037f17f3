"""Where a line of a page begins inside a word: behind a formula, code, a bracket, a link."""

from __future__ import annotations

from playwright.sync_api import Page

# A sign at the beginning of a line with something other than a space before it. A break behind a hyphen or a slash is
# one between words; inside code, lines break where they are full.
_SCRIPT = r"""pattern => {
  const begins = new RegExp(pattern, 'u'), found = [];
  const BLOCKS = 'p,li,td,th,dd,figcaption,h1,h2,h3,h4';
  const box = (node, at) => {
    const range = document.createRange();
    range.setStart(node, at);
    range.setEnd(node, at + 1);
    return range.getBoundingClientRect();
  };
  for (const block of document.querySelectorAll(`main :is(${BLOCKS})`)) {
    if (!block.offsetParent) continue;
    const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
    let before = null;
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node.parentElement.closest('.katex-mathml')) continue;
      if (node.parentElement.closest(BLOCKS) !== block) { before = null; continue; }
      const inCode = node.parentElement.closest('code');
      for (let at = 0; at < node.data.length; at++) {
        const sign = node.data[at];
        if (sign === '\u2060') continue;
        if (/\s/.test(sign)) { before = null; continue; }
        if (before && !inCode && begins.test(sign) && !/[-/]/.test(before.node.data[before.at])) {
          const here = box(node, at), there = box(before.node, before.at);
          if (here.width && there.width && here.left < there.left - 1 && here.top > there.top + 4)
            found.push(before.node.data.slice(-9) + '|' + node.data.slice(at, at + 9));
        }
        before = {node, at};
      }
    }
  }
  return found;
}"""
HANGUL = r"\p{Script=Hangul}"
MARKS = r"[,.;:!?)\]”’']"


def line_beginnings(page: Page, pattern: str) -> list[str]:
    """What stands around each end of a line at which the next one begins with a sign of the pattern."""
    found: list[str] = page.evaluate(_SCRIPT, pattern)
    return found
