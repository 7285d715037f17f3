"""What the writers of all formats work with: results, formulas, figures, code, references, names of the libraries."""
