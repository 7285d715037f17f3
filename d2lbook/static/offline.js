// Search without a server: the words of a framework's pages, loaded as a script, which `file:` allows.
(() => {
  "use strict";
  window.d2lOffline = {
    pages: {},
    // Each page's sections, those first that say most about the words.
    search(tab, patterns) {
      const find = window.d2lFind;
      const found = this.pages[tab].filter((page) => find.holds(page, patterns)).map((page) => [page, find.worth(page, patterns)]);
      return found.sort((one, other) => other[1] - one[1]).map(([page]) => page);
    },
  };
})();
