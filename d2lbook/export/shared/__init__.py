"""What several formats write in the same way: figures, formulas, code, addresses, results and where they come from."""
