"""--json with every verb: lines of JSON on stdout, and nothing else there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from adagram.cli import build_app, main

# Verbs whose JSON is tested beside their own tests, because they need data, a server or minutes.
ELSEWHERE = {"demo", "serve", "push", "wwsi", "reproduce", "diff", "trends", "change", "models"}
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


# What to give each verb; tests/golden compares what it prints.
SAID = {
    "info": "info MODEL",
    "senses": "senses MODEL planted",
    "neighbours": "neighbours MODEL planted#0",
    "words": "words MODEL --ambiguous",
    "disambiguate": "disambiguate MODEL planted --context topic0x1",
    "likelihood": "likelihood MODEL TEXT",
    "encode": "encode TEXT -o OUT/encoded --min-count 1",
    "train": "train TEXT -o OUT/new --min-count 1 --dim 8 --epochs 1 --threads 1",
    "tag": "tag MODEL TEXT -o OUT/tagged.txt",
    "export": "export MODEL -f word2vec -o OUT/v.txt",
    "import": "import OUT/v.txt -f word2vec -o OUT/imported",
    "describe": "describe MODEL TEXT",
    "examples": "examples MODEL planted --corpus TEXT",
    "collocates": "collocates MODEL planted#0 --corpus TEXT",
    "concordance": "concordance MODEL planted --corpus TEXT",
    "merge": "merge MODEL planted 0 1",
    "label": "label MODEL planted#1 river",
    "hide": "hide MODEL planted#1",
    "undo": "undo MODEL",
    "check": "check MODEL",
    "plot senses": "plot senses MODEL planted -o OUT/p.svg",
    "plot map": "plot map MODEL planted -o OUT/p.svg",
    "plot resolution": "plot resolution MODEL -o OUT/p.svg",
}
FIRST = {"import": "export MODEL -f word2vec -o OUT/v.txt", "undo": "hide MODEL planted#1"}


def test_no_verb_is_forgotten() -> None:
    tested = {verb for verb in VERBS if verb in SAID or verb.split()[0] in {*ELSEWHERE, "evaluate"}}
    assert set(VERBS) - tested == {"plot trend"}, "which writes as the other plots do"


def test_tagged_text_on_stdout_is_a_line_of_json_for_every_line(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tagged = lines_of(capsys, "tag MODEL TEXT", place)
    assert len(tagged) == 100
    assert tagged[0]["tagged"].split()[3].startswith("planted#")
