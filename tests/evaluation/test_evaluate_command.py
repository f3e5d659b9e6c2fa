"""`adagram evaluate` from end to end, on a model trained for the purpose."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

import adagram
from adagram.cli.evaluate import evaluate as app

MONEY, RIVER = "loan money cash account", "river water shore mud"


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    sentences = [f"{side} bank {side}".split() for side in (MONEY, RIVER) for _ in range(200)]
    folder = tmp_path_factory.mktemp("evaluate") / "model"
    adagram.train(sentences, output=folder, preset="paper", dim=8, epochs=5, min_count=1, alpha=0.5, threads=1)
    return folder


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    rows = [
        f"bank.n\tbank.n.{i}\t{s}\tthe {left}\t\tbank\n" for i, (s, left) in enumerate([("m", MONEY), ("r", RIVER)] * 3)
    ]
    path = tmp_path_factory.mktemp("data") / "set.tsv"
    path.write_text("target\tinstance_id\tsense\tleft\tright\tsurface\n" + "".join(rows))
    return path


def run(*arguments):
    result = CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=False)
    assert result.exit_code == 0
    return result


def totals(*arguments):
    rows = [json.loads(line) for line in run(*arguments, "--json").stdout.splitlines()]
    return {(row["metric"], row["subset"]): row for row in rows}


@pytest.mark.parametrize("task", ["wsi", "fuzzy"])
def test_answers_of_a_model_score_as_the_model_does(model, data, tmp_path, task):
    answers = tmp_path / "answers.key"
    of_model = totals(task, model, data, "--answers", answers)
    assert of_model["coverage", "all"]["value"] == 1.0
    assert answers.read_text().startswith("bank.n bank.n.0 bank#")
    again = totals(task, answers, data)
    assert {k: v["value"] for k, v in again.items()} == pytest.approx(
        {k: v["value"] for k, v in of_model.items()}, abs=1e-5
    )


def test_a_planted_ambiguity_is_found(model, data):
    assert totals("wsi", model, data)["ARI", "all"]["value"] == 1.0


def test_the_table_has_a_header_and_one_row_per_total(model, data):
    result = run("wsi", model, data)
    header, *rows = [line.split("\t") for line in result.stdout.splitlines()]
    assert header == ["metric", "subset", "value", "low", "high", "items"]
    assert [row[0] for row in rows[:3]] == ["ARI", "V-measure", "paired-F"]
    assert all(len(row) == 6 for row in rows)
    assert "1 words, 6 instances, 6 answered" in result.stderr


def test_per_word_rows(model, data):
    header, row = [line.split("\t") for line in run("wsi", model, data, "--per-word").stdout.splitlines()]
    assert dict(zip(header, row, strict=True)) == {
        "word": "bank.n", "instances": "6", "answered": "6", "senses": "2", "clusters": "2",
        "ARI": "1.0000", "V_measure": "1.0000", "paired_F": "1.0000",
    }  # fmt: skip


def test_the_other_tasks_run(model, tmp_path):
    (tmp_path / "topics.txt").write_text("ID\tdescription\n1\tbank\n")
    (tmp_path / "results.txt").write_text(f"ID\turl\ttitle\tsnippet\n1.1\tu\tt\t{MONEY}\n1.2\tu\tt\t{RIVER}\n")
    (tmp_path / "STRel.txt").write_text("subTopicID\tresultID\n1.1\t1.1\n1.2\t1.2\n")
    answers = tmp_path / "clusters.txt"
    assert totals("search", model, tmp_path, "--answers", answers)["S-recall@5", "all"]["value"] == 1.0
    assert totals("search", answers, tmp_path)["F1", "all"]["value"] == 1.0
    ratings = [
        f"1\tbank\tn\tcash\tn\t{side} <b>bank</b>\t<b>cash</b> money\t{rating}\t0\n"
        for side, rating in ((MONEY, 9), (RIVER, 1))
    ]
    scws = tmp_path / "ratings.txt"
    scws.write_text("".join(ratings))
    assert totals("scws", model, scws)["MaxSimC", "all"]["value"] == pytest.approx(100.0)
    pairs = tmp_path / "pairs.txt"
    pairs.write_text("cash money 9\ncash river 1\n")
    assert totals("similarity", model, pairs)["globalSim", "all"]["value"] == pytest.approx(100.0)
    questions = tmp_path / "questions.txt"
    questions.write_text(": s\ncash money river water\n")
    assert totals("analogy", model, questions)["accuracy", "s"]["items"] == 1


def test_answers_are_not_written_from_answers(model, data, tmp_path):
    answers = tmp_path / "a.key"
    run("wsi", model, data, "--answers", answers)
    with pytest.raises(adagram.AdagramError, match="already is an answer file"):
        run("wsi", answers, data, "--answers", tmp_path / "b.key")
    assert not (tmp_path / "b.key").exists()


def test_an_unwritable_place_is_named_and_nothing_is_left(model, data, tmp_path):
    place = tmp_path / "file" / "a.key"
    place.parent.write_text("mine")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(adagram.AdagramError, match=f"{place} cannot be written"):
        run("wsi", model, data, "--answers", place)
    assert sorted(tmp_path.rglob("*")) == before
