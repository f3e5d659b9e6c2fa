"""`adagram info`, `senses`, `neighbours`: look at a model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from adagram.cli.output import JsonOption, say, show
from adagram.errors import InputError

if TYPE_CHECKING:
    from adagram.model import Model, Sense

ModelPath = Annotated[Path, typer.Argument(metavar="MODEL", help="A model folder.", show_default=False)]
TopOption = Annotated[int, typer.Option(min=0, help="How many nearest senses to show.")]
MinCountOption = Annotated[
    float | None,
    typer.Option(
        "--min-count",
        min=0,
        help="Only neighbours with at least this count (default: 20, or 1 if few senses have that).",
        show_default=False,
    ),
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
    from adagram.model.about import settings_used

    loaded = load(model, raw)
    sizes = np.diff(loaded.offsets)
    corpus, training = loaded.info.get("corpus", {}), loaded.info.get("training", {})
    config = settings_used(loaded.config)
    if "senses" in config:
        config["fixed_senses"] = config.pop("senses")  # K of mpsg and mssg; `senses` is how many were found
    facts = {
        "words": len(sizes),
        "senses": loaded.n_senses,
        "senses_per_word": round(float(sizes.mean()), 4),
        "words_with_several_senses": int((sizes > 1).sum()),
        "most_senses": int(sizes.max()),
        "decisions": len(loaded.decisions),
        "sense_sheet": loaded.sheet.path.name if loaded.sheet else None,
        **_clearest(loaded),
        "corpus_words": corpus.get("tokens"),
        "corpus_fingerprint": corpus.get("fingerprint"),
        **{f"training_{key}": value for key, value in training.items()},
        **config,
    }
    show(["property", "value"], list(facts.items()), json)


def _clearest(model: Model) -> dict[str, str | None]:
    """What the sheet says of the word whose senses differ most clearly, of those whose senses all have a label."""
    from adagram.model.neighbours import rank_words

    for clear in rank_words(model, top=10, compared=10) if model.sheet else []:
        rows = model.rows(clear.word)
        names, labels = model.names(rows), [model.label(row) for row in range(rows.start, rows.stop)]
        if all(labels) and model.sheet:
            entries = [model.sheet.entry(model, row) for row in range(rows.start, rows.stop)]
            brief = [entry.brief() if entry else ([], "") for entry in entries]
            return {
                "labels": _by_sense(names, labels),
                "collocates": _by_sense(names, [", ".join(words) for words, _ in brief]),
                "examples": _by_sense(names, [example for _, example in brief]),
            }
    return {"labels": None}


def _by_sense(names: list[str], texts: list[str]) -> str:
    return "; ".join(f"{name} {text}" for name, text in zip(names, texts, strict=True) if text)


def senses(
    model: ModelPath,
    word: Annotated[
        str, typer.Argument(help="A word of the vocabulary, or a sense such as apple#1.", show_default=False)
    ],
    top: TopOption = 10,
    min_count: MinCountOption = None,
    all_: Annotated[
        bool, typer.Option("--all", help="Senses with few uses or made of leftovers too.")
    ] = False,
    raw: RawOption = False,
    json: JsonOption = False,
) -> None:
    """The senses of a word by falling prior: expected count, nearest senses of other words; labels where there are any.

    Example: adagram senses model/ apple --top 5

    After `adagram describe` each sense has its strongest collocates and an example too.
    Senses with less than 2 % of the uses, or fewer than 10, are left out unless --all is given, and so are senses made
    of leftovers: what is near to them are side senses of other words.
    """
    loaded = open_model(model, word, raw)
    found: list[Sense] = sorted(
        loaded.senses(word, top, _least(loaded, min_count)), key=lambda sense: -sense.prior
    )
    if not all_ and len(found) > 1:
        found = _without_marginal(loaded, word, found)
    rows: list[tuple[object, ...]] = [
        (s.name, s.prior, s.count, [{"sense": n.name, "similarity": n.similarity} for n in s.neighbours])
        for s in found
    ]
    columns = ["sense", "prior", "count", "neighbours"]
    if any(s.label for s in found):
        columns.append("label")
        rows = [(*row, s.label) for row, s in zip(rows, found, strict=True)]
    if loaded.sheet:
        columns += ["collocates", "example"]
        entries = [loaded.sheet.entry(loaded, loaded.row(s.name)) for s in found]
        rows = [(*row, *(e.brief() if e else ([], ""))) for row, e in zip(rows, entries, strict=True)]
    show(columns, rows, json)


def neighbours(
    model: ModelPath,
    sense: Annotated[
        str, typer.Argument(metavar="WORD#K", help="A sense, such as apple#1.", show_default=False)
    ],
    top: TopOption = 10,
    min_count: MinCountOption = None,
    raw: RawOption = False,
    json: JsonOption = False,
) -> None:
    """The senses of other words that are nearest to a sense, by cosine, exactly.

    Example: adagram neighbours model/ 'apple#1'
    """
    loaded = open_model(model, sense, raw)
    found = loaded.neighbours(sense, top, _least(loaded, min_count))
    show(["sense", "similarity"], [(n.name, n.similarity) for n in found], json)


def open_model(folder: Path, word: str, raw: bool) -> Model:
    """Load a model to ask about a word; the two given in the wrong order are an error that says so."""
    from adagram.api import load
    from adagram.whole import MODEL, kind_of

    if not folder.exists() and kind_of(Path(word)) is MODEL:
        raise InputError(f"{word} is the model: give it first, then the word: {word} {folder}")
    return load(folder, raw)


def _without_marginal(model: Model, word: str, found: list[Sense]) -> list[Sense]:
    """The senses but for those with few uses or made of leftovers; how many these are is said."""
    from adagram.model.neighbours import marginal_senses

    names = model.names(model.rows(word))
    left_out = {
        name for name, is_out in zip(names, marginal_senses(model, word).tolist(), strict=True) if is_out
    }
    if left_out:
        say(f"{len(left_out)} more with few uses or made of leftovers; --all shows them")
    return [sense for sense in found if sense.name not in left_out]


def _least(model: Model, min_count: float | None) -> float:
    """The count that a neighbour must have: what was asked for, or such that rare words are left out."""
    from adagram.model.neighbours import usual_min_count

    return usual_min_count(model) if min_count is None else min_count
