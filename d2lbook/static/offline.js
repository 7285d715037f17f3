// Search without a server: the words of a framework's pages, loaded as a script, which `file:` allows.
(() => {
  "use strict";
  window.d2lOffline = { pages: {} };
})();
