"""The wheel of the book's package, which notebooks carry when the package has no address on the network."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import lzma
import textwrap
import zipfile
from dataclasses import dataclass

from d2lbook.config import UNTRUSTED, Config
from d2lbook.export.package.library_wheel import library_wheel, stored
from d2lbook.export.package.pep517 import PackageError, distributions
from d2lbook.files import is_file
from d2lbook.rendering.epoch import epoch

PLACE = "{_wheel}"  # what IPython puts the path into that the cell below has written
_LARGEST = 4_000_000  # bytes in one notebook, which has to stay quick to open
_LINE = 120
_UNPACK = '''\
import base64, hashlib, lzma, tempfile
from pathlib import Path

_packed = base64.b64decode("""
{text}
""")
if hashlib.sha256(_packed).hexdigest() != "{digest}":
    raise ValueError({damaged})
_wheel = Path(tempfile.mkdtemp(), {name})
_wheel.write_bytes(lzma.decompress(_packed))
'''


@dataclass(frozen=True, slots=True)
class Carried:
    """A wheel as the text of a notebook's cell."""

    name: str
    packed: bytes

    @property
    def size(self) -> str:
        """How much of the notebook it is."""
        return f"{-(-len(self.packed) // 750)} KB"  # base64 has four letters for three bytes

    def code(self, damaged: str) -> str:
        """Return code that writes the wheel to a new folder if its digest is right, and stops with `damaged` if not."""
        text = textwrap.fill(base64.b64encode(self.packed).decode(), _LINE)
        digest = hashlib.sha256(self.packed).hexdigest()
        damaged, name = (json.dumps(words, ensure_ascii=False) for words in (damaged, self.name))
        return _UNPACK.format(text=text, digest=digest, damaged=damaged, name=name)


def carried(config: Config, package: str) -> Carried:
    """Return the book's wheel for its notebooks. Raises PackageError."""
    name, wheel = own_wheel(config, package)
    try:
        with zipfile.ZipFile(io.BytesIO(wheel)) as archive:
            files = {entry: archive.read(entry) for entry in archive.namelist() if not entry.endswith("/")}
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
        raise PackageError(f"'{name}' is no wheel: {error}; build it again") from error
    packed = lzma.compress(stored(files), preset=9)  # together: libraries of several frameworks are much alike
    if len(packed) > _LARGEST:
        size = f"{len(packed) / 1e6:.1f} MB"
        raise PackageError(f"'{name}' takes {size}, too much for a notebook; name its address on the network")
    return Carried(name, packed)


def own_wheel(config: Config, name: str) -> tuple[str, bytes]:
    """Return file name and content of the wheel at `[project] d2l_address`: a wheel, or a project's directory.

    Without an address it is made of the library's files. Raises PackageError.
    """
    written = config.d2l_address
    if not written:
        if not any(library.lib_file for library in config.libraries.values()):
            raise PackageError(
                f"[project] has no d2l_address: name a wheel, a repository or an index to install {name} from"
            )
        return library_wheel(config, name)
    place = (config.path.parent / written).resolve()
    if place.suffix == ".whl" and is_file(place):
        return place.name, place.read_bytes()
    if not is_file(place / "pyproject.toml"):
        raise PackageError(
            f"d2l_address: '{written}' is neither an address on the network nor a directory with a pyproject.toml; "
            "name a wheel, a repository or an index, or remove the key: notebooks then carry the library's files"
        )
    if not config.trusted:
        raise PackageError(f"d2l_address: the build of the package at '{written}' {UNTRUSTED}")
    try:
        files = distributions(place, config.output_dir, epoch(config.root))
    except PackageError as error:
        raise PackageError(f"d2l_address: the package cannot be built: {error}") from error
    return next((name, content) for name, content in files.items() if name.endswith(".whl"))
