"""Values of any kind in the files of a model, a corpus or a set of rules: they are used, or refused in a sentence."""

from __future__ import annotations

import copy
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

import adagram
from adagram.config import EncodeOptions
from adagram.corpus import encode
from adagram.encoded import EncodedCorpus
from adagram.errors import AdagramError, InputError
from adagram.model.sheet import parse_entry, together
from adagram.wwsi import load_rules
from model_support import random_model

ODD = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["", "9" * 5000, "\0", "\ud800", "../../etc"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=4,
)
many = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Ways to all values inside a JSON value."""
    yield at
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(inner, (*at, key))


def changed(value: Any, at: tuple[Any, ...], odd: Any) -> Any:
    if not at:
        return odd
    value = copy.deepcopy(value)
    inner = value
    for key in at[:-1]:
        inner = inner[key]
    inner[at[-1]] = odd
    return value


def is_refused(use: Callable[[], object]) -> bool:
    """False if it works; anything but a sentence fails the test."""
    try:
        with np.errstate(all="ignore"):
            use()
    except AdagramError as error:
        reason = str(error)
    else:
        return False
    assert reason
    assert "\n" not in reason
    return True


@pytest.fixture(scope="module")
def model_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("odd") / "model"
    random_model(n_words=12, dim=3).save(folder)
    return folder


@pytest.fixture(scope="module")
def corpus_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("odd") / "corpus"
    encode([["the", "cat", "sat"], ["the", "dog"]] * 5, folder, EncodeOptions(min_count=1, threads=1))
    return folder


def use_model(folder: Path) -> None:
    model = adagram.load(folder)
    word = model.vocabulary.words[0]
    model.senses(word, top=3)
    model.disambiguate(word, model.vocabulary.words[:3])
    model.assign(model.tokenize(" ".join(model.vocabulary.words)))
    model.log_likelihood(model.vocabulary.words)


def use_corpus(folder: Path) -> None:
    corpus = EncodedCorpus.open(folder)
    assert len(corpus.vocabulary.words) == len(corpus.vocabulary.counts)


def write_json(path: Path, value: Any) -> None:
    path.write_bytes(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"))


@many
@given(data=st.data())
def test_config_json(data: st.DataObject, model_folder: Path, tmp_path: Path) -> None:
    whole = json.loads((model_folder / "config.json").read_text())
    at = data.draw(st.sampled_from(list(places(whole))))
    odd = data.draw(ODD)
    folder = Path(shutil.copytree(model_folder, tmp_path / "model", dirs_exist_ok=True))
    write_json(folder / "config.json", changed(whole, at, odd))
    is_refused(lambda: use_model(folder))


@many
@given(data=st.data())
def test_corpus_json(data: st.DataObject, corpus_folder: Path, tmp_path: Path) -> None:
    whole = json.loads((corpus_folder / "corpus.json").read_text())
    at = data.draw(st.sampled_from(list(places(whole))))
    odd = data.draw(ODD)
    folder = Path(shutil.copytree(corpus_folder, tmp_path / "corpus", dirs_exist_ok=True))
    write_json(folder / "corpus.json", changed(whole, at, odd))
    is_refused(lambda: use_corpus(folder))


@pytest.mark.parametrize("name", ["config.json", "corpus.json"])
@pytest.mark.parametrize(
    "text", ["9" * 5000, "[" * 50_000, '{"format": ' + "9" * 5000 + "}", "", "NaN", "\0"]
)
def test_json_that_is_none(
    name: str, text: str, model_folder: Path, corpus_folder: Path, tmp_path: Path
) -> None:
    source, use = (model_folder, use_model) if name == "config.json" else (corpus_folder, use_corpus)
    folder = Path(shutil.copytree(source, tmp_path / "copy"))
    (folder / name).write_text(text)
    assert is_refused(lambda: use(folder))


LINE = st.text(max_size=12) | st.builds(
    lambda word, mark, count: f"{word}{mark}{count}",
    st.text(max_size=4),
    st.sampled_from(["\t", " ", "\t\t", ""]),
    st.integers(-5, 2**70) | st.sampled_from(["²", "1e9", "9" * 5000, "-0", "NaN", "0x9", " 7", "7 "]),
)


@pytest.mark.parametrize("kind", ["model", "corpus"])
@many
@given(at=st.integers(0, 11), line=LINE)
def test_lines_of_vocab_txt(
    kind: str, at: int, line: str, model_folder: Path, corpus_folder: Path, tmp_path: Path
) -> None:
    source, use = (model_folder, use_model) if kind == "model" else (corpus_folder, use_corpus)
    folder = Path(shutil.copytree(source, tmp_path / kind, dirs_exist_ok=True))
    lines = (source / "vocab.txt").read_text(encoding="utf-8").splitlines(keepends=True)
    lines[at % len(lines)] = line + "\n"
    (folder / "vocab.txt").write_bytes("".join(lines).encode("utf-8", "surrogatepass"))
    is_refused(lambda: use(folder))


TOML_VALUES = st.sampled_from(
    ["true", "0", "-1", "99999999999999999999", "1.5", "nan", "inf", '"x"', '""', "[]", "[1]", '["a", 2]', "{}",
     "{a = 1}", '{a = "b"}', "1979-05-27", "07:32:00", "[[]]", "[{}]", '"""\n"""', "0x10", '["\\u0000"]']
)  # fmt: skip
RULES = (
    "min_count", "min_senses", "min_contexts", "window", "disambiguation_templates", "primary_topic",
    "disambiguation_suffixes", "implied_categories", "implied_by_parameter", "excluded_word_categories", "tokenizer",
    "tokenizer.fold_case", "tokenizer.max_chars", "tokenizer.numbers", "tokenizer.pretokenized",
    "tokenizer.phrase_joiner", "implied_categories.a", "unknown", '""',
)  # fmt: skip


@many
@given(st.dictionaries(st.sampled_from(RULES), TOML_VALUES, min_size=1, max_size=3))
def test_rules_of_wwsi(tmp_path: Path, values: dict[str, str]) -> None:
    path = tmp_path / "rules.toml"
    path.write_text("".join(f"{name} = {value}\n" for name, value in values.items()))
    is_refused(lambda: load_rules(path))


ENTRY = {
    "sense": "bank#0", "expected": 3.5, "hard": 3, "label": "river", "uses": 3, "pairs": 9, "pairs_of_word": 12,
    "collocates": [{"word": "mud", "count": 2, "of_word": 2, "ratio": 1.5, "dice": 9.5}],
    "examples": [{"text": "a bank", "document": "d", "date": "", "posterior": 0.9}],
}  # fmt: skip


@many
@given(data=st.data())
def test_lines_of_a_sense_sheet(data: st.DataObject) -> None:
    at = data.draw(st.sampled_from(list(places(ENTRY))))
    line = json.dumps(changed(ENTRY, at, data.draw(ODD))).encode()

    def use() -> None:
        whole, found = parse_entry(json.dumps(ENTRY), Path("sheet")), parse_entry(line, Path("sheet"))
        json.dumps([vars(c) for c in together("bank#0", [found, whole], None).collocates], allow_nan=False)

    is_refused(use)


def test_a_vocabulary_out_of_order_is_refused_by_training(corpus_folder: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(corpus_folder, tmp_path / "corpus"))
    lines = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines(keepends=True)
    lines[0] = lines[0].replace("10", "1")
    (folder / "vocab.txt").write_text("".join(lines), encoding="utf-8")
    with pytest.raises(InputError, match="damaged"):
        adagram.train(folder, tmp_path / "m", dim=3, threads=1)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", ["vectors", "norms", "output", "counts", "priors"])
def test_values_that_are_no_numbers_are_found_out_in_use(
    name: str, value: float, model_folder: Path, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(model_folder, tmp_path / "model"))
    file = folder / "model.safetensors"
    arrays = load_file(file)
    with safe_open(file, "np") as opened:
        metadata = opened.metadata()
    arrays[name][:] = value
    save_file(arrays, file, metadata)
    assert is_refused(lambda: use_model(folder))


def test_no_answer_of_the_page_is_made_of_them() -> None:
    pytest.importorskip("uvicorn")
    from adagram.web.explorer import Explorer

    model = random_model(n_words=12, dim=3)
    model.arrays["vectors"][3] = np.nan  # type: ignore[index]
    with pytest.raises(InputError, match="adagram check"):
        Explorer(model)
