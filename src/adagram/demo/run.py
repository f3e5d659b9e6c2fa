"""The demo from start to end, printed for a person to read."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from adagram.config import TrainConfig
from adagram.corpus import EncodeOptions, encode
from adagram.demo.pseudowords import choose_pairs, measure, merge
from adagram.demo.showcase import examples, showcase
from adagram.demo.text import demo_documents
from adagram.encoded import EncodedCorpus
from adagram.model import Model
from adagram.text.tokenizer import make_tokenizer
from adagram.training.checkpoint import Saving
from adagram.training.progress import Report
from adagram.training.run import train_encoded

CONFIG = TrainConfig(dim=100, epochs=5, subsample=1e-3, alpha=0.15)
MIN_COUNT = 10
HELD_OUT = 0.1  # share of documents that the measurement keeps from training
N_WORDS, N_PAIRS = 12, 40


def run_demo(output: Path | None, report: Callable[[str], Report], console: Console) -> None:
    """Train, show, disambiguate, measure; with `output` the model is kept there."""
    start = time.perf_counter()
    documents = _documents()
    cut = round(len(documents) * (1 - HELD_OUT))
    with tempfile.TemporaryDirectory(prefix="adagram-demo-") as folder:
        corpus = encode(documents[:cut], Path(folder) / "corpus", EncodeOptions(min_count=MIN_COUNT))
        console.print(
            f"Text: {len(corpus.tokens):,} words of Wikipedia and State of the Union addresses, "
            f"{len(corpus.vocabulary):,} different ones."
        )
        model = train_encoded(corpus, CONFIG, Saving(output), report("Training"))
        _show_senses(model, corpus, console)
        held_out = np.concatenate([corpus.vocabulary.ids(d) for d in documents[cut:]]).astype(np.int64)
        _show_measurement(model, corpus, held_out, report, console)
    console.print(f"\n{time.perf_counter() - start:.0f} seconds in all.", highlight=False)
    if output:
        console.print(f"The model is in {output}. Try: adagram senses {output} {showcase(model, 1)[0]}")


def _documents() -> list[list[str]]:
    """Tokenized, in one fixed random order, so that held-out text is like the rest."""
    tokenize = make_tokenizer()
    documents = [tokenize(text) for text in demo_documents()]
    order = np.random.default_rng(0).permutation(len(documents))
    return [documents[i] for i in order]


def _show_senses(model: Model, corpus: EncodedCorpus, console: Console) -> None:
    sizes = np.diff(model.offsets)
    several = int((sizes > 1).sum())
    console.print(
        f"{several:,} words have several senses. Those whose senses are best used and furthest apart:\n"
    )
    table = Table("sense", "prior", "nearest senses", "a clear example", box=None, pad_edge=False)
    for word in showcase(model, N_WORDS):
        clear = {
            k: f"{text} ({probability:.2f})" for text, k, probability in examples(model, corpus, word, 2)
        }
        for k, sense in enumerate(model.senses(word, top=5, min_count=20)):
            near = ", ".join(n.name.rpartition("#")[0] for n in sense.neighbours)
            table.add_row(sense.name, f"{sense.prior:.2f}", near, clear.get(k, ""))
    console.print(table)


def _show_measurement(
    model: Model,
    corpus: EncodedCorpus,
    held_out: np.ndarray,
    report: Callable[[str], Report],
    console: Console,
) -> None:
    pairs = choose_pairs(model, N_PAIRS, seed=0)
    words = corpus.vocabulary.words
    console.print(
        f"\nHow good is it? {len(pairs)} pairs of unrelated words become one token each (such as "
        f"{words[pairs[0][0]]}+{words[pairs[0][1]]}); train again, and tell the two apart in held-out text:\n"
    )
    merged, new_id = merge(corpus, pairs)
    again = train_encoded(merged, CONFIG, Saving(), report("Training on pseudo-words"))
    scores = measure(again, pairs, held_out, new_id)
    table = Table("", "ARI", "accuracy", box=None, pad_edge=False)
    for name, score in scores.items():
        table.add_row(name, f"{score.ari:.3f}", f"{score.accuracy:.3f}")
    console.print(table)
    found = np.diff(again.offsets)[[new_id[first] for first, _ in pairs]]
    console.print(
        f"Senses they got: {int((found == 1).sum())} have one, {int((found == 2).sum())} two, "
        f"{int((found > 2).sum())} more."
    )
