"""`python -m d2lbook`: the same as the command `d2lbook`."""

import sys
from pathlib import Path

# `-m` looks for modules in the working directory first, which is the book: one of its files could be taken for one of
# Python's packages. The builder's own repository is both.
if not sys.flags.safe_path and Path(__file__).resolve().parents[1] != Path.cwd():
    sys.path[:] = [place for place in sys.path if place and Path(place).absolute() != Path.cwd()]

from d2lbook.cli import program

if __name__ == "__main__":
    program()
