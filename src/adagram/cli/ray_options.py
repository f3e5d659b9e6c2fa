"""Options of the verbs that can work on a Ray cluster."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

import typer

from adagram.errors import InputError

if TYPE_CHECKING:
    from adagram.cluster.connection import ClusterOptions

_PANEL = "Cluster"
_ADDRESS = re.compile(r"auto|local|ray://\S+|[^\s/]+:\d+")

Ray = Annotated[
    str | None,
    typer.Option(
        "--ray",
        metavar="[ADDRESS]",
        help="Work on a Ray cluster: at ADDRESS (auto, HOST:PORT, ray://HOST:PORT), or else one started here.",
        rich_help_panel=_PANEL,
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        min=1, help="With --ray: processes, each on a CPU (default: all CPUs).", rich_help_panel=_PANEL
    ),
]


def with_ray_address(arguments: list[str]) -> list[str]:
    """`--ray` without an address means a local cluster.

    >>> with_ray_address(["train", "text", "--ray", "--workers", "2"])
    ['train', 'text', '--ray=local', '--workers', '2']
    >>> with_ray_address(["tag", "--ray", "10.0.0.1:6379", "model"])
    ['tag', '--ray=10.0.0.1:6379', 'model']
    """
    found: list[str] = []
    rest = iter(arguments)
    for argument in rest:
        if argument == "--":
            return [*found, argument, *rest]
        if argument != "--ray":
            found.append(argument)
            continue
        following = next(rest, None)
        if following is not None and _ADDRESS.fullmatch(following):
            found.append(f"--ray={following}")
        else:
            found.append("--ray=local")
            found += with_ray_address([] if following is None else [following])
    return found


def cluster_options(ray: str | None, workers: int | None) -> ClusterOptions | None:
    """What was asked for; None to work in this process."""
    from adagram.cluster.connection import ClusterOptions

    if ray is None:
        if workers is not None:
            raise InputError(
                f"--workers {workers} is for a Ray cluster; give --ray too, or --threads instead"
            )
        return None
    return ClusterOptions(ray, workers or 0)
