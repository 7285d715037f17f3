// An extension of JupyterLab in the form in which it loads them, a container of modules; nothing here needs a bundler.
// It offers "Page" for Markdown files: the notebook's viewer under another name, since that one is for *.ipynb only.
(() => {
  function offerPages(registry) {
    const notebook = registry.getWidgetFactory('Notebook');
    if (notebook && !registry.getWidgetFactory('Page')) {
      registry.addWidgetFactory(
        Object.create(notebook, {
          name: { value: 'Page' },
          label: { value: 'Page' },
          fileTypes: { value: ['markdown'] },
          defaultFor: { value: [] }, // the setting `defaultViewers` says so, which a reader can change
          defaultRendered: { value: [] },
        })
      );
    }
  }

  const plugin = {
    id: 'd2lbook-pages:plugin',
    autoStart: true,
    activate: ({ docRegistry }) => {
      offerPages(docRegistry);
      docRegistry.changed.connect(() => offerPages(docRegistry)); // the notebook's viewer may come later
    },
  };

  globalThis._JUPYTERLAB = globalThis._JUPYTERLAB || {};
  globalThis._JUPYTERLAB['d2lbook-pages'] = {
    init: () => undefined, // shares no module with others
    get: async () => () => ({ __esModule: true, default: plugin }),
  };
})();
