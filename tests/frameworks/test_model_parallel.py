"""`shard_linear` and `simulate_pipeline` in the four libraries: parts and schedules against closed forms, bad input."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from programs import Ask

PROGRAM = """
import json
from d2l import {framework} as d2l

devices = d2l.devices(2)

def place(x):
    return str(x.ctx if hasattr(x, "ctx") else x.device)

def error_of(call, *args, **kwargs):
    try:
        call(*args, **kwargs)
    except ValueError as error:
        return str(error)

def numbers(rows, columns):
    return d2l.reshape(d2l.astype(d2l.arange(rows * columns), d2l.float32), (rows, columns))

W, b = numbers(4, 6), d2l.reshape(numbers(1, 6), (6,))
odd, odd_b = numbers(5, 5), d2l.reshape(numbers(1, 5), (5,))

def shards(split, bias=b, devices=devices):
    return [[None if part is None else d2l.as_array(part).tolist() for part in pair]
            for pair in d2l.shard_linear(W, bias, devices, split)]

def simulated(p, m, schedule, **options):
    result = d2l.simulate_pipeline(p, m, schedule=schedule, **options)
    return dict(slots=[list(slot) for slot in result.slots], total=result.total, bubble=result.bubble,
                bubble_of_ideal=result.bubble_of_ideal, kept=result.kept)

results = {{
    "devices": [str(device) for device in devices],
    "columns": shards("columns"),
    "rows": shards("rows"),
    "no bias": shards("rows", None),
    "one device": shards("columns", b, devices[:1]),
    "places": [place(part) for part in (pair[0] for pair in d2l.shard_linear(W, b, devices, "columns"))],
    "bias places": [place(part) for part in (pair[1] for pair in d2l.shard_linear(W, b, devices, "rows"))],
    "errors": {{
        "odd outputs": error_of(d2l.shard_linear, odd, odd_b, devices, "columns"),
        "odd inputs": error_of(d2l.shard_linear, odd, odd_b, devices, "rows"),
        "no devices": error_of(d2l.shard_linear, W, b, [], "rows"),
        "split": error_of(d2l.shard_linear, W, b, devices, "column"),
        "vector": error_of(d2l.shard_linear, b, None, devices, "rows"),
        "bias": error_of(d2l.shard_linear, W, odd_b, devices, "rows"),
        "no stages": error_of(d2l.simulate_pipeline, 0, 4),
        "no micro-batches": error_of(d2l.simulate_pipeline, 4, 0),
        "negative": error_of(d2l.simulate_pipeline, -1, 4),
        "schedule": error_of(d2l.simulate_pipeline, 2, 2, schedule="GPipe"),
        "too few times": error_of(d2l.simulate_pipeline, 3, 2, forward=[1.0, 2.0]),
        "no time": error_of(d2l.simulate_pipeline, 2, 2, backward=0),
        "chunks": error_of(d2l.simulate_pipeline, 2, 2, schedule="1f1b", chunks=2),
        "latency": error_of(d2l.simulate_pipeline, 2, 2, latency=-1),
        "no multiple": error_of(d2l.simulate_pipeline, 2, 3, schedule="interleaved", chunks=2),
    }},
    "schedules": {{f"{{p}} {{m}} {{schedule}}": simulated(p, m, schedule)
                  for p in (1, 2, 4) for m in (1, 2, 3, 8, 16) for schedule in ("gpipe", "1f1b")}},
    "interleaved": {{f"{{p}} {{m}} {{v}}": simulated(p, m, "interleaved", chunks=v)
                     for p, m in ((1, 2), (2, 4), (4, 8), (4, 16)) for v in (1, 2, 4)}},
    "zero bubble": {{f"{{p}} {{m}} {{schedule}}": simulated(p, m, schedule)
                     for p, m in ((1, 2), (2, 4), (4, 8), (8, 16)) for schedule in ("zb-h1", "zb-h2")}},
    "late": {{f"{{p}} {{m}} {{schedule}}": simulated(p, m, schedule, latency=0.5)
              for p, m in ((1, 2), (4, 8), (4, 32), (4, 64)) for schedule in ("gpipe", "1f1b")}},
    "unequal": simulated(2, 3, "gpipe", forward=[1, 2], backward=[2, 4]),
}}
print(json.dumps(results))
"""


@pytest.fixture(scope="module", params=["torch", "mxnet", "jax", "tensorflow"])
def results(request: pytest.FixtureRequest, ask: Ask) -> dict[str, Any]:
    return {"framework": request.param, **ask(request.param, PROGRAM.format(framework=request.param))}


WEIGHT = np.arange(24.0).reshape(4, 6)
BIAS = np.arange(6.0)


def test_columns_take_outputs_and_their_biases(results: dict[str, Any]) -> None:
    assert results["columns"] == [
        [WEIGHT[:, :3].tolist(), BIAS[:3].tolist()],
        [WEIGHT[:, 3:].tolist(), BIAS[3:].tolist()],
    ]


def test_rows_take_inputs_and_the_whole_bias(results: dict[str, Any]) -> None:
    assert results["rows"] == [[WEIGHT[:2].tolist(), BIAS.tolist()], [WEIGHT[2:].tolist(), BIAS.tolist()]]


def test_a_layer_may_have_no_bias_and_one_device_everything(results: dict[str, Any]) -> None:
    assert results["no bias"] == [[WEIGHT[:2].tolist(), None], [WEIGHT[2:].tolist(), None]]
    assert results["one device"] == [[WEIGHT.tolist(), BIAS.tolist()]]


def test_parts_lie_on_their_devices(results: dict[str, Any]) -> None:
    expected = results["devices"]  # of PyTorch, whose simulated devices are all the CPU, this asks little
    if results["framework"] == "tensorflow":
        expected = [f"/job:localhost/replica:0/task:0/device:{name.removeprefix('/')}" for name in expected]
    assert results["places"] == expected
    assert results["bias places"] == expected


@pytest.mark.parametrize(
    ("case", "message"),
    [
        (
            "odd outputs",
            "cannot cut 5 outputs into 2 equal parts: the number of devices must divide the number of outputs",
        ),
        (
            "odd inputs",
            "cannot cut 5 inputs into 2 equal parts: the number of devices must divide the number of inputs",
        ),
        ("no devices", "no devices: there must be at least one"),
        ("split", "split is 'column': it must be 'columns' or 'rows'"),
        ("vector", "weight has the shape (6,): it must be (inputs, outputs)"),
        ("bias", "bias has the shape (5,), weight (4, 6): bias must be (6,)"),
        ("no stages", "0 stages and 4 micro-batches: there must be at least one of each"),
        ("no micro-batches", "4 stages and 0 micro-batches: there must be at least one of each"),
        ("negative", "-1 stages and 4 micro-batches: there must be at least one of each"),
        ("schedule", "schedule is 'GPipe': it must be one of gpipe, 1f1b, interleaved, zb-h1, zb-h2"),
        ("too few times", "forward has 2 times for 3 stages: give one number or one for each stage"),
        ("no time", "backward is 0: times must be positive"),
        ("chunks", "2 chunks for 1f1b: give at least 1, and more only for interleaved"),
        ("latency", "latency is -1: it must be a time of at least 0"),
        ("no multiple", "3 micro-batches on 2 devices: interleaved needs a multiple of 2"),
    ],
)
def test_bad_input_is_said(results: dict[str, Any], case: str, message: str) -> None:
    assert results["errors"][case] == message


def cases(results: dict[str, Any], group: str = "schedules") -> list[tuple[int, int, str, dict[str, Any]]]:
    parsed = [(key.split(), value) for key, value in results[group].items()]
    return [(int(p), int(m), schedule, value) for (p, m, schedule), value in parsed]


def test_the_bubble_is_that_of_the_closed_forms(results: dict[str, Any]) -> None:
    for p, m, _, simulated in cases(results):
        assert simulated["bubble"] == pytest.approx((p - 1) / (m + p - 1))
        assert simulated["bubble_of_ideal"] == pytest.approx((p - 1) / m)
        assert simulated["total"] == 3 * (m + p - 1)


def test_four_stages_and_sixteen_microbatches_idle_15_8_percent(results: dict[str, Any]) -> None:
    assert f"{results['schedules']['4 16 gpipe']['bubble']:.1%}" == "15.8%"


def test_gpipe_keeps_all_microbatches_and_1f1b_as_many_as_stages_follow(results: dict[str, Any]) -> None:
    for p, m, schedule, simulated in cases(results):
        expected = [m] * p if schedule == "gpipe" else [min(p - stage, m) for stage in range(p)]
        assert simulated["kept"] == expected


def test_interleaving_divides_the_bubble_and_keeps_more(results: dict[str, Any]) -> None:
    for key, simulated in results["interleaved"].items():
        p, m, v = (int(number) for number in key.split())
        assert simulated["bubble_of_ideal"] == pytest.approx((p - 1) / (v * m))
        assert simulated["kept"][0] == pytest.approx(p * (1 + (p - 1) / (p * v)) if v > 1 else p)
        assert len(simulated["slots"]) == 2 * p * m * v


def test_putting_off_the_weights_leaves_p_minus_1_units_of_the_bubble(results: dict[str, Any]) -> None:
    for key, simulated in results["zero bubble"].items():
        p, m, schedule = int(key.split()[0]), int(key.split()[1]), key.split()[2]
        assert simulated["total"] == 3 * m + p - 1
        assert simulated["kept"] == [p if schedule == "zb-h1" else 2 * p - 1] * p
        for stage in range(p):
            own = [slot for slot in simulated["slots"] if slot[0] == stage]
            busy = sum(end - start for *_, start, end in own)
            assert schedule == "zb-h1" or own[-1][4] - own[0][3] == busy


def test_late_messages_cost_gpipe_one_round_trip_and_1f1b_one_for_every_p_microbatches(results: dict[str, Any]) -> None:
    lost = {(p, m, schedule): late["total"] - 3 * (m + p - 1) for p, m, schedule, late in cases(results, "late")}
    assert lost[1, 2, "gpipe"] == lost[1, 2, "1f1b"] == 0
    assert [lost[4, m, "gpipe"] for m in (8, 32, 64)] == [2 * 3 * 0.5] * 3
    assert lost[4, 64, "1f1b"] - lost[4, 32, "1f1b"] == 32 / 4 * 2 * 3 * 0.5


def test_every_pass_runs_once_after_what_it_needs_and_never_two_at_a_time(results: dict[str, Any]) -> None:
    for p, m, schedule, simulated in [*cases(results), *cases(results, "zero bubble")]:
        ends = {(kind, stage, i): end for stage, i, kind, _, end in simulated["slots"]}
        assert len(simulated["slots"]) == len(ends) == (3 if schedule.startswith("zb") else 2) * p * m
        for stage, i, kind, start, _ in simulated["slots"]:
            needed = {
                "forward": [("forward", stage - 1, i)],
                "backward": [("backward", stage + 1, i), ("forward", stage, i)],
                "weight": [("backward", stage, i)],
            }[kind]
            assert all(ends.get(key, 0) <= start for key in needed)
        for stage in range(p):
            own = [slot[3:] for slot in simulated["slots"] if slot[0] == stage]
            assert all(before[1] <= after[0] for before, after in itertools.pairwise(own))


def test_a_slow_stage_makes_the_other_wait(results: dict[str, Any]) -> None:
    """Stage 1 starts at 1 and works for 3 * 6 without a break; stage 0 has a last backward pass of 2 after it."""
    unequal = results["unequal"]
    assert unequal["total"] == 1 + 18 + 2
    assert unequal["bubble"] == pytest.approx(1 - (9 + 18) / 2 / 21)
