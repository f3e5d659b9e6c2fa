"""`adagram reproduce` from end to end on a tiny corpus: everything is written, nothing is trained twice."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from adagram.cli import build_app
from adagram.errors import InputError
from adagram.experiments.reproduce.run import EXPERIMENTS
from adagram.training.workers import Threads

pytestmark = pytest.mark.xdist_group("reproduce")  # all look at one run


def run(name: str, corpus: Path, output: Path, *more: object, code: int = 0):
    options = ["--dim", "8", "--epochs", "5", "--min-count", "1", "--threads", "1", "--bootstrap", "10"]
    arguments = ["reproduce", name, "--corpus", corpus, "--output", output, *options, *more]
    result = CliRunner().invoke(build_app(), [str(a) for a in arguments], catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result


@pytest.fixture(scope="module")
def whole(corpus, data, tmp_path_factory):
    output = tmp_path_factory.mktemp("reproduce") / "runs"
    return output, run("all", corpus, output, "--data", data)


def rows(path: Path) -> list[dict[str, str]]:
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_every_experiment_writes_markdown_csv_and_png(whole):
    output, _ = whole
    index = (output / "index.md").read_text(encoding="utf-8")
    for name in EXPERIMENTS:
        folder = output / name
        page = (folder / f"{name}.md").read_text(encoding="utf-8")
        assert "The paper: 990 M words" in page
        assert f"]({name}/{name}.md)" in index
        assert list(folder.glob("*.csv"))
        pictures = list(folder.glob("*.png"))
        assert bool(pictures) == (name in ("senses", "search")), "the others are tables in the paper"
        for picture in pictures:
            assert f"]({picture.name})" in page
            assert picture.read_bytes().startswith(b"\x89PNG")


def test_the_planted_senses_are_found_and_stand_beside_the_papers_value(whole):
    output, _ = whole
    found = {row["system"]: row for row in rows(output / "wsi" / "ari.csv")}
    ours = found["AdaGram α=0.5"]
    assert float(ours["WWSI train"]) == float(ours["SemEval-2010, second half"]) == 1.0
    assert found["AdaGram α=0.15"]["paper, WWSI test"] == "0.286"
    likelihood = rows(output / "likelihood" / "likelihood.csv")
    assert [row["model"] for row in likelihood[:2]] == ["Skip-gram 8D", "Skip-gram 16D"]
    assert likelihood[0]["paper's log-likelihood"] == "-7.403"


def test_differences_of_likelihood_are_those_of_the_table(whole):
    output, _ = whole
    value = {row["model"]: float(row["log-likelihood"]) for row in rows(output / "likelihood" / "likelihood.csv")}
    best = max((name for name in value if name.startswith("AdaGram")), key=lambda name: value[name])
    for row in rows(output / "likelihood" / "differences.csv"):
        for other in ("Skip-gram 8D", best):
            difference = float(row[f"minus {other}"])
            assert difference == pytest.approx(value[row["model"]] - value[other], abs=1e-9)
            low, _, high = row[f"95 %, minus {other}"].partition(" to ")
            if row["model"] == other:
                assert low == ""
            else:
                assert float(low) - 1e-5 <= difference <= float(high) + 1e-5


def test_what_is_missing_or_beyond_the_paper_is_said(whole):
    output, result = whole
    assert "SemEval-2007" in (output / "wsi" / "wsi.md").read_text(encoding="utf-8")
    assert "several words" in (output / "search" / "search.md").read_text(encoding="utf-8")
    assert "# wsi: Adjusted Rand index" in result.stdout


def test_a_second_run_trains_nothing_and_finds_the_same(whole, corpus, data):
    output, _ = whole
    before = {path: path.read_bytes() for path in output.glob("*/*.csv")}
    left = output / "models" / ".adagram-0.1.12345678.adagram"  # by a run that was killed
    left.mkdir()
    (left / ".adagram-lock").touch()
    done = run("wsi", corpus, output, "--data", data)
    assert "wsi is done already: " in done.stderr
    assert not left.exists()
    assert done.stdout == ""
    assert run("all", corpus, output, "--data", data).stderr.count(" is done already: ") == len(EXPERIMENTS)
    again = run("wsi", corpus, output, "--data", data, "--json", "--overwrite")
    assert "training " not in again.stderr.replace("training half", "")
    assert {path: path.read_bytes() for path in before} == before
    records = [json.loads(line) for line in again.stdout.splitlines()]
    assert {record["table"] for record in records} >= {"ari", "v-measure", "paired-f"}


def test_without_data_all_says_what_is_left_out_and_one_experiment_fails(corpus, tmp_path):
    with pytest.raises(InputError, match="no model is there yet"):
        run("nn", corpus, tmp_path, "--trained-only")
    run("nn", corpus, tmp_path)
    result = run("all", corpus, tmp_path, "--trained-only", "--overwrite")
    assert "wsi left out: " in result.stderr
    assert "* wsi: left out" in (tmp_path / "index.md").read_text(encoding="utf-8")
    with pytest.raises(InputError, match="--data"):
        run("scws", corpus, tmp_path, "--trained-only")
    with pytest.raises(InputError, match="unknown experiment 'figure1'"):
        run("figure1", corpus, tmp_path)


def test_a_stopped_run_goes_on_where_it_was(corpus, tmp_path, monkeypatch):
    with monkeypatch.context() as patched:
        original, rounds = Threads.round, []

        def stop_in_the_second(self, start, stop, stop_requested):
            rounds.append(start)
            stop_requested.asked = len(rounds) == 2
            return original(self, start, stop, stop_requested)

        patched.setattr(Threads, "round", stop_in_the_second)
        stopped = run("nn", corpus, tmp_path, code=130)
    assert "give the same command again" in stopped.stderr
    assert not (tmp_path / "index.md").exists()
    assert "resuming AdaGram" in run("nn", corpus, tmp_path).stderr
    assert (tmp_path / "nn" / "nn.md").is_file()
    assert not list(tmp_path.glob("models/*.checkpoint"))


def test_all_goes_on_after_the_experiments_that_are_done(corpus, tmp_path):
    run("nn", corpus, tmp_path)
    nn = tmp_path / "nn" / "nn.md"
    nn.write_text(nn.read_text() + "a remark\n")
    result = run("all", corpus, tmp_path, "--trained-only")
    assert "nn is done already: " in result.stderr
    assert "give --overwrite to do it again" in result.stderr
    assert nn.read_text().endswith("a remark\n")
    assert (tmp_path / "resolution" / "resolution.md").is_file()
    index = (tmp_path / "index.md").read_text(encoding="utf-8")
    assert all(f"]({name}/{name}.md)" in index for name in ("nn", "resolution"))
    # Of all models that the experiment compares, only those of nn were there: it is not done.
    assert "resolution is done" not in run("resolution", corpus, tmp_path, "--trained-only").stderr
    with pytest.raises(InputError, match=r"nn.md has results of another corpus or other options; give overwrite=True"):
        run("nn", corpus, tmp_path, "--window", "3")
    assert "nn is done" not in run("nn", corpus, tmp_path, "--overwrite").stderr
    assert not nn.read_text().endswith("a remark\n")


def test_an_index_of_others_is_never_replaced(corpus, tmp_path):
    (tmp_path / "index.md").write_text("# My site\n")
    with pytest.raises(InputError, match="new name"):
        run("nn", corpus, tmp_path, "--overwrite")
    assert (tmp_path / "index.md").read_text() == "# My site\n"
    assert not (tmp_path / "models").exists()
