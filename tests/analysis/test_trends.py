"""Which senses rise and fall: counts are sums of posteriors, planted changes are found, and chance is not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import false_discovery_control

from adagram.analysis.change import count_periods, find_changes, parse_period
from adagram.analysis.epochs import Dating, Epoch, parse_epoch
from adagram.analysis.frequencies import Contexts, Frequencies, count_senses
from adagram.analysis.trends import TrendOptions, change_parts, find_trends, kind_of
from adagram.corpus.documents import make_document
from adagram.errors import InputError
from adagram.model.trends import read_trends, running_share
from analysis.dated import dated_documents

RISING = [0.1 + 0.04 * i for i in range(20)]
OPTIONS = TrendOptions(min_count=50)


def topic_row(model, topic):
    """The sense of 'planted' that belongs to a topic."""
    words = [f"topic{topic}x{i}" for i in range(8)]
    return model.rows("planted").start + int(model.disambiguate("planted", words).argmax())


def test_counts_are_sums_of_posteriors(planted_model):
    documents = dated_documents([0.3, 0.7, 0.5], per_year=7)
    soft = count_senses(planted_model, documents, Dating("year"), threads=2)
    hard = count_senses(planted_model, documents, Dating("year"), hard=True)
    expected = np.zeros_like(soft.counts)
    likeliest = np.zeros_like(soft.counts)
    for document in documents:
        tokens = planted_model.tokenize(document.text)
        ids = planted_model.vocabulary.ids(tokens)
        posteriors = planted_model.predictor.in_text(ids, np.array([len(ids)]))
        for w, posterior in zip(ids, posteriors, strict=True):
            rows = slice(planted_model.offsets[w], planted_model.offsets[w + 1])
            expected[rows, document.fields["year"] - 2000] += posterior
            likeliest[rows.start + posterior.argmax(), document.fields["year"] - 2000] += 1
    assert_allclose(soft.counts, expected)
    assert_allclose(hard.counts, likeliest)
    assert soft.words.tolist() == [70, 70, 70]
    assert [epoch.name for epoch in soft.epochs] == ["2000", "2001", "2002"]


def test_a_planted_change_is_found_and_shuffled_dates_are_not(planted_model):
    documents = dated_documents(RISING)
    found = find_trends(planted_model, count_senses(planted_model, documents, Dating("year")), OPTIONS)
    rising = planted_model.names([topic_row(planted_model, 1)])[0]
    top = {trend.sense: trend for trend in found}[rising]
    assert top.q < 0.05
    assert top.slope == pytest.approx(0.04, abs=0.015)
    assert top.first < 0.35 < 0.6 < top.last
    draw = np.random.default_rng(1)
    years = draw.permutation([d.fields["year"] for d in documents])
    shuffled = [make_document(d.name, d.text, {"year": int(y)}) for d, y in zip(documents, years, strict=True)]
    found = find_trends(planted_model, count_senses(planted_model, shuffled, Dating("year")), OPTIONS)
    assert not [trend for trend in found if trend.q < 0.05]


def without_planted(shares, per_year=160):
    """Text about the same topics in other words."""
    documents = dated_documents(shares, per_year, seed=9)
    return [make_document(d.name, d.text.lower().replace("planted", ""), d.fields) for d in documents]


@pytest.mark.parametrize(
    ("around_others", "part", "rest"),
    [(RISING, "topic", "use"), ([0.5] * 20, "use", "topic"), ([1 - s for s in RISING], "use", "topic")],
)
def test_a_change_of_topic_is_told_from_a_change_of_use(planted_model, around_others, part, rest):
    """The sense rises either way: because all text turns to its topic, or while other text does not."""
    documents = dated_documents(RISING) + without_planted(around_others)
    found = find_trends(planted_model, count_senses(planted_model, documents, Dating("year")), OPTIONS)
    rising = planted_model.names([topic_row(planted_model, 1)])[0]
    trend = next(t for t in found if t.sense == rising)
    assert trend.q < 0.05
    assert trend.topic + trend.use == pytest.approx(trend.last - trend.first)
    assert getattr(trend, part) > 0.4
    assert getattr(trend, rest) < 0.15


@pytest.mark.parametrize(("is_near", "least", "most"), [(True, 0.9, 1.0), (False, 0.0, 0.1)])
def test_a_change_of_use_shows_in_the_words_directly_beside(planted_model, is_near, least, most):
    """The words that tell two senses of 'planted' apart stand beside it, or only further away."""
    counted = count_senses(planted_model, dated_documents(RISING), Dating("year"))
    rows = planted_model.rows("planted")
    words = np.zeros_like(counted.neighbours.words)
    if is_near:
        words[rows] = np.arange(1, 1 + rows.stop - rows.start)[:, None, None]
    neighbours = Contexts(words, counted.neighbours.epochs)
    w = planted_model.vocabulary.index["planted"]
    distinct = change_parts(planted_model, replace(counted, neighbours=neighbours), np.array([w])).distinct
    assert (distinct[rows] >= least).all()
    assert (distinct[rows] <= most).all()


def test_trends_are_ranked_by_the_change_of_use(planted_model):
    documents = dated_documents(RISING) + without_planted([0.5] * 20)
    found = find_trends(planted_model, count_senses(planted_model, documents, Dating("year")), OPTIONS)
    significant = [abs(t.use) for t in found if t.q <= 0.05]
    assert significant == sorted(significant, reverse=True)


def test_names_and_numbers_are_told_by_capitals_and_digits(planted_model):
    def kinds(write):
        documents = [make_document(d.name, write(d.text.lower()), d.fields) for d in dated_documents(RISING)]
        counted = count_senses(planted_model, documents, Dating("year"))
        found = find_trends(planted_model, counted, OPTIONS)
        return {t.sense.rpartition("#")[0]: t.kind for t in found}["planted"], counted.names is not None

    assert kinds(lambda text: text.replace("planted", "Planted")) == ("name", True)
    assert kinds(lambda text: text.replace(" topic1x3", " Topic1x3")) == ("", True)
    assert kinds(lambda text: text.replace(" planted", ". Planted")) == ("", False), "first in a sentence"
    assert kinds(str) == ("", False), "as in scripts without capitals"
    assert kinds(str.title) == ("", False), "as in headlines and in German"
    assert [kind_of(word, False) for word in ("1990s", "3.14", "٣", "g20", "一般")] == ["number"] * 3 + ["", ""]


def test_the_sources_of_a_sense_are_counted(planted_model):
    counted = count_senses(planted_model, dated_documents(RISING), Dating("year", source="country"))
    assert {t.sources for t in find_trends(planted_model, counted, OPTIONS) if t.sense.startswith("planted#")} == {4}


def by_hand(model, slopes, noise, sources=None):
    """Frequencies of 30 years in which sense k rises by slopes[k] a year, with some noise."""
    years = np.arange(30.0)
    ups_and_downs = np.random.default_rng(5).normal(size=(model.n_senses, 30))
    counts = 1000.0 + np.asarray(slopes)[:, None] * years + np.asarray(noise)[:, None] * ups_and_downs
    return Frequencies([Epoch(t, str(int(t))) for t in years], counts, np.full(30, 1e6), 30, sources)


def test_q_is_p_corrected_for_the_number_of_senses_tested(planted_model):
    n = planted_model.n_senses
    found = find_trends(planted_model, by_hand(planted_model, np.zeros(n), np.full(n, 50.0)), TrendOptions("epoch"))
    p, q = np.array([t.p for t in found]), np.array([t.q for t in found])
    assert len(found) == n
    assert_allclose(q, false_discovery_control(p))
    assert (p < 0.05).any()
    assert not (q < 0.05).any(), "what one test in twenty finds by chance is not a trend"


def test_significant_senses_come_first_and_of_these_the_steepest_up_or_down(planted_model):
    n = planted_model.n_senses
    slopes, noise = np.zeros(n), np.full(n, 1e-3)
    slopes[:4], noise[4] = (3.0, -9.0, 6.0, -1.0), 900.0
    slopes[4] = 10.0  # steep, and lost in noise
    found = find_trends(planted_model, by_hand(planted_model, slopes, noise), TrendOptions("epoch"))
    rows = [planted_model.row(trend.sense) for trend in found]
    assert rows[:4] == [1, 2, 0, 3]
    significant = [trend.q <= 0.05 for trend in found]
    assert significant == sorted(significant, reverse=True)
    assert not significant[rows.index(4)]


def test_senses_of_too_few_sources_are_not_tested(planted_model):
    n = planted_model.n_senses
    sources = np.full(n, 3)
    sources[:2] = 1, 2
    frequencies = by_hand(planted_model, np.ones(n), np.ones(n), sources)
    for least, missing in ((1, set()), (2, {0}), (3, {0, 1})):
        found = find_trends(planted_model, frequencies, TrendOptions("epoch", min_sources=least))
        assert {planted_model.row(trend.sense) for trend in found} == set(range(n)) - missing
    alone = by_hand(planted_model, np.ones(n), np.ones(n))
    with pytest.raises(InputError, match="min_sources is 2, but no sources were counted"):
        find_trends(planted_model, alone, TrendOptions("epoch", min_sources=2))


@pytest.mark.parametrize("how", ["relative", "global", "epoch"])
@pytest.mark.parametrize("test", ["mann-kendall", "ols"])
def test_all_normalisations_and_tests_find_it(planted_model, how, test):
    counted = count_senses(planted_model, dated_documents(RISING), Dating("year"))
    found = find_trends(planted_model, counted, TrendOptions(how, test, 50))
    rising = planted_model.names([topic_row(planted_model, 1)])[0]
    assert next(t for t in found if t.sense == rising).q < 0.05


def test_too_little_is_said_in_a_sentence(planted_model):
    counted = count_senses(planted_model, dated_documents([0.5]), Dating("year"))
    with pytest.raises(InputError, match=r"1 epoch.*2000.*three or more"):
        find_trends(planted_model, counted, OPTIONS)
    counted = count_senses(planted_model, dated_documents(RISING), Dating("year"))
    with pytest.raises(InputError, match="no sense occurs 1e"):
        find_trends(planted_model, counted, TrendOptions(min_count=1e9))


def test_text_of_another_language_is_refused(planted_model):
    foreign = [make_document("f", "das ist ein ganz anderer text " * 20, {"year": 2000})]
    with pytest.raises(InputError, match=r"knows 0 of the 120 words.*another language"):
        count_senses(planted_model, foreign, Dating("year"))


def test_bad_dates_are_refused_or_counted(planted_model):
    bad = [*dated_documents([0.5], 3), make_document("d9", "planted topic0x1", {"year": "long ago"})]
    with pytest.raises(InputError, match="d9: 'long ago' is not a date such as 1999"):
        count_senses(planted_model, bad, Dating("year"))
    dating = Dating("year", skip_bad=True)
    assert count_senses(planted_model, bad, dating).documents == 3
    assert list(dating.report()) == [
        "left out 1 document; the first is d9: 'long ago' is not a date such as 1999 or 1999-05-03"
    ]
    with pytest.raises(InputError, match="there is no field 'month'; its fields are country, year"):
        count_senses(planted_model, bad, Dating("month"))


@pytest.mark.parametrize(
    ("value", "unit", "name"),
    [
        (1999, "year", "1999"),
        ("1999-12-31", "month", "1999-12"),
        ("19991231", "quarter", "1999-Q4"),
        ("1999/5", "month", "1999-05"),
        ("1999.05.01T10:00", "decade", "1990s"),
        (2003.0, "decade", "2000s"),
        ("1990s", "decade", "1990s"),
        ("1999.0", "year", "1999"),
        ("1999-00-00", "year", "1999"),
        ("1999-05-03 10:00:00.5", "month", "1999-05"),
    ],
)
def test_dates_fall_into_epochs(value, unit, name):
    assert parse_epoch(value, unit).name == name


@pytest.mark.parametrize("value", ["", "May", "99", "199912311", None, True, 12.5, "1999-13"])
def test_what_is_no_date_is_none(value):
    assert parse_epoch(value, "month") is None


@pytest.mark.parametrize("value", ["1946-1970", "1946 – 1970", "1946..1970", "1946/47", "1999-05-2003-07", "1990s"])
def test_a_range_is_not_a_date(value):
    assert parse_epoch(value, "year") is None


@pytest.mark.parametrize("between", ["-", "..", "–", " - ", " .. "])
@pytest.mark.parametrize(
    ("unit", "first", "last"),
    [
        ("year", "1946", "1970"),
        ("month", "1999-05", "2003-07"),
        ("month", "199905", "2003/7"),
        ("decade", "1940s", "1970"),
    ],
)
def test_a_period_is_a_range_by_dots_or_a_hyphen(unit, first, last, between):
    period = parse_period(first + between + last, unit)
    assert (period.first, period.last) == (parse_epoch(first, unit).time, parse_epoch(last, unit).time)
    assert parse_period(first, unit).first == parse_period(first, unit).last == period.first


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("2001-03", "year"),  # March, or three years
        ("1946-70", "year"),
        ("1946-1950-1970", "year"),
        ("1946-", "year"),
        ("-1970", "year"),
        ("1946/1970", "year"),
        ("1950s", "year"),
        ("1999", "month"),
        ("1999-13", "month"),
        ("", "year"),
    ],
)
def test_a_period_that_is_ambiguous_is_refused(text, unit):
    with pytest.raises(InputError, match=f"'{text}' is not a {unit} or a range of them; write .*--epoch"):
        parse_period(text, unit)


def test_change_between_periods_tells_which_sense_was_gained(planted_model):
    documents = dated_documents([0.1, 0.1, 0.5, 0.9, 0.9], per_year=60)
    periods = (parse_period("2000..2001", "year"), parse_period("2003..2004", "year"))
    changes = find_changes(planted_model, count_periods(planted_model, documents, Dating("year"), periods))
    planted = next(change for change in changes if change.word == "planted")
    assert planted.gained == planted_model.names([topic_row(planted_model, 1)])[0]
    assert planted.lost == planted_model.names([topic_row(planted_model, 0)])[0]
    assert planted.low < planted.distance < planted.high
    assert planted.distance > 0.5
    assert (planted.before, planted.after) == pytest.approx((120, 120))
    with pytest.raises(InputError, match="no document falls into the period 1950"):
        count_periods(planted_model, documents, Dating("year"), (parse_period("1950", "year"), periods[0]))
    with pytest.raises(InputError, match="overlap"):
        count_periods(planted_model, documents, Dating("year"), (periods[0], parse_period("2001", "year")))


def contains_no_change(model, documents, dating):
    periods = (parse_period("2000..2001", "year"), parse_period("2002..2003", "year"))
    changes = find_changes(model, count_periods(model, documents, dating, periods, threads=1), min_count=10)
    return next(change for change in changes if change.word == "planted").low == 0.0


def test_the_interval_contains_no_change_if_nothing_changes(planted_model):
    trials = [dated_documents([0.5] * 4, per_year=40, seed=seed) for seed in range(40)]
    assert sum(contains_no_change(planted_model, trial, Dating("year")) for trial in trials) >= 34


def test_sources_that_repeat_themselves_are_resampled_as_one(planted_model):
    """Each of 20 speakers of a period says one thing, eight times; what they say is chance."""
    draw, alone, together = np.random.default_rng(3), [], []
    for _ in range(20):
        documents = [
            make_document(d.name, d.text, {"year": 2000 + 2 * period, "country": f"{period}-{speaker}"})
            for period in (0, 1)
            for speaker in range(20)
            for d in dated_documents([float(draw.random() < 0.5)], per_year=8, seed=int(draw.integers(1 << 30)))
        ]
        alone.append(contains_no_change(planted_model, documents, Dating("year")))
        together.append(contains_no_change(planted_model, documents, Dating("year", source="country")))
    assert sum(together) >= 16
    assert sum(alone) <= 13


def test_what_was_counted_is_kept_for_figures(planted_model, tmp_path):
    counted = count_senses(planted_model, dated_documents(RISING), Dating("year"))
    counted.to_keep(planted_model).keep(tmp_path)
    shares, uses = running_share(read_trends(tmp_path).counts_of_word(planted_model, "planted"), 0)
    assert len(shares) == len(planted_model.names(planted_model.rows("planted")))
    assert_allclose(shares.sum(axis=0), 1.0, rtol=1e-5)
    assert_allclose(uses.sum(), counted.counts[planted_model.rows("planted")].sum(), rtol=1e-5)


def test_a_word_that_came_late_is_tested_only_if_asked(planted_model):
    early = [make_document("e", "topic0x1 topic0x2 topic0x3", {"year": 1970 + i}) for i in range(25)]
    counted = count_senses(planted_model, early + dated_documents(RISING), Dating("year"))
    with pytest.raises(InputError, match="50% of the epochs"):
        find_trends(planted_model, counted, TrendOptions(min_count=200))
    found = find_trends(planted_model, counted, TrendOptions(min_count=50, min_epochs=0.2))
    assert any(trend.sense.startswith("planted#") for trend in found)
