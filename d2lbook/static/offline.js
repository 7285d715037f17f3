// Search without a server: the words of a framework's pages, loaded as a script, which `file:` allows.
(() => {
  "use strict";
  const escaped = (text) => text.replace(/[&<>]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[sign]);
  // What a word of the query must begin with to be found: endings aside, as the index on a server does it.
  const stem = (word) => word.slice(0, Math.max(Math.min(word.length, 4), word.length - 2));
  const pattern = (word) => new RegExp(`(?<![\\p{L}\\p{N}_])${stem(word).replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}[\\p{L}\\p{N}_]*`, "giu");
  const wordsOf = (query) => query.split(/[\s"]+/).filter(Boolean).map(pattern);
  const textOf = (part) => `${part.title} ${part.text}`;

  function marked(text, words, length = 180) {
    const first = Math.min(...words.map((word) => text.search(word)).filter((at) => at >= 0), text.length);
    const start = Math.max(0, text.lastIndexOf(" ", Math.max(0, first - 40)) + 1);
    const part = text.slice(start, start + length);
    const places = new RegExp(words.map((word) => word.source).join("|"), "giu");
    let shown = "", at = 0;
    for (const found of part.matchAll(places)) {
      shown += `${escaped(part.slice(at, found.index))}<mark>${escaped(found[0])}</mark>`;
      at = found.index + found[0].length;
    }
    return `${start ? "… " : ""}${shown}${escaped(part.slice(at))}${start + length < text.length ? " …" : ""}`;
  }

  function countOf(text, words) {
    return words.reduce((sum, word) => sum + [...text.matchAll(word)].length, 0);
  }

  function result(page, words) {
    const parts = page.parts.filter((part) => countOf(textOf(part), words) > 0);
    const best = parts.sort((one, other) => countOf(textOf(other), words) - countOf(textOf(one), words));
    const shown = best.map((part) => ({
      title: part.title, url: `/${page.url}${part.anchor ? `#${part.anchor}` : ""}`, excerpt: marked(part.text || part.title, words),
    }));
    const content = page.parts.map(textOf).join(" ");
    return { url: `/${page.url}`, meta: { title: page.title }, content, sub_results: shown, excerpt: marked(content, words) };
  }

  window.d2lOffline = {
    pages: {},
    engine(pages) {
      return {
        async search(query) {
          const words = wordsOf(query);
          const found = pages.map((page) => [page, countOf(page.parts.map(textOf).join(" "), words)]);
          const holding = found.filter(([page]) => words.every((word) => countOf(page.parts.map(textOf).join(" "), [word]) > 0));
          holding.sort((one, other) => other[1] - one[1]);
          return { results: holding.map(([page]) => ({ data: async () => result(page, words) })) };
        },
      };
    },
  };
})();
