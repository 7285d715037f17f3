"""`python -m d2lbook`: the same as the command `d2lbook`."""

import sys

from d2lbook.cli import main

if __name__ == "__main__":
    sys.exit(main())
