"""`adagram export`, `import`, `push`: models for and from other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from typer import Argument, Option

from adagram.api import load
from adagram.cli import options as opt
from adagram.cli.output import log, report
from adagram.errors import InputError
from adagram.files.atomic import check_new_folder
from adagram.files.folders import MODEL

ExportFormat = Literal["word2vec", "word2vec-bin", "gensim", "projector", "parquet", "julia", "csv", "tei-lex0", "int8"]
ImportFormat = Literal["julia", "word2vec"]


def export(
    model: opt.ModelPath,
    format: Annotated[ExportFormat, Option("--format", "-f", help="Format to write.")],
    output: Annotated[Path, Option("--output", "-o", help="A file; for projector and int8 a folder.")],
    max_words: Annotated[int | None, Option(min=2, help="Keep the most frequent words only (default: all).")] = None,
    blended: Annotated[
        bool, Option("--blended", help="Write the vectors by which senses are compared, not the learned ones.")
    ] = False,
    overwrite: opt.OverwriteOption = False,
    resolution: opt.ResolutionOption = "fine",
    raw: opt.RawOption = False,
    json: opt.ReportJson = False,
) -> None:
    """Write a model in the format of another program, one row per sense (apple#0, apple#1, …), or a compact model.

    Example: adagram export model/ --format word2vec-bin --output senses.bin

    int8 is a compact model, a quarter of the size, which cannot be continued.
    """
    from adagram.export import export as export_model
    from adagram.model.compact import model_of_frequent

    opt.check_output(output, model)
    loaded = load(model, raw).at(resolution)
    if max_words is not None:
        loaded = model_of_frequent(loaded, max_words)
    export_model(loaded, output, format, overwrite, blended)
    words, senses = len(loaded.vocabulary), loaded.n_senses
    told = f"wrote {senses:,} senses of {words:,} words to {output}"
    report(json, told, output=output, format=format, senses=senses, words=words)


def import_(
    file: Annotated[Path, Argument(metavar="FILE", help="The file of the other program.")],
    format: Annotated[ImportFormat, Option("--format", "-f", help="julia: AdaGram.jl; word2vec: text or binary.")],
    output: Annotated[Path, Option("--output", "-o", help="Folder to write the model to.")],
    window: Annotated[int, Option(min=1, help="Context words on each side, which the file does not hold.")] = 5,
    min_prior: Annotated[
        float | None, Option(min=0, max=1, help="julia: drop senses with a smaller prior (default: 0.001).")
    ] = None,
    overwrite: opt.OverwriteOption = False,
    json: opt.ReportJson = False,
) -> None:
    """Import a model of AdaGram.jl, or word2vec vectors, as a model.

    Example: adagram import old.model --format julia --output model/

    Rows of a word2vec file that are named word#0, word#1, … become the senses of one word.
    """
    from adagram.export import import_model

    check_new_folder(output, MODEL, overwrite)
    options: dict[str, Any] = {"window": window}
    if min_prior is not None:
        if format != "julia":
            raise InputError(f"--min-prior is for the format julia, not {format}")
        options["min_prior"] = min_prior
    model = import_model(file, format, **options)
    model.save(output, overwrite)
    d = model.info["imported"].get("d", 0.0)
    if d:
        log(f"the file's discount d = {d:g} is not used: priors are those of d = 0")
    words, senses = len(model.vocabulary), model.n_senses
    told = f"imported {senses:,} senses of {words:,} words to {output}"
    report(json, told, output=output, senses=senses, words=words)


def push(
    model: Annotated[Path, Argument(metavar="MODEL", help="Model folder, or a zip or tar file of one.")],
    name: Annotated[str, Argument(metavar="OWNER/NAME", help="Repository on the Hub.")],
    private: Annotated[bool, Option("--private", help="Make a new repository private.")] = False,
    json: opt.ReportJson = False,
) -> None:
    """Upload a model to the Hugging Face Hub, with its card and tags.

    Example: adagram push model/ me/my-senses

    Anyone can then use hf:me/my-senses as MODEL. Log in first: `hf auth login`, or set HF_TOKEN.
    """
    from adagram.files.hub import PREFIX, folder_of
    from adagram.files.hub import push as send

    address = send(folder_of(model)[0], name, private)
    named = PREFIX + name.removeprefix(PREFIX)
    report(json, f"{address}\nUse it as {named}", address=address, model=named)
