"""The book's functions and classes for TensorFlow.

What stands below the banner is generated from the cells marked `#@save` in the book's pages; change it there.
`plt` (matplotlib.pyplot in the book's style) is loaded when first used.
"""

import sys
from types import ModuleType

from .requirement import require

require("tensorflow")

from . import tensorflow_import  # isort: skip  # before keras and tensorflow
import keras
import numpy as np
import tensorflow as tf

from . import __version__, fashion_mnist
from .display import LiveFigure, as_array, draw_line, load_pyplot, use_svg_display
from .transfer import fetch

d2l = sys.modules[__name__]
plt: ModuleType  # by __getattr__


def __getattr__(name: str) -> ModuleType:
    if name == "plt":
        return load_pyplot()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Names the book's own definitions only, so that completion lists nothing that the library imports for itself."""
    return sorted({*__all__, "__doc__", "__file__", "__name__", "__version__"})


# ---- Generated from the cells marked #@save by `d2lbook build lib`: do not edit below this line. ----

import glob
import hashlib
import html
import inspect
import io
import math
import os
import socket
import tempfile
import time
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

import numpy as onp

from d2l.processes import Processes

__all__ = [
    "Accumulator", "Animator", "Benchmark", "Classifier", "Comparison", "DATA_HUB", "DataModule",
    "Device", "FashionMNIST", "HyperParameters", "KVStore", "LiveFigure", "Machine", "Minibatches",
    "Module", "PipelineSchedule", "PipelineSlot", "ProgressBoard", "Residual", "Timer", "Trainer",
    "TransformerBlock", "abs", "accuracy", "add_to_class", "allreduce_times", "arange", "argmax",
    "array_like", "as_array", "astype", "batch_matmul", "budget", "bytes_of", "call_times",
    "check_plan", "checkpoint_arrays", "concat", "copy_of", "copy_to", "cos", "cosh", "cpu",
    "curves_of", "devices", "download", "draw_line", "evaluate_accuracy_gpu", "evaluate_accuracy_gpus",
    "exp", "expand_dims", "eye", "fashion_mnist", "fetch", "fit_alpha_beta", "float32", "free_port",
    "gpu", "image_batch", "int32", "int64", "launch", "link_pair", "linspace", "llama_sizes",
    "load_checkpoint", "load_data_fashion_mnist", "load_pyplot", "log", "main_events", "matmul",
    "max_rel_err", "measure_links", "measure_machine", "memory_ledger", "mesh_carriers", "mesh_memory",
    "mesh_seconds", "mesh_traffic", "meshgrid", "named_arrays", "nn_Module", "normal", "num_gpus",
    "numpy", "on_gpus", "ones", "ones_like", "pipeline_orders", "plan_mesh", "plot", "plot_timeline",
    "plt", "profile_events", "rand", "randn", "random_matrix", "reduce_mean", "reduce_sum", "repeat",
    "require", "reshape", "resnet18", "ring_allreduce", "ring_join", "ring_pieces", "ring_send",
    "save_checkpoint", "set_axes", "set_figsize", "sgd", "shard_axis", "shard_linear", "short_run",
    "show_images", "sigmoid", "simulate_pipeline", "sin", "sinh", "size", "span", "split_batch",
    "stack", "stage_order", "stage_times", "stored_array", "swapaxes", "synchronize", "tanh", "tensor",
    "tensorflow_import", "time_call", "times_in_turn", "to", "transpose", "tree_like", "try_all_gpus",
    "try_gpu", "update_call", "use_float32", "use_svg_display", "warmup_lr", "zeros", "zeros_like",
]


def devices(k):
    """Return the names of `k` devices: GPUs if there are enough, else logical CPUs.

    Raises ValueError if `k` is less than 1, RuntimeError if TensorFlow has started with fewer CPUs than `k`.

    Defined in Section 1.1 (Simulated Devices), chapter_computation/simulated-devices.md
    """
    if k < 1:
        raise ValueError(f'{k} devices: there must be at least one')
    if d2l.num_gpus() >= k:
        return [d2l.gpu(i) for i in range(k)]
    cpu = tf.config.list_physical_devices('CPU')[0]
    try:
        tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * k)
        tf.config.set_soft_device_placement(d2l.num_gpus() > 0)  # GPUs lack some operations
    except RuntimeError:
        pass  # TensorFlow has started; there may be enough devices all the same
    cpus = len(tf.config.list_logical_devices('CPU'))
    if cpus < k:
        raise RuntimeError(f'TensorFlow has started with {cpus} CPU device(s): restart the kernel and call '
                           f'devices({k}) before any other operation')
    return [d2l.Device(f'/CPU:{i}') for i in range(k)]


def link_pair():
    """Return two devices `a` and `b` for copies, and the kind of link between them.

    The kind is 'gpus' for the first two GPUs, 'gpu+cpu' for the only GPU and the CPU, and 'simulated' for two
    simulated devices, which share a memory and have no link. Raises RuntimeError where `devices(2)` does.

    Defined in Section 1.1 (Simulated Devices), chapter_computation/simulated-devices.md
    """
    a, b = d2l.devices(2)
    if d2l.on_gpus([a, b]):
        return a, b, 'gpus'
    if d2l.num_gpus() > 0:
        return d2l.gpu(0), d2l.cpu(), 'gpu+cpu'
    return a, b, 'simulated'


def use_float32():
    """Let GPUs multiply and convolve float32 numbers in float32 and not in TF32.

    Defined in Section 1.1 (Simulated Devices), chapter_computation/simulated-devices.md
    """
    tf.config.experimental.enable_tensor_float_32_execution(False)


class Device(str):
    """The name of a TensorFlow device; `with device:` does what `with tf.device(device):` does.

    Defined in Section 1.2.4 (Naming Devices), chapter_computation/use-gpu.md
    """

    def __enter__(self):
        self.__dict__.setdefault('entered', []).append(tf.device(str(self)))
        self.entered[-1].__enter__()
        return self

    def __exit__(self, *exception):
        self.entered.pop().__exit__(*exception)


def cpu():
    """Return the name of the first CPU device, a string that `tf.device` takes and `with` accepts as it is.

    Defined in Section 1.2.4 (Naming Devices), chapter_computation/use-gpu.md
    """
    return Device('/CPU:0')


def num_gpus():
    """Return the number of visible GPUs: CUDA, ROCm or Apple Metal. Does not start TensorFlow's runtime.

    Defined in Section 1.2.4 (Naming Devices), chapter_computation/use-gpu.md
    """
    return len(tf.config.get_visible_devices('GPU'))


def gpu(i=0):
    """Return the name of GPU `i`, whether or not it exists.

    Raises ValueError if `i` is negative.

    Defined in Section 1.2.4 (Naming Devices), chapter_computation/use-gpu.md
    """
    if i < 0:
        raise ValueError(f'GPUs are numbered from 0: there is no GPU {i}')
    return Device(f'/GPU:{i}')


def try_gpu(i=0):
    """Return `gpu(i)` if it exists, else `cpu()`.

    Raises ValueError if `i` is negative.

    Defined in Section 1.2.4 (Naming Devices), chapter_computation/use-gpu.md
    """
    if i < 0:
        raise ValueError(f'GPUs are numbered from 0: there is no GPU {i}')
    return gpu(i) if i < num_gpus() else cpu()


def try_all_gpus():
    """Return the list of all GPUs, or `[cpu()]` if there are none.

    Defined in Section 1.2.4 (Naming Devices), chapter_computation/use-gpu.md
    """
    return [gpu(i) for i in range(num_gpus())] or [cpu()]


def on_gpus(devices):
    """Return whether `devices` are all GPUs of this machine, in the words of `gpu`; an empty list is not.

    Defined in Section 1.2.4 (Naming Devices), chapter_computation/use-gpu.md
    """
    gpus = [gpu(i) for i in range(num_gpus())]
    return len(devices) > 0 and all(device in gpus for device in devices)


def named_arrays(tree, name=''):
    """Return the arrays in nested lists and dictionaries as a dictionary from where they stand to float64 arrays.

    A name reads like the Python that finds the array: `[0]['bias']`. A number or an array alone has the name ''.
    Raises ValueError for None, which is no array.

    Defined in Section 1.3 (Numerical Stability), chapter_computation/numerical-stability.md
    """
    if isinstance(tree, Mapping):
        parts = [(key, tree[key]) for key in tree]
    elif isinstance(tree, (list, tuple)):
        parts = list(enumerate(tree))
    elif tree is None:
        raise ValueError(f'None{name and " at " + name} is no array: there is nothing to compare')
    else:
        return {name: d2l.as_array(tree).astype('float64')}
    arrays = {}
    for key, part in parts:
        arrays.update(d2l.named_arrays(part, f'{name}[{key!r}]'))
    return arrays


def max_rel_err(a, b):
    """Return the largest entry of |a - b|, as a fraction of the largest entry of |b|.

    `a` and `b` are numbers, arrays, or lists or dictionaries of them, also nested, of the same structure and shapes. Each
    array of `a` is compared with that of `b` on its own scale, in float64, and the worst of all pairs is returned.
    It is infinite or NaN if an array of `b` is zero and that of `a` is not, or if there is an infinity or a NaN anywhere,
    so that `max_rel_err(a, b) <= tolerance` is false then. Raises ValueError if structure or shapes differ, or if there is
    nothing to compare.

    Defined in Section 1.3 (Numerical Stability), chapter_computation/numerical-stability.md
    """
    arrays_a, arrays_b = d2l.named_arrays(a), d2l.named_arrays(b)
    if arrays_a.keys() != arrays_b.keys():
        missing = [name or 'a single array' for name in sorted(arrays_a.keys() ^ arrays_b.keys())]
        raise ValueError(f'only one of the two has {", ".join(missing[:3])}: both must have the same structure')
    errors = []
    for name, x in arrays_a.items():
        y = arrays_b[name]
        if x.shape != y.shape:
            raise ValueError(f'the arrays{name and " at " + name} have the shapes {x.shape} and {y.shape}: '
                             'they must be equal, nothing is broadcast')
        if x.size:
            error, scale = onp.abs(x - y).max(), onp.abs(y).max()
            errors.append(error / scale if scale else 0.0 if error == 0 else onp.inf)
    if not errors:
        raise ValueError('there is no number to compare, so no agreement to speak of')
    return float(onp.max(errors))  # the max of NumPy returns a NaN where there is one, that of Python may not


class Benchmark:
    """Context manager that prints how long its block took and keeps it in `seconds`.

    Defined in Section 1.5.8 (The Helpers of This Page), chapter_computation/cost-model.md
    """
    def __init__(self, description='Done'):
        self.description = description
        self.seconds = None

    def __enter__(self):
        self.timer = d2l.Timer()
        return self

    def __exit__(self, *args):
        self.seconds = self.timer.stop()
        print(f'{self.description}: {self.seconds:.4f} sec')


def times_in_turn(fns, repeats=9):
    """Return for each of `fns` the list of the seconds of its calls, which take turns.

    Each function is called once uncounted, then `repeats` times, in a short run once. A call is timed until the arrays
    that it returns are there. Raises ValueError if `repeats` is less than 1.

    Defined in Section 1.5.8 (The Helpers of This Page), chapter_computation/cost-model.md
    """
    if repeats < 1:
        raise ValueError(f'{repeats} repeats: there must be at least one')
    repeats = 1 if d2l.short_run() else repeats
    for fn in fns:
        d2l.synchronize(fn())
    timers = [d2l.Timer() for _ in fns]
    for _ in range(repeats):
        for fn, timer in zip(fns, timers):
            timer.start()
            d2l.synchronize(fn())
            timer.stop()
    return [timer.times for timer in timers]


def call_times(fn, repeats):
    """Return the seconds of each of `repeats` calls of `fn()`, after one that does not count; in a short run of one call.

    Each call is timed until the arrays that it returns are there. Raises ValueError if `repeats` is less than 1.

    Defined in Section 1.5.8 (The Helpers of This Page), chapter_computation/cost-model.md
    """
    return d2l.times_in_turn([fn], repeats)[0]


def time_call(fn, repeats=9):
    """Return the median of the seconds that `fn()` takes, in `repeats` calls after one that does not count.

    Each call is timed until the arrays that it returns are there. Raises ValueError if `repeats` is less than 1.

    Defined in Section 1.5.8 (The Helpers of This Page), chapter_computation/cost-model.md
    """
    return float(onp.median(d2l.call_times(fn, repeats)))


@dataclass(repr=False)
class Machine:
    """What a machine can do, as `measure_machine` found it; what was not measured is None.

    `flops` in FLOP/s and `memory_bandwidth` in byte/s are those of one device. A copy of n bytes to another takes
    `copy_latency` (s) + n / `copy_bandwidth` (byte/s). An all-reduce takes `alpha` (s) for each of its 2(k-1) steps, and
    carries `bandwidth` (byte/s) on each device; k is `num_devices`.

    Defined in Section 1.5.8 (The Helpers of This Page), chapter_computation/cost-model.md
    """
    flops: float
    memory_bandwidth: float
    copy_latency: float = None
    copy_bandwidth: float = None
    alpha: float = None
    bandwidth: float = None
    num_devices: int = 1

    def bounds(self, flops, num_bytes):
        """Return the seconds that `flops` operations on `num_bytes` bytes of memory take at least and at most.

        The lower bound is the larger of the two times (perfect overlap), the upper one their sum (none). Raises
        ValueError if a number is negative.
        """
        if flops < 0 or num_bytes < 0:
            raise ValueError(f'{flops} FLOP on {num_bytes} bytes: neither can be negative')
        math_time, memory_time = flops / self.flops, num_bytes / self.memory_bandwidth
        return max(math_time, memory_time), math_time + memory_time

    def ridge(self):
        """Return the FLOP per byte from which on arithmetic takes longer than memory.

        Defined in Section 1.5.8 (The Helpers of This Page), chapter_computation/cost-model.md
        """
        return self.flops / self.memory_bandwidth

    def copy_time(self, num_bytes):
        """Return the seconds that a copy of `num_bytes` bytes from one device to another takes.

        Raises RuntimeError if the machine was measured on one device.

        Defined in Section 1.5.8 (The Helpers of This Page), chapter_computation/cost-model.md
        """
        self.need(self.copy_bandwidth)
        return self.copy_latency + num_bytes / self.copy_bandwidth

    def allreduce_time(self, num_bytes):
        """Return the seconds of an all-reduce of `num_bytes` bytes a device: 2(k-1)/k n/B + 2(k-1) alpha.

        Raises RuntimeError if the machine was measured on one device, or on devices of different kinds.

        Defined in Section 1.5.8 (The Helpers of This Page), chapter_computation/cost-model.md
        """
        self.need(self.bandwidth)
        k = self.num_devices
        return 2 * (k - 1) / k * num_bytes / self.bandwidth + 2 * (k - 1) * self.alpha

    def need(self, constant):
        """Raise RuntimeError if `constant`, of copies or of all-reduces, was not measured.

        Defined in Section 1.5.8 (The Helpers of This Page), chapter_computation/cost-model.md
        """
        if constant is None:
            raise RuntimeError('copies and all-reduces were not measured: give measure_machine two devices or more of one '
                               'kind, as in measure_machine(d2l.devices(2))')

    def __repr__(self):
        """Defined in Section 1.5.8 (The Helpers of This Page), chapter_computation/cost-model.md"""
        lines = [f'arithmetic  {self.flops / 1e9:,.1f} GFLOP/s',
                 f'memory      {self.memory_bandwidth / 1e9:,.2f} GB/s, ridge at {self.ridge():.1f} FLOP/byte']
        if self.copy_bandwidth is not None:
            lines.append(f'copy        {self.copy_bandwidth / 1e9:,.2f} GB/s after {self.copy_latency * 1e6:,.1f} µs')
        if self.bandwidth is not None:
            lines.append(f'all-reduce  {self.bandwidth / 1e9:,.2f} GB/s after {self.alpha * 1e6:,.1f} µs a step, '
                         f'{self.num_devices} devices')
        return '\n'.join(lines)


def random_matrix(rows, columns, device):
    """Return a matrix of random 32-bit numbers on `device`.

    Defined in Section 1.5.8 (The Helpers of This Page), chapter_computation/cost-model.md
    """
    with tf.device(device):
        return tf.random.normal((rows, columns))


def copy_to(x, device):
    """Return a copy of `x` on `device`, in memory of its own even where `x` is already there.

    Defined in Section 1.5.8 (The Helpers of This Page), chapter_computation/cost-model.md
    """
    with tf.device(device):
        return tf.raw_ops.DeepCopy(x=tf.identity(x))


def update_call(size, device):
    """Return a function that adds one array of `size` numbers of 4 bytes to another, in place.

    Defined in Section 1.5.8 (The Helpers of This Page), chapter_computation/cost-model.md
    """
    with tf.device(device):
        x, y = tf.ones(size), tf.Variable(tf.ones(size))

    def update():
        with tf.device(device):
            return y.assign_add(x)
    return update


def allreduce_times(num_bytes, devices, repeats):
    """Return the seconds of each of `repeats` all-reduces of `num_bytes` bytes a device, over `devices`.

    That of a `MirroredStrategy`: NCCL on GPUs; on the CPU one device adds up and hands out the sum. Raises ValueError if
    there are fewer than two devices.

    Defined in Section 1.5.8 (The Helpers of This Page), chapter_computation/cost-model.md
    """
    if len(devices) < 2:
        raise ValueError(f'an all-reduce over {len(devices)} device(s): there must be at least two')
    on_gpu = 'GPU' in str(devices[0])
    method = tf.distribute.NcclAllReduce() if on_gpu else tf.distribute.ReductionToOneDevice()
    strategy = tf.distribute.MirroredStrategy(devices, cross_device_ops=method)
    size = max(1, num_bytes // 4)
    parts = strategy.experimental_distribute_values_from_function(lambda context: tf.zeros(size))

    def add(x):
        return tf.distribute.get_replica_context().all_reduce('SUM', x)
    run = tf.function(lambda parts: strategy.run(add, args=(parts,)))
    return d2l.call_times(lambda: run(parts), repeats)


def measure_machine(devices=None):
    """Return the `Machine` that `devices` are: by default one GPU, or the CPU if there is none.

    The best of several tries each: 32-bit matrix products, additions in place that are too large for caches, and with
    two devices or more copies from the first to the second and all-reduces over all. A GPU and a CPU have no all-reduce.
    Raises ValueError if the list is empty.

    Defined in Section 1.5.8 (The Helpers of This Page), chapter_computation/cost-model.md
    """
    devices = [d2l.try_gpu()] if devices is None else list(devices)
    if not devices:
        raise ValueError('measure_machine needs a device, as in measure_machine(d2l.devices(2)): the list is empty')
    on_cpu = 'cpu' in str(devices[0]).lower()
    size, numbers = (2048, 2 ** 26) if on_cpu else (8192, 2 ** 28)
    A = d2l.random_matrix(size, size, devices[0])
    flops = 2 * size ** 3 / min(d2l.call_times(lambda: A @ A, 9))
    update = d2l.update_call(numbers, devices[0])
    machine = Machine(flops, 3 * 4 * numbers / min(d2l.call_times(update, 5)), num_devices=len(devices))
    if len(devices) > 1:
        measure_links(machine, devices)
    return machine


def measure_links(machine, devices, num_bytes=2 ** 24):
    """Measure copies from the first of `devices` to the second and all-reduces over all, and set them in `machine`.

    Latencies from the smallest arrays, bandwidths from the extra time for arrays of `num_bytes` bytes. All-reduces need
    devices of one kind.

    Defined in Section 1.5.8 (The Helpers of This Page), chapter_computation/cost-model.md
    """
    k = len(devices)
    small, large = (d2l.random_matrix(1, size, devices[0]) for size in (1, num_bytes // 4))
    machine.copy_latency, copy = (min(d2l.call_times(lambda: d2l.copy_to(x, devices[1]), 9)) for x in (small, large))
    machine.copy_bandwidth = num_bytes / max(copy - machine.copy_latency, 1e-9)
    if len({d2l.on_gpus([device]) for device in devices}) > 1:
        return
    first, last = (min(d2l.allreduce_times(n, devices, 5)) for n in (4, num_bytes))
    machine.alpha = first / (2 * (k - 1))
    machine.bandwidth = 2 * (k - 1) / k * num_bytes / max(last - first, 1e-9)


class Comparison:
    """Table of predictions and measurements, from `rows` of (what, predicted seconds, measured seconds).

    A measurement is a time or a list of times. Of a list the table shows the median, and in a last column the least and
    the greatest. The error is how much longer it took than predicted, in percent of the prediction; a prediction may be
    None. Raises ValueError if there is no row, or one that is not such a triple.

    Defined in Section 1.5.8 (The Helpers of This Page), chapter_computation/cost-model.md
    """
    def __init__(self, rows):
        self.rows = [tuple(row) for row in rows]
        if not self.rows:
            raise ValueError('nothing to compare: rows of (what, predicted seconds, measured seconds) are needed')
        for i, row in enumerate(self.rows):
            if len(row) != 3:
                raise ValueError(f'{row} is not (what, predicted seconds, measured seconds)')
            what, predicted, measured = row
            times = sorted(measured) if isinstance(measured, (list, tuple)) else [measured]
            for seconds in [predicted, *times]:
                if seconds is not None and not seconds >= 0:
                    raise ValueError(f'{what}: {seconds} is not a time in seconds')
            median = float(onp.median(times)) if len(times) > 1 else times[0]
            self.rows[i] = (what, predicted, median, (times[0], times[-1]) if len(times) > 1 else None)
        times = sorted(s for row in self.rows for s in row[1:3] if s)
        middle = times[len(times) // 2] if times else 1
        self.unit, self.scale = next(pair for pair in (('s', 1), ('ms', 1e3), ('µs', 1e6))
                                     if middle * pair[1] >= 1 or pair[0] == 'µs')

    def cells(self):
        """Return the table as texts: its head, then a row for each comparison."""
        table = [('', f'predicted ({self.unit})', f'measured ({self.unit})', 'error (%)', f'from–to ({self.unit})')]
        for what, predicted, measured, spread in self.rows:
            table.append((str(what), self.digits(predicted), self.digits(measured), self.error(predicted, measured),
                          '–'.join(map(self.digits, spread)) if spread else '–'))
        return table if any(row[3] for row in self.rows) else [row[:4] for row in table]

    def digits(self, seconds):
        """Return a time in the unit of the table, with three digits that count."""
        if seconds is None:
            return '–'
        value = float(seconds) * self.scale
        if value == 0 or math.isinf(value):
            return f'{value:.0f}'
        return f'{value:,.{max(0, 2 - math.floor(math.log10(value)))}f}'

    def error(self, predicted, measured):
        """Return how much longer than predicted it took, in percent."""
        if not predicted or measured is None or math.isinf(predicted) or math.isinf(measured):
            return '–'
        return f'{(float(measured) / float(predicted) - 1) * 100:+.0f}'

    def __repr__(self):
        """Defined in Section 1.5.8 (The Helpers of This Page), chapter_computation/cost-model.md"""
        cells = self.cells()
        widths = [max(len(cell) for cell in column) for column in zip(*cells)]
        return '\n'.join('  '.join([row[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])])
                         for row in cells)

    def _repr_html_(self):
        """Defined in Section 1.5.8 (The Helpers of This Page), chapter_computation/cost-model.md"""
        def line(row, tag):
            numbers = ''.join(f'<{tag} style="text-align: right">{cell}</{tag}>' for cell in row[1:])
            return f'<tr><{tag}>{html.escape(row[0])}</{tag}>{numbers}</tr>'
        head, *body = self.cells()
        rows = '\n'.join(line(row, 'td') for row in body)
        return f'<table class="table">\n<thead>{line(head, "th")}</thead>\n<tbody>\n{rows}\n</tbody>\n</table>'


def synchronize(*values):
    """Return when all devices have done what they were asked for.

    `values` are what to wait for in frameworks that need to know; here everything is waited for.

    Defined in Section 1.6 (Asynchrony and Overlap), chapter_computation/auto-parallelism.md
    """
    tf.test.experimental.sync_devices()


def span(name):
    """Return a context manager; the profiler records its block under `name`.

    Defined in Section 1.6.7 (The Helpers of This Page), chapter_computation/auto-parallelism.md
    """
    return tf.profiler.experimental.Trace(name)


def profile_events(fn):
    """Run `fn()` under the profiler; return its main events, (lane, name, start, seconds) each.

    A lane is a thread or a stream of a GPU; see `main_events`.

    Defined in Section 1.6.7 (The Helpers of This Page), chapter_computation/auto-parallelism.md
    """
    from tensorflow.tsl.profiler.protobuf import xplane_pb2  # the format of the file; not a public name
    options = tf.profiler.experimental.ProfilerOptions(python_tracer_level=0)
    space = xplane_pb2.XSpace()
    with tempfile.TemporaryDirectory() as folder:
        with tf.profiler.experimental.Profile(folder, options):
            d2l.synchronize(fn())
        file, = glob.glob(f'{folder}/**/*.xplane.pb', recursive=True)
        with open(file, 'rb') as stream:
            space.ParseFromString(stream.read())
    events = []
    for plane in space.planes:
        for number, line in enumerate(plane.lines):
            kind = 'stream' if line.name.startswith('Stream') else 'thread'
            if kind == 'stream' or plane.name == '/host:CPU':
                events += [((kind, (plane.name, number)), plane.event_metadata[event.metadata_id].name,
                            line.timestamp_ns / 1e9 + event.offset_ps / 1e12, event.duration_ps / 1e12)
                           for event in line.events]
    return d2l.main_events(events)


def main_events(events):
    """Return of `events`, ((kind, key), name, start, seconds) each, those that matter, with names for their lanes.

    They are inside no other event of their lane, and last at least a hundredth of the whole. Times begin at 0, and
    lanes are numbered within their kind, in the order in which they begin.

    Defined in Section 1.6.7 (The Helpers of This Page), chapter_computation/auto-parallelism.md
    """
    events = sorted(events, key=lambda event: (event[2], -event[3]))
    if not events:
        return []
    begin, whole = events[0][2], max(start + seconds for _, _, start, seconds in events) - events[0][2]
    kept, ends, lanes = [], {}, {}
    for lane, name, start, seconds in events:
        if seconds >= whole / 100 and start + seconds > ends.get(lane, 0):
            ends[lane] = start + seconds
            number = sum(kind == lane[0] for kind, _ in lanes) + 1
            kept.append((lanes.setdefault(lane, f'{lane[0]} {number}'), name, start - begin, seconds))
    return kept


def plot_timeline(events, figsize=(6, 1.5)):
    """Draw `events`, (lane, name, start, seconds) each, as bars: a row for each lane, a colour for each name.

    Defined in Section 1.6.7 (The Helpers of This Page), chapter_computation/auto-parallelism.md
    """
    d2l.set_figsize(figsize)
    axes = d2l.plt.gca()
    axes.cla()
    lanes, names = (list(dict.fromkeys(column)) for column in list(zip(*events))[:2])
    whole = max(start + seconds for _, _, start, seconds in events)
    for lane, name, start, seconds in events:
        row = lanes.index(lane)
        axes.broken_barh([(start * 1e3, seconds * 1e3)], (row - 0.4, 0.8), facecolor=f'C{names.index(name)}', alpha=0.5)
        letters = int(80 * seconds / whole)  # as many as there is room for
        if letters > 2:
            axes.text((start + seconds / 2) * 1e3, row, name[:letters], ha='center', va='center', fontsize=8)
    axes.set_yticks(range(len(lanes)), lanes)
    axes.invert_yaxis()
    axes.set_xlabel('ms')


def warmup_lr(step, base_lr, k, warmup_steps):
    """Return the learning rate of step `step` (the first is 0): it climbs linearly from `base_lr` to `k * base_lr`.

    `k` is the factor by which the batch grew. From step `warmup_steps` on the rate is `k * base_lr`; with
    `warmup_steps=0` that is at once. Goyal et al. (2017), section 2.2. Raises ValueError for a negative `step` or
    `warmup_steps`, and unless `base_lr` and `k` are positive and finite.

    Defined in Section 2.1 (Minibatch SGD), chapter_computation/minibatch-sgd.md
    """
    if not (step >= 0 and warmup_steps >= 0):
        raise ValueError(f'step {step} of {warmup_steps} warm-up steps: neither may be negative')
    if not (0 < base_lr < float('inf') and 0 < k < float('inf')):
        raise ValueError(f'base_lr {base_lr}, k {k}: both must be positive and finite')
    progress = min(step / warmup_steps, 1) if warmup_steps else 1
    return base_lr * (1 + (k - 1) * progress)


def accuracy(y_hat, y):
    """Return how many of the N predictions `y_hat` are right, a tensor () on their device; `float` reads it.

    `y_hat` holds a score for each class (N, classes) or the classes themselves (N,), `y` the labels (N,).

    Defined in Section 2.2 (LeNet), chapter_computation/lenet.md
    """
    if len(y_hat.shape) > 1:
        y_hat = tf.argmax(y_hat, axis=1)
    return tf.reduce_sum(tf.cast(tf.cast(y_hat, y.dtype) == y, tf.int32))


class Accumulator:
    """Sums of `n` quantities over many steps, such as losses, right answers and examples.

    Numbers that a device is still computing are kept as they come, and read when a sum is asked for.

    Defined in Section 2.2 (LeNet), chapter_computation/lenet.md
    """
    def __init__(self, n):
        self.sums, self.unread = [0.0] * n, [[] for _ in range(n)]

    def add(self, *args):
        """Add one number to each sum; raises ValueError if there are more or fewer numbers than sums."""
        if len(args) != len(self.sums):
            raise ValueError(f'{len(args)} numbers for {len(self.sums)} sums')
        for unread, value in zip(self.unread, args):
            unread.append(value)

    def reset(self):
        """Set all sums to 0."""
        self.__init__(len(self.sums))

    def __getitem__(self, idx):
        """Return sum `idx`, a float; waits for the devices."""
        self.sums[idx] += sum(float(value) for value in self.unread[idx])
        self.unread[idx].clear()
        return self.sums[idx]


def evaluate_accuracy_gpu(net, data_iter, device=None):
    """Return the fraction of the examples in the batches (X, y) of `data_iter` that `net` classifies right.

    `net` is a Keras model, which is evaluated in evaluation mode, or a function. It runs on `device`, by default
    where the model's variables are; for a function, where TensorFlow chooses.

    Defined in Section 2.2 (LeNet), chapter_computation/lenet.md
    """
    is_model = isinstance(net, tf.keras.Model)
    if is_model and device is None:
        device = net.variables[0].value.device
    counts = Accumulator(2)  # right answers, examples
    with tf.device(device):
        for X, y in data_iter:
            y_hat = net(X, training=False) if is_model else net(X)
            counts.add(accuracy(y_hat, y), len(y))
    return counts[0] / counts[1]


def split_batch(X, y, devices):
    """Split `X` and `y` along their first axis into one piece per device, and put each piece there.

    Returns two lists with `len(devices)` tensors. Pieces differ by one example at most; earlier devices get the
    larger ones. Raises ValueError if `X` and `y` differ in length, or if there are no devices or more
    devices than examples.

    Defined in Section 2.3 (Training on Multiple Devices), chapter_computation/multiple-gpus.md
    """
    n, k = X.shape[0], len(devices)
    if n != y.shape[0]:
        raise ValueError(f'X has {n} examples, y has {y.shape[0]}: they must have equally many')
    if not 1 <= k <= n:
        raise ValueError(f'cannot split {n} examples over {k} devices: each device needs at least one')
    sizes = [n // k + (j < n % k) for j in range(k)]

    def scatter(data):
        pieces = []
        for piece, device in zip(tf.split(data, sizes), devices):
            with tf.device(device):
                pieces.append(tf.identity(piece))
        return pieces
    return scatter(X), scatter(y)


class Residual(keras.Model):
    """A residual block: ReLU(x + g(x)), where g is two 3×3 convolutions with batch normalization.

    Input (B, H, W, C), output (B, ⌈H/strides⌉, ⌈W/strides⌉, num_channels). With `use_1x1conv` the input goes
    through a 1×1 convolution before it is added, which other channels or a stride need (else a ValueError).

    Defined in Section 2.5 (A Model Worth Splitting: ResNet), chapter_computation/resnet.md
    """
    def __init__(self, num_channels, use_1x1conv=False, strides=1):
        super().__init__()
        if strides != 1 and not use_1x1conv:
            raise ValueError(f'a block with strides={strides} needs use_1x1conv=True')
        self.correction = keras.Sequential([
            keras.layers.Conv2D(num_channels, 3, strides, padding='same'),
            keras.layers.BatchNormalization(momentum=0.9), keras.layers.ReLU(),
            keras.layers.Conv2D(num_channels, 3, padding='same'),
            keras.layers.BatchNormalization(momentum=0.9)])
        self.shortcut = (keras.layers.Conv2D(num_channels, 1, strides)
                         if use_1x1conv else keras.layers.Identity())

    def call(self, X):
        return tf.nn.relu(self.shortcut(X) + self.correction(X))


def ring_pieces(x, k):
    """Return the entries of `x` in `k` equal pieces; zeros fill up the last ones.

    Defined in Section 2.6 (Collectives), chapter_computation/collectives.md
    """
    with tf.device(x.device):
        return tf.split(tf.pad(tf.reshape(x, -1), [[0, -d2l.size(x) % k]]), k)


def ring_join(pieces, x):
    """Return `pieces` as one new array of the shape of `x`, without what was filled up.

    Defined in Section 2.6 (Collectives), chapter_computation/collectives.md
    """
    with tf.device(x.device):
        return tf.reshape(tf.concat(pieces, 0)[:d2l.size(x)], x.shape)


def bytes_of(x):
    """Return the number of bytes of the entries of array `x`.

    Defined in Section 2.6 (Collectives), chapter_computation/collectives.md
    """
    return d2l.size(x) * x.dtype.size


def ring_send(pieces, i, c, add):
    """Send piece `c` of device `i` to the next device, which adds it to its own or keeps it; return its bytes.

    Defined in Section 2.6 (Collectives), chapter_computation/collectives.md
    """
    j = (i + 1) % len(pieces)
    device = pieces[j][c].device
    message = d2l.to(pieces[i][c], device)
    with tf.device(device):
        pieces[j][c] = pieces[j][c] + message if add else message
    return d2l.bytes_of(message)


def ring_allreduce(parts):
    """All-reduce `parts`, arrays of equal shape and type, one on each of k devices, around a ring.

    Returns the k sums, each on the device of its part, and a list of the bytes that each device sent:
    2(k-1) pieces of 1/k of the array, which is filled up with zeros to a multiple of k. The parts stay as they are.
    Raises ValueError if there is no part, or if shapes or types differ.

    Defined in Section 2.6 (Collectives), chapter_computation/collectives.md
    """
    k = len(parts)
    if k == 0:
        raise ValueError('no arrays to sum: give one for each device')
    for i, x in enumerate(parts):
        if (tuple(x.shape), x.dtype) != (tuple(parts[0].shape), parts[0].dtype):
            raise ValueError(f'array {i} has shape {tuple(x.shape)} and type {x.dtype}, array 0 has '
                             f'{tuple(parts[0].shape)} and {parts[0].dtype}: they must be equal')
    pieces = [d2l.ring_pieces(x, k) for x in parts]  # pieces[i][c]: piece c of device i
    sent = [0] * k
    for step in range(k - 1):  # reduce-scatter: device i ends with the sum of piece i + 1
        for i in range(k):
            sent[i] += d2l.ring_send(pieces, i, (i - step) % k, add=True)
    for step in range(k - 1):  # all-gather: the sums go round
        for i in range(k):
            sent[i] += d2l.ring_send(pieces, i, (i + 1 - step) % k, add=False)
    return [d2l.ring_join(mine, x) for mine, x in zip(pieces, parts)], sent


def fit_alpha_beta(num_bytes, seconds, k, algorithm='ring'):
    """Fit the time of a 'ring' or 'star' to the `seconds` of all-reduces of `num_bytes` on `k` devices.

    A ring takes T = 2(k-1)/k * n/B + 2(k-1) * alpha, a star 2(k-1) * (n/B + alpha). Returns alpha (s), B (byte/s) and
    an array of relative misfits, (fitted - measured) / measured. The sum of the squared misfits is made as small as it
    gets with alpha >= 0 and B > 0; B is infinite if the times do not grow.
    Raises ValueError if `k` is less than 2, for another algorithm, if the lists differ in length, a number is not
    positive and finite, or there are not two different sizes.

    Defined in Section 2.6 (Collectives), chapter_computation/collectives.md
    """
    n, t = onp.asarray(num_bytes, float), onp.asarray(seconds, float)
    if k < 2:
        raise ValueError(f'{k} device(s): an all-reduce needs at least two')
    if algorithm not in ('ring', 'star'):
        raise ValueError(f"algorithm is {algorithm!r}: it must be 'ring' or 'star'")
    if n.ndim != 1 or n.shape != t.shape:
        raise ValueError(f'sizes of shape {n.shape} and times of shape {t.shape}: give two lists of equal length')
    if not (onp.isfinite(n).all() and onp.isfinite(t).all() and (n > 0).all() and (t > 0).all()):
        raise ValueError('sizes and times must be positive and finite')
    if len(set(n.tolist())) < 2:
        raise ValueError('one size cannot tell latency from bandwidth: measure at least two')
    def misfits(latency, slope):  # T = latency + slope * n
        return (latency + slope * n) / t - 1
    candidates = [onp.linalg.lstsq(onp.stack([1 / t, n / t], 1), onp.ones_like(t), rcond=None)[0],
                  (0.0, (n / t).sum() / (n / t @ (n / t))), ((1 / t).sum() / (1 / t @ (1 / t)), 0.0)]
    allowed = [c for c in candidates if min(c) >= 0]
    latency, slope = min(allowed, key=lambda c: (misfits(*c) ** 2).sum())
    arrays = 2 * (k - 1) / (k if algorithm == 'ring' else 1)  # that pass the busiest link
    B = arrays / slope if slope > 0 else onp.inf
    return float(latency) / (2 * (k - 1)), float(B), misfits(latency, slope)


def free_port():
    """Return a TCP port of the loopback address that nobody used a moment ago.

    Defined in Section 2.6.6 (Which Algorithm for Which Size?), chapter_computation/collectives.md
    """
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))  # 0: the system chooses
        return probe.getsockname()[1]


def launch(commands, environments=None, timeout=120):
    """Run several commands side by side, each a list of words; return the list of what each printed.

    `environments` has a dictionary of additional variables for each command. Unless it has them itself, `LOCAL_RANK`
    is the command's number in the list and `LOCAL_WORLD_SIZE` the length of the list. The processes can import the
    same modules as the caller. When the function is left, none of them is running, nor anything that they started.
    Raises RuntimeError with the output of the first process that fails, TimeoutError with the last lines of those
    that have not finished after `timeout` seconds, ValueError for arguments that make no sense.

    Defined in Section 2.6.6 (Which Algorithm for Which Size?), chapter_computation/collectives.md
    """
    environments = [{}] * len(commands) if environments is None else environments
    if not commands or len(environments) != len(commands):
        raise ValueError(f'{len(commands)} commands and {len(environments)} environments: give at least one '
                         'command, and one environment for each')
    if any(isinstance(command, str) for command in commands):
        raise ValueError("a command is a list of words, such as [sys.executable, 'worker.py']")
    if timeout <= 0:
        raise ValueError(f'a time limit of {timeout} seconds: it must be positive')
    end = time.monotonic() + timeout
    with d2l.Processes() as processes:
        for i, (command, environment) in enumerate(zip(commands, environments)):
            local = {'LOCAL_RANK': i, 'LOCAL_WORLD_SIZE': len(commands)}
            processes.start(command, {**local, **environment})
        codes = processes.codes()
        while None in codes and not any(codes) and time.monotonic() < end:
            time.sleep(0.02)
            codes = processes.codes()
        processes.stop()
        printed = [processes.output(i) for i in range(len(commands))]
    if codes == [0] * len(commands):
        return printed

    def report(i, what):
        words = ' '.join(str(word) for word in commands[i])
        lines = printed[i].splitlines()[-40:] or ['(nothing)']
        return '\n'.join([f'process {i} of {len(commands)} ({words}) {what}:', *lines])

    for i, code in enumerate(codes):
        if code:  # not None, not 0
            how = f'ended with exit status {code}' if code > 0 else f'was ended by signal {-code}'
            raise RuntimeError(report(i, f'{how}; it printed'))
    raise TimeoutError('\n'.join(report(i, f'had not finished after {timeout} s; it printed')
                                 for i, code in enumerate(codes) if code is None))


def resnet18(num_classes):
    """ResNet-18 for small images: (B, H, W, C) to logits (B, num_classes).

    The first convolution has stride 1 and no pooling follows. The first call creates the parameters.

    Defined in Section 2.8 (Concise Implementation for Multiple GPUs), chapter_computation/multiple-gpus-concise.md
    """
    def stage(num_channels, strides):
        return [d2l.Residual(num_channels, use_1x1conv=strides > 1, strides=strides),
                d2l.Residual(num_channels)]

    return keras.Sequential([
        keras.layers.Conv2D(64, 3, padding='same'),
        keras.layers.BatchNormalization(momentum=0.9), keras.layers.ReLU(),
        *stage(64, 1), *stage(128, 2), *stage(256, 2), *stage(512, 2),
        keras.layers.GlobalAveragePooling2D(), keras.layers.Dense(num_classes)])


def evaluate_accuracy_gpus(net, data_iter, split_f=d2l.split_batch):
    """Accuracy over the batches (X, y) of `data_iter`, each split over all devices that hold a copy of `net`.

    These are the devices of the strategy in whose scope `net` was built. `split_f(X, y, devices)` splits a batch.

    Defined in Section 2.8 (Concise Implementation for Multiple GPUs), chapter_computation/multiple-gpus-concise.md
    """
    variable = net.variables[0].value
    devices = [copy.device for copy in getattr(variable, 'values', [variable])]
    counts = d2l.Accumulator(2)  # right answers, images
    for X, y in data_iter:
        shards = split_f(X, y, devices[:len(X)])  # a last batch may have fewer images than devices
        for X_shard, y_shard in zip(*shards):
            with tf.device(X_shard.device):  # reads this device's copy of the parameters
                counts.add(d2l.accuracy(net(X_shard, training=False), y_shard), len(y_shard))
    return counts[0] / counts[1]


class TransformerBlock(keras.layers.Layer):
    """Causal attention, then an MLP of four times the width, each behind a LayerNorm and added to its input.

    Input and output (batch, sequence, num_hiddens).

    Defined in Section 3.1 (A Transformer, Counted), chapter_computation/transformer.md
    """
    def __init__(self, num_hiddens, num_heads, **kwargs):
        super().__init__(**kwargs)
        self.num_heads = num_heads
        self.norm1, self.norm2 = (keras.layers.LayerNormalization(epsilon=1e-5) for _ in range(2))
        self.qkv, self.out = keras.layers.Dense(3 * num_hiddens), keras.layers.Dense(num_hiddens)
        self.up, self.down = keras.layers.Dense(4 * num_hiddens), keras.layers.Dense(num_hiddens)

    def attention(self, X):
        """Return what each position reads from itself and earlier ones."""
        b, s, h = X.shape
        heads = tf.reshape(self.qkv(X), (-1, s, 3, self.num_heads, h // self.num_heads))
        Q, K, V = tf.unstack(tf.transpose(heads, (2, 0, 3, 1, 4)))  # each (b, heads, s, h/heads)
        scores = tf.matmul(Q, K, transpose_b=True) * Q.shape[-1] ** -0.5  # (b, heads, s, s)
        future = 1 - tf.linalg.band_part(tf.ones((s, s)), -1, 0)
        weights = tf.nn.softmax(scores - 1e9 * future)
        read = tf.transpose(tf.matmul(weights, V), (0, 2, 1, 3))
        return self.out(tf.reshape(read, (-1, s, h)))

    def call(self, X):
        X = X + self.attention(self.norm1(X))
        return X + self.down(keras.activations.gelu(self.up(self.norm2(X))))


def memory_ledger(num_params, num_devices=1, stage=0, *,
                  parameter_bytes=2, gradient_bytes=2, optimizer_bytes=12):
    """Bytes that each device keeps to train `num_params` parameters on `num_devices` devices with ZeRO.

    Stage 0 shards nothing, stage 1 the optimizer's state, stage 2 also the gradients, stage 3 also the
    parameters. Sizes are bytes per parameter; the defaults are those of Adam in mixed precision (Rajbhandari
    et al., 2020, section 3.1). Shards are padded to equal sizes. Activations and temporary buffers are not
    included. Returns a dict with the keys 'parameters', 'gradients', 'optimizer' and 'total'. Raises ValueError
    if a count is not a whole number of at least 1, if there is no such stage, or if a size is negative.

    Defined in Section 3.3 (Memory and ZeRO), chapter_computation/zero.md
    """
    for count, what in (num_params, 'parameters'), (num_devices, 'devices'):
        if not count >= 1 or count % 1:
            raise ValueError(f'{count} {what}: give a whole number of at least 1')
    if stage not in (0, 1, 2, 3):
        raise ValueError(f'stage {stage!r}: ZeRO has the stages 1, 2 and 3; 0 shards nothing')
    sizes = {'parameters': parameter_bytes, 'gradients': gradient_bytes, 'optimizer': optimizer_bytes}
    first_stage = {'parameters': 3, 'gradients': 2, 'optimizer': 1}  # that from which each is sharded
    share = -(-int(num_params) // int(num_devices))  # rounded up
    ledger = {}
    for kind, size in sizes.items():
        if not size >= 0:
            raise ValueError(f'{size} bytes for the {kind} of one parameter: give a size of at least 0')
        ledger[kind] = size * (share if stage >= first_stage[kind] else int(num_params))
    ledger['total'] = sum(ledger.values())
    return ledger


def shard_axis(weight, bias, devices, split):
    """The axis along which `shard_linear` cuts `weight`: 1 for 'columns', 0 for 'rows'.

    Raises ValueError if the layer cannot be split in this way into one equal part per device.

    Defined in Section 3.5 (Tensor and Sequence Parallelism), chapter_computation/model-parallel.md
    """
    if split not in ('columns', 'rows'):
        raise ValueError(f"split is {split!r}: it must be 'columns' or 'rows'")
    if len(devices) < 1:
        raise ValueError('no devices: there must be at least one')
    if len(weight.shape) != 2:
        raise ValueError(f'weight has the shape {tuple(weight.shape)}: it must be (inputs, outputs)')
    inputs, outputs = weight.shape
    if bias is not None and tuple(bias.shape) != (outputs,):
        raise ValueError(f'bias has the shape {tuple(bias.shape)}, weight {tuple(weight.shape)}: '
                         f'bias must be ({outputs},)')
    size, name = (outputs, 'outputs') if split == 'columns' else (inputs, 'inputs')
    if size < 1 or size % len(devices):
        raise ValueError(f'cannot cut {size} {name} into {len(devices)} equal parts: '
                         f'the number of devices must divide the number of {name}')
    return 1 if split == 'columns' else 0


def shard_linear(weight, bias, devices, split):
    """Cut the layer X @ weight + bias over `devices`: a pair (weight, bias) for each, as copies.

    `weight` is (inputs, outputs); `bias` is (outputs,) or None. 'columns' gives each device some outputs
    with their biases; 'rows' some inputs, and the whole bias, to be added to the sum over the devices.
    Raises ValueError if equal parts are impossible.

    Defined in Section 3.5 (Tensor and Sequence Parallelism), chapter_computation/model-parallel.md
    """
    k, axis = len(devices), d2l.shard_axis(weight, bias, devices, split)
    weights = [d2l.to(part, device) for part, device in zip(tf.split(weight, k, axis), devices)]
    if bias is None:
        return [(weight, None) for weight in weights]
    biases = tf.split(bias, k) if split == 'columns' else [bias] * k
    return [(weight, d2l.to(part, device)) for weight, part, device in zip(weights, biases, devices)]


class PipelineSlot(NamedTuple):
    """One piece of a pipeline's work: what a stage does with a micro-batch from `start` to `end`.

    `kind` is 'forward', 'backward' or 'weight'. Where there are passes of the kind 'weight', those of the kind 'backward'
    compute only the gradients of activations.

    Defined in Section 3.6 (Pipeline Parallelism), chapter_computation/pipelines.md
    """
    stage: int
    microbatch: int
    kind: str
    start: float
    end: float


def stage_order(ahead, num_microbatches, delay=None):
    """The order in which a stage works if `ahead` forward passes come before its first backward pass.

    Returns a list of pairs (kind, micro-batch), with the kinds 'forward' and 'backward'. With a `delay` there are passes of
    the kind 'weight' too, each so many backward passes after the one of its micro-batch.

    Defined in Section 3.6 (Pipeline Parallelism), chapter_computation/pipelines.md
    """
    order = [('forward', i) for i in range(ahead)]
    for i in range(num_microbatches):
        order.append(('backward', i))
        if delay is not None and i >= delay:
            order.append(('weight', i - delay))
        if ahead + i < num_microbatches:
            order.append(('forward', ahead + i))
    if delay is not None:
        order += [('weight', i) for i in range(max(num_microbatches - delay, 0), num_microbatches)]
    return order


class PipelineSchedule:
    """The slots of a pipeline's training step, sorted by their start, and what follows from them.

    Stage s is on device s modulo `num_devices`; without that number each stage has a device of its own. `total` is the time
    from the first start to the last end, `busy` the time that the average device works. `bubble` is the idle share of the
    total, `bubble_of_ideal` the idle time relative to the busy time. `kept[d]` is the largest number of micro-batches of
    which device d keeps something at once, from their forward pass to the last pass that needs it (for a device with v
    stages each counts 1/v).

    Defined in Section 3.6 (Pipeline Parallelism), chapter_computation/pipelines.md
    """
    def __init__(self, slots, num_devices=None):
        self.slots = sorted(slots, key=lambda slot: (slot.start, slot.stage))
        self.num_stages = 1 + max(slot.stage for slot in slots)
        self.num_devices = num_devices or self.num_stages
        self.total = max(slot.end for slot in slots)
        self.busy = sum(slot.end - slot.start for slot in slots) / self.num_devices
        self.bubble = 1 - self.busy / self.total
        self.bubble_of_ideal = self.total / self.busy - 1
        chunks = self.num_stages // self.num_devices
        last = 'weight' if any(slot.kind == 'weight' for slot in slots) else 'backward'
        self.kept = [self._most(device, last) / chunks for device in range(self.num_devices)]

    def of_device(self, device):
        """Return the slots of a device, in their order."""
        return [slot for slot in self.slots if slot.stage % self.num_devices == device]

    def _most(self, device, end):
        """The largest number of forward passes of a device that have not been followed by the pass `end`."""
        now = most = 0
        for slot in self.of_device(device):
            now += (slot.kind == 'forward') - (slot.kind == end)
            most = max(most, now)
        return most


def stage_times(seconds, num_stages, kind):
    """The time of a pass for each stage, from one positive number or from a list of `num_stages`.

    Defined in Section 3.6 (Pipeline Parallelism), chapter_computation/pipelines.md
    """
    times = [seconds] * num_stages if isinstance(seconds, (int, float)) else list(seconds)
    if len(times) != num_stages:
        raise ValueError(f'{kind} has {len(times)} times for {num_stages} stages: '
                         'give one number or one for each stage')
    if not all(0 < time < float('inf') for time in times):
        raise ValueError(f'{kind} is {seconds}: times must be positive')
    return times


def pipeline_orders(p, m, schedule, v=1):
    """What each of p devices does in a step: a list of (kind, stage, micro-batch) per device.

    Defined in Section 3.6 (Pipeline Parallelism), chapter_computation/pipelines.md
    """
    passes = [(0, i) for i in range(m)]  # (chunk, micro-batch), in the order of the forward passes
    if v > 1:
        passes = [(chunk, group + i) for group in range(0, m, p) for chunk in range(v) for i in range(p)]
    orders = []
    for d in range(p):
        ahead = {'gpipe': m, 'zb-h2': 2 * (p - d) - 1}.get(schedule, p - d)
        if v > 1:
            ahead = 2 * (p - d - 1) + (v - 1) * p + 1
        delay = {'zb-h1': d, 'zb-h2': 2 * d}.get(schedule)
        order = d2l.stage_order(min(ahead, m * v), m * v, delay)
        orders.append([(kind, (chunk if kind == 'forward' else v - 1 - chunk) * p + d, i)
                       for kind, number in order for chunk, i in [passes[number]]])
    return orders


def simulate_pipeline(num_stages, num_microbatches,
                      forward=1.0, backward=2.0, schedule='gpipe', chunks=1, latency=0.0):
    """Simulate a training step of a pipeline; return its `PipelineSchedule`.

    `forward` and `backward` are the times of a pass of one micro-batch through a stage: a number, or a list with one for
    each stage. A message to another device takes `latency`, during which both can work. `schedule` is 'gpipe' (all
    forward passes first), '1f1b' (stage s runs at most num_stages - s forward passes ahead of its backward passes),
    'interleaved' (1F1B on `num_stages` devices, each with `chunks` stages that take 1/chunks of the times), or 'zb-h1' or
    'zb-h2' (a backward pass in two halves, the gradients of the activations first). Raises ValueError for counts that are
    not positive or do not fit together, for a time that is not positive, a negative latency, or an unknown schedule.

    Defined in Section 3.6 (Pipeline Parallelism), chapter_computation/pipelines.md
    """
    p, m, known = num_stages, num_microbatches, ('gpipe', '1f1b', 'interleaved', 'zb-h1', 'zb-h2')
    if p < 1 or m < 1:
        raise ValueError(f'{p} stages and {m} micro-batches: there must be at least one of each')
    if schedule not in known:
        raise ValueError(f"schedule is {schedule!r}: it must be one of {', '.join(known)}")
    if chunks < 1 or chunks > 1 and schedule != 'interleaved':
        raise ValueError(f'{chunks} chunks for {schedule}: give at least 1, and more only for interleaved')
    if chunks > 1 and m % p:
        raise ValueError(f'{m} micro-batches on {p} devices: interleaved needs a multiple of {p}')
    if not 0 <= latency < float('inf'):
        raise ValueError(f'latency is {latency}: it must be a time of at least 0')
    halves = 2 if schedule.startswith('zb') else 1
    times = {'forward': [t / chunks for t in d2l.stage_times(forward, p, 'forward')],
             'backward': [t / chunks / halves for t in d2l.stage_times(backward, p, 'backward')]}
    times['weight'] = times['backward']
    orders = d2l.pipeline_orders(p, m, schedule, chunks)
    free = [0.0] * p      # when a device has finished what it has begun
    ends, slots = {}, []  # (kind, stage, micro-batch) -> when it is done
    while any(orders):
        for d, order in enumerate(orders):
            while order:
                kind, s, i = order[0]
                source = {'forward': s - 1, 'backward': s + 1, 'weight': s}[kind]  # whose result it works on
                needed = ('backward' if kind == 'weight' else kind, source, i)
                if 0 <= source < p * chunks and needed not in ends:
                    break  # other devices first
                arrival = ends.get(needed, 0.0) + (latency if needed in ends and source % p != d else 0)
                start = max(free[d], arrival)  # the first stage has the input, the last the loss
                free[d] = ends[kind, s, i] = start + times[kind][d]
                slots.append(d2l.PipelineSlot(s, i, kind, start, free[d]))
                order.pop(0)
    return d2l.PipelineSchedule(slots, p)


def llama_sizes(layers, width, hidden, vocabulary, kv_share=1.0):
    """Return the parameters of a Llama-like transformer, and the bytes that a layer keeps for a token.

    Defined in Section 3.9 (Putting It Together: Meshes), chapter_computation/meshes.md
    """
    layer = (2 + 2 * kv_share) * width ** 2 + 3 * width * hidden + 2 * width
    return round(layers * layer + 2 * vocabulary * width + width), (12 + 4 * kv_share) * width + 6 * hidden


def mesh_memory(axes, parameters, layers, layer_bytes, input_bytes, m, stage, gradient_bytes, chunks, recompute):
    """Return the bytes that a device of the first stage keeps, by kind.

    `layer_bytes` and `input_bytes` are a layer's activations and its input, for a micro-batch on a device.

    Defined in Section 3.9 (Putting It Together: Meshes), chapter_computation/meshes.md
    """
    p = axes['pipeline']
    shard = -(-parameters // (axes['tensor'] * p))
    kept = d2l.memory_ledger(shard, axes['data'] * axes['context'], stage, gradient_bytes=gradient_bytes)
    waiting = min(p, m) * (1 + (p - 1) / (p * chunks) if chunks > 1 else 1)  # micro-batches between forward and backward
    kept['activations'] = waiting * layers / p * (input_bytes if recompute else layer_bytes)
    kept['activations'] += layer_bytes if recompute else 0  # the layer that is being recomputed
    kept['total'] += kept['activations']
    return kept


def mesh_traffic(axes, m, rows, layers, width, kv_share, shard, stage, reduce_bytes, chunks, recompute):
    """Return the bytes that a device sends in a step along each axis, a dict by axis.

    `rows` are the tokens of a micro-batch on a device, `layers` those of a pipeline's device, `shard` its parameters.

    Defined in Section 3.9 (Putting It Together: Meshes), chapter_computation/meshes.md
    """
    t, c, k = axes['tensor'], axes['context'], axes['data'] * axes['context']
    halves = 14 if recompute else 10  # all-gathers and reduce-scatters of a layer, two of them of inputs once more
    passes = 4 if recompute else 3    # of keys and values, or of their gradients
    exchanged = {0: 2 * reduce_bytes, 1: reduce_bytes + 2, 2: m * reduce_bytes + 2, 3: m * (reduce_bytes + 2 * 2)}
    return {'tensor': m * layers * halves * (t - 1) / t * 2 * rows * width,
            'context': m * layers * passes * (c - 1) * 2 * 2 * rows * width * kv_share / t,
            'pipeline': m * chunks * 2 * 2 * rows * width / t if axes['pipeline'] > 1 else 0.0,
            'data': (k - 1) / k * exchanged[stage] * shard}


def mesh_carriers(axes, order, server):
    """Return what carries the bytes of each axis: 'link', inside a server of `server` devices, or 'network'.

    Defined in Section 3.9 (Putting It Together: Meshes), chapter_computation/meshes.md
    """
    carrier, span = {}, 1
    for axis in order:
        span *= axes[axis]
        carrier[axis] = 'link' if span <= server else 'network'
    if axes['context'] > 1 and carrier['context'] == 'network':
        carrier['data'] = 'network'  # gradients are summed over both axes
    return carrier


def mesh_seconds(arithmetic, sent, carrier, rate, exposed, bubble, recompute):
    """Return the seconds of a step by part, with their lower bound as 'step', and what sets this bound.

    Defined in Section 3.9 (Putting It Together: Meshes), chapter_computation/meshes.md
    """
    needed = sent['tensor'] * (12 / 14 if recompute else 8 / 10)  # the other two halves hide behind gradients of weights
    waits = exposed * (needed / rate[carrier['tensor']] + sent['context'] / rate[carrier['context']])
    seconds = {'arithmetic': arithmetic, 'exposed': waits, 'bubble': bubble * (arithmetic + waits)}
    bounds = {'devices': sum(seconds.values())}
    for name in rate:
        bounds[name] = seconds[name] = sum(sent[axis] for axis in sent if carrier[axis] == name) / rate[name]
    seconds['step'] = max(bounds.values())
    return seconds, max(bounds, key=bounds.get)


def check_plan(counts, rates, shares, order):
    """Raise ValueError for numbers, by name, that no plan can have, and for an `order` that does not have each axis once.

    Defined in Section 3.9 (Putting It Together: Meshes), chapter_computation/meshes.md
    """
    for name, count in counts.items():
        if not count >= 1 or count % 1:
            raise ValueError(f'{name} is {count}: give a whole number of at least 1')
    for name, rate in rates.items():
        if not 0 < rate < float('inf'):
            raise ValueError(f'{name} is {rate}: it must be positive')
    if not all(0 <= share <= 1 for share in shares.values()) or not (shares['efficiency'] and shares['kv_share']):
        raise ValueError(f"{', '.join(f'{name} {share}' for name, share in shares.items())}: give shares up to 1")
    if sorted(order) != ['context', 'data', 'pipeline', 'tensor']:
        raise ValueError(f'order is {order}: name each of tensor, context, pipeline, data once')
    data, pipeline, sequences, microbatch = (counts[name] for name in ('data', 'pipeline', 'sequences', 'microbatch'))
    if sequences % (data * microbatch):
        raise ValueError(f'{sequences} sequences do not divide into micro-batches of {microbatch} on {data} replicas')
    m = sequences // (data * microbatch)
    if counts['chunks'] > 1 and (pipeline == 1 or m % pipeline):
        raise ValueError(f'{m} micro-batches on {pipeline} stages: chunks need two stages or more, and a multiple of them')


def plan_mesh(*, layers, width, hidden, vocabulary, kv_share=1.0, sequence, sequences,
              tensor=1, context=1, pipeline=1, data=1, order=('tensor', 'context', 'pipeline', 'data'),
              microbatch=1, chunks=1, stage=1, gradient_bytes=4, reduce_bytes=None, recompute=False,
              peak=989e12, memory=80e9, link=360e9, network=48e9, server=8, efficiency=0.6, exposed=0.5):
    """Plan a training step of a Llama-like transformer on a mesh of devices, on paper; return a dict.

    The model has `layers` of `width`, MLPs of three matrices with `hidden` units, and a share `kv_share` of its heads for
    keys and values. A step trains on `sequences` of `sequence` tokens. `tensor` (with sequence parallelism), `context`,
    `pipeline` and `data` are the sizes of the axes; `order` names them from the innermost, whose neighbours are in one
    server. `stage` is the one of ZeRO over data and context: 2 and 3 shard gradients, and reduce them in each micro-batch
    with `reduce_bytes` per number (default: `gradient_bytes`). Parameters have 2 bytes, Adam's state 12. `peak` is in
    FLOP/s; `link` and `network` are bytes/s in one direction inside and between servers of `server` devices; `memory` is
    in bytes. `efficiency` is the share of `peak` that kernels reach, `exposed` the share of the exchanges inside layers
    that is not hidden: both are assumptions. Logits, buffers and fragmentation are left out.

    Keys: 'devices', 'parameters', 'tokens' and 'microbatches' of a step, 'memory' (bytes of the first stage's devices, with
    'total'), 'fits', 'sent' (bytes per device and step, by axis), 'carrier' (of each axis: 'link' or 'network'), 'flops'
    (6 per parameter and token), 'attention_flops', 'bubble' (of the ideal time), 'seconds' (with 'step', a lower bound),
    'bound' ('devices', 'link' or 'network'), 'tokens_per_second', 'mfu'. Raises ValueError for what cannot be planned.

    Defined in Section 3.9 (Putting It Together: Meshes), chapter_computation/meshes.md
    """
    axes = {'tensor': tensor, 'context': context, 'pipeline': pipeline, 'data': data}
    counts = {'layers': layers, 'width': width, 'hidden': hidden, 'vocabulary': vocabulary, 'sequence': sequence,
              'sequences': sequences, 'microbatch': microbatch, 'chunks': chunks, 'server': server, **axes}
    d2l.check_plan(counts, {'peak': peak, 'memory': memory, 'link': link, 'network': network},
                   {'efficiency': efficiency, 'exposed': exposed, 'kv_share': kv_share}, order)
    devices, m = tensor * context * pipeline * data, sequences // (data * microbatch)
    rows, tokens = microbatch * sequence / context, sequences * sequence  # of a micro-batch on a device, of a step

    parameters, token_bytes = d2l.llama_sizes(layers, width, hidden, vocabulary, kv_share)
    kept = d2l.mesh_memory(axes, parameters, layers, token_bytes * rows / tensor, 2 * width * rows / tensor, m, stage,
                           gradient_bytes, chunks, recompute)
    sent = d2l.mesh_traffic(axes, m, rows, layers / pipeline, width, kv_share, -(-parameters // (tensor * pipeline)), stage,
                            gradient_bytes if reduce_bytes is None else reduce_bytes, chunks, recompute)
    carrier = d2l.mesh_carriers(axes, order, server)
    flops, attention_flops = 6 * parameters * tokens, 6 * layers * sequence * width * tokens
    arithmetic = (flops + attention_flops) * (4 / 3 if recompute else 1) / (devices * peak * efficiency)
    bubble = (pipeline - 1) / (m * chunks)
    seconds, bound = d2l.mesh_seconds(arithmetic, sent, carrier, {'link': link, 'network': network}, exposed, bubble, recompute)
    return {'devices': devices, 'parameters': parameters, 'tokens': tokens, 'microbatches': m,
            'memory': kept, 'fits': kept['total'] <= memory, 'sent': sent, 'carrier': carrier,
            'flops': flops, 'attention_flops': attention_flops, 'bubble': bubble, 'seconds': seconds, 'bound': bound,
            'tokens_per_second': tokens / seconds['step'], 'mfu': flops / (devices * peak * seconds['step'])}


class KVStore:
    """Arrays by key, kept on one server or several: workers push gradients, and pull what the servers make of them.

    A key belongs to one server, chosen by the key's checksum. The lists `received` and `sent` count the bytes of each
    server.

    Defined in Section 4.2 (Servers and Stragglers), chapter_computation/parameterserver.md
    """
    def __init__(self, servers, updater=None):
        """Make an empty store on the devices `servers`.

        `updater(key, total, value)` returns the new value, from the sum of what was pushed and the old value. Without
        an updater the sum is the new value.
        """
        if not servers:
            raise ValueError('a store without a server: give at least one device')
        self.servers, self.updater = list(servers), updater
        self.values = {}
        self.received, self.sent = [0] * len(servers), [0] * len(servers)

    def server_of(self, key):
        """Return the number of the server to which `key` belongs, the same in every process."""
        return zlib.crc32(str(key).encode()) % len(self.servers)

    def value(self, key):
        """Return the server's own array; ValueError for a key without one."""
        if key not in self.values:
            raise ValueError(f'nothing has the key {key!r}: call init first')
        return self.values[key]

    def init(self, key, value):
        """Put a copy of the array `value` on the key's server; ValueError if the key is taken."""
        if key in self.values:
            raise ValueError(f'the key {key!r} is taken: push to it, or choose another')
        self.values[key] = d2l.copy_of(value, self.servers[self.server_of(key)])

    def push(self, key, values):
        """Send the list `values`, one array from each worker, to the key's server, which adds them up and updates.

        Raises ValueError if the list is empty, or if an array's shape or type is not that of the value.

        Defined in Section 4.2 (Servers and Stragglers), chapter_computation/parameterserver.md
        """
        server, value = self.server_of(key), self.value(key)
        if not values:
            raise ValueError(f'nothing to push to {key!r}: give a list of arrays, one from each worker')
        for x in values:
            if (tuple(x.shape), x.dtype) != (tuple(value.shape), value.dtype):
                raise ValueError(f'{key!r} has shape {tuple(value.shape)} and type {value.dtype}, what was pushed '
                                 f'{tuple(x.shape)} and {x.dtype}: they must be equal')

        def updated():
            total, *others = [d2l.copy_of(x, self.servers[server]) for x in values]
            for other in others:
                total = total + other
            return self.updater(key, total, value) if self.updater else total

        with tf.device(self.servers[server]):
            self.values[key] = updated()
        self.received[server] += len(values) * d2l.bytes_of(value)

    def pull(self, key, devices):
        """Return a list of copies of the key's value, one on each of `devices`.

        Defined in Section 4.2 (Servers and Stragglers), chapter_computation/parameterserver.md
        """
        value = self.value(key)
        self.sent[self.server_of(key)] += len(devices) * d2l.bytes_of(value)
        return [d2l.copy_of(value, device) for device in devices]


def copy_of(x, device):
    """Return `x` on `device`; nothing can change a tensor, so it may be the same memory.

    Defined in Section 4.2 (Servers and Stragglers), chapter_computation/parameterserver.md
    """
    return d2l.to(x, device)


def checkpoint_arrays(tree, name=''):
    """Return the arrays in nested dictionaries and lists as a dictionary from paths such as `weights/W1` to them.

    Raises ValueError if two have the same path.

    Defined in Section 4.3 (Failures and Checkpoints), chapter_computation/checkpoints.md
    """
    if isinstance(tree, Mapping):
        parts = list(tree.items())
    elif isinstance(tree, (list, tuple)):
        parts = list(enumerate(tree))
    else:
        return {name: tree}
    arrays = {}
    for key, part in parts:
        for path, x in d2l.checkpoint_arrays(part, f'{name}/{key}' if name else str(key)).items():
            if path in arrays:
                raise ValueError(f'two arrays have the path {path}: rename one')
            arrays[path] = x
    return arrays


def tree_like(tree, arrays, name=''):
    """Return the structure of `tree` with the arrays that `checkpoint_arrays` would give these paths.

    Defined in Section 4.3 (Failures and Checkpoints), chapter_computation/checkpoints.md
    """
    if isinstance(tree, Mapping):
        return {key: d2l.tree_like(part, arrays, f'{name}/{key}' if name else str(key)) for key, part in tree.items()}
    if isinstance(tree, (list, tuple)):
        return [d2l.tree_like(part, arrays, f'{name}/{i}' if name else str(i)) for i, part in enumerate(tree)]
    return arrays[name]


def stored_array(path, x):
    """Return `x` as the NumPy array that a checkpoint stores; ValueError for what is no array of numbers.

    Defined in Section 4.3 (Failures and Checkpoints), chapter_computation/checkpoints.md
    """
    try:
        array = d2l.as_array(x)
    except TypeError as error:  # PyTorch, for bfloat16
        raise ValueError(f'{path} cannot be stored: {error}') from error
    if array.dtype.kind not in 'biufc':
        raise ValueError(f'{path} cannot be stored: it has the type {array.dtype}, which is none of NumPy\'s numbers')
    return array


def save_checkpoint(path, step, params):
    """Write `step` and the arrays in `params`, nested dictionaries and lists, to the file `path`, wholly or not at all.

    The file is an `.npz` of NumPy, followed by its SHA-256. The folder must exist. Raises ValueError for a step below 0
    and for arrays that NumPy has no type for.

    Defined in Section 4.3 (Failures and Checkpoints), chapter_computation/checkpoints.md
    """
    if step < 0:
        raise ValueError(f'step {step}: a checkpoint is of a step from 0 on')
    arrays = {f'params/{name}': d2l.stored_array(name, x) for name, x in d2l.checkpoint_arrays(params).items()}
    buffer = io.BytesIO()
    onp.savez(buffer, step=onp.int64(step), **arrays)
    path = Path(path)
    partial = path.with_name(f'{path.name}.{os.getpid()}.partial')
    try:
        with open(partial, 'wb') as file:
            file.write(buffer.getvalue() + hashlib.sha256(buffer.getvalue()).digest())
            file.flush()
            os.fsync(file.fileno())  # on the disk, not only on its way there
        os.replace(partial, path)  # at once: there is the old file or the new one
    finally:
        partial.unlink(missing_ok=True)


def array_like(array, like):
    """Return the NumPy array `array` as `like` is, a NumPy array or a tensor on its device.

    Defined in Section 4.3 (Failures and Checkpoints), chapter_computation/checkpoints.md
    """
    if isinstance(like, onp.ndarray):
        return array
    with tf.device(like.device):
        return tf.constant(array)


def load_checkpoint(path, like):
    """Return the step and the arrays of a checkpoint, structured and placed as the arrays of `like` are.

    Raises ValueError if the file is damaged or cut off, or if its arrays have other names, shapes or types than those of
    `like`. No code in the file is run.

    Defined in Section 4.3 (Failures and Checkpoints), chapter_computation/checkpoints.md
    """
    data = Path(path).read_bytes()
    body, digest = data[:-32], data[-32:]
    if hashlib.sha256(body).digest() != digest:
        raise ValueError(f'{path} is cut off, damaged or no checkpoint: its checksum does not fit; take an older one')
    with onp.load(io.BytesIO(body), allow_pickle=False) as file:
        found = {name: file[name] for name in file.files}
    step = int(found.pop('step'))
    found = {name.removeprefix('params/'): array for name, array in found.items()}
    wanted = d2l.checkpoint_arrays(like)
    differences = [f'{name} is missing' for name in wanted if name not in found]
    differences += [f'{name} is not expected' for name in found if name not in wanted]
    for name in wanted.keys() & found.keys():
        there, here = found[name], d2l.stored_array(name, wanted[name])
        if (there.shape, there.dtype) != (here.shape, here.dtype):
            differences.append(f'{name} has shape {there.shape} and type {there.dtype}, expected are {here.shape} '
                               f'and {here.dtype}')
    if differences:
        more = f' and {len(differences) - 3} more' if len(differences) > 3 else ''
        raise ValueError(f'{path} is of another model: {"; ".join(sorted(differences)[:3])}{more}')
    return step, d2l.tree_like(like, {name: d2l.array_like(found[name], wanted[name]) for name in wanted})


def size(x):
    """Return the number of elements of `x`.

    Defined in Section A.1 (Tools), chapter_computation/tools.md
    """
    return int(tf.size(x))


def to(x, device):
    """Return a copy of `x` on `device`.

    Defined in Section A.1 (Tools), chapter_computation/tools.md
    """
    with tf.device(device):
        return tf.identity(x)


def add_to_class(Class):
    """Return a decorator that makes the function below it a method of `Class`.

    Defined in Section A.1 (Tools), chapter_computation/tools.md
    """
    def decorator(function):
        setattr(Class, function.__name__, function)
        return function
    return decorator


class HyperParameters:
    """Mixin that keeps the arguments of a constructor.

    Defined in Section A.1 (Tools), chapter_computation/tools.md
    """
    def save_hyperparameters(self, ignore=[]):
        """Keep the arguments of the calling method as attributes and in the dictionary `hparams`.

        Arguments whose names are in `ignore` are left out.
        """
        caller = inspect.getargvalues(inspect.currentframe().f_back)
        self.hparams = {name: caller.locals[name] for name in caller.args[1:] if name not in ignore}
        for name, value in self.hparams.items():
            setattr(self, name, value)


class Timer:
    """Stopwatch that keeps every interval it measured, in seconds.

    Defined in Section A.1 (Tools), chapter_computation/tools.md
    """
    def __init__(self):
        self.times = []
        self.start()

    def start(self):
        """Begin an interval."""
        self.begin = time.perf_counter()

    def stop(self):
        """End the interval, keep its length and return it."""
        self.times.append(time.perf_counter() - self.begin)
        return self.times[-1]

    def avg(self):
        """Return the mean length of the intervals."""
        return sum(self.times) / len(self.times)

    def sum(self):
        """Return the total length of the intervals."""
        return sum(self.times)

    def cumsum(self):
        """Return the totals after the first, the second, ... interval."""
        return list(accumulate(self.times))


def set_figsize(figsize=(3.5, 2.5)):
    """Set the size of the figures to come, in inches.

    Defined in Section A.1 (Tools), chapter_computation/tools.md
    """
    d2l.use_svg_display()
    d2l.plt.rcParams['figure.figsize'] = figsize


def set_axes(axes, xlabel, ylabel, xlim, ylim, xscale, yscale, legend):
    """Label and scale the axes of a plot; None leaves a limit to matplotlib.

    Defined in Section A.1 (Tools), chapter_computation/tools.md
    """
    axes.set(xlabel=xlabel, ylabel=ylabel, xscale=xscale, yscale=yscale)
    if xlim is not None:
        axes.set_xlim(xlim)
    if ylim is not None:
        axes.set_ylim(ylim)
    if legend:
        axes.legend(legend)


def curves_of(data):
    """Return what `plot` was given, an array or a list of arrays, as a list of one-dimensional NumPy arrays.

    Defined in Section A.1 (Tools), chapter_computation/tools.md
    """
    several = isinstance(data, (list, tuple)) and len(data) > 0 and onp.ndim(data[0]) > 0
    arrays = [d2l.as_array(array) for array in (data if several else [data])]
    return [row for array in arrays for row in (array if array.ndim == 2 else [array])]


def plot(X, Y=None, xlabel=None, ylabel=None, legend=[], xlim=None, ylim=None,
         xscale='linear', yscale='linear', fmts=('-', 'm--', 'g-.', 'r:'),
         figsize=(3.5, 2.5), axes=None):
    """Plot one curve or a list of them.

    `plot(Y)` counts the points from 0; `plot(X, Y)` has their abscissas in `X`, once for all curves or once for each.

    Defined in Section A.1 (Tools), chapter_computation/tools.md
    """
    if Y is None:
        ys = d2l.curves_of(X)
        xs = [onp.arange(len(y)) for y in ys]
    else:
        xs, ys = d2l.curves_of(X), d2l.curves_of(Y)
        xs = xs * len(ys) if len(xs) == 1 else xs
    d2l.set_figsize(figsize)
    axes = axes or d2l.plt.gca()
    axes.cla()
    for i, (x, y) in enumerate(zip(xs, ys)):
        d2l.draw_line(axes, x, y, fmts[i % len(fmts)])
    d2l.set_axes(axes, xlabel, ylabel, xlim, ylim, xscale, yscale, legend)


class Animator:
    """Plot of curves that grow while a loop runs.

    Defined in Section A.1 (Tools), chapter_computation/tools.md
    """
    def __init__(self, xlabel=None, ylabel=None, legend=None, xlim=None,
                 ylim=None, xscale='linear', yscale='linear',
                 fmts=('-', 'm--', 'g-.', 'r:'), nrows=1, ncols=1,
                 figsize=(3.5, 2.5)):
        d2l.use_svg_display()
        self.fig = d2l.plt.figure(figsize=figsize)
        d2l.plt.close(self.fig)  # it is shown by LiveFigure, so not again at the cell's end
        self.axes = self.fig.subplots(nrows, ncols, squeeze=False).ravel()
        self.live = d2l.LiveFigure(self.fig)
        self.axes_settings = (xlabel, ylabel, xlim, ylim, xscale, yscale, legend)
        self.fmts = fmts
        self.X, self.Y = None, None

    def add(self, x, y):
        """Append the point (x, y); a list `y` has one value for each curve, and None skips a curve."""
        ys = y if hasattr(y, '__len__') else [y]
        xs = x if hasattr(x, '__len__') else [x] * len(ys)
        if self.X is None:
            self.X, self.Y = [[] for _ in ys], [[] for _ in ys]
        for i, (a, b) in enumerate(zip(xs, ys)):
            if a is not None and b is not None:
                self.X[i].append(a)
                self.Y[i].append(b)
        self.live.update(self.redraw)

    def redraw(self):
        """Draw the curves as they are now."""
        axes = self.axes[0]
        axes.cla()
        for x, y, fmt in zip(self.X, self.Y, self.fmts):
            d2l.draw_line(axes, x, y, fmt)
        d2l.set_axes(axes, *self.axes_settings)


class ProgressBoard(d2l.HyperParameters):
    """Plot of named curves, each point of which is the mean of several values.

    Defined in Section A.1 (Tools), chapter_computation/tools.md
    """
    def __init__(self, xlabel=None, ylabel=None, xlim=None, ylim=None,
                 xscale='linear', yscale='linear', ls=['-', '--', '-.', ':'],
                 colors=['C0', 'C1', 'C2', 'C3'], fig=None, axes=None,
                 figsize=(3.5, 2.5), display=True):
        self.save_hyperparameters()
        self.waiting, self.curves, self.live = {}, {}, None

    def draw(self, x, y, label, every_n=1):
        """Give a value to the curve `label`; each `every_n` of them make one point, their mean."""
        values = self.waiting.setdefault(label, [])
        curve = self.curves.setdefault(label, [])
        values.append((x, y))
        if len(values) >= every_n:
            curve.append(onp.mean(values, axis=0))
            values.clear()
            if self.display:
                self.show()

    def show(self):
        """Bring the figure up to date."""
        if self.live is None:
            d2l.use_svg_display()
            if self.fig is None:
                self.fig = d2l.plt.figure(figsize=self.figsize)
                d2l.plt.close(self.fig)  # it is shown by LiveFigure, so not again at the cell's end
            self.live = d2l.LiveFigure(self.fig)
        self.live.update(self.redraw)

    def redraw(self):
        """Draw the curves as they are now."""
        axes = self.axes or self.fig.gca()
        axes.cla()
        curves = {label: onp.array(points) for label, points in self.curves.items() if points}
        for i, points in enumerate(curves.values()):
            axes.plot(points[:, 0], points[:, 1], color=self.colors[i % len(self.colors)],
                      linestyle=self.ls[i % len(self.ls)])
        d2l.set_axes(axes, self.xlabel, self.ylabel, self.xlim, self.ylim,
                     self.xscale, self.yscale, list(curves))


def show_images(imgs, num_rows, num_cols, titles=None, scale=1.5):
    """Show images, (H, W) or (H, W, 3), in rows and columns; return the axes of the cells.

    Defined in Section A.1 (Tools), chapter_computation/tools.md
    """
    d2l.use_svg_display()
    figsize = (num_cols * scale, num_rows * scale)
    _, axes = d2l.plt.subplots(num_rows, num_cols, figsize=figsize, squeeze=False)
    axes = axes.ravel()
    for axis in axes:
        axis.set_axis_off()
    for i, (axis, image) in enumerate(zip(axes, imgs)):
        axis.imshow(d2l.as_array(image), cmap='gray')
        if titles:
            axis.set_title(titles[i])
    return axes


class DataModule(d2l.HyperParameters):
    """The training and validation data of a model.

    Defined in Section A.1 (Tools), chapter_computation/tools.md
    """
    def __init__(self, root='../data', num_workers=4):
        self.save_hyperparameters()

    def get_dataloader(self, train):
        """Return the minibatches of one of the two parts; each kind of data defines it."""
        raise NotImplementedError

    def train_dataloader(self):
        """Return the minibatches to train on."""
        return self.get_dataloader(train=True)

    def val_dataloader(self):
        """Return the minibatches to validate on."""
        return self.get_dataloader(train=False)

    def get_tensorloader(self, tensors, train, indices=slice(0, None)):
        """Return minibatches of `batch_size` rows of the tensors, of the rows `indices`, shuffled if `train`.

        Defined in Section A.1 (Tools), chapter_computation/tools.md
        """
        arrays = [d2l.as_array(tensor)[indices] for tensor in tensors]
        return d2l.Minibatches(arrays, self.batch_size, shuffle=train)


def short_run():
    """Whether the environment variable D2L_SHORT asks for runs of seconds, as the tests of this book do.

    Defined in Section A.1 (Tools), chapter_computation/tools.md
    """
    return os.environ.get('D2L_SHORT', '') not in ('', '0')


class Minibatches:
    """Cuts arrays of equal length into minibatches, if `shuffle` in a new order each epoch.

    `convert` makes what is given out of the rows of the arrays; without it they become tensors as they are. The order
    depends on `seed` alone. In a short run there are at most 4 minibatches.

    Defined in Section A.1 (Tools), chapter_computation/tools.md
    """
    def __init__(self, arrays, batch_size, shuffle=False, convert=None, seed=0):
        self.arrays, self.batch_size, self.convert = arrays, batch_size, convert
        self.random = onp.random.default_rng(seed) if shuffle else None

    def __len__(self):
        count = -(-len(self.arrays[0]) // self.batch_size)  # rounded up
        return min(count, 4) if d2l.short_run() else count

    def __iter__(self):
        length = len(self.arrays[0])
        order = self.random.permutation(length) if self.random else onp.arange(length)
        for i in range(len(self)):
            rows = order[i * self.batch_size:(i + 1) * self.batch_size]
            batch = [array[rows] for array in self.arrays]
            yield self.convert(*batch) if self.convert else tuple(d2l.tensor(a) for a in batch)


def image_batch(images, labels, resize=None):
    """Return bytes (N, H, W) and (N,) as tensors: images (N, H, W, 1) in [0, 1] and labels (N,).

    Defined in Section A.1 (Tools), chapter_computation/tools.md
    """
    X = d2l.fashion_mnist.pixels(images, resize)[..., None]
    return tf.constant(X), tf.constant(labels, dtype=tf.int32)


class FashionMNIST(d2l.DataModule):
    """60,000 training and 10,000 test images of clothes in ten classes.

    Defined in Section A.1 (Tools), chapter_computation/tools.md
    """
    def __init__(self, batch_size=64, resize=(28, 28)):
        super().__init__()
        resize = (resize, resize) if isinstance(resize, int) else tuple(resize)
        self.save_hyperparameters()

    def get_dataloader(self, train):
        """Return the training minibatches, shuffled, or the test minibatches."""
        def convert(images, labels):
            return d2l.image_batch(images, labels, self.resize)
        return d2l.Minibatches(d2l.fashion_mnist.arrays(train), self.batch_size, train, convert)

    def text_labels(self, indices):
        """Return the names of the classes with these numbers."""
        return [d2l.fashion_mnist.LABELS[int(i)] for i in indices]

    def visualize(self, batch, nrows=1, ncols=8, labels=[]):
        """Show the first images of a minibatch under their labels."""
        X, y = (array[:nrows * ncols] for array in batch)
        images = d2l.as_array(X).reshape(len(X), *self.resize)
        d2l.show_images(images, nrows, ncols, titles=labels or self.text_labels(y))


def load_data_fashion_mnist(batch_size, resize=None):
    """Return Fashion-MNIST's training minibatches, shuffled, and its test minibatches.

    A minibatch is a pair of images in [0, 1] and labels from 0 to 9. `resize`, a number of pixels or (height, width),
    has the images interpolated to that size.

    Defined in Section A.1 (Tools), chapter_computation/tools.md
    """
    data = d2l.FashionMNIST(batch_size, resize or (28, 28))
    return data.train_dataloader(), data.val_dataloader()


DATA_HUB = {}


def download(url, folder='../data', sha1_hash=None):
    """Download a file into `folder` unless it is there, and return its path.

    `url` may be a name in `DATA_HUB`, whose entries are pairs (url, SHA-1 in hexadecimal). Raises ValueError if what
    arrives has another SHA-1 or `url` is no address of a file by https, and OSError if it does not arrive.

    Defined in Section A.1 (Tools), chapter_computation/tools.md
    """
    if url in d2l.DATA_HUB:
        url, sha1_hash = d2l.DATA_HUB[url]
    name = url.split('/')[-1]
    if not name:
        raise ValueError(f'{url} ends in / and names no file')
    path = Path(folder, name)

    def intact(file):
        return sha1_hash is None or hashlib.sha1(file.read_bytes()).hexdigest() == sha1_hash

    def check(file):
        if not intact(file):
            raise ValueError(f'{url} has another SHA-1 than {sha1_hash}')

    if not (path.is_file() and intact(path)):
        d2l.fetch(url, path, check)
    return str(path)


class Module(keras.Model, d2l.HyperParameters):
    """A network that knows its loss, its optimizer and how to plot its progress.

    Defined in Section A.1 (Tools), chapter_computation/tools.md
    """
    def __init__(self, plot_train_per_epoch=2, plot_valid_per_epoch=1):
        super().__init__()
        del self.loss  # Keras keeps an argument of `compile` under this name
        self.save_hyperparameters()
        self.board = d2l.ProgressBoard()

    def loss(self, y_hat, y):
        raise NotImplementedError

    def forward(self, X):
        return self.net(X)

    def call(self, X, training=None):
        """Return the output of `forward`; Keras calls this method."""
        return self.forward(X)  # Keras tells the layers inside about `training`

    def plot(self, key, value, train):
        """Give a value of this step to the curve `train_<key>` or `val_<key>`.

        Defined in Section A.1 (Tools), chapter_computation/tools.md
        """
        trainer = self.trainer
        self.board.xlabel = 'epoch'
        if train:
            x = trainer.train_batch_idx / trainer.num_train_batches
            every_n = trainer.num_train_batches // self.plot_train_per_epoch
        else:
            x = trainer.epoch + 1
            every_n = trainer.num_val_batches // self.plot_valid_per_epoch
        label = ('train_' if train else 'val_') + key
        self.board.draw(x, float(d2l.as_array(value)), label, every_n=max(every_n, 1))

    def training_step(self, batch):
        """Return the loss of a training minibatch, and plot it.

        Defined in Section A.1 (Tools), chapter_computation/tools.md
        """
        loss = self.loss(self(*batch[:-1]), batch[-1])
        self.plot('loss', loss, train=True)
        return loss

    def validation_step(self, batch):
        """Plot the loss of a validation minibatch.

        Defined in Section A.1 (Tools), chapter_computation/tools.md
        """
        self.plot('loss', self.loss(self(*batch[:-1]), batch[-1]), train=False)

    def configure_optimizers(self):
        """Return minibatch SGD with the model's learning rate `lr`.

        Defined in Section A.1 (Tools), chapter_computation/tools.md
        """
        return keras.optimizers.SGD(self.lr)


class Classifier(d2l.Module):
    """A network that tells classes apart.

    Defined in Section A.1 (Tools), chapter_computation/tools.md
    """
    def validation_step(self, batch):
        """Plot the loss and the accuracy of a validation minibatch."""
        Y_hat = self(*batch[:-1])
        self.plot('loss', self.loss(Y_hat, batch[-1]), train=False)
        self.plot('acc', self.accuracy(Y_hat, batch[-1]), train=False)

    def accuracy(self, Y_hat, Y, averaged=True):
        """Return the fraction of rows of `Y_hat` that are largest at the label; if not `averaged`, 1 or 0 for each."""
        Y, Y_hat = d2l.reshape(Y, (-1,)), d2l.reshape(Y_hat, (-1, Y_hat.shape[-1]))
        predicted = d2l.astype(d2l.argmax(Y_hat, axis=1), Y.dtype)
        correct = d2l.astype(predicted == Y, d2l.float32)
        return d2l.reduce_mean(correct) if averaged else correct

    def loss(self, Y_hat, Y, averaged=True):
        """Return the mean cross-entropy of logits `Y_hat` and labels `Y`; if not `averaged`, one value for each row.

        Defined in Section A.1 (Tools), chapter_computation/tools.md
        """
        losses = keras.losses.sparse_categorical_crossentropy(
            tf.reshape(Y, (-1,)), tf.reshape(Y_hat, (-1, Y_hat.shape[-1])), from_logits=True)
        return tf.reduce_mean(losses) if averaged else losses


class Trainer(d2l.HyperParameters):
    """Fits a model to data for `max_epochs` epochs; a gradient longer than `gradient_clip_val` > 0 is scaled to it.

    Defined in Section A.1 (Tools), chapter_computation/tools.md
    """
    def __init__(self, max_epochs, num_gpus=0, gradient_clip_val=0):
        """Train for `max_epochs`, on a GPU if `num_gpus` is positive and there is one.

        `gpus` lists those in use, at most `num_gpus`. Gradients longer than `gradient_clip_val` are shortened to that
        norm; 0 leaves them.

        Defined in Section 1.2.5 (How Much Memory Is Left), chapter_computation/use-gpu.md
        """
        self.save_hyperparameters()
        self.gpus = [d2l.gpu(i) for i in range(min(num_gpus, d2l.num_gpus()))]

    def prepare_data(self, data):
        """Take the minibatches from `data` and count them."""
        self.train_dataloader = data.train_dataloader()
        self.val_dataloader = data.val_dataloader() or []
        self.num_train_batches = len(self.train_dataloader)
        self.num_val_batches = len(self.val_dataloader)

    def prepare_model(self, model):
        """Make `model` the one to train. Its variables stay where they were built.

        Defined in Section 1.2.5 (How Much Memory Is Left), chapter_computation/use-gpu.md
        """
        model.trainer = self
        model.board.xlim = [0, self.max_epochs]
        self.model = model

    def prepare_batch(self, batch):
        """Return the tensors of `batch` on the trainer's first GPU, or as they are without one.

        Defined in Section 1.2.5 (How Much Memory Is Left), chapter_computation/use-gpu.md
        """
        if self.gpus:
            with tf.device(self.gpus[0]):
                batch = tuple(tf.identity(a) for a in batch)
        return batch

    def fit(self, model, data):
        """Train `model` on `data`, and validate it after each epoch."""
        self.prepare_data(data)
        self.prepare_model(model)
        self.optim = model.configure_optimizers()
        self.train_batch_idx = self.val_batch_idx = 0
        for self.epoch in range(self.max_epochs):
            self.fit_epoch()

    def fit_epoch(self):
        """Train on every training minibatch once, then validate.

        Defined in Section A.1 (Tools), chapter_computation/tools.md
        """
        for batch in self.train_dataloader:
            with tf.GradientTape() as tape:
                loss = self.model.training_step(self.prepare_batch(batch))
            grads = tape.gradient(loss, self.model.trainable_variables)
            if self.gradient_clip_val > 0:
                grads, _ = tf.clip_by_global_norm(grads, self.gradient_clip_val)
            self.optim.apply_gradients(zip(grads, self.model.trainable_variables))
            self.train_batch_idx += 1
        for batch in self.val_dataloader:
            self.model.validation_step(self.prepare_batch(batch))
            self.val_batch_idx += 1


def budget(gpu, cpu, devices=None):
    """Return the number of epochs or steps to run: `gpu` if all `devices` are GPUs, else `cpu`; in a short run at most 1.

    Without `devices` the work is for one device: the first GPU if there is one, else the CPU.

    Defined in Section A.1 (Tools), chapter_computation/tools.md
    """
    used = [d2l.try_gpu()] if devices is None else devices
    chosen = gpu if d2l.on_gpus(used) else cpu
    return min(chosen, 1) if d2l.short_run() else chosen


def sgd(params, grads, lr, batch_size):
    """Take a step of minibatch SGD in place; gradients are sums over `batch_size` examples.

    Defined in Section A.1 (Tools), chapter_computation/tools.md
    """
    for param, grad in zip(params, grads):
        param.assign_sub(lr * grad / tf.cast(batch_size, grad.dtype))  # in a graph it may be an int32 tensor


# Aliases, from config.ini.
nn_Module = keras.Model
swapaxes = keras.ops.swapaxes
ones_like = tf.ones_like
ones = tf.ones
zeros_like = tf.zeros_like
zeros = tf.zeros
meshgrid = tf.meshgrid
sin = tf.sin
sinh = tf.sinh
cos = tf.cos
cosh = tf.cosh
tanh = tf.tanh
linspace = tf.linspace
exp = tf.exp
int32 = tf.int32
int64 = tf.int64
float32 = tf.float32
stack = tf.stack
abs = tf.abs
eye = tf.eye
arange = tf.range
log = tf.math.log
matmul = tf.matmul
tensor = tf.constant
normal = tf.random.normal
rand = tf.random.uniform
randn = tf.random.normal
concat = tf.concat
sigmoid = tf.sigmoid
batch_matmul = tf.matmul
reshape = tf.reshape
reduce_sum = tf.reduce_sum
reduce_mean = tf.reduce_mean
argmax = tf.argmax
astype = tf.cast
transpose = tf.transpose
expand_dims = tf.expand_dims
repeat = tf.repeat


def numpy(x, *args, **kwargs):
    """`x.numpy(...)`."""
    return x.numpy(*args, **kwargs)
