"""Options of a verb, made from the classes that have them as fields."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable
from dataclasses import Field
from pathlib import Path
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import typer

from adagram.errors import InputError
from adagram.files.folders import MODEL, kind_of
from adagram.options import Option, Switch, options_of
from adagram.presets import DEFAULTS, PRESETS

Corpus = Annotated[
    list[str],
    typer.Argument(
        metavar="CORPUS", help="Files, folders, globs, `hf:NAME` data sets; `-` is stdin.", show_default=False
    ),
]
Preset = Annotated[
    str | None,
    typer.Option(
        help=f"Values for all options that are not given: {', '.join(PRESETS)}.", show_default="none"
    ),
]


def corpus_paths(names: list[str]) -> list[Path]:
    """Paths, as words of the command line are never texts."""
    if "" in names:
        raise InputError("the name of a corpus is empty; is a variable of the shell not set?")
    for name in names:
        if re.match(r"(https?|ftp|s3|gs)://", name):
            raise InputError(
                f"{name} is an address; download it first, then give the file (or pipe it in, as -)"
            )
        if kind_of(Path(name)) is MODEL:
            raise InputError(f"{name} is a model, not a corpus; give the text, and the model as --output")
    return [Path(name) for name in names]


def takes_options(*classes: type) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a verb --preset and an option per field; it gets those that the user gave, by name, as `options`.

    What to make of them is up to `adagram.config.read_options`, as it is for Python's keyword arguments.
    """
    found = options_of(*classes).items()
    parameters = [_parameter("preset", Preset, None), *(_of_field(name, *about) for name, about in found)]
    names = [parameter.name for parameter in parameters]

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def wrapper(context: typer.Context, **values: Any) -> Any:
            taken = {name: values.pop(name) for name in names}
            return command(**values, options={n: v for n, v in taken.items() if _is_given(context, n)})

        hints = _hints(command)
        own = [
            parameter.replace(kind=parameter.KEYWORD_ONLY, annotation=hints[name])
            for name, parameter in inspect.signature(command).parameters.items()
            if name != "options"
        ]
        every = [_parameter("context", typer.Context, inspect.Parameter.empty), *own, *parameters]
        wrapper.__signature__ = inspect.Signature(every)  # type: ignore[attr-defined]
        wrapper.__annotations__ = {parameter.name: parameter.annotation for parameter in every}
        return wrapper

    return decorate


def _hints(command: Callable[..., Any]) -> dict[str, Any]:
    """Types of parameters as they are written: Python 3.10 wraps those with None as default in one more Optional."""
    hints = get_type_hints(command, include_extras=True)
    return {
        name: next((part for part in get_args(hint) if get_origin(part) is Annotated), hint)
        if get_origin(hint) is Union
        else hint
        for name, hint in hints.items()
    }


def _of_field(name: str, own: Field[Any], about: Option) -> inspect.Parameter:
    """The option `--name` of a field, typed by its kind; its limits are checked where all options are."""
    flags = []
    if isinstance(about.kind, Switch):
        dashed = name.replace("_", "-")
        flags = [about.kind.flags or f"--{dashed}/--no-{dashed}"]
    # What stands for "none given" in Python is not always a value of the command line: no words, for instance.
    default = None if about.unset else own.default
    type_ = about.kind.type | None if about.unset else about.kind.type
    option = typer.Option(
        *flags, help=about.help, rich_help_panel=about.panel, show_default=about.unset or _recommended(name)
    )
    return _parameter(name, Annotated[type_, option], default)


def _recommended(name: str) -> str | bool:
    """The value that an option of AdaGram has where neither it nor a preset is given; True: that of its class."""
    value = DEFAULTS["adagram"].get(name)
    if value is None:
        return True
    return ("on" if value else "off") if isinstance(value, bool) else f"{value:g}"


def _parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _is_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name not in ("DEFAULT", "DEFAULT_MAP")


def takes_groups(**groups: type) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a verb an option per field of some classes of options; it gets an object of each, by the group's name."""
    found = {name: options_of(cls) for name, cls in groups.items()}
    parameters = [_of_field(name, *about) for fields in found.values() for name, about in fields.items()]

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def wrapper(**values: Any) -> Any:
            made = {
                group: groups[group](**{name: values.pop(name) for name in fields})
                for group, fields in found.items()
            }
            return command(**values, **made)

        hints = _hints(command)
        own = [
            parameter.replace(kind=parameter.KEYWORD_ONLY, annotation=hints[name])
            for name, parameter in inspect.signature(command).parameters.items()
            if name not in groups
        ]
        wrapper.__signature__ = inspect.Signature([*own, *parameters])  # type: ignore[attr-defined]
        wrapper.__annotations__ = {p.name: p.annotation for p in [*own, *parameters]}
        return wrapper

    return decorate
