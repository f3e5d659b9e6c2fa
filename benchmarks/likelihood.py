"""Held-out log-likelihood of AdaGram and Skip-gram: 10 M training words, dim 100, 500 k held-out words."""

from __future__ import annotations

import time

from adagram.config import TrainConfig
from adagram.training.checkpoint import Saving
from adagram.training.run import train_encoded
from common import encoded_prefix, held_out_ids, write_result


def main() -> None:
    corpus = encoded_prefix(10_000_000)
    ids = held_out_ids(corpus, 500_000)
    lines = [
        f"{len(corpus.tokens)} training words, vocabulary {len(corpus.vocabulary)}, {len(ids)} held-out words",
        "",
    ]
    lines.append(f"  {'':<24}{'per context word':>18}{'per context':>14}{'senses/word':>13}{'seconds':>9}")
    for algorithm in ("skipgram", "adagram"):
        start = time.perf_counter()
        model = train_encoded(
            corpus, TrainConfig(dim=100, alpha=0.1, algorithm=algorithm), Saving(), lambda progress: None
        )
        seconds = time.perf_counter() - start
        found = model.likelihood(ids)
        senses = model.n_senses / len(corpus.vocabulary)
        lines.append(
            f"  {algorithm:<24}{found.per_word:>18.4f}{found.per_context:>14.3f}{senses:>13.3f}{seconds:>9.0f}"
        )
    write_result("likelihood", "\n".join(lines))


if __name__ == "__main__":
    main()
