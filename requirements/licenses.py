"""Write LICENSES.md: what is pinned, its version, and the licence that its metadata names.

Run it with the environment that has everything installed, after pin.py and lock.py:

    .venv/bin/python requirements/licenses.py
"""

from __future__ import annotations

import re
from email.message import Message
from importlib.metadata import metadata
from pathlib import Path

HERE = Path(__file__).resolve().parent
PIN = re.compile(r"^([A-Za-z0-9_.-]+)==([^\s;\\]+)", re.MULTILINE)
FILES = {
    "html.txt": "Needed to build the site",
    "torch.txt": "PyTorch, for the pages and tests",
    "mxnet.txt": "MXNet, for the pages and tests",
    "test.txt": "Needed beside these to run the pages and the tests",
}
HEAD = """\
# Licences of the Dependencies

Written by `requirements/licenses.py` from the metadata of what is installed. None of these packages is part of this
repository or of the distributions that are built from it; pip installs them. What stands in
`d2lbook/static/vendor` and `d2lbook/static/fonts` has its licences beside it.
"""


def main() -> None:
    (HERE / "LICENSES.md").write_text(text(), encoding="utf-8")


def text() -> str:
    """Return the list, from the metadata of what is installed here."""
    parts = [HEAD]
    for file, title in FILES.items():
        pins = PIN.findall((HERE / file).read_text(encoding="utf-8"))
        rows = [f"| {name} | {version} | {licence(metadata(name))} |" for name, version in pins]
        parts.append("\n".join([f"## {title}", "", "| package | version | licence |", "|:--|:--|:--|", *rows, ""]))
    return "\n".join(parts)


def licence(found: Message) -> str:
    """Return the licence that a package's metadata names: as an expression, by classifier, or in its own words."""
    if expression := found.get("License-Expression"):
        return str(expression)
    classified = [
        str(value).rpartition(" :: ")[2]
        for value in found.get_all("Classifier", [])
        if value.startswith("License ::") and value != "License :: OSI Approved"
    ]
    written = next((line.strip() for line in str(found.get("License") or "").splitlines() if line.strip()), "")
    return ", ".join(classified) or written[:80].replace("|", "/") or "not named: see its LICENSE file"


if __name__ == "__main__":
    main()
