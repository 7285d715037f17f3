"""A framework's view of a page as XHTML that needs no scripts: what ePubs and slides are made of."""
