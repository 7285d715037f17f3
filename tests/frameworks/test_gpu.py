"""What only an accelerator can show; `make test-gpu PYTHON=…` runs it with the frameworks of that Python.

A framework that is not installed is left out by name; one that is installed and sees no accelerator fails.
"""

import importlib.util
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


def test_a_framework_is_installed() -> None:
    assert INSTALLED, f"none of {', '.join(MODULES)} is installed for {sys.executable}"


@pytest.mark.parametrize("framework", INSTALLED)
def test_devices_are_the_accelerators(framework: str) -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM.format(framework=framework)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
