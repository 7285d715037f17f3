"""Blocks to HTML: the one writer, which the site, the ePubs and the slides build upon."""
