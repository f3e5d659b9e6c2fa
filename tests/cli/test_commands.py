"""The command line as a user meets it: tables on stdout, one sentence on failure, help that stays light."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import adagram
from adagram.cli import build_app, main
from adagram.paper.schedule import thinned
from tests_support import feed


def call(capsys, *arguments: object) -> tuple[int, str, str]:
    """Return the exit code, stdout and stderr of a command in this process."""
    code = 0
    try:
        main([str(a) for a in arguments])
    except SystemExit as stop:
        code = int(stop.code or 0)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_help_and_import_stay_light():
    heavy = ["numba", "scipy", "pandas", "matplotlib", "starlette", "pyarrow", "gensim", "spacy", "sklearn"]
    program = (
        f"import sys, adagram, adagram.cli; adagram.cli.build_app(); print([m for m in {heavy!r} if m in sys.modules])"
    )
    assert subprocess.check_output([sys.executable, "-c", program], text=True).strip() == "[]"


def test_only_the_verb_that_runs_is_imported(planted_folder):
    program = (
        f"import sys; from adagram.cli import main\nsys.argv = ['adagram', 'info', {str(planted_folder)!r}]\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print([m for m in sys.modules if m.startswith('adagram.cli.')])"
    )
    last = subprocess.check_output([sys.executable, "-c", program], text=True).splitlines()[-1]
    assert sorted(last[1:-1].split(", ")) == ["'adagram.cli.options'", "'adagram.cli.output'", "'adagram.cli.senses'"]


def test_looking_does_not_load_the_compiler(planted_folder):
    program = (
        f"import sys, adagram; m = adagram.load({str(planted_folder)!r}); m.senses('planted'); "
        "m.disambiguate('planted', ['topic0x1']); print('numba' in sys.modules)"
    )
    assert subprocess.check_output([sys.executable, "-c", program], text=True).strip() == "False"


def test_senses_as_table_and_json(planted_folder, capsys):
    code, out, _ = call(capsys, "senses", planted_folder, "planted", "--top", 2)
    lines = out.splitlines()
    assert code == 0
    assert lines[0].split("\t") == ["sense", "prior", "count", "neighbours"]
    assert {line.split("\t")[0] for line in lines[1:]} == {"planted#0", "planted#1"}
    priors = [float(line.split("\t")[1]) for line in lines[1:]]
    assert priors == sorted(priors, reverse=True)
    code, out, _ = call(capsys, "senses", planted_folder, "planted", "--json")
    rows = [json.loads(line) for line in out.splitlines()]
    assert sum(row["prior"] for row in rows) == pytest.approx(1)
    assert rows[0]["neighbours"][0].keys() == {"sense", "similarity"}


def test_one_sense_and_other_spellings(planted_folder, capsys):
    for asked in ("planted#1", "Planted#1"):
        code, out, _ = call(capsys, "senses", planted_folder, asked)
        assert code == 0
        assert [line.split("\t")[0] for line in out.splitlines()[1:]] == ["planted#1"]
    code, out, _ = call(capsys, "senses", planted_folder, "PLANTED")
    assert (code, len(out.splitlines())) == (0, 3)


def test_senses_with_few_uses_are_left_out(planted_folder, capsys, monkeypatch):
    monkeypatch.setattr("adagram.model.neighbours.MARGINAL_COUNT", 1e9)
    code, out, err = call(capsys, "senses", planted_folder, "planted")
    assert (code, len(out.splitlines())) == (0, 2)
    assert "1 more with few uses or made of leftovers; --all shows them" in err
    code, out, err = call(capsys, "senses", planted_folder, "planted", "--all")
    assert (code, len(out.splitlines()), err) == (0, 3, "")


def test_every_verb_about_senses_takes_a_resolution(planted_folder, tmp_path, capsys):
    lumped = "--resolution", 0
    _, out, _ = call(capsys, "senses", planted_folder, "planted", "--all", *lumped)
    assert [line.split("\t")[0] for line in out.splitlines()[1:]] == ["planted#0"]
    _, out, _ = call(capsys, "disambiguate", planted_folder, "planted", "--context", "topic0x1", *lumped)
    assert out.splitlines()[1:] == ["planted#0\t1"]
    _, out, _ = call(capsys, "words", planted_folder, "--json", *lumped)
    assert {json.loads(line)["senses"] for line in out.splitlines()} == {1}
    (tmp_path / "text.txt").write_text("topic1x1 planted topic1x2\n")
    tagged = tmp_path / "tagged.txt"
    call(capsys, "tag", planted_folder, tmp_path / "text.txt", "--output", tagged, *lumped)
    assert tagged.read_text() == "topic1x1#0 planted#0 topic1x2#0\n"
    (tmp_path / "set.tsv").write_text(
        "target\tinstance_id\tsense\tleft\tright\tsurface\n"
        "planted\t1\ta\ttopic0x1\ttopic0x2\tplanted\nplanted\t2\tb\ttopic1x1\ttopic1x2\tplanted\n"
    )
    _, out, _ = call(capsys, "evaluate", "wsi", planted_folder, tmp_path / "set.tsv", "--json", *lumped)
    scores = {score["metric"]: score["value"] for score in map(json.loads, out.splitlines())}
    assert scores["clusters-per-word"] == 1


def test_a_terminal_gets_a_table(planted_folder, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    code, out, _ = call(capsys, "disambiguate", planted_folder, "planted", "--context", "topic0x1 topic0x5")
    assert code == 0
    assert "planted#0" in out
    assert "\t" not in out
    assert "e-" not in out, "no exponents"


def test_help_keeps_its_brackets(capsys):
    code, out, _ = call(capsys, "demo", "--help")
    assert code == 0
    assert 'pip install "adagram[demo]"' in " ".join(out.split())


def test_words_by_frequency_and_by_ambiguity(planted_folder, capsys):
    code, out, _ = call(capsys, "words", planted_folder, "--top", 3)
    assert code == 0
    assert [line.split("\t")[0] for line in out.splitlines()[:2]] == ["word", "planted"]
    assert len(out.splitlines()) == 4
    code, out, _ = call(capsys, "words", planted_folder, "--ambiguous", "--json")
    assert code == 0
    first = json.loads(out.splitlines()[0])
    assert first["word"] == "planted"
    assert 0.3 < first["second_prior"] <= 0.5


def test_the_likelihood_of_a_subsampled_model_is_also_of_subsampled_text(tmp_path, capsys):
    model = adagram.train([["the", "the", "a", "b", "c"]] * 300, tmp_path / "m", dim=4, min_count=1, subsample=0.01)
    (tmp_path / "text.txt").write_text("the a the b the c the\n" * 50)
    code, out, _ = call(capsys, "likelihood", tmp_path / "m", tmp_path / "text.txt")
    rows = dict(line.split("\t") for line in out.splitlines())
    assert code == 0
    assert list(rows)[1:3] == ["as_trained_per_context_word", "log_likelihood_per_context_word"]
    kept = thinned(
        model.vocabulary.ids(["the", "a", "the", "b", "the", "c", "the"] * 50), model.vocabulary.counts, 0.01
    )
    found = model.predictor.likelihood(kept).per_word
    assert float(rows["as_trained_per_context_word"]) == pytest.approx(found, abs=1e-5)


def test_neighbours_info_and_likelihood(planted_folder, tmp_path, capsys):
    code, out, _ = call(capsys, "neighbours", planted_folder, "planted#1", "--top", 3)
    assert (code, len(out.splitlines())) == (0, 4)
    code, out, _ = call(capsys, "info", planted_folder)
    facts = dict(line.split("\t") for line in out.splitlines())
    assert facts["algorithm"] == "adagram"
    assert facts["words"] == "25"
    assert int(facts["senses"]) >= 26, "learned ones, not the option of mpsg and mssg"
    text = tmp_path / "text.txt"
    text.write_text("topic0x1 topic0x2 planted topic0x3 unheard\n")
    code, out, err = call(capsys, "likelihood", planted_folder, text)
    assert code == 0
    assert "4 of 5 words" in err
    exact = adagram.load(planted_folder).log_likelihood(text.read_text().split())
    assert float(out.splitlines()[1].split("\t")[1]) == pytest.approx(exact, abs=1e-5), "models differ by 0.001"


def test_disambiguate_one_and_a_stream(planted_folder, capsys, monkeypatch):
    code, out, _ = call(capsys, "disambiguate", planted_folder, "planted", "--context", "topic0x1 topic0x5")
    chances = [float(line.split("\t")[1]) for line in out.splitlines()[1:]]
    assert code == 0
    assert sum(chances) == pytest.approx(1, abs=1e-3)
    code, _, err = call(capsys, "disambiguate", planted_folder, "planted", "--context", "strange words")
    assert (code, err) == (0, "the model knows no word of the context; these are the priors\n")
    own, marked = (
        call(capsys, "disambiguate", planted_folder, "planted", "--context", f"topic0x1 {word} topic0x5")
        for word in ("Planted", "_")
    )
    assert own == marked
    feed(monkeypatch, b"planted\ttopic0x1 topic0x5\nnobody\tx\nplanted\ttopic1x1 topic1x5\n")
    _, out, _ = call(capsys, "disambiguate", planted_folder, "-")
    rows = [line.split("\t") for line in out.splitlines()]
    assert rows[0] == ["word", "sense", "probability"]
    assert rows[2] == ["nobody", "", "0"]
    assert {rows[1][1], rows[3][1]} == {"planted#0", "planted#1"}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["senses", "{model}", "plantd"], "near spellings: planted"),
        (["senses", "nowhere", "x"], "nowhere is not a model"),
        (["senses", "planted", "{model}"], "planted is not a model"),
        (["senses", "{model}", "planted#99"], "the senses of 'planted' are planted#0, planted#1"),
        (["senses", "{model}", "planted", "--resolution", "rough"], "coarse, medium, fine or a number"),
        (["serve", "{model}", "--edit", "--resolution", "0.5"], "senses as learned"),
        (["train", "{model}", "--output", "{tmp}/m"], "is a model, not a corpus"),
        (["train", "https://example.org/a.txt", "--output", "{tmp}/m"], "download it first"),
        (["disambiguate", "{model}", "planted"], "--context"),
        (["disambiguate", "{model}", "planted", "--context-weights", "all"], "context_weights is 'all'"),
        (["train", "nowhere.txt", "--output", "{tmp}/m"], "nowhere.txt"),
        (["train", "{text}", "--output", "{tmp}/m", "--alpha", "nan"], "alpha is nan"),
        (["train", "{text}", "--output", "{text}", "--min-count", "1"], "is a file"),
        (["train", "{text}", "--output", "{tmp}/m", "--algorithm", "lda"], "one of adagram"),
    ],
)
def test_failures_are_one_sentence(arguments, sentence, planted_folder, tmp_path, capsys):
    text = tmp_path / "text.txt"
    text.write_text("a b c d e f g\n" * 3)
    filled = [a.format(model=planted_folder, tmp=tmp_path, text=text) for a in arguments]
    code, out, err = call(capsys, *filled)
    assert code == 1
    assert out == ""
    assert err.startswith("adagram: ")
    assert sentence.lower() in err.lower()
    assert len(err.strip().splitlines()) == 1
    assert [p.name for p in tmp_path.iterdir()] == ["text.txt"], "nothing is left behind"


def test_a_stream_line_without_a_tab_is_named(planted_folder, capsys, monkeypatch):
    feed(monkeypatch, b"planted topic0x1\n")
    code, _, err = call(capsys, "disambiguate", planted_folder, "-")
    assert code == 1
    assert "line 1" in err


def test_a_closed_pipe_is_quiet(planted_folder):
    command = f"{sys.executable} -m adagram neighbours {planted_folder} 'planted#0' --top 1000 | head -n 1"
    found = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert found.stderr == ""


def every_command(group, path=()):
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from every_command(command, (*path, name))
        else:
            yield (*path, name), command


def test_every_command_has_help_and_a_page():
    from typer.main import get_command

    root = Path(__file__).parents[2]
    pages = [root / "README.md", *sorted((root / "docs").glob("*.md"))]
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    for path, command in every_command(get_command(build_app())):
        name = " ".join(path)
        assert command.help, name
        assert f"adagram {name}" in text, f"`adagram {name}` is in no document"


def test_training_that_found_hardly_a_sense_says_what_finds_more():
    from adagram.cli.train import advice
    from adagram.config import TrainConfig

    told = advice(TrainConfig(alpha=0.1, subsample=1e-4), share=0.001, n_tokens=1_000_000)
    assert "--alpha 0.5 --epochs 10" in told
    assert "--subsample" not in told, "is so already"
    assert advice(TrainConfig(alpha=0.1), share=0.2, n_tokens=1_000_000) == ""
    assert advice(TrainConfig(alpha=0.1), share=0.001, n_tokens=100_000_000) == ""
    assert advice(TrainConfig(algorithm="skipgram"), share=0.0, n_tokens=1_000_000) == ""
    assert advice(TrainConfig(alpha=0.5, epochs=10, subsample=1e-4), share=0.0, n_tokens=1_000_000) == ""
