"""The command line: one thin file per verb; results on stdout, progress and messages on stderr."""

from __future__ import annotations

import errno
import importlib
import os
import sys
import warnings
from collections.abc import Sequence

import typer

from adagram import __version__
from adagram.cli.hints import HintingGroup
from adagram.cli.output import say
from adagram.cli.own_input import check_not_read
from adagram.cli.ray_options import with_ray_address
from adagram.cli.streams import guarded_streams
from adagram.errors import AdagramError

# One module each under adagram.cli, with `register(app)`; heavy imports stay inside the verbs.
VERBS = [
    "demo",
    "train",
    "look",
    "words",
    "predict",
    "encode",
    "wwsi",
    "evaluate",
    "reproduce",
    "serve",
    "plot",
    "tag",
    "export",
    "import_",
    "describe",
    "curate",
    "trends",
    "diff",
    "care",
    "push",
]

_SEVERAL = ("look", "predict", "curate", "care", "import_")  # modules with verbs of other names


def build_app(verbs: Sequence[str] | None = None) -> typer.Typer:
    """With the verbs of these modules, or with all."""
    app = typer.Typer(
        name="adagram",
        cls=HintingGroup,
        help="Learn several vectors per word, one per sense, from raw text (Adaptive Skip-gram).",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )

    @app.callback(invoke_without_command=True)
    def root(version: bool = typer.Option(False, "--version", help="Print the version and stop.")) -> None:
        if version:
            typer.echo(f"adagram {__version__}")
            raise typer.Exit

    for verb in verbs or VERBS:
        importlib.import_module(f"adagram.cli.{verb}").register(app)
    return app


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; every foreseeable failure is one sentence on stderr and a non-zero exit."""
    warnings.showwarning = lambda message, *_: say(f"adagram: {message}")
    with guarded_streams():
        _run(sys.argv[1:] if arguments is None else arguments)


def _run(arguments: list[str]) -> None:
    try:
        check_not_read(arguments)
        asked = [verb for verb in VERBS if [verb] == arguments[:1] and verb not in _SEVERAL]
        build_app(asked)(args=with_ray_address(arguments))  # nothing else is loaded
    except AdagramError as error:
        _stop(str(error))
    except KeyboardInterrupt:
        _stop("interrupted", code=130)
    except SystemExit as stop:
        # What typer makes of Ctrl-C says nothing; verbs that have said something themselves leave no cause.
        if stop.__context__ and isinstance(stop.__context__.__cause__, KeyboardInterrupt):
            _stop("interrupted", code=130)
        raise
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # keeps the exit flush quiet
        sys.exit(0)
    except MemoryError:
        _stop("out of memory: try a smaller --dim, a higher --min-count or fewer words")
    except UnicodeEncodeError as error:
        _stop(
            f"standard output is {sys.stdout.encoding}, which has no {error.object[error.start]!a}; "
            "set PYTHONIOENCODING=utf-8 and run again"
        )
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
    say(f"adagram: {sentence}")
    sys.exit(code)
