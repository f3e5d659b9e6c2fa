"""Damaged files: every one is used, or refused in one sentence that names it; never a crash, a hang or a wrong answer.

A table of (file, damage, sentence), and properties of all files: cut, random bytes, changed bytes, odd values.
"""

from __future__ import annotations

import copy
import json
import re
import shutil
import struct
import tempfile
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

import adagram
from adagram.cli.senses import info
from adagram.corpus import encode
from adagram.corpus.encoded import EncodedCorpus
from adagram.corpus.options import EncodeOptions
from adagram.errors import AdagramError, InputError
from adagram.experiments.wwsi.rules import load_rules
from adagram.export import export, import_model
from adagram.model.diff import check_descends
from adagram.model.sheet import SHEET, Sheet, parse_entry, together
from adagram.model.storage import write_model
from adagram.model.trends import KeptTrends, read_trends
from adagram.training.continue_model import PreviousModel
from model_support import assign, random_model

TEXT = [["a", "b", "c", "d"], ["a", "x", "y", "d"]] * 40
FORMATS = ("julia", "word2vec", "word2vec-bin")
ARRAYS = "model/model.safetensors"
Damage = Callable[[bytes], bytes]
N_EXAMPLES = settings().max_examples
many = settings(max_examples=max(24, 3 * N_EXAMPLES // 5), suppress_health_check=[HealthCheck.function_scoped_fixture])


# What is damaged, and how it is used


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model, an encoded corpus, a sense sheet, trends, and a file of each format that can be imported."""
    place = tmp_path_factory.mktemp("whole")
    model = random_model(n_words=12, dim=3)
    model.save(place / "model")
    encode(TEXT, place / "corpus", EncodeOptions(min_count=1, threads=1))
    (place / "sheet").mkdir()
    (place / "sheet" / SHEET).write_text(json.dumps(ENTRY) + "\n")
    (place / "trends").mkdir()
    zero = np.zeros(2)
    KeptTrends(["a#0"], ["1990", "1991"], zero, zero[None], zero, np.zeros(1, np.int64)).keep(place / "trends")
    for name in FORMATS:
        (place / name).mkdir()
        export(model, place / name / "file", name)
    return place


def use_model(folder: Path) -> None:
    """What a user does first."""
    model = adagram.load(folder)
    word = model.vocabulary.words[0]
    with np.errstate(all="ignore"):  # vectors are not checked when a model is opened
        model.senses(word, top=3)
        model.disambiguate(word, model.vocabulary.words[:3])
        assign(model, model.tokenize(" ".join(model.vocabulary.words)))
        model.log_likelihood(model.vocabulary.words)


def use_corpus(folder: Path) -> None:
    corpus = EncodedCorpus.open(folder)
    assert len(corpus.vocabulary.words) == len(corpus.vocabulary.counts)
    corpus.check()


def use_sheet(folder: Path) -> None:
    sheet = Sheet.of(folder)
    assert sheet is not None
    sheet.learned("bank#0")
    _ = sheet.places


def use_import(folder: Path) -> None:
    model = import_model(folder / "file", folder.name.removesuffix("-bin"))
    model.save(folder / "model")
    model = adagram.load(folder / "model")
    assert np.all(np.isfinite(model.vectors))
    np.testing.assert_allclose(np.add.reduceat(model.priors, model.offsets[:-1]), 1.0)
    model.disambiguate(model.vocabulary.words[0], model.vocabulary.words[1:4])


USES: dict[str, Callable[[Path], object]] = {
    "model": use_model,
    "corpus": use_corpus,
    "sheet": use_sheet,
    "trends": read_trends,
    **dict.fromkeys(FORMATS, use_import),
}


def refusal(home: Path, file: str, damage: Damage | None) -> str:
    """Damage a file of a copy and use it; return the sentence that refuses it, or "" if it is accepted."""
    kind, _, name = file.partition("/")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(shutil.copytree(home / kind, Path(place) / kind))
        if damage is None:
            (folder / name).unlink()
        else:
            (folder / name).write_bytes(damage((folder / name).read_bytes()))
        try:
            USES[kind](folder)
        except InputError as error:
            reason = str(error)
        else:
            return ""
        assert str(folder) in reason or "adagram check" in reason
        assert "\n" not in reason
        return reason


# Damages


def only(content: bytes | str) -> Damage:
    return lambda old: content.encode() if isinstance(content, str) else content


def half(old: bytes) -> bytes:
    return old[: len(old) // 2]


def with_values(**changes: Any) -> Damage:
    return lambda old: json.dumps(json.loads(old) | changes).encode()


def last_line(line: bytes) -> Damage:
    return lambda old: old[: old[:-1].rfind(b"\n") + 1] + line


def header(text: bytes) -> Damage:
    """Another header of a safetensors file."""
    return lambda old: struct.pack("<Q", len(text)) + text + bytes(8)


def arrays(change: Callable[[dict[str, Any]], object]) -> Damage:
    """Other arrays in a safetensors file that is well formed."""

    def damage(old: bytes) -> bytes:
        with tempfile.TemporaryDirectory() as place:
            path = Path(place) / "arrays"
            path.write_bytes(old)
            found = {key: np.array(value) for key, value in load_file(path).items()}
            with safe_open(path, "np") as opened:
                metadata = opened.metadata()
            change(found)
            save_file(found, path, metadata)
            return path.read_bytes()

    return damage


def flipped(width: int, value: int, bit: int) -> Damage:
    def damage(old: bytes) -> bytes:
        data = bytearray(old)
        data[value * width % len(data) + bit // 8] ^= 1 << bit % 8
        return bytes(data)

    return damage


def npy_header(text: bytes) -> Damage:
    """Another header of an array in an npz file."""

    def damage(old: bytes) -> bytes:
        with tempfile.TemporaryDirectory() as place:
            path = Path(place) / "trends.npz"
            path.write_bytes(old)
            with zipfile.ZipFile(path) as kept:
                files = {name: kept.read(name) for name in kept.namelist()}
            files["times.npy"] = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + bytes(16)
            with zipfile.ZipFile(path, "w") as kept:
                for name, data in files.items():
                    kept.writestr(name, data)
            return path.read_bytes()

    return damage


# The table

ENTRY = {
    "sense": "bank#0", "expected": 3.5, "hard": 3, "label": "river", "uses": 3, "pairs": 9, "pairs_of_word": 12,
    "collocates": [{"word": "mud", "count": 2, "of_word": 2, "ratio": 1.5, "dice": 9.5}],
    "examples": [{"text": "a bank", "document": "d", "date": "", "posterior": 0.9}],
}  # fmt: skip


@dataclass(frozen=True)
class Row:
    file: str
    what: str
    damage: Damage | None  # None: it is missing
    sentence: str = ""  # a pattern


def rows() -> Iterator[Row]:
    for name in ("model.safetensors", "config.json", "vocab.txt"):
        yield Row(f"model/{name}", "missing", None, name)
        yield Row(f"model/{name}", "half of it", half, name.split(".")[0])
    yield Row("model/vocab.txt", "fewer words", lambda old: b"".join(old.splitlines(True)[:-3]), "words|vocabulary")
    for file in ("model/config.json", "corpus/corpus.json"):
        for text in ("{", "9" * 5000, "[" * 50_000, '{"format": ' + "9" * 5000 + "}", "", "NaN", "\0"):
            yield Row(file, f"the text {text[:20]!r}", only(text), r"\.json is damaged")
    for change in (
        {"config": None}, {"config": 3}, {"config": {"dim": "3"}}, {"config": {"dim": 9999}}, {"format": []},
        {"config": {"algorithm": []}}, {"config": {"window": 10**30}}, {"config": {"dim\n": 3}},
        {"tokenizer": 3}, {"tokenizer": {"max_chars": "many"}}, {"tokenizer": {"surprise": 1}},
    ):  # fmt: skip
        yield Row("model/config.json", str(change), with_values(**change), r"config\.json |is damaged")
    yield Row("model/config.json", "a later format", with_values(format=99), "has model format 99; this version")
    for key, value in (("seen", {"tokens": 1}), ("corpus", "many"), ("tokenizer", ["fold_case"])):
        sentence = rf"config\.json is damaged: {key} is "
        yield Row("model/config.json", f"{key}: {value}", with_values(**{key: value}), sentence)
    for key, value in (("tokenizer", "plain"), ("n_tokens", -3)):
        sentence = rf"corpus\.json is damaged: {key} is "
        yield Row("corpus/corpus.json", f"{key}: {value}", with_values(**{key: value}), sentence)
    for line in (b"\xff\t3\n", b"w0\t5\n", b"big\t99999999999999999999999\n", "x\t²\n".encode()):
        yield Row("model/vocab.txt", str(line), last_line(line), "vocab")
    for text in (
        b"[]",
        b"7",
        b'{"vectors": 3}',
        b'{"vectors": {"dtype": "F32", "shape": [1e9], "data_offsets": [0, 4]}}',
        b'{"vectors": {"dtype": "F32", "shape": [99999999999999999999], "data_offsets": [0, 4]}}',
        b'{"vectors": {"dtype": "F32", "shape": [1], "data_offsets": [-4, 0]}}',
        b'{"vectors": {"dtype": "F32", "shape": [1e999], "data_offsets": [0, 4]}}',
        b'{"vectors": {"dtype": [], "shape": [1], "data_offsets": [0, 4]}}',
        b"[" * 100_000,
    ):
        yield Row(ARRAYS, f"header {text[:70]!r}", header(text), r"model\.safetensors is damaged")
    for what, change in WRONG_ARRAYS.items():
        yield Row(ARRAYS, what, arrays(change), r"model\.safetensors is damaged")
    for name in ("vectors", "norms", "output", "counts", "priors"):
        for value in (np.nan, np.inf, -np.inf):
            yield Row(ARRAYS, f"{name} {value}", arrays(lambda a, n=name, v=value: a[n].fill(v)), "damaged")
    for name, width in (("ends.bin", 8), ("tokens.bin", 4)):
        for value in (0, 7, -1):
            for bit in (10, 31):
                yield Row(f"corpus/{name}", f"bit {bit} of {value}", flipped(width, value, bit), f"damaged: .*{name}")
    yield Row("corpus/ends.bin", "ends that fall", lambda old: old[8:16] + old[:8] + old[16:], r"in ends\.bin fall")
    for line in (
        b'{"sense": "bank\x00#0", "count": 1}',
        b'{"sense": "bank\xff#0", "count": 1}',
        b'{"sense": "bank\\q#0", "count": 1}',
        b'{"sense": "bank#0", "examples": ' + b"[" * 50_000,
        json.dumps(ENTRY).replace("[]", "").encode()[:-1] + b', "examples": ' + b"[" * 900 + b"]" * 900 + b"}",
        json.dumps(ENTRY | {"expected": "many"}).encode(),
        json.dumps(ENTRY | {"collocates": {}}).encode(),
        json.dumps(ENTRY | {"more": 1}).encode(),
        json.dumps(ENTRY | {"expected": float("nan")}).encode(),
    ):
        yield Row(f"sheet/{SHEET}", str(line[:70]), only(line + b"\n"), r"senses\.jsonl is damaged; write it anew")
    for text in (
        b"{'descr': '<f8', 'fortran_order': False, 'shape': (2,",
        b"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999,), }",
        b"(" * 5000,
        b"{'descr': '<f8', 'fortran_order': False, 'shape': (2,)}\n  indented",
        b"'''",
        b"{'descr': '|O', 'fortran_order': False, 'shape': (2,), }",
        b"\xff\xfe",
    ):
        yield Row("trends/trends.npz", f"header {text[:60]!r}", npy_header(text), r"trends\.npz is damaged")
    for name in FORMATS:
        yield Row(f"{name}/file", "missing", None, "cannot be read")
        yield Row(f"{name}/file", "more at its end", lambda old: old + b"more 1 2 3", "file")


WRONG_ARRAYS: dict[str, Callable[[dict[str, Any]], object]] = {
    "float64 vectors": lambda a: a.update(vectors=a["vectors"].astype(np.float64)),
    "rows that are not padded": lambda a: a.update(vectors=a["vectors"][:, :3].copy()),
    "narrow output": lambda a: a.update(output=a["output"][:, :0].copy()),
    "few output rows": lambda a: a.update(output=a["output"][:2].copy()),
    "int32 offsets": lambda a: a.update(offsets=a["offsets"].astype(np.int32)),
    "falling offsets": lambda a: a["offsets"].__setitem__(3, 0),
    "flat offsets": lambda a: a.update(offsets=a["offsets"][:, None].copy()),
    "negative steps": lambda a: a["steps"].__setitem__(3, -4),
    "large steps": lambda a: a["steps"].__setitem__(3, 4000),
    "paths that fall": lambda a: a["paths"].__setitem__(3, 0),
    "negative paths": lambda a: a["paths"].__setitem__(0, -9),
    "no paths": lambda a: a.pop("paths"),
    "no steps": lambda a: a.pop("steps"),
    "an unknown array": lambda a: a.update(centre=a["vectors"]),
    "float paths": lambda a: a.update(paths=a["paths"].astype(np.float64)),
    "no priors": lambda a: a.pop("priors"),
    "short priors": lambda a: a.update(priors=a["priors"][1:].copy()),
    "nan priors": lambda a: a["priors"].__setitem__(0, np.nan),
    "negative priors": lambda a: a["priors"].__setitem__(0, -0.5),
    "scalar vectors": lambda a: a.update(vectors=np.array(1.0, np.float32)),
    "short norms": lambda a: a.update(norms=a["norms"][1:].copy()),
}


@pytest.mark.parametrize("row", list(rows()), ids=lambda row: f"{row.file}: {row.what}")
def test_a_damaged_file_is_refused(row: Row, home: Path) -> None:
    reason = refusal(home, row.file, row.damage)
    assert reason
    assert re.search(row.sentence, reason), reason


# Properties of every file; the slack is what can be missing at the end without notice: a line end, last digits

SLACK = {"word2vec/file": 15}
WHOLE = [ARRAYS, "model/config.json", "model/vocab.txt", "corpus/corpus.json", *(f"{f}/file" for f in FORMATS)]
each_file = pytest.mark.parametrize("file", WHOLE)


@pytest.mark.parametrize("kind", USES)
def test_a_whole_folder_is_accepted(kind: str, home: Path) -> None:
    name = next((home / kind).iterdir()).name
    assert refusal(home, f"{kind}/{name}", lambda old: old) == ""


@each_file
@many
@given(data=st.data())
def test_a_cut_file_is_refused(file: str, data: st.DataObject, home: Path) -> None:
    end = (home / file).stat().st_size - SLACK.get(file, 2)
    size = data.draw(st.integers(0, end))
    assert refusal(home, file, lambda old: old[:size])


@each_file
@many
@given(junk=st.binary(max_size=1000))
def test_random_bytes_are_refused(file: str, junk: bytes, home: Path) -> None:
    assert refusal(home, file, only(junk))


@each_file
@many
@given(data=st.data())
def test_changed_bytes_are_used_or_refused(file: str, data: st.DataObject, home: Path) -> None:
    changed = bytearray((home / file).read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        changed[data.draw(st.integers(0, len(changed) - 1))] = data.draw(st.integers(0, 255))
    refusal(home, file, only(bytes(changed)))


LINE = st.text(max_size=12) | st.builds(
    lambda word, mark, count: f"{word}{mark}{count}",
    st.text(max_size=4),
    st.sampled_from(["\t", " ", "\t\t", ""]),
    st.integers(-5, 2**70) | st.sampled_from(["²", "1e9", "9" * 5000, "-0", "NaN", "0x9", " 7", "7 "]),
)


@pytest.mark.parametrize("file", ["model/vocab.txt", "corpus/vocab.txt"])
@many
@given(at=st.integers(0, 11), line=LINE)
def test_any_line_of_a_vocabulary_is_used_or_refused(file: str, at: int, line: str, home: Path) -> None:
    lines = (home / file).read_bytes().splitlines(keepends=True)
    lines[at % len(lines)] = line.encode("utf-8", "surrogatepass") + b"\n"
    refusal(home, file, only(b"".join(lines)))


@pytest.mark.parametrize("name", FORMATS)
@many
@given(numbers=st.lists(st.integers(-3, 10**30) | st.sampled_from([1, 2, 3, 12, 31]), min_size=2, max_size=5))
def test_any_numbers_at_the_head_of_a_format_are_used_or_refused(name: str, numbers: list[int], home: Path) -> None:
    if name == "julia":
        head, n_lines = "{} {} {}\n0.1 0.0\n{}\n".format(*(numbers * 2)[:4]), 3
    else:
        head, n_lines = f"{numbers[0]} {numbers[1]}\n", 1
    refusal(home, f"{name}/file", lambda old: head.encode() + old.split(b"\n", n_lines)[n_lines])


@pytest.mark.parametrize(
    ("name", "head"),
    [
        ("julia", b"2000000000 300 30\n0.1 0.0\n40\n"),
        ("julia", b"3 9999 30\n0.1 0.0\n2\n"),
        ("word2vec", b"3000000000 300\n"),
        ("word2vec-bin", b"3000000 9999\nword "),
    ],
)
def test_a_header_does_not_make_us_allocate_memory(name: str, head: bytes, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(head + b"x" * 5000)
    tracemalloc.start()
    with pytest.raises(InputError, match="truncated"):
        import_model(tmp_path / "file", name.removesuffix("-bin"))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 22


# Odd values in JSON and TOML

ODD = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["", "9" * 5000, "\0", "\ud800", "../../etc"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=4,
) | st.sampled_from([1e308, {"tokens": "y"}, [{"tokens": -1}], [{"text": 3}]])
very_many = settings(many, max_examples=2 * N_EXAMPLES)


def paths(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Keys that lead to each value inside a JSON value."""
    yield at
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from paths(inner, (*at, key))


def changed(value: Any, at: tuple[Any, ...], odd: Any) -> Any:
    if not at:
        return odd
    value = inner = copy.deepcopy(value)
    for key in at[:-1]:
        inner = inner[key]
    inner[at[-1]] = odd
    return value


def use_or_refuse(*uses: Callable[[], object]) -> None:
    for use in uses:
        reason = ""
        try:
            with np.errstate(all="ignore"):
                use()
        except AdagramError as error:
            reason = str(error)
        assert "\n" not in reason


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trained") / "m"
    adagram.train(TEXT, folder, dim=8, min_count=1, threads=1, epochs=1)
    return folder


@very_many
@given(data=st.data())
def test_odd_values_in_config_json(data: st.DataObject, trained: Path, tmp_path: Path) -> None:
    whole = json.loads((trained / "config.json").read_text())
    document = changed(whole, data.draw(st.sampled_from(list(paths(whole)))), data.draw(ODD))
    folder = Path(shutil.copytree(trained, tmp_path / "m", dirs_exist_ok=True))
    text = json.dumps(document, ensure_ascii=False).encode("utf-8", "surrogatepass")
    (folder / "config.json").write_bytes(text)
    use_or_refuse(
        lambda: use_model(folder),
        lambda: info(folder),
        lambda: check_descends(adagram.load(folder), adagram.load(folder)),
        lambda: write_model(adagram.load(folder), tmp_path),
        lambda: PreviousModel(adagram.load(folder)).options({}),
        lambda: PreviousModel(adagram.load(folder)).warn_of_text("other"),
    )


@very_many
@given(data=st.data())
def test_odd_values_in_corpus_json(data: st.DataObject, home: Path, trained: Path, tmp_path: Path) -> None:
    whole = json.loads((home / "corpus" / "corpus.json").read_text())
    document = changed(whole, data.draw(st.sampled_from(list(paths(whole)))), data.draw(ODD))
    folder = Path(shutil.copytree(home / "corpus", tmp_path / "corpus", dirs_exist_ok=True))
    text = json.dumps(document, ensure_ascii=False).encode("utf-8", "surrogatepass")
    (folder / "corpus.json").write_bytes(text)

    def continue_with() -> None:
        start, corpus = PreviousModel(adagram.load(trained)), EncodedCorpus.open(folder)
        start.check_encoded(corpus)
        start.warn_of_text(corpus.meta.get("text"))

    use_or_refuse(lambda: use_corpus(folder), continue_with)


@very_many
@given(data=st.data())
def test_odd_values_in_a_sense_sheet(data: st.DataObject) -> None:
    line = json.dumps(changed(ENTRY, data.draw(st.sampled_from(list(paths(ENTRY)))), data.draw(ODD))).encode()

    def use() -> None:
        whole, found = parse_entry(json.dumps(ENTRY), Path("sheet")), parse_entry(line, Path("sheet"))
        json.dumps([vars(c) for c in together("bank#0", [found, whole]).collocates], allow_nan=False)

    use_or_refuse(use)


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


@very_many
@given(st.dictionaries(st.sampled_from(RULES), TOML_VALUES, min_size=1, max_size=3))
def test_odd_values_in_rules_of_wwsi(tmp_path: Path, values: dict[str, str]) -> None:
    path = tmp_path / "rules.toml"
    path.write_text("".join(f"{name} = {value}\n" for name, value in values.items()))
    use_or_refuse(lambda: load_rules(path))


# Use after damage


@pytest.mark.parametrize("name", ["tokens.bin", "ends.bin", "vocab.txt"])
def test_training_refuses_a_damaged_corpus_before_it_begins(name: str, home: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(home / "corpus", tmp_path / "corpus"))
    content = (folder / name).read_bytes()
    damaged = content.replace(b"80", b"1", 1) if name == "vocab.txt" else flipped(8, 0, 31)(content)
    (folder / name).write_bytes(damaged)
    options = {"dim": 4, "threads": 1, "epochs": 1}
    with pytest.raises(InputError, match="damaged"):
        adagram.train(folder, tmp_path / "m", **options)
    if name != "vocab.txt":  # a continued run has the vocabulary of its model
        with pytest.raises(InputError, match=name):
            adagram.train(folder, **options, start=adagram.train(TEXT, min_count=1, **options))


def test_the_explorer_refuses_values_that_are_not_numbers() -> None:
    pytest.importorskip("uvicorn")
    from adagram.web.explorer import Explorer

    model = random_model(n_words=12, dim=3)
    model.arrays["vectors"][3] = np.nan  # type: ignore[index]
    with pytest.raises(InputError, match="adagram check"):
        Explorer(model)
