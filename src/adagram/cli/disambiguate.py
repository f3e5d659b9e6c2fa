"""`adagram disambiguate`, `likelihood`, `tag`: use a model on text."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
from typer import Argument, Option

from adagram.api import load
from adagram.cli import options as opt
from adagram.cli.output import log, print_json, print_rows, print_table, report, rounded
from adagram.corpus.decode import stdin_bytes
from adagram.corpus.options import DocumentOptions
from adagram.errors import InputError
from adagram.files.atomic import new_file
from adagram.paper.schedule import thinned

if TYPE_CHECKING:
    from adagram.model import Model

BATCH = 5000  # lines of a stream that are disambiguated together


def disambiguate(
    model: opt.ModelPath,
    word: Annotated[str, Argument(help="A word, or - for lines of word<TAB>context on standard input.")],
    context: Annotated[str | None, Option(help="The text around it, with or without the word.")] = None,
    context_weights: opt.ContextWeightsOption = "kept",
    window: opt.WindowOption = None,
    resolution: opt.ResolutionOption = opt.DEFAULT_RESOLUTION,
    raw: opt.RawOption = False,
    json: opt.JsonOption = False,
) -> None:
    """Print the probability of each sense of a word in a context.

    Example: adagram disambiguate model/ apple --context "new iphone was announced today"

    All words of the context are used. If it contains the word itself ("he sat on the bank of the river"), or a lone _
    in its place, only the window around it is used; of several occurrences, the one nearest to the middle.

    With - every input line gives one output line: word, most probable sense, its probability. An unknown word gives an
    empty sense. On a terminal each line is answered at once.
    """
    loaded = load(model, raw).at(resolution).using(context_weights, window)
    if word == "-":
        lines, at_once = stdin_bytes(), BATCH
        if lines.isatty():
            log("type a word, a tab and its context; Ctrl-D ends")
            at_once = 1
        _stream(loaded, lines, json, at_once)
        return
    if context is None:
        raise InputError("give the words around it with --context, or - to read word<TAB>context lines")
    posterior = loaded.disambiguate(word, context)
    if not posterior.known:
        log("the model knows no word of the context; these are the priors")
    print_table("sense probability", list(zip(posterior.names, posterior.tolist(), strict=True)), json)


def _stream(model: Model, lines: Iterable[bytes], as_json: bool, size: int) -> None:
    numbered, first = enumerate(lines, 1), True
    while pairs := [_split(number, line) for number, line in islice(numbered, size)]:
        known = [
            i for i, (word, _) in enumerate(pairs) if word in model.vocabulary or ("#" not in word and word in model)
        ]
        posteriors = model.disambiguate_batch([pairs[i][0] for i in known], [pairs[i][1] for i in known])
        rows: list[tuple[str, str, float]] = [(word, "", 0.0) for word, _ in pairs]
        for i, posterior in zip(known, posteriors, strict=True):
            rows[i] = (pairs[i][0], posterior.best, float(posterior.max()))
        if as_json or first:
            print_table("word sense probability", rows, as_json)
        else:
            print_rows(rows)
        sys.stdout.flush()
        first = False


def _split(number: int, line: bytes) -> tuple[str, str]:
    try:
        word, tab, context = line.decode("utf-8-sig").rstrip("\r\n").partition("\t")
    except UnicodeDecodeError as error:
        raise InputError(f"line {number} of the input is not UTF-8 ({error.reason}); convert it first") from None
    if not tab:
        raise InputError(f"line {number} of the input has no tab; expected word<TAB>context")
    return word, context


def likelihood(
    model: opt.ModelPath,
    text: opt.Texts,
    reading: DocumentOptions,
    raw: opt.RawOption = False,
    json: opt.JsonOption = False,
) -> None:
    """Print the posterior predictive log-likelihood of a text (Eq. 9), in nats per context word and per context.

    Example: adagram likelihood model/ heldout.txt

    If training dropped frequent words (--subsample), as_trained is of the text without such words. Compare models by
    it, and only models with one vocabulary, window and subsampling.
    """
    from adagram.corpus.readers import ids_of_text

    loaded = load(model, raw)
    with opt.documents_of(text, reading, loaded) as documents:
        known, seen = ids_of_text(documents, loaded.info, loaded.vocabulary)
    result = loaded.predictor.likelihood(known)
    log(f"{len(known)} of {seen} words are in the vocabulary; the others were left out")
    kept = thinned(known, np.asarray(loaded.vocabulary.counts), loaded.config.subsample)
    rows: list[tuple[str, float]] = []
    if 1 < len(kept) < len(known):
        rows = [("as_trained_per_context_word", loaded.predictor.likelihood(kept).per_word)]
    rows += [
        ("log_likelihood_per_context_word", result.per_word),
        ("log_likelihood_per_context", result.per_context),
        ("words", result.words),
        ("context_words", result.contexts),
    ]
    # Models differ in the fourth decimal.
    print_table("measure value", rows, json, partial(rounded, digits=7))


def tag(
    model: opt.ModelPath,
    text: opt.Texts,
    reading: DocumentOptions,
    output: Annotated[Path | None, Option("--output", "-o", help="A file (default: standard output).")] = None,
    min_probability: Annotated[
        float, Option(min=0, max=1, help="Leave a word untagged if no sense is this probable.")
    ] = 0.0,
    context_weights: opt.ContextWeightsOption = "kept",
    window: opt.WindowOption = None,
    resolution: opt.ResolutionOption = "fine",
    raw: opt.RawOption = False,
    overwrite: opt.OverwriteOption = False,
    json: Annotated[
        bool, Option("--json", help="Print a line of JSON per line of text; with --output only the totals.")
    ] = False,
) -> None:
    """Rewrite a corpus with sense-tagged words: apple#1 for the second sense of apple.

    Example: adagram tag model/ corpus.txt.gz --min-probability 0.6 --output tagged.txt

    TEXT is read as the model's training text was. Each line gives one line of words separated by spaces. Unknown words
    stay untagged. The context of a word does not cross lines.
    """
    from adagram.analysis.tag import may_wait, tag_documents

    opt.check_output(output, model, *text)
    if sys.stderr.isatty():
        log("tagging (the first run compiles for a few seconds)")
    loaded = load(model, raw).at(resolution).using(context_weights, window)
    with opt.documents_of(text, reading, loaded, is_live=True) as documents, _writer(output, overwrite, json) as write:
        tally = tag_documents(loaded, documents, write, min_probability, reading.threads, may_wait(text))
    bare = f"{tally.unknown:,} that the model does not know"
    if min_probability > 0:
        bare += f" and {tally.unsure:,} without a sense of probability {min_probability:g}"
    told = f"tagged {tally.tagged:,} of {tally.words:,} words; left bare: {bare}"
    report(json and output is not None, told, output=output, **asdict(tally))


@contextmanager
def _writer(output: Path | None, overwrite: bool, as_json: bool) -> Iterator[Callable[[bytes], object]]:
    """Yield a function that writes the tagged text to a new file or to standard output."""
    if output is not None:
        with new_file(output, overwrite) as made, open(made, "wb") as file:
            yield file.write
        return
    begun = b""  # of a long line, which comes in several pieces

    def write(data: bytes) -> None:
        nonlocal begun
        if not as_json:
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
            return
        *lines, begun = (begun + data).split(b"\n")
        for line in lines:
            print_json([("tagged", line.decode("utf-8"))])

    yield write
