"""`adagram push`: a model to the Hugging Face Hub."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from adagram.cli.output import ToldAsJson, tell


def register(app: typer.Typer) -> None:
    app.command()(push)


def push(
    model: Annotated[
        Path,
        typer.Argument(
            metavar="MODEL", help="Model folder, or a zip or tar file of one.", show_default=False
        ),
    ],
    name: Annotated[str, typer.Argument(metavar="OWNER/NAME", help="Where on the Hub.", show_default=False)],
    private: Annotated[bool, typer.Option("--private", help="A new repository is private.")] = False,
    json: ToldAsJson = False,
) -> None:
    """Send a model to the Hugging Face Hub, with its card and tags, as it is.

    Example: adagram push model/ me/my-senses

    Anyone can then use hf:me/my-senses as MODEL. Log in first: `hf auth login`, or set HF_TOKEN.
    """
    from adagram.files.hub import PREFIX, folder_of
    from adagram.files.hub import push as send

    address = send(folder_of(model)[0], name, private)
    named = PREFIX + name.removeprefix(PREFIX)
    tell(json, f"{address}\nUse it as {named}", address=address, model=named)
