"""Are planted changes of meaning found, and is chance left alone?

    python benchmarks/planted_text.py MODEL CORPUS.jsonl PLANTED.jsonl
    adagram train PLANTED.jsonl --output PLANTED/ --dim 100 --alpha 0.5 --subsample 1e-4 --epochs 3
    python benchmarks/trends.py PLANTED/ PLANTED.jsonl [--by year] [--shuffles 20] [--seed 0]

All senses that `adagram trends` tests with its default settings are tested, and q is corrected for their number. A
planted change is found if a sense of the pseudo-word has q up to 0.05, and found the right way if this sense moves as
its main word does. `separated` is how well the senses tell the two words apart: the share of uses that are right if
each sense is taken for its more frequent word. Then the dates of the documents are shuffled. Prints TSV.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import adagram
from adagram.desk.counting import Frequencies
from adagram.desk.epochs import Epoch
from adagram.desk.trends import SIGNIFICANT, SenseTrend, TrendOptions, find_trends
from adagram.desk.uses import Uses, each_use
from adagram.kernels.tally import tally
from adagram.model import Model
from adagram.text.documents import Document
from planted_text import Planted, pairs_file, read


@dataclass
class Pass:
    """What one pass over the documents counts."""

    years: list[float] = field(default_factory=list)
    words: list[int] = field(default_factory=list)
    counts: list[np.ndarray] = field(default_factory=list)  # of senses of words with several, per document
    truth: np.ndarray = field(
        default_factory=lambda: np.zeros(0)
    )  # (n_senses, 2) uses of each word of the pair


def shared_senses(model: Model) -> np.ndarray:
    sizes = np.diff(model.offsets)
    return np.flatnonzero(np.repeat(sizes > 1, sizes))


def count(model: Model, corpus: Path, by: str, pseudo: np.ndarray) -> Pass:
    """Senses of every document; for the words that `pseudo` marks, also against the truth."""

    def documents() -> Iterator[Document]:
        for i, record in enumerate(read(corpus)):
            yield Document(str(i), str(record["text"]), {by: record[by], "truth": record["truth"]})

    found, kept = Pass(truth=np.zeros((model.n_senses, 2))), shared_senses(model)
    for uses in each_use(model, documents()):
        n = len(uses.documents)
        counts = np.zeros((n, model.n_senses))
        parts = (uses.ids, uses.ends, model.offsets, uses.posteriors.places, uses.posteriors.values)
        tally(parts, np.ones(n), np.arange(n), counts, False)
        found.counts.append(counts[:, kept].astype(np.float32))
        found.years += [float(str(document.fields[by])) for document in uses.documents]
        found.words += uses.n_words.tolist()
        _compare(model, uses, pseudo, found.truth)
    return found


def _compare(model: Model, uses: Uses, pseudo: np.ndarray, truth: np.ndarray) -> None:
    begin = 0
    for document, end in zip(uses.documents, uses.ends.tolist(), strict=True):
        at = begin + np.flatnonzero(pseudo[uses.ids[begin:end]])
        begin = end
        which = document.fields["truth"]
        assert isinstance(which, list)
        if len(at) != len(which):
            continue  # a pseudo-word too rare for the vocabulary
        for i, true in zip(at.tolist(), which, strict=True):
            first, last = uses.posteriors.places[i], uses.posteriors.places[i + 1]
            row = model.offsets[uses.ids[i]]
            truth[row : row + last - first, true] += uses.posteriors.values[first:last]


def frequencies(model: Model, found: Pass, years: np.ndarray) -> Frequencies:
    """Counts of documents added up by year."""
    names = np.unique(years)
    place = np.searchsorted(names, years)
    kept, by_year, row = shared_senses(model), np.zeros((len(names), model.n_senses)), 0
    for counts in found.counts:
        for of_document in counts:
            by_year[place[row], kept] += of_document
            row += 1
    epochs = [Epoch(float(name), f"{name:g}") for name in names]
    words = np.bincount(place, found.words).astype(np.float64)
    return Frequencies(epochs, np.ascontiguousarray(by_year.T), words, len(years))


def report_planted(model: Model, planted: list[Planted], trends: list[SenseTrend], truth: np.ndarray) -> None:
    of = {trend.sense: trend for trend in trends}
    print("kind\tpseudo-word\tpoints\tuses\tsenses\tseparated\tfound\tright way\tq\tpoints of the steepest")
    flags: dict[tuple[str, str], list[tuple[bool, bool]]] = defaultdict(list)
    for p in planted:
        if p.name not in model.vocabulary:
            continue
        rows = model.rows(p.name)
        seen = truth[rows]
        tested = [(of[name], seen[k]) for k, name in enumerate(model.names(rows)) if name in of]
        base = seen[:, 0].sum() / max(seen.sum(), 1.0)
        is_found = any(t.q <= SIGNIFICANT for t, _ in tested)
        is_right = any(
            t.q <= SIGNIFICANT and t.slope * (s[0] / s.sum() - base) * p.points > 0 for t, s in tested
        )
        steepest = max((t for t, _ in tested), key=lambda t: abs(t.slope), default=None)
        span = (len(steepest.series) - 1) * 100 * steepest.slope if steepest else 0.0
        q = min((t.q for t, _ in tested), default=1.0)
        separated = seen.max(axis=1).sum() / max(seen.sum(), 1.0)
        kinds = "unchanged" if p.points == 0 else f"{abs(p.points)} points", "20 or more"
        for kind in kinds[: 1 + (p.points != 0)]:
            flags[p.kind, kind].append((is_found, is_right))
        print(
            f"{p.kind}\t{'+'.join(p.words)}\t{p.points}\t{seen.sum():.0f}\t{len(seen)}\t{separated:.2f}\t"
            f"{is_found}\t{is_right}\t{q:.2g}\t{span:.0f}"
        )
    for (kind, change), each in sorted(flags.items()):
        found, right = np.mean(each, axis=0)
        print(f"{kind}\t{change}\t{len(each)} pseudo-words\tfound {found:.3f}\tthe right way {right:.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", type=Path)
    parser.add_argument("planted", type=Path)
    parser.add_argument("--by", default="year")
    parser.add_argument("--shuffles", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    planted = [Planted(**p) for p in json.loads(pairs_file(options.planted).read_text(encoding="utf-8"))]
    model = adagram.load(options.model)
    pseudo = np.isin(np.array(model.vocabulary.words), [p.name for p in planted])
    found = count(model, options.planted, options.by, pseudo)
    years = np.array(found.years)
    trends = find_trends(model, frequencies(model, found, years), TrendOptions())
    report_planted(model, planted, trends, found.truth)
    draw = np.random.default_rng(options.seed)
    parts = []
    for _ in range(options.shuffles):
        shuffled = find_trends(model, frequencies(model, found, draw.permutation(years)), TrendOptions())
        parts.append(np.mean([t.q <= SIGNIFICANT for t in shuffled]))
    flagged = np.mean([t.q <= SIGNIFICANT for t in trends])
    print(f"all senses\t{len(trends)} tested\tflagged {flagged:.3f}")
    print(f"shuffled\t{len(parts)} times\tflagged {np.mean(parts):.5f}, at most {max(parts):.5f}")


if __name__ == "__main__":
    main()
