// Starts a deck. Navigation is linear, so that one key leads through all of it. With `?print` the slides stand below
// one another, a page each, for printing.
if (new URLSearchParams(location.search).has("print")) {
  document.documentElement.classList.add("still", "print-pdf"); // the second keeps reveal.js's own print style out
} else {
  Reveal.initialize({
    width: 1280,
    height: 720,
    margin: 0,
    minScale: 0.1,
    maxScale: 4,
    center: false,
    hash: true,
    navigationMode: "linear",
    controlsTutorial: false,
    slideNumber: "c/t",
    transition: "none",
    backgroundTransition: "none",
    plugins: [RevealNotes],
  });
  Reveal.on("ready", () => {
    const { previous, next } = document.querySelector(".reveal").dataset;
    for (const [side, name] of [["left", previous], ["up", previous], ["right", next], ["down", next]]) {
      document.querySelector(`.controls .navigate-${side}`)?.setAttribute("aria-label", name);
    }
  });
}
