// The contents beside the text: the drawer of a narrow screen, the page's own sections on every width, the one that is
// read, and the page's link and source within reach from anywhere.
// DOM: button.d2l-menu[aria-controls] names the element with nav.d2l-contents; nav.d2l-page-contents has a list of
// a[href^="#"]; .d2l-run has button.d2l-share and perhaps a link to the source, a.d2l-edit; html.d2l-contents-open is
// the open drawer. Makes .d2l-scrim, .d2l-tools and, above the book's contents, .d2l-page-here. Style: reader.css.
(() => {
  "use strict";
  const root = document.documentElement;
  const menu = document.querySelector(".d2l-menu");
  const drawer = menu && document.getElementById(menu.getAttribute("aria-controls"));
  const beside = document.querySelector(".d2l-page-contents");
  const isOpen = () => root.classList.contains("d2l-contents-open");

  function setOpen(open) {
    root.classList.toggle("d2l-contents-open", open);
    menu.setAttribute("aria-expanded", String(open));
    if (open) drawer.querySelector("a, summary")?.focus();
  }

  function close({ focus = false } = {}) {
    if (!isOpen()) return;
    setOpen(false);
    if (focus) menu.focus();
  }

  function toolsOf() {
    const tools = document.createElement("p");
    tools.className = "d2l-tools";
    for (const found of document.querySelectorAll(".d2l-run .d2l-share, .d2l-run .d2l-edit")) tools.append(found.cloneNode(true), " ");
    return tools;
  }

  // The sections of the page once more, above the contents of the book, where there is no column for them.
  function copyIntoDrawer() {
    const copy = document.createElement("nav");
    const list = beside.querySelector("ul");
    const title = beside.querySelector("p");
    copy.className = "d2l-page-here";
    copy.setAttribute("aria-label", title.textContent);
    const heading = document.createElement("p");
    heading.textContent = title.textContent;
    copy.append(heading, list.cloneNode(true), toolsOf());
    drawer.prepend(copy);
  }

  // The link to the section that is read is marked, in both lists.
  function follow() {
    const links = [...document.querySelectorAll('.d2l-page-contents a[href^="#"], .d2l-page-here a[href^="#"]')];
    const places = new Map(links.map((link) => [decodeURIComponent(link.hash.slice(1)), null]));
    places.forEach((_, name) => places.set(name, document.getElementById(name)));
    let waiting = false;

    function mark() {
      waiting = false;
      const eye = window.d2lPlace.eye() + 40; // a heading that a link led to stands a little below the bar
      const atEnd = window.innerHeight + window.scrollY >= root.scrollHeight - 2;
      const names = [...places].filter(([, place]) => place && place.getBoundingClientRect().top < (atEnd ? window.innerHeight : eye));
      const here = window.scrollY === 0 ? undefined : names.at(-1)?.[0];
      links.forEach((link) => {
        if (decodeURIComponent(link.hash.slice(1)) === here) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      });
      const shown = here && beside.getClientRects().length && beside.querySelector("[aria-current]");
      if (shown) keepInView(shown);
    }

    function soon() {
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(mark);
    }

    window.addEventListener("scroll", soon, { passive: true });
    window.addEventListener("resize", soon);
    mark();
  }

  // Scrolls the column of contents, never the page.
  function keepInView(link) {
    let box = link.parentElement;
    while (box !== document.body && box.scrollHeight <= box.clientHeight) box = box.parentElement;
    if (box === document.body || box === root) return;
    const [outer, inner] = [box.getBoundingClientRect(), link.getBoundingClientRect()];
    if (inner.top < outer.top || inner.bottom > outer.bottom) box.scrollTop += inner.top - outer.top - outer.height / 2;
  }

  if (beside) {
    if (drawer) copyIntoDrawer();
    beside.after(toolsOf());
    follow();
  }
  if (!drawer) return;
  const scrim = document.createElement("div");
  scrim.className = "d2l-scrim d-print-none";
  document.body.append(scrim);
  scrim.addEventListener("click", () => close());
  menu.addEventListener("click", () => setOpen(!isOpen()));
  drawer.addEventListener("click", (event) => {
    if (event.target.closest("a")) close();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close({ focus: isOpen() });
  });
})();
