"""`synchronize` and `profile_events` in the four libraries: what is waited for, and what a profiler sees."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

PROGRAMS = {
    "torch": """
import torch
waited = []
torch.accelerator.synchronize = waited.append
d2l.synchronize(torch.ones(1), None, 1.0)
assert waited == [], "a CPU owes nothing"
d2l.num_gpus, d2l.gpu = lambda: 2, lambda i=0: f'GPU{i}'
d2l.synchronize()
assert waited == ['GPU0', 'GPU1']
""",
    "mxnet": """
from mxnet import npx
npx.set_np()
waited = []
wait, npx.waitall = npx.waitall, lambda: waited.append(True) or wait()
x = d2l.ones((4, 4))
d2l.synchronize([x @ x], None, 1.0)
d2l.synchronize()
assert waited == [True, True]
""",
    "jax": """
import jax
x = jax.numpy.ones((1500, 1500))
y = x @ x @ x
d2l.synchronize({'y': [y]}, None, 1.0)
assert y.is_ready()
z = x @ x @ x
d2l.synchronize()
assert z.is_ready()
""",
    "tensorflow": """
import tensorflow as tf
waited = []
wait, tf.test.experimental.sync_devices = tf.test.experimental.sync_devices, lambda: waited.append(True) or wait()
d2l.synchronize(tf.ones(1), None, 1.0)
d2l.synchronize()
assert waited == [True, True]
""",
}


@pytest.mark.parametrize("framework", PROGRAMS)
def test_synchronize(framework: str) -> None:
    program = f"from d2l import {framework} as d2l\n{PROGRAMS[framework]}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


EVENTS = """
import json, threading, time
if "{framework}" == "mxnet":
    from mxnet import npx
    npx.set_np()

def load():
    with d2l.span("load"):
        time.sleep(0.2)

def work():
    thread = threading.Thread(target=load)
    thread.start()
    with d2l.span("compute"):
        with d2l.span("inner"):
            time.sleep(0.1)
        time.sleep(0.05)
    thread.join()

seen = [d2l.profile_events(work) for _ in range(2)]  # a second time, too
given = [
    (("thread", 7), "outer", 1.0, 10.0), (("thread", 7), "inside", 1.0, 9.0), (("thread", 7), "later", 11.0, 2.0),
    (("thread", 3), "short", 2.0, 0.01), (("thread", 3), "other", 3.0, 5.0), (("stream", 0), "kernel", 4.0, 1.0),
]
print(json.dumps([seen, d2l.main_events(given), d2l.main_events([])]))
"""


@pytest.mark.parametrize("framework", PROGRAMS)
def test_profilers_see_threads_side_by_side(framework: str) -> None:
    program = f"from d2l import {framework} as d2l\n{EVENTS.format(framework=framework)}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    seen, chosen, none = json.loads(done.stdout.splitlines()[-1])
    for events in seen:
        found = {name: (lane, start, start + seconds) for lane, name, start, seconds in events}
        assert {"load", "compute"} <= set(found), events
        assert "inner" not in found, events
        (loading, begin, end), (computing, start, stop) = found["load"], found["compute"]
        assert loading != computing
        assert max(begin, start) < min(end, stop)
    assert chosen == [
        ["thread 1", "outer", 0, 10],
        ["thread 2", "other", 2, 5],
        ["stream 1", "kernel", 3, 1],
        ["thread 1", "later", 10, 2],
    ]
    assert none == []
