"""Languages: what of a page is translated, the catalogs that hold the translations, and the book made with them."""
