"""`adagram describe`, `examples`, `collocates`, `concordance`, `merge`, `label`, `hide`, `undo`: an editor's work."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from adagram.api import load, load_writable
from adagram.cli import options as opt
from adagram.cli.output import log, print_table, report
from adagram.corpus.options import DocumentOptions
from adagram.errors import InputError
from adagram.model.display import renew_card
from adagram.model.sheet import entry_of
from adagram.model.storage import CARD, JOURNAL

if TYPE_CHECKING:
    from adagram.analysis.concordance import Hit
    from adagram.model import Model

CorpusOption = Annotated[
    list[str] | None, Option("--corpus", help="Look in this corpus (may be repeated).", show_default="the sense sheet")
]


def describe(
    model: opt.ModelPath,
    corpus: opt.Corpus,
    reading: DocumentOptions,
    date: opt.DateField = None,
    per_sense: Annotated[int, Option(min=0, max=8, help="Examples to keep of each sense.")] = 5,
    overwrite: opt.OverwriteOption = False,
    json: opt.ReportJson = False,
) -> None:
    """Write a sense sheet into the model folder: counts, collocates, examples and a label of each sense.

    Example: adagram describe model/ speeches.jsonl --date year

    The sheet, senses.jsonl, has a line of JSON for every sense. Other verbs and the model card show it.
    """
    from adagram.analysis.describe import describe as describe_senses

    loaded = load_writable(model, raw=True)
    with opt.documents_of(corpus, reading, loaded) as documents:
        done = describe_senses(
            loaded, documents, model, opt.dates_by(date, reading.skip_bad), per_sense, reading.threads, overwrite
        )
    try:
        renew_card(load_writable(model), model / CARD)
    except (OSError, InputError) as error:
        log(f"adagram: the sheet is written, but the model card was not renewed: {error}")
    told = f"wrote {done.senses:,} senses to {done.path}; {done.known:,} of {done.words:,} words are known"
    report(json, told, sheet=done.path, senses=done.senses, words=done.words, known=done.known)


def examples(
    model: opt.ModelPath,
    word: opt.Word,
    reading: DocumentOptions,
    corpus: CorpusOption = None,
    date: opt.DateField = None,
    per_sense: Annotated[int, Option(min=1, help="Sentences for each sense.")] = 5,
    resolution: opt.ResolutionOption = opt.DEFAULT_RESOLUTION,
    raw: opt.RawOption = False,
    wide: opt.WideOption = False,
    json: opt.JsonOption = False,
) -> None:
    """Print example sentences of each sense of a word, from the sense sheet or from a corpus.

    Example: adagram examples model/ bank --corpus news.txt
    """
    from adagram.analysis.concordance import examples_of

    loaded = load(model, raw).at(resolution)
    if corpus:
        found = examples_of(loaded, word, _uses(loaded, word, corpus, reading, date), per_sense)
    else:
        rows = loaded.rows(word)
        _check_sheet(loaded, model)
        found = {row: entry_of(loaded, row).examples[:per_sense] for row in range(rows.start, rows.stop)}
    lines = [
        (loaded.names([row])[0], e.posterior, e.date, e.document, e.text)
        for row, listed in found.items()
        for e in listed
    ]
    print_table("sense posterior date document text", lines, json, wide=wide, first="sense text date posterior")


def collocates(
    model: opt.ModelPath,
    sense: opt.SenseName,
    reading: DocumentOptions,
    corpus: CorpusOption = None,
    top: Annotated[int, Option(min=1, help="How many.")] = 20,
    resolution: opt.ResolutionOption = opt.DEFAULT_RESOLUTION,
    raw: opt.RawOption = False,
    wide: opt.WideOption = False,
    json: opt.JsonOption = False,
) -> None:
    """Print the words that occur around one sense of a word more often than around its others.

    Example: adagram collocates model/ 'bank#1'

    Columns: count (uses of the sense with the collocate around them), of_word (the same for all senses),
    log-likelihood ratio, logDice.
    """
    from adagram.analysis.concordance import collocates_of

    loaded = load(model, raw).at(resolution)
    row = loaded.row(sense)
    if corpus:
        word = loaded.names([row])[0].rpartition("#")[0]
        found = collocates_of(loaded, row, _uses(loaded, word, corpus, reading, None), top)
    else:
        _check_sheet(loaded, model)
        found = entry_of(loaded, row).collocates[:top]
    rows = [(c.word, c.count, c.of_word, c.ratio, c.dice) for c in found]
    print_table("collocate count of_word ratio dice", rows, json, wide=wide)


def concordance(
    model: opt.ModelPath,
    word: opt.Word,
    reading: DocumentOptions,
    corpus: Annotated[list[str], Option("--corpus", help="Look in this corpus (may be repeated).")],
    date: opt.DateField = None,
    width: Annotated[int, Option(min=1, help="Characters on either side.")] = 50,
    resolution: opt.ResolutionOption = opt.DEFAULT_RESOLUTION,
    raw: opt.RawOption = False,
    wide: opt.WideOption = False,
    json: opt.JsonOption = False,
) -> None:
    """Print every use of a word as a keyword in context, with its sense and the sense's probability.

    Example: adagram concordance model/ bank --corpus news.txt | sort -k1,1
    """
    loaded = load(model, raw).at(resolution)
    if sys.stdout.isatty() and not (json or wide):
        beside = max(5, len(word) + 3) + max(7, len(word)) + 6 + 12 * bool(date)
        width = min(width, max(10, (shutil.get_terminal_size().columns - beside) // 2))
    lines = (
        (
            *(loaded.names([use.row])[0], use.probability, use.date, use.document),
            *(_flat(use.left).rjust(0 if json else width), use.keyword, _flat(use.right)),
        )
        for use in _uses(loaded, word, corpus, reading, date, width)
    )
    columns = "sense probability date document left keyword right"
    print_table(columns, lines, json, wide=wide, first="sense left keyword right date probability")


def _flat(text: str) -> str:
    return text.replace("\t", " ").replace("\r", " ")


def _check_sheet(model: Model, folder: Path) -> None:
    if model.sheet is None:
        raise InputError(f"{folder} has no sense sheet; write one with adagram describe, or name a --corpus")


def _uses(
    model: Model, word: str, corpus: list[str], reading: DocumentOptions, date: str | None, width: int = 60
) -> Iterator[Hit]:
    """Yield all uses of a word in a corpus."""
    from adagram.analysis.concordance import find_uses

    with opt.documents_of(corpus, reading, model) as documents:
        yield from find_uses(model, word, documents, opt.dates_by(date, reading.skip_bad), width)


def merge(
    model: opt.ModelPath,
    word: Annotated[str | None, Argument(help="A word.")] = None,
    numbers: Annotated[list[int] | None, Argument(metavar="K K…", help="Numbers of the senses to merge.")] = None,
    suggest: Annotated[bool, Option("--suggest", help="List similar senses; merge none.")] = False,
    top: Annotated[int, Option(min=1, help="Number of suggestions.")] = 20,
    json: opt.JsonOption = False,
) -> None:
    """Merge senses of a word: posteriors and counts are summed, the vector is their weighted mean.

    Example: adagram merge model/ bank 0 2 3

    The vectors stay as they were learned, and `adagram undo` reverts the merge. All sense numbers remain valid.
    """
    if suggest:
        from adagram.analysis.describe import suggest_merges

        found = suggest_merges(load(model), top, word)
        rows = [(s.word, f"{s.first} {s.second}", s.cosine, ", ".join(s.shared)) for s in found]
        print_table("word senses cosine shared", rows, json)
        return
    if word is None or not numbers:
        raise InputError("name a word and two or more numbers of its senses, or ask with --suggest")
    _decide(model, f"merge {word} {' '.join(map(str, numbers))}", json)


def label(
    model: opt.ModelPath,
    sense: opt.SenseName,
    text: Annotated[str, Argument(help="The label, a few words.")],
    json: opt.ReportJson = False,
) -> None:
    """Give a sense a label, which replaces that of the sense sheet.

    Example: adagram label model/ 'bank#1' "side of a river"
    """
    _decide(model, f"label {sense} {text}", json)


def hide(model: opt.ModelPath, sense: opt.SenseName, json: opt.ReportJson = False) -> None:
    """Hide a sense, as if it had not been learned: its uses go to the word's other senses.

    Example: adagram hide model/ 'rock#5'
    """
    _decide(model, f"hide {sense}", json)


def undo(model: opt.ModelPath, json: opt.ReportJson = False) -> None:
    """Revert the last merge, label or hide that is in force.

    Example: adagram undo model/
    """
    _decide(model, "undo", json)


def _decide(folder: Path, line: str, as_json: bool) -> None:
    load_writable(folder).decide(line)
    report(as_json, f"{folder / JOURNAL}: {line}", journal=folder / JOURNAL, decision=line)
