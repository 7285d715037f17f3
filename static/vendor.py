"""Fetches the site's third-party assets from npm, unedited: `python static/vendor.py`. Needs npm; a build does not.

Each lands in `d2lbook/static/vendor/NAME-VERSION/` with its licence, and `SHA256` with the checksum of the package
and of every file kept. Run it after changing a version below, and remove the older directory. Fonts: `fonts.py`.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

TARGET = Path(__file__).resolve().parents[1] / "d2lbook" / "static" / "vendor"


@dataclass(frozen=True)
class Package:
    """An npm package and the files of it that the site uses."""

    name: str
    version: str
    files: tuple[str, ...]


KATEX_FONTS = (
    "AMS-Regular", "Caligraphic-Bold", "Caligraphic-Regular", "Fraktur-Bold", "Fraktur-Regular", "Main-Bold",
    "Main-BoldItalic", "Main-Italic", "Main-Regular", "Math-BoldItalic", "Math-Italic", "SansSerif-Bold",
    "SansSerif-Italic", "SansSerif-Regular", "Script-Regular", "Size1-Regular", "Size2-Regular", "Size3-Regular",
    "Size4-Regular", "Typewriter-Regular",
)  # fmt: skip
PACKAGES = (
    Package(
        "katex", "0.19.1",
        ("LICENSE", "dist/katex.min.css", "dist/katex.min.js", *(f"dist/fonts/KaTeX_{n}.woff2" for n in KATEX_FONTS)),
    ),
    Package(
        "reveal.js", "6.0.2",
        ("LICENSE", "dist/plugin/notes.js", "dist/reset.css", "dist/reveal.css", "dist/reveal.js"),
    ),
)  # fmt: skip


def checksum(data: bytes, name: str) -> str:
    """A line of a file of checksums."""
    return f"{hashlib.sha256(data).hexdigest()}  {name}"


def unpacked(package: Package) -> tuple[str, dict[str, bytes]]:
    """The checksum of an npm package, and the wanted files of it."""
    with tempfile.TemporaryDirectory() as work:
        command = ["npm", "pack", "--silent", f"{package.name}@{package.version}"]
        packed = subprocess.run(command, cwd=work, check=True, capture_output=True, text=True)
        archive = Path(work) / packed.stdout.strip()
        with tarfile.open(archive) as tar:
            files = dict(_wanted(package, tar))
        return checksum(archive.read_bytes(), f"{archive.name} (npm package)"), files


def _wanted(package: Package, tar: tarfile.TarFile) -> Iterable[tuple[str, bytes]]:
    for name in sorted(package.files):
        member = tar.extractfile(f"package/{name}")
        if member is None:
            raise SystemExit(f"{package.name} {package.version} has no file {name}")
        yield name, member.read()


def fetch(package: Package) -> None:
    directory = TARGET / f"{package.name}-{package.version}"
    sum_of_package, files = unpacked(package)
    for name, data in files.items():
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / name).write_bytes(data)
    sums = [sum_of_package, *(checksum(data, name) for name, data in files.items())]
    (directory / "VERSION").write_text(f"{package.name} {package.version}\n")
    (directory / "SHA256").write_text("\n".join(sums) + "\n")


def main() -> int:
    for package in PACKAGES:
        fetch(package)
    return 0


if __name__ == "__main__":
    sys.exit(main())
