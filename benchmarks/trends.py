"""Are planted changes of meaning found, and is chance left alone?

    python benchmarks/trends.py MODEL CORPUS.jsonl [--by year] [--pairs 40] [--every 16] [--shuffles 20] [--seed 0]

MODEL is a model of CORPUS, from which the words are chosen. Text with planted changes is made (`planted_text.py`) and
a model of it trained with `--shuffle` and one thread. All senses that `adagram trends` tests by default are tested,
and q is corrected for their number. A planted change is found if a sense of the pseudo-word has q up to 0.05 and moves
as its main word does; an unchanged pseudo-word is flagged if any of its senses has. `separated` is how well the senses
tell the two words apart: the share of uses that are right if each sense is taken for its more frequent word. Then the
dates of the documents are shuffled. Prints TSV.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import sparse

import adagram
from adagram.analysis.epochs import Epoch
from adagram.analysis.frequencies import Frequencies
from adagram.analysis.trends import SIGNIFICANT, SenseTrend, TrendOptions, find_trends
from adagram.analysis.uses import Uses, each_use
from adagram.corpus.documents import make_document
from adagram.model import Model
from planted_text import Planted, Record, Sentences, choose_pairs, of_middle_frequency, plant


@dataclass(frozen=True)
class Counted:
    """What one pass over the documents counts."""

    counts: sparse.csr_array  # (n_documents, n_senses), of words with several senses
    words: np.ndarray  # (n_documents,)


def count(model: Model, records: list[Record]) -> Counted:
    """The senses of every document."""
    parts, words = [], []
    for uses in each_use(model, (make_document("", str(record["text"])) for record in records)):
        parts.append(count_uses(model, uses))
        words.append(uses.n_words)
    return Counted(sparse.vstack(parts, "csr"), np.concatenate(words))


def count_uses(model: Model, uses: Uses) -> sparse.csr_array:
    places, values = uses.posteriors.places, uses.posteriors.values
    sizes = np.diff(places)
    use = np.repeat(np.arange(len(uses.ids)), sizes)
    sense = np.arange(len(values)) - places[use] + model.offsets[uses.ids[use]]
    document = np.searchsorted(uses.ends, use, side="right")
    several = sizes[use] > 1
    shape = (len(uses.documents), model.n_senses)
    cells = (document[several].astype(np.int32), sense[several].astype(np.int32))
    return sparse.coo_array((values[several].astype(np.float32), cells), shape).tocsr()


def frequencies(counted: Counted, years: np.ndarray) -> Frequencies:
    """Counts of documents added up by year."""
    names, place = np.unique(years, return_inverse=True)
    n = len(years)
    adds = sparse.csr_array((np.ones(n, np.float32), (place, np.arange(n))), (len(names), n))
    epochs = [Epoch(float(name), f"{name:g}") for name in names]
    by_year = (adds @ counted.counts).toarray().astype(np.float64)
    words = np.bincount(place, counted.words).astype(np.float64)
    return Frequencies(epochs, np.ascontiguousarray(by_year.T), words, n)


def truth_of(model: Model, counted: Counted, records: list[Record], p: Planted) -> np.ndarray:
    """Uses of the pseudo-word's senses that were its first and its second word, (n_senses, 2)."""
    rows = model.rows(p.name)
    its = [[i for i, record in enumerate(records) if record["truth"] == [p.name, which]] for which in (0, 1)]
    of_word = counted.counts[:, rows.start : rows.stop].tocsr()
    return np.stack([of_word[each].sum(axis=0) for each in its], axis=1)


@dataclass(frozen=True)
class Verdict:
    """What became of a pseudo-word."""

    senses: int
    separated: float
    flagged: int  # senses
    tested: int
    is_right: bool  # a flagged sense moves as its main word does
    q: float
    points: float  # of the steepest


def judge(model: Model, p: Planted, truth: np.ndarray, of: dict[str, SenseTrend]) -> Verdict:
    names = model.names(model.rows(p.name))
    base = truth[:, 0].sum() / max(truth.sum(), 1.0)
    tested = [(of[name], truth[k]) for k, name in enumerate(names) if name in of]
    flagged = [(t, seen) for t, seen in tested if t.q <= SIGNIFICANT]
    is_right = any(t.slope * (seen[0] / seen.sum() - base) * p.points > 0 for t, seen in flagged)
    steepest = max((t for t, _ in tested), key=lambda t: abs(t.slope), default=None)
    points = (len(steepest.series) - 1) * 100 * steepest.slope if steepest else 0.0
    separated = truth.max(axis=1).sum() / max(truth.sum(), 1.0) if len(names) > 1 else 0.5
    q = min((t.q for t, _ in tested), default=1.0)
    return Verdict(len(names), separated, len(flagged), len(tested), is_right, q, points)


def report(planted: list[Planted], verdicts: list[Verdict]) -> None:
    print("pair\tpoints\tsenses\tseparated\tflagged senses\tthe right way\tleast q\tpoints of the steepest")
    groups: dict[str, list[Verdict]] = defaultdict(list)
    for p, v in zip(planted, verdicts, strict=True):
        print(
            f"{'+'.join(p.words)}\t{p.points}\t{v.senses}\t{v.separated:.2f}\t{v.flagged} of {v.tested}\t"
            f"{v.is_right}\t{v.q:.2g}\t{v.points:.0f}"
        )
        groups[f"{abs(p.points)} points"].append(v)
        if p.points:
            groups["20 points or more"].append(v)
    for name, each in sorted(groups.items()):
        flagged, right = sum(v.flagged > 0 for v in each), sum(v.is_right for v in each)
        senses, tested = sum(v.flagged for v in each), sum(v.tested for v in each)
        way = "" if name == "0 points" else f"the right way {right} ({right / len(each):.0%}), "
        print(f"{name}\t{len(each)} pseudo-words: flagged {flagged}, {way}senses {senses} of {tested}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--by", default="year")
    parser.add_argument("--pairs", type=int, default=40)
    parser.add_argument("--every", type=int, default=16, help="one document of so many is kept beside the passages")
    parser.add_argument("--shuffles", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--planted", type=Path, help="model of the planted text; kept here, taken if it exists")
    options = parser.parse_args()
    real = adagram.load(options.model)
    sentences = Sentences(options.corpus, options.by, set(of_middle_frequency(real)))
    planted = choose_pairs(real, sentences, options.pairs, options.seed)
    records = plant(sentences, planted, options.by, options.every, options.seed)
    del sentences
    model = model_of(records, options.planted)
    planted = [p for p in planted if p.name in model.vocabulary]
    counted = count(model, records)
    years = np.array([float(str(record[options.by])) for record in records])
    trends = find_trends(model, frequencies(counted, years), TrendOptions())
    of = {trend.sense: trend for trend in trends}
    report(planted, [judge(model, p, truth_of(model, counted, records, p), of) for p in planted])
    draw = np.random.default_rng(options.seed)
    parts = []
    for _ in range(options.shuffles):
        shuffled = find_trends(model, frequencies(counted, draw.permutation(years)), TrendOptions())
        parts.append(np.mean([t.q <= SIGNIFICANT for t in shuffled]))
    flagged = np.mean([t.q <= SIGNIFICANT for t in trends])
    print(f"all senses\t{counted.words.sum():,} words: {len(trends):,} tested, flagged {flagged:.1%}")
    print(f"shuffled\t{len(parts)} times: flagged {np.mean(parts):.2%}, at most {max(parts):.2%}")


def model_of(records: list[Record], kept: Path | None) -> Model:
    """A model of the planted text, which is sorted by year; one thread, so that it can be repeated."""
    if kept and kept.exists():
        return adagram.load(kept)
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / "planted.jsonl"
        with open(text, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
        return adagram.train(text, kept, shuffle=True, threads=1)


if __name__ == "__main__":
    main()
