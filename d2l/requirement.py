"""What to say when a framework is not installed."""

from importlib.util import find_spec

# MXNet 1.9.1 asks for an old NumPy, which it does not need (see mxnet_compat.py): pip must not heed it.
COMMANDS = {
    "torch": "pip install torch",
    "tensorflow": "pip install tensorflow",
    "jax": "pip install jax flax optax",
    "flax": "pip install jax flax optax",
    "optax": "pip install jax flax optax",
    "mxnet": "pip install --no-deps mxnet==1.9.1",
    "requests": "pip install requests",
    "distutils": "pip install setuptools",  # which brings it, from Python 3.12 on
}


def require(*packages: str) -> None:
    """Raise a ModuleNotFoundError that names the installing command if one of the top-level `packages` is missing."""
    for package in packages:
        if find_spec(package) is None:
            raise ModuleNotFoundError(f"{package} is not installed; install it with: {COMMANDS[package]}", name=package)
