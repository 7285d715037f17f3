"""What only an accelerator can show; `make test-gpu PYTHON=…` runs it with the frameworks of that Python.

A framework that is not installed is left out by name; one that is installed and sees no accelerator fails.
"""

import importlib.util
import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.gpu

MODULES = {"torch": "torch", "mxnet": "mxnet", "jax": "jax", "tensorflow": "tensorflow"}
INSTALLED = [name for name, module in MODULES.items() if importlib.util.find_spec(module)]
PROGRAM = """
from d2l import {framework} as d2l
assert d2l.num_gpus() >= 1, "no accelerator is visible"
assert len(d2l.try_all_gpus()) == d2l.num_gpus()
assert str(d2l.try_gpu()) != str(d2l.cpu())
assert str(d2l.try_gpu(999)) == str(d2l.cpu())
assert len(d2l.devices(1)) == 1 and str(d2l.devices(1)[0]) == str(d2l.try_gpu())
"""
PAIRS = """
from d2l import {framework} as d2l
*pair, kind = d2l.link_pair()  # before anything else, as in a page's first cell
two = d2l.devices(2)
assert d2l.on_gpus([d2l.gpu(0)]) and d2l.on_gpus(d2l.try_all_gpus()) and not d2l.on_gpus([d2l.cpu()])
assert d2l.on_gpus(two) == (d2l.num_gpus() >= 2)
expected = two if d2l.num_gpus() >= 2 else [d2l.gpu(0), d2l.cpu()]
assert list(map(str, pair)) == list(map(str, expected)), pair
assert kind == ("gpus" if d2l.num_gpus() >= 2 else "gpu+cpu"), kind
assert d2l.budget(gpu=10, cpu=3) == 10 and d2l.budget(10, 3, [d2l.cpu()]) == 3
assert d2l.budget(10, 3, two) == (10 if d2l.num_gpus() >= 2 else 3)
"""
# A product and a convolution whose float32 answers TF32 cannot give: 1 + 2**-12 would be rounded to 1.
NUMBERS = "d2l.use_float32()\nimport numpy\nX = numpy.full((64, 64), 1 + 2**-12, 'float32')\n"
FLOAT32 = {
    "torch": """
import torch
x = torch.tensor(X, device=d2l.gpu(0))
product = (x @ x).cpu().numpy()
image, kernel = torch.ones(8, 64, 16, 16, device=d2l.gpu(0)), x[:, :, None, None]
convolution = torch.nn.functional.conv2d(image, kernel).cpu().numpy()
""",
    "mxnet": """
from mxnet import np, npx
npx.set_np()
x = np.array(X, ctx=d2l.gpu(0))
product = np.dot(x, x).asnumpy()
image, kernel = np.ones((8, 64, 16, 16), ctx=d2l.gpu(0)), x.reshape(64, 64, 1, 1)
convolution = npx.convolution(image, kernel, no_bias=True, kernel=(1, 1), num_filter=64).asnumpy()
""",
    "jax": """
import jax
x = jax.device_put(X, d2l.gpu(0))
product = numpy.asarray(x @ x)
image, kernel = jax.device_put(numpy.ones((8, 64, 16, 16), 'float32'), d2l.gpu(0)), x[:, :, None, None]
convolution = numpy.asarray(jax.lax.conv(image, kernel, (1, 1), 'VALID'))
""",
    "tensorflow": """
import tensorflow as tf
with d2l.gpu(0):
    x = tf.constant(X)
    product = (x @ x).numpy()
    convolution = tf.nn.conv2d(tf.ones((8, 16, 16, 64)), x[None, None], 1, 'VALID').numpy()
""",
}
CHECK = """
assert abs(product / (64 * (1 + 2**-12) ** 2) - 1).max() < 1e-5, product
assert abs(convolution / (64 * (1 + 2**-12)) - 1).max() < 1e-5, convolution
"""


def test_a_framework_is_installed() -> None:
    assert INSTALLED, f"none of {', '.join(MODULES)} is installed for {sys.executable}"


@pytest.mark.parametrize("framework", INSTALLED)
@pytest.mark.parametrize("program", [PROGRAM, PAIRS], ids=["devices", "pairs"])
def test_devices_are_the_accelerators(framework: str, program: str) -> None:
    run(program.format(framework=framework))


@pytest.mark.parametrize("framework", INSTALLED)
def test_float32_is_not_tf32(framework: str) -> None:
    run(f"from d2l import {framework} as d2l\n" + NUMBERS + FLOAT32[framework] + CHECK)


def run(program: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "D2L_SHORT"}  # budgets are asked for
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
