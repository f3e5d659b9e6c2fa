"""Word sense induction by AdaGram, MPSG, MSSG and NP-MSSG on the same text.

    python benchmarks/wsi.py ENCODED DATA --work FOLDER --seeds 3 --output benchmarks/results/wsi-20m.md

ENCODED is a corpus of `adagram encode`; DATA has wwsi/train.tsv and semeval2010/contexts.tsv. Every system is trained
with what `adagram train --algorithm …` takes by default: MSSG and NP-MSSG with what their authors chose and so without
stop words, which are taken out of ENCODED here. One thread; models are kept in FOLDER, and a second call only does
what is missing. Every model is scored with three kinds of contexts, stop words in them or not.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np

import adagram
from adagram.config import read_options
from adagram.corpus.encoded import EncodedCorpus
from adagram.corpus.languages import ENGLISH
from adagram.corpus.vocabulary import Vocabulary
from adagram.evaluation.clustering import adjusted_rand_index
from adagram.evaluation.report import interval
from adagram.evaluation.wsi import ContextRule, disambiguate
from adagram.evaluation.wsi_data import Instance, best_sense, read_tsv
from adagram.model import Model
from adagram.training.checkpoint import Saving
from adagram.training.run import train_encoded
from common import machine

COMMON = {"dim": 100, "threads": 1}
SETS = {"WWSI train": "wwsi/train.tsv", "SemEval-2010": "semeval2010/contexts.tsv"}
RUNS: dict[str, dict[str, Any]] = {
    "adagram": {},
    "mssg": {"algorithm": "mssg"},
    "np-mssg": {"algorithm": "np-mssg"},
    "mpsg": {"algorithm": "mpsg"},
    "adagram, one pass, window 5": {"window": 5, "epochs": 1, "alpha": 0.1, "merge_senses": False},
}
RULES = {
    "as in use": ContextRule(),
    "the paper's": ContextRule(5, context_weights="none"),
    "the paper's, no stop words": ContextRule(5, ENGLISH, "none"),
}
Scores = dict[str, tuple[float, int]]  # word -> ARI, clusters
Measured = dict[tuple[str, str, int], dict[str, Scores]]  # set, rule, seed -> system -> scores


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("encoded", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--output", type=Path, required=True)
    arguments = parser.parse_args()
    corpus = EncodedCorpus.open(arguments.encoded)
    sets = {name: read_tsv(arguments.data / file) for name, file in SETS.items()}
    measured: Measured = {}
    costs: dict[str, list[tuple[float, float]]] = {}
    for seed in range(1, arguments.seeds + 1):
        for name, options in RUNS.items():
            folder = arguments.work / f"{name.replace(', ', '-').replace(' ', '-')}-{seed}"
            seconds = train(corpus, folder, COMMON | options | {"seed": seed})
            model = adagram.load(folder)
            costs.setdefault(name, []).append((seconds, model.n_senses / len(model.vocabulary)))
            for key, scores in measure(model, sets).items():
                measured.setdefault((*key, seed), {})[name] = scores
            arguments.output.write_text(report(measured, costs, corpus), encoding="utf-8")
            print(name, seed, f"{seconds:.0f} s", flush=True)


def train(corpus: EncodedCorpus, folder: Path, options: dict[str, Any]) -> float:
    """Processor time of training; a model that is there is kept."""
    note = Path(f"{folder}.seconds")
    if not note.exists():
        config, encoding = read_options(options)
        text = without(corpus, encoding.stop_words) if encoding.stop_words else corpus
        before = time.process_time()
        train_encoded(text, config.resolve(len(corpus.tokens)), Saving(folder, checkpoint_minutes=0), lambda p: None)
        note.write_text(str(time.process_time() - before))
    return float(note.read_text())


def without(corpus: EncodedCorpus, words: frozenset[str]) -> EncodedCorpus:
    """The corpus as `adagram encode --stop-words` would have made it."""
    old = corpus.vocabulary
    stays = np.array([word not in words for word in old.words])
    number = np.cumsum(stays) - 1
    tokens = np.asarray(corpus.tokens)
    kept = stays[tokens]
    ends = np.append(0, np.cumsum(kept))[np.asarray(corpus.ends, dtype=np.int64)]
    vocabulary = Vocabulary([word for word in old.words if word not in words], old.counts[stays])
    return EncodedCorpus(number[tokens[kept]].astype(np.uint32), ends.astype(np.uint64), vocabulary, corpus.fingerprint)


def measure(model: Model, sets: dict[str, list[Instance]]) -> dict[tuple[str, str], Scores]:
    """ARI and clusters of every word, for each set and each kind of context; 0 for words that the model lacks."""
    found = {}
    for name, instances in sets.items():
        for rule_name, rule in RULES.items():
            answers = disambiguate(model, instances, rule)
            words: dict[str, tuple[list[str], list[int]]] = {}
            for instance, posterior in zip(answers.instances, answers.posteriors, strict=True):
                gold, clusters = words.setdefault(instance.target, ([], []))
                gold.append(best_sense(instance.senses))
                clusters.append(int(np.argmax(posterior)))
            targets = {instance.target for instance in instances}
            found[name, rule_name] = {
                word: (adjusted_rand_index(*words[word]), len(set(words[word][1]))) if word in words else (0.0, 1)
                for word in sorted(targets)
            }
    return found


def report(measured: Measured, costs: dict[str, list[tuple[float, float]]], corpus: EncodedCorpus) -> str:
    lines = [
        f"# Word sense induction on {len(corpus.tokens) / 1e6:.0f} M words",
        "",
        f"Made by `python benchmarks/wsi.py`: {machine()}. Systems as `adagram train --algorithm …` has them by",
        "default, 100 dimensions, one thread; MSSG and NP-MSSG have the options of their authors, so they are trained",
        "without stop words. ARI is the mean over words and seeds, with the lowest and the highest seed; *clusters*",
        "are those that were chosen per word. Contexts *as in use* are those of `disambiguate`; *the paper's* are the",
        "nearest five words on each side with equal weights (`--window 5 --context-weights none`), with stop words or",
        "without.",
        "",
        "| system | seeds | senses/word | processor s |",
        "| --- | ---: | ---: | ---: |",
    ]
    for name, runs in costs.items():
        seconds, senses = np.mean(runs, axis=0)
        lines.append(f"| {name} | {len(runs)} | {senses:.3f} | {seconds:.0f} |")
    for data_set in SETS:
        lines += ["", f"## {data_set}", "", f"| system | {' | '.join(RULES)} |", "| --- |" + " ---: |" * len(RULES)]
        lines += [
            f"| {name} | {' | '.join(_cell(measured, data_set, rule, name) for rule in RULES)} |" for name in costs
        ]
        lines += ["", f"adagram less another system, {data_set}, 95 % intervals by resampling words:", ""]
        lines += ["| less | as in use |", "| --- | ---: |"]
        lines += [f"| {name} | {_difference(measured, data_set, name)} |" for name in list(costs)[1:]]
    return "\n".join(lines) + "\n"


def _scores(measured: Measured, data_set: str, rule: str, system: str) -> list[Scores]:
    """One of each seed."""
    return [
        of_systems[system]
        for (name, used, _), of_systems in measured.items()
        if (name, used) == (data_set, rule) and system in of_systems
    ]


def _cell(measured: Measured, data_set: str, rule: str, system: str) -> str:
    seeds = [np.mean(list(scores.values()), axis=0) for scores in _scores(measured, data_set, rule, system)]
    (ari, clusters), aris = np.mean(seeds, axis=0), [float(seed[0]) for seed in seeds]
    spread = f" ({min(aris):.3f} to {max(aris):.3f})" if len(aris) > 1 else ""
    return f"{ari:.3f}{spread}, {clusters:.1f} clusters"


def _difference(measured: Measured, data_set: str, system: str) -> str:
    def per_word(name: str) -> np.ndarray:
        seeds = _scores(measured, data_set, "as in use", name)
        return np.mean([[ari for ari, _ in scores.values()] for scores in seeds], axis=0)

    gains = per_word("adagram") - per_word(system)
    low, high = interval(lambda items: float(gains[items].mean()), len(gains))
    return f"{gains.mean():+.3f} [{low:+.3f}, {high:+.3f}]"


if __name__ == "__main__":
    main()
