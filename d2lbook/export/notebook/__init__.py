"""Notebooks: a page as one framework sees it, every mark resolved: beside the site, as an archive, for platforms."""
