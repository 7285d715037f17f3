"""What importing the package loads and prints, and what it says when a framework is missing; in new processes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
# What each library imports of its framework, and which top-level packages show that a framework was loaded.
FRAMEWORKS = {
    "torch": ("import torch", {"torch"}),
    "mxnet": ("import d2l.mxnet_compat, mxnet.gluon", {"mxnet"}),
    "jax": ("import jax.numpy, flax.nnx", {"jax", "flax"}),
    "tensorflow": ("import tensorflow.keras, keras", {"tensorflow", "keras"}),
}
ALL = {name for _, names in FRAMEWORKS.values() for name in names}


def python(code: str, check: bool = True, timeout: float | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=timeout)
    if check:
        assert done.returncode == 0, done.stderr
    return done


def loaded_by(code: str) -> set[str]:
    """Top-level packages that are loaded after `code`."""
    show = "import sys, json; print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"
    return set(json.loads(python(f"{code}\n{show}").stdout.splitlines()[-1]))


def test_the_package_alone_loads_no_framework() -> None:
    assert loaded_by("import d2l; d2l.__version__") & (ALL | {"numpy", "matplotlib", "IPython"}) == set()


LIBRARY = """
import json, sys
from d2l import {name} as d2l
loaded = sorted({{module.partition('.')[0] for module in sys.modules}})
lazy = 'plt' not in vars(d2l) and d2l.plt is sys.modules['matplotlib.pyplot']
try:
    d2l.no_such_name
except AttributeError as error:
    message = str(error)
print(json.dumps([loaded, lazy, message]))
"""


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_a_library_loads_its_framework_and_little_else(name: str) -> None:
    own_import, names = FRAMEWORKS[name]
    done = python(LIBRARY.format(name=name))
    assert (done.stderr, len(done.stdout.splitlines())) == ("", 1)  # importing prints nothing
    loaded, lazy, message = json.loads(done.stdout)
    assert names <= set(loaded)
    more = set(loaded) - loaded_by(f"import numpy\n{own_import}")  # Keras loads JAX where that is installed
    assert {module for module in more if module not in sys.stdlib_module_names} <= {"d2l"}
    assert lazy
    assert message == f"module 'd2l.{name}' has no attribute 'no_such_name'"


@pytest.mark.parametrize(
    ("name", "missing", "command"),
    [
        ("torch", "torch", "pip install torch"),
        ("tensorflow", "tensorflow", "pip install tensorflow"),
        ("jax", "jax", "pip install jax flax optax"),
        ("jax", "flax", "pip install jax flax optax"),
        ("jax", "optax", "pip install jax flax optax"),
        ("mxnet", "mxnet", "pip install --no-deps mxnet==1.9.1"),
        ("mxnet", "distutils", "pip install setuptools"),
    ],
)
def test_a_missing_package_is_named_with_the_command_that_installs_it(name: str, missing: str, command: str) -> None:
    done = python(f"import sys; sys.modules['{missing}'] = None\nfrom d2l import {name}", check=False)
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last == f"ModuleNotFoundError: {missing} is not installed; install it with: {command}"


def test_what_tensorflow_writes_beside_its_notices_is_passed_on(tmp_path: Path) -> None:
    """A stand-in for TensorFlow that writes a notice and an error to file descriptor 2."""
    (tmp_path / "keras.py").write_text("")
    (tmp_path / "tensorflow.py").write_text(
        "import os\nos.write(2, b'I port.cc oneDNN custom operations are on. You may see\\nE cuda: no driver\\n')"
    )
    done = python(f"import sys; sys.path.insert(0, {str(tmp_path)!r})\nimport d2l.tensorflow_import")
    assert done.stderr == "E cuda: no driver\n"


def test_tensorflow_logs_no_remarks_on_what_it_does() -> None:
    done = python(
        "from d2l import tensorflow as d2l\nimport tensorflow as tf\n"
        "tf.get_logger().info('a remark')\ntf.get_logger().warning('a warning')"
    )
    assert "a warning" in done.stdout + done.stderr
    assert "a remark" not in done.stdout + done.stderr


def test_mxnet_leaves_numpy_as_it_is() -> None:
    done = python(
        "import numpy, sys\nbefore = dict(vars(numpy))\n"
        "import d2l.mxnet_compat, mxnet\n"
        "now = vars(numpy)\n"
        "print({name for name, value in before.items() if now[name] is not value})\n"
        "print({name for name in now.keys() - before.keys() if f'numpy.{name}' not in sys.modules})\n"
        "print(hasattr(numpy, 'no_such_name'), hasattr(numpy, 'mirr'), repr(numpy.float64(1)))\n"
    )
    assert done.stdout.splitlines() == ["set()", "set()", "False False np.float64(1.0)"]


def test_what_mxnet_loads_besides_itself_sees_numpy_as_it_is() -> None:
    """SciPy asks what NumPy has: with the copy that MXNet sees, it fails to load on NumPy 1.26."""
    done = python(
        "import d2l.mxnet_compat, mxnet, numpy, sys\n"
        "seen = sys.modules['scipy.stats._stats_py'].np, mxnet.numpy.multiarray._np\n"
        "print(*(module is numpy for module in seen))\n"
    )
    assert done.stdout.split() == ["True", "False"]


def test_mxnet_runs_on_this_numpy() -> None:
    done = python(
        "from d2l import mxnet as d2l\nimport numpy\nfrom mxnet import np, npx\nnpx.set_np()\n"
        "x = np.ones((4, 6))\n"
        "print(x.reshape((numpy.int64(2), -1)).shape, (x > 0).sum(), x[np.array([0, 1], dtype='int32')].shape)\n"
        "try:\n    np.mirr([1.0], 1, 1)\nexcept NotImplementedError as error:\n    print('numpy.mirr' in str(error))\n"
    )
    assert done.stdout.splitlines() == ["(2, 12) 24 (2, 6)", "True"]


def test_all_four_share_a_process() -> None:
    done = python(
        "from d2l import torch, jax, tensorflow, mxnet\nprint(*(d.__name__ for d in (torch, jax, tensorflow, mxnet)))"
    )
    assert done.stdout.split() == ["d2l.torch", "d2l.jax", "d2l.tensorflow", "d2l.mxnet"]


def test_simulated_devices_of_mxnet_multiply_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The OpenBLAS in its packages stops for good when two of them do so in several threads each."""
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    done = python(
        "import os\nfrom d2l import mxnet as d2l\nfrom mxnet import np, npx\n"
        "matrices = [np.ones((256, 256), ctx=device) for device in d2l.devices(2)]\n"
        "for _ in range(300):\n    products = [np.dot(x, x) for x in matrices]\n"
        "npx.waitall()\nprint(float(products[1][0, 0]), os.environ['OMP_NUM_THREADS'])",
        timeout=120,
    )
    assert done.stdout.split() == ["256.0", "2"]
