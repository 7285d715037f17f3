// Shows what a reference is about beside it: a figure, table, equation, work or section. With the mouse or the keyboard
// only; a tap follows the link. Escape closes it.
// DOM: .bd-article a[href*="#"]; targets are figure, .d2l-table, .d2l-display (equation), .d2l-bibliography li,
// section[id] with a heading, or an anchor inside one of them. Makes #d2l-preview[role=tooltip]. Style: reader.css.
(() => {
  "use strict";
  const SHOWN = "figure, .d2l-table, .d2l-display, .d2l-bibliography li, dl.d2l-api > dt, section[id]";
  const NOT_SHOWN = "button, .headerlink, .d2l-controls, .d2l-live-result, .d2l-interactive, script, style, details, .d2l-made";
  const WAIT = 300, STAY = 200; // ms before it opens; ms that the mouse may take to reach it
  const box = document.createElement("div");
  const pages = new Map();
  let link, timer, turn = 0;
  box.id = "d2l-preview";
  box.className = "d2l-preview d-print-none";
  box.setAttribute("role", "tooltip");
  box.hidden = true;

  function pageAt(url) {
    if (url.pathname === location.pathname) return document;
    if (location.protocol === "file:") return null; // browsers read no other file
    if (!pages.has(url.pathname)) {
      pages.set(url.pathname, fetch(url.pathname).then((answer) => (answer.ok ? answer.text() : "")).then((text) => new DOMParser().parseFromString(text, "text/html")));
    }
    return pages.get(url.pathname);
  }

  // Relative addresses hold for the page that they stand on.
  function settle(copy, url) {
    for (const name of ["href", "src"]) {
      copy.querySelectorAll(`[${name}]`).forEach((found) => {
        const written = found.getAttribute(name);
        if (!found.closest("svg")) found.setAttribute(name, new URL(written, url).href);
      });
    }
    copy.querySelectorAll(NOT_SHOWN).forEach((found) => found.remove());
    copy.querySelectorAll("[id]").forEach((found) => { if (!found.closest("svg")) found.removeAttribute("id"); });
    copy.querySelectorAll("[tabindex]").forEach((found) => found.removeAttribute("tabindex"));
    copy.removeAttribute("id");
    return copy;
  }

  // Of a section its heading and first paragraph; of all else the whole.
  function partsOf(place) {
    if (place.matches("li, dt")) { // which stand in no list here
      const box = document.createElement("div");
      box.append(...place.cloneNode(true).childNodes);
      return [box];
    }
    if (!place.matches("section")) return [place];
    const heading = place.querySelector(":scope > h1, :scope > h2, :scope > h3, :scope > h4");
    const title = document.createElement("p");
    title.className = "d2l-preview-title";
    if (heading) title.append(...heading.cloneNode(true).childNodes);
    const first = [...place.querySelectorAll(":scope > p, :scope > .d2l-part > p")].find((text) => text.textContent.trim());
    return [title, ...(first ? [first] : [])];
  }

  async function find(url) {
    const page = await pageAt(url);
    const target = page?.getElementById(decodeURIComponent(url.hash.slice(1)));
    return target?.closest(SHOWN);
  }

  function put() {
    const near = link.getClientRects()[0] ?? link.getBoundingClientRect();
    const width = Math.min(34 * 16, window.innerWidth - 16);
    box.style.width = `${width}px`;
    box.style.left = `${Math.max(8, Math.min(near.left, window.innerWidth - width - 8))}px`;
    const below = window.innerHeight - near.bottom;
    const over = below < box.offsetHeight + 12 && near.top > below;
    box.style.top = over ? "auto" : `${near.bottom + 6}px`;
    box.style.bottom = over ? `${window.innerHeight - near.top + 6}px` : "auto";
    box.style.maxHeight = `${Math.max(120, (over ? near.top : below) - 18)}px`;
  }

  function close() {
    clearTimeout(timer);
    turn += 1;
    if (link) link.removeAttribute("aria-describedby");
    link = undefined;
    box.hidden = true;
  }

  async function open(found) {
    const url = new URL(found.href);
    turn += 1;
    const mine = turn;
    const place = await find(url).catch(() => null); // without the page there is nothing to show
    if (!place || mine !== turn || !found.isConnected) return;
    if (link) link.removeAttribute("aria-describedby");
    link = found;
    const copies = partsOf(place).map((part) => settle(part.cloneNode(true), url));
    box.replaceChildren(...copies);
    if (!box.isConnected) (document.querySelector("main") ?? document.body).append(box);
    box.hidden = false;
    link.setAttribute("aria-describedby", box.id);
    put();
  }

  const isReference = (found) => found && found.hash.length > 1 && found.origin === location.origin && !found.matches(".headerlink, .d2l-back");
  const reference = (event) => {
    const found = event.target.closest?.(".bd-article a[href*='#']");
    return isReference(found) ? found : undefined;
  };

  document.addEventListener("pointerover", (event) => {
    if (event.pointerType === "touch") return;
    const found = reference(event);
    if (found || box.contains(event.target)) clearTimeout(timer);
    if (found && found !== link) timer = setTimeout(open, WAIT, found);
  });
  document.addEventListener("pointerout", (event) => {
    if (event.pointerType === "touch" || (!reference(event) && !box.contains(event.target))) return;
    clearTimeout(timer);
    timer = setTimeout(close, STAY);
  });
  document.addEventListener("focusin", (event) => {
    const found = reference(event);
    if (found?.matches(":focus-visible")) open(found);
    else if (!box.contains(event.target)) close();
  });
  document.addEventListener("focusout", (event) => { if (reference(event)) close(); });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") close(); });
  document.addEventListener("click", (event) => { if (!box.contains(event.target)) close(); });
  window.addEventListener("scroll", () => { if (link && !box.matches(":hover")) close(); }, { passive: true });
})();
