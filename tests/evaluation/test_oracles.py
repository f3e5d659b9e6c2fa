"""Totals against what the official SemEval scorers print for real answer files."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from adagram.evaluation.report import Resampling
from adagram.evaluation.wsi import score_fuzzy, score_wsi
from adagram.evaluation.wsi_data import read_key

NO_INTERVALS = Resampling(resamples=0)


def oracle_values(folder: Path, dataset: str) -> dict[str, list[dict[str, str]]]:
    by_file: dict[str, list[dict[str, str]]] = {}
    with open(folder / "ORACLES.tsv", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if row["dataset"] == dataset:
                by_file.setdefault(row["answers"], []).append(row)
    assert set(by_file) == {path.name for path in (folder / dataset / "answers").iterdir()}
    return by_file


def test_v_measure_and_paired_f_equal_the_semeval_2010_scorer(data_folder):
    gold = read_key(data_folder / "semeval2010" / "gold.key")
    for name, rows in oracle_values(data_folder, "semeval2010").items():
        report = score_wsi(gold, read_key(data_folder / "semeval2010" / "answers" / name), NO_INTERVALS)
        for row in rows:
            # The V-measure is printed with three decimals, the F-score in full.
            tolerance = 6e-4 if row["metric"] == "V-measure" else 1e-9
            ours = report.value(row["metric"], row["pos"])
            assert ours == pytest.approx(float(row["value"]), abs=tolerance), (name, row)


def test_fuzzy_scores_equal_the_semeval_2013_scorer(data_folder):
    gold = read_key(data_folder / "semeval2013-13" / "gold.key")
    for name, rows in oracle_values(data_folder, "semeval2013-13").items():
        report = score_fuzzy(gold, read_key(data_folder / "semeval2013-13" / "answers" / name), NO_INTERVALS)
        b_cubed = [report.value(f"fuzzy-B-cubed{part}") for part in ("-precision", "-recall", "")]
        ours = {"fuzzy-NMI": [report.value("fuzzy-NMI")], "fuzzy-Bcubed P,R,F": b_cubed}
        for row in rows:
            expected = [float(value) for value in row["value"].split(",")]
            assert ours[row["metric"]] == pytest.approx(expected, abs=1e-9), (name, row)


def test_the_published_ari_of_a_submitted_system(data_folder):
    """Hermit: 0.068, with 255 instances left unanswered."""
    folder = data_folder / "semeval2010"
    report = score_wsi(read_key(folder / "gold.key"), read_key(folder / "answers" / "302-108_senseval-gap"))
    ari = next(score for score in report.scores if score.metric == "ARI" and score.subset == "all")
    assert ari.value == pytest.approx(0.068, abs=5e-4)
    assert ari.low < ari.value < ari.high
