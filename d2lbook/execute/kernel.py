"""A kernel for one page: its directory, its environment, and a client that stops what prints without end."""

from __future__ import annotations

import logging
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient

from d2lbook.execute.outputs import SIZE_LIMIT, message_size

# What whoever runs the builder has set for himself must not change a page's results.
_PERSONAL = ("PYTHONSTARTUP", "PYTHONINSPECT", "IPYTHONDIR", "JUPYTER_PATH", "JUPYTER_CONFIG_DIR")
_SOCKET_PATH_LIMIT = 80  # characters; systems allow 104 or more, the sockets' names are a little longer


@dataclass(frozen=True, slots=True)
class Place:
    """Where a page's kernel runs and what it may use."""

    root: Path  # of the book: `import d2l` finds its libraries
    directory: Path  # temporary; holds links to the book's resources
    page: str  # name of the document: its directory is the working directory
    resources: tuple[str, ...] = ()
    cores: tuple[int, ...] = ()  # of the processor; empty for all
    gpus: tuple[str, ...] = ()  # in the order in which the kernel sees them; empty for the machine's own
    variables: tuple[tuple[str, str], ...] = ()  # of the environment, in place of the machine's

    def make_working_directory(self) -> Path:
        """The page's directory, with the resources beside it as they are beside the page."""
        working = (self.directory / self.page).parent
        working.mkdir(parents=True, exist_ok=True)
        for resource in self.resources:
            path = Path(resource)
            if not path.is_absolute() and ".." not in path.parts:
                _link(self.root / path, self.directory / path)
        return working


def _link(source: Path, link: Path) -> None:
    if source.is_dir() and link.is_dir():
        for child in source.iterdir():
            _link(child, link / child.name)
    elif source.exists() and not link.exists():
        link.parent.mkdir(parents=True, exist_ok=True)
        _link_or_copy(source, link)


def _link_or_copy(source: Path, link: Path) -> None:
    try:
        link.symlink_to(source.resolve(), target_is_directory=source.is_dir())
    except OSError:  # Windows asks for a privilege
        if source.is_dir():
            shutil.copytree(source, link)
        else:
            shutil.copy2(source, link)


def environment(place: Place) -> dict[str, str]:
    """The kernel's environment: no personal settings, a fixed hash seed, no framework that takes all memory at once."""
    kept = {name: value for name, value in os.environ.items() if name not in _PERSONAL}
    ours = {
        "PYTHONPATH": os.pathsep.join(filter(None, (str(place.root), os.environ.get("PYTHONPATH", "")))),
        "PYTHONHASHSEED": "0",
        "IPYTHONDIR": str(place.directory / ".ipython"),
        "JUPYTER_CONFIG_DIR": str(place.directory / ".jupyter"),
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "XLA_PYTHON_CLIENT_PREALLOCATE": "false",
        "TF_FORCE_GPU_ALLOW_GROWTH": "true",
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
        "COLUMNS": "80",
    }
    if data := os.environ.get("D2L_DATA"):
        ours["D2L_DATA"] = str(Path(data).resolve())  # the kernel runs in another directory
    if place.cores:
        ours["OMP_NUM_THREADS"] = os.environ.get("OMP_NUM_THREADS", str(len(place.cores)))
    if place.gpus:
        ours["CUDA_VISIBLE_DEVICES"] = ",".join(place.gpus)
    return kept | ours | dict(place.variables)


def manager(place: Place) -> AsyncKernelManager:
    """Starts kernels of this very Python: kernels that a person has registered do not count."""
    specs = KernelSpecManager(kernel_dirs=[])
    connection = str(place.directory / "kernel.json")
    # Sockets in the kernel's own directory: no ports that two kernels could both pick, and nobody else can listen.
    transport = "ipc" if os.name == "posix" and len(connection) < _SOCKET_PATH_LIMIT else "tcp"
    return AsyncKernelManager(
        kernel_name="python3", kernel_spec_manager=specs, connection_file=connection, transport=transport
    )


class Client(NotebookClient):
    """Runs cells; ends one whose outputs grow beyond what a page can keep (`too_large` tells)."""

    def __init__(self, notebook: Any, place: Place) -> None:
        # "immediate": a kernel that hangs does not hear a polite request to end.
        super().__init__(notebook, km=manager(place), shutdown_kernel="immediate", startup_timeout=120)
        self.owns_km = True  # so that it is shut down in any case
        self.log = logging.getLogger("d2lbook.kernel")
        self.log.addHandler(logging.NullHandler())
        self.log.propagate = False  # what went wrong is reported once, by us
        self.received = 0
        self.too_large = False

    def process_message(self, msg: dict[str, Any], cell: Any, cell_index: int) -> Any:
        output = super().process_message(msg, cell, cell_index)
        if msg["msg_type"] == "clear_output":
            self.received = 0
        self.received += message_size(msg)
        if self.received > SIZE_LIMIT and self.task_poll_for_reply is not None:
            self.too_large = True
            self.task_poll_for_reply.cancel()
        return output

    def keep_to(self, cores: tuple[int, ...]) -> None:
        """Gives a kernel that has just started its own cores: frameworks take as many threads as they see cores."""
        process = self._process()
        if cores and process is not None and hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(process.pid, cores)

    def _process(self) -> Any:
        return getattr(getattr(self.km, "provisioner", None), "process", None)

    def exit_status(self) -> str:
        """How a kernel that is gone ended, for messages."""
        process = self._process()
        status = process.poll() if process is not None else None
        if status is None:
            return ""
        return f"signal {-status}" if status < 0 else f"exit status {status}"
