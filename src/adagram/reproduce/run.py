"""A reproduction run: train what is missing, the most needed models first, then every experiment, then the index."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from adagram.errors import InputError
from adagram.reproduce.data import MissingData
from adagram.reproduce.experiments import EXPERIMENTS
from adagram.reproduce.experiments.base import Experiment
from adagram.reproduce.models import BY_IMPORTANCE
from adagram.reproduce.result import Result
from adagram.reproduce.setup import Listener, Settings, Setup
from adagram.reproduce.tables import Cell, Table
from adagram.whole import is_temporary, write_text

ALL = "all"
INDEX, HEADING = "index.md", "# Reproduction of the paper's experiments"


def reproduce(name: str, settings: Settings, listener: Listener) -> Iterator[Result]:
    """The results of an experiment, or of all; each is written as soon as it is there."""
    chosen = choose(name)
    check_folder(settings.output, chosen, settings.overwrite)
    setup = Setup(settings, listener)
    needed = {variant for experiment in chosen for variant in experiment.variants}
    for variant in (variant for variant in BY_IMPORTANCE if variant in needed):
        setup.models.get(variant)
    left_out: dict[str, str] = {}
    for experiment in chosen:
        start = time.perf_counter()
        try:
            result = experiment.run(setup)
        except MissingData as reason:
            if name != ALL:
                raise
            left_out[experiment.name] = str(reason)
            listener.say(f"{experiment.name} left out: {reason}")
            continue
        result.write(settings.output / result.name, setup.conditions)
        listener.say(f"{experiment.name} took {time.perf_counter() - start:.0f} s")
        yield result
    write_text(settings.output / INDEX, _index(setup, settings.output, left_out), overwrite=True)


def check_folder(folder: Path, chosen: list[Experiment], overwrite: bool) -> None:
    """Refuse a folder with files of others, and results that are complete: those that the index names."""
    names = {path.name for path in _visible(folder)}
    if names - {*EXPERIMENTS, "models", "corpus", INDEX, "kept"}:
        raise InputError(f"{folder} is a folder with other files in it; give a new name")
    index = (folder / INDEX).read_text(encoding="utf-8", errors="replace") if INDEX in names else HEADING
    if not index.startswith(HEADING):
        raise InputError(f"{folder / INDEX} is not of this program; give a new name")
    for experiment in chosen:
        _check_result(folder / experiment.name, is_complete=_link(experiment) in index, overwrite=overwrite)


def _check_result(folder: Path, is_complete: bool, overwrite: bool) -> None:
    own = {f"{folder.name}.md"}
    for path in _visible(folder):
        if path.name not in own and path.suffix not in (".csv", ".png"):
            raise InputError(f"{path} is not of this program; give a new name for the results")
    if is_complete and folder.exists() and not overwrite:
        raise InputError(f"{folder} has results; --overwrite replaces them, or give another name")


def _visible(folder: Path) -> list[Path]:
    """What is in a folder, without what a killed run may have left."""
    found = folder.iterdir() if folder.is_dir() else ()
    return [path for path in found if not is_temporary(path)]


def _link(experiment: Experiment) -> str:
    return f"[{experiment.name}]({experiment.name}/{experiment.name}.md)"


def choose(name: str) -> list[Experiment]:
    if name == ALL:
        return list(EXPERIMENTS.values())
    if name not in EXPERIMENTS:
        raise InputError(f"unknown experiment '{name}'; choose one of {', '.join(EXPERIMENTS)}, {ALL}")
    return [EXPERIMENTS[name]]


def _index(setup: Setup, output: Path, left_out: dict[str, str]) -> str:
    lines = [HEADING, "", setup.conditions, ""]
    for experiment in EXPERIMENTS.values():
        if (output / experiment.name / f"{experiment.name}.md").is_file():
            lines.append(f"* {_link(experiment)}: {experiment.about}")
        elif experiment.name in left_out:
            lines.append(f"* {experiment.name}: left out, {left_out[experiment.name]}")
    return "\n".join([*lines, "", "## Models", "", models_table(setup).markdown(), ""])


def models_table(setup: Setup) -> Table:
    """The trained models: size, and how long each took."""
    rows: list[list[Cell]] = []
    for variant in BY_IMPORTANCE:
        folder = setup.models.folder(variant)
        model = setup.models.get(variant) if folder.is_dir() else None
        if model is None:
            continue
        training = model.info["training"]
        seconds = float(training.get("seconds", 0.0))
        speed = round(float(training.get("words_per_second", 0)) / 1000)
        rows.append([variant.label, model.config.dim, model.n_senses, seconds / 60, speed, folder.name])
    columns = ["model", "dim", "senses", "minutes of training", "k words/s", "folder"]
    return Table("models", "Models", columns, rows, digits=1)
