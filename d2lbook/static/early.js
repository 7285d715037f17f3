(function (root) {
  var asked = new URLSearchParams(location.search).get("fw");
  var tabs = root.dataset.tabs.split(" ");
  function kept(key) { try { return localStorage.getItem(key); } catch (error) { return null; } }
  root.dataset.fw = [asked, kept("d2l-fw")].find(function (name) { return tabs.includes(name); }) || tabs[0];
  var mode = kept("mode") || "auto";
  var dark = mode === "dark" || (mode === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
  root.dataset.mode = mode;
  root.dataset.theme = dark ? "dark" : "light";
})(document.documentElement);
