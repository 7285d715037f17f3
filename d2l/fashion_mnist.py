"""Fashion-MNIST: find the four files, verify them, decode them once per process. NumPy only, no framework.

The data set (Xiao, Rasul and Vollgraf, 2017) has 60,000 training and 10,000 test images of 28x28 grey pixels in ten
classes. Files are looked for in `$D2L_DATA`, the cache (`$XDG_CACHE_HOME/d2l` or `~/.cache/d2l`) and
`/usr/share/datasets/fashion-mnist` (Debian's `dataset-fashion-mnist`), else downloaded into the cache. What is
verified is the SHA-256 of the decompressed content, since packagers compress the same content differently.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import zlib
from functools import lru_cache
from pathlib import Path
from warnings import warn

import numpy as np
from numpy.typing import NDArray

from .transfer import arriving, fetch

LABELS = (
    "t-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "ankle boot",
)  # fmt: skip

SHA256 = {
    "train-images-idx3-ubyte": "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888",
    "train-labels-idx1-ubyte": "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9",
    "t10k-images-idx3-ubyte": "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b",
    "t10k-labels-idx1-ubyte": "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34",
}

LARGEST = 47_040_016  # bytes of the largest file: a compressed one that grows beyond this is none of ours

URLS = (
    "https://storage.googleapis.com/tensorflow/tf-keras-datasets/",
    "https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/master/data/fashion/",
)

INSTALLED = Path("/usr/share/datasets/fashion-mnist")


def cache_folder() -> Path:
    """Where downloads are kept: `$XDG_CACHE_HOME/d2l`, else `~/.cache/d2l`."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "d2l"


def folders() -> list[Path]:
    """The folders that are searched, in this order."""
    chosen = os.environ.get("D2L_DATA")
    first = [Path(chosen), Path(chosen) / "fashion-mnist"] if chosen else []
    return [*first, cache_folder() / "fashion-mnist", INSTALLED]


def read_verified(path: Path, name: str, compressed: bool) -> bytes:
    """The decompressed content of the file at `path`; a ValueError says how it differs from data file `name`."""
    try:
        with gzip.open(path) if compressed else path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ValueError(f"{path} is incomplete or damaged ({error})") from error
    if len(content) > LARGEST:
        raise ValueError(f"{path} is not {name}: it has more than {LARGEST} bytes")
    digest = hashlib.sha256(content).hexdigest()
    if digest != SHA256[name]:
        raise ValueError(f"{path} is not {name}: its SHA-256 is {digest[:12]}…, not {SHA256[name][:12]}…")
    return content


def find(name: str) -> bytes:
    """The verified content of the data file `name`, one of `SHA256`'s keys.

    A damaged copy is reported by a warning, and the next place is tried.
    """
    for folder in folders():
        for path, compressed in ((folder / f"{name}.gz", True), (folder / name, False)):
            if path.is_file():
                try:
                    return read_verified(path, name, compressed)
                except ValueError as error:
                    warn(f"{error}; looking for another copy", stacklevel=2)
    return fetch_verified(name)


def fetch_verified(name: str) -> bytes:
    """Download the data file `name` into the cache and return its verified content."""
    target = cache_folder() / "fashion-mnist" / f"{name}.gz"
    contents: list[bytes] = []

    def keep_verified(partial: Path) -> None:
        contents.append(read_verified(partial, name, compressed=True))

    failures = []
    for base in URLS:
        try:
            fetch(f"{base}{name}.gz", target, keep_verified, largest=LARGEST)
            return contents[-1]
        except (OSError, ValueError) as error:
            failures.append(f"{base}: {error}")
    places = ", ".join(str(folder) for folder in folders())
    raise FileNotFoundError(
        f"no intact copy of {name}.gz in {places}, and the download failed ({'; '.join(failures)}). "
        "Put the four files into a folder and set D2L_DATA to it, or install Debian's dataset-fashion-mnist."
    )


def decode(content: bytes) -> NDArray[np.uint8]:
    """The array of unsigned bytes in an idx file: 2 zero bytes, type 8, rank, sizes as big-endian int32, data."""
    if content[:3] != b"\x00\x00\x08":
        raise ValueError("not an idx file of unsigned bytes")
    rank = content[3]
    shape = np.frombuffer(content, ">i4", count=rank, offset=4)
    return np.frombuffer(content, np.uint8, offset=4 + 4 * rank).reshape(shape)


@lru_cache(maxsize=2)
def arrays(train: bool) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Images (N, 28, 28) and labels (N,) as read-only bytes, decoded once per process; N is 60,000 or 10,000."""
    part = "train" if train else "t10k"
    return decode(find(f"{part}-images-idx3-ubyte")), decode(find(f"{part}-labels-idx1-ubyte"))


def resize_matrix(old: int, new: int) -> NDArray[np.float32]:
    """The (new, old) matrix of linear interpolation with a triangle filter, widened when shrinking (antialias)."""
    scale = old / new
    width = max(scale, 1.0)
    centres = (np.arange(new) + 0.5) * scale
    distance = np.abs(np.arange(old) + 0.5 - centres[:, None]) / width
    weights = np.maximum(0.0, 1.0 - distance)
    return (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32)  # type: ignore[no-any-return]


def pixels(images: NDArray[np.uint8], resize: tuple[int, int] | None = None) -> NDArray[np.float32]:
    """Bytes (N, 28, 28) as numbers in [0, 1], interpolated to `resize` = (height, width) if it is given."""
    scaled = images.astype(np.float32)
    scaled *= np.float32(1 / 255)
    if resize is None or resize == images.shape[1:]:
        return scaled
    down = resize_matrix(images.shape[1], resize[0])
    across = resize_matrix(images.shape[2], resize[1])
    return down @ scaled @ across.T  # type: ignore[return-value]


def keep(folder: Path) -> list[Path]:
    """Put verified copies of the four files into `folder`, to work without a network later; the paths.

    Files that are there and intact stay. Raises FileNotFoundError where a file is neither found nor can be downloaded.
    """
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name in SHA256:
        path = folder / name
        if not (path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == SHA256[name]):
            content = find(name)
            with arriving(path) as (file, _):
                file.write(content)
        paths.append(path)
    return paths


if __name__ == "__main__":  # python -m d2l.fashion_mnist [FOLDER]
    import sys

    place = Path(sys.argv[1]) if len(sys.argv) > 1 else cache_folder() / "fashion-mnist"
    try:
        print("\n".join(map(str, keep(place))))
    except OSError as problem:
        sys.exit(f"Fashion-MNIST: {problem}")
