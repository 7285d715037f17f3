"""What to say when a framework is not installed."""

from importlib.util import find_spec

ADDRESS = "git+<address of this project>"

COMMANDS = {
    "torch": f'pip install "d2l[torch] @ {ADDRESS}"',
    "tensorflow": f'pip install "d2l[tensorflow] @ {ADDRESS}"',
    "jax": f'pip install "d2l[jax] @ {ADDRESS}"',
    "flax": f'pip install "d2l[jax] @ {ADDRESS}"',
    "mxnet": "pip install --no-deps mxnet==1.9.1",
}


def require(*packages: str) -> None:
    """Raise an ImportError that names the installing command if one of the top-level `packages` is missing."""
    for package in packages:
        if find_spec(package) is None:
            raise ModuleNotFoundError(
                f"{package} is not installed; install it with: {COMMANDS[package]}", name=package
            )
