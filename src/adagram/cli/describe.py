"""`adagram describe`, `examples`, `collocates`, `concordance`: what senses are, in words a person reads."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from adagram.cli.documents import DateField, dates_by, documents_of
from adagram.cli.look import ModelPath, RawOption
from adagram.cli.options import Corpus, takes_groups
from adagram.cli.output import JsonOption, OverwriteOption, ToldAsJson, say, show, tell
from adagram.config import DocumentOptions
from adagram.errors import InputError

if TYPE_CHECKING:
    from adagram.model import Model

Word = Annotated[str, typer.Argument(help="A word of the vocabulary.", show_default=False)]
SenseName = Annotated[
    str, typer.Argument(metavar="WORD#K", help="A sense, such as apple#1.", show_default=False)
]
CorpusOption = Annotated[
    list[str] | None,
    typer.Option("--corpus", help="Look in this corpus (may be repeated).", show_default="the sense sheet"),
]


def register(app: typer.Typer) -> None:
    for command in (describe, examples, collocates, concordance):
        app.command()(command)


@takes_groups(reading=DocumentOptions)
def describe(
    model: ModelPath,
    corpus: Corpus,
    reading: DocumentOptions,
    date: DateField = None,
    per_sense: Annotated[int, typer.Option(min=0, max=8, help="Examples to keep of each sense.")] = 5,
    overwrite: OverwriteOption = False,
    json: ToldAsJson = False,
) -> None:
    """Go once over a corpus and write a sense sheet into the model folder: counts, collocates, examples, a label.

    Example: adagram describe model/ speeches.jsonl --date year

    The sheet, senses.jsonl, has a line of JSON for every sense. Other verbs and the model card show what it says.
    """
    from adagram.api import load_writable
    from adagram.desk.describe import describe as describe_senses
    from adagram.model.display import renew_card
    from adagram.model.storage import CARD

    loaded = load_writable(model, raw=True)
    with documents_of(corpus, reading, loaded) as documents:
        done = describe_senses(
            loaded,
            documents,
            model,
            dates_by(date, reading.skip_bad),
            per_sense,
            reading.threads,
            overwrite,
        )
    try:
        renew_card(load_writable(model), model / CARD)
    except (OSError, InputError) as error:
        say(f"adagram: the sheet is written, but the model card was not renewed: {error}")
    told = f"wrote {done.senses:,} senses to {done.path}; {done.known:,} of {done.words:,} words are known"
    tell(json, told, sheet=done.path, senses=done.senses, words=done.words, known=done.known)


@takes_groups(reading=DocumentOptions)
def examples(
    model: ModelPath,
    word: Word,
    reading: DocumentOptions,
    corpus: CorpusOption = None,
    date: DateField = None,
    per_sense: Annotated[int, typer.Option(min=1, help="Sentences for each sense.")] = 5,
    raw: RawOption = False,
    json: JsonOption = False,
) -> None:
    """Example sentences of each sense of a word, from the sense sheet or from a corpus.

    Example: adagram examples model/ bank --corpus news.txt
    """
    from adagram.api import load
    from adagram.desk.concordance import examples_of

    loaded = load(model, raw=raw)
    if corpus:
        found = _through(
            loaded, word, corpus, reading, date, lambda hits: examples_of(loaded, word, hits, per_sense)
        )
    else:
        sheet = _sheet(loaded, model)
        rows = loaded.rows(word)
        entries = {row: sheet.entry(loaded, row) for row in range(rows.start, rows.stop)}
        found = {row: entry.examples[:per_sense] for row, entry in entries.items() if entry}
    names = {row: loaded.names([row])[0] for row in found}
    lines = [
        (names[row], e.posterior, e.date, e.document, e.text) for row, listed in found.items() for e in listed
    ]
    show(["sense", "posterior", "date", "document", "text"], lines, json)


@takes_groups(reading=DocumentOptions)
def collocates(
    model: ModelPath,
    sense: SenseName,
    reading: DocumentOptions,
    corpus: CorpusOption = None,
    top: Annotated[int, typer.Option(min=1, help="How many.")] = 20,
    raw: RawOption = False,
    json: JsonOption = False,
) -> None:
    """The words that stand around one sense of a word more than around its others.

    Example: adagram collocates model/ 'bank#1'

    Columns: count (uses of the sense with the word around them), of_word (uses of all senses), log-likelihood ratio,
    logDice.
    """
    from adagram.api import load
    from adagram.desk.concordance import collocates_of

    loaded = load(model, raw=raw)
    row = loaded.row(sense)
    if corpus:
        word = loaded.names([row])[0].rpartition("#")[0]
        found = _through(
            loaded, word, corpus, reading, None, lambda hits: collocates_of(loaded, row, hits, top)
        )
    else:
        entry = _sheet(loaded, model).entry(loaded, row)
        found = entry.collocates[:top] if entry else []
    columns = ["collocate", "count", "of_word", "ratio", "dice"]
    show(columns, [(c.word, c.count, c.of_word, c.ratio, c.dice) for c in found], json)


@takes_groups(reading=DocumentOptions)
def concordance(
    model: ModelPath,
    word: Word,
    reading: DocumentOptions,
    corpus: Annotated[list[str], typer.Option("--corpus", help="Where to look (may be repeated).")],
    date: DateField = None,
    width: Annotated[int, typer.Option(min=1, help="Characters on either side.")] = 50,
    raw: RawOption = False,
    json: JsonOption = False,
) -> None:
    """Every use of a word, the keyword in its context, with its sense and the probability of that.

    Example: adagram concordance model/ bank --corpus news.txt | sort -k1,1
    """
    from adagram.api import load
    from adagram.desk.concordance import find_uses

    loaded = load(model, raw=raw)
    with documents_of(corpus, reading, loaded) as documents:
        hits = find_uses(loaded, word, documents, dates_by(date, reading.skip_bad), width)
        columns = ["sense", "probability", "date", "document", "left", "keyword", "right"]
        left = 0 if json else width
        lines = (
            (
                loaded.names([h.row])[0],
                h.probability,
                h.date,
                h.document,
                _flat(h.left).rjust(left),
                h.keyword,
                _flat(h.right),
            )
            for h in hits
        )
        show(columns, lines, json)


def _flat(text: str) -> str:
    return text.replace("\t", " ").replace("\r", " ")


def _sheet(model: Model, folder: Path) -> Any:
    if model.sheet is None:
        raise InputError(f"{folder} has no sense sheet; write one with adagram describe, or name a --corpus")
    return model.sheet


def _through(
    model: Model,
    word: str,
    corpus: list[str],
    reading: DocumentOptions,
    date: str | None,
    use: Callable[[Any], Any],
) -> Any:
    """What `use` makes of all uses of a word in a corpus."""
    from adagram.desk.concordance import find_uses

    with documents_of(corpus, reading, model) as documents:
        return use(find_uses(model, word, documents, dates_by(date, reading.skip_bad)))
