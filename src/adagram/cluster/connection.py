"""Connect to a Ray cluster, or start one on this machine for the time of the work."""

from __future__ import annotations

import logging
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from adagram.errors import AdagramError, InputError, need

LOCAL, AUTO = "local", "auto"
# 0: no other machine can reach the cluster started here.
_LOOPBACK = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"


@dataclass(frozen=True)
class ClusterOptions:
    address: str = LOCAL  # as `ray.init` takes it; "local" starts a cluster on this machine
    workers: int = 0  # 0: one for every CPU of the cluster


class WorkerLost(AdagramError):
    """A worker or its machine failed: another can repeat the work."""


@contextmanager
def connected(options: ClusterOptions) -> Iterator[int]:
    """Connect to the cluster; yield the number of workers, which is at most its CPUs."""
    if options.address == LOCAL and "ray" not in sys.modules:
        os.environ.setdefault(_LOOPBACK, "0")  # read when Ray is imported
        os.environ.setdefault("RAY_worker_niceness", "0")  # Ray's default lets all other programs go first
    ray = need("ray", "ray", "--ray")
    is_ours = not ray.is_initialized()
    if is_ours:
        _join(ray, options)
    try:
        cpus = int(ray.cluster_resources().get("CPU", 0))
        workers = options.workers or max(cpus, 1)
        if workers > cpus:
            raise InputError(
                f"{workers} workers need {workers} CPUs, but the Ray cluster has {cpus}; "
                "give fewer --workers, or add nodes"
            )
        yield workers
    finally:
        if is_ours:
            ray.shutdown()


def _check_listening(address: str) -> None:
    """Fail at once if no process listens: Ray itself waits for minutes."""
    if address == AUTO:
        address = os.environ.get("RAY_ADDRESS", "")  # without it Ray finds a cluster on this machine
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdecimal():
        socket.create_connection((host, int(port)), timeout=10).close()


def _join(ray: Any, options: ClusterOptions) -> None:
    quiet = {"log_to_driver": False, "logging_level": logging.ERROR}
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # else Ray warns about a coming change
    try:
        if options.address == LOCAL:
            cpus = max(options.workers, os.cpu_count() or 1)
            ray.init(address=LOCAL, num_cpus=cpus, include_dashboard=False, **quiet)
        else:
            _check_listening(options.address)
            ray.init(address=options.address, **quiet)
    except (ConnectionError, RuntimeError, ValueError, OSError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise InputError(f"the Ray cluster at '{options.address}' cannot be reached: {reason}") from None


@contextmanager
def ray_errors() -> Iterator[None]:
    """Raise errors of other machines as AdagramError."""
    import ray.exceptions as failures

    try:
        yield
    except failures.RayError as error:
        cause = error.cause if isinstance(error, failures.RayTaskError) else error
        if isinstance(cause, AdagramError):
            raise cause from None
        if isinstance(cause, failures.RayError):
            raise _as_ours(cause) from None
        if isinstance(cause, OSError | MemoryError):
            raise AdagramError(f"a worker failed: {cause}") from None
        raise


def _as_ours(error: Exception) -> AdagramError:
    import ray.exceptions as failures

    if isinstance(error, failures.ObjectStoreFullError | failures.OutOfDiskError):
        return AdagramError(
            "the object store of the Ray cluster is full; give its nodes more object store memory or disk"
        )
    if isinstance(error, failures.OutOfMemoryError):
        return AdagramError("a node of the Ray cluster ran out of memory; give more --workers on more nodes")
    lost = failures.ActorDiedError, failures.ActorUnavailableError, failures.RayActorError
    if isinstance(error, (*lost, failures.ObjectLostError, failures.NodeDiedError, failures.WorkerCrashedError)):
        return WorkerLost("a worker of the Ray cluster was lost")
    return AdagramError(f"the Ray cluster failed: {str(error).strip().partition(chr(10))[0]}")
