// Opens the search; all that it needs is loaded when a reader first opens it, or comes from a result.
// DOM: dialog.d2l-search, button.d2l-search-open, html[lang][data-fw][data-content_root]; the site's own scripts lie
// beside this one. Without this file pages have no search, which without JavaScript is not offered.
(() => {
  "use strict";
  const dialog = document.querySelector(".d2l-search");
  const button = document.querySelector(".d2l-search-open");
  if (!dialog || typeof dialog.showModal !== "function") return;
  const home = new URL(document.documentElement.dataset.content_root || "./", location.href);
  const shared = document.currentScript.src; // in the folder that all languages share
  const version = new URL(shared).search;
  const asked = new Map();

  function load(address) {
    if (!asked.has(address)) {
      asked.set(address, new Promise((resolve, reject) => {
        const script = document.createElement("script");
        script.src = address;
        script.async = false; // several keep their order
        script.addEventListener("load", resolve);
        script.addEventListener("error", () => reject(new Error(address)));
        document.head.append(script);
      }));
    }
    return asked.get(address);
  }

  const own = (name) => load(new URL(`${name}${version}`, shared).href);
  const ofLanguage = (path) => load(new URL(path, home).href);

  async function parts() {
    await Promise.all([ofLanguage("_search/spoken.js"), ...["find.js", "rank.js", "search-index.js", "search-dialog.js"].map(own)]);
    return window.d2lSearch;
  }

  async function open() {
    if (dialog.open) return;
    dialog.showModal();
    dialog.querySelector("input").select();
    try {
      await (await parts()).start(dialog, home);
    } catch {
      const command = "python -m http.server";
      dialog.querySelector(".d2l-search-state").textContent = location.protocol === "file:"
        ? window.d2lSay("Search needs a web server, or the offline copy: run {command} in this directory.", { command })
        : window.d2lSay("The search index cannot be loaded.");
    }
  }

  // A reader who comes from a result sees the words marked that were searched.
  async function markFound() {
    await Promise.all([ofLanguage("_search/spoken.js"), own("find.js"), own("marks.js")]);
    window.d2lMarks.show();
  }

  function cameFromSearch() {
    try {
      return Boolean(sessionStorage.getItem("d2l-found"));
    } catch {
      return false; // storage is forbidden
    }
  }

  window.d2lLoad = { own, ofLanguage };
  button?.addEventListener("click", open);
  button?.addEventListener("pointerenter", () => parts().catch(() => {}), { once: true });
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, textarea, select, [contenteditable]");
    if ((event.key === "/" && !typing) || (event.key === "k" && (event.ctrlKey || event.metaKey))) {
      event.preventDefault();
      open();
    }
  });
  window.addEventListener("hashchange", () => { if (cameFromSearch()) markFound(); });
  if (cameFromSearch()) markFound();
})();
