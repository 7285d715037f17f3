"""The cells of notebooks: a page as one framework sees it, every mark resolved, references as links."""
