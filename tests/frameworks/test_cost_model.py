"""The cost model's helpers in the four libraries: bounds and times in closed form, measuring with a clock that is told
what to say, the table, and bad input.

Each library runs in a process of its own, because two frameworks fix the number of devices when they start.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest

PROGRAM = """
import contextlib, io, json, os
from d2l import {framework} as d2l
if "{framework}" == "mxnet":
    from mxnet import npx
    npx.set_np()

three = d2l.devices(3)

def error(fn):
    try:
        return str(fn())
    except (ValueError, RuntimeError) as raised:
        return f"{{type(raised).__name__}}: {{raised}}"

with contextlib.redirect_stdout(io.StringIO()) as printed, d2l.Benchmark("work") as benchmark:
    pass

original = d2l.random_matrix(2, 3, three[0])
copy = d2l.copy_to(original, three[0])
def address(x):
    if hasattr(x, "data_ptr"):
        return x.data_ptr()
    if hasattr(x, "unsafe_buffer_pointer"):
        return x.unsafe_buffer_pointer()
    if hasattr(x, "asnumpy"):
        return id(x)  # MXNet tells no address
    import numpy
    return numpy.asarray(memoryview(x)).ctypes.data

update = d2l.update_call(4, three[0])
update()
updated = d2l.as_array(update()).tolist()
reduced = d2l.allreduce_times(64, three, 3)

calls, waited = [], []
synchronize, d2l.synchronize = d2l.synchronize, lambda *values: waited.append(list(values))
median = d2l.time_call(lambda: calls.append(len(calls)) or len(calls), repeats=4)
turns = []
turn_times = d2l.times_in_turn([lambda: turns.append("a"), lambda: turns.append("b")], 3)
waited_in_turn = len(waited) - 5
os.environ["D2L_SHORT"] = "1"
short = len(d2l.call_times(lambda: None, 5))
del os.environ["D2L_SHORT"]
d2l.synchronize, waited = synchronize, waited[:5]

# A clock that says what it is told: a product 3 s at best, an update 0.5 s, copies 1 ms and 5 ms.
said = iter([[4, 3, 5], [0.5, 1], [0.002, 0.001], [0.005, 0.007], [4, 3, 5], [0.5, 1],
             [4, 3, 5], [0.5, 1], [0.002, 0.001], [0.005, 0.007]])
sizes = []
d2l.call_times, times_of = lambda fn, repeats: next(said), d2l.call_times
d2l.update_call = lambda size, device: sizes.append(size)
d2l.allreduce_times, reduce_times = lambda n, devices, repeats: [2.0, 0.004 if n == 4 else 0.012], d2l.allreduce_times
three_devices, one_device = d2l.measure_machine(three), d2l.measure_machine(three[:1])
# The first device is said to be a GPU, the second is not: they have a link and no all-reduce.
asked, on_gpus = [], d2l.on_gpus
d2l.on_gpus = lambda devices: asked.append(devices) or len(asked) == 1
mixed = d2l.measure_machine(three[:2])
d2l.on_gpus = on_gpus
d2l.call_times = lambda fn, repeats: [3.0, 1.0, 8.0]
told = d2l.time_call(None, 3)

model = d2l.Machine(flops=100.0, memory_bandwidth=10.0, copy_latency=1.0, copy_bandwidth=4.0, alpha=0.5, bandwidth=2.0,
                    num_devices=4)
alone = d2l.Machine(100.0, 10.0)
table = d2l.Comparison([("a <b>", 0.001, 0.0025), ("none", None, 0.0123456), ("exact", 0.5, 0.5)])
spread = d2l.Comparison([("several", 0.002, [0.004, 0.001, 0.003]), ("one", None, 0.5), ("once", 0.5, [0.5])])
results = dict(
    printed=printed.getvalue(), seconds=benchmark.seconds,
    copied=[d2l.as_array(original).tolist() == d2l.as_array(copy).tolist(), address(original) != address(copy)],
    shape=list(d2l.random_matrix(2, 3, three[0]).shape), updated=updated, reduced=reduced,
    calls=calls, waited=waited, median=median, told=told,
    short=short, turns=turns, turn_times=[len(times) for times in turn_times],
    waited_in_turn=waited_in_turn, spread=repr(spread),
    mixed=vars(mixed), mixed_shown=repr(mixed), asked=len(asked),
    three=vars(three_devices), one=vars(one_device), sizes=sizes, shown=[repr(three_devices), repr(one_device)],
    bounds=[model.bounds(300, 20), model.bounds(300, 50), model.bounds(0, 0)], ridge=model.ridge(),
    copy=model.copy_time(8), allreduce=model.allreduce_time(16),
    text=repr(table), html=table._repr_html_(),
    units=[d2l.Comparison([("", t, t)]).unit for t in (2, 1, 0.5, 1e-3, 9e-4, 1e-9, 0, None)],
    numbers=[d2l.Comparison([("", t, t)]).cells()[1][1] for t in (1234.5, 12.345, 0.00012345, 0, float("inf"))],
    errors=[error(lambda: d2l.Comparison(rows)) for rows in ([], [("a", 1)], [("a", -1, 1)], [("a", 1, float("nan"))])]
    + [error(lambda: model.bounds(-1, 0)), error(lambda: alone.copy_time(1)), error(lambda: alone.allreduce_time(1)),
       error(lambda: mixed.allreduce_time(1)),
       error(lambda: d2l.measure_machine([])), error(lambda: times_of(None, 0)),
       error(lambda: d2l.times_in_turn([], 0)), error(lambda: d2l.Comparison([("a", 1, [1, -1])])),
       error(lambda: reduce_times(4, three[:1], 1))],
)
print(json.dumps(results))
"""


@pytest.fixture(scope="module", params=["torch", "mxnet", "jax", "tensorflow"])
def results(request: pytest.FixtureRequest) -> dict[str, Any]:
    program = PROGRAM.format(framework=request.param)
    environment = {name: value for name, value in os.environ.items() if name != "D2L_SHORT"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return {"framework": request.param, **json.loads(done.stdout.splitlines()[-1])}


def test_a_benchmark_prints_what_readers_know(results: dict[str, Any]) -> None:
    assert results["printed"] == f"work: {results['seconds']:.4f} sec\n"


def test_bounds_are_maximum_and_sum(results: dict[str, Any]) -> None:
    assert results["bounds"] == [[3.0, 5.0], [5.0, 8.0], [0.0, 0.0]]
    assert results["ridge"] == 10.0


def test_links_cost_latency_and_bytes(results: dict[str, Any]) -> None:
    assert results["copy"] == 1.0 + 8 / 4
    assert results["allreduce"] == 2 * 3 / 4 * 16 / 2 + 2 * 3 * 0.5


def test_one_call_does_not_count_and_each_is_waited_for(results: dict[str, Any]) -> None:
    assert results["calls"] == [0, 1, 2, 3, 4]
    assert results["waited"] == [[1], [2], [3], [4], [5]]
    assert results["median"] >= 0
    assert results["told"] == 3.0


def test_a_machine_is_the_best_of_what_was_timed(results: dict[str, Any]) -> None:
    numbers = results["sizes"][0]
    assert 4 * numbers > 2**27  # more bytes than most caches have
    assert results["three"] == pytest.approx(
        {
            "flops": 2 * 2048**3 / 3,
            "memory_bandwidth": 12 * numbers / 0.5,
            "copy_latency": 0.001,
            "copy_bandwidth": 2**24 / 0.004,
            "alpha": 0.004 / 4,
            "bandwidth": 4 / 3 * 2**24 / 0.008,
            "num_devices": 3,
        }
    )


def test_one_device_has_no_links(results: dict[str, Any]) -> None:
    one = results["one"]
    assert one["flops"] == results["three"]["flops"]
    assert [one[name] for name in ("copy_latency", "copy_bandwidth", "alpha", "bandwidth")] == [None] * 4
    assert results["shown"][0].startswith(results["shown"][1])
    assert "all-reduce" in results["shown"][0]
    assert "all-reduce" not in results["shown"][1]


def test_calls_that_are_compared_take_turns(results: dict[str, Any]) -> None:
    assert results["turns"] == ["a", "b"] * 4
    assert results["turn_times"] == [3, 3]
    assert results["waited_in_turn"] == 8


def test_a_short_run_times_one_call(results: dict[str, Any]) -> None:
    assert results["short"] == 1


def test_a_gpu_and_a_cpu_have_a_link_and_no_all_reduce(results: dict[str, Any]) -> None:
    mixed = results["mixed"]
    assert results["asked"] == 2
    assert [mixed["copy_latency"], mixed["copy_bandwidth"]] == pytest.approx([0.001, 2**24 / 0.004])
    assert [mixed["alpha"], mixed["bandwidth"]] == [None, None]
    assert "copy " in results["mixed_shown"]
    assert "all-reduce" not in results["mixed_shown"]


def test_a_list_of_times_is_shown_as_median_and_range(results: dict[str, Any]) -> None:
    assert results["spread"].splitlines() == [
        "         predicted (ms)  measured (ms)  error (%)  from–to (ms)",
        "several            2.00           3.00        +50     1.00–4.00",
        "one                   –            500          –             –",
        "once                500            500         +0             –",
    ]


def test_what_is_timed_does_what_it_says(results: dict[str, Any]) -> None:
    assert results["copied"] == [True, True]
    assert results["shape"] == [2, 3]
    assert results["updated"] == [3.0] * 4
    assert len(results["reduced"]) == 3
    assert min(results["reduced"]) > 0


def test_the_table_is_aligned_and_has_one_unit(results: dict[str, Any]) -> None:
    assert results["text"].splitlines() == [
        "       predicted (ms)  measured (ms)  error (%)",
        "a <b>            1.00           2.50       +150",
        "none                –           12.3          –",
        "exact             500            500         +0",
    ]
    assert results["units"] == ["s", "s", "ms", "ms", "µs", "µs", "s", "s"]
    assert results["numbers"] == ["1,234", "12.3", "123", "0", "inf"]


def test_the_table_is_html_too(results: dict[str, Any]) -> None:
    assert results["html"].startswith('<table class="table">')
    assert "<td>a &lt;b&gt;</td>" in results["html"]
    assert results["html"].count("<tr>") == 4
    assert '<td style="text-align: right">+150</td>' in results["html"]


def test_bad_input_is_told(results: dict[str, Any]) -> None:
    starts = (
        "ValueError: nothing to compare",
        "ValueError: ('a', 1) is not (what, predicted seconds, measured seconds)",
        "ValueError: a: -1 is not a time in seconds",
        "ValueError: a: nan is not a time in seconds",
        "ValueError: -1 FLOP on 0 bytes: neither can be negative",
        "RuntimeError: copies and all-reduces were not measured",
        "RuntimeError: copies and all-reduces were not measured",
        "RuntimeError: copies and all-reduces were not measured",
        "ValueError: measure_machine needs a device",
        "ValueError: 0 repeats: there must be at least one",
        "ValueError: 0 repeats: there must be at least one",
        "ValueError: a: -1 is not a time in seconds",
        "ValueError: an all-reduce over 1 device(s)",
    )
    assert len(results["errors"]) == len(starts)
    for message, start in zip(results["errors"], starts, strict=True):
        assert message.startswith(start)
