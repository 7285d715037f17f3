"""`plan_mesh` in the four libraries: the plans of a 70B model by hand, published runs, what bounds a plan, bad input.

Each library runs in a process of its own, as a reader's kernel does.
"""

from __future__ import annotations

from typing import Any

import pytest
from programs import Ask

PROGRAM = """
import json
from d2l import {framework} as d2l

L70 = dict(layers=80, width=8192, hidden=28672, vocabulary=128256, kv_share=1 / 8, sequence=8192, sequences=512)
L405 = dict(layers=126, width=16384, hidden=53248, vocabulary=128256, kv_share=1 / 16, tensor=8, pipeline=16)
SHORT, LONG = dict(sequence=8192, sequences=2048), dict(sequence=131072, sequences=128, context=16)

def plan(shape, **settings):
    try:
        return d2l.plan_mesh(**dict(shape, **settings))
    except ValueError as error:
        return str(error)

results = {{
    "A": plan(L70, tensor=8, data=64, stage=3),
    "A, two sequences": plan(L70, tensor=8, data=64, stage=3, microbatch=2),
    "A, bf16 reduction": plan(L70, tensor=8, data=64, stage=3, reduce_bytes=2),
    "A, recomputed": plan(L70, tensor=8, data=64, stage=3, recompute=True),
    "B": plan(L70, tensor=8, pipeline=4, data=16),
    "B, in chunks": plan(L70, tensor=8, pipeline=4, data=16, chunks=4),
    "B, pipeline innermost": plan(L70, tensor=8, pipeline=4, data=16, order=("pipeline", "tensor", "context", "data")),
    "B, ideal": plan(L70, tensor=8, pipeline=4, data=16, efficiency=1, exposed=0),
    "C": plan(L70, tensor=8, data=64),
    "D": plan(L70, tensor=16, data=32, stage=3),
    "few micro-batches": plan(L70, tensor=8, pipeline=4, data=16, microbatch=16),
    "one device": plan(L70, memory=1e13),
    "Llama 8,192": plan(dict(L405, **SHORT), data=64),
    "Llama 8,192, gradients sharded": plan(dict(L405, **SHORT), data=64, stage=2),
    "Llama 16,384": plan(dict(L405, **SHORT), data=128, stage=2),
    "Llama long": plan(dict(L405, **LONG), data=8, stage=2),
    "half a device": plan(L70, tensor=1.5),
    "no stage": plan(L70, pipeline=0),
    "ZeRO 4": plan(L70, stage=4),
    "too many replicas": plan(L70, data=1024),
    "chunks without stages": plan(L70, chunks=2),
    "chunks that do not fit": plan(L70, pipeline=3, chunks=2),
    "an axis twice": plan(L70, order=("tensor", "tensor", "pipeline", "data")),
    "more than the peak": plan(L70, efficiency=1.5),
    "a negative exposed share": plan(L70, exposed=-0.1),
    "no network": plan(L70, network=0),
}}
print(json.dumps(results))
"""


@pytest.fixture(scope="module", params=["torch", "mxnet", "jax", "tensorflow"])
def results(request: pytest.FixtureRequest, ask: Ask) -> dict[str, Any]:
    return ask(request.param, PROGRAM.format(framework=request.param))


def giga(number: float) -> float:
    return round(number / 1e9, 2)


def test_llama_70b_has_its_parameters_and_arithmetic(results: dict[str, Any]) -> None:
    plan = results["B"]
    assert plan["parameters"] == 70_553_706_496  # of the published checkpoint
    assert plan["devices"] == 512 and plan["tokens"] == 2**22 and plan["microbatches"] == 32
    assert plan["flops"] == pytest.approx(1.776e18, rel=1e-3)
    assert plan["flops"] / (512 * 989e12 * 0.4) == pytest.approx(8.77, abs=0.005)
    assert plan["attention_flops"] / plan["flops"] == pytest.approx(0.076, abs=5e-4)


def test_plan_a_with_parameters_sharded(results: dict[str, Any]) -> None:
    plan = results["A"]
    states = plan["memory"]["total"] - plan["memory"]["activations"]
    assert giga(states) == 2.48 and giga(plan["memory"]["activations"]) == 22.48
    assert giga(plan["sent"]["data"] / 8) == 69.45
    assert plan["sent"]["data"] / 8 / 48e9 == pytest.approx(1.45, abs=0.005)
    assert plan["bound"] == "network" and plan["seconds"]["step"] == plan["seconds"]["network"]
    less = results["A, bf16 reduction"]["sent"]["data"] / 8
    assert giga(less) == 52.09 and less / 48e9 == pytest.approx(1.09, abs=0.006)
    two = results["A, two sequences"]
    assert two["bound"] == "devices"
    assert two["sent"]["data"] == plan["sent"]["data"] / 2
    assert two["memory"]["activations"] == 2 * plan["memory"]["activations"]


def test_plan_b_with_a_pipeline(results: dict[str, Any]) -> None:
    plan = results["B"]
    kept = {kind: giga(size) for kind, size in plan["memory"].items()}
    assert kept == {"parameters": 4.41, "gradients": 8.82, "optimizer": 1.65, "activations": 22.48, "total": 37.36}
    assert plan["bubble"] == 3 / 32
    assert plan["seconds"]["bubble"] == pytest.approx(
        3 / 32 * (plan["seconds"]["arithmetic"] + plan["seconds"]["exposed"])
    )
    assert plan["sent"]["data"] / 48e9 == pytest.approx(0.26, abs=0.005)
    chunked = results["B, in chunks"]
    assert chunked["bubble"] == 3 / 128
    assert chunked["memory"]["activations"] == pytest.approx(plan["memory"]["activations"] * (1 + 3 / 16))
    assert chunked["sent"]["pipeline"] == 4 * plan["sent"]["pipeline"] == 4 * 32 * 2 * 2 * 8192 * 8192 / 8


def test_a_stage_keeps_no_more_micro_batches_than_there_are(results: dict[str, Any]) -> None:
    plan = results["few micro-batches"]  # two, of 16 sequences, on four stages
    assert plan["microbatches"] == 2
    assert plan["memory"]["activations"] == pytest.approx(2 * 16 / 4 * results["B"]["memory"]["activations"])


def test_the_exchanges_of_a_layer(results: dict[str, Any]) -> None:
    half = 7 / 8 * 2 * 8192 * 8192
    plan = results["A"]
    assert plan["sent"]["tensor"] == pytest.approx(8 * 80 * 10 * half)
    assert plan["seconds"]["exposed"] == pytest.approx(0.5 * 8 * 80 * 8 * half / 360e9)
    recomputed = results["A, recomputed"]
    assert recomputed["sent"]["tensor"] == pytest.approx(8 * 80 * 14 * half)
    assert recomputed["seconds"]["exposed"] == pytest.approx(0.5 * 8 * 80 * 12 * half / 360e9)
    assert recomputed["seconds"]["arithmetic"] == pytest.approx(4 / 3 * plan["seconds"]["arithmetic"])
    layer = plan["memory"]["activations"] / 80
    inputs = 80 * 2 * 8192 * 8192 / 8
    assert recomputed["memory"]["activations"] == pytest.approx(inputs + layer)


def test_an_axis_that_leaves_the_server_goes_over_the_network(results: dict[str, Any]) -> None:
    assert results["D"]["carrier"]["tensor"] == "network"
    half = 15 / 16 * 2 * 8192 * 8192
    assert 80 * 8 * half / 48e9 == pytest.approx(1.68, abs=0.005)
    assert results["D"]["seconds"]["exposed"] == pytest.approx(0.5 * 16 * 80 * 8 * half / 48e9)
    straight, swapped = results["B"], results["B, pipeline innermost"]
    assert swapped["sent"] == straight["sent"] and swapped["memory"] == straight["memory"]
    assert straight["carrier"] == {"tensor": "link", "context": "link", "pipeline": "network", "data": "network"}
    assert swapped["carrier"] == {"pipeline": "link", "tensor": "network", "context": "network", "data": "network"}
    assert swapped["seconds"]["step"] > 2 * straight["seconds"]["step"]


def test_plan_c_fits_on_paper_only(results: dict[str, Any]) -> None:
    plan = results["C"]
    assert giga(plan["memory"]["total"]) == 77.05 and plan["fits"]


def test_the_runs_of_llama_405b(results: dict[str, Any]) -> None:
    names = ("Llama 8,192", "Llama 8,192, gradients sharded", "Llama 16,384", "Llama long")
    whole, sharded, larger, long = (results[name] for name in names)
    assert giga(whole["parameters"]) == 405.85
    assert [plan["devices"] for plan in (whole, larger, long)] == [8192, 16384, 16384]
    assert {plan["tokens"] for plan in (whole, larger, long)} == {2**24}
    assert giga(whole["memory"]["total"]) == 86.74 and not whole["fits"]
    assert giga(sharded["memory"]["total"]) == 74.25 and sharded["fits"]
    # Keys and values, of 8 heads of 128, on 8 devices: 3 passes over 15 of 16 chunks, in 16 micro-batches.
    chunk = 2 * 2 * 8192 * 8 * 128 / 8
    assert long["sent"]["context"] == pytest.approx(16 * 126 / 16 * 3 * 15 * chunk)
    assert long["carrier"]["context"] == "network" and whole["sent"]["context"] == 0
    assert long["memory"]["optimizer"] == larger["memory"]["optimizer"]  # sharded over data and context


def test_the_bound_is_that_of_its_assumptions(results: dict[str, Any]) -> None:
    plan = results["B, ideal"]
    ideal = (plan["flops"] + plan["attention_flops"]) / (512 * 989e12)
    assert plan["seconds"]["exposed"] == 0
    assert plan["seconds"]["step"] == pytest.approx(ideal * (1 + 3 / 32))
    assert plan["mfu"] == pytest.approx(plan["flops"] / (512 * 989e12 * plan["seconds"]["step"]))
    assert plan["tokens_per_second"] == plan["tokens"] / plan["seconds"]["step"]


def test_one_device_sends_nothing(results: dict[str, Any]) -> None:
    plan = results["one device"]
    assert set(plan["sent"].values()) == {0} and plan["bubble"] == 0 and plan["bound"] == "devices"


@pytest.mark.parametrize(
    ("case", "message"),
    [
        ("half a device", "tensor is 1.5: give a whole number of at least 1"),
        ("no stage", "pipeline is 0: give a whole number of at least 1"),
        ("ZeRO 4", "stage 4: ZeRO has the stages 1, 2 and 3; 0 shards nothing"),
        ("too many replicas", "512 sequences do not divide into micro-batches of 1 on 1024 replicas"),
        (
            "chunks without stages",
            "512 micro-batches on 1 stages: chunks need two stages or more, and a multiple of them",
        ),
        (
            "chunks that do not fit",
            "512 micro-batches on 3 stages: chunks need two stages or more, and a multiple of them",
        ),
        (
            "an axis twice",
            "order is ('tensor', 'tensor', 'pipeline', 'data'): name each of tensor, context, pipeline, data once",
        ),
        ("more than the peak", "efficiency 1.5, exposed 0.5, kv_share 0.125: give shares up to 1"),
        ("a negative exposed share", "efficiency 0.6, exposed -0.1, kv_share 0.125: give shares up to 1"),
        ("no network", "network is 0: it must be positive"),
    ],
)
def test_what_cannot_be_planned_is_said(results: dict[str, Any], case: str, message: str) -> None:
    assert results[case] == message
