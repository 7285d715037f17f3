"""Pages as tasks of a Dask cluster, on other machines or on this one. Needs the extra `dask`.

`connect` finds the cluster, `scheduler` gives it tasks and takes what comes of them; `worker` runs there, with `seats`
for what tasks on one machine share.
"""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager

from d2lbook.config import Config
from d2lbook.diagnostics import error_at, to_install
from d2lbook.execute.task import Scheduler

# As in `cli`, which workers do not run: two seconds of their start.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]


@contextmanager
def cluster(config: Config, address: str = "", workers: int = 0) -> Generator[Scheduler, None, None]:
    """The cluster at an address; without one, a cluster of so many workers on this machine, which ends with the block.

    Raises BookError when it cannot be used.
    """
    try:
        from d2lbook.execute.dask.connect import connected
        from d2lbook.execute.dask.scheduler import Dask
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in {"dask", "distributed"}:
            raise
        what = f"the package '{error.name}' is missing; run: {to_install('distributed', 'cryptography')}"
        raise error_at("--dask" if address else "--dask-local", 0, 0, what, "dask-missing") from error
    with connected(address, workers) as client:
        yield Dask(config, client)
