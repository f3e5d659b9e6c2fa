"""Word sense induction by AdaGram, MPSG, MSSG and NP-MSSG on the same text.

    python benchmarks/wsi.py ENCODED DATA --work FOLDER --output benchmarks/results/wsi-20m.md

ENCODED is a corpus of `adagram encode`; DATA has wwsi/train.tsv and semeval2010/contexts.tsv. AdaGram and MPSG are
trained with `--subsample 1e-4`, MSSG and NP-MSSG with what their authors chose and so without stop words, which are
taken out of ENCODED here. One thread, 100 dimensions; models are kept in FOLDER, and a second call only does what is
missing. Every model is scored twice: with all words of a context, and without stop words, as WWSI's protocol has it.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import adagram
from adagram.config import read_options
from adagram.encoded import EncodedCorpus
from adagram.evaluation.protocol import ContextRule, disambiguate, hard_answers
from adagram.evaluation.report import Resampling
from adagram.evaluation.wsi import score_wsi
from adagram.evaluation.wsi_sets import read_gold, read_instances
from adagram.model import Model
from adagram.text.stop_words import ENGLISH
from adagram.training.checkpoint import Saving
from adagram.training.run import train_encoded
from adagram.vocabulary import Vocabulary
from common import machine

SETS = {"WWSI train": "wwsi/train.tsv", "SemEval-2010": "semeval2010/contexts.tsv"}
COMMON = {"dim": 100, "threads": 1}
RUNS: dict[str, dict[str, Any]] = {
    "adagram, alpha 0.2": {"subsample": 1e-4, "alpha": 0.2},
    "mpsg": {"subsample": 1e-4, "algorithm": "mpsg"},
    "mssg": {"algorithm": "mssg"},
    "np-mssg": {"algorithm": "np-mssg"},
    "adagram, alpha 0.1": {"subsample": 1e-4, "alpha": 0.1},
}


class Row(NamedTuple):
    name: str
    seconds: float  # of processor time
    senses: float  # per word
    scores: list[str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("encoded", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--output", type=Path, required=True)
    arguments = parser.parse_args()
    corpus = EncodedCorpus.open(arguments.encoded)
    rows = []
    for name, options in RUNS.items():
        folder = arguments.work / name.replace(", ", "-").replace(" ", "-")
        seconds = train(corpus, folder, options)
        rows.append(measure(name, adagram.load(folder), seconds, arguments.data))
        print(rows[-1], flush=True)
    arguments.output.write_text(report(rows, len(corpus.tokens)), encoding="utf-8")


def train(corpus: EncodedCorpus, folder: Path, options: dict[str, Any]) -> float:
    """Processor time of training; a model that is there is kept."""
    note = Path(f"{folder}.seconds")
    if not note.exists():
        config, encoding = read_options(COMMON | options)
        text = without(corpus, encoding.stop_words) if encoding.stop_words else corpus
        before = time.process_time()
        train_encoded(text, config, Saving(folder, checkpoint_minutes=0), lambda progress: None)
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
    return EncodedCorpus(
        number[tokens[kept]].astype(np.uint32), ends.astype(np.uint64), vocabulary, corpus.name
    )


def measure(name: str, model: Model, seconds: float, data: Path) -> Row:
    scores = []
    for file in SETS.values():
        instances, gold = read_instances(data / file), read_gold(data / file)
        for stop_words in (frozenset[str](), ENGLISH):
            found = disambiguate(model, instances, ContextRule(5, stop_words, "none"))
            ari = next(
                score
                for score in score_wsi(gold, hard_answers(model, found), Resampling(1000, 0)).scores
                if score.metric == "ARI" and score.subset == "all"
            )
            scores.append(f"{ari.value:.3f} [{ari.low:.3f}, {ari.high:.3f}]")
    return Row(name, seconds, model.n_senses / len(model.vocabulary), scores)


def report(rows: list[Row], n_tokens: int) -> str:
    heads = [f"{name}{end}" for name in SETS for end in (", all words", ", no stop words")]
    lines = [
        f"# Word sense induction on {n_tokens / 1e6:.0f} M words",
        "",
        f"Made by `python benchmarks/wsi.py`: {machine()}. 100 dimensions, one thread, one epoch, one seed. ARI with",
        "95 % intervals over words, by the paper's protocol (`--window 5 --context-weights none`): the nearest five",
        "words on each side, of all words or of those that are no stop words. AdaGram and MPSG: `--subsample 1e-4`.",
        "MSSG and NP-MSSG: the options of their authors, so they are trained without stop words, and both ways are one",
        "for them.",
        "",
        f"| system | senses/word | processor s | {' | '.join(heads)} |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    lines += [
        f"| {row.name} | {row.senses:.3f} | {row.seconds:.0f} | {' | '.join(row.scores)} |" for row in rows
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
