"""Its place makes the helpers beside it importable by every test."""
