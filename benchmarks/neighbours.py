"""Lists of neighbours of content words: how many have a function word or a number among the first five.

python benchmarks/neighbours.py MODEL [fine|medium|coarse]     # an English model
"""

from __future__ import annotations

import sys

import numpy as np

from adagram import load
from adagram.corpus.languages import ENGLISH
from adagram.model.neighbours import nearest, usual_min_count
from common import write_result

N_WORDS, MIN_USES, FIRST = 600, 100, 5
FREQUENT = """the of and in to a was is as for on by that with he it from at his an are were which be this or also had
has not have their but they its after who been her when she all more into during there most some such can would only
many may between about over these than where while up out then no however both them being under before through will
since against because so until each same any within although did around now those even much still among"""


def main() -> None:
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    model = load(sys.argv[1], raw=True).at(sys.argv[2] if len(sys.argv) == 3 else "fine")
    words, counts = model.vocabulary.words, model.vocabulary.counts
    content = [
        w
        for w, word in enumerate(words)
        if word.isalpha() and len(word) > 2 and word not in ENGLISH and counts[w] >= MIN_USES
    ]
    chosen = np.random.default_rng(0).choice(content, N_WORDS, replace=False)
    rows = np.concatenate([np.arange(*model.offsets[w : w + 2]) for w in chosen])
    rows = rows[(model.priors[rows] >= 0.02) & (model.counts[rows] >= 10)]
    lists = [
        [name.rpartition("#")[0] for name in model.names(near)]
        for i in range(0, len(rows), 64)
        for near, _ in nearest(model, rows[i : i + 64], 2 * FIRST, usual_min_count(model))
    ]

    def share(stop_words: set[str]) -> float:
        def is_bad(word: str) -> bool:
            return word in stop_words or not any(map(str.isalpha, word))

        return 100 * float(np.mean([any(map(is_bad, found[:FIRST])) for found in lists]))

    twice = sum(len(set(found)) < len(found) for found in lists)
    lines = [
        f"{model!r} at {model.resolution:g}",
        f"{len(lists)} lists; with a function word or a number among the first five: "
        f"{share(set(FREQUENT.split())):.2f} % (all stop words: {share(set(ENGLISH)):.2f} %)",
        f"with a word twice: {twice}",
    ]
    write_result("neighbours", "\n".join(lines))


if __name__ == "__main__":
    main()
