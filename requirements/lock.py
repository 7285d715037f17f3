"""Write html.txt with hashes: what html.in asks for, in the versions that html.txt has, and the sha256 of every file.

Run it after pin.py, or after a change of html.in, with the oldest Python that the build supports; commit html.txt:

    python3.11 requirements/lock.py

The hashes are of the files for all systems, so pip installs no file that was replaced. Hashes that html.txt has already
are kept, so only what is new is downloaded. test.txt, torch.txt and mxnet.txt, for the pages and the tests, have none:
the frameworks' files for all systems are gigabytes, and torch is a build for the CPU, a file of its own in each place
where pip is told to look for it.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOOL = "pip-tools==7.6.2"
HEADER = "# Written by requirements/pin.py and requirements/lock.py from html.in; edit that and run them."
OPTIONS = (
    "--generate-hashes",
    "--allow-unsafe",
    "--strip-extras",
    "--no-annotate",
    "--no-header",
    "--no-emit-index-url",
    "--no-emit-find-links",
    "--no-emit-options",
    "--quiet",
)


def main() -> None:
    with tempfile.TemporaryDirectory() as directory:
        subprocess.check_call([sys.executable, "-m", "venv", directory])
        python = Path(directory) / "bin" / "python"
        subprocess.check_call([str(python), "-m", "pip", "install", "--quiet", TOOL])
        files = ("--constraint", "constraints.txt", "--output-file", "html.txt", "html.in")
        subprocess.check_call([str(python), "-m", "piptools", "compile", *OPTIONS, *files], cwd=HERE)
    target = HERE / "html.txt"
    lines = [line for line in target.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    target.write_text("\n".join([HEADER, *lines, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
