"""A reproduction run: every experiment trains its models that are missing, then compares them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from adagram.errors import InputError
from adagram.experiments.reproduce import tasks
from adagram.experiments.reproduce.results import Result
from adagram.experiments.reproduce.setup import (
    MPSG,
    MSSG,
    NP_MSSGS,
    SKIPGRAM,
    SKIPGRAM_2D,
    SKIPGRAM_NS,
    Callbacks,
    MissingData,
    Models,
    Settings,
    Setup,
    Variant,
    adagram,
    np_mssg,
)
from adagram.files.atomic import remove_all_dead, write_text


@dataclass(frozen=True)
class Experiment:
    about: str  # in a few words, with the paper's name for it
    variants: tuple[Variant, ...]  # models it needs
    run: Callable[[Setup, Models], Result]


# The paper's likelihoods go to α = 0.5; with less text the best α is larger, and 16 is clearly too much.
_ALPHAS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.5, 1.0, 4.0, 16.0)
_SEVERAL = (MSSG, *NP_MSSGS, MPSG)
EXPERIMENTS = {
    "nn": Experiment('nearest neighbours of senses (table "NN")', adagram(0.1), tasks.run_nn),
    "resolution": Experiment(
        '"light" and "core" under α (table "resolution")', (SKIPGRAM, *adagram(0.05, 0.075, 0.1)), tasks.run_resolution
    ),
    "senses": Experiment(
        "number of senses per word under α (figure 1)", adagram(0.05, 0.1, 0.15, 0.2, 0.5), tasks.run_senses
    ),
    "likelihood": Experiment(
        'held-out log-likelihood under α (table "likelihood")',
        (SKIPGRAM, SKIPGRAM_2D, *adagram(*_ALPHAS)),
        tasks.run_likelihood,
    ),
    "wsi": Experiment(
        "word sense induction: ARI, V-measure, F-score (three tables)",
        (*_SEVERAL, *adagram(0.05, 0.1, 0.15, 0.2, 0.25, 0.5)),
        tasks.run_wsi,
    ),
    "fuzzy": Experiment(
        "graded senses of SemEval-2013 task 13", (*_SEVERAL, *adagram(0.1, 0.15, 0.2)), tasks.run_fuzzy
    ),
    "search": Experiment(
        "search result diversification (figure 2)", (MSSG, *np_mssg(0.7), MPSG, *adagram(0.15)), tasks.run_search
    ),
    "scws": Experiment(
        "contextual word similarity", (*_SEVERAL, SKIPGRAM, SKIPGRAM_NS, *adagram(0.1, 0.15)), tasks.run_scws
    ),
}
ALL = "all"
INDEX, HEADING = "index.md", "# Reproduction of the paper's experiments"


def reproduce(name: str, settings: Settings, callbacks: Callbacks) -> Iterator[Result]:
    """Yield the results of an experiment, or of all; each is written as soon as it is done.

    Experiments that an earlier run has done are left as they are, unless `settings.overwrite` is set.
    """
    if name != ALL and name not in EXPERIMENTS:
        raise InputError(f"unknown experiment '{name}'; choose one of {', '.join(EXPERIMENTS)}, {ALL}")
    chosen = list(EXPERIMENTS) if name == ALL else [name]
    index = settings.output / INDEX
    if index.exists() and not _read(index).startswith(HEADING):
        raise InputError(f"{index} is not of this program; give a new name for the results")
    for place in (settings.output, settings.output / "models"):
        remove_all_dead(place)  # of a run that was killed when its model was in place already
    setup = Setup(settings, callbacks)
    done = [] if settings.overwrite else [each for each in chosen if is_done(each, setup)]
    for each in done:
        page = _page(settings.output, each)
        callbacks.say(f"{each} is done already: {page}; give overwrite=True to do it again")
    chosen = [each for each in chosen if each not in done]
    left_out: dict[str, str] = {}
    for each in chosen:
        start = time.perf_counter()
        try:
            models = setup.trained(EXPERIMENTS[each].variants)
            result = EXPERIMENTS[each].run(setup, models)
        except MissingData as reason:
            if name != ALL:
                raise
            left_out[each] = str(reason)
            callbacks.say(f"{each} left out: {reason}")
            continue
        result.write(settings.output / each, setup.conditions)
        callbacks.say(f"{each} took {time.perf_counter() - start:.0f} s")
        yield result
    write_text(index, _index(setup, left_out), overwrite=True)


def is_done(experiment: str, setup: Setup) -> bool:
    """Return whether the experiment has results of all its models; InputError if they have other conditions."""
    page = _page(setup.settings.output, experiment)
    if not page.is_file():  # it is written last
        return False
    if setup.conditions not in _read(page):
        raise InputError(
            f"{page} has results of another corpus or other options; give overwrite=True to replace them, "
            "or another output"
        )
    written, models = page.stat().st_mtime, [setup.folder(v) for v in EXPERIMENTS[experiment].variants]
    return all(model.is_dir() and model.stat().st_mtime <= written for model in models)


def _page(output: Path, experiment: str) -> Path:
    return output / experiment / f"{experiment}.md"


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def _index(setup: Setup, left_out: dict[str, str]) -> str:
    lines = [HEADING, "", setup.conditions, ""]
    for name, experiment in EXPERIMENTS.items():
        page = _page(setup.settings.output, name)
        if page.is_file():
            lines.append(f"* [{name}]({name}/{name}.md): {experiment.about}")
        elif name in left_out:
            lines.append(f"* {name}: left out, {left_out[name]}")
    return "\n".join([*lines, ""])
