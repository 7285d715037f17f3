"""Languages: what of a page is translated, the catalogs that hold the translations, and the book made with them."""

from d2lbook.translate.extract import units
from d2lbook.translate.units import Unit

__all__ = ["Unit", "units"]
