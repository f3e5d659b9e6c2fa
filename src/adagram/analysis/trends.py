"""Find senses that rise and fall over time: test the series of every sense, and rank them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adagram.analysis.epochs import Dating
from adagram.analysis.frequencies import Frequencies, Sources
from adagram.analysis.topics import change_parts
from adagram.analysis.trend_tests import benjamini_hochberg, least_squares, mann_kendall
from adagram.errors import InputError, need
from adagram.files.atomic import new_file
from adagram.model import Model
from adagram.model.trends import NORMALISATIONS, normalise
from adagram.options import Flag, FloatRange, IntRange, OneOf, check_options, option
from adagram.types import Floats

TESTS = {"mann-kendall": mann_kendall, "ols": least_squares}
SIGNIFICANT = 0.05
MIN_CARRIED = 0.5  # a source that makes up a larger part of a trend carries it
COLUMNS = ("word", "sense", "epoch", "count", "norm")
_SOURCES_AT_ONCE, _ROWS_AT_ONCE = 1024, 100_000  # handled together, to bound the memory
_BARS = "▁▂▃▄▅▆▇█"
_TEST = "Testing"


@dataclass(frozen=True)
class TrendOptions:
    """What is counted, and how it is tested."""

    normalise: str = option(
        "relative",
        OneOf(NORMALISATIONS),
        "relative: share among the word's senses; epoch: against the sense's own mean; global: against the word's.",
        _TEST,
    )
    test: str = option("mann-kendall", OneOf(tuple(TESTS)), "mann-kendall (Theil-Sen slope) or ols.", _TEST)
    min_count: float = option(100.0, FloatRange(0, 1e15), "Occurrences of a sense that is tested.", _TEST)
    min_sources: int = option(1, IntRange(1, 10**9), "Sources that it occurs in; needs --source.", _TEST)
    min_epochs: float = option(0.5, FloatRange(0, 1), "Part of the epochs in which its word occurs.", _TEST)
    hard: bool = option(False, Flag("--hard"), "Count the likeliest sense only, not posteriors.", _TEST)
    equal_sources: bool = option(
        False,
        Flag("--equal-sources"),
        "All sources of an epoch weigh the same; needs --source (reads the corpus twice).",
        _TEST,
    )
    every_sense: bool = option(
        False, Flag("--every-sense"), "List all senses of a word, not only the first.", _TEST
    )
    names: bool = option(False, Flag("--names"), "List names and numbers too.", _TEST)

    def __post_init__(self) -> None:
        check_options(self)

    def check_sources(self, dating: Dating) -> None:
        """Refuse a minimum number of sources if none are named."""
        if self.min_sources > 1 and dating.source is None:
            raise InputError(
                f"--min-sources is {self.min_sources}, but no sources are named; give their field as --source"
            )


@dataclass(frozen=True)
class SenseTrend:
    """The trend of a sense; `first` and `last` are its means over the first and last fifth of its epochs.

    topic + use = last - first.
    """

    sense: str
    slope: float  # change per year of the normalised frequency
    p: float
    q: float  # p corrected for the number of senses tested
    first: float
    last: float
    topic: float  # what is explained by its contexts, or shows in them only
    use: float  # the rest, which shows in the words directly beside it
    count: float
    series: list[float]  # NaN if the word does not occur
    sources: int  # in which it occurs; 0 if none were named
    carried_by: str  # a source without which less than half of the trend would be left
    kind: str  # name, number or nothing


def find_trends(model: Model, frequencies: Frequencies, options: TrendOptions) -> list[SenseTrend]:
    """All senses that can be tested: those that change significantly first, by falling change of use."""
    epochs = frequencies.epochs
    if len(epochs) < 3:
        found = " and ".join(epoch.name for epoch in epochs)
        raise InputError(
            f"all documents fall into {len(epochs)} epoch(s), {found}; a trend needs three or more: "
            "take a shorter --epoch or more text"
        )
    series = normalise(options.normalise, frequencies.counts, frequencies.words, model.offsets)
    tested = testable(model, frequencies, options)
    slope, p = TESTS[options.test](frequencies.times, series[tested])
    q = benjamini_hochberg(p)
    n_sources, carried = _sources(model, frequencies.sources, tested, options)
    first, last = _first_fifth(series[tested]), _first_fifth(series[tested, ::-1])
    use = _use(model, frequencies, options.normalise, series[tested], tested)
    counts = frequencies.counts[tested].sum(axis=1)
    names = model.names(tested)
    is_name = np.zeros(len(model.offsets), bool) if frequencies.names is None else frequencies.names
    kinds = map(kind_of, names, is_name[_word_of(model, tested)].tolist())
    numbers = (slope, p, q, first, last, last - first - use, use, counts, series[tested], n_sources)
    columns = (names, *(column.tolist() for column in numbers), carried, kinds)
    trends = [SenseTrend(*values) for values in zip(*columns, strict=True)]
    order = np.lexsort((-np.abs(np.nan_to_num(use)), ~(q <= SIGNIFICANT)))
    return [trends[i] for i in order if np.isfinite(p[i])]


def _word_of(model: Model, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.asarray(np.searchsorted(model.offsets, rows, side="right") - 1)


def kind_of(word: str, is_name: bool) -> str:
    """Return `number` for a word that begins with a digit, `name`, or nothing.

    >>> kind_of("1990s", False), kind_of("ottawa", True), kind_of("green", False)
    ('number', 'name', '')
    """
    return "number" if word[:1].isdecimal() else "name" if is_name else ""


def _use(
    model: Model, frequencies: Frequencies, how: str, series: Floats, tested: NDArray[np.int64]
) -> Floats:
    """How much of the change from the first to the last fifth is of use: all of it if no contexts were kept."""
    change = _first_fifth(series[:, ::-1]) - _first_fifth(series)
    if frequencies.contexts is None:
        return change
    parts = change_parts(model, frequencies, np.unique(_word_of(model, tested)))
    expected = normalise(how, parts.expected, frequencies.words, model.offsets)[tested]
    expected[~np.isfinite(series)] = np.nan
    explained = _first_fifth(expected[:, ::-1]) - _first_fifth(expected)
    return np.asarray(parts.distinct[tested] * (change - explained))


def testable(model: Model, frequencies: Frequencies, options: TrendOptions) -> NDArray[np.int64]:
    """Rows of the senses with enough occurrences; a share is tested only if the word has another sense."""
    enough = frequencies.counts.sum(axis=1) >= options.min_count
    sizes = np.diff(model.offsets)
    of_word = np.add.reduceat(frequencies.counts, model.offsets[:-1], axis=0)  # (n_words, n_epochs)
    enough &= np.repeat((of_word >= 1.0).mean(axis=1) >= options.min_epochs, sizes)
    if options.normalise == "relative":
        enough &= np.repeat(sizes > 1, sizes)
    if options.min_sources > 1 and frequencies.sources is None:
        raise InputError(
            f"min_sources is {options.min_sources}, but no sources were counted; give Dating a source"
        )
    if frequencies.sources:
        enough &= (frequencies.sources.counts > 0.5).sum(axis=0) >= options.min_sources
    if not enough.any():
        raise InputError(
            f"no sense occurs {options.min_count:g} times, in {options.min_sources} or more sources and "
            f"{options.min_epochs:.0%} of the epochs; lower --min-count, --min-sources or --min-epochs"
        )
    return np.flatnonzero(enough)


def _sources(
    model: Model, sources: Sources | None, tested: NDArray[np.int64], options: TrendOptions
) -> tuple[NDArray[np.int64], list[str]]:
    """In how many sources each tested sense occurs, and which of them carries its trend, if one does."""
    if sources is None:
        return np.zeros(len(tested), np.int64), [""] * len(tested)
    carried: list[str] = []
    for start in range(0, len(tested), _SOURCES_AT_ONCE):
        part = tested[start : start + _SOURCES_AT_ONCE]
        score = source_scores(model, sources, part, options.normalise == "relative")
        total = score.sum(axis=0)
        share = np.divide(score, total, out=np.zeros_like(score), where=total != 0)
        for s, most in zip(share.argmax(axis=0).tolist(), share.max(axis=0).tolist(), strict=True):
            carried.append(sources.names[s] if most > MIN_CARRIED and len(sources.names) > 1 else "")
    return (sources.counts[:, tested] > 0.5).sum(axis=0), carried


def source_scores(model: Model, sources: Sources, tested: NDArray[np.int64], is_share: bool) -> Floats:
    """What each source adds to a trend, (n_sources, n_tested): Σ_d (f_d - r n_d)(t_d - t̄) over its documents d.

    The sum over all sources is the score statistic of a constant rate r against one that changes with time t; n_d is
    the number of words of the document, or with `is_share` of uses of the word.
    """
    f = sources.counts[:, tested].astype(np.float64)
    ft = sources.moments[:, tested].astype(np.float64)
    if is_share:
        words = _word_of(model, tested)
        n, nt = (_of_words(model, moment, words) for moment in (sources.counts, sources.moments))
    else:
        n, nt = sources.words[:, None], sources.word_moments[:, None]
    rate = f.sum(axis=0) / np.maximum(n.sum(axis=0), 1e-12)
    middle = nt.sum(axis=0) / np.maximum(n.sum(axis=0), 1e-12)
    return np.asarray((ft - middle * f) - rate * (nt - middle * n))


def _of_words(model: Model, values: NDArray[np.float32], words: NDArray[np.int64]) -> Floats:
    """Sums over the senses of some words in ascending order, (n_sources, len(words)), which may be repeated."""
    begin, end = model.offsets[words[0]], model.offsets[words[-1] + 1]
    starts = model.offsets[words[0] : words[-1] + 1] - begin
    sums = np.add.reduceat(values[:, begin:end], starts, axis=1, dtype=np.float64)
    return np.asarray(sums[:, words - words[0]])


def _first_fifth(series: Floats) -> Floats:
    """The mean of the first fifth of the known values of each series."""
    known = np.isfinite(series)
    wanted = np.maximum(1, known.sum(axis=1) // 5)
    chosen = known & (known.cumsum(axis=1) <= wanted[:, None])
    return np.asarray(np.where(chosen, series, 0.0).sum(axis=1) / np.maximum(chosen.sum(axis=1), 1))


def sparkline(series: list[float], width: int = 16) -> str:
    """Return a series as a few characters on a scale from zero, with a gap if nothing is known.

    >>> sparkline([0, 1, 2, 3, float("nan"), 7]), sparkline([6, 7])
    ('▁▂▃▄ █', '▇█')
    """
    parts = [part[np.isfinite(part)] for part in np.array_split(np.array(series), min(width, len(series)))]
    means = [float(part.mean()) if len(part) else None for part in parts]
    known = [mean for mean in means if mean is not None]
    scale = (len(_BARS) - 1) / max(max(known, default=0.0), 1e-12)
    return "".join(" " if mean is None else _BARS[round(mean * scale)] for mean in means)


def write_frequencies(
    path: Path, model: Model, frequencies: Frequencies, how: str, overwrite: bool = False
) -> None:
    """Write a row per sense and epoch in which it occurs: .parquet, or .tsv or .txt for tab-separated text."""
    suffix = path.suffix.lower()
    if suffix not in (".parquet", ".tsv", ".txt"):
        raise InputError(f"{path}: frequencies are written as .tsv or .parquet")
    norms = normalise(how, frequencies.counts, frequencies.words, model.offsets)
    names, epochs = model.names(slice(0, model.n_senses)), [epoch.name for epoch in frequencies.epochs]

    def rows() -> Iterator[tuple[Any, ...]]:
        for sense, counts, norm in zip(names, frequencies.counts, norms, strict=True):
            for e in np.flatnonzero(counts > 0).tolist():
                yield sense.rpartition("#")[0], sense, epochs[e], round(counts[e], 3), round(norm[e], 6)

    with new_file(path, overwrite) as made:
        (_write_parquet if suffix == ".parquet" else _write_tsv)(made, rows())


def _write_tsv(path: Path, rows: Iterator[tuple[Any, ...]]) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.writelines("\t".join(map(str, row)) + "\n" for row in chain([COLUMNS], rows))


def _write_parquet(path: Path, rows: Iterator[tuple[Any, ...]]) -> None:
    pa = need("pyarrow", "parquet", "a table of frequencies in parquet")
    parquet = need("pyarrow.parquet", "parquet", "a table of frequencies in parquet")
    kinds = (pa.string(), pa.string(), pa.string(), pa.float64(), pa.float64())
    schema = pa.schema(list(zip(COLUMNS, kinds, strict=True)))
    with parquet.ParquetWriter(path, schema) as writer:
        while chunk := list(islice(rows, _ROWS_AT_ONCE)):
            columns = zip(zip(*chunk, strict=True), kinds, strict=True)
            arrays = [pa.array(column, kind) for column, kind in columns]
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))
