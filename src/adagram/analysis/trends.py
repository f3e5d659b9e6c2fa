"""Find senses that rise and fall over time: test the series of every sense, and rank them.

A change of topic is told from a change of use, in a random sample of the uses of each sense.

Topic. A word is used in contexts C. Suppose that it is as likely in a context as ever, and only the contexts become
more or less frequent around all other words. Then a use in context C belongs to epoch e with P(e | C), and
sense k is expected Σ_u P(e | C_u) times in e, over all its uses u. (Standardisation; DiNardo, Fortin and Lemieux 1996.)

Use. What a word is used for shows in the words directly beside it. If they tell sense k from the word's other senses
with p(k | neighbours), then the share of k that they show changes by d_k times the share's change, with
d_k = E[p(k | neighbours) | k] - E[p(k | neighbours) | not k].
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from adagram.analysis.epochs import Dating
from adagram.analysis.frequencies import Contexts, Frequencies
from adagram.analysis.trend_tests import benjamini_hochberg, least_squares, mann_kendall
from adagram.errors import InputError
from adagram.files.atomic import new_file
from adagram.model import Model
from adagram.model.trends import NORMALISATIONS, normalise
from adagram.options import Flag, FloatRange, IntRange, OneOf, check_options, option
from adagram.types import Floats

TESTS = {"mann-kendall": mann_kendall, "ols": least_squares}
SIGNIFICANT = 0.05
COLUMNS = ("word", "sense", "epoch", "count", "norm")
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
    every_sense: bool = option(False, Flag("--every-sense"), "List all senses of a word, not only the first.", _TEST)
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
    n_sources = np.zeros(len(tested), np.int64) if frequencies.sources is None else frequencies.sources[tested]
    first, last = first_and_last(series[tested])
    use = _use(model, frequencies, options.normalise, series[tested], tested)
    counts = frequencies.counts[tested].sum(axis=1)
    names = model.names(tested)
    is_name = np.zeros(len(model.offsets), bool) if frequencies.names is None else frequencies.names
    kinds = map(kind_of, names, is_name[_word_of(model, tested)].tolist())
    numbers = (slope, p, q, first, last, last - first - use, use, counts, series[tested], n_sources)
    columns = (names, *(column.tolist() for column in numbers), kinds)
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


def listed_trends(found: list[SenseTrend], options: TrendOptions) -> list[SenseTrend]:
    """Leave out names and numbers, and all but the first sense of each word, unless the options ask for them.

    With two senses, one share rises as the other falls.
    """
    listed = [trend for trend in found if options.names or not trend.kind]
    if options.every_sense:
        return listed
    first: dict[str, SenseTrend] = {}
    for trend in listed:
        first.setdefault(trend.sense.rpartition("#")[0], trend)
    return list(first.values())


def _use(model: Model, frequencies: Frequencies, how: str, series: Floats, tested: NDArray[np.int64]) -> Floats:
    """How much of the change from the first to the last fifth is of use: all of it if no contexts were kept."""
    first, last = first_and_last(series)
    change = last - first
    if frequencies.contexts is None:
        return change
    parts = change_parts(model, frequencies, np.unique(_word_of(model, tested)))
    expected = normalise(how, parts.expected, frequencies.words, model.offsets)[tested]
    expected[~np.isfinite(series)] = np.nan
    first, last = first_and_last(expected)
    return np.asarray(parts.distinct[tested] * (change - (last - first)))


RARE = 5.0  # pseudo-uses of a context word in an epoch, at its mean rate
FEW = 20.0  # pseudo-uses of a sense's neighbours, as they stand beside the word
_POWERS = np.linspace(0.05, 1.0, 20)
_N_FITTED = 300  # words whose contexts choose the power


class Parts(NamedTuple):
    """For the senses of some words; NaN for other words."""

    expected: Floats  # (n_senses, n_epochs) how often a sense would occur if only the topics had changed
    distinct: Floats  # (n_senses,) d_k: 0 if direct neighbours do not tell the sense, 1 if they always do


class _Sample(NamedTuple):
    """The sampled uses of a word."""

    senses: NDArray[np.int64]  # (n_uses,) from 0
    epochs: NDArray[np.int32]
    around: NDArray[np.int64]  # (n_uses, n) indices into `words`
    words: NDArray[np.int32]  # the first is -1: no word


def change_parts(model: Model, frequencies: Frequencies, words: NDArray[np.int64]) -> Parts:
    """Return what topics explain, and how far direct neighbours tell the senses, for the senses of some words.

    P(e | C) ∝ N_e · Π_{c ∈ C} (rate of c in e around other words / its mean rate)^power. Context words are not
    independent; the power is that which dates the contexts best.
    """
    contexts, neighbours = frequencies.contexts, frequencies.neighbours
    assert contexts is not None
    assert neighbours is not None
    window = contexts.words.shape[2] // 2
    is_far = np.arange(2 * window) % window > 0  # the direct neighbours are no topic
    by_word = np.add.reduceat(frequencies.counts, model.offsets[:-1], axis=0)  # (n_words, n_epochs)
    size = frequencies.words / frequencies.words.sum()

    def of_word(w: int) -> tuple[slice, _Sample, Floats]:
        rows = slice(int(model.offsets[w]), int(model.offsets[w + 1]))
        sample = _sample(contexts, rows, is_far)
        return rows, sample, _log_rates(sample, frequencies.counts[rows], by_word, size)

    fitted = [of_word(int(w)) for w in words[:: max(1, len(words) // _N_FITTED)]]
    power = _best_power(fitted, size)
    parts = Parts(np.full_like(frequencies.counts, np.nan), np.full(model.n_senses, np.nan))
    for w in words.tolist():
        rows, sample, scores = of_word(w)
        counts = frequencies.counts[rows].sum(axis=1)
        parts.expected[rows] = _means(_dated(scores, power, size), sample, len(counts)) * counts[:, None]
        parts.distinct[rows] = _distinct(_sample(neighbours, rows, np.array([True, True])), counts)
    return parts


def _sample(contexts: Contexts, rows: slice, places: NDArray[np.bool_]) -> _Sample:
    """The sampled uses of the senses in some rows, with the words in some places of the context."""
    is_kept = contexts.epochs[rows] >= 0
    found = contexts.words[rows][is_kept][:, places]
    words, index = np.unique(np.append(found, -1), return_inverse=True)
    around = index[:-1].reshape(found.shape)
    return _Sample(np.nonzero(is_kept)[0], contexts.epochs[rows][is_kept], around, words)


def _means(values: Floats, sample: _Sample, n_senses: int) -> Floats:
    """The mean of values (n_uses, n) over the uses of each sense, (n_senses, n); over all uses if it has none."""
    sums = np.zeros((n_senses, values.shape[1]))
    np.add.at(sums, sample.senses, values)
    n = np.bincount(sample.senses, minlength=n_senses)[:, None]
    return np.where(n > 0, sums / np.maximum(n, 1), values.mean(axis=0))


def _log_rates(sample: _Sample, counts: Floats, by_word: Floats, size: Floats) -> Floats:
    """Σ_c log(rate of c in e around other words / its mean rate), for each use, (n_uses, n_epochs)."""
    # A context word stands beside sense k in epoch e as often as in the sampled uses, times the uses in e.
    beside = np.zeros((len(sample.words), len(counts)))
    np.add.at(beside, (sample.around, sample.senses[:, None]), 1.0)
    beside = beside / np.maximum(np.bincount(sample.senses, minlength=len(counts)), 1) @ counts
    everywhere = np.maximum(by_word[sample.words], 1e-9)
    others = everywhere * np.exp(-beside / everywhere)  # those that stand beside no use, if uses fall anywhere
    few = RARE * size * len(size)
    rates = np.log((others + few) / (others.sum(axis=1, keepdims=True) * size + few))
    rates[0] = 0.0
    return np.asarray(rates[sample.around].sum(axis=1))


def _dated(scores: Floats, power: float, size: Floats) -> Floats:
    """P(e | C) of each use, (n_uses, n_epochs)."""
    from scipy.special import softmax

    return np.asarray(softmax(np.log(size) + power * scores, axis=1))


def _best_power(fitted: list[tuple[slice, _Sample, Floats]], size: Floats) -> float:
    """The power under which the epochs of the sampled uses are most likely."""
    scores = np.concatenate([scores for _, _, scores in fitted])
    epochs = np.concatenate([sample.epochs for _, sample, _ in fitted])
    uses = np.arange(len(epochs))
    found = [np.log(_dated(scores, power, size)[uses, epochs]).mean() for power in _POWERS]
    return float(_POWERS[int(np.argmax(found))])


def _distinct(sample: _Sample, counts: Floats) -> Floats:
    """d_k of each sense; p(k | neighbours) is naive Bayes, learned from all other uses."""
    from scipy.special import softmax

    prior, near, senses = counts / counts.sum(), sample.around, sample.senses
    is_word = near > 0
    seen = np.zeros((len(counts), len(sample.words)))
    np.add.at(seen, (np.broadcast_to(senses[:, None], near.shape)[is_word], near[is_word]), 1.0)
    total = seen.sum(axis=1)
    usual = prior @ (seen / np.maximum(total, 1.0)[:, None])  # (n_words,) beside any use
    uses = np.arange(len(near))
    found = seen[:, near].transpose(1, 2, 0)  # (n_uses, 2, n_senses)
    found[uses[:, None], np.arange(near.shape[1]), senses[:, None]] -= (near[:, :, None] == near[:, None, :]).sum(
        axis=2
    )
    totals = np.tile(total, (len(near), 1))
    totals[uses, senses] -= is_word.sum(axis=1)
    p = (found + FEW * usual[near][:, :, None] + 1e-12) / (totals[:, None] + FEW)
    with np.errstate(divide="ignore", invalid="ignore"):
        scores = np.log(prior) + np.where(is_word[:, :, None], np.log(p), 0.0).sum(axis=1)
        told = _means(softmax(scores, axis=1), sample, len(counts))  # (n_senses, n_senses): true, told
        right = np.diagonal(told)
        elsewhere = (prior @ told - prior * right) / (1.0 - prior)
    return np.asarray(np.clip(np.nan_to_num(right - elsewhere), 0.0, 1.0))


def testable(model: Model, frequencies: Frequencies, options: TrendOptions) -> NDArray[np.int64]:
    """Rows of the senses with enough occurrences; a share is tested only if the word has another sense."""
    enough = frequencies.counts.sum(axis=1) >= options.min_count
    sizes = np.diff(model.offsets)
    of_word = np.add.reduceat(frequencies.counts, model.offsets[:-1], axis=0)  # (n_words, n_epochs)
    enough &= np.repeat((of_word >= 1.0).mean(axis=1) >= options.min_epochs, sizes)
    if options.normalise == "relative":
        enough &= np.repeat(sizes > 1, sizes)
    if options.min_sources > 1 and frequencies.sources is None:
        raise InputError(f"min_sources is {options.min_sources}, but no sources were counted; give Dating a source")
    if frequencies.sources is not None:
        enough &= frequencies.sources >= options.min_sources
    if not enough.any():
        raise InputError(
            f"no sense occurs {options.min_count:g} times, in {options.min_sources} or more sources and "
            f"{options.min_epochs:.0%} of the epochs; lower --min-count, --min-sources or --min-epochs"
        )
    return np.flatnonzero(enough)


def first_and_last(series: Floats) -> tuple[Floats, Floats]:
    """The means of each series over the first and the last fifth of its epochs, (n,)."""
    return _first_fifth(series), _first_fifth(series[:, ::-1])


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


def write_frequencies(path: Path, model: Model, frequencies: Frequencies, how: str, overwrite: bool = False) -> None:
    """Write a row of tab-separated text per sense and epoch in which it occurs."""
    norms = normalise(how, frequencies.counts, frequencies.words, model.offsets)
    names, epochs = model.names(slice(0, model.n_senses)), [epoch.name for epoch in frequencies.epochs]
    with new_file(path, overwrite) as made, open(made, "w", encoding="utf-8") as file:
        file.write("\t".join(COLUMNS) + "\n")
        for sense, counts, norm in zip(names, frequencies.counts, norms, strict=True):
            word = sense.rpartition("#")[0]
            for e in np.flatnonzero(counts > 0).tolist():
                file.write(f"{word}\t{sense}\t{epochs[e]}\t{round(counts[e], 3)}\t{round(norm[e], 6)}\n")
