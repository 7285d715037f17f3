// The search dialog: what is typed, the list of sections, the keys in it.
// DOM: dialog.d2l-search with input[type=search], p.d2l-search-state[role=status], ol.d2l-search-results; .d2l-chooser.
(() => {
  "use strict";
  const root = document.documentElement;
  const MOST = 20;
  let home, input, state, list;
  // What the list shows is of the words `shown`; the last search, under way or done, is `latest`.
  let asked = 0, waiting = 0, shown = "", latest = Promise.resolve();

  function addressOf({ page, part }) {
    const url = new URL(page.url.replace(/^\/+/, ""), home);
    if (document.querySelector(".d2l-chooser")) url.searchParams.set("fw", root.dataset.fw);
    if (part.anchor) url.hash = part.anchor;
    return url.href;
  }

  function entry({ page, part }, patterns) {
    const item = document.createElement("li");
    const link = document.createElement("a");
    const words = document.createElement("p");
    link.href = addressOf({ page, part });
    link.textContent = part.title && part.title !== page.title ? `${page.title}: ${part.title}` : page.title;
    words.innerHTML = window.d2lFind.excerpt(part.text || part.title, patterns); // escaped there
    item.append(link, words);
    return item;
  }

  function said(hits, words) {
    const count = hits.length;
    if (!count) return window.d2lSay("Nothing found for “{words}”.", { words });
    if (!hits[0].whole) return window.d2lSay("No section has all of these words; these have some.");
    return count === 1 ? window.d2lSay("{count} section", { count }) : window.d2lSay("{count} sections", { count });
  }

  async function search() {
    const words = input.value.trim();
    asked += 1;
    const turn = asked;
    if (!words) {
      shown = words;
      state.textContent = "";
      list.replaceChildren();
      return;
    }
    const { hits, terms } = await window.d2lIndex.find(words);
    if (turn !== asked) return;
    shown = words;
    const patterns = terms.filter(({ dull }) => !dull).map(({ found }) => found);
    list.replaceChildren(...hits.slice(0, MOST).map((hit) => entry(hit, patterns)));
    state.textContent = said(hits, words);
  }

  function searchNow() {
    clearTimeout(waiting);
    latest = search();
    return latest;
  }

  async function openFirst() {
    const words = input.value.trim();
    await (shown === words ? latest : searchNow());
    if (shown === words && words === input.value.trim()) list.querySelector("a")?.click(); // nobody has typed on
  }

  function move(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const stops = [input, ...list.querySelectorAll("a")];
    stops[stops.indexOf(document.activeElement) + step]?.focus();
  }

  // The page that opens marks these words.
  function remember(link) {
    try {
      sessionStorage.setItem("d2l-found", JSON.stringify({ path: link.pathname, words: shown }));
    } catch {
      // Storage is forbidden: nothing is marked.
    }
  }

  function listen(dialog) {
    input.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(searchNow, 120);
    });
    input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.isComposing) return;
      event.preventDefault();
      openFirst();
    });
    dialog.addEventListener("keydown", move);
    list.addEventListener("click", (event) => {
      const link = event.target.closest("a");
      if (!link) return;
      remember(link);
      dialog.close();
    });
  }

  async function start(dialog, address) {
    if (!input) {
      home = address;
      input = dialog.querySelector("input");
      state = dialog.querySelector(".d2l-search-state");
      list = dialog.querySelector(".d2l-search-results");
      listen(dialog);
    }
    if (!input.value) state.textContent = "";
    await window.d2lIndex.open(home);
    if (input.value.trim() !== shown) await searchNow(); // typed while this was loaded, or for another framework
  }

  window.d2lSearch = { start };
})();
