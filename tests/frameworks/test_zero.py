"""`memory_ledger` in the four libraries: the published sizes, what each stage shards, uneven shares, bad input.

Each library runs in a process of its own, as a reader's kernel does.
"""

from __future__ import annotations

from typing import Any

import pytest
from programs import Ask

PROGRAM = """
import json
from d2l import {framework} as d2l

def refused(*args, **sizes):
    try:
        return {{"ledger": d2l.memory_ledger(*args, **sizes)}}
    except ValueError as error:
        return {{"error": str(error)}}

results = {{
    "published": [d2l.memory_ledger(7.5e9, 64, stage) for stage in range(4)],
    "alone": d2l.memory_ledger(100),
    "uneven": [d2l.memory_ledger(10, 4, stage) for stage in range(4)],
    "more devices than parameters": d2l.memory_ledger(2, 5, 3),
    "float32": d2l.memory_ledger(100, 4, 3, parameter_bytes=4, gradient_bytes=4, optimizer_bytes=8),
    "no gradient kept": d2l.memory_ledger(100, gradient_bytes=0, optimizer_bytes=8),
    "no parameters": refused(0),
    "half a parameter": refused(1.5),
    "endless parameters": refused(float("inf")),
    "no devices": refused(100, 0),
    "negative devices": refused(100, -2),
    "half a device": refused(100, 2.5),
    "stage 4": refused(100, 2, 4),
    "stage 1.5": refused(100, 2, 1.5),
    "negative size": refused(100, optimizer_bytes=-1),
    "no size": refused(100, gradient_bytes=float("nan")),
}}
print(json.dumps(results))
"""


@pytest.fixture(scope="module", params=["torch", "mxnet", "jax", "tensorflow"])
def results(request: pytest.FixtureRequest, ask: Ask) -> dict[str, Any]:
    return ask(request.param, PROGRAM.format(framework=request.param))


def ledger(parameters: float, gradients: float, optimizer: float) -> dict[str, float]:
    total = parameters + gradients + optimizer
    return {"parameters": parameters, "gradients": gradients, "optimizer": optimizer, "total": total}


def test_the_sizes_of_rajbhandari_et_al_figure_1(results: dict[str, Any]) -> None:
    assert [round(stage["total"] / 1e9, 1) for stage in results["published"]] == [120.0, 31.4, 16.6, 1.9]


def test_one_device_keeps_sixteen_bytes_of_each_parameter(results: dict[str, Any]) -> None:
    assert results["alone"] == ledger(200, 200, 1200)


def test_each_stage_shards_one_more_kind_and_rounds_shares_up(results: dict[str, Any]) -> None:
    assert results["uneven"] == [ledger(20, 20, 120), ledger(20, 20, 36), ledger(20, 6, 36), ledger(6, 6, 36)]


def test_a_share_is_at_least_one_parameter(results: dict[str, Any]) -> None:
    assert results["more devices than parameters"] == ledger(2, 2, 12)


def test_other_recipes_have_other_sizes(results: dict[str, Any]) -> None:
    assert results["float32"] == ledger(100, 100, 200)
    assert results["no gradient kept"] == ledger(200, 0, 800)


@pytest.mark.parametrize(
    ("case", "message"),
    [
        ("no parameters", "0 parameters: give a whole number of at least 1"),
        ("half a parameter", "1.5 parameters: give a whole number of at least 1"),
        ("endless parameters", "inf parameters: give a whole number of at least 1"),
        ("no devices", "0 devices: give a whole number of at least 1"),
        ("negative devices", "-2 devices: give a whole number of at least 1"),
        ("half a device", "2.5 devices: give a whole number of at least 1"),
        ("stage 4", "stage 4: ZeRO has the stages 1, 2 and 3; 0 shards nothing"),
        ("stage 1.5", "stage 1.5: ZeRO has the stages 1, 2 and 3; 0 shards nothing"),
        ("negative size", "-1 bytes for the optimizer of one parameter: give a size of at least 0"),
        ("no size", "nan bytes for the gradients of one parameter: give a size of at least 0"),
    ],
)
def test_what_cannot_be_counted_is_said(results: dict[str, Any], case: str, message: str) -> None:
    assert results[case] == {"error": message}
