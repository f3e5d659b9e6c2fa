"""Are planted changes of meaning found, and is chance left alone? On dated text, with pseudo-words.

    python benchmarks/trends.py MODEL CORPUS.jsonl WORK [--by year] [--pairs 48] [--shuffles 20] [--seed 0]

MODEL is a model of CORPUS, from which pairs of words with one sense each are drawn. Some uses of both words of a pair
are written as one new word, such that in every year a chosen share of them are the first word's. That share moves by
0, 20, 30 or 40 points from the first year to the last, up or down. A model is trained on the new text, WORK/model,
and every sense with 100 uses or more is tested at q = 0.05: the planted changes should be found. Then the dates of the
documents are shuffled: next to nothing should be. Prints TSV.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import adagram
from adagram.desk.counting import Frequencies
from adagram.desk.epochs import Epoch
from adagram.desk.trends import TrendOptions, find_trends
from adagram.desk.uses import each_use
from adagram.kernels.tally import tally
from adagram.model import Model
from adagram.text.documents import Document

POINTS = (0, 20, 30, 40)
LEAST, MOST = 4_000, 40_000  # occurrences of the words that are joined
WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True)
class Planted:
    name: str
    words: tuple[str, str]
    start: float  # share of the first word in the first year
    end: float


def read(path: Path) -> Iterator[dict[str, object]]:
    with open(path, encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def choose_pairs(model: Model, n: int, seed: int) -> list[Planted]:
    """Words with one sense, in pairs that are not alike."""
    draw = np.random.default_rng(seed)
    counts, sizes = np.asarray(model.vocabulary.counts), np.diff(model.offsets)
    able = [
        w
        for w in np.flatnonzero((sizes == 1) & (counts >= LEAST) & (counts <= MOST))
        if model.vocabulary.words[w].isalpha()
    ]
    able = draw.permutation(able).tolist()
    planted = []
    while able and len(planted) < n:
        a = able.pop()
        b = next((b for b in able if _cosine(model, a, b) < 0.1 and 0.5 < counts[a] / counts[b] < 2), None)
        if b is None:
            continue
        able.remove(b)
        half = POINTS[len(planted) % len(POINTS)] / 200.0
        direction = 1 if len(planted) % 2 else -1
        words = (model.vocabulary.words[a], model.vocabulary.words[b])
        name = f"pseudo{words[0]}{words[1]}"
        planted.append(Planted(name, words, 0.5 - direction * half, 0.5 + direction * half))
    return planted


def _cosine(model: Model, a: int, b: int) -> float:
    x, y = model.vectors[model.offsets[a]], model.vectors[model.offsets[b]]
    return float(x @ y / np.linalg.norm(x) / np.linalg.norm(y))


def rates(corpus: Path, by: str, planted: list[Planted]) -> dict[str, dict[object, float]]:
    """For each word and year: the part of its uses that become the pseudo-word."""
    wanted = {word for p in planted for word in p.words}
    seen: dict[object, Counter[str]] = defaultdict(Counter)
    for record in read(corpus):
        seen[record[by]].update(w for w in WORD.findall(str(record["text"]).lower()) if w in wanted)
    years = sorted(seen)
    found: dict[str, dict[object, float]] = defaultdict(dict)
    for p in planted:
        for i, year in enumerate(years):
            share = p.start + (p.end - p.start) * i / max(len(years) - 1, 1)
            n = [seen[year][word] for word in p.words]
            uses = min(n[0] / share, n[1] / (1 - share))  # as many as both words allow
            for word, part, m in zip(p.words, (share, 1 - share), n, strict=True):
                found[word][year] = uses * part / m if m else 0.0
    return found


def plant(corpus: Path, by: str, planted: list[Planted], seed: int, output: Path) -> None:
    chance = np.random.default_rng(seed + 1)
    chosen = rates(corpus, by, planted)
    names = {word: p.name for p in planted for word in p.words}
    with open(output, "w", encoding="utf-8") as file:
        for record in read(corpus):

            def replaced(match: re.Match[str], year: object = record[by]) -> str:
                word = match[0].lower()
                if word in names and chance.random() < chosen[word][year]:
                    return names[word]
                return match[0]

            text = WORD.sub(replaced, str(record["text"]))
            file.write(json.dumps(record | {"text": text}, ensure_ascii=False) + "\n")


def counts_of_documents(model: Model, corpus: Path, by: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Years, words and counts of every document, for the senses of words that have several."""

    def documents() -> Iterator[Document]:
        for i, record in enumerate(read(corpus)):
            yield Document(str(i), str(record["text"]), {by: record[by]})

    years, words, rows = [], [], []
    for uses in each_use(model, documents()):
        n = len(uses.documents)
        counts = np.zeros((n, model.n_senses))
        found = (uses.ids, uses.ends, model.offsets, uses.posteriors.places, uses.posteriors.values)
        tally(found, np.ones(n), np.arange(n), counts, False)
        rows.append(counts[:, shared_senses(model)].astype(np.float32))
        years += [document.fields[by] for document in uses.documents]
        words += uses.n_words.tolist()
    return np.array(years), np.array(words, dtype=np.float64), np.concatenate(rows)


def shared_senses(model: Model) -> np.ndarray:
    sizes = np.diff(model.offsets)
    return np.flatnonzero(np.repeat(sizes > 1, sizes))


def frequencies(model: Model, years: np.ndarray, words: np.ndarray, counts: np.ndarray) -> Frequencies:
    """Counts of documents added up by year."""
    names = np.unique(years)
    place = np.searchsorted(names, years)
    by_year = np.zeros((len(names), model.n_senses))
    for year in range(len(names)):
        by_year[year, shared_senses(model)] = counts[place == year].sum(axis=0, dtype=np.float64)
    epochs = [Epoch(float(name), str(name)) for name in names]
    return Frequencies(epochs, np.ascontiguousarray(by_year.T), np.bincount(place, words), len(years))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", type=Path)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--by", default="year")
    parser.add_argument("--pairs", type=int, default=48)
    parser.add_argument("--shuffles", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    planted = choose_pairs(adagram.load(options.model), options.pairs, options.seed)
    options.work.mkdir(parents=True, exist_ok=True)
    text = options.work / "planted.jsonl"
    if not text.exists():
        plant(options.corpus, options.by, planted, options.seed, text)
    if not (options.work / "model").exists():
        adagram.train(text, options.work / "model", dim=100, seed=options.seed)
    model = adagram.load(options.work / "model")
    years, words, counts = counts_of_documents(model, text, options.by)
    found = {t.sense: t for t in find_trends(model, frequencies(model, years, words, counts), TrendOptions())}
    report_planted(model, planted, found)
    draw = np.random.default_rng(options.seed)
    parts = []
    for _ in range(options.shuffles):
        shuffled = find_trends(
            model, frequencies(model, draw.permutation(years), words, counts), TrendOptions()
        )
        parts.append(float(np.mean([t.q <= 0.05 for t in shuffled])))
    print(
        f"shuffled\t{len(parts)} times, {len(found)} senses\tflagged {np.mean(parts):.5f}, at most {max(parts):.5f}"
    )


def report_planted(model: Model, planted: list[Planted], found: dict[str, object]) -> None:
    print("pseudo-word\tpoints\tsenses\tfound\tslope x years")
    tally_of: dict[int, list[bool]] = defaultdict(list)
    for p in planted:
        points = round(100 * (p.end - p.start))
        if p.name not in model.vocabulary:
            print(f"{p.words[0]}+{p.words[1]}\t{points}\t0\tnot in the vocabulary\t")
            tally_of[abs(points)].append(False)
            continue
        names = model.names(model.rows(p.name))
        trends = [found[name] for name in names if name in found]
        flagged = any(t.q <= 0.05 for t in trends)
        steepest = max((abs(t.slope) for t in trends), default=0.0)
        tally_of[abs(points)].append(flagged)
        print(f"{p.words[0]}+{p.words[1]}\t{points}\t{len(names)}\t{flagged}\t{76 * 100 * steepest:.0f}")
    for points, flags in sorted(tally_of.items()):
        print(f"planted {points} points\t{len(flags)} pseudo-words\tfound {np.mean(flags):.3f}")
    large = [flag for points, flags in tally_of.items() if points >= 20 for flag in flags]
    print(f"planted 20 points or more\t{len(large)} pseudo-words\tfound {np.mean(large):.3f}")


if __name__ == "__main__":
    main()
