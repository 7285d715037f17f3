"""Fetches the site's third-party assets from npm, unedited: `python static/vendor.py`. Needs npm; a build does not.

Each lands in `d2lbook/static/vendor/NAME-VERSION/` with its licence, and `SHA256` with the checksum of the package
and of every file kept. Run it after changing a version below, and remove the older directory.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path

TARGET = Path(__file__).resolve().parents[1] / "d2lbook" / "static" / "vendor"
SUBSETS = ("latin", "latin-ext", "vietnamese")


@dataclass(frozen=True)
class Package:
    """An npm package and the files of it that the site uses."""

    name: str
    version: str
    files: tuple[str, ...]

    @property
    def directory(self) -> Path:
        return TARGET / f"{self.name.rsplit('/', 1)[-1]}-{self.version}"


def font(name: str, version: str, styles: tuple[str, ...]) -> Package:
    files = tuple(f"files/{name}-{subset}-wght-{style}.woff2" for subset in SUBSETS for style in styles)
    return Package(f"@fontsource-variable/{name}", version, (*files, "LICENSE"))


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
    font("source-serif-4", "5.3.1", ("normal", "italic")),
    font("source-sans-3", "5.3.0", ("normal",)),
    font("source-code-pro", "5.3.0", ("normal",)),
)  # fmt: skip


def fetch(package: Package) -> None:
    with tempfile.TemporaryDirectory() as work:
        command = ["npm", "pack", "--silent", f"{package.name}@{package.version}"]
        packed = subprocess.run(command, cwd=work, check=True, capture_output=True, text=True)
        archive = Path(work) / packed.stdout.strip()
        sums = [f"{hashlib.sha256(archive.read_bytes()).hexdigest()}  {archive.name} (npm package)"]
        with tarfile.open(archive) as tar:
            for name in sorted(package.files):
                member = tar.extractfile(f"package/{name}")
                if member is None:
                    raise SystemExit(f"{package.name} {package.version} has no file {name}")
                data = member.read()
                path = package.directory / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
                sums.append(f"{hashlib.sha256(data).hexdigest()}  {name}")
    (package.directory / "VERSION").write_text(f"{package.name} {package.version}\n")
    (package.directory / "SHA256").write_text("\n".join(sums) + "\n")


def main() -> int:
    for package in PACKAGES:
        fetch(package)
    return 0


if __name__ == "__main__":
    sys.exit(main())
