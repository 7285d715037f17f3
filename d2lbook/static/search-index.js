// Where the pages' words come from: Pagefind's index of the chosen framework, or scripts in a copy to read from files.
// `rank.js` says which of their sections answer a query.
// DOM: html[data-fw].
(() => {
  "use strict";
  const root = document.documentElement;
  const MOST = 48; // pages that are looked into for a query
  const engines = {};
  let home;

  async function loadPagefind(tab) {
    const engine = await import(new URL(`pagefind/${tab}/pagefind.js`, home).href);
    await engine.options({ baseUrl: "/" });
    await engine.init();
    return (terms) => candidates(engine, terms);
  }

  // A copy to read without a server has its index as scripts; browsers load nothing else from files.
  async function loadOffline(tab) {
    await window.d2lLoad.own("offline.js");
    await window.d2lLoad.ofLanguage(`_offline/${tab}.js`);
    return async () => window.d2lOffline.pages[tab];
  }

  // The index knows little of other languages and asks for all words at once: it is asked term by term for pages, those
  // first that have the most terms.
  async function candidates(engine, terms) {
    const found = new Map();
    const useful = terms.filter(({ dull }) => !dull);
    for (const { asked } of useful) {
      const ids = new Map();
      for (const text of asked) {
        for (const result of (await engine.search(text)).results) ids.set(result.id, result);
      }
      ids.forEach((result, id) => found.set(id, { result, count: (found.get(id)?.count ?? 0) + 1 }));
    }
    const best = [...found.values()].sort((one, other) => other.count - one.count || other.result.score - one.result.score);
    return (await Promise.all(best.slice(0, MOST).map(({ result }) => result.data()))).map(pageOf);
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

  async function load() {
    const tab = root.dataset.fw;
    engines[tab] ??= location.protocol === "file:" ? loadOffline(tab) : loadPagefind(tab);
    return engines[tab];
  }

  async function find(query) {
    const terms = window.d2lFind.terms(query);
    const pages = await (await load())(terms);
    return { terms, hits: window.d2lRank.sections(pages, terms) };
  }

  window.d2lIndex = {
    open(address) {
      home = address;
      return load();
    },
    find,
  };
})();
