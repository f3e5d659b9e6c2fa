"""`adagram serve`: look at a model in the browser."""

from __future__ import annotations

import sys
from pathlib import Path
from secrets import token_urlsafe
from typing import TYPE_CHECKING, Annotated, Any

import typer

from adagram.cli.look import ModelPath, RawOption
from adagram.cli.output import say, tell
from adagram.errors import InputError

if TYPE_CHECKING:
    from adagram.encoded import EncodedCorpus
    from adagram.model import Model


def register(app: typer.Typer) -> None:
    app.command()(serve)


def _folder(metavar: str, help: str) -> Any:
    return typer.Option(help=help, metavar=metavar, show_default=False)


def serve(
    model: ModelPath,
    corpus: Annotated[
        Path | None, _folder("ENCODED", "A folder written by adagram encode, to take example lines from.")
    ] = None,
    since: Annotated[
        Path | None,
        _folder("MODEL", "The model that this one went on from: the page tells what has changed."),
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
    from adagram.api import load, load_writable
    from adagram.errors import need

    for library in ("starlette", "uvicorn"):
        need(library, "web", "adagram serve")
    if edit and raw:
        raise InputError("--raw ignores the decisions that --edit takes; leave one of them out")
    loaded = load_writable(model) if edit else load(model, raw)
    encoded = _opened_corpus(corpus) if corpus else None
    earlier = _earlier(since, loaded) if since else None
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


def _opened_corpus(folder: Path) -> EncodedCorpus:
    from adagram.encoded import EncodedCorpus

    if folder.is_file():
        raise InputError(
            f"{folder} is a file; encode it first: adagram encode {folder} --output encoded/, "
            "then give --corpus encoded/"
        )
    return EncodedCorpus.open(folder)


def _earlier(folder: Path, model: Model) -> Model:
    """The model that this one went on from, or an error."""
    from adagram.api import load
    from adagram.model.diff import check_descends

    earlier = load(folder, raw=True)
    check_descends(earlier, model)
    return earlier
