"""`adagram serve`: look at a model in the browser."""

from __future__ import annotations

import sys
from pathlib import Path
from secrets import token_urlsafe
from typing import TYPE_CHECKING, Annotated

import typer

from adagram.cli.options import ModelPath, RawOption, ResolutionOption
from adagram.cli.output import log, report
from adagram.errors import InputError

if TYPE_CHECKING:
    from adagram.corpus.encoded import EncodedCorpus
    from adagram.model import Model


def serve(
    model: ModelPath,
    corpus: Annotated[
        Path | None,
        typer.Option(metavar="ENCODED", help="Folder written by adagram encode, for example lines."),
    ] = None,
    since: Annotated[
        Path | None,
        typer.Option(metavar="MODEL", help="The model that this one continues: show what has changed."),
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes any free one.")
    ] = 8000,
    edit: Annotated[
        bool,
        typer.Option("--edit", help="Allow to merge, label, hide and undo on the page (this machine only)."),
    ] = False,
    resolution: ResolutionOption = "fine",
    raw: RawOption = False,
    json: Annotated[bool, typer.Option("--json", help="Print the address as a line of JSON.")] = False,
) -> None:
    """Serve a page to explore a model in the browser, and a JSON API (/openapi.json describes it).

    Example: adagram serve model/ --corpus encoded/
    """
    from adagram.api import load, load_writable
    from adagram.errors import need

    for library in ("fastapi", "uvicorn"):
        need(library, "web", "adagram serve")
    if edit and raw:
        raise InputError("--raw ignores the decisions that --edit takes; leave one of them out")
    if edit and resolution != "fine":
        raise InputError("--edit decides about senses as learned; leave it or --resolution out")
    loaded = load_writable(model) if edit else load(model, raw).at(resolution)
    encoded = _opened_corpus(corpus) if corpus else None
    earlier = _earlier(since, loaded) if since else None
    from adagram.web import app
    from adagram.web.editing import Editor
    from adagram.web.explorer import Explorer

    listener = app.open_socket(host, port)
    if edit and not app.is_local(listener):
        listener.close()
        raise InputError(f"--edit works on this machine only, not on {host}; leave --host or --edit out")
    explorer = Explorer(loaded, encoded, since=earlier)
    editor = Editor(explorer, token_urlsafe(24)) if edit else None
    log(f"adagram: {model} has {len(loaded.vocabulary):,} words with {loaded.n_senses:,} senses")
    if not app.is_local(listener):
        log("adagram: anyone who can reach this machine can use this page")
    link = app.address(listener) + (f"#edit={editor.token}" if editor else "")
    report(json, f"adagram: open {link} (stop with Ctrl-C)", address=link)
    sys.stdout.flush()
    app.serve(explorer, listener, editor)
    log("adagram: stopped")


def _opened_corpus(folder: Path) -> EncodedCorpus:
    from adagram.corpus.encoded import EncodedCorpus

    if folder.is_file():
        raise InputError(
            f"{folder} is a file; encode it first: adagram encode {folder} --output encoded/, "
            "then give --corpus encoded/"
        )
    return EncodedCorpus.open(folder)


def _earlier(folder: Path, model: Model) -> Model:
    """Load the model that this one continues, or raise an error."""
    from adagram.api import load
    from adagram.model.diff import check_descends

    earlier = load(folder, raw=True)
    check_descends(earlier, model)
    return earlier
