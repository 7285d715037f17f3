"""`python -m d2lbook`: the same as the command `d2lbook`."""

from d2lbook.cli import program

if __name__ == "__main__":
    program()
