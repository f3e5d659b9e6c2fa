"""Text classification with words and with senses as features.

    python benchmarks/downstream.py TEXTS.jsonl.zst --field year --model en --output benchmarks/results/downstream.md

TEXTS has a record per line with `text` and the field; a year becomes its decade. Of each record one part of 100 words
is taken. A linear support vector machine, five folds; accuracy and its range over folds.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import LinearSVC

import adagram
from adagram.corpus.documents import CorpusReport, ReadState
from adagram.corpus.options import EncodeOptions
from adagram.corpus.readers import read_documents
from adagram.integrations.sklearn import SenseTransformer

WORDS = 100  # of a part


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("texts", type=Path)
    parser.add_argument("--field", default="year")
    parser.add_argument("--model", default="en")
    parser.add_argument("--limit", type=int, default=1000)
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    texts, labels = read(given.texts, given.field, given.limit)
    model = adagram.load(given.model)
    scores = {name: cross_val_score(pipe, texts, labels, cv=5) for name, pipe in pipelines(model).items()}
    lines = [
        f"{len(texts)} parts of {WORDS} words, {len(set(labels))} classes by {given.field}; model {given.model}",
        "",
        "| features | accuracy | folds |",
        "|---|---:|---|",
        *(f"| {name} | {s.mean():.3f} | {s.min():.3f} to {s.max():.3f} |" for name, s in scores.items()),
    ]
    print("\n".join(lines))
    if given.output:
        given.output.write_text("\n".join(lines) + "\n", encoding="utf-8")


def read(path: Path, field: str, limit: int) -> tuple[list[str], list[str]]:
    """Return parts of texts and their labels, in random order."""
    state = ReadState(EncodeOptions(format="jsonl"), CorpusReport(), needs_fields=True)
    found = []
    for document in read_documents([path], state):
        words = document.text.split()
        value = str(document.fields[field])
        if len(words) >= 3 * WORDS:
            middle = len(words) // 2
            label = value[:3] if field == "year" else value
            found.append((" ".join(words[middle : middle + WORDS]), label))
    order = np.random.default_rng(0).permutation(len(found))[:limit]
    return [found[i][0] for i in order], [found[i][1] for i in order]


def pipelines(model: adagram.Model) -> dict[str, object]:
    def word_means(texts: list[str]) -> np.ndarray:
        words = [[w for w in model.tokenize(text) if w in model.vocabulary] for text in texts]
        return np.array([np.mean([model.word_vector(w) for w in of_text], axis=0) for of_text in words])

    def linear(c: float) -> LinearSVC:
        return LinearSVC(C=c, dual="auto")

    by_words = CountVectorizer(tokenizer=model.tokenize, vocabulary=model.vocabulary.words, token_pattern=None)
    return {
        "word vectors, mean": make_pipeline(FunctionTransformer(word_means), StandardScaler(), linear(0.01)),
        "sense vectors, mean": make_pipeline(SenseTransformer(model), StandardScaler(), linear(0.01)),
        "words, tf-idf": make_pipeline(by_words, TfidfTransformer(), linear(1.0)),
        "senses, tf-idf": make_pipeline(SenseTransformer(model, output="counts"), TfidfTransformer(), linear(1.0)),
    }


if __name__ == "__main__":
    main()
