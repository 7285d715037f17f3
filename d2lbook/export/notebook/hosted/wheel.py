"""The wheel of the book's package: it lies beside the notebooks when the package has no address on the network."""

from __future__ import annotations

from d2lbook.config import UNTRUSTED, Config
from d2lbook.export.shared.fresh import epoch
from d2lbook.export.shared.pep517 import PackageError, distributions
from d2lbook.files import is_file


def own_wheel(config: Config, name: str = "d2l") -> tuple[str, bytes]:
    """File name and content of the wheel at `[project] d2l_address`: a wheel, or a project's directory.

    Raises PackageError.
    """
    written = config.d2l_address
    if not written:
        raise PackageError(
            f"[project] has no d2l_address: name a wheel, a repository or an index to install {name} from"
        )
    place = (config.path.parent / written).resolve()
    if place.suffix == ".whl" and is_file(place):
        return place.name, place.read_bytes()
    if not is_file(place / "pyproject.toml"):
        raise PackageError(
            f"d2l_address: '{written}' is neither an address on the network nor a directory with a pyproject.toml; "
            "name a wheel, a repository or an index"
        )
    if not config.trusted:
        raise PackageError(f"d2l_address: the build of the package at '{written}' {UNTRUSTED}")
    try:
        files = distributions(place, config.output_dir, epoch(config.root))
    except PackageError as error:
        raise PackageError(f"d2l_address: the package cannot be built: {error}") from error
    return next((name, content) for name, content in files.items() if name.endswith(".whl"))
