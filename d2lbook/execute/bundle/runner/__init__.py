"""What travels in a bundle and runs its pages: the standard library, and the machine's frameworks, are all it needs.

Nothing here imports the rest of the builder, which is not installed there.
"""
