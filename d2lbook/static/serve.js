// Added to pages by `d2lbook serve`, never to built files: reloads when the site was built anew, shows what is wrong.
(() => {
  "use strict";
  const generation = document.currentScript.dataset.generation;
  const events = new EventSource("/_d2lbook/events");

  events.addEventListener("generation", (event) => {
    if (event.data !== generation) location.reload();
  });

  events.addEventListener("messages", (event) => {
    document.getElementById("d2lbook-messages")?.remove();
    const messages = JSON.parse(event.data);
    if (messages.length === 0) return;
    const box = document.createElement("pre");
    box.id = "d2lbook-messages";
    box.setAttribute("role", "alert");
    box.textContent = messages.join("\n");
    Object.assign(box.style, {
      position: "fixed", inset: "auto 0 0 0", margin: "0", padding: "1rem", maxHeight: "40vh", overflow: "auto",
      whiteSpace: "pre-wrap", zIndex: "9999", color: "#fff", background: "#7a1f1f",
    });
    document.body.append(box);
  });
})();
