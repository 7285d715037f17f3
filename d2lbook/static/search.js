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

  // Each framework has an index of its own.
  async function load() {
    const tab = root.dataset.fw;
    if (!engines[tab] && location.protocol === "file:") {
      engines[tab] = await loadOffline(tab);
    }
    if (!engines[tab]) {
      const engine = await import(new URL(`pagefind/${tab}/pagefind.js`, home).href);
      await engine.options({ baseUrl: "/", excerptLength: 24 });
      await engine.init();
      engines[tab] = engine;
    }
    return engines[tab];
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
    if (!window.d2lOffline.pages[tab]) await loadScript(`_offline/${tab}.js`);
    return window.d2lOffline.engine(window.d2lOffline.pages[tab]);
  }

  async function open() {
    if (dialog.open) return;
    dialog.showModal();
    input.select();
    if (!input.value) state.textContent = "";
    try {
      await load();
    } catch (error) {
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
    words.innerHTML = excerpt; // escaped by Pagefind, which adds <mark>
    item.append(link, words);
    return item;
  }

  // Pagefind takes "xylophone" for "x" when it knows nothing longer. A page counts only if it has the words, endings aside.
  function holds(page, words) {
    const content = `${page.meta.title} ${page.content}`.toLowerCase();
    return words.toLowerCase().split(/[\s"]+/).filter(Boolean).every((word) => {
      return content.includes(word.slice(0, Math.max(Math.min(word.length, 3), word.length - 3)));
    });
  }

  async function search() {
    const words = input.value.trim();
    const turn = ++asked;
    if (!words) {
      state.textContent = "";
      list.replaceChildren();
      return;
    }
    const pagefind = await load();
    const found = await pagefind.search(words);
    const loaded = await Promise.all(found.results.slice(0, 4 * most).map((result) => result.data()));
    if (turn !== asked) return;
    const kept = loaded.filter((page) => holds(page, words));
    const pages = kept.slice(0, most);
    list.replaceChildren(...pages.map((page) => {
      const part = page.sub_results.find((sub) => sub.excerpt.includes("<mark>")) || { ...page, title: page.meta.title };
      const title = part.title && part.title !== page.meta.title ? `${page.meta.title}: ${part.title}` : page.meta.title;
      return entry(title, addressOf(part.url), part.excerpt);
    }));
    const count = kept.length;
    if (count === 0) state.textContent = window.d2lSay("Nothing found for “{words}”.", { words });
    else state.textContent = count === 1 ? window.d2lSay("{count} page", { count }) : window.d2lSay("{count} pages", { count });
  }

  let waiting = 0;
  input.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(search, 120);
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      event.preventDefault();
      const first = list.querySelector("a");
      if (first) first.click();
    } else if (event.key === "ArrowDown") {
      event.preventDefault();
      list.querySelector("a")?.focus();
    }
  });
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
