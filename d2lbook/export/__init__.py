"""The formats that a book becomes, each in a package of its own."""
