"""adagram encode: vocabulary and token ids once, for any number of trainings."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from adagram.cli.options import Corpus, corpus_paths, takes_options
from adagram.cli.output import OverwriteOption, ToldAsJson, say, show_json
from adagram.cli.progress import progress_bar
from adagram.config import EncodeOptions, read_options


def register(app: typer.Typer) -> None:
    app.command()(encode)


@takes_options(EncodeOptions)
def encode(
    corpus: Corpus,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder to write the encoded corpus to.")],
    options: dict[str, Any],
    json: ToldAsJson = False,
    overwrite: OverwriteOption = False,
) -> None:
    """Turn a corpus into a vocabulary and token ids that `adagram train` reads at once."""
    from adagram.corpus.encoder import encode as encode_corpus

    _, encoding = read_options(options)
    with progress_bar() as progress:
        encoded = encode_corpus(corpus_paths(corpus), output, encoding, progress, overwrite)
    report = encoded.meta["report"]
    if json:
        show_json({"output": output, "fingerprint": encoded.fingerprint, **report}.items())
        return
    for name, value in _rows(report):
        print(f"{name}\t{value}")
    for bad in report["bad_sources"]:
        say(f"adagram: skipped the rest of {bad['name']}: {bad['reason']}")


def _rows(report: dict[str, Any]) -> list[tuple[str, Any]]:
    """The report as name and value, without what is zero."""
    rows: list[tuple[str, Any]] = [
        ("tokens read", report["tokens"]),
        ("types read", report["types"]),
        ("tokens kept", report["kept_tokens"]),
        ("types kept", report["kept_types"]),
        ("coverage", f"{report['coverage']:.4f}"),
    ]
    rows += [
        (f"removed by {name}", f"{gone['types']} types, {gone['tokens']} tokens")
        for name, gone in report["removed"].items()
    ]
    rows += [(f"skipped: {reason}", n) for reason, n in report["skipped"].items()]
    more = (
        ("invalid bytes replaced", "replaced_utf8"),
        ("words joined in phrases", "phrases"),
        ("runs without spaces left whole", "uncut_runs"),
    )
    rows += [(label, report[key]) for label, key in more if report[key]]
    if report["bad_sources"]:
        rows.append(("bad sources", len(report["bad_sources"])))
    if report["counts_are_lower_bounds"]:
        rows.append(("counts", "lower bounds: rare words were forgotten to bound memory"))
    return rows
