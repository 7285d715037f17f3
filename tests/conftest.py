"""What each test needs, as marks, and how several processes share the tests.

Its place makes the helpers beside it importable by every test.
"""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sharing import group, rank

if TYPE_CHECKING:
    from xdist.remote import Producer
    from xdist.scheduler import LoadScopeScheduling

# nbformat asks jsonschema, which compiles forty grammars of addresses for seconds where that is installed; no notebook
# has anything that they would check.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]

# A shell starts background jobs with Ctrl-C ignored, and processes inherit that; tests that send it need it heard.
signal.signal(signal.SIGINT, signal.default_int_handler)

HERE = Path(__file__).parent
# What whole modules need, which gives their tests a mark; a test on its own is marked where it stands.
NEEDS = {
    "frameworks/": "frameworks",
    "browser/": "browser",
    "export/test_bad_formats.py": "tex",
    "export/epub/test_epub.py": "tex",
    "export/notebook/hosted/test_hosted.py": "tex",
    "export/pdf/test_pdf.py": "tex",
    "export/pdf/test_print_languages.py": "tex",
    "export/pdf/test_tex_errors.py": "tex",
    "commands/test_output.py": "slow",
    "execute/test_bundle.py": "slow",
    "execute/test_dask.py": "slow",
    "execute/test_evaluate.py": "slow",
    "export/notebook/hosted/test_carried.py": "slow",
    "fences/test_handlers.py": "slow",
    "hostile/test_every_format.py": "slow",
    "hostile/test_tex.py": "slow",
    "jupyter/": "slow",
    "parse/test_mutations.py": "slow",
    "test_distributions.py": "slow",
    "test_frameworks.py": "slow",
    "test_language_modules.py": "slow",
    "test_serve.py": "slow",
}


@pytest.hookimpl(tryfirst=True)  # before marks select tests
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        name = item.path.relative_to(HERE).as_posix()
        for place, mark in NEEDS.items():
            if name.startswith(place):
                item.add_marker(mark)
    items.sort(key=lambda item: rank(item.nodeid))


@pytest.hookimpl(optionalhook=True)  # the tests on an accelerator run with a Python that may not have xdist
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling:
    """Gives each process the next group when it has nearly finished what it has, in the order of collection.

    As `--dist loadgroup` would, but that pytest 9.2 forgets its groups: it makes a test's name whenever it is asked.
    """
    from xdist.scheduler import LoadScopeScheduling

    class Groups(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return group(nodeid)

    config.option.loadscopereorder = False
    return Groups(config, log)
