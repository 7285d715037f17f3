"""The website: a document's blocks as docutils nodes, Sphinx around them, one directory published at a time."""
