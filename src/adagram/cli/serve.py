"""`adagram serve`: look at a model in the browser."""

from __future__ import annotations

import sys
from pathlib import Path
from secrets import token_urlsafe
from typing import TYPE_CHECKING, Annotated

from typer import Option

from adagram.api import load, load_writable
from adagram.cli import options as opt
from adagram.cli.output import log, report
from adagram.corpus.encoded import EncodedCorpus, is_encoded
from adagram.corpus.options import DocumentOptions
from adagram.errors import InputError, need

if TYPE_CHECKING:
    from adagram.analysis.concordance import EncodedTexts, Texts
    from adagram.corpus.documents import Document
    from adagram.model import Model

MAX_TEXT = 1 << 30  # bytes held in memory


def serve(
    model: opt.ModelPath,
    corpus: Annotated[
        list[str] | None, Option(help="Text to show lines of, or a folder of adagram encode.", show_default="none")
    ] = None,
    date: opt.DateField = None,
    source: Annotated[str | None, Option(help="Field that says who speaks, to show it.", show_default="none")] = None,
    host: Annotated[str, Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, Option(min=0, max=65535, help="Port to listen on; 0 takes any free one.")] = 8000,
    edit: Annotated[
        bool, Option("--edit", help="Allow to merge, label, hide and undo on the page (this machine only).")
    ] = False,
    resolution: opt.ResolutionOption = opt.DEFAULT_RESOLUTION,
    raw: opt.RawOption = False,
    json: Annotated[bool, Option("--json", help="Print the address as a line of JSON.")] = False,
) -> None:
    """Serve a page to explore a model in the browser, and a JSON API (/openapi.json describes it).

    Example: adagram serve model/ --corpus speeches.jsonl --date year --source country
    """
    for library in ("fastapi", "uvicorn"):
        need(library, "web", "adagram serve")
    if edit and raw:
        raise InputError("--raw ignores the decisions that --edit takes; leave one of them out")
    if edit and resolution not in (opt.DEFAULT_RESOLUTION, "fine"):
        raise InputError("--edit decides about senses as learned; leave it or --resolution out")
    loaded = load_writable(model) if edit else load(model, raw).at(resolution)
    texts = _texts(loaded, corpus, date, source) if corpus else None
    from adagram.web import app
    from adagram.web.editing import Editor
    from adagram.web.explorer import Explorer

    listener = app.open_socket(host, port)
    if edit and not app.is_local(listener):
        listener.close()
        raise InputError(f"--edit works on this machine only, not on {host}; leave --host or --edit out")
    explorer = Explorer(loaded, texts)
    editor = Editor(explorer, token_urlsafe(24)) if edit else None
    log(f"adagram: {model} has {len(loaded.vocabulary):,} words with {loaded.n_senses:,} senses")
    if not app.is_local(listener):
        log("adagram: anyone who can reach this machine can use this page")
    link = app.address(listener) + (f"#edit={editor.token}" if editor else "")
    report(json, f"adagram: open {link} (stop with Ctrl-C)", address=link)
    sys.stdout.flush()
    app.serve(explorer, listener, editor)
    log("adagram: stopped")


def _texts(model: Model, corpus: list[str], date: str | None, source: str | None) -> Texts | EncodedTexts:
    """Open an encoded corpus, or read a text into memory."""
    from adagram.analysis.concordance import EncodedTexts, Texts

    if is_encoded(Path(corpus[0])):
        if len(corpus) > 1 or date or source:
            raise InputError(f"{corpus[0]} is an encoded corpus, without dates and sources; give the text itself")
        return EncodedTexts(EncodedCorpus.open(Path(corpus[0])))
    size = 0
    held: list[Document] = []
    with opt.documents_of(corpus, DocumentOptions(), model) as documents:
        for document in documents:
            size += len(document.data)
            if size > MAX_TEXT:
                raise InputError(
                    f"the text has more than {MAX_TEXT >> 30} GB, too much to hold in memory; "
                    "give less, or a folder written by adagram encode"
                )
            held.append(document)
    texts = Texts(held, opt.dates_by(date, skip_bad=False), opt.dates_by(source, skip_bad=False, option="--source"))
    _ = texts.fields  # refuse a name that no document has now
    return texts
