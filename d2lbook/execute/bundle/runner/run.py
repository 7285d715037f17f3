"""Runs the pages of this bundle with the frameworks of this Python: `python run.py --help`."""

import runpy
import sys

if sys.version_info < (3, 10):  # noqa: UP036 -- the machine's Python is not ours to choose
    sys.exit("run.py needs Python 3.10 or newer; this is " + sys.version.split()[0])

runpy.run_module("runner", run_name="__main__", alter_sys=False)
