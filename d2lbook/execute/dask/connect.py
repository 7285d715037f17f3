"""Finds a Dask cluster, or starts one on this machine, and sees whether it can be used."""

from __future__ import annotations

import gc
import logging
import signal
import warnings
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any

from distributed import Client, Nanny, Scheduler, Security, SpecCluster

from d2lbook.diagnostics import error_at, to_install
from d2lbook.execute.device import visible_gpus

_ANSWER_SECONDS = 10
_START_SECONDS = 60
_COMPARED = ("d2lbook", "distributed", "python")  # Dask's messages, and tasks, are understood by the same only


@contextmanager
def connected(address: str, workers: int) -> Generator[Client, None, None]:
    """A client of the cluster at an address; without one, of a new cluster of so many workers, gone with the block.

    Raises BookError when it does not answer, has no workers, or has other versions.
    """
    _silence()
    if address:
        with _client(address, None) as client:
            _check(client, address)
            yield client
        return
    security = _own_security()
    with _local_cluster(workers, security) as cluster, _client(cluster.scheduler_address, security) as client:
        try:
            client.wait_for_workers(workers, timeout=_START_SECONDS)
        except TimeoutError as error:
            what = f"{workers} workers did not start in {_START_SECONDS} s; ask for fewer"
            raise error_at("--dask-local", 0, 0, what, "dask-no-worker") from error
        yield client


def _silence() -> None:
    """What went wrong is reported once, by us. Dask gives some of its loggers levels of their own."""
    for name in list(logging.root.manager.loggerDict):
        if name.split(".")[0] == "distributed":
            logging.getLogger(name).setLevel(logging.CRITICAL)


@contextmanager
def _client(address: str, security: Security | None) -> Generator[Client, None, None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of other versions: `_check` compares those that matter
        try:
            client = Client(address, timeout=_ANSWER_SECONDS, set_as_default=False, security=security, name="d2lbook")
        except (OSError, ValueError, TypeError, RuntimeError) as error:
            why = str(error).partition("\n")[0] or type(error).__name__
            # The client that did not start is in its frames. Collected later, while another one starts, it would wait
            # for a lock of that one, and that one for it.
            error.__traceback__ = None
            gc.collect()
            what = f"no Dask scheduler answers at {address} ({why})"
            hint = "give the address that `dask scheduler` prints, such as tcp://10.0.0.5:8786"
            raise error_at("--dask", 0, 0, f"{what}; {hint}", "dask-address") from error
    try:
        yield client
    finally:
        client.close(timeout=5)


def _own_security() -> Security:
    """A certificate for this run, so that no other user of this machine can give the cluster tasks."""
    try:
        return Security.temporary()
    except ImportError as error:
        what = f"the package 'cryptography' is missing; run: {to_install('cryptography')}"
        raise error_at("--dask-local", 0, 0, what, "dask-missing") from error


def _local_cluster(workers: int, security: Security) -> SpecCluster:
    # Without a dashboard, too, it answers questions after its health: here only, and on a port that nobody else uses.
    address = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}
    scheduler = {"cls": Scheduler, "options": {**address, "dashboard": False, "security": security}}
    specification = {number: {"cls": Nanny, "options": _worker(number, workers, security)} for number in range(workers)}
    # Ctrl-C is for this process, which then ends the others: they inherit that it is ignored.
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        return SpecCluster(specification, scheduler, security=security, silence_logs=logging.CRITICAL)
    finally:
        signal.signal(signal.SIGINT, handler)


def _worker(number: int, workers: int, security: Security) -> dict[str, Any]:
    """The options of a worker: one page at a time, on its part of this machine's GPUs."""
    options: dict[str, Any] = {"nthreads": 1, "memory_limit": 0, "dashboard": False, "security": security}
    options["silence_logs"] = logging.CRITICAL
    if gpus := visible_gpus()[number::workers]:
        options |= {"resources": {"GPU": len(gpus)}, "env": {"CUDA_VISIBLE_DEVICES": ",".join(gpus)}}
    return options


def _check(client: Client, address: str) -> None:
    """Raises BookError when there are no workers, or the cluster's versions are not those here."""
    found = client.get_versions(packages=["d2lbook"])
    if not found["workers"]:
        what = f"the scheduler at {address} has no workers; start some with: dask worker {address}"
        raise error_at("--dask", 0, 0, what, "dask-no-worker")
    here = _versions(found["client"])
    for name, there in (("scheduler", found["scheduler"]), *sorted(found["workers"].items())):
        for package, version in _versions(there).items():
            if version != here[package]:
                where = f"the {name}" if name == "scheduler" else f"the worker {name}"
                what = f"{where} has {package} {version or 'not at all'}, here it is {here[package]}"
                raise error_at("--dask", 0, 0, f"{what}; install the same version there", "dask-versions")


def _versions(known: Mapping[str, Any]) -> dict[str, str]:
    packages = known["packages"]
    found = {package: str(packages.get(package) or "") for package in _COMPARED}
    return {**found, "python": ".".join(found["python"].split(".")[:2])}
