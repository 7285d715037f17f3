"""`split_batch` in the four libraries: even and uneven pieces, where they lie, and what cannot be split."""

from __future__ import annotations

from typing import Any

import pytest
from programs import Ask

PROGRAM = """
import json
from d2l import {framework} as d2l

devices = d2l.devices(2)

def place(x):
    return str(x.ctx if hasattr(x, "ctx") else x.device)

def split(rows, labels, devices):
    X = d2l.reshape(d2l.arange(rows * 5), (rows, 5))
    try:
        X_pieces, y_pieces = d2l.split_batch(X, d2l.arange(labels), devices)
    except ValueError as error:
        return {{"error": str(error)}}
    return {{
        "lists": [type(X_pieces).__name__, type(y_pieces).__name__],
        "X": [d2l.as_array(x).tolist() for x in X_pieces],
        "y": [d2l.as_array(y).tolist() for y in y_pieces],
        "X devices": [place(x) for x in X_pieces],
        "y devices": [place(y) for y in y_pieces],
    }}

results = {{
    "devices": [str(device) for device in devices],
    "even": split(4, 4, devices),
    "uneven": split(5, 5, devices),
    "one device": split(3, 3, devices[:1]),
    "one each": split(2, 2, devices),
    "unequal": split(4, 3, devices),
    "too few": split(1, 1, devices),
    "empty": split(0, 0, devices),
    "no devices": split(4, 4, []),
}}
print(json.dumps(results))
"""


@pytest.fixture(scope="module", params=["torch", "mxnet", "jax", "tensorflow"])
def results(request: pytest.FixtureRequest, ask: Ask) -> dict[str, Any]:
    return {"framework": request.param, **ask(request.param, PROGRAM.format(framework=request.param))}


def rows(first: int, last: int) -> list[list[int]]:
    return [list(range(5 * row, 5 * row + 5)) for row in range(first, last)]


def test_a_four_by_five_array_becomes_two_halves(results: dict[str, Any]) -> None:
    assert results["even"]["X"] == [rows(0, 2), rows(2, 4)]
    assert results["even"]["y"] == [[0, 1], [2, 3]]


def test_images_and_labels_come_as_lists(results: dict[str, Any]) -> None:
    assert results["even"]["lists"] == ["list", "list"]


def test_of_an_odd_number_the_first_device_gets_one_more(results: dict[str, Any]) -> None:
    assert results["uneven"]["X"] == [rows(0, 3), rows(3, 5)]
    assert results["uneven"]["y"] == [[0, 1, 2], [3, 4]]


def test_one_device_gets_everything(results: dict[str, Any]) -> None:
    assert results["one device"]["X"] == [rows(0, 3)]


def test_each_device_may_get_a_single_example(results: dict[str, Any]) -> None:
    assert results["one each"]["y"] == [[0], [1]]


def test_pieces_lie_on_their_devices(results: dict[str, Any]) -> None:
    expected = results["devices"]  # of PyTorch, whose simulated devices are all the CPU, this asks little
    if results["framework"] == "tensorflow":
        expected = [f"/job:localhost/replica:0/task:0/device:{name.removeprefix('/')}" for name in expected]
    assert results["uneven"]["X devices"] == expected
    assert results["uneven"]["y devices"] == expected


@pytest.mark.parametrize(
    ("case", "message"),
    [
        ("unequal", "X has 4 examples, y has 3: they must have equally many"),
        ("too few", "cannot split 1 examples over 2 devices: each device needs at least one"),
        ("empty", "cannot split 0 examples over 2 devices: each device needs at least one"),
        ("no devices", "cannot split 4 examples over 0 devices: each device needs at least one"),
    ],
)
def test_what_cannot_be_split_is_said(results: dict[str, Any], case: str, message: str) -> None:
    assert results[case] == {"error": message}
