"""gensim, parquet and projector files, each read by the program it is for."""

from __future__ import annotations

import csv
import json
import urllib.request
from pathlib import Path

import numpy as np
import pyarrow.parquet
import pytest
from gensim.models import KeyedVectors

from adagram.errors import InputError, MissingExtraError
from adagram.export import EXPORTS, export
from adagram.model import Model
from adagram.model.compact import COMPACT
from adagram.model.neighbours import nearest
from model_support import random_model


@pytest.fixture(scope="module")
def model() -> Model:
    return random_model()


def test_gensim_vectors_have_counts_and_priors(model: Model) -> None:
    keyed = model.to_gensim()
    for sense in model.senses("w0", top=0):
        assert keyed.get_vecattr(sense.name, "count") == sense.count
        assert keyed.get_vecattr(sense.name, "prior") == sense.prior
        np.testing.assert_array_equal(keyed[sense.name], model.vector(sense.name))


def test_gensim_finds_the_same_neighbours(model: Model) -> None:
    own = model.names(model.rows("w0"))
    row = np.array([model.row("w0#0")])
    (rows, cosines) = nearest(model, row, 1, 0.0, learned=True)[0]
    learned, blended = model.to_gensim(), model.to_gensim(blended=True)
    found, *_ = [(k, s) for k, s in learned.most_similar("w0#0", topn=20) if k not in own]
    assert found == (model.names(rows)[0], pytest.approx(cosines[0], abs=1e-6))
    for name, cosine in blended.most_similar("w0#0", topn=5):
        assert cosine == pytest.approx(model.similarity("w0#0", name), abs=1e-6)


def test_a_gensim_file_is_loaded_by_gensim(model: Model, tmp_path: Path) -> None:
    export(model, tmp_path / "senses.kv", "gensim")
    found = KeyedVectors.load(str(tmp_path / "senses.kv"), mmap="r")
    assert found.index_to_key == model.names(slice(0, model.n_senses))
    np.testing.assert_array_equal(found.vectors, model.vectors)
    assert found.get_vecattr("w0#1", "prior") == model.priors[1]
    assert [path.name for path in tmp_path.iterdir()] == ["senses.kv"]


def test_pyarrow_reads_the_parquet_table(model: Model, tmp_path: Path) -> None:
    export(model, tmp_path / "senses.parquet", "parquet")
    table = pyarrow.parquet.read_table(tmp_path / "senses.parquet")
    assert table.column_names == ["word", "sense", "prior", "count", "vector"]
    assert table["sense"].to_pylist() == model.names(slice(0, model.n_senses))
    np.testing.assert_array_equal(np.array(table["vector"].to_pylist(), np.float32), model.vectors)
    np.testing.assert_array_equal(table["prior"].to_numpy(), model.priors)


@pytest.mark.parametrize("format", EXPORTS)
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_vectors_that_are_not_numbers_are_not_exported(format: str, value: float, tmp_path: Path) -> None:
    model = random_model()
    model.arrays["vectors"][50, 2] = value
    with pytest.raises(InputError, match=r"the vectors of the model are damaged: .* run `adagram check`"):
        export(model, tmp_path / "senses", format)
    assert not list(tmp_path.iterdir())
    with pytest.raises(InputError, match="the vectors of the model are damaged"):
        model.to_gensim()


def test_a_spreadsheet_computes_nothing_in_the_csv_table(tmp_path: Path) -> None:
    words = ["=1+1", "+", "-x", "@SUM(A1)", "w"]
    export(random_model(words=words), tmp_path / "senses.csv", "csv")
    rows = list(csv.DictReader((tmp_path / "senses.csv").open(encoding="utf-8", newline="")))
    assert {row["word"] for row in rows} == {"'=1+1", "'+", "'-x", "'@SUM(A1)", "w"}
    assert not any(cell.startswith(tuple("=+-@")) for row in rows for cell in row.values())
    assert any("=1+1#0" in row["neighbours"] for row in rows)


@pytest.mark.slow  # it needs DuckDB
def test_duckdb_finds_the_nearest_sense_in_the_parquet_table(model: Model, tmp_path: Path) -> None:
    import duckdb

    export(model, tmp_path / "senses.parquet", "parquet")
    sql = f"""
        with t as (from '{tmp_path / "senses.parquet"}')
        select b.sense, list_cosine_similarity(a.vector, b.vector) s
        from t a, t b where a.sense = 'w0#0' and b.word <> 'w0' order by s desc limit 1
    """
    ((best,), (cosine,)) = nearest(model, np.array([model.row("w0#0")]), 1, 0.0, learned=True)[0]
    ((sense, similarity),) = duckdb.sql(sql).fetchall()
    assert sense == model.names([best])[0]
    assert similarity == pytest.approx(cosine, abs=1e-6)


def test_projector_rows_are_the_senses(model: Model, tmp_path: Path) -> None:
    export(model, tmp_path / "projector", "projector")
    vectors = np.loadtxt(tmp_path / "projector" / "vectors.tsv", delimiter="\t", dtype=np.float32)
    np.testing.assert_array_equal(vectors, model.vectors)
    with open(tmp_path / "projector" / "metadata.tsv", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    assert [row["sense"] for row in rows] == model.names(slice(0, model.n_senses))
    np.testing.assert_allclose([float(row["prior"]) for row in rows], model.priors, rtol=1e-5)


@pytest.mark.slow
def test_tensorboard_shows_the_projector_folder(model: Model, tmp_path: Path) -> None:
    from tensorboard import program

    export(model, tmp_path / "projector", "projector")
    server = program.TensorBoard()
    server.configure(argv=[None, "--logdir", str(tmp_path / "projector"), "--port", "0"])
    address = server.launch().rstrip("/") + "/data/plugin/projector/"

    def get(what: str) -> bytes:
        with urllib.request.urlopen(address + what) as answer:
            return bytes(answer.read())

    (shown,) = json.loads(get("info?run=."))["embeddings"]
    assert shown["tensorShape"] == [model.n_senses, model.config.dim]
    assert get("metadata?run=.&name=senses").startswith(b"sense\tword\tprior\tcount\nw0#0\tw0\t")
    tensor = np.frombuffer(get("tensor?run=.&name=senses"), np.float32)
    np.testing.assert_array_equal(tensor, np.ravel(model.vectors))


@pytest.mark.parametrize("format", [format for format in EXPORTS if format != COMPACT])
def test_a_failed_export_leaves_the_old_file(
    format: str, model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "out"
    broken = random_model()
    broken.vectors = _Unreadable()  # type: ignore[assignment]
    monkeypatch.setattr("adagram.export.tables.nearest", _Unreadable()._fail)
    if format != "projector":
        target.write_text("old")
    with pytest.raises(OSError, match="disk"):
        export(broken, target, format, overwrite=True)
    assert [path.name for path in tmp_path.iterdir()] == ([] if format == "projector" else ["out"])
    assert format == "projector" or target.read_text() == "old"


class _Unreadable:
    def _fail(self, *arguments: object, **options: object) -> object:
        raise OSError("the disk is gone")

    __getitem__ = __iter__ = __array__ = astype = _fail

    def sum(self) -> float:  # the check for damage passes: what fails is the writing
        return 0.0


def test_a_missing_library_is_named_with_its_extra(
    model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r'pip install "adagram\[parquet\]"'):
        export(model, tmp_path / "x", "parquet")


def test_an_unknown_format_lists_the_known_ones(model: Model, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="word2vec, word2vec-bin, gensim"):
        export(model, tmp_path / "x", "excel")
