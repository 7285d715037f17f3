(function (root) {
  const asked = new URLSearchParams(location.search).get("fw");
  const tabs = root.dataset.tabs.split(" ");
  function kept(key) { try { return localStorage.getItem(key); } catch { return null; } }
  root.dataset.fw = [asked, kept("d2l-fw")].find(function (name) { return tabs.includes(name); }) || tabs[0];
  const mode = kept("mode") || "auto";
  const dark = mode === "dark" || (mode === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
  root.dataset.mode = mode;
  root.dataset.theme = dark ? "dark" : "light";
})(document.documentElement);
