"""What must not change by accident: models of all systems, options of all verbs, and JSON of all verbs.

Figures are kept in golden.json beside this file. If a change of them is the purpose, write them anew and say so:

    ADAGRAM_WRITE_GOLDEN=1 python -m pytest tests/golden -n 0
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adagram
from adagram.config import ALGORITHMS
from adagram.model import Model
from cli.test_json import FIRST as BEFORE
from cli.test_json import SAID, VERBS, lines_of
from cli.test_json import place as place  # a fixture
from continue_support import FIRST, SECOND, options_of

GOLDEN = Path(__file__).with_name("golden.json")
IS_WRITTEN = os.environ.get("ADAGRAM_WRITE_GOLDEN") == "1"
CONTINUED = ("adagram", "skipgram", "skipgram-ns", "mpsg")
SMALL = {"mssg": {"lr": 0.1}, "np-mssg": {"lr": 0.1, "new_sense_below": 0.1}}


def golden(name: str, found: Any) -> Any:
    """Return the kept figures of a name; write them first if that is wished."""
    kept = json.loads(GOLDEN.read_text(encoding="utf-8")) if GOLDEN.exists() else {}
    if IS_WRITTEN:
        kept[name] = found
        text = json.dumps(kept, indent=1, sort_keys=True, ensure_ascii=False)
        GOLDEN.write_text(text + "\n", encoding="utf-8")
    return kept[name]


def figures(model: Model) -> dict[str, Any]:
    """Of every array its shape, sum and length."""
    arrays = {name: np.asarray(array, np.float64) for name, array in model.arrays.items()}
    return {
        name: [list(array.shape), float(array.sum()), float(np.linalg.norm(array))] for name, array in arrays.items()
    }


def assert_same(found: dict[str, Any], kept: dict[str, Any]) -> None:
    assert found.keys() == kept.keys()
    for name, (shape, total, length) in kept.items():
        assert found[name][0] == shape, name
        assert found[name][1:] == pytest.approx([total, length], rel=1e-3, abs=1e-3 * length), name


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_first_run(algorithm: str) -> None:
    model = adagram.train(FIRST[:1000], **options_of(algorithm) | SMALL.get(algorithm, {}))
    assert_same(figures(model), golden(f"model {algorithm}", figures(model)))


@pytest.mark.parametrize("algorithm", CONTINUED)
def test_a_continued_run(algorithm: str) -> None:
    old = adagram.train(FIRST[:1000], **options_of(algorithm))
    model = adagram.train(SECOND[:500], start=old, min_count=1, threads=1)
    assert_same(figures(model), golden(f"model {algorithm}, continued", figures(model)))


def test_lanes() -> None:
    model = adagram.train(FIRST[:1000], **options_of("adagram") | {"lanes": 3})
    assert_same(figures(model), golden("model adagram, three lanes", figures(model)))


@pytest.mark.parametrize("verb", VERBS)
def test_options_and_help(verb: str) -> None:
    """Not as they are laid out, which is up to the libraries."""
    command = VERBS[verb]
    found = {
        "help": command.help,
        "parameters": {
            "/".join([*p.opts, *p.secondary_opts]): [
                p.default if isinstance(p.default, (bool, int, float, str)) else None,
                getattr(p, "help", None) if p.opts[0].startswith("-") else None,
            ]
            for p in command.params
        },
    }
    assert found == golden(f"verb {verb}", found)


@pytest.mark.parametrize("verb", SAID)
def test_json(verb: str, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if verb in BEFORE:
        lines_of(capsys, BEFORE[verb], place)
    lines = json.dumps(lines_of(capsys, SAID[verb], place)[:3]).replace(str(place), "PLACE")
    found = json.loads(lines)
    assert_close(found, golden(f"json {verb}", found))


def assert_close(found: Any, kept: Any) -> None:
    """Processors and compilers round differently."""
    if isinstance(kept, dict):
        assert found.keys() == kept.keys()
        for name in (name for name in kept if "second" not in name):
            assert_close(found[name], kept[name])
    elif isinstance(kept, list):
        assert len(found) == len(kept)
        for one, other in zip(found, kept, strict=True):
            assert_close(one, other)
    elif isinstance(kept, float):
        assert found == pytest.approx(kept, rel=0.02, abs=0.002)
    else:
        assert found == kept
