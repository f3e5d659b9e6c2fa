"""--json with every verb: lines of JSON on stdout, and nothing else there."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from adagram.cli import build_app, main

# Verbs whose JSON is tested beside their own tests, because they need data, a server or minutes.
ELSEWHERE = {"demo", "serve", "push", "wwsi", "reproduce", "diff", "trends", "change"}
TEXT = """topic0x1 topic0x3 topic0x5 planted topic0x2 topic0x4 topic0x6 topic0x7
topic1x1 topic1x3 topic1x5 planted topic1x2 topic1x4 topic1x6 topic1x7
"""


def every_verb(group: Any, path: tuple[str, ...] = ()) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            found |= every_verb(command, (*path, name))
        else:
            found[" ".join((*path, name))] = command
    return found


VERBS = every_verb(get_command(build_app()))


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_takes_json(verb: str) -> None:
    assert any("--json" in parameter.opts for parameter in VERBS[verb].params)


@pytest.fixture
def place(planted_model: Any, tmp_path: Path) -> Path:
    """A folder with a model that may be changed, and a text."""
    planted_model.save(tmp_path / "model")
    (tmp_path / "text.txt").write_text(TEXT * 50, encoding="utf-8")
    return tmp_path


def lines_of(capsys: pytest.CaptureFixture[str], arguments: str, place: Path) -> list[dict[str, Any]]:
    """What a verb prints with --json; MODEL, TEXT and OUT stand for paths."""
    names = {"MODEL": place / "model", "TEXT": place / "text.txt"}
    capsys.readouterr()
    given = [str(names.get(a, place / a[4:] if a.startswith("OUT/") else a)) for a in arguments.split()]
    with pytest.raises(SystemExit) as stop:
        main([*given, "--json"])
    assert not stop.value.code, capsys.readouterr().err
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


# What to give each verb, and what its first line says.
SAID: dict[str, tuple[str, Callable[[dict[str, Any]], bool]]] = {
    "info": ("info MODEL", lambda line: line == {"property": "words", "value": 25}),
    "senses": ("senses MODEL planted", lambda line: line["prior"] > 0.3),
    "neighbours": ("neighbours MODEL planted#0", lambda line: line["similarity"] <= 1),
    "words": ("words MODEL --ambiguous", lambda line: line["word"] == "planted"),
    "disambiguate": (
        "disambiguate MODEL planted --context topic0x1",
        lambda line: 0 <= line["probability"] <= 1,
    ),
    "likelihood": ("likelihood MODEL TEXT", lambda line: line["value"] < 0),
    "encode": ("encode TEXT -o OUT/encoded --min-count 1", lambda line: line["tokens"] == 800),
    "train": (
        "train TEXT -o OUT/new --min-count 1 --dim 8 --epochs 1 --threads 1",
        lambda line: line["words"] == 15 and line["model"].endswith("new"),
    ),
    "tag": ("tag MODEL TEXT -o OUT/tagged.txt", lambda line: line["words"] == line["tagged"] == 800),
    "export": ("export MODEL -f word2vec -o OUT/v.txt", lambda line: line["output"].endswith("v.txt")),
    "import": (
        "import OUT/v.txt -f word2vec -o OUT/imported",
        lambda line: line["senses"] >= line["words"] == 25,
    ),
    "describe": ("describe MODEL TEXT", lambda line: line["sheet"].endswith("senses.jsonl")),
    "examples": ("examples MODEL planted --corpus TEXT", lambda line: "planted" in line["text"]),
    "collocates": ("collocates MODEL planted#0 --corpus TEXT", lambda line: line["count"] > 0),
    "concordance": ("concordance MODEL planted --corpus TEXT", lambda line: line["keyword"] == "planted"),
    "merge": ("merge MODEL planted 0 1", lambda line: line["decision"] == "merge planted 0 1"),
    "label": ("label MODEL planted#1 river", lambda line: line["decision"] == "label planted#1 river"),
    "hide": ("hide MODEL planted#1", lambda line: line["journal"].endswith("journal.txt")),
    "undo": ("undo MODEL", lambda line: line["decision"] == "undo"),
    "check": ("check MODEL", lambda line: line["result"] == "good"),
    "clean": ("clean OUT/", lambda line: line["removed"] == []),
    "plot senses": ("plot senses MODEL planted -o OUT/p.svg", lambda line: line["output"].endswith("p.svg")),
    "plot map": ("plot map MODEL planted -o OUT/p.svg", lambda line: line["output"].endswith("p.svg")),
    "plot resolution": ("plot resolution MODEL -o OUT/p.svg", lambda line: line["output"].endswith("p.svg")),
}
FIRST = {"import": "export MODEL -f word2vec -o OUT/v.txt", "undo": "hide MODEL planted#1"}


@pytest.mark.parametrize("verb", SAID)
def test_with_json_stdout_has_lines_of_json_that_say_what_was_done(
    verb: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if verb in FIRST:
        lines_of(capsys, FIRST[verb], place)
    arguments, says = SAID[verb]
    lines = lines_of(capsys, arguments, place)
    assert lines
    assert says(lines[0]), lines[0]


def test_no_verb_is_forgotten() -> None:
    tested = {verb for verb in VERBS if verb in SAID or verb.split()[0] in {*ELSEWHERE, "evaluate"}}
    assert set(VERBS) - tested == {"plot trend"}, "which writes as the other plots do"


def test_tagged_text_on_stdout_is_a_line_of_json_for_every_line(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tagged = lines_of(capsys, "tag MODEL TEXT", place)
    assert len(tagged) == 100
    assert tagged[0]["tagged"].split()[3].startswith("planted#")
