// The book in other languages: a change of language keeps page, framework and place; what the reader chose, or what the
// browser asks for, is offered in a line over the page and never forced. Without this file the list of languages is
// plain links. DOM: details.d2l-languages a[hreflang][lang][data-offer][data-not-now]; a.d2l-brand leads to the start.
(() => {
  "use strict";
  const root = document.documentElement;
  const list = document.querySelector(".d2l-languages");
  if (!list) return;
  const links = [...list.querySelectorAll("a[hreflang]")];
  const linkOf = (lang) => links.find((link) => link.hreflang.toLowerCase() === lang.toLowerCase());
  const here = links.find((link) => link.hasAttribute("aria-current"));

  function kept(key) {
    try {
      return localStorage.getItem(key);
    } catch {
      return null; // storage is forbidden
    }
  }

  function tried(store) {
    try {
      store();
    } catch {
      // Storage is forbidden: the address still says the language and the section.
    }
  }

  const keep = (key, value) => tried(() => localStorage.setItem(key, value));

  const topOf = (element) => element.getBoundingClientRect().top;

  // The place in the address while it is in sight, else the heading above the reader; anchors are the same in all languages.
  function place() {
    const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (named && topOf(named) >= 0 && topOf(named) < window.innerHeight) return location.hash;
    const here = window.d2lPlace.section();
    return here && !here.querySelector(":scope > h1") ? `#${here.id}` : "";
  }

  // Blocks are the same in all languages, too.
  function keepSpot(path) {
    const spot = window.d2lPlace.take();
    if (spot) sessionStorage.setItem("d2l-spot", JSON.stringify({ path, ...spot }));
  }

  function goToSpot() {
    const spot = JSON.parse(sessionStorage.getItem("d2l-spot"));
    sessionStorage.removeItem("d2l-spot");
    if (spot?.path !== location.pathname) return;
    window.d2lPlace.put(spot);
    window.addEventListener("load", () => window.d2lPlace.put(spot)); // pictures and fonts have their sizes only then
  }

  function addressOf(link) {
    const url = new URL(link.href, location.href);
    if (root.dataset.fw && document.querySelector(".d2l-chooser")) url.searchParams.set("fw", root.dataset.fw);
    url.hash = place();
    return url.href;
  }

  function go(link) {
    keep("d2l-lang", link.hreflang);
    tried(() => keepSpot(link.pathname));
    location.assign(addressOf(link));
  }

  function line(lang) {
    const box = document.createElement("div");
    box.className = "d2l-offer d-print-none";
    if (lang) box.lang = lang;
    document.querySelector(".bd-article")?.prepend(box);
    return box;
  }

  function offer(link) {
    const box = line(link.hreflang);
    const words = document.createElement("a");
    const close = document.createElement("button");
    words.href = link.href;
    words.hreflang = link.hreflang;
    words.textContent = link.dataset.offer;
    close.type = "button";
    close.textContent = link.dataset.notNow;
    close.addEventListener("click", () => {
      keep("d2l-lang", here.hreflang);
      box.remove();
    });
    box.append(words, close);
  }

  function sayUnknown(code) {
    const box = line("");
    const names = document.createElement("span");
    links.forEach((link, number) => {
      const copy = document.createElement("a");
      Object.assign(copy, { href: link.href, lang: link.lang, hreflang: link.hreflang, textContent: link.textContent });
      names.append(number ? ", " : "", copy);
    });
    box.setAttribute("role", "status");
    box.append(window.d2lSay("There is no edition in “{code}”. The book can be read in:", { code }), " ", names);
  }

  // Of what the browser asks for, the first that the book has; a language of another country will do.
  function wanted() {
    for (const asked of navigator.languages ?? [navigator.language]) {
      const found = linkOf(asked) ?? linkOf(asked.split("-")[0]) ?? links.find((link) => link.hreflang.split("-")[0] === asked.split("-")[0].toLowerCase());
      if (found) return found;
    }
    return here;
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[hreflang]");
    if (link && event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault();
      go(linkOf(link.hreflang));
    } else if (list.open && !list.contains(event.target)) {
      list.open = false;
    }
  });
  list.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !list.open) return;
    list.open = false;
    list.querySelector("summary").focus();
  });

  tried(goToSpot);
  const url = new URL(location.href);
  const asked = url.searchParams.get("lang");
  if (asked !== null) {
    url.searchParams.delete("lang");
    history.replaceState(history.state, "", url);
    const found = linkOf(asked);
    if (!found) sayUnknown(asked);
    else if (found !== here) go(found);
    return;
  }
  const remembered = linkOf(kept("d2l-lang") ?? "");
  const start = new URL(document.querySelector(".d2l-brand").href).pathname;
  const fresh = !document.referrer.startsWith(location.origin);
  // The book's own address names no language: whoever comes back to it is led to the one that they chose.
  if (remembered && remembered !== here && here === links[0] && fresh && [start, start.replace(/[^/]*$/, "")].includes(location.pathname)) {
    location.replace(addressOf(remembered));
    return;
  }
  const chosen = remembered ?? wanted();
  if (chosen !== here) offer(chosen);
})();
