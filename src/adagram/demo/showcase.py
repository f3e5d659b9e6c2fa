"""Which words to show: chosen by the model, not by hand."""

from __future__ import annotations

import numpy as np

from adagram.encoded import EncodedCorpus
from adagram.model import Model

LEAST = 60  # expected occurrences of a sense worth showing


def showcase(model: Model, n_words: int) -> list[str]:
    """Words whose senses are all well used and far apart: highest (second-largest prior) · (1 - largest cosine)."""
    sizes = np.diff(model.offsets)
    scored = []
    for w in np.flatnonzero((sizes > 1) & (sizes < 5)).tolist():
        word, rows = model.vocabulary.words[w], slice(model.offsets[w], model.offsets[w + 1])
        if len(word) < 4 or not word.isalpha() or np.sort(model.counts[rows])[-2] < LEAST:
            continue
        cosines = model.unit_vectors[rows] @ model.unit_vectors[rows].T
        apart = 1.0 - np.max(cosines - 2.0 * np.eye(len(cosines)))
        scored.append((float(np.sort(model.priors[rows])[-2] * apart), word))
    return [word for _, word in sorted(scored, reverse=True)[:n_words]]


def examples(model: Model, corpus: EncodedCorpus, word: str, n_examples: int) -> list[tuple[str, int, float]]:
    """The clearest context of each of the word's main senses: (text, sense, probability)."""
    tokens = corpus.tokens
    w = model.vocabulary.id(word)
    places = np.flatnonzero(tokens == w)[:2000]
    contexts = [model.context.around(int(i), 0, len(tokens), lambda a, b: tokens[a:b]) for i in places]
    posteriors = np.array(list(model.predictor.posteriors(np.full(len(places), w), contexts)))
    rows = model.rows(word)
    main = np.argsort(-model.priors[rows])[:n_examples]
    found = []
    for k in sorted(main.tolist()):
        best = int(posteriors[:, k].argmax())
        at = int(places[best])
        ids = tokens[max(0, at - 6) : at + 7]
        found.append((" ".join(model.vocabulary.words[t] for t in ids), k, float(posteriors[best, k])))
    return found
