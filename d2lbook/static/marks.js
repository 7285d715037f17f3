// Marks the words that a reader has searched, in the section that the result led to. Nothing in the page changes: the
// ranges are a highlight of the browser's, which ends with Escape. Browsers without highlights show none.
// DOM: the target of the address, `section[id]` or an element with that id; style ::highlight(d2l-found).
(() => {
  "use strict";
  const NAME = "d2l-found";

  function taken() {
    const found = JSON.parse(sessionStorage.getItem(NAME) ?? "null");
    sessionStorage.removeItem(NAME);
    return found?.path === location.pathname ? found.words : "";
  }

  function rangesOf(node, patterns) {
    return patterns.flatMap((pattern) => [...node.data.matchAll(pattern)].map((match) => {
      const range = new Range();
      range.setStart(node, match.index);
      range.setEnd(node, match.index + match[0].length);
      return range;
    }));
  }

  // The words of a section, not those of the sections in it; all of an entry of another kind.
  function textsOf(place) {
    const walker = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) {
      const section = walker.currentNode.parentElement.closest("section");
      if (!place.matches("section") || section === place) texts.push(walker.currentNode);
    }
    return texts;
  }

  function show() {
    const words = taken();
    const name = decodeURIComponent(location.hash.slice(1));
    const place = name && document.getElementById(name);
    if (!words || !place || !window.CSS?.highlights) return;
    const box = place.matches("dt") ? place.parentElement : place;
    const patterns = window.d2lFind.terms(words).filter(({ dull }) => !dull).map(({ found }) => found);
    CSS.highlights.set(NAME, new Highlight(...textsOf(box).flatMap((node) => rangesOf(node, patterns))));
  }

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") CSS.highlights?.delete(NAME);
  });
  window.d2lMarks = { show };
})();
