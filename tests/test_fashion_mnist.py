"""Where Fashion-MNIST is looked for, and what is not taken for it; small files stand in for the real ones."""

from __future__ import annotations

import gzip
import hashlib
import io
import threading
import urllib.error
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from d2l import fashion_mnist, transfer

NAME = "t10k-labels-idx1-ubyte"
CONTENT = b"\x00\x00\x08\x01" + (4).to_bytes(4, "big") + bytes([9, 2, 1, 1])  # an idx file of 4 labels


class Response(io.BytesIO):
    """What `urlopen` returns for a file that says it has `length` bytes."""

    def __init__(self, data: bytes, length: int, url: str = "https://example.org/file") -> None:
        super().__init__(data)
        self.headers = {"Content-Length": str(length)}
        self.url = url  # where the request was sent on to


class Places:
    """The three folders that are searched, all empty at first, and a network that answers nothing."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.chosen = root / "chosen"
        self.cache = root / "cache" / "d2l" / "fashion-mnist"
        self.installed = root / "installed"
        self.requests: list[str] = []
        self.answers: dict[str, Response | Endless] = {}
        monkeypatch.setenv("D2L_DATA", str(self.chosen))
        monkeypatch.setenv("XDG_CACHE_HOME", str(root / "cache"))
        monkeypatch.setattr(fashion_mnist, "INSTALLED", self.installed)
        monkeypatch.setitem(fashion_mnist.SHA256, NAME, hashlib.sha256(CONTENT).hexdigest())
        monkeypatch.setattr(transfer.urllib.request, "urlopen", self.open)

    def open(self, url: str, timeout: float) -> Response | Endless:
        self.requests.append(url)
        if url not in self.answers:
            raise urllib.error.URLError("no network")
        return self.answers[url]

    def answer(self, number: int, data: bytes, length: int | None = None) -> None:
        url = f"{fashion_mnist.URLS[number]}{NAME}.gz"
        self.answers[url] = Response(data, len(data) if length is None else length)


def put(folder: Path, data: bytes, suffix: str = ".gz") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{NAME}{suffix}"
    path.write_bytes(data)
    return path


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    return Places(tmp_path, monkeypatch)


@pytest.mark.parametrize("folder", ["chosen", "cache", "installed"])
@pytest.mark.parametrize("level", [1, 9])
def test_each_folder_is_searched_however_the_file_was_compressed(places: Places, folder: str, level: int) -> None:
    put(getattr(places, folder), gzip.compress(CONTENT, level))
    assert fashion_mnist.find(NAME) == CONTENT
    assert places.requests == []


def test_a_file_may_be_decompressed_already(places: Places) -> None:
    put(places.chosen, CONTENT, suffix="")
    assert fashion_mnist.find(NAME) == CONTENT


def test_without_any_file_it_is_downloaded_once_into_the_cache(places: Places) -> None:
    places.answer(0, gzip.compress(CONTENT))
    assert fashion_mnist.find(NAME) == CONTENT
    assert fashion_mnist.find(NAME) == CONTENT
    assert len(places.requests) == 1
    assert [path.name for path in places.cache.iterdir()] == [f"{NAME}.gz"]


def test_the_second_address_is_tried_when_the_first_does_not_answer(places: Places) -> None:
    places.answer(1, gzip.compress(CONTENT))
    assert fashion_mnist.find(NAME) == CONTENT
    assert [url.startswith(base) for url, base in zip(places.requests, fashion_mnist.URLS, strict=True)] == [True, True]


DAMAGED = {
    "cut short": gzip.compress(CONTENT)[:-6],
    "not gzip": b"<html>Not found</html>",
    "another content": gzip.compress(CONTENT[:-1] + b"\x03"),
    "empty": b"",
}


@pytest.mark.parametrize("data", DAMAGED.values(), ids=DAMAGED.keys())
def test_a_damaged_file_is_named_and_another_copy_taken(places: Places, data: bytes) -> None:
    damaged = put(places.chosen, data)
    put(places.installed, gzip.compress(CONTENT))
    with pytest.warns(UserWarning, match="looking for another copy") as caught:
        assert fashion_mnist.find(NAME) == CONTENT
    assert str(damaged) in str(caught[0].message)


@pytest.mark.parametrize("data", DAMAGED.values(), ids=DAMAGED.keys())
def test_a_damaged_file_in_the_cache_is_replaced_by_a_fresh_copy(places: Places, data: bytes) -> None:
    put(places.cache, data)
    places.answer(0, gzip.compress(CONTENT))
    with pytest.warns(UserWarning, match="looking for another copy"):
        assert fashion_mnist.find(NAME) == CONTENT
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert fashion_mnist.find(NAME) == CONTENT  # now from the cache


def test_a_download_that_stops_early_leaves_no_file(places: Places) -> None:
    data = gzip.compress(CONTENT)
    places.answer(0, data[:10], length=len(data))
    with pytest.raises(FileNotFoundError, match=f"10 of {len(data)} bytes"):
        fashion_mnist.find(NAME)
    assert list(places.cache.iterdir()) == []


def test_what_is_not_verified_never_has_the_name(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    """The name appears after the check, not before it."""
    seen: list[bool] = []
    read = fashion_mnist.read_verified

    def watched(path: Path, name: str, compressed: bool) -> bytes:
        seen.append((places.cache / f"{NAME}.gz").exists())
        return read(path, name, compressed)

    monkeypatch.setattr(fashion_mnist, "read_verified", watched)
    places.answer(0, gzip.compress(b"another content"))
    places.answer(1, gzip.compress(CONTENT))
    assert fashion_mnist.find(NAME) == CONTENT
    assert seen == [False, False]
    assert [path.name for path in places.cache.iterdir()] == [f"{NAME}.gz"]


def test_a_file_that_grows_without_end_is_given_up(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fashion_mnist, "LARGEST", 1000)
    put(places.chosen, gzip.compress(bytes(1_000_000)))
    with pytest.warns(UserWarning, match="more than 1000 bytes"), pytest.raises(FileNotFoundError):
        fashion_mnist.find(NAME)


@pytest.mark.parametrize("url", ["http://example.org/a", "file:///etc/hostname", "ftp://example.org/a", "a"])
def test_only_https_is_fetched(places: Places, tmp_path: Path, url: str) -> None:
    with pytest.raises(ValueError, match="begin with https://"):
        transfer.fetch(url, tmp_path / "file")
    assert places.requests == []


class Endless:
    """An answer that never ends; it counts what was read of it."""

    url = "https://example.org/a"
    headers: ClassVar[dict[str, str]] = {}

    def __init__(self) -> None:
        self.bytes_read = 0

    def read(self, size: int) -> bytes:
        self.bytes_read += size
        return bytes(size)

    def __enter__(self) -> Endless:
        return self

    def __exit__(self, *error: object) -> None:
        pass


def test_a_download_that_never_ends_is_given_up(places: Places, tmp_path: Path) -> None:
    endless = places.answers["https://example.org/a"] = Endless()
    with pytest.raises(OSError, match="more than 5000000 bytes arrive"):
        transfer.fetch("https://example.org/a", tmp_path / "file", largest=5_000_000)
    assert endless.bytes_read < 10_000_000
    assert list(tmp_path.glob("*file*")) == []


def test_a_data_file_is_given_up_when_it_is_too_long(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fashion_mnist, "LARGEST", 10)
    for number in range(len(fashion_mnist.URLS)):
        places.answer(number, gzip.compress(CONTENT))
    with pytest.raises(FileNotFoundError, match="more than 10 bytes arrive"):
        fashion_mnist.find(NAME)


def test_nothing_is_taken_from_where_https_leads_to_another_scheme(places: Places, tmp_path: Path) -> None:
    places.answers["https://example.org/a"] = Response(b"abc", 3, "http://example.org/a")
    with pytest.raises(ValueError, match="begin with https://"):
        transfer.fetch("https://example.org/a", tmp_path / "file")
    assert list(tmp_path.glob(".file*")) == []


def test_two_at_once_keep_copies_in_one_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each writes beside the name in a file of its own, so that none renames the other's away."""
    monkeypatch.setattr(fashion_mnist, "SHA256", {NAME: hashlib.sha256(CONTENT).hexdigest()})
    together = threading.Barrier(2, timeout=20)

    def find(name: str) -> bytes:
        together.wait()
        return CONTENT

    monkeypatch.setattr(fashion_mnist, "find", find)
    written: list[Path] = []
    replace = Path.replace

    def replace_together(path: Path, target: Path) -> Path:
        written.append(path)
        together.wait()
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", replace_together)
    with ThreadPoolExecutor(2) as pool:
        kept = list(pool.map(fashion_mnist.keep, [tmp_path] * 2))
    assert kept == [[tmp_path / NAME]] * 2
    assert len(set(written)) == 2
    assert [path.name for path in tmp_path.iterdir()] == [NAME]
    assert (tmp_path / NAME).read_bytes() == CONTENT


def test_without_network_the_error_says_what_to_do(places: Places) -> None:
    with pytest.raises(FileNotFoundError, match="D2L_DATA") as caught:
        fashion_mnist.find(NAME)
    assert "no network" in str(caught.value)
    assert str(places.installed) in str(caught.value)


def test_copies_are_kept_for_later(places: Places, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fashion_mnist, "SHA256", {NAME: hashlib.sha256(CONTENT).hexdigest()})
    put(places.installed, gzip.compress(CONTENT))
    folder = tmp_path / "kept"
    assert fashion_mnist.keep(folder) == [folder / NAME]
    assert [path.name for path in folder.iterdir()] == [NAME]
    places.installed.rename(tmp_path / "gone")
    fashion_mnist.keep(folder)  # what is there is not looked for again
    monkeypatch.setenv("D2L_DATA", str(folder))
    assert fashion_mnist.find(NAME) == CONTENT and places.requests == []
    (folder / NAME).write_bytes(b"damaged")
    with warnings.catch_warnings(), pytest.raises(FileNotFoundError, match="no intact copy"):
        warnings.simplefilter("ignore")
        fashion_mnist.keep(folder)


def test_decode_gives_the_array_and_refuses_other_files() -> None:
    np.testing.assert_array_equal(fashion_mnist.decode(CONTENT), [9, 2, 1, 1])
    with pytest.raises(ValueError, match="not an idx file"):
        fashion_mnist.decode(b"\x89PNG\r\n\x1a\n")


def test_the_real_files_are_decoded_once() -> None:
    images, labels = fashion_mnist.arrays(train=False)
    assert (images.shape, images.dtype, labels.shape) == ((10_000, 28, 28), np.uint8, (10_000,))
    assert np.bincount(labels).tolist() == [1000] * 10
    assert fashion_mnist.arrays(train=False)[0] is images


def test_pixels_are_fractions_of_255() -> None:
    images = np.array([[[0, 51], [102, 255]]], np.uint8)
    np.testing.assert_allclose(fashion_mnist.pixels(images), [[[0, 0.2], [0.4, 1]]], rtol=1e-6)


def test_resizing_interpolates_between_pixel_centres() -> None:
    np.testing.assert_allclose(fashion_mnist.resize_matrix(2, 4), [[1, 0], [0.75, 0.25], [0.25, 0.75], [0, 1]])


def test_shrinking_averages_and_keeps_a_constant() -> None:
    matrix = fashion_mnist.resize_matrix(28, 7)
    np.testing.assert_allclose(matrix.sum(axis=1), 1, rtol=1e-6)
    assert (matrix > 0).sum(axis=1).min() >= 6  # a triangle of width 2 · 4 pixels, cut at the border
