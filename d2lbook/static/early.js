(function (root) {
  const asked = new URLSearchParams(location.search);
  const tabs = root.dataset.tabs.split(" ");
  const devices = (root.dataset.devices || "").split(" ");
  function kept(key) { try { return localStorage.getItem(key); } catch { return null; } }
  root.dataset.fw = [asked.get("fw"), kept("d2l-fw")].find(function (name) { return tabs.includes(name); }) || tabs[0];
  const device = [asked.get("device"), kept("d2l-device")].find(function (name) { return name && devices.includes(name); });
  if (device) root.dataset.device = device;
  const mode = kept("mode") || "auto";
  const dark = mode === "dark" || (mode === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
  root.dataset.mode = mode;
  root.dataset.theme = dark ? "dark" : "light";
})(document.documentElement);
