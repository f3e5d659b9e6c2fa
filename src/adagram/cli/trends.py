"""`adagram trends`, `change`: senses that rise and fall over time, and words that differ between two periods."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from adagram.analysis.epochs import Dating
from adagram.analysis.trends import TrendOptions
from adagram.api import load
from adagram.cli import options as opt
from adagram.cli.output import log, print_table, report
from adagram.corpus.options import DocumentOptions
from adagram.errors import InputError
from adagram.files.atomic import check_new_file
from adagram.model.sheet import label_of
from adagram.model.storage import check_writable

if TYPE_CHECKING:
    from adagram.model import Model
    from adagram.model.trends import KeptTrends


def trends(
    model: opt.ModelPath,
    corpus: opt.Corpus,
    reading: DocumentOptions,
    dating: Dating,
    testing: TrendOptions,
    top: Annotated[int, Option(min=0, help="Number of senses to list; 0 lists all.")] = 50,
    frequencies: Annotated[
        Path | None, Option(help="Write word, sense, epoch, count, norm to this file (.tsv).", show_default="none")
    ] = None,
    overwrite: opt.OverwriteOption = False,
    resolution: opt.ResolutionOption = "fine",
    raw: opt.RawOption = False,
    wide: opt.WideOption = False,
    json: opt.JsonOption = False,
) -> None:
    """Test which senses rise or fall over time, and rank them by how differently their words are used.

    Example: adagram trends model/ speeches.jsonl --by year --source country

    Senses that change significantly (q up to 0.05) come first. `use` is the part of the change that shows in the
    words directly beside the word; `topic` is the rest, which contexts explain that become more or less frequent
    around other words too. The largest change of use is at the top. Only the first sense of a word is listed;
    --every-sense lists all. Names and numbers are listed with --names. The counts are saved in the model folder
    for `adagram plot trend`, unless --resolution is coarser than fine.
    If the text is sorted by date, train the model with --shuffle; otherwise it hides part of the change.
    """
    from adagram.analysis.frequencies import count_senses
    from adagram.analysis.trends import SIGNIFICANT, find_trends, listed_trends, sparkline, write_frequencies

    opt.check_output(frequencies, model, *corpus)
    if frequencies is not None:
        check_new_file(frequencies, overwrite)
    dating.skip_bad = reading.skip_bad
    testing.check_sources(dating)
    loaded = load(model, raw=raw).at(resolution)
    is_kept = loaded.resolution == 1.0 and _may_keep(loaded)
    with opt.documents_of(corpus, reading, loaded) as documents:
        counted = count_senses(loaded, documents, dating, testing.hard, reading.threads)
    for line in dating.report():
        log(line)
    found = find_trends(loaded, counted, testing)
    listed = listed_trends(found, testing)
    if frequencies is not None:
        write_frequencies(frequencies, loaded, counted, testing.normalise, overwrite)
        report(json, f"frequencies written to {frequencies}", frequencies=frequencies)
    if is_kept:
        ranked = [trend.sense for trend in listed if trend.q <= SIGNIFICANT]
        _may_keep(loaded, counted.to_keep(loaded, ranked))
    epochs = counted.epochs
    significant = sum(trend.q <= SIGNIFICANT for trend in found)
    log(
        f"{counted.documents:,} documents from {epochs[0].name} to {epochs[-1].name}; "
        f"{len(found):,} senses tested, {significant:,} change (q up to 0.05)"
    )
    if counted.names is None:
        log("names are not told apart: the text has no capitals, or too many")
    columns = "word sense label slope p q first last topic use count sources kind series"
    rows = [
        (
            t.sense.rpartition("#")[0], t.sense, label_of(loaded, loaded.row(t.sense)), t.slope, t.p, t.q, t.first,
            t.last, t.topic, t.use, t.count, t.sources, t.kind,
            [None if value != value else value for value in t.series] if json else sparkline(t.series),
        )
        for t in listed[: top or None]
    ]  # fmt: skip
    first = "sense label use q series slope topic last first count p"
    print_table(columns, rows, json, wide=wide, first=first)


def _may_keep(model: Model, counts: KeptTrends | None = None) -> bool:
    """Save the counts, if there are any, for `adagram plot`; if it cannot be done, log why: they are still printed."""
    try:
        check_writable(model)
        if counts and model.folder:
            counts.keep(model.folder)
    except (OSError, InputError) as error:
        log(f"adagram: what is counted is shown, but not kept for adagram plot: {error}")
        return False
    return True


def change(
    model: opt.ModelPath,
    corpus: opt.Corpus,
    reading: DocumentOptions,
    dating: Dating,
    between: Annotated[
        tuple[str, str], Option(help="Two periods, each an epoch (1999) or a range (1946-1970 or 1946..1970).")
    ],
    min_count: Annotated[float, Option(min=1, help="Minimum uses of a word in each period.")] = 50.0,
    top: Annotated[int, Option(min=0, help="Number of words to list; 0 lists all.")] = 50,
    resolution: opt.ResolutionOption = "fine",
    raw: opt.RawOption = False,
    wide: opt.WideOption = False,
    json: opt.JsonOption = False,
) -> None:
    """Compare the use of each word in two periods, the most changed first.

    Example: adagram change model/ speeches.jsonl --by year --between 1946-1970 1995-2022

    The distance is the Jensen-Shannon distance of the word's sense distributions (0 to 1), with a 95 % interval over
    resampled documents, or sources with --source. An interval that begins at 0 contains no change; such words come
    last. Gained and lost are the senses whose shares rose and fell most.
    """
    from adagram.analysis.change import count_periods, find_changes, parse_period

    dating.skip_bad = reading.skip_bad
    periods = (parse_period(between[0], dating.epoch), parse_period(between[1], dating.epoch))
    loaded = load(model, raw=raw).at(resolution)
    with opt.documents_of(corpus, reading, loaded) as documents:
        counts = count_periods(loaded, documents, dating, periods, reading.threads)
    for line in dating.report():
        log(line)
    found = find_changes(loaded, counts, min_count)
    read = (f"{n:,} documents of {period.name}" for n, period in zip(counts.documents, periods, strict=True))
    log(f"{' and '.join(read)}; {len(found):,} words compared")
    columns = "word distance low high before after gained gained_label lost lost_label"
    rows = [
        (
            c.word, c.distance, c.low, c.high, c.before, c.after,
            c.gained, label_of(loaded, loaded.row(c.gained)) if c.gained else "",
            c.lost, label_of(loaded, loaded.row(c.lost)) if c.lost else "",
        )
        for c in found[: top or None]
    ]  # fmt: skip
    first = "word distance gained gained_label lost lost_label low high"
    print_table(columns, rows, json, wide=wide, first=first)
