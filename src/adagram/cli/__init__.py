"""The command line: results on stdout, progress and messages on stderr."""

from __future__ import annotations

import errno
import functools
import importlib
import os
import sys
import warnings
from collections import UserDict
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from adagram import __version__
from adagram.cli.options import HELP, with_fields
from adagram.cli.output import log
from adagram.errors import AdagramError

# Modules with their verbs. Only the module of the verb that runs is imported; heavy imports stay inside the verbs.
MODULES = {
    "train": "demo train encode",
    "senses": "models info senses neighbours words diff",
    "disambiguate": "disambiguate likelihood tag",
    "describe": "describe examples collocates concordance merge label hide undo",
    "trends": "trends change",
    "export": "export import push",
    "plot": "plot",
    "serve": "serve",
    "evaluate": "evaluate",
    "reproduce": "reproduce wwsi",
    "check": "check",
}
VERBS = {verb: module for module, verbs in MODULES.items() for verb in verbs.split()}


class LazyVerbs(UserDict[str, Any]):
    """The commands of all verbs; a module is imported when its verb is looked up."""

    def __getitem__(self, name: str) -> Any:
        return load_verb(name)


class VerbGroup(TyperGroup):
    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands: Any = LazyVerbs(VERBS)


@functools.cache
def load_verb(name: str) -> Any:
    """Return the command of a verb: the function, or the group of commands, of that name in its module."""
    module = importlib.import_module(f"adagram.cli.{VERBS[name]}")
    verb = getattr(module, "import_" if name == "import" else name)
    if isinstance(verb, typer.Typer):
        return get_command(verb)
    app = typer.Typer(add_completion=False)
    app.command(name, context_settings=HELP)(with_fields(verb))
    return get_command(app)


def build_app() -> typer.Typer:
    app = typer.Typer(
        name="adagram",
        cls=VerbGroup,
        help="Learn several vectors per word, one per sense, from raw text (Adaptive Skip-gram).",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings=HELP,
    )

    @app.callback(invoke_without_command=True)
    def root(version: bool = typer.Option(False, "--version", help="Print the version and stop.")) -> None:
        if version:
            typer.echo(f"adagram {__version__}")
            raise typer.Exit

    return app


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; every foreseeable failure is one sentence on stderr and a non-zero exit."""
    warnings.showwarning = lambda message, *_: log(f"adagram: {message}")
    for name in ("stdout", "stderr"):  # None if it is closed
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        try:
            build_app()(args=arguments)
        finally:
            sys.stdout.flush()
    except AdagramError as error:
        _stop(str(error))
    except KeyboardInterrupt:
        _stop("interrupted", code=130)
    except SystemExit as stop:
        # typer turns Ctrl-C into an exit without a message.
        if stop.__context__ and isinstance(stop.__context__.__cause__, KeyboardInterrupt):
            _stop("interrupted", code=130)
        raise
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # keeps the exit flush quiet
        sys.exit(0)
    except MemoryError:
        _stop("out of memory: try a smaller --dim, a higher --min-count or fewer words")
    except RuntimeError as error:
        if "can't start new thread" not in str(error):
            raise
        _stop("the system allows no more threads; give a smaller --threads, or raise the limit (ulimit -u)")
    except OSError as error:
        _stop(_system_sentence(error))


def _system_sentence(error: OSError) -> str:
    name = f"{error.filename}: " if error.filename else ""
    if error.errno == errno.ENOSPC:
        return f"{name}no space left on the disk; free some and run again"
    return f"{name}{error.strerror or error}"


def _stop(sentence: str, code: int = 1) -> None:
    log(f"adagram: {sentence}")
    sys.exit(code)
