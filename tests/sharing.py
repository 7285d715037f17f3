"""Which tests stay together when several processes share them, and which begin first."""

from __future__ import annotations

import re

# Of most modules one process runs all tests, so that their fixtures are made once. Here the text that an expression
# matches in a test's name says who stays together: a match of nothing, all of the module; of the name, nobody.
ALONE = r".*"
BY_FIRST_PARAMETER = r"(?<=\[)[^-\]]+"
BY = {  # by the module's file name, which no other has
    "test_one_gpu.py": ALONE,
    "test_pages.py": ALONE,
    "test_hosted_pip.py": BY_FIRST_PARAMETER,
    "test_hosted_run.py": r"(?<=\[)\w+-(pytorch)?",  # the others of a platform change the same environment
    "test_wheels.py": ALONE,
}
# Modules that ask the same framework's process.
ASKING = ("collectives", "concise", "model_parallel", "resnet", "split_batch", "zero")
PROGRAMS = {f"frameworks/test_{name}.py" for name in ASKING}
# What takes long begins early, so that no process is left alone with it at the end.
LONGEST_FIRST = (
    "browser/test_own_book.py",
    "frameworks/test_one_gpu.py",
    "browser/",
    "frameworks/",
    "export/notebook/hosted/test_hosted_run.py",
    "export/pdf/",
    "export/site/test_site.py",
    "execute/",
)


def group(nodeid: str) -> str:
    """Tests that one process runs, by the name of one of them."""
    module, _, name = nodeid.removeprefix("tests/").partition("::")
    if module in PROGRAMS:
        found = re.search(BY_FIRST_PARAMETER, name)
        return f"programs of {found[0]}" if found else module
    found = re.search(BY.get(module.rpartition("/")[2], ""), name)
    return f"{module} {found[0]}" if found else module


def rank(nodeid: str) -> int:
    """The place in `LONGEST_FIRST`; the order of collection decides between equals."""
    name = nodeid.removeprefix("tests/")
    return next((place for place, start in enumerate(LONGEST_FIRST) if name.startswith(start)), len(LONGEST_FIRST))
