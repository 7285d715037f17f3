"""Results from a machine that has neither a network nor the builder.

`pack` writes a bundle: pages, libraries, data, and `run.py`, which runs the pages there with that machine's
frameworks and packs what comes out. `take` freezes it. What travels is in `runner`.
"""

from d2lbook.execute.bundle.pack import pack
from d2lbook.execute.bundle.take import take

__all__ = ["pack", "take"]
