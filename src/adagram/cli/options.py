"""Options of verbs: those that several verbs share, and options made from the fields of dataclasses."""

from __future__ import annotations

import functools
import inspect
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import Field, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Union, get_args, get_origin, get_type_hints

import typer
from typer import Argument, Option

from adagram.cli.output import log, progress_bar
from adagram.corpus.options import DocumentOptions
from adagram.errors import InputError
from adagram.files.folders import MODEL, kind_of
from adagram.options import Flag, options_of
from adagram.options import Option as FieldOption

if TYPE_CHECKING:
    from adagram.corpus.documents import Document
    from adagram.model import Model

HELP = {"help_option_names": ["-h", "--help"]}
ModelPath = Annotated[Path, Argument(metavar="MODEL", help="A model folder or name, see `adagram models`.")]
Word = Annotated[str, Argument(help="A word of the vocabulary.")]
SenseName = Annotated[str, Argument(metavar="WORD#K", help="A sense, such as apple#1.")]
Corpus = Annotated[
    list[str], Argument(metavar="CORPUS", help="Files, folders, globs, `hf:NAME` data sets; `-` is stdin.")
]
Texts = Annotated[
    list[str],
    Argument(metavar="TEXT", help="Files, folders, globs of any format that `train` reads; - is standard input."),
]
JsonOption = Annotated[bool, Option("--json", help="Print JSON lines instead of a table.")]
WideOption = Annotated[bool, Option("--wide", help="Print all columns on a terminal, however wide it is.")]
ReportJson = Annotated[bool, Option("--json", help="Print what was written as a line of JSON.")]
RawOption = Annotated[bool, Option("--raw", help="Ignore the journal: senses as they were learned.")]
RESOLUTION = "coarse, medium, fine (as learned), or the likeness, 0 to 1, at which senses of a word merge."
ResolutionOption = Annotated[str, Option(help=RESOLUTION)]
DEFAULT_RESOLUTION = "medium"  # of verbs that show senses to people, as `model.resolution.DEFAULT`
OverwriteOption = Annotated[
    bool,
    Option("--overwrite", help="Replace an older output of the same kind, which stays until the new one is complete."),
]
ContextWeightsOption = Annotated[
    str,
    Option(
        "--context-weights",
        help="kept: weigh a context word by the probability that --subsample kept it in training, and extend each "
        "side until it weighs as much as the window; none: the nearest words with equal weights, as in the paper.",
    ),
]
WindowOption = Annotated[
    int | None, Option(min=1, help="Weight of the context on each side (default: the model's window).")
]
DateField = Annotated[str | None, Option("--date", help="Field with the date, to show it.", show_default="none")]
Ray = Annotated[
    str | None,
    Option(
        "--ray",
        metavar="ADDRESS",
        help="Work on a Ray cluster: auto, HOST:PORT, ray://HOST:PORT, or local to start one here.",
        show_default="none",
        rich_help_panel="Cluster",
    ),
]
Workers = Annotated[
    int | None,
    Option(
        min=1, help="With --ray: number of processes, each on one CPU (default: all CPUs).", rich_help_panel="Cluster"
    ),
]


def corpus_paths(names: list[str]) -> list[Path]:
    """Return the paths of a corpus; on the command line a name is never the text itself."""
    if "" in names:
        raise InputError("the name of a corpus is empty; is a variable of the shell not set?")
    for name in names:
        if re.match(r"(https?|ftp|s3|gs)://", name):
            raise InputError(f"{name} is an address; download it first, then give the file (or pipe it in, as -)")
        if kind_of(Path(name)) is MODEL:
            raise InputError(f"{name} is a model, not a corpus; give the text, and the model as --output")
    return [Path(name) for name in names]


def check_output(output: Path | None, *inputs: str | Path | None) -> None:
    """Refuse an output that is one of the files to read; a link to one is the same file."""
    if output is None or not output.is_file():
        return
    for path in inputs:
        if path is not None and os.path.isfile(path) and os.path.samefile(output, path):
            raise InputError(f"{output} is a file that this command reads; give another name to write to")


@contextmanager
def documents_of(
    corpus: list[str], options: DocumentOptions, model: Model, is_live: bool = False
) -> Iterator[Iterator[Document]]:
    """Read the documents of a corpus as the model's text was read; report at the end what was left out."""
    from adagram.corpus.readers import read_as_trained

    with progress_bar() as progress:
        documents, found = read_as_trained(corpus_paths(corpus), model.info, options, progress, is_live)
        yield documents
    if found.replaced_utf8:
        log(f"replaced {found.replaced_utf8:,} invalid bytes or characters")
    for what, n in found.skipped.items():
        log(f"left out {n:,}: {what}")
    for bad in found.bad_sources:
        log(f"left out the rest of {bad.name}: {bad.reason}")


def dates_by(field: str | None, skip_bad: bool, option: str = "--date") -> Callable[[Document], str]:
    """Return a function that gives a field of a document as it is in its record, "" without a `field`."""
    from adagram.analysis.epochs import missing_field

    def date_of(document: Document) -> str:
        if field is None:
            return ""
        if field not in document.fields and not skip_bad:
            raise InputError(f"{document.name}: {missing_field(document, field)}; name another {option}")
        value = document.fields.get(field)
        return "" if value is None else str(value)

    return date_of


def group(name: str, help: str, *commands: Callable[..., None]) -> typer.Typer:
    """Return a verb that has several commands, each named as its function."""
    app = typer.Typer(name=name, help=help, no_args_is_help=True, add_completion=False, context_settings=HELP)
    for command in commands:
        app.command(command.__name__.rstrip("_"))(with_fields(command))
    return app


def with_fields(verb: Callable[..., None]) -> Callable[..., None]:
    """Return a verb that has an option for each field of the option classes among its parameters' types.

    A parameter of such a type gets an object of it, with what the user gave. `Annotated[dict, Class, …]` gets what the
    user gave by name; `adagram.config.read_options` checks it, as it does Python's keyword arguments.
    """
    hints = _hints(verb)
    groups = {name: classes for name, hint in hints.items() if (classes := _option_classes(hint))}
    if not groups:
        return verb

    def run(ctx: typer.Context, **values: Any) -> None:
        for name, classes in groups.items():
            own = {field: values.pop(field) for field in options_of(*classes)}
            given = {field: value for field, value in own.items() if _is_given(ctx, field)}
            values[name] = classes[0](**given) if hints[name] in classes else given
        verb(**values)

    own = [
        _parameter(name, hints[name], parameter.default)
        for name, parameter in inspect.signature(verb).parameters.items()
        if name not in groups
    ]
    fields = options_of(*(cls for classes in groups.values() for cls in classes))
    more = [_of_field(name, *about) for name, about in fields.items()]
    every = [_parameter("ctx", typer.Context, inspect.Parameter.empty), *own, *more]
    functools.update_wrapper(run, verb)
    run.__signature__ = inspect.Signature(every)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in every}
    return run


def _option_classes(hint: Any) -> tuple[type, ...]:
    classes = (hint, *getattr(hint, "__metadata__", ()))
    return tuple(cls for cls in classes if isinstance(cls, type) and is_dataclass(cls))


def _hints(command: Callable[..., Any]) -> dict[str, Any]:
    """Return the types of parameters as written: Python 3.10 wraps those with default None in one more Optional."""
    hints = get_type_hints(command, include_extras=True)
    return {
        name: next((part for part in get_args(hint) if get_origin(part) is Annotated), hint)
        if get_origin(hint) is Union
        else hint
        for name, hint in hints.items()
    }


def _of_field(name: str, own: Field[Any], about: FieldOption) -> inspect.Parameter:
    """Return the option `--name` of a field; its range is checked by the class."""
    flags: list[str] = []
    shown: str | bool = about.unset or True
    if isinstance(about.kind, Flag):
        dashed = name.replace("_", "-")
        flags = [about.kind.flags or f"--{dashed}/--no-{dashed}"]
        shown = about.unset or ("/" in flags[0] and ("on" if own.default else "off"))
    # What Python takes as "not given" may not be a value on the command line, such as an empty set.
    default = None if about.unset else own.default
    type_ = about.kind.type | None if about.unset else about.kind.type
    option = Option(*flags, help=about.help, rich_help_panel=about.panel, show_default=shown)
    return _parameter(name, Annotated[type_, option], default)


def _parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _is_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name not in ("DEFAULT", "DEFAULT_MAP")
