"""Values of a wrong type in the JSON files of a model or a corpus, and a damaged trends.npz, are one sentence."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adagram
from adagram.api import start_of
from adagram.cli.look import info
from adagram.config import EncodeOptions
from adagram.corpus import encode
from adagram.encoded import EncodedCorpus
from adagram.errors import AdagramError, InputError
from adagram.model.diff import check_descends
from adagram.model.kept import KeptTrends, read_trends
from adagram.model.model import write_model

TEXT = [["a", "b", "c", "d"], ["a", "x", "y", "d"]] * 40
ODD: list[Any] = [
    None,
    True,
    -1,
    1e308,
    "x",
    [],
    [[1]],
    ["x"],
    {},
    {"tokens": "y"},
    [{"tokens": -1}],
    [{"text": 3}],
]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("made")
    adagram.train(TEXT, place / "m", dim=8, min_count=1, threads=1, epochs=1)
    encode(TEXT, place / "e", EncodeOptions(min_count=1))
    return place


def paths(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Of all values in a JSON document but the options of training, which have tests of their own."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        if (*at, key) != ("config",):
            yield (*at, key)
            yield from paths(part, (*at, key))


def changed(path: Path) -> Iterator[str]:
    """A file with each of its values in turn replaced by odd ones."""
    original = path.read_text()
    for at in list(paths(json.loads(original))):
        for odd in ODD:
            document = json.loads(original)
            place = document
            for key in at[:-1]:
                place = place[key]
            place[at[-1]] = odd
            path.write_text(json.dumps(document))
            yield f"{at}: {odd}"


def test_a_model_with_odd_values_is_used_or_refused(made: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(made / "m", tmp_path / "m")
    uses = {
        "info": lambda: info(folder),
        "diff": lambda: check_descends(adagram.load(folder), adagram.load(folder)),
        "card": lambda: write_model(adagram.load(folder), tmp_path),
        "continue": lambda: start_of(folder, lambda sentence: None).options({}),
        "seen": lambda: start_of(folder, lambda sentence: None).warn_of_text("other"),
    }
    for what in changed(folder / "config.json"):
        for name, use in uses.items():
            try:
                use()
            except AdagramError:
                pass
            except Exception as error:
                raise AssertionError(f"{name} with {what}") from error


def test_a_corpus_with_odd_values_is_used_or_refused(made: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(made / "e", tmp_path / "e")
    start = start_of(made / "m", lambda sentence: None)
    for what in changed(folder / "corpus.json"):
        try:
            corpus = EncodedCorpus.open(folder)
            start.check_encoded(corpus)
            start.warn_of_text(corpus.meta.get("text"))
        except AdagramError:
            pass
        except Exception as error:
            raise AssertionError(what) from error


@pytest.mark.parametrize(
    ("file", "key", "value"),
    [
        ("m/config.json", "seen", {"tokens": 1}),
        ("m/config.json", "corpus", "many"),
        ("m/config.json", "tokenizer", ["fold_case"]),
        ("e/corpus.json", "tokenizer", "plain"),
        ("e/corpus.json", "n_tokens", -3),
    ],
)
def test_the_sentence_names_the_file_and_the_value(
    made: Path, tmp_path: Path, file: str, key: str, value: Any
) -> None:
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    path = tmp_path / file
    path.write_text(json.dumps(json.loads(path.read_text()) | {key: value}))
    with pytest.raises(InputError, match=rf"{path.name} is damaged: {key} is "):
        (adagram.load if file[0] == "m" else EncodedCorpus.open)(path.parent)


HEADERS = [
    b"{'descr': '<f8', 'fortran_order': False, 'shape': (2,",
    b"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999,), }",
    b"(" * 5000,
    b"{'descr': '<f8', 'fortran_order': False, 'shape': (2,)}\n  indented",
    b"'''",
    b"{'descr': '|O', 'fortran_order': False, 'shape': (2,), }",
    b"\xff\xfe",
]


@pytest.mark.parametrize("header", HEADERS, ids=lambda header: str(header[:40]))
def test_a_damaged_header_in_trends_is_one_sentence(tmp_path: Path, header: bytes) -> None:
    zero = np.zeros(2)
    KeptTrends(["a#0"], ["1990", "1991"], zero, zero[None], zero, np.zeros(1, np.int64)).keep(tmp_path)
    with zipfile.ZipFile(tmp_path / "trends.npz") as kept:
        files = {name: kept.read(name) for name in kept.namelist()}
    files["times.npy"] = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(16)
    with zipfile.ZipFile(tmp_path / "trends.npz", "w") as kept:
        for name, data in files.items():
            kept.writestr(name, data)
    with pytest.raises(InputError, match=r"trends\.npz is damaged"):
        read_trends(tmp_path)
