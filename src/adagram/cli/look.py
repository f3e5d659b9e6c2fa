"""`adagram info`, `senses`, `neighbours`: look at a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from adagram.cli.output import JsonOption, show

ModelPath = Annotated[Path, typer.Argument(metavar="MODEL", help="A model folder.", show_default=False)]
TopOption = Annotated[int, typer.Option(min=0, help="How many nearest senses to show.")]
MinCountOption = Annotated[
    float, typer.Option("--min-count", min=0, help="Only neighbours with at least this count.")
]

ContextWeightsOption = Annotated[
    str,
    typer.Option(
        "--context-weights",
        help="kept: a context word counts by the probability with which training with --subsample kept it, and each "
        "side reaches out until it weighs the window; none: the nearest words, all alike, as in the paper.",
    ),
]
WindowOption = Annotated[
    int | None, typer.Option(min=1, help="Weight of the context on each side (default: the model's window).")
]


RawOption = Annotated[bool, typer.Option("--raw", help="Ignore the journal: senses as they were learned.")]


def register(app: typer.Typer) -> None:
    app.command()(info)
    app.command()(senses)
    app.command()(neighbours)


def info(model: ModelPath, raw: RawOption = False, json: JsonOption = False) -> None:
    """What a model is: its size, how it was trained, how many senses it found.

    Example: adagram info model/
    """
    import numpy as np

    from adagram.api import load

    loaded = load(model, raw)
    sizes = np.diff(loaded.offsets)
    corpus, training = loaded.info.get("corpus", {}), loaded.info.get("training", {})
    config = loaded.config.to_dict()
    config["fixed_senses"] = config.pop(
        "senses"
    )  # K of mpsg and mssg; `senses` is the number of senses found
    facts = {
        "words": len(sizes),
        "senses": loaded.n_senses,
        "senses_per_word": round(float(sizes.mean()), 4),
        "words_with_several_senses": int((sizes > 1).sum()),
        "most_senses": int(sizes.max()),
        "decisions": len(loaded.decisions),
        "sense_sheet": loaded.sheet.path.name if loaded.sheet else None,
        "corpus_words": corpus.get("tokens"),
        "corpus_fingerprint": corpus.get("fingerprint"),
        **{f"training_{key}": value for key, value in training.items()},
        **config,
    }
    show(["property", "value"], list(facts.items()), json)


def senses(
    model: ModelPath,
    word: Annotated[str, typer.Argument(help="A word of the vocabulary.", show_default=False)],
    top: TopOption = 10,
    min_count: MinCountOption = 1.0,
    raw: RawOption = False,
    json: JsonOption = False,
) -> None:
    """The senses of a word: prior, expected count, nearest senses of other words; labels where there are any.

    Example: adagram senses model/ apple --top 5
    """
    from adagram.api import load

    loaded = load(model, raw)
    found = loaded.senses(word, top, min_count)
    rows: list[tuple[object, ...]] = [
        (s.name, s.prior, s.count, [{"sense": n.name, "similarity": n.similarity} for n in s.neighbours])
        for s in found
    ]
    columns = ["sense", "prior", "count", "neighbours"]
    if any(s.label for s in found):
        columns.append("label")
        rows = [(*row, s.label) for row, s in zip(rows, found, strict=True)]
    show(columns, rows, json)


def neighbours(
    model: ModelPath,
    sense: Annotated[
        str, typer.Argument(metavar="WORD#K", help="A sense, such as apple#1.", show_default=False)
    ],
    top: TopOption = 10,
    min_count: MinCountOption = 1.0,
    raw: RawOption = False,
    json: JsonOption = False,
) -> None:
    """The senses of other words that are nearest to a sense, by cosine, exactly.

    Example: adagram neighbours model/ 'apple#1'
    """
    from adagram.api import load

    found = load(model, raw).neighbours(sense, top, min_count)
    show(["sense", "similarity"], [(n.name, n.similarity) for n in found], json)
