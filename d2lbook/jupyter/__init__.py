"""The pages of a book as notebooks in JupyterLab: `c.ServerApp.contents_manager_class` is to name the class here."""

from d2lbook.jupyter.contents import PageContentsManager

__all__ = ["PageContentsManager"]
