"""Barriers that axe finds on a page in a browser."""

from __future__ import annotations

from axe_playwright_python.base import AxeResults
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

CONTRAST = "color-contrast"
# What else depends on colours. The rest of a page is the same in the dark, where its light colours have been examined.
LINKS = "link-in-text-block"

# Contrast takes axe most of its time, and a page has thousands of words in the same few colours. So one element of each
# look is marked: of each text colour, size, weight and all that is painted behind it. Of texts in drawings axe cannot
# tell what is behind them and says nothing.
MARK_LOOKS = r"""() => {
  const looks = new Set(), painted = new Map([[null, '']]);
  const behind = element => {
    if (painted.has(element)) return painted.get(element);
    const style = getComputedStyle(element);
    const own = [style.backgroundColor, style.backgroundImage, style.opacity, style.filter, style.mixBlendMode,
                 style.position === 'static' ? '' : style.position + element.className].join();
    const hides = style.opacity === '1' && /^rgb\(/.test(style.backgroundColor);
    painted.set(element, hides ? own : own + behind(element.parentElement));
    return painted.get(element);
  };
  for (const element of document.body.querySelectorAll('*')) {
    const written = [...element.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.data.trim());
    if (element.closest('svg') || !written && !element.matches('input, select, textarea')) continue;
    const style = getComputedStyle(element);
    const look = [style.color, style.fontSize, style.fontWeight, style.textShadow, style.visibility, behind(element)];
    if (!looks.has(look.join())) element.setAttribute('data-look', '');
    looks.add(look.join());
  }
}"""


def find_barriers(page: Page, mode: str) -> AxeResults:
    """All that axe knows, or in the mode `dark` what colours can do."""
    rest = {"rules": {CONTRAST: {"enabled": False}}} if mode == "light" else _only(LINKS)
    found = Axe().run(page, options={"resultTypes": ["violations"], **rest})
    page.evaluate(MARK_LOOKS)
    looks = {"include": [["[data-look]"]]}
    of_looks = Axe().run(page, context=looks, options={"resultTypes": ["violations"], **_only(CONTRAST)})
    page.evaluate("document.querySelectorAll('[data-look]').forEach(marked => marked.removeAttribute('data-look'))")
    both = [*found.response["violations"], *of_looks.response["violations"]]
    return AxeResults({**found.response, "violations": both})


def _only(rule: str) -> dict[str, object]:
    return {"runOnly": {"type": "rule", "values": [rule]}}
