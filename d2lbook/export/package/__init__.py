"""The distributions of the book's package `d2l`, for pip."""
