"""`adagram serve`: look at a model in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from adagram.cli.look import ModelPath, RawOption
from adagram.cli.output import say


def register(app: typer.Typer) -> None:
    app.command()(serve)


def serve(
    model: ModelPath,
    corpus: Annotated[
        Path | None,
        typer.Option(
            help="A folder written by adagram encode, to take example lines from.",
            metavar="ENCODED",
            show_default=False,
        ),
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes any free one.")
    ] = 8000,
    raw: RawOption = False,
) -> None:
    """A page to explore a model in the browser, and the same as a JSON API (/openapi.json describes it).

    Example: adagram serve model/ --corpus encoded/
    """
    from adagram.api import load
    from adagram.encoded import EncodedCorpus
    from adagram.errors import need

    for library in ("starlette", "uvicorn"):
        need(library, "web", "adagram serve")
    loaded = load(model, raw)
    encoded = EncodedCorpus.open(corpus) if corpus else None
    from adagram.web import server
    from adagram.web.explorer import Explorer

    listener = server.open_socket(host, port)
    explorer = Explorer(loaded, encoded)
    say(f"adagram: {model} has {len(loaded.vocabulary):,} words with {loaded.n_senses:,} senses")
    if not server.is_local(listener):
        say("adagram: anyone who can reach this machine can use this page")
    say(f"adagram: open {server.address(listener)} (stop with Ctrl-C)")
    server.serve(explorer, listener)
    say("adagram: stopped")
