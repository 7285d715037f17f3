// Keeps the reader's place while the page around it changes: the block at the eye, and how much of it is above the eye.
// DOM: .d2l-bar at the top; .bd-article with section[id], whose blocks are its children that are no sections
// (.d2l-foreign is a wrapper around blocks). `window.d2lPlace` is for site.js (frameworks) and languages.js.
(() => {
  "use strict";
  const topOf = (element) => element.getBoundingClientRect().top;

  // Where the reader's eye is: a little below the bar.
  const eye = () => (document.querySelector(".d2l-bar")?.getBoundingClientRect().bottom ?? 0) + 80;

  // The section that the reader is in; none at the start of the page.
  function section() {
    if (window.scrollY === 0) return undefined;
    return [...document.querySelectorAll(".bd-article section[id]")].filter((found) => topOf(found) < eye()).at(-1);
  }

  const blocksOf = (found) => [...found.querySelectorAll(":scope > :not(section, .d2l-foreign), :scope > .d2l-foreign > *")];
  const isShown = (block) => block.getClientRects().length > 0;

  // { id, number, part }: the section, which of its blocks, and the part of it above the eye; undefined at the start.
  function take() {
    const here = section();
    const blocks = here ? blocksOf(here) : [];
    const number = blocks.findLastIndex((block) => isShown(block) && topOf(block) < eye());
    if (number < 0) return undefined;
    const { top, height } = blocks[number].getBoundingClientRect();
    return { id: here.id, number, part: height ? (eye() - top) / height : 0 };
  }

  // How far to scroll to bring the place back to the eye. A block that is hidden now gives way to the one before it.
  function distance(spot) {
    const found = document.getElementById(spot.id);
    const blocks = found ? blocksOf(found) : [];
    if (blocks[spot.number] && isShown(blocks[spot.number])) {
      const { top, height } = blocks[spot.number].getBoundingClientRect();
      return top + spot.part * height - eye();
    }
    const before = blocks.slice(0, spot.number).findLast(isShown);
    return before ? before.getBoundingClientRect().bottom - eye() : 0;
  }

  function put(spot) {
    if (spot) window.scrollBy({ top: distance(spot), behavior: "instant" });
  }

  window.d2lPlace = { eye, section, take, put };
})();
