// Search: Pagefind's index, loaded when the box is first opened; pages of the chosen framework only.
(() => {
  "use strict";
  const root = document.documentElement;
  const dialog = document.querySelector(".d2l-search");
  if (!dialog || typeof dialog.showModal !== "function") return;
  const input = dialog.querySelector("input");
  const state = dialog.querySelector(".d2l-search-state");
  const list = dialog.querySelector(".d2l-search-results");
  const home = new URL(root.dataset.content_root || "./", location.href);
  const most = 12;
  const engines = {};
  const own = document.currentScript.src; // in the folder that all languages share
  let asked = 0;

  // Each framework has an index of its own; an engine gives pages as { title, url, excerpt } each, best first.
  async function load() {
    const tab = root.dataset.fw;
    engines[tab] ??= location.protocol === "file:" ? await loadOffline(tab) : await loadPagefind(tab);
    return engines[tab];
  }

  async function loadPagefind(tab) {
    const engine = await import(new URL(`pagefind/${tab}/pagefind.js`, home).href);
    await engine.options({ baseUrl: "/", excerptLength: 24 });
    await engine.init();
    return (query) => (root.lang === "en" ? inEnglish : inOtherWords)(engine, query);
  }

  function loadScript(path) {
    return new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = new URL(path, home).href;
      script.addEventListener("load", resolve);
      script.addEventListener("error", () => reject(new Error(path)));
      document.head.append(script);
    });
  }

  // A copy to read without a server has its index as scripts; browsers load nothing else from files.
  async function loadOffline(tab) {
    if (!window.d2lOffline) await loadScript(new URL("offline.js", own).href);
    if (!window.d2lOffline.pages[tab]) await loadScript(new URL(`_offline/${tab}.js`, home).href);
    return async (query) => {
      const patterns = window.d2lFind.patterns(query);
      return window.d2lOffline.search(tab, patterns).map((page) => described(page, patterns));
    };
  }

  // Pagefind takes "xylophone" for "x" when it knows nothing longer. A page counts only if it has the words, endings aside.
  function holds(page, words) {
    const content = `${page.meta.title} ${page.content}`.toLowerCase();
    return words.toLowerCase().split(/[\s"]+/).filter(Boolean).every((word) => {
      return content.includes(word.slice(0, Math.max(Math.min(word.length, 3), word.length - 3)));
    });
  }

  async function inEnglish(engine, words) {
    const found = await engine.search(words);
    const loaded = await Promise.all(found.results.slice(0, 4 * most).map((result) => result.data()));
    return loaded.filter((page) => holds(page, words)).map((page) => {
      const part = page.sub_results.find((sub) => sub.excerpt.includes("<mark>")) || { ...page, title: page.meta.title };
      return entryOf(page.meta.title, part.title, part.url, part.excerpt);
    });
  }

  // The index knows little of other languages: it gives candidates, and d2lFind says which of them have the words.
  async function inOtherWords(engine, words) {
    const patterns = window.d2lFind.patterns(words);
    const results = new Map();
    for (const question of window.d2lFind.questions(words)) {
      const found = await engine.search(question);
      found.results.forEach((result) => results.set(result.id, result));
    }
    const loaded = await Promise.all([...results.values()].slice(0, 4 * most).map((result) => result.data()));
    const pages = loaded.map(pageOf).filter((page) => window.d2lFind.holds(page, patterns));
    const first = (page) => Number(!window.d2lFind.hasPhrase(page, patterns));
    return pages.sort((one, other) => first(one) - first(other)).map((page) => described(page, patterns));
  }

  // A page of the index by its sections, without the words that are only there to be found.
  function pageOf({ url, meta, content, anchors }) {
    const words = content.split(/\s+/);
    const places = [...anchors].sort((one, other) => one.location - other.location);
    const parts = places.map(({ id, text, location }, number) => {
      const title = text.trim().split(/\s+/).length;
      return { anchor: id, title: text.trim(), text: words.slice(location + title, places[number + 1]?.location).join(" ") };
    });
    const before = { anchor: "", title: "", text: words.slice(0, places[0]?.location ?? words.length).join(" ") };
    return { url, title: meta.title, parts: [before, ...parts].filter((part) => part.anchor !== "d2l-also") };
  }

  function described(page, patterns) {
    const part = window.d2lFind.shown(page, patterns);
    return entryOf(page.title, part.title, `${page.url}${part.anchor ? `#${part.anchor}` : ""}`, part.excerpt);
  }

  function entryOf(page, section, url, excerpt) {
    return { title: section && section !== page ? `${page}: ${section}` : page, url, excerpt };
  }

  async function open() {
    if (dialog.open) return;
    dialog.showModal();
    input.select();
    if (!input.value) state.textContent = "";
    try {
      await load();
    } catch {
      const command = "python -m http.server";
      state.textContent = location.protocol === "file:"
        ? window.d2lSay("Search needs a web server, or the offline copy: run {command} in this directory.", { command })
        : window.d2lSay("The search index cannot be loaded.");
    }
  }

  function addressOf(found) {
    const [path, anchor] = found.split("#");
    const url = new URL(path.replace(/^\/+/, ""), home);
    if (document.querySelector(".d2l-chooser")) url.searchParams.set("fw", root.dataset.fw);
    if (anchor) url.hash = anchor;
    return url.href;
  }

  function entry(title, address, excerpt) {
    const item = document.createElement("li");
    const link = document.createElement("a");
    const words = document.createElement("p");
    link.href = address;
    link.textContent = title;
    words.innerHTML = excerpt; // escaped by those who mark words in it
    item.append(link, words);
    return item;
  }

  // What the list shows is of the words `shown`; the last search, under way or done, is `latest`.
  let waiting = 0;
  let shown = "";
  let latest = Promise.resolve();

  function searchNow() {
    clearTimeout(waiting);
    latest = search();
    return latest;
  }

  async function search() {
    const words = input.value.trim();
    const turn = ++asked;
    if (!words) {
      shown = words;
      state.textContent = "";
      list.replaceChildren();
      return;
    }
    const engine = await load();
    const found = await engine(words);
    if (turn !== asked) return;
    shown = words;
    list.replaceChildren(...found.slice(0, most).map(({ title, url, excerpt }) => entry(title, addressOf(url), excerpt)));
    const count = found.length;
    if (count === 0) state.textContent = window.d2lSay("Nothing found for “{words}”.", { words });
    else state.textContent = count === 1 ? window.d2lSay("{count} page", { count }) : window.d2lSay("{count} pages", { count });
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
    if (event.target.closest("a")) dialog.close();
  });
  document.querySelector(".d2l-search-open")?.addEventListener("click", open);
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, textarea, select, [contenteditable]");
    if ((event.key === "/" && !typing) || (event.key === "k" && (event.ctrlKey || event.metaKey))) {
      event.preventDefault();
      open();
    }
  });
})();
