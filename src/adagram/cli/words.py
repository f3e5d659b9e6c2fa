"""`adagram words`: the words of a model."""

from __future__ import annotations

from typing import Annotated

import typer

from adagram.cli.look import ModelPath, RawOption
from adagram.cli.output import JsonOption, show


def register(app: typer.Typer) -> None:
    app.command()(words)


def words(
    model: ModelPath,
    ambiguous: Annotated[
        bool, typer.Option("--ambiguous", help="Those whose senses differ most clearly, the best first.")
    ] = False,
    top: Annotated[int, typer.Option(min=1, help="How many words to show.")] = 50,
    raw: RawOption = False,
    json: JsonOption = False,
) -> None:
    """The words of a model, the most frequent first, or those that are most clearly ambiguous.

    Example: adagram words model/ --ambiguous --top 20

    With --ambiguous, words are ranked by a score: √(2 · prior of the second sense) · (1 - cosine of the two main
    senses) · coherence · agreement. The coherence is the mean cosine between the nearest words of the less coherent
    sense; words as frequent as "the" count as nothing in it. The agreement says how much more often than by chance two
    occurrences near each other in the text have the same sense; training with --merge-senses measures it, and other
    models rank without it.
    """
    import numpy as np

    from adagram.api import load
    from adagram.model.neighbours import rank_words

    loaded = load(model, raw)
    if ambiguous:
        ranked = rank_words(loaded, top)
        show(
            ["word", "score", "second_prior", "distance", "coherence", "agreement"],
            [(r.word, r.score, r.share, r.distance, r.coherence, r.agreement) for r in ranked],
            json,
        )
        return
    vocabulary = loaded.vocabulary
    # Words that came when training went on have the last ids, however frequent they are.
    best = np.argsort(-np.asarray(vocabulary.counts), kind="stable")[:top]
    columns = (
        [vocabulary.words[w] for w in best.tolist()],
        vocabulary.counts[best].tolist(),
        np.diff(loaded.offsets)[best].tolist(),
    )
    show(["word", "count", "senses"], list(zip(*columns, strict=True)), json)
