"""The ring all-reduce and the fit of latency and bandwidth, in the four libraries, against their formulas."""

from __future__ import annotations

from typing import Any

import pytest
from programs import Ask

DEVICES = 4
PROGRAM = """
import json
import numpy as np
from d2l import {framework} as d2l

if "{framework}" == "mxnet":
    from mxnet import npx
    npx.set_np()
devices = d2l.devices({count})

def place(x):
    return str(x.ctx if hasattr(x, "ctx") else x.device)

def ring(size, k, dtype="float32", shape=None):
    shape = shape or (size,)
    arrays = [np.arange(size).astype(dtype).reshape(shape) * (i + 1) for i in range(k)]
    parts = [d2l.to(d2l.tensor(x), devices[i]) for i, x in enumerate(arrays)]
    sums, sent = d2l.ring_allreduce(parts)
    return {{
        "equal": all((d2l.as_array(x) == sum(arrays)).all() for x in sums),
        "unchanged": all((d2l.as_array(x) == y).all() for x, y in zip(parts, arrays)),
        "shapes": [list(x.shape) for x in sums],
        "same type": all(x.dtype == parts[0].dtype for x in sums),
        "places": [place(x) for x in sums],
        "own places": [place(x) for x in parts],
        "sent": sent,
    }}

def error(function, *arguments):
    try:
        function(*arguments)
    except ValueError as error:
        return str(error)

def fit(num_bytes, seconds, k, *algorithm):
    alpha, B, misfit = d2l.fit_alpha_beta(num_bytes, seconds, k, *algorithm)
    return [alpha, B, [float(x) for x in misfit]]

n = np.array([1e3, 1e4, 1e5, 1e6])
results = {{
    "divisible": {{k: ring(24, k) for k in (1, 2, 3, 4)}},
    "padded": {{k: ring(25, k) for k in (2, 3, 4)}},
    "tiny": ring(1, 4),
    "matrix": ring(20, 3, shape=(4, 5)),
    "integers": ring(12, 4, dtype="int32"),
    "empty": ring(0, 2),
    "no parts": error(d2l.ring_allreduce, []),
    "shapes": error(d2l.ring_allreduce, [d2l.ones((2, 3)), d2l.ones((3, 2))]),
    "types": error(d2l.ring_allreduce, [d2l.ones(2), d2l.astype(d2l.ones(2), d2l.int32)]),
    "exact": {{k: fit(n, 2 * (k - 1) / k * n / 2e9 + 2 * (k - 1) * 3e-5, k) for k in (2, 3, 8)}},
    "star": {{k: fit(n, 2 * (k - 1) * (3e-5 + n / 2e9), k, "star") for k in (2, 3, 8)}},
    "no latency": fit(n, n / 1e9, 2),
    "falling": fit(n, [4e-5, 3e-5, 2e-5, 1e-5], 2),
    "one off": fit([1000, 1000, 2000, 2000], [2e-3, 2e-3, 3e-3, 3.3e-3], 2),
    "one device": error(d2l.fit_alpha_beta, [1, 2], [1, 2], 1),
    "lengths": error(d2l.fit_alpha_beta, [1, 2, 3], [1, 2], 2),
    "zero seconds": error(d2l.fit_alpha_beta, [1, 2], [0, 1], 2),
    "no number": error(d2l.fit_alpha_beta, [1, 2], [float("nan"), 1], 2),
    "one size": error(d2l.fit_alpha_beta, [5, 5], [1, 2], 2),
    "algorithm": error(d2l.fit_alpha_beta, [1, 2], [1, 2], 2, "tree"),
}}
parts = [d2l.to(d2l.tensor(np.ones(4, "float32")), devices[0])] * 2  # one array twice, as of an aliased replica
sums, _ = d2l.ring_allreduce(parts)
results["aliased"] = [d2l.as_array(x).tolist() for x in [*sums, *parts]]
print(json.dumps(results))
"""


@pytest.fixture(scope="module", params=["torch", "mxnet", "jax", "tensorflow"])
def results(request: pytest.FixtureRequest, ask: Ask) -> dict[str, Any]:
    return ask(request.param, PROGRAM.format(framework=request.param, count=DEVICES))


def test_every_device_gets_the_plain_sum_and_keeps_its_own_array(results: dict[str, Any]) -> None:
    cases = [*results["divisible"].values(), *results["padded"].values()]
    cases += [results[name] for name in ("tiny", "matrix", "integers", "empty")]
    assert len(cases) == 11
    for case in cases:
        assert case["equal"] and case["unchanged"] and case["same type"]
        assert case["places"] == case["own places"]


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_each_device_sends_exactly_its_share_of_what_k_divides(results: dict[str, Any], k: int) -> None:
    assert results["divisible"][str(k)]["sent"] == [2 * (k - 1) * 24 * 4 // k] * k


@pytest.mark.parametrize("k", [2, 3, 4])
def test_other_sizes_are_filled_up_to_a_multiple_of_k(results: dict[str, Any], k: int) -> None:
    pieces = -(-25 // k)  # rounded up
    assert results["padded"][str(k)]["sent"] == [2 * (k - 1) * pieces * 4] * k


def test_shapes_and_types_are_kept_and_their_bytes_counted(results: dict[str, Any]) -> None:
    assert results["matrix"]["shapes"] == [[4, 5]] * 3
    assert results["matrix"]["sent"] == [2 * 2 * 7 * 4] * 3
    assert results["integers"]["sent"] == [2 * 3 * 3 * 4] * 4
    assert results["tiny"]["sent"] == [2 * 3 * 1 * 4] * 4
    assert results["empty"]["sent"] == [0, 0]


def test_one_array_twice_is_summed_and_not_overwritten(results: dict[str, Any]) -> None:
    assert results["aliased"] == [[2.0] * 4, [2.0] * 4, [1.0] * 4, [1.0] * 4]


@pytest.mark.parametrize(
    ("case", "message"),
    [
        ("no parts", "no arrays to sum: give one for each device"),
        ("shapes", "array 1 has shape (3, 2) and type"),
        ("types", "array 1 has shape (2,) and type"),
        ("one device", "1 device(s): an all-reduce needs at least two"),
        ("lengths", "sizes of shape (3,) and times of shape (2,): give two lists of equal length"),
        ("zero seconds", "sizes and times must be positive and finite"),
        ("no number", "sizes and times must be positive and finite"),
        ("algorithm", "algorithm is 'tree': it must be 'ring' or 'star'"),
        ("one size", "one size cannot tell latency from bandwidth: measure at least two"),
    ],
)
def test_bad_input_is_said(results: dict[str, Any], case: str, message: str) -> None:
    assert results[case] is not None and results[case].startswith(message)


@pytest.mark.parametrize("k", [2, 3, 8])
@pytest.mark.parametrize("algorithm", ["exact", "star"])
def test_times_by_the_formula_give_back_its_numbers(results: dict[str, Any], algorithm: str, k: int) -> None:
    alpha, bandwidth, misfit = results[algorithm][str(k)]
    assert alpha == pytest.approx(3e-5, rel=1e-6)
    assert bandwidth == pytest.approx(2e9, rel=1e-6)
    assert misfit == pytest.approx([0] * 4, abs=1e-9)


def test_neither_number_comes_out_negative(results: dict[str, Any]) -> None:
    alpha, bandwidth, _ = results["no latency"]
    assert alpha == pytest.approx(0, abs=1e-12) and bandwidth == pytest.approx(1e9)
    alpha, bandwidth, _ = results["falling"]
    assert alpha > 0 and bandwidth == float("inf")


def test_the_misfit_is_relative_to_the_measured_time_and_least(results: dict[str, Any]) -> None:
    """1000 bytes take 2 ms, twice; 2000 bytes 3 and 3.3 ms. The line meets 2 ms and t, the best between the others.

    (t/3 - 1)^2 + (t/3.3 - 1)^2 is least where t (1/9 + 1/10.89) = 1/3 + 1/3.3.
    """
    t = (1 / 3 + 1 / 3.3) / (1 / 9 + 1 / 10.89)
    alpha, bandwidth, misfit = results["one off"]
    assert misfit == pytest.approx([0, 0, t / 3 - 1, t / 3.3 - 1], abs=1e-9)
    assert alpha == pytest.approx((4 - t) / 2 * 1e-3)  # the intercept is 2 alpha for two devices
    assert bandwidth == pytest.approx(1000 / ((t - 2) * 1e-3))
