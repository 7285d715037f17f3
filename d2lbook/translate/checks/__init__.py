"""What can be wrong with a translation: its structure, numbers, punctuation and terms, messages without a text."""
