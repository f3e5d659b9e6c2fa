"""A reproduction run: train what is missing, the most needed models first, then run every experiment."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from adagram.errors import InputError
from adagram.experiments.reproduce.models import BY_IMPORTANCE, Callbacks, Settings
from adagram.experiments.reproduce.results import Cell, Result, Table
from adagram.experiments.reproduce.senses import NN, RESOLUTION, SENSES
from adagram.experiments.reproduce.setup import LIKELIHOODS, TOO_LITTLE, Experiment, MissingData, Setup
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
    if not settings.overwrite:
        done = [experiment for experiment in chosen if is_done(experiment, setup)]
        chosen = [experiment for experiment in chosen if experiment not in done]
        for experiment in done:
            callbacks.say(
                f"{experiment.name} is done already: {_page(experiment, setup)}; give overwrite=True to do it again"
            )
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
            callbacks.say(f"{experiment.name} left out: {reason}")
            continue
        if warning := setup.warning(experiment):
            callbacks.say(f"{experiment.name}: {warning}")
        result.write(settings.output / result.name, setup.conditions, warning)
        callbacks.say(f"{experiment.name} took {time.perf_counter() - start:.0f} s")
        yield result
    write_text(settings.output / INDEX, _index(setup, settings.output, left_out), overwrite=True)


def check_folder(folder: Path, chosen: list[Experiment]) -> None:
    """Raise InputError if the folder has other files."""
    names = {path.name for path in _visible(folder)}
    if names - {*EXPERIMENTS, "models", "corpus", INDEX, "kept"}:
        raise InputError(f"{folder} is a folder with other files in it; give a new name")
    index = (folder / INDEX).read_text(encoding="utf-8", errors="replace") if INDEX in names else HEADING
    if not index.startswith(HEADING):
        raise InputError(f"{folder / INDEX} is not of this program; give a new name")
    for experiment in chosen:
        for path in _visible(folder / experiment.name):
            if path.name not in (f"{experiment.name}.md", LIKELIHOODS) and path.suffix not in (
                ".csv",
                ".png",
            ):
                raise InputError(f"{path} is not of this program; give a new name for the results")


def is_done(experiment: Experiment, setup: Setup) -> bool:
    """Return whether the experiment has results of all its models; InputError if they have other conditions."""
    page = _page(experiment, setup)
    if not page.is_file():  # it is written last
        return False
    if setup.conditions not in page.read_text(encoding="utf-8", errors="replace"):
        raise InputError(
            f"{page} has results of another corpus or other options; give overwrite=True to replace them, "
            "or another output"
        )
    written, models = page.stat().st_mtime, [setup.models.folder(variant) for variant in experiment.variants]
    return all(model.is_dir() and model.stat().st_mtime <= written for model in models)


def _page(experiment: Experiment, setup: Setup) -> Path:
    return setup.settings.output / experiment.name / f"{experiment.name}.md"


def _visible(folder: Path) -> list[Path]:
    """List a folder without the temporary folders of a killed run."""
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
        page = output / experiment.name / f"{experiment.name}.md"
        if page.is_file():
            is_short = TOO_LITTLE in page.read_text(encoding="utf-8", errors="replace")
            lines.append(f"* {_link(experiment)}: {experiment.about}{f'. {TOO_LITTLE}' if is_short else ''}")
        elif experiment.name in left_out:
            lines.append(f"* {experiment.name}: left out, {left_out[experiment.name]}")
    return "\n".join([*lines, "", "## Models", "", models_table(setup).markdown(), ""])


def models_table(setup: Setup) -> Table:
    """Tabulate the trained models: size and time of training."""
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
