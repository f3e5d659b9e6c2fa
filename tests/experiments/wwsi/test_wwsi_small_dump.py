"""The whole of a small dump against the data set worked out by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from adagram.evaluation.wsi_data import read_instances
from adagram.experiments.wwsi.build import Files, build
from adagram.experiments.wwsi.rules import SenseRules, load_rules

# What each filter takes away from the pages of small.xml.
REMOVED = {
    "disambiguation pages: not about a single word": 3,  # Ice cream, C++, Mouse (names)
    "words: disambiguation page in a category with “people”": 1,  # Reading
    "words: disambiguation page in category “human name disambiguation pages”": 1,  # Smith, by {{hndis}}
    "words: disambiguation page in category “letter-number combination disambiguation pages”": 1,  # A1
    "words: disambiguation page in category “place name disambiguation pages”": 1,  # Java, by |geo
    "words: disambiguation page in category “disambiguation pages with surname-holder lists”": 1,  # Baker
    "words: disambiguation page in category “lists of ambiguous numbers”": 1,  # Twelve
    "words: disambiguation page in category “disambiguation pages with given-name-holder lists”": 1,  # Robin
    "words: disambiguation page in category “two-letter disambiguation pages”": 1,  # AB
    "words: disambiguation page in category “transport route disambiguation pages”": 1,  # Highway
    "words: disambiguation page in category “temple name disambiguation pages”": 1,  # Pagoda
    "words: disambiguation page in a category with “cleanup”": 1,  # Muddle
    "words: disambiguation page in a category with “surnames”": 1,  # Carter
    "words: fewer than 2 sense pages": 2,  # Lone, Band
    "words: fewer than 2 senses left": 1,  # Pair
    "words: fewer than 6 occurrences": 1,  # Bolt
    "senses: title with “tv_”": 1,
    "senses: title with “series”": 1,
    "senses: title with “song”": 1,
    "senses: title with “singer”": 1,
    "senses: title with “musical”": 1,
    "senses: title with “comics”": 1,
    "senses: title with “album”": 1,
    "senses: title with “band”": 2,
    "senses: title with “film”": 2,  # Mouse (film), and A mouse on film behind a redirect
    "senses: title with “movie”": 1,
    "senses: page in a category with “countries”": 1,
    "senses: page in a category with “people”": 1,  # Mouse (writer), not Mouse (hidden)
    "senses: page in a category with “province”": 1,  # the category is an argument of a template
    "senses: fewer than 2 contexts": 2,  # Mouse (toy), Pair (wool)
    "senses: no such page in the dump": 2,  # Mouse (lost), Mouse (loop)
    "senses: redirect to the disambiguation page": 1,
    "senses: two titles, one page": 3,  # device, pointer, hoist
}


@pytest.fixture
def built(small: Path, files: Files, rules: SenseRules) -> Files:
    build([small], files, rules)
    return files


def test_data_set_is_the_one_worked_out_by_hand(built: Files, expected: str) -> None:
    assert built.all.read_text(encoding="utf-8") == expected


def test_halves_are_every_other_word(built: Files, expected: str) -> None:
    header, *lines = expected.splitlines(keepends=True)
    train = [line for line in lines if line.startswith(("crane", "élan"))]
    test = [line for line in lines if line.startswith("mouse")]
    assert built.train.read_text(encoding="utf-8") == "".join([header, *train])
    assert built.test.read_text(encoding="utf-8") == "".join([header, *test])


def test_the_evaluation_reads_the_data_set(built: Files) -> None:
    assert len(read_instances(built.all)) == 22


def test_report_says_what_each_filter_removed(built: Files) -> None:
    report = built.report.read_text(encoding="utf-8")
    rows = dict(line.strip("| ").split(" | ") for line in report.splitlines() if line.count(" | ") == 1)
    found = {name: int(count) for name, count in rows.items() if name.split(":")[0] in ("words", "senses")}
    found |= {name: int(count) for name, count in rows.items() if name.startswith("disambiguation")}
    assert found == REMOVED
    assert "62 articles" in report
    assert "| contexts | 22 | 11 | 11 |" in report
    assert "| words shared by adjacent contexts, mean | 1.000 | 1.167 | 0.857 |" in report
    assert "| élan | 6 | Élan (Magazin) (2), Élan (ski) (2) |" in report


def test_every_list_of_the_defaults_removes_something(rules: SenseRules) -> None:
    """The small dump has a case of each rule; “provinces” is there for the reader, “province” removes it all."""
    reasons = [f"category “{name}”" for name in rules.excluded_word_categories]
    reasons += [f"a category with “{part}”" for part in rules.excluded_word_category_substrings]
    reasons += [f"title with “{part.replace(' ', '_')}”" for part in rules.excluded_title_substrings]
    assert len(reasons) == 9 + 3 + 10
    assert not [reason for reason in reasons if not any(key.endswith(reason) for key in REMOVED)]


def test_nothing_but_the_files_is_left(built: Files) -> None:
    names = {path.name for path in built.all.parent.iterdir()}
    assert names == {"wwsi.tsv", "wwsi.train.tsv", "wwsi.test.tsv", "wwsi.report.md"}


def test_without_primary_topics_only_bracketed_titles_are_senses(small: Path, files: Files, tmp_path: Path) -> None:
    config = tmp_path / "mine.toml"
    config.write_text("primary_topic = false\nmin_count = 6\nmin_contexts = 2\n")
    data = build([small], files, load_rules(config))
    mouse = next(word for word in data.words if word.word == "mouse")
    assert [sense.title for sense in mouse.senses] == ["Mouse (computing)", "Mouse (hidden)"]


def test_one_occurrence_short_of_the_threshold_is_out(small: Path, files: Files) -> None:
    data = build([small], files, load_rules(min_count=7, min_contexts=2, window=2))
    assert [word.word for word in data.words] == ["crane", "mouse"]  # élan occurs 6 times


def test_empty_data_set_has_its_headers(small: Path, files: Files) -> None:
    data = build([small], files, load_rules())
    assert not data.words
    assert files.all.read_text() == files.test.read_text() == "target\tinstance_id\tsense\tleft\tright\tsurface\n"
