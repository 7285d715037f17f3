"""From a directory of pages to a `Book`: order, numbers, targets, citations, and what is wrong between the pages."""

from d2lbook.book.load import ParsedPages, load_book

__all__ = ["ParsedPages", "load_book"]
