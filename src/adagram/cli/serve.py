"""`adagram serve`: look at a model in the browser."""

from __future__ import annotations

import sys
from pathlib import Path
from secrets import token_urlsafe
from typing import Annotated

import typer

from adagram.cli.look import ModelPath, RawOption
from adagram.cli.output import say, tell
from adagram.errors import InputError


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
    since: Annotated[
        Path | None,
        typer.Option(
            help="The model that this one went on from: the page tells what has changed.",
            metavar="MODEL",
            show_default=False,
        ),
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes any free one.")
    ] = 8000,
    edit: Annotated[
        bool,
        typer.Option(
            "--edit", help="Merge, label and hide senses on the page (this machine only); undo there too."
        ),
    ] = False,
    raw: RawOption = False,
    json: Annotated[bool, typer.Option("--json", help="Print the address as a line of JSON.")] = False,
) -> None:
    """A page to explore a model in the browser, and the same as a JSON API (/openapi.json describes it).

    Example: adagram serve model/ --corpus encoded/
    """
    from adagram.api import load
    from adagram.encoded import EncodedCorpus
    from adagram.errors import need
    from adagram.model.difference import check_descends

    for library in ("starlette", "uvicorn"):
        need(library, "web", "adagram serve")
    if edit and raw:
        raise InputError("--raw ignores the decisions that --edit takes; leave one of them out")
    loaded = load(model, raw)
    if corpus and corpus.is_file():
        raise InputError(
            f"{corpus} is a file; encode it first: adagram encode {corpus} --output encoded/, "
            "then give --corpus encoded/"
        )
    encoded = EncodedCorpus.open(corpus) if corpus else None
    earlier = load(since, raw=True) if since else None
    if earlier:
        check_descends(earlier, loaded)
    from adagram.web import server
    from adagram.web.editing import Editor
    from adagram.web.explorer import Explorer

    listener = server.open_socket(host, port)
    if edit and not server.is_local(listener):
        listener.close()
        raise InputError(f"--edit works on this machine only, not on {host}; leave --host or --edit out")
    explorer = Explorer(loaded, encoded, since=earlier)
    editor = Editor(explorer, token_urlsafe(24)) if edit else None
    say(f"adagram: {model} has {len(loaded.vocabulary):,} words with {loaded.n_senses:,} senses")
    if not server.is_local(listener):
        say("adagram: anyone who can reach this machine can use this page")
    link = server.address(listener) + (f"#edit={editor.token}" if editor else "")
    tell(json, f"adagram: open {link} (stop with Ctrl-C)", address=link)
    sys.stdout.flush()
    server.serve(explorer, listener, editor)
    say("adagram: stopped")
