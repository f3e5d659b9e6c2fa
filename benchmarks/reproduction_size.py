"""From how much text on do the tables of `adagram reproduce` mean something?

    python benchmarks/reproduction_size.py ENCODED SIZE…          in million words

AdaGram (α = 0.15), MSSG and Skip-gram as `adagram reproduce --dim 100 --subsample 1e-4` trains them, on beginnings of
the corpus. Appends to results/reproduction/size.tsv, a line per model.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from adagram.config import TrainConfig
from adagram.corpus.encoded import EncodedCorpus
from adagram.corpus.vocabulary import Vocabulary
from adagram.evaluation.report import Resampling
from adagram.evaluation.wsi import ContextRule, disambiguate, find_word, graded_answers, score_wsi
from adagram.evaluation.wsi_data import gold_key
from adagram.experiments.reproduce.setup import DEFAULT_WINDOW, MSSG, PAPER, SKIPGRAM, DataFolder, adagram
from adagram.model import Model
from adagram.training.checkpoint import Saving
from adagram.training.run import train_encoded
from common import RESULTS, data_folder, held_out_ids, machine

BASE = TrainConfig.from_preset("paper", dim=100, subsample=1e-4, threads=1)
SETS = ("WWSI", "SemEval-2010")
MIN_COUNT = 20
MOST_FREQUENT = 1000  # words that the tables of no words of their own are judged by
TABLES = ("nn", "resolution", "wsi", "fuzzy", "search", "scws", "senses")


def beginning(corpus: EncodedCorpus, n_tokens: int) -> EncodedCorpus:
    """Return the first tokens of a corpus, with the words that occur MIN_COUNT times there."""
    tokens = np.asarray(corpus.tokens[:n_tokens])
    counts = np.bincount(tokens, minlength=len(corpus.vocabulary))
    order = np.argsort(-counts, kind="stable")
    order = order[counts[order] >= MIN_COUNT]
    new_id = np.full(len(counts), -1)
    new_id[order] = np.arange(len(order))
    kept = new_id[tokens] >= 0
    places = np.append(0, kept.cumsum())
    ends = corpus.ends[: np.searchsorted(corpus.ends, n_tokens, side="right")].astype(np.int64)
    return replace(
        corpus,
        tokens=new_id[tokens[kept]].astype(np.uint32),
        ends=places[ends].astype(np.uint64),
        vocabulary=Vocabulary([corpus.vocabulary.words[w] for w in order], counts[order]),
        folder=None,
    )


def tested_words(table: str, data: DataFolder, model: Model) -> list[int]:
    """Return the ids of the words whose_senses a table compares; the most frequent ones if it names none."""
    if table in ("nn", "resolution"):
        words = list(PAPER["neighbours" if table == "nn" else "resolution"])
    elif table in ("wsi", "fuzzy"):
        names = data.wsi_names() if table == "wsi" else ["SemEval-2013"]
        words = [find_word(model, target) or "" for name in names for target in gold_key(data.wsi(name))]
    elif table == "search":
        words = [query.text.split()[-1] for queries in data.search().values() for query in queries]
    elif table == "scws":
        words = [side.word for pair in data.scws for side in (pair.first, pair.second)]
    else:
        return list(range(min(MOST_FREQUENT, len(model.vocabulary))))
    return sorted({model.vocabulary.index[word] for word in words if word in model.vocabulary})


def row(model: Model, data: DataFolder, held: np.ndarray) -> list[str]:
    n_senses = np.diff(model.offsets)
    found = [f"{n_senses[tested_words(table, data, model)].mean():.2f}" for table in TABLES]
    several = model.config.algorithm != "skipgram"
    found += [f"{ari(model, data, name):.3f}" if several else "" for name in SETS]
    has_likelihood = "steps" in model.arrays
    return [*found, f"{model.predictor.likelihood(held).per_word:.4f}" if has_likelihood else ""]


def ari(model: Model, data: DataFolder, name: str) -> float:
    instances = data.wsi(name)
    answers = graded_answers(model, disambiguate(model, instances, ContextRule(DEFAULT_WINDOW)), share=1.0)
    return score_wsi(gold_key(instances), answers, Resampling(0)).value("ARI")


def main() -> None:
    data, path = DataFolder(data_folder()), RESULTS / "reproduction" / "size.tsv"
    if not path.exists():
        columns = [
            "million words",
            "system",
            *(f"senses, {table}" for table in TABLES),
            *(f"ARI, {name}" for name in SETS),
        ]
        path.write_text(f"# {machine()}\n" + "\t".join([*columns, "held-out likelihood"]) + "\n")
    whole = EncodedCorpus.open(Path(sys.argv[1]))
    for size in map(float, sys.argv[2:]):
        corpus = beginning(whole, int(size * 1e6))
        held = held_out_ids(corpus, 300_000).astype(np.int32)
        for variant in (*adagram(0.15), MSSG, SKIPGRAM):
            model = train_encoded(
                corpus, variant.config(BASE).resolve(len(corpus.tokens)), Saving(None), lambda _: None
            )
            with path.open("a") as file:
                figures = row(model, data, held)
                print(f"{size:g}", variant.label, *figures, sep="\t", file=file, flush=True)


if __name__ == "__main__":
    main()
