"""`KVStore` in the four libraries: results, byte counts and bad input."""

from __future__ import annotations

import zlib
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np
import pytest

FRAMEWORKS = ["torch", "mxnet", "jax", "tensorflow"]


@pytest.fixture(params=FRAMEWORKS)
def d2l(request: pytest.FixtureRequest) -> ModuleType:
    if request.param == "mxnet":
        import_module("d2l.mxnet").npx.set_np()  # without it an array cannot be empty
    return import_module(f"d2l.{request.param}")


def array(d2l: ModuleType, values: Any) -> Any:
    """A float32 array of the library on its CPU."""
    x = d2l.tensor(np.asarray(values, "float32"))
    return x.astype("float32") if d2l.__name__.endswith("mxnet") else x


def test_the_sum_is_the_value_without_an_updater(d2l: ModuleType) -> None:
    store = d2l.KVStore([d2l.cpu()])
    store.init("w", array(d2l, [1, 2]))
    assert d2l.as_array(store.pull("w", [d2l.cpu()])[0]).tolist() == [1, 2]
    store.push("w", [array(d2l, [1, 10]), array(d2l, [2, 20]), array(d2l, [3, 30])])
    assert [d2l.as_array(x).tolist() for x in store.pull("w", [d2l.cpu()] * 2)] == [[6, 60]] * 2


def test_the_updater_gets_key_sum_and_value(d2l: ModuleType) -> None:
    calls = []

    def updater(key: str, total: Any, value: Any) -> Any:
        calls.append((key, d2l.as_array(total).tolist(), d2l.as_array(value).tolist()))
        return value - 0.5 * total

    store = d2l.KVStore([d2l.cpu()], updater)
    store.init("w", array(d2l, [1, 1]))
    store.push("w", [array(d2l, [2, 4]), array(d2l, [0, 2])])
    store.push("w", [array(d2l, [2, 2])])
    assert calls == [("w", [2, 6], [1, 1]), ("w", [2, 2], [0, -2])]
    assert d2l.as_array(store.pull("w", [d2l.cpu()])[0]).tolist() == [-1, -3]


def test_bytes_are_counted_by_server(d2l: ModuleType) -> None:
    """Three workers: 3 n bytes arrive and 3 n bytes leave, at the server that the key's CRC-32 names."""
    store = d2l.KVStore([d2l.cpu()] * 3)
    received, sent = [0, 0, 0], [0, 0, 0]
    for key, size in ("W1", 10), ("b1", 3), (7, 5), ("W2", 4), ("b2", 1):
        server = zlib.crc32(str(key).encode()) % 3
        assert store.server_of(key) == server
        store.init(key, array(d2l, np.zeros(size)))
        store.push(key, [array(d2l, np.ones(size))] * 3)
        store.pull(key, [d2l.cpu()] * 3)
        received[server] += 3 * 4 * size
        sent[server] += 3 * 4 * size
    assert (store.received, store.sent) == (received, sent)
    assert sum(received) == 3 * 4 * 23


@pytest.mark.parametrize("framework", ["torch", "mxnet"])
def test_what_is_pulled_is_a_copy(framework: str) -> None:
    """In the libraries whose arrays can be changed."""
    d2l = import_module(f"d2l.{framework}")
    given = array(d2l, [1, 2])
    store = d2l.KVStore([d2l.cpu()])
    store.init("w", given)
    given[:] = 5
    pulled = store.pull("w", [d2l.cpu()])[0]
    pulled[:] = 7
    assert d2l.as_array(store.pull("w", [d2l.cpu()])[0]).tolist() == [1, 2]


def test_a_store_says_what_it_cannot_do(d2l: ModuleType) -> None:
    with pytest.raises(ValueError, match="without a server"):
        d2l.KVStore([])
    store = d2l.KVStore([d2l.cpu()])
    store.init("w", array(d2l, [1, 2]))
    with pytest.raises(ValueError, match="'w' is taken"):
        store.init("w", array(d2l, [1, 2]))
    with pytest.raises(ValueError, match="nothing has the key 'v'"):
        store.push("v", [array(d2l, [1, 2])])
    with pytest.raises(ValueError, match="nothing has the key 'v'"):
        store.pull("v", [d2l.cpu()])
    with pytest.raises(ValueError, match="nothing to push to 'w'"):
        store.push("w", [])
    with pytest.raises(ValueError, match=r"'w' has shape \(2,\) .* \(3,\)"):
        store.push("w", [array(d2l, [1, 2, 3])])
    assert store.received == [0]
    assert d2l.as_array(store.pull("w", [d2l.cpu()])[0]).tolist() == [1, 2]
