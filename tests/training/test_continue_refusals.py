"""What a run that goes on refuses, in one sentence and with the old model as it was."""

from __future__ import annotations

import resource
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import adagram
from adagram.corpus import EncodeOptions, encode
from adagram.errors import InputError
from adagram.model import Model
from adagram.model.storage import Continuation
from continue_support import FIRST, OPTIONS, SECOND, files, options_of


@pytest.fixture(scope="module")
def old(tmp_path_factory) -> Model:
    return adagram.train(FIRST, tmp_path_factory.mktemp("old") / "model", **OPTIONS)


BAD: dict[str, tuple[list[list[str]], dict[str, Any], str]] = {
    "dim": (SECOND, {"dim": 9}, "dim is 9, but .* has 8"),
    "window": (SECOND, {"window": 2}, "window is 2, but .* has 5"),
    "algorithm": (SECOND, {"algorithm": "skipgram"}, "algorithm is skipgram, but .* has adagram"),
    "tokenizer": (SECOND, {"fold_case": True}, "fold_case is True, but .* has False"),
    "senses": (SECOND, {"max_senses": 3}, "max_senses is 3, but words of .* may have 30"),
    "phrases": (SECOND, {"phrases": 1}, "cannot go on with phrases"),
    "words": ([["no", "such", "words"]] * 9, {}, "none of the 3 words of the text is known"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_does_not_fit_is_one_sentence_and_the_old_model_stays(old: Model, tmp_path, case: str) -> None:
    text, options, message = BAD[case]
    old.save(tmp_path / "old")
    before = files(tmp_path / "old")
    with pytest.raises(InputError, match=message):
        adagram.train(text, tmp_path / "old", start=tmp_path / "old", overwrite=True, **options)
    assert files(tmp_path / "old") == before
    assert [path.name for path in tmp_path.iterdir() if not path.name.startswith(".")] == ["old"]


def test_a_corpus_that_was_encoded_in_another_way_is_refused(old: Model, tmp_path) -> None:
    (tmp_path / "text.txt").write_text("\n".join(map(" ".join, SECOND[:50])))
    encode(tmp_path / "text.txt", tmp_path / "encoded", EncodeOptions(min_count=1))
    with pytest.raises(InputError, match=r"the corpus was encoded with .*; encode it as the model's text was"):
        adagram.train(tmp_path / "encoded", start=old)


def test_an_imported_model_cannot_go_on(old: Model) -> None:
    imported = Model(old.arrays, old.vocabulary, old.info | {"imported": {"format": "word2vec"}})
    with pytest.raises(InputError, match="was imported"):
        adagram.train(SECOND, start=imported)


def test_memory_without_a_past_is_refused() -> None:
    with pytest.raises(InputError, match="no model is continued"):
        adagram.train(FIRST, **OPTIONS, memory=5)


def test_a_damaged_rest_is_refused(old: Model, tmp_path) -> None:
    old.save(tmp_path / "m")
    loaded = adagram.load(tmp_path / "m")
    rest = dict(loaded._continuation.rest or {}) | {"pending": np.full(len(old.vocabulary), np.nan)}
    loaded._continuation = Continuation(rest, {})
    with pytest.raises(InputError, match="pending has a value that is not a finite number from 0"):
        adagram.train(SECOND, start=loaded)


def test_a_full_disk_is_one_sentence_and_the_old_model_stays(old: Model, tmp_path) -> None:
    """No file may grow beyond what the ids of the new text need, so the model cannot be written."""
    old.save(tmp_path / "old")
    before = files(tmp_path / "old")
    text = "\n".join(" ".join(words) for words in SECOND[:50])
    command = [sys.executable, "-m", "adagram", "train", "-", "--continue", str(tmp_path / "old")]
    command += ["--output", str(tmp_path / "old"), "--overwrite", "--min-count", "1", "--threads", "1"]

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))

    done = subprocess.run(command, input=text.encode(), capture_output=True, preexec_fn=limit, check=False)
    said = done.stderr.decode()
    assert done.returncode == 1, said
    assert "cannot be written" in said or "File too large" in said
    assert "Traceback" not in said
    assert files(tmp_path / "old") == before


@pytest.mark.parametrize("algorithm", ["mssg", "np-mssg"])
def test_systems_that_cannot_go_on_say_so(algorithm: str) -> None:
    model = adagram.train(FIRST[:200], **options_of(algorithm))
    with pytest.raises(InputError, match=f"{algorithm}, which cannot be continued"):
        adagram.train(SECOND, start=model)
