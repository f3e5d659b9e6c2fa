"""Every list is a named default that a TOML file can replace."""

from __future__ import annotations

from pathlib import Path

import pytest

from adagram.errors import InputError
from adagram.experiments.wwsi.build import Files, build
from adagram.experiments.wwsi.rules import default_config, load_rules
from tests_support import tomllib

GERMAN = """\
min_count = 4
min_contexts = 2
disambiguation_templates = ["Begriffsklärung"]
excluded_title_substrings = ["fernsehserie"]
excluded_sense_category_substrings = ["staat"]
"""
PAPERS_TITLES = ("tv ", "series", "movie", "film", "song", "album", "band", "singer", "musical", "comics")
PAPERS_WORD_CATEGORIES = (
    "place name disambiguation pages",
    "disambiguation pages with surname-holder lists",
    "human name disambiguation pages",
    "lists of ambiguous numbers",
    "disambiguation pages with given-name-holder lists",
    "letter-number combination disambiguation pages",
    "two-letter disambiguation pages",
    "transport route disambiguation pages",
    "temple name disambiguation pages",
)
PAGE = "<page><title>{}</title><ns>0</ns><revision><text>{}</text></revision></page>"


def test_defaults_are_the_papers() -> None:
    """Word for word the lists of the supplement, section 3; the least number of contexts is the published set's."""
    rules = load_rules()
    assert (rules.min_count, rules.min_senses, rules.min_contexts, rules.window) == (5000, 2, 30, 5)
    assert rules.excluded_title_substrings == PAPERS_TITLES
    assert rules.excluded_word_categories == PAPERS_WORD_CATEGORIES
    assert rules.excluded_word_category_substrings == ("cleanup", "people", "surnames")
    assert rules.excluded_sense_category_substrings == ("countries", "people", "province", "provinces")


def test_every_excluded_category_is_given_by_a_template_and_by_a_parameter() -> None:
    """A dump has no expanded templates, so a category that nothing implies would never exclude a word."""
    rules = load_rules()
    by_parameter_only = {name for name in PAPERS_WORD_CATEGORIES if "-holder" in name}
    assert set(PAPERS_WORD_CATEGORIES) - by_parameter_only <= set(rules.implied_categories.values())
    assert set(PAPERS_WORD_CATEGORIES) <= set(rules.implied_by_parameter.values())


def test_printed_defaults_are_a_config_file_that_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "wwsi.toml"
    path.write_text(default_config(), encoding="utf-8")
    assert load_rules(path) == load_rules()


def test_options_win_over_the_file_and_the_file_over_defaults(tmp_path: Path) -> None:
    path = tmp_path / "wwsi.toml"
    path.write_text("min_count = 7\nwindow = 3\n")
    rules = load_rules(path, window=9, min_contexts=None)
    assert (rules.min_count, rules.window, rules.min_contexts) == (7, 9, 30)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("min_cuont = 7", "unknown key 'min_cuont'"),
        ("min_count = 'many'", "min_count must be a whole number, not 'many'"),
        ("min_count = true", "min_count must be a whole number, not True"),
        ("window = 0", "window must be at least 1, not 0"),
        ("primary_topic = 1", "primary_topic must be true or false, not 1"),
        ("excluded_title_substrings = 'film'", "excluded_title_substrings must be a list of strings"),
        ("excluded_title_substrings = [1]", "excluded_title_substrings must be a list of strings"),
        ("[implied_categories]\nx = 1", "implied_categories must be a table of strings"),
        ("[tokenizer]\ncase = 1", "unknown tokenizer setting 'case'"),
        ("min_count = ", "is not a TOML file"),
    ],
)
def test_a_mistake_in_the_file_is_named(text: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "wwsi.toml"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        load_rules(path)
    assert reason in str(caught.value)


def test_another_language_by_its_own_lists(tmp_path: Path, files: Files) -> None:
    texts = {
        "Bank": "{{Begriffsklärung}}",
        "Bank (Möbel)": "Eine Bank hier. Die Bank dort.",
        "Bank (Geld)": "Eine Bank zahlt. Die Bank leiht.",
        "Bank (Fernsehserie)": "Eine Bank hier. Die Bank dort.",
        "Bank (Staat)": "Eine Bank hier. Die Bank dort. [[Kategorie:Historischer Staat]]",
        "Bank (Song)": "Eine Bank singt. Die Bank tanzt.",
    }
    pages = "".join(PAGE.format(title, text) for title, text in texts.items())
    dump, config = tmp_path / "dewiki.xml", tmp_path / "wwsi.toml"
    dump.write_text(f"<mediawiki>{pages}</mediawiki>", encoding="utf-8")
    config.write_text(GERMAN, encoding="utf-8")
    data = build([dump], files, load_rules(config))
    assert [sense.title for sense in data.words[0].senses] == ["Bank (Geld)", "Bank (Möbel)", "Bank (Song)"]


def test_every_default_is_explained() -> None:
    """A comment precedes or follows each key, so that the file can be edited without the documentation."""
    blocks = default_config().split("\n\n")
    for key in tomllib.loads(default_config()):
        block = next(block for block in blocks if f"{key} =" in block or f"[{key}]" in block)
        assert "#" in block, key
