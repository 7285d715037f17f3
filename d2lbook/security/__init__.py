"""What keeps a book that others wrote within its bounds; SECURITY.md says which."""
