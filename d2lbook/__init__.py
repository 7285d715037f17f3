"""Builds a book of Markdown notebooks, tagged per framework, into a site, notebooks and a library."""

__version__ = "2.0.0"
