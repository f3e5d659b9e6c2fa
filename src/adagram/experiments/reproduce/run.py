"""A reproduction run: train what is missing, the most needed models first, then run every experiment."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from adagram.errors import InputError
from adagram.experiments.reproduce.results import Cell, Result, Table
from adagram.experiments.reproduce.senses import NN, RESOLUTION, SENSES
from adagram.experiments.reproduce.setup import (
    BY_IMPORTANCE,
    TOO_LITTLE,
    Callbacks,
    Experiment,
    MissingData,
    Settings,
    Setup,
)
from adagram.experiments.reproduce.tasks import FUZZY, LIKELIHOOD, SCWS, SEARCH, WSI
from adagram.files.atomic import is_temporary, remove_all_dead, write_text

EXPERIMENTS = {each.name: each for each in (NN, RESOLUTION, SENSES, LIKELIHOOD, WSI, FUZZY, SEARCH, SCWS)}
ALL = "all"
INDEX, HEADING = "index.md", "# Reproduction of the paper's experiments"


def reproduce(name: str, settings: Settings, callbacks: Callbacks) -> Iterator[Result]:
    """Yield the results of an experiment, or of all; each is written as soon as it is done.

    Experiments that an earlier run has done are left as they are, unless `settings.overwrite` is set.
    """
    chosen = choose(name)
    check_folder(settings.output, chosen)
    for place in (settings.output, settings.output / "models"):
        remove_all_dead(place)  # of a run that was killed when its model was in place already
    setup = Setup(settings, callbacks)
    for experiment in chosen if not settings.overwrite else []:
        if is_done(experiment, setup):
            page = _page(settings.output, experiment)
            callbacks.say(f"{experiment.name} is done already: {page}; give overwrite=True to do it again")
            chosen = [other for other in chosen if other is not experiment]
    needed = {variant for experiment in chosen for variant in experiment.variants}
    for variant in (variant for variant in BY_IMPORTANCE if variant in needed):
        setup.model(variant)
    left_out: dict[str, str] = {}
    for experiment in chosen:
        start = time.perf_counter()
        try:
            result = experiment.run(setup)
        except MissingData as reason:
            if name != ALL:
                raise
            left_out[experiment.name] = str(reason)
            callbacks.say(f"{experiment.name} left out: {reason}")
            continue
        if warning := setup.warning(experiment):
            callbacks.say(f"{experiment.name}: {warning}")
        result.write(settings.output / result.name, setup.conditions, warning)
        callbacks.say(f"{experiment.name} took {time.perf_counter() - start:.0f} s")
        yield result
    write_text(settings.output / INDEX, _index(setup, left_out), overwrite=True)


def choose(name: str) -> list[Experiment]:
    if name != ALL and name not in EXPERIMENTS:
        raise InputError(f"unknown experiment '{name}'; choose one of {', '.join(EXPERIMENTS)}, {ALL}")
    return [experiment for experiment in EXPERIMENTS.values() if name in (ALL, experiment.name)]


def check_folder(folder: Path, chosen: list[Experiment]) -> None:
    """Raise InputError if the folder has other files; temporary ones of a killed run are allowed."""

    def names(place: Path) -> set[str]:
        found = place.iterdir() if place.is_dir() else ()
        return {path.name for path in found if not is_temporary(path)}

    if names(folder) - {*EXPERIMENTS, "models", "corpus", INDEX}:
        raise InputError(f"{folder} is a folder with other files in it; give a new name")
    index = folder / INDEX
    if index.exists() and not _read(index).startswith(HEADING):
        raise InputError(f"{index} is not of this program; give a new name")
    for experiment in chosen:
        for name in names(folder / experiment.name) - {f"{experiment.name}.md"}:
            if not name.endswith((".csv", ".png")):
                path = folder / experiment.name / name
                raise InputError(f"{path} is not of this program; give a new name for the results")


def is_done(experiment: Experiment, setup: Setup) -> bool:
    """Return whether the experiment has results of all its models; InputError if they have other conditions."""
    page = _page(setup.settings.output, experiment)
    if not page.is_file():  # it is written last
        return False
    if setup.conditions not in _read(page):
        raise InputError(
            f"{page} has results of another corpus or other options; give overwrite=True to replace them, "
            "or another output"
        )
    written, models = page.stat().st_mtime, [setup.folder(variant) for variant in experiment.variants]
    return all(model.is_dir() and model.stat().st_mtime <= written for model in models)


def _page(output: Path, experiment: Experiment) -> Path:
    return output / experiment.name / f"{experiment.name}.md"


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def _index(setup: Setup, left_out: dict[str, str]) -> str:
    lines = [HEADING, "", setup.conditions, ""]
    for name, experiment in EXPERIMENTS.items():
        page = _page(setup.settings.output, experiment)
        if page.is_file():
            warning = f". {TOO_LITTLE}" if TOO_LITTLE in _read(page) else ""
            lines.append(f"* [{name}]({name}/{name}.md): {experiment.about}{warning}")
        elif name in left_out:
            lines.append(f"* {name}: left out, {left_out[name]}")
    return "\n".join([*lines, "", "## Models", "", models_table(setup).markdown(), ""])


def models_table(setup: Setup) -> Table:
    """Tabulate the trained models: size and time of training."""
    rows: list[list[Cell]] = []
    for variant in BY_IMPORTANCE:
        folder = setup.folder(variant)
        model = setup.model(variant) if folder.is_dir() else None
        if model is not None:
            training = model.info["training"]
            minutes = float(training.get("seconds", 0.0)) / 60
            speed = round(float(training.get("words_per_second", 0)) / 1000)
            rows.append([variant.label, model.config.dim, model.n_senses, minutes, speed, folder.name])
    columns = ["model", "dim", "senses", "minutes of training", "k words/s", "folder"]
    return Table("models", "Models", columns, rows, digits=1)
