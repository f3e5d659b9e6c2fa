"""Titles, marks of disambiguation pages, contexts: each against its plain definition."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adagram.corpus.tokenize import TokenizerConfig, make_tokenizer
from adagram.errors import InputError
from adagram.experiments.wwsi.passes import cut_contexts, shared_words
from adagram.experiments.wwsi.rules import categories, load_rules, marked_categories, normal_title, read_title


@given(st.lists(st.sampled_from("abcd"), max_size=40), st.integers(1, 6))
def test_shared_words_are_counted_by_place(tokens: list[str], window: int) -> None:
    positions = [i for i, token in enumerate(tokens) if token == "a"]
    places = [{j for j in range(i - window, i + window + 1) if 0 <= j < len(tokens) and j != i} for i in positions]
    expected = [len(here & there) for here, there in pairwise(places)]
    assert list(shared_words(positions, len(tokens), window)) == expected


@given(st.lists(st.sampled_from("abcd"), max_size=40), st.integers(1, 6))
def test_contexts_are_the_nearest_words_in_order(tokens: list[str], window: int) -> None:
    positions = [i for i, token in enumerate(tokens) if token == "a"]
    for i, (left, right) in zip(positions, cut_contexts(tokens, positions, window), strict=True):
        assert tokens[:i][-window:] == left.split()
        assert tokens[i + 1 :][:window] == right.split()


@pytest.mark.parametrize(
    ("title", "word", "qualifier"),
    [
        ("Mouse", "mouse", None),
        ("Mouse (computing)", "mouse", "computing"),
        ("Mouse (a (b))", "mouse", "a (b)"),
        ("O’Brien", "o'brien", None),
        ("Élan (ski)", "élan", "ski"),
        ("Ice cream (food)", "", "food"),
        ("C++", "", None),
        ("AC/DC", "", None),
        ("(mouse)", "", None),
        ("...", "", None),
        ("Mouse(computing)", "", None),
    ],
)
def test_word_and_qualifier_of_a_title(title: str, word: str, qualifier: str | None) -> None:
    assert read_title(title, make_tokenizer(TokenizerConfig()), True) == (word, qualifier)


@pytest.mark.parametrize(
    ("wikitext", "found"),
    [
        ("{{Disambiguation}}", []),
        ("{{ dab \n| name = x }}", []),
        ("{{disambiguation|surname}}", ["disambiguation pages with surname-holder lists"]),
        ("{{HNDIS|Smith, John}}", ["human name disambiguation pages"]),
        ("{{disambiguation cleanup}}", ["disambiguation pages in need of cleanup"]),
        ("[[Category:Place_name disambiguation pages|x]]", ["place name disambiguation pages"]),
        ("{{dab}}[[category: X ]][[Category:X]]", ["x"]),
        ("__DISAMBIG__", []),
        ("{{disambiguation needed}}", None),
        ("<!-- {{disambiguation}} -->", None),
        ("<nowiki>{{disambiguation}}</nowiki>", None),
        ("[[disambiguation pages]]", None),
        ("[[:Category:Disambiguation pages]]", None),
        ("", None),
    ],
)
def test_marks_of_disambiguation_pages(wikitext: str, found: list[str] | None) -> None:
    assert marked_categories(wikitext, load_rules()) == found


def test_no_marks_at_all_finds_nothing(tmp_path: Path) -> None:
    config = tmp_path / "wwsi.toml"
    lists = ["templates", "categories", "magic_words"]
    config.write_text("\n".join(f"disambiguation_{name} = []" for name in lists) + "\n[implied_categories]\n")
    wikitext = "{{disambiguation}} {{}} [[Category:Disambiguation pages]]"
    assert marked_categories(wikitext, load_rules(config)) is None


@given(st.text(max_size=60))
def test_marks_never_crash(text: str) -> None:
    for wikitext in (text, "{{dab|" + text, "[[Category:" + text + "]]{{dab}}"):
        for name in categories(wikitext) + (marked_categories(wikitext, load_rules()) or []):
            assert "\t" not in name
            assert "\n" not in name


@given(st.text(max_size=30))
def test_a_normal_title_is_one_line_and_stays_normal(title: str) -> None:
    normal = normal_title(title)
    assert normal_title(normal) == normal
    assert not set(normal) & set("\t\n\r_")


@pytest.mark.parametrize("value", ["9" * 5000, "[" * 5000, "{a." + "b." * 5000 + "c=1}", "nan"])
def test_odd_rules_are_refused_in_a_sentence(value: str, tmp_path: Path) -> None:
    config = tmp_path / "wwsi.toml"
    config.write_text(f"min_count = {value}")
    with pytest.raises(InputError, match=r"wwsi\.toml"):
        load_rules(config)
