"""`run.py` of a bundle starts here."""

import sys

from .main import main

sys.exit(main(sys.argv[1:]))
