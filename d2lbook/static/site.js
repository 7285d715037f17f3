// One framework for the whole site: in the address, remembered, followed by every tab strip. Also copy buttons and
// colour mode. Without this file everything can be read; the choice before the first paint is made in the page's head.
// DOM: .d2l-chooser [data-tab]; .d2l-strip[role=tablist] [data-tab] before its panels; [data-for] names frameworks;
// html[data-fw][data-mode][data-theme]; #d2l-words, the phrases of the page's language; button.d2l-mode, .d2l-share.
(() => {
  "use strict";
  const SCROLLING = "pre, .d2l-formula, .d2l-plot, .d2l-html, .pst-scrollable-table-container, .d2l-strip";
  const root = document.documentElement;
  const words = JSON.parse(document.getElementById("d2l-words")?.textContent ?? "{}");
  // A phrase in the language of the page, with its values put in.
  window.d2lSay = (english, values = {}) => (words[english] ?? english).replace(/\{(\w+)\}/g, (_, name) => values[name]);
  const chooser = [...document.querySelectorAll(".d2l-chooser [data-tab]")];
  const tabs = chooser.map((button) => button.dataset.tab);

  function keep(key, value) {
    try {
      localStorage.setItem(key, value);
    } catch {
      // Storage is forbidden: the address still carries the choice.
    }
  }

  function addressFor(tab, address) {
    const url = new URL(address, location.href);
    url.searchParams.set("fw", tab);
    return url;
  }

  function mark(buttons, attribute) {
    const chosen = buttons.find((button) => button.dataset.tab === root.dataset.fw);
    buttons.forEach((button, number) => {
      button.setAttribute(attribute, String(button === chosen));
      button.tabIndex = button === chosen || (!chosen && number === 0) ? 0 : -1;
    });
  }

  function refresh() {
    mark(chooser, "aria-checked");
    document.querySelectorAll('.d2l-strip[role="tablist"]').forEach((strip) => {
      mark([...strip.children], "aria-selected");
    });
    document.querySelectorAll("a[href]").forEach((link) => {
      const url = new URL(link.href, location.href);
      const page = url.origin === location.origin && url.pathname.endsWith(".html");
      if (page && !link.getAttribute("href").startsWith("#")) link.href = addressFor(root.dataset.fw, url).href;
    });
    makeScrollable();
  }

  // What scrolls sideways can be reached and scrolled with the keyboard.
  function makeScrollable() {
    document.querySelectorAll(SCROLLING).forEach((box) => {
      if (box.getAttribute("role") === "tablist") return;
      const scrolls = box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight;
      showMore(box);
      if (!scrolls) {
        box.removeAttribute("tabindex");
        return;
      }
      box.tabIndex = 0;
      if (!box.hasAttribute("role")) {
        box.setAttribute("role", "group");
        box.setAttribute("aria-label", window.d2lSay("Scrolls"));
      }
    });
  }

  // On which sides a box goes on out of sight: in `data-more`, for the style sheet.
  function showMore(box) {
    const sides = [];
    if (box.scrollLeft > 1) sides.push("left");
    if (box.scrollLeft + box.clientWidth < box.scrollWidth - 1) sides.push("right");
    if (sides.length) box.dataset.more = sides.join(" ");
    else delete box.dataset.more;
  }

  // `near`: what the reader has chosen it at; in the bar, which does not move, it is the text that stays in place.
  function choose(tab, near) {
    if (!tabs.includes(tab)) return;
    const inText = near && !near.closest(".d2l-bar");
    const before = inText ? near.getBoundingClientRect().top : 0;
    const spot = near && !inText ? window.d2lPlace.take() : undefined;
    root.dataset.fw = tab;
    keep("d2l-fw", tab);
    history.replaceState(history.state, "", addressFor(tab, location.href));
    refresh();
    // What the reader looks at stays where it was, although what stands above it changed its height.
    if (inText) window.scrollBy({ top: near.getBoundingClientRect().top - before, behavior: "instant" });
    else window.d2lPlace.put(spot);
  }

  function onKey(event) {
    const group = event.target.closest('[role="tablist"], [role="radiogroup"]');
    if (!group) return;
    const buttons = [...group.querySelectorAll("[data-tab]")];
    const here = buttons.indexOf(event.target);
    const steps = { ArrowRight: here + 1, ArrowDown: here + 1, ArrowLeft: here - 1, ArrowUp: here - 1, Home: 0, End: buttons.length - 1 };
    if (here < 0 || !(event.key in steps)) return;
    event.preventDefault();
    const next = buttons[(steps[event.key] + buttons.length) % buttons.length];
    choose(next.dataset.tab, group);
    next.focus();
  }

  // A place inside a hidden framework's panel, or in a folded solution, is shown.
  function showTarget() {
    const name = decodeURIComponent(location.hash.slice(1));
    const target = name && document.getElementById(name);
    if (!target) return;
    for (let box = target; box; box = box.parentElement) {
      if (box.dataset.for && !box.dataset.for.split(" ").includes(root.dataset.fw)) choose(box.dataset.for.split(" ")[0]);
      if (box.tagName === "DETAILS") box.open = true;
    }
    target.scrollIntoView();
  }

  async function copy(text, button) {
    const before = button.textContent;
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = window.d2lSay("Copied");
    } catch {
      button.textContent = window.d2lSay("Not allowed");
    }
    setTimeout(() => { button.textContent = before; }, 1500);
  }

  function addCopyButtons() {
    document.querySelectorAll("div.highlight > pre").forEach((pre) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "d2l-copy d-print-none";
      button.textContent = window.d2lSay("Copy");
      button.addEventListener("click", () => copy(pre.textContent.replace(/\n$/, ""), button));
      pre.after(button);
    });
  }

  const modes = ["auto", "light", "dark"];
  const dark = matchMedia("(prefers-color-scheme: dark)");

  function setMode(mode) {
    root.dataset.mode = mode;
    root.dataset.theme = mode === "auto" ? (dark.matches ? "dark" : "light") : mode;
    const button = document.querySelector(".d2l-mode");
    const said = { auto: window.d2lSay("automatic"), light: window.d2lSay("light"), dark: window.d2lSay("dark") };
    if (button) button.title = window.d2lSay("Color mode: {mode}", { mode: said[mode] });
  }

  function nextMode() {
    const mode = modes[(modes.indexOf(root.dataset.mode) + 1) % modes.length];
    keep("mode", mode);
    setMode(mode);
  }

  function unfold(open) {
    document.querySelectorAll("details.solution").forEach((details) => {
      if (open && !details.open) {
        details.open = true;
        details.dataset.printed = "";
      } else if (!open && "printed" in details.dataset) {
        details.open = false;
        delete details.dataset.printed;
      }
    });
  }

  addCopyButtons();
  setMode(root.dataset.mode || "auto");
  const asked = new URLSearchParams(location.search).get("fw");
  if (tabs.length > 1) {
    if (tabs.includes(asked)) keep("d2l-fw", asked);
    history.replaceState(history.state, "", addressFor(root.dataset.fw, location.href));
    refresh();
  } else {
    makeScrollable();
  }
  showTarget();

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.dataset.tab) choose(button.dataset.tab, button.parentElement);
    if (button.matches(".d2l-mode")) nextMode();
    if (button.matches(".d2l-share")) copy(tabs.length > 1 ? addressFor(root.dataset.fw, location.href).href : location.href, button);
  });
  document.addEventListener("keydown", onKey);
  document.addEventListener("scroll", (event) => {
    if (event.target instanceof Element && event.target.matches(SCROLLING)) showMore(event.target);
  }, { passive: true, capture: true });
  document.querySelectorAll("details").forEach((details) => details.addEventListener("toggle", makeScrollable));
  dark.addEventListener("change", () => setMode(root.dataset.mode));
  window.addEventListener("hashchange", showTarget);
  window.addEventListener("resize", makeScrollable);
  window.addEventListener("beforeprint", () => unfold(true));
  window.addEventListener("afterprint", () => unfold(false));
})();
