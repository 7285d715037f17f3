"""The library of the tiny book: one module per kind of number."""

__version__ = "0.1"
