"""`adagram trends` and `change`: which senses rise and fall over time, and which words differ between two periods."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from adagram.cli.documents import documents_of
from adagram.cli.look import ModelPath, RawOption
from adagram.cli.options import Corpus, takes_groups
from adagram.cli.output import JsonOption, OverwriteOption, say, show, tell
from adagram.config import DocumentOptions
from adagram.desk.options import DatingOptions, TestingOptions
from adagram.errors import InputError
from adagram.model.model import check_writable

if TYPE_CHECKING:
    from adagram.desk.trends import SenseTrend
    from adagram.model import Model


def register(app: typer.Typer) -> None:
    app.command()(trends)
    app.command()(change)


@takes_groups(reading=DocumentOptions, dates=DatingOptions, testing=TestingOptions)
def trends(
    model: ModelPath,
    corpus: Corpus,
    reading: DocumentOptions,
    dates: DatingOptions,
    testing: TestingOptions,
    top: Annotated[int, typer.Option(min=0, help="How many senses to list; 0 lists all.")] = 50,
    frequencies: Annotated[
        Path | None,
        typer.Option(
            help="Write word, sense, epoch, count, norm to this file (.tsv or .parquet).", show_default="none"
        ),
    ] = None,
    overwrite: OverwriteOption = False,
    raw: RawOption = False,
    json: JsonOption = False,
) -> None:
    """Which senses rise and fall over the years: frequencies per epoch in one pass, each sense tested, ranked.

    Example: adagram trends model/ speeches.jsonl --by year --source country

    Senses that change significantly (q up to 0.05) come first, the steepest at the top. Of a word's senses the
    steepest is listed; --every-sense lists all. What was counted stays in the model folder for `adagram plot trend`.
    A model of text that is sorted by date should be trained with --shuffle, or it hides part of the change.
    """
    from adagram.api import load
    from adagram.desk.counting import count_senses, equal_weights
    from adagram.desk.tables import write_frequencies
    from adagram.desk.trends import find_trends
    from adagram.whole import check_new_file

    if frequencies is not None:
        check_new_file(frequencies, overwrite)
    dating = dates.dating(reading.skip_bad)
    testing.check_sources(dating)
    loaded = load(model, raw=raw)
    is_kept = _may_keep(lambda: check_writable(loaded))
    weights = None
    if testing.equal_sources:
        with documents_of(corpus, reading, loaded) as documents:
            weights = equal_weights(documents, dating)
    with documents_of(corpus, reading, loaded) as documents:
        counted = count_senses(loaded, documents, dating, testing.hard, weights, reading.threads)
    for line in dating.report():
        say(line)
    found = find_trends(loaded, counted, testing.options)
    if frequencies is not None:
        write_frequencies(frequencies, loaded, counted, testing.normalise, overwrite)
        tell(json, f"frequencies written to {frequencies}", frequencies=frequencies)
    if is_kept:
        _may_keep(lambda: counted.to_keep(loaded).keep_with(loaded))
    epochs = counted.epochs
    significant = sum(trend.q <= 0.05 for trend in found)
    say(
        f"{counted.documents:,} documents from {epochs[0].name} to {epochs[-1].name}; "
        f"{len(found):,} senses tested, {significant:,} change (q up to 0.05)"
    )
    listed = found if testing.every_sense else _steepest(found)
    _show_trends(loaded, listed[: top or None], json)


def _may_keep(keep: Callable[[], None]) -> bool:
    """Try to keep the counts; if that cannot be, say so and go on: they are shown all the same."""
    try:
        keep()
    except (OSError, InputError) as error:
        say(f"adagram: what is counted is shown, but not kept for adagram plot: {error}")
        return False
    return True


def _steepest(found: list[SenseTrend]) -> list[SenseTrend]:
    """One sense of each word: with two senses, one share rises as the other falls."""
    first: dict[str, SenseTrend] = {}
    for trend in found:
        first.setdefault(trend.sense.rpartition("#")[0], trend)
    return list(first.values())


def _show_trends(model: Model, listed: list[SenseTrend], as_json: bool) -> None:
    from adagram.desk.trends import sparkline

    columns = [
        "word",
        "sense",
        "label",
        "slope",
        "p",
        "q",
        "first",
        "last",
        "count",
        "sources",
        "carried_by",
        "series",
    ]
    rows = [
        (
            t.sense.rpartition("#")[0],
            t.sense,
            model.label(model.row(t.sense)),
            t.slope,
            t.p,
            t.q,
            t.first,
            t.last,
            t.count,
            t.sources,
            t.carried_by,
            [None if value != value else value for value in t.series] if as_json else sparkline(t.series),
        )
        for t in listed
    ]
    show(columns, rows, as_json)


@takes_groups(reading=DocumentOptions, dates=DatingOptions)
def change(
    model: ModelPath,
    corpus: Corpus,
    reading: DocumentOptions,
    dates: DatingOptions,
    between: Annotated[
        tuple[str, str],
        typer.Option(
            help="Two periods, each an epoch (1999) or a range (1946-1970 or 1946..1970).", show_default=False
        ),
    ],
    min_count: Annotated[float, typer.Option(min=1, help="Uses of a word in both periods.")] = 50.0,
    top: Annotated[int, typer.Option(min=0, help="How many words to list; 0 lists all.")] = 50,
    raw: RawOption = False,
    json: JsonOption = False,
) -> None:
    """How much the use of each word differs between two periods, the most changed first.

    Example: adagram change model/ speeches.jsonl --by year --between 1946-1970 1995-2022

    The distance is the Jensen-Shannon distance of the word's sense distributions (0 to 1), with a 95 % interval over
    resampled documents; gained and lost are the senses whose shares rose and fell most.
    """
    from adagram.api import load
    from adagram.desk.change import count_periods, find_changes, parse_period

    dating = dates.dating(reading.skip_bad)
    periods = (parse_period(between[0], dates.epoch), parse_period(between[1], dates.epoch))
    loaded = load(model, raw=raw)
    with documents_of(corpus, reading, loaded) as documents:
        counts = count_periods(loaded, documents, dating, periods, reading.threads)
    for line in dating.report():
        say(line)
    found = find_changes(loaded, counts, min_count)
    read = (f"{n:,} documents of {period.name}" for n, period in zip(counts.documents, periods, strict=True))
    say(f"{' and '.join(read)}; {len(found):,} words compared")
    columns = [
        "word",
        "distance",
        "low",
        "high",
        "before",
        "after",
        "gained",
        "gained_label",
        "lost",
        "lost_label",
    ]
    rows = [
        (
            c.word, c.distance, c.low, c.high, c.before, c.after,
            c.gained, loaded.label(loaded.row(c.gained)) if c.gained else "",
            c.lost, loaded.label(loaded.row(c.lost)) if c.lost else "",
        )
        for c in found[: top or None]
    ]  # fmt: skip
    show(columns, rows, json)
