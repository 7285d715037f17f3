"""The book as an ePub, one per framework."""
