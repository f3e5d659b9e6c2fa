"""Parts of a reproduction run: which model is which, halves of the words, tables."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import pytest

from adagram.config import ALGORITHMS, TrainConfig
from adagram.errors import InputError
from adagram.evaluation.wsi_data import Instance
from adagram.experiments.reproduce.results import Table
from adagram.experiments.reproduce.run import EXPERIMENTS
from adagram.experiments.reproduce.setup import (
    PAPER,
    SKIPGRAM_2D,
    Callbacks,
    DataFolder,
    Settings,
    Setup,
    adagram,
    first_half,
)
from tests_support import corpus_of

VARIANTS = dict.fromkeys(variant for each in EXPERIMENTS.values() for variant in each.variants)


def folder(alpha=0.1, name="corpus", **changes) -> Path:
    settings = Settings(Path("c"), Path("runs"), base=replace(TrainConfig.from_preset("paper", dim=8), **changes))
    setup = Setup(settings, Callbacks())
    setup.corpus = corpus_of([["a", "b"]], name)
    return setup.folder(adagram(alpha)[0])


def test_a_model_is_told_apart_by_all_that_matters_and_nothing_else():
    different = [folder(), folder(name="other"), folder(0.2), folder(dim=9), folder(seed=7)]
    assert len(set(different)) == len(different)
    assert folder(threads=1) == folder(threads=2) == folder()


def test_the_models_of_all_experiments_have_names_of_their_own_and_are_of_all_systems():
    assert len({variant.key for variant in VARIANTS}) == len(VARIANTS)
    assert {variant.algorithm for variant in VARIANTS} == set(ALGORITHMS)
    assert SKIPGRAM_2D.config(TrainConfig.from_preset("paper", dim=100)).dim == 200


def test_the_papers_values_belong_to_models_we_have():
    known = {variant.in_paper for variant in VARIANTS}
    tables = [PAPER["likelihood"], PAPER["fuzzy"], PAPER["scws"], *PAPER["wsi"].values(), *PAPER["resolution"].values()]
    assert all(set(table) <= known for table in tables)
    for senses in [*PAPER["neighbours"].values(), *(s for w in PAPER["resolution"].values() for s in w.values())]:
        assert sum(prior for prior, _ in senses) == pytest.approx(1.0, abs=0.021)


def test_halves_are_of_words_not_of_contexts():
    words = ["d", "a", "c", "b", "a", "a", "a"]
    assert first_half([Instance(word, str(i), "", "") for i, word in enumerate(words)]) == {"a", "b"}


def test_a_table_marks_the_best_and_survives_bars_and_commas():
    table = Table("t", "T", ["system", "ARI"], [["a|b, c", 0.25], ["d", 0.5], ["e", None]])
    assert table.markdown().splitlines()[2:] == ["| a\\|b, c | 0.250 |", "| d | 0.500 |", "| e | – |"]
    assert list(csv.reader(io.StringIO(table.csv())))[1:] == [["a|b, c", "0.25"], ["d", "0.5"], ["e", ""]]


def test_a_data_folder_that_is_none_is_refused(tmp_path):
    with pytest.raises(InputError, match="is not a folder"):
        DataFolder(tmp_path / "nowhere")
