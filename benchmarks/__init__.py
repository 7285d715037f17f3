"""Measurements side by side with a peer in the same run: `make bench`. Nothing here is a test."""
