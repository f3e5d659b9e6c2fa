"""`adagram plot`: figures of models."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from adagram import plots
from adagram.api import load
from adagram.cli import options as opt
from adagram.cli.output import log, report

Output = Annotated[Path, Option("--output", "-o", help="File to write: .png, .svg or .pdf.")]
Top = Annotated[int, Option(min=1, max=100, help="Number of nearest senses of each sense.")]


def senses(
    model: opt.ModelPath,
    word: opt.Word,
    output: Output,
    top: Top = 10,
    resolution: opt.ResolutionOption = opt.DEFAULT_RESOLUTION,
    overwrite: opt.OverwriteOption = False,
    raw: opt.RawOption = False,
    json: opt.ReportJson = False,
) -> None:
    """Draw the prior and the nearest senses of each sense of a word.

    Example: adagram plot senses model/ apple -o apple.png
    """
    _save(plots.senses_figure(load(model, raw).at(resolution), word, top), output, overwrite, json)


def resolution(
    models: Annotated[list[Path], Argument(metavar="MODEL", help="Model folders to compare.")],
    output: Output,
    raw: opt.RawOption = False,
    overwrite: opt.OverwriteOption = False,
    json: opt.ReportJson = False,
) -> None:
    """Draw senses per word, senses against frequency, and senses against --resolution, of one or several models.

    Example: adagram plot resolution alpha-0.05/ alpha-0.1/ alpha-0.2/ -o resolution.pdf
    """
    loaded = [(path, load(path, raw)) for path in models]
    named = {
        f"{path} (alpha {m.config.alpha:g})" if m.config.uses("alpha") else f"{path} ({m.config.algorithm})": m
        for path, m in loaded
    }
    _save(plots.resolution_figure(named), output, overwrite, json)


def map_(
    model: opt.ModelPath,
    words: Annotated[list[str], Argument(metavar="WORD", help="Words of the vocabulary.")],
    output: Output,
    top: Annotated[
        int | None, Option(min=1, max=100, help="Number of nearest senses of each sense (default: as many as fit).")
    ] = None,
    resolution: opt.ResolutionOption = opt.DEFAULT_RESOLUTION,
    overwrite: opt.OverwriteOption = False,
    raw: opt.RawOption = False,
    json: opt.ReportJson = False,
) -> None:
    """Draw a map of the senses of some words and their nearest senses.

    Example: adagram plot map model/ apple rock -o map.svg
    """
    _save(plots.map_figure(load(model, raw).at(resolution), words, top), output, overwrite, json)


def trend(
    model: opt.ModelPath,
    word: opt.Word,
    output: Output,
    resolution: opt.ResolutionOption = opt.DEFAULT_RESOLUTION,
    raw: opt.RawOption = False,
    overwrite: opt.OverwriteOption = False,
    json: opt.ReportJson = False,
) -> None:
    """Draw the share of each sense of a word over time, as `adagram trends` counted it last.

    Example: adagram plot trend model/ crime -o crime.png
    """
    _save(plots.trend_figure(load(model, raw).at(resolution), word), output, overwrite, json)


plot = opt.group("plot", "Draw figures of models (PNG, SVG or PDF).", senses, resolution, map_, trend)


def _save(figure: Any, output: Path, overwrite: bool, as_json: bool) -> None:
    missing = plots.save(figure, output, overwrite)
    if missing:
        log(f"adagram: no installed font has {missing}; install one that does, for example Noto Sans CJK")
    report(as_json, f"adagram: wrote {output}", output=output)
