"""The book as a PDF, one per framework: its view of every page as LaTeX, typeset by XeLaTeX."""
