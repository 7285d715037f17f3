"""`warmup_lr` in the four libraries, against the straight line it draws, and what it refuses."""

from __future__ import annotations

import importlib
from types import ModuleType

import pytest


@pytest.fixture(params=["torch", "mxnet", "jax", "tensorflow"])
def d2l(request: pytest.FixtureRequest) -> ModuleType:
    return importlib.import_module(f"d2l.{request.param}")


def test_the_climb_starts_at_the_base_rate_and_ends_at_k_times_it(d2l: ModuleType) -> None:
    rates = [d2l.warmup_lr(step, base_lr=0.1, k=8, warmup_steps=4) for step in range(7)]
    assert rates == pytest.approx([0.1, 0.275, 0.45, 0.625, 0.8, 0.8, 0.8])


def test_goyals_climb_to_3_point_2_in_five_epochs(d2l: ModuleType) -> None:
    steps = 5 * round(1_281_167 / 8192)
    assert d2l.warmup_lr(steps, 0.1, 32, steps) == pytest.approx(3.2)
    assert d2l.warmup_lr(steps // 2, 0.1, 32, steps) == pytest.approx(1.65)


def test_the_climb_walks_a_half_of_k_minus_1_over_k_less_far(d2l: ModuleType) -> None:
    k, steps = 16, 1000
    walked = sum(d2l.warmup_lr(step, 1 / k, k, steps) for step in range(steps + 1))
    assert steps + 1 - walked == pytest.approx((steps + 1) * (k - 1) / (2 * k))


def test_without_warm_up_the_full_rate_holds_at_once(d2l: ModuleType) -> None:
    assert d2l.warmup_lr(0, 0.1, 4, 0) == pytest.approx(0.4)


def test_a_smaller_batch_lets_the_rate_sink(d2l: ModuleType) -> None:
    assert [d2l.warmup_lr(step, 0.4, 0.5, 2) for step in range(4)] == pytest.approx([0.4, 0.3, 0.2, 0.2])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((-1, 0.1, 4, 10), "step -1 of 10 warm-up steps: neither may be negative"),
        ((0, 0.1, 4, -10), "step 0 of -10 warm-up steps: neither may be negative"),
        ((float("nan"), 0.1, 4, 10), "step nan of 10 warm-up steps: neither may be negative"),
        ((0, 0.0, 4, 10), "base_lr 0.0, k 4: both must be positive and finite"),
        ((0, 0.1, -4, 10), "base_lr 0.1, k -4: both must be positive and finite"),
        ((0, float("inf"), 4, 10), "base_lr inf, k 4: both must be positive and finite"),
        ((0, 0.1, float("nan"), 10), "base_lr 0.1, k nan: both must be positive and finite"),
    ],
)
def test_what_makes_no_rate_is_refused(d2l: ModuleType, arguments: tuple[float, ...], message: str) -> None:
    with pytest.raises(ValueError) as caught:
        d2l.warmup_lr(*arguments)
    assert str(caught.value) == message
