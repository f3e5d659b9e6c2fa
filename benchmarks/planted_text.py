"""Dated text with planted changes of meaning: pairs of words written as one, in shares that move over the years.

    python benchmarks/planted_text.py MODEL CORPUS.jsonl OUTPUT.jsonl [--by year] [--pairs 32] [--every 1] [--seed 0]

MODEL is a model of CORPUS, from which words with one sense are drawn. Some uses of both words of a pair are written as
one new word, such that in every year a chosen share of them are the first word's; that share moves by 0, 20, 30 or
40 points from the first year to the last, up or down. Two kinds of pairs:

any      any words, most of them words of every speech ("into" with "recent")
content  words that stand for a topic ("palestinian" with "debt"): their residual IDF is 0.4 or more, that is, they
         gather in few documents. A quarter of the words have it.

The field "truth" of each record says which word each of its pseudo-words was; OUTPUT.pairs.json lists the pairs.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path

import numpy as np

import adagram
from adagram.model import Model

POINTS = (0, 20, 30, 40)
LEAST, MOST = 4_000, 40_000  # uses in CORPUS of the words that are joined
LEAST_RESIDUAL_IDF = 0.4
Record = dict[str, object]
WORD = re.compile(r"(?<![\w'’-])[^\W\d_]+(?![\w'’-])")


@dataclass(frozen=True)
class Planted:
    kind: str
    name: str
    words: tuple[str, str]
    start: float  # share of the first word in the first year
    end: float

    @property
    def points(self) -> int:
        return round(100 * (self.end - self.start))


def pairs_file(output: Path) -> Path:
    return output.with_name(output.name + ".pairs.json")


def read(path: Path, every: int = 1) -> Iterator[Record]:
    with open(path, encoding="utf-8") as file:
        for line in islice(file, 0, None, every):
            yield json.loads(line)


def words_of(record: Record) -> list[str]:
    return WORD.findall(str(record["text"]).lower())


def residual_idf(corpus: Path) -> dict[str, float]:
    """log2 of the number of documents that a word would be in if its uses fell at random, over those that it is in."""
    uses: Counter[str] = Counter()
    documents: Counter[str] = Counter()
    n = 0
    for record in read(corpus):
        found = Counter(words_of(record))
        uses.update(found)
        documents.update(found.keys())
        n += 1
    return {
        word: float(np.log2(n * -np.expm1(-uses[word] / n) / documents[word]))
        for word in uses
        if uses[word] >= LEAST
    }


def choose_pairs(model: Model, kind: str, able: set[str], n: int, seed: int) -> list[Planted]:
    """Words with one sense, in pairs that are not alike."""
    draw = np.random.default_rng(seed)
    counts, sizes = np.asarray(model.vocabulary.counts), np.diff(model.offsets)
    left = np.flatnonzero((sizes == 1) & (counts >= LEAST) & (counts <= MOST))
    left = draw.permutation([w for w in left if model.vocabulary.words[w] in able]).tolist()
    planted: list[Planted] = []
    while left and len(planted) < n:
        a = left.pop()
        b = next((b for b in left if _cosine(model, a, b) < 0.1 and 0.5 < counts[a] / counts[b] < 2), None)
        if b is None:
            continue
        left.remove(b)
        half = POINTS[len(planted) % len(POINTS)] / 200.0
        direction = 1 if len(planted) // len(POINTS) % 2 else -1
        words = (model.vocabulary.words[a], model.vocabulary.words[b])
        name = f"pseudo{words[0]}{words[1]}"
        planted.append(Planted(kind, name, words, 0.5 - direction * half, 0.5 + direction * half))
    return planted


def _cosine(model: Model, a: int, b: int) -> float:
    x, y = model.vectors[model.offsets[a]], model.vectors[model.offsets[b]]
    return float(x @ y / np.linalg.norm(x) / np.linalg.norm(y))


def rates(records: Iterable[Record], by: str, planted: list[Planted]) -> dict[str, dict[object, float]]:
    """For each word and year: the part of its uses that become the pseudo-word."""
    wanted = {word for p in planted for word in p.words}
    seen: dict[object, Counter[str]] = defaultdict(Counter)
    for record in records:
        seen[record[by]].update(w for w in words_of(record) if w in wanted)
    years = sorted(seen, key=str)
    found: dict[str, dict[object, float]] = defaultdict(dict)
    for p in planted:
        for i, year in enumerate(years):
            share = p.start + (p.end - p.start) * i / max(len(years) - 1, 1)
            n = [seen[year][word] for word in p.words]
            uses = min(n[0] / share, n[1] / (1 - share))  # as many as both words allow
            for word, part, m in zip(p.words, (share, 1 - share), n, strict=True):
                found[word][year] = uses * part / m if m else 0.0
    return found


def plant(records: list[Record], by: str, planted: list[Planted], seed: int, output: Path) -> None:
    chance = np.random.default_rng(seed + 1)
    chosen = rates(records, by, planted)
    names = {word: (p.name, i) for p in planted for i, word in enumerate(p.words)}
    pairs_file(output).write_text(json.dumps([asdict(p) for p in planted]), encoding="utf-8")
    with open(output, "w", encoding="utf-8") as file:
        for record in records:
            truth: list[int] = []

            def replaced(match: re.Match[str], year: object = record[by], truth: list[int] = truth) -> str:
                word = match[0].lower()
                if word not in names or chance.random() >= chosen[word][year]:
                    return match[0]
                truth.append(names[word][1])
                return names[word][0]

            text = WORD.sub(replaced, str(record["text"]))
            file.write(json.dumps(record | {"text": text, "truth": truth}, ensure_ascii=False) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", type=Path)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--by", default="year")
    parser.add_argument("--pairs", type=int, default=32)
    parser.add_argument("--every", type=int, default=1, help="take one document of so many")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    model = adagram.load(options.model)
    residual = residual_idf(options.corpus)
    gathered = {word for word, value in residual.items() if value >= LEAST_RESIDUAL_IDF}
    planted = choose_pairs(model, "content", gathered, options.pairs, options.seed)
    taken = {word for p in planted for word in p.words}
    planted += choose_pairs(model, "any", set(residual) - taken, options.pairs, options.seed)
    records = list(read(options.corpus, options.every))
    plant(records, options.by, planted, options.seed, options.output)
    for p in planted:
        print(f"{p.kind}\t{' '.join(p.words)}\t{p.points}")


if __name__ == "__main__":
    main()
