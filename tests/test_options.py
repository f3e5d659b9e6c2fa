"""One door for options: every field of both classes, in Python and on the command line."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

import adagram
from adagram.cli import build_app, main
from adagram.config import ALGORITHMS, BY_LENGTH, PRESETS, TrainConfig, read_options
from adagram.corpus.options import EncodeOptions
from adagram.errors import InputError
from adagram.options import (
    SYNONYMS,
    Encoding,
    File,
    Flag,
    FloatRange,
    IntRange,
    OneOf,
    Regex,
    Text,
    WordList,
    options_of,
)

CLASSES = (TrainConfig, EncodeOptions)
EVERY = [
    pytest.param(cls, name, field, about, id=f"{cls.__name__}-{name}")
    for cls in CLASSES
    for name, (field, about) in options_of(cls).items()
]
# Values of another type than the kind of option has.
WRONG_TYPE: dict[type, list[Any]] = {
    IntRange: ["20", 2.0, True, [3]],
    FloatRange: ["0.1", True, [0.1], float("nan"), float("inf")],
    OneOf: [1, ["adagram"], b"text"],
    Flag: [1, "yes", 0],
    Text: [1, "", ["text"]],
    Regex: [1, "("],
    Encoding: [1, "", "klingon", "base64"],
    File: [1, "no such file", "/"],
    WordList: [1, b"the", [1, 2], "no such file", Path("/")],
}


def out_of_range(kind: Any) -> list[Any]:
    if isinstance(kind, IntRange):
        return [kind.min - 1, kind.max + 1]
    if isinstance(kind, FloatRange):
        return [kind.min if kind.is_open else kind.min - 1, kind.max * 2 + 1]
    return ["stemmed"] if isinstance(kind, OneOf) else []


@pytest.mark.parametrize(("cls", "name", "field", "about"), EVERY)
def test_every_option_takes_its_default_and_refuses_the_rest_by_name(
    cls: Any, name: str, field: Any, about: Any
) -> None:
    found = getattr(cls(**{name: field.default}), name)
    assert found == field.default or (field.default is None and about.unset)
    for value in WRONG_TYPE[type(about.kind)] + out_of_range(about.kind):
        with pytest.raises(InputError, match=f"^{name} is .*; it must be ") as refused:
            read_options({name: value})
        assert about.kind.description in str(refused.value)
    if field.default is not None:
        with pytest.raises(InputError, match=f"^{name} is None"):
            read_options({name: None})


@pytest.mark.parametrize(("cls", "name", "field", "about"), EVERY)
def test_every_option_is_on_the_command_line_with_help(cls: Any, name: str, field: Any, about: Any) -> None:
    commands = get_command(build_app()).commands  # type: ignore[attr-defined]
    verbs = ["train", "encode"] if cls is EncodeOptions else ["train"]
    for verb in verbs:
        found = next(option for option in commands[verb].params if option.name == name)
        assert f"--{name.replace('_', '-')}" in found.opts
        assert len(found.help) > 10
        if not about.unset:
            assert found.default == field.default


def test_limits_are_both_named() -> None:
    with pytest.raises(InputError, match=r"^alpha is 1e9; it must be a number above 0, at most 1e6$"):
        read_options({"alpha": 1e9})
    with pytest.raises(InputError, match=r"^dim is 0; it must be a whole number from 1 to 10000$"):
        read_options({"dim": 0})


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("size", "here it is called dim"),
        ("vector_size", "here it is called dim"),
        ("iter", "here it is called epochs"),
        ("sample", "here it is called subsample"),
        ("min_alpha", "lr is where it starts"),
        ("sg", "'skipgram'"),
        ("widnow", "did you mean window?"),
        ("stopwords", "did you mean stop_words?"),
        ("xyzzy", "the options are preset, algorithm, dim"),
    ],
)
def test_an_unknown_name_is_answered_with_the_one_that_was_meant(name: str, answer: str) -> None:
    with pytest.raises(InputError) as refused:
        adagram.train("there is no such corpus", **{name: 1})
    assert str(refused.value).startswith(f"unknown option '{name}'; ")
    assert answer in str(refused.value)


def test_synonyms_are_no_options_and_lead_to_options_or_say_what_to_do() -> None:
    known = options_of(*CLASSES)
    for name, meant in SYNONYMS.items():
        assert name not in known
        assert meant in known or " " in meant


def test_bad_values_are_refused_before_anything_is_read() -> None:
    with pytest.raises(InputError, match="phrase_threshold is -1"):
        adagram.train("there is no such corpus", phrase_threshold=-1)


def test_names_of_the_command_line_work_in_python(tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("The OLD man , 1984\n" * 20)
    options: dict[str, Any] = {"dim": 4, "threads": 1, "min_count": 1}
    kept = adagram.train(text, fold_case=False, numbers=False, **options).vocabulary.words
    assert set(kept) == {"The", "OLD", "man"}
    kept = adagram.train(text, pretokenized=True, **options).vocabulary.words
    assert set(kept) == {"The", "OLD", "man", ",", "1984"}
    kept = adagram.train(text, phrases=1, phrase_min_count=3, phrase_threshold=0.5, **options).vocabulary.words
    assert "old_man" in kept or "the_old" in kept


def test_stop_words_are_a_file_by_name_or_words_in_a_list(tmp_path: Path) -> None:
    path = tmp_path / "stop.txt"
    path.write_text("the\nof\n", encoding="utf-8")
    for value in (str(path), path, ["the", "of"], {"of", "the"}, frozenset({"the", "of"})):
        assert EncodeOptions(stop_words=value).stop_words == {"the", "of"}  # type: ignore[arg-type]
    english = EncodeOptions(stop_words="english").stop_words  # type: ignore[arg-type]
    assert {"the", "of", "isn't"} < english
    assert not english & {"bank", "apple", "time", "new"}


def test_options_that_are_not_given_are_those_of_the_algorithms_authors() -> None:
    config, encoding = read_options({"algorithm": "np-mssg", "negatives": 3})
    assert (config.lr, config.subsample, config.shrink_windows, config.respect_boundaries) == (0.1, 1e-3, True, True)
    assert config.negatives == 3
    assert "the" in encoding.stop_words
    config, encoding = read_options({"algorithm": "mssg", "preset": "paper", "stop_words": []})
    assert (config.lr, config.negatives, encoding.stop_words) == (0.025, 5, frozenset())


def test_the_defaults_of_train_are_those_of_its_classes() -> None:
    assert read_options({}) == (TrainConfig(), EncodeOptions())
    for algorithm in ALGORITHMS:
        assert read_options({"algorithm": algorithm})[0] == TrainConfig(algorithm=algorithm)


def test_a_config_is_taken_as_it_is() -> None:
    config = TrainConfig(dim=5, epochs=2, lanes=1, threads=1)
    sentences = [["money", "bank"], ["river", "bank"]] * 50
    model = adagram.train(sentences, config=config, min_count=1)
    assert model.config == config.resolve(200)
    assert None not in [getattr(model.config, name) for name in BY_LENGTH]
    with pytest.raises(InputError, match="dim is 3, but there is a config too; give dim in it"):
        adagram.train(sentences, config=config, dim=3)
    with pytest.raises(InputError, match="config is 5; it must be a TrainConfig"):
        adagram.train(sentences, config=5)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="config holds all options, but"):
        adagram.train(sentences, config=config, start=model)


@pytest.mark.parametrize(
    ("algorithm", "option"),
    [("skipgram", "alpha"), ("mpsg", "max_senses"), ("adagram", "negatives"), ("mssg", "new_sense_below")],
)
def test_options_that_the_algorithm_does_not_use_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], algorithm: str, option: str
) -> None:
    sentence = f"{option} is 1, but {algorithm} does not use it, only "
    with pytest.raises(InputError, match=sentence):
        adagram.train([["a", "b"]] * 50, algorithm=algorithm, min_count=1, **{option: 1})
    (tmp_path / "text.txt").write_text("a b " * 50)
    command = ["train", str(tmp_path / "text.txt"), "--output", str(tmp_path / "model"), "--algorithm", algorithm]
    with pytest.raises(SystemExit) as stop:
        main([*command, f"--{option.replace('_', '-')}", "1"])
    assert stop.value.code == 1
    assert sentence in capsys.readouterr().err
    assert not (tmp_path / "model").exists()


def test_a_model_is_continued_though_its_algorithm_does_not_use_all_options(tmp_path: Path) -> None:
    text: list[list[str]] = [["a", "b", "c"]] * 50
    options = {"dim": 4, "threads": 1, "min_count": 1}
    model = adagram.train(text, tmp_path / "model", algorithm="skipgram", **options)
    assert len(adagram.train(text[:40], start=model, min_count=1)) == 3
    with pytest.raises(InputError, match="alpha is 1, but skipgram does not use it"):
        adagram.train(text, start=model, alpha=1)


def test_what_is_recommended_follows_the_length_of_the_text() -> None:
    config, encoding = read_options({})
    assert (config.merge_senses, config.dim, encoding.min_count) == (True, 100, None)
    short, middle, long = (config.resolve(n) for n in (10_000, 20_000_000, 2_000_000_000))
    assert (short.epochs, middle.epochs, long.epochs) == (10, 4, 1)
    assert (short.subsample, middle.subsample, long.subsample) == (0.01, 1e-4, 1e-4)
    assert (short.row_limit, middle.row_limit, long.row_limit) == (0.0, 0.03, 0.03)
    assert (short.lanes, middle.lanes, long.lanes) == (1, 16, 16)
    assert (short.alpha, middle.alpha, long.alpha) == (0.1, 0.3, 0.1)
    given, _ = read_options({"alpha": 0.3, "epochs": 2, "subsample": 0})
    assert given.resolve(10_000) == dataclasses.replace(given, lanes=1, row_limit=0.0)
    assert read_options({"algorithm": "skipgram"})[0].merge_senses is False
    with pytest.raises(InputError, match="merge_senses is for adagram"):
        read_options({"algorithm": "mpsg", "merge_senses": True})


def test_numbers_of_numpy_are_numbers() -> None:
    np = pytest.importorskip("numpy")
    config = TrainConfig(dim=np.int64(10), alpha=np.float32(0.5))
    assert (type(config.dim), type(config.alpha)) == (int, float)


def test_the_paper_has_a_value_for_everything_that_makes_a_model() -> None:
    paper = PRESETS["paper"]
    assert set(options_of(TrainConfig)) - set(paper) == {"threads", "seed", "deterministic"}
    config, encoding = read_options({"preset": "paper"})
    assert (config.dim, config.window, config.alpha, config.subsample) == (300, 5, 0.1, 0)
    assert (config.epochs, config.max_senses, encoding.min_count) == (1, 30, 20)
    assert config == TrainConfig.from_preset("paper")


def test_what_is_given_goes_before_the_preset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PRESETS, "paper", {"dim": 7, "window": 3, "min_count": 1, "shrink_windows": True})
    text = tmp_path / "text.txt"
    text.write_text("one two three four\n" * 10)
    command = ["train", str(text), "-o", str(tmp_path / "model"), "--preset", "paper", "--threads", "1"]
    get_command(build_app()).main([*command, "--dim", "9", "--no-shrink-windows"], standalone_mode=False)
    for config in (
        adagram.load(tmp_path / "model").config,
        adagram.train(text, preset="paper", dim=9, shrink_windows=False, threads=1).config,
    ):
        assert (config.dim, config.window, config.shrink_windows) == (9, 3, False)
    with pytest.raises(InputError, match="preset is 'best'; it must be one of paper"):
        adagram.train(text, preset="best")
