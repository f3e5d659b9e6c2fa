"""`adagram disambiguate` and `likelihood`: use a model on text."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Annotated

import typer

from adagram.cli.documents import documents_of
from adagram.cli.look import ContextWeightsOption, ModelPath, RawOption, WindowOption, open_model
from adagram.cli.options import takes_groups
from adagram.cli.output import JsonOption, rounded, say, show, show_lines
from adagram.config import DocumentOptions
from adagram.errors import InputError
from adagram.text.files import stdin_bytes

if TYPE_CHECKING:
    from adagram.model import Model

BATCH = 5000  # lines of a stream that are disambiguated together


def register(app: typer.Typer) -> None:
    app.command()(disambiguate)
    app.command()(likelihood)


def disambiguate(
    model: ModelPath,
    word: Annotated[
        str, typer.Argument(help="A word, or - for lines of word<TAB>context on standard input.")
    ],
    context: Annotated[str | None, typer.Option(help="The text around it, with or without the word.")] = None,
    context_weights: ContextWeightsOption = "kept",
    window: WindowOption = None,
    raw: RawOption = False,
    json: JsonOption = False,
) -> None:
    """The probability of each sense of a word in a context.

    Example: adagram disambiguate model/ apple --context "new iphone was announced today"

    All words of the context are used. If it has the place of the word, as a lone _ or as the word itself ("he sat on
    the bank of the river"), as many on each side of that place as the window takes; of several places the one nearest
    to the middle counts.

    With - every input line gives one output line: word, the best sense, its probability. A word that the model
    does not know gives an empty sense. Typed on a terminal, each line is answered at once.
    """
    loaded = open_model(model, word, raw).using(context_weights, window)
    if word == "-":
        lines, at_once = stdin_bytes(), BATCH
        if lines.isatty():
            say("type a word, a tab and its context; Ctrl-D ends")
            at_once = 1
        _stream(loaded, lines, json, at_once)
        return
    if context is None:
        raise InputError("give the words around it with --context, or - to read word<TAB>context lines")
    posterior = loaded.disambiguate(word, context)
    if not posterior.known:
        say("the model knows no word of the context; these are the priors")
    show(["sense", "probability"], list(zip(posterior.names, posterior.tolist(), strict=True)), json)


def _stream(model: Model, lines: Iterable[bytes], as_json: bool, size: int) -> None:
    first = True
    for batch in _batches(lines, size):
        pairs = [_split(number, line) for number, line in batch]
        known = [i for i, (word, _) in enumerate(pairs) if _is_word(model, word)]
        posteriors = model.disambiguate_batch([pairs[i][0] for i in known], [pairs[i][1] for i in known])
        rows: list[tuple[str, str, float]] = [(word, "", 0.0) for word, _ in pairs]
        for i, posterior in zip(known, posteriors, strict=True):
            rows[i] = (pairs[i][0], posterior.best, float(posterior.max()))
        columns = ["word", "sense", "probability"]
        if as_json or first:
            show(columns, rows, as_json)
        else:
            show_lines(rows)
        sys.stdout.flush()
        first = False


def _is_word(model: Model, word: str) -> bool:
    return word in model.vocabulary or ("#" not in word and word in model)


def _batches(lines: Iterable[bytes], size: int) -> Iterator[list[tuple[int, bytes]]]:
    numbered = iter(enumerate(lines, 1))
    while batch := list(islice(numbered, size)):
        yield batch


def _split(number: int, line: bytes) -> tuple[str, str]:
    try:
        word, tab, context = line.decode("utf-8-sig").rstrip("\r\n").partition("\t")
    except UnicodeDecodeError as error:
        raise InputError(
            f"line {number} of the input is not UTF-8 ({error.reason}); convert it first"
        ) from None
    if not tab:
        raise InputError(f"line {number} of the input has no tab; expected word<TAB>context")
    return word, context


@takes_groups(reading=DocumentOptions)
def likelihood(
    model: ModelPath,
    text: Annotated[
        list[str],
        typer.Argument(
            metavar="TEXT",
            help="Files, folders, globs of any format that `train` reads; - is standard input.",
            show_default=False,
        ),
    ],
    reading: DocumentOptions,
    raw: RawOption = False,
    json: JsonOption = False,
) -> None:
    """Posterior predictive log-likelihood of a text (Eq. 9), in nats: per context word and per whole context.

    Example: adagram likelihood model/ heldout.txt
    """
    import numpy as np

    from adagram.api import load
    from adagram.text.documents import make_tokenizers

    loaded = load(model, raw)
    tokenizers = make_tokenizers(loaded.info, loaded.vocabulary.index)
    ids, seen = [], 0
    with documents_of(text, reading, loaded) as documents:
        for document in documents:
            for line in document.lines:
                tokens = tokenizers[document.kind](line)
                seen += len(tokens)
                ids.append(loaded.vocabulary.ids(tokens))
    known = np.concatenate([*ids, np.empty(0, np.int32)])
    result = loaded.predictor.likelihood(known)
    say(f"{len(known)} of {seen} words are in the vocabulary; the others were left out")
    rows = [
        ("log_likelihood_per_context_word", result.per_word),
        ("log_likelihood_per_context", result.per_context),
        ("words", result.words),
        ("context_words", result.contexts),
    ]
    # Models differ in the fourth decimal.
    show(["measure", "value"], rows, json, partial(rounded, digits=7))
