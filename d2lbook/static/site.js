// One framework for the whole site: in the address, remembered, followed by every tab strip. So is the device whose
// results are shown, once a reader chose one. Also copy buttons and colour mode. Without this file everything can be read;
// the choice before the first paint is made in the page's head.
// DOM: .d2l-chooser [data-tab]; .d2l-strip[role=tablist] [data-tab] before its panels; [data-for] names frameworks;
// .d2l-choice [data-device]; html[data-fw][data-device][data-devices][data-mode][data-theme]; #d2l-words, the phrases of
// the page's language; button.d2l-mode, .d2l-share.
(() => {
  "use strict";
  const SCROLLING = "pre, .d2l-formula, .d2l-plot, .d2l-html, .pst-scrollable-table-container, .d2l-strip";
  const root = document.documentElement;
  const words = JSON.parse(document.getElementById("d2l-words")?.textContent ?? "{}");
  // A phrase in the language of the page, with its values put in.
  window.d2lSay = (english, values = {}) => (words[english] ?? english).replace(/\{(\w+)\}/g, (_, name) => values[name]);
  const chooser = [...document.querySelectorAll(".d2l-chooser [data-tab]")];
  const tabs = chooser.map((button) => button.dataset.tab);
  const CHOICES = { fw: tabs, device: (root.dataset.devices ?? "").split(" ").filter(Boolean) };
  const BUTTONS = "[data-tab], [data-device]";
  const choiceOf = ({ dataset }) => (dataset.tab ? ["fw", dataset.tab] : ["device", dataset.device]);

  function keep(key, value) {
    try {
      localStorage.setItem(key, value);
    } catch {
      // Storage is forbidden: the address still carries the choice.
    }
  }

  // An address with what is chosen.
  function withChoice(address) {
    const url = new URL(address, location.href);
    if (tabs.length > 1) url.searchParams.set("fw", root.dataset.fw);
    if (root.dataset.device) url.searchParams.set("device", root.dataset.device);
    return url;
  }

  function mark(buttons, attribute, chosen) {
    buttons.forEach((button, number) => {
      button.setAttribute(attribute, String(button === chosen));
      button.tabIndex = button === chosen || (!chosen && number === 0) ? 0 : -1;
    });
  }

  function refresh() {
    const ofFramework = (button) => button.dataset.tab === root.dataset.fw;
    mark(chooser, "aria-checked", chooser.find(ofFramework));
    document.querySelectorAll('.d2l-strip[role="tablist"]').forEach((strip) => {
      mark([...strip.children], "aria-selected", [...strip.children].find(ofFramework));
    });
    document.querySelectorAll(".d2l-choice").forEach(({ children: [...buttons] }) => {
      // A device that the cell has no result of leaves it as it is: with its first one.
      mark(buttons, "aria-checked", buttons.find((button) => button.dataset.device === root.dataset.device) ?? buttons[0]);
    });
    document.querySelectorAll("a[href]").forEach((link) => {
      const url = new URL(link.href, location.href);
      const page = url.origin === location.origin && url.pathname.endsWith(".html");
      if (page && !link.getAttribute("href").startsWith("#")) link.href = withChoice(url).href;
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

  // `name`: "fw" or "device". `near`: what the reader has chosen it at; in the bar, which does not move, it is the text
  // that stays in place.
  function choose(name, value, near) {
    if (!CHOICES[name].includes(value)) return;
    const inText = near && !near.closest(".d2l-bar");
    const before = inText ? near.getBoundingClientRect().top : 0;
    const spot = near && !inText ? window.d2lPlace.take() : undefined;
    root.dataset[name] = value;
    keep(`d2l-${name}`, value);
    history.replaceState(history.state, "", withChoice(location.href));
    refresh();
    // What the reader looks at stays where it was, although what stands above it changed its height.
    if (inText) window.scrollBy({ top: near.getBoundingClientRect().top - before, behavior: "instant" });
    else window.d2lPlace.put(spot);
  }

  function onKey(event) {
    const group = event.target.closest('[role="tablist"], [role="radiogroup"]');
    if (!group) return;
    const buttons = [...group.querySelectorAll(BUTTONS)];
    const here = buttons.indexOf(event.target);
    const steps = { ArrowRight: here + 1, ArrowDown: here + 1, ArrowLeft: here - 1, ArrowUp: here - 1, Home: 0, End: buttons.length - 1 };
    if (here < 0 || !(event.key in steps)) return;
    event.preventDefault();
    const next = buttons[(steps[event.key] + buttons.length) % buttons.length];
    choose(...choiceOf(next), group);
    next.focus();
  }

  // A place inside a hidden framework's panel, or in a folded solution, is shown.
  function showTarget() {
    const name = decodeURIComponent(location.hash.slice(1));
    const target = name && document.getElementById(name);
    if (!target) return;
    for (let box = target; box; box = box.parentElement) {
      if (box.dataset.for && !box.dataset.for.split(" ").includes(root.dataset.fw)) choose("fw", box.dataset.for.split(" ")[0]);
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
  const asked = new URLSearchParams(location.search);
  for (const [name, known] of Object.entries(CHOICES)) {
    if (known.includes(asked.get(name))) keep(`d2l-${name}`, asked.get(name));
  }
  if (tabs.length > 1 || CHOICES.device.length) {
    history.replaceState(history.state, "", withChoice(location.href));
    refresh();
  } else {
    makeScrollable();
  }
  showTarget();

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.matches(BUTTONS)) choose(...choiceOf(button), button.parentElement);
    if (button.matches(".d2l-mode")) nextMode();
    if (button.matches(".d2l-share")) copy(withChoice(location.href).href, button);
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
