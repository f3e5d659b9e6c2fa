"""The demo from start to end, printed for a person to read."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from adagram.config import TrainConfig
from adagram.corpus import EncodeOptions, encode
from adagram.demo.pseudowords import choose_pairs, measure, merge
from adagram.demo.showcase import new_sentences, showcase
from adagram.demo.text import demo_documents
from adagram.desk.describe import describe
from adagram.encoded import EncodedCorpus
from adagram.model import Model
from adagram.text.documents import make_document
from adagram.text.tokenizer import make_tokenizer
from adagram.training.checkpoint import Saving
from adagram.training.progress import Report
from adagram.training.run import train_encoded

CONFIG = TrainConfig.from_preset("paper", dim=100, epochs=5, subsample=1e-3, alpha=0.15, merge_senses=True)
MIN_COUNT = 10
HELD_OUT = 0.1  # share of documents that the measurement keeps from training
N_WORDS, N_PAIRS = 8, 40

Finding = dict[str, Any]  # a line of --json; `kind` says which


def run_demo(output: Path | None, report: Callable[[str], Report], console: Console) -> list[Finding]:
    """Train, show, disambiguate, measure; with `output` the model is kept there. Returns what the console shows."""
    start = time.perf_counter()
    texts = _texts()
    tokenize = make_tokenizer()
    documents = [tokenize(text) for text in texts]
    cut = round(len(documents) * (1 - HELD_OUT))
    with tempfile.TemporaryDirectory(prefix="adagram-demo-") as folder:
        text = Path(folder) / "text.txt"  # a file, so that the model knows how its text was cut and folded
        text.write_text("".join(" ".join(t.split()) + "\n" for t in texts[:cut]), encoding="utf-8")
        corpus = encode(text, Path(folder) / "corpus", EncodeOptions(min_count=MIN_COUNT))
        console.print(
            f"Text: {len(corpus.tokens):,} words of Wikipedia and State of the Union addresses, "
            f"{len(corpus.vocabulary):,} different ones.",
            highlight=False,
        )
        place = output or Path(folder) / "model"
        train_encoded(corpus, CONFIG, Saving(place), report("Training; compiling first, for up to a minute"))
        report("Looking for examples")
        model = described(place, texts[:cut])
        findings = show_senses(model, console) + show_sentences(model, console)
        held_out = np.concatenate([corpus.vocabulary.ids(d) for d in documents[cut:]]).astype(np.int64)
        findings += _show_measurement(model, corpus, held_out, report, console)
    seconds = time.perf_counter() - start
    console.print(f"\n{seconds:.0f} seconds in all.", highlight=False)
    if output:
        for line in (f"words {output} --ambiguous", f"senses {output} {next(iter(showcase(model, 1)))}"):
            console.print(f"Try: adagram {line}", highlight=False, soft_wrap=True)
    run = {"words": len(corpus.tokens), "types": len(corpus.vocabulary), "seconds": round(seconds, 1)}
    return [*findings, {"kind": "run", **run, "model": output}]


def _texts() -> list[str]:
    """In one fixed random order, so that held-out text is like the rest."""
    texts = demo_documents()
    return [texts[i] for i in np.random.default_rng(0).permutation(len(texts))]


def described(folder: Path, texts: list[str]) -> Model:
    """The model with its sense sheet: labels, and examples as they stand in the text."""
    documents = (make_document(f"text {i}", text) for i, text in enumerate(texts, 1))
    describe(Model.load(folder), documents, folder, lambda document: "", overwrite=True)
    return Model.load(folder)


def show_senses(model: Model, console: Console) -> list[Finding]:
    """Ambiguous words with their senses."""
    words = showcase(model, N_WORDS)
    several = int((np.diff(model.offsets) > 1).sum())
    console.print(f"{several:,} words have several senses. Some that everyone knows:\n", highlight=False)
    for word, senses in words.items():
        console.print(Text(word, style="bold"))
        for sense in senses:
            console.print(
                Text.assemble(
                    (f"  {sense.sense:<14}", "cyan"), f"{sense.prior:4.0%}  ", (sense.label, "bold")
                )
            )
            console.print(Padding(Text(f"used like {', '.join(sense.neighbours)}"), (0, 0, 0, 6)))
            if sense.example:
                console.print(Padding(Text(f"“{sense.example}”", style="italic"), (0, 0, 0, 6)))
    return [
        {"kind": "sense", "word": word, **asdict(sense)} for word, senses in words.items() for sense in senses
    ]


def show_sentences(model: Model, console: Console) -> list[Finding]:
    """New sentences with the same words, whatever the model makes of them."""
    answers = new_sentences(model, showcase(model, N_WORDS))
    if answers:
        console.print("\nNew sentences with these words, two for each, which mean different things by it:\n")
        table = Table("sentence", "meant", "sense", "probability", "right", box=None, pad_edge=False)
        for a in answers:
            mark = "yes" if a.is_right else "no"
            table.add_row(a.sentence, a.meant, a.sense, f"{a.probability:.2f}", mark)
        console.print(table)
        right = sum(answer.is_right for answer in answers)
        console.print(
            f"{right} of {len(answers)} are right: the sense is nearer to what is meant than to the other meaning.",
            highlight=False,
        )
    return [{"kind": "sentence", **asdict(answer)} for answer in answers]


def _show_measurement(
    model: Model,
    corpus: EncodedCorpus,
    held_out: np.ndarray,
    report: Callable[[str], Report],
    console: Console,
) -> list[Finding]:
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
    return [{"kind": "measure", "system": name, **asdict(score)} for name, score in scores.items()]
