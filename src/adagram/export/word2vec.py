"""word2vec's text and binary formats, read and written, and gensim's KeyedVectors.

Rows are read one after the other, so memory follows what the file holds and not its header.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from adagram.corpus.decode import open_bytes
from adagram.errors import InputError
from adagram.export.common import assemble, check_values, config_of, safe_names, vocabulary_of, zero_rows
from adagram.files.atomic import check_new_file, new_file
from adagram.model import Model
from adagram.systems.base import model_of_senses

_HEADER_LINE = 200  # bytes
_NAME = 10_000  # bytes; a longer name means that the file is out of step
_VALUE = 64  # bytes; the longest number of a text row
_BLOCK = 4096  # rows collected before they become one array
_SENSE = re.compile(r"(.+)#(0|[1-9][0-9]{0,3})", re.DOTALL)

Row = tuple[bytes, NDArray[np.float32]]


def read_word2vec(path: Path, window: int = 5) -> Model:
    """Read vectors of words or senses as a model that disambiguates by cosine.

    Names `word#0` … `word#n` become the senses of one word, with equal priors: the file has no counts. A context is
    compared to the senses themselves, by the mean of its words' vectors.
    """
    with open_bytes(path) as stream:
        n_rows, dim = _header(path, stream)
        config_of(path, dim=dim, window=window)
        rows = _text_rows if _is_text(stream, dim) else _binary_rows
        names: list[str] = []
        blocks: list[NDArray[np.float32]] = []
        read = rows(path, stream, n_rows, dim)
        while block := list(islice(read, _BLOCK)):
            names += [name.decode("utf-8", "backslashreplace") for name, _ in block]
            blocks.append(np.stack([vector for _, vector in block]))
        vectors = np.concatenate(blocks)
        if stream.read(1 << 16).strip():
            raise InputError(f"{path} is damaged: it continues after the {n_rows} rows of its header")
    check_values(path, vectors, "a vector")
    return _model(path, names, vectors, dim, window)


def _header(path: Path, stream: io.BufferedReader) -> tuple[int, int]:
    line = stream.readline(_HEADER_LINE)
    fields = line.split()
    if len(fields) != 2 or not all(field.isdigit() and len(field) < 16 for field in fields):
        raise InputError(
            f"{path} is not a word2vec file: its first line is {line[:40]!r}, expected the number of rows "
            "and of dimensions"
        )
    n_rows, dim = map(int, fields)
    if n_rows < 1 or dim < 1:
        raise InputError(f"{path} has {n_rows} rows of {dim} dimensions: there is nothing to import")
    return n_rows, dim


def _is_text(stream: io.BufferedReader, dim: int) -> bool:
    """Whether the first row is readable as numbers, as far as it can be seen without reading on."""
    head = bytes(stream.peek(1 << 16)[: 1 << 16])
    line, newline, _ = head.partition(b"\n")
    fields = line.split()[1:] if newline else line.split()[1:-1]
    try:
        values = [float(field) for field in fields]
    except ValueError:
        return False
    return len(values) == dim if newline else len(values) > 0


def _text_rows(path: Path, stream: io.BufferedReader, n_rows: int, dim: int) -> Iterator[Row]:
    for number in range(1, n_rows + 1):
        line = stream.readline(_NAME + _VALUE * dim)
        fields = line.rstrip().rsplit(b" ", dim)
        try:
            with np.errstate(over="ignore"):  # what is too large becomes infinite, and is refused
                values = np.array([float(field) for field in fields[1:]], np.float32)
        except ValueError:
            values = np.empty(0, np.float32)
        if len(values) != dim or not fields[0]:
            raise InputError(
                f"{path} is damaged or truncated: row {number} of {n_rows} is {line[:40]!r}, "
                f"expected a name and {dim} numbers"
            )
        yield fields[0], values


def _binary_rows(path: Path, stream: io.BufferedReader, n_rows: int, dim: int) -> Iterator[Row]:
    for number in range(1, n_rows + 1):
        name = _name(stream)
        data = stream.read(4 * dim) if name else b""
        if len(data) < 4 * dim:
            raise InputError(f"{path} is damaged or truncated: it ends or loses step in row {number} of {n_rows}")
        yield name, np.frombuffer(data, "<f4")


def _name(stream: io.BufferedReader) -> bytes:
    """The bytes up to the next space, without the line end of the row before; empty if there is no name."""
    name = b"".join(islice(iter(lambda: stream.read(1), b" "), _NAME))
    return name.lstrip(b"\n") if len(name) < _NAME else b""


def _model(path: Path, names: list[str], vectors: NDArray[np.float32], dim: int, window: int) -> Model:
    senses = _senses_of_words(names)
    order = np.array([row for rows in senses.values() for row in rows])
    sizes = np.array([len(rows) for rows in senses.values()])
    offsets = np.append(0, sizes.cumsum()).astype(np.int64)
    vocabulary = vocabulary_of(path, list(senses), sizes.astype(np.int64))
    sense_vectors = zero_rows(len(order), dim)
    sense_vectors[:, :dim] = vectors[order]
    priors = np.repeat(1.0 / sizes, sizes)
    # Counts are not in the file: every sense counts one, so that none is hidden as too rare.
    arrays = model_of_senses(sense_vectors, offsets, np.ones(len(order)), priors, np.ones(len(order), bool))
    arrays["output"] = np.add.reduceat(sense_vectors, offsets[:-1], axis=0) / sizes[:, None].astype(np.float32)
    algorithm = "mssg" if sizes.max() > 1 else "skipgram-ns"  # MSSG disambiguates by cosine, too
    if algorithm == "mssg":
        arrays["centres"] = arrays["vectors"]
    config = config_of(path, algorithm=algorithm, dim=dim, window=window)
    return assemble(arrays, vocabulary, config, {"format": "word2vec", "file": path.name})


def _senses_of_words(names: list[str]) -> dict[str, list[int]]:
    """Words in the order of the file with the rows of their senses; `c#` or `word#7` alone are words.

    Of a name that occurs again only the first row counts, as in gensim.
    """
    places: dict[str, int] = {}
    numbers: dict[str, set[int]] = {}  # of the senses of each word
    for row, name in enumerate(names):
        places.setdefault(name, row)
        if found := _SENSE.fullmatch(name):
            numbers.setdefault(found[1], set()).add(int(found[2]))
    whole = {w: len(ks) for w, ks in numbers.items() if w not in places and max(ks) + 1 == len(ks)}
    senses: dict[str, list[int]] = {}
    for name, row in places.items():
        found = _SENSE.fullmatch(name)
        if not found or found[1] not in whole:
            senses[name] = [row]
        elif found[1] not in senses:
            senses[found[1]] = [places[f"{found[1]}#{k}"] for k in range(whole[found[1]])]
    return senses


_ROWS = 4096  # rows formatted at a time


def write_text(model: Model, path: Path, overwrite: bool = False) -> None:
    """A header line `rows dimensions`, then `name value value …`; nine digits give every float32 back exactly."""
    names, dim = safe_names(model, "word2vec"), model.config.dim
    row_format = "%s" + " %.9g" * dim + "\n"
    with new_file(path, overwrite) as made, open(made, "w", encoding="utf-8", newline="\n") as file:
        file.write(f"{len(names)} {dim}\n")
        for start in range(0, len(names), _ROWS):
            rows = model.vectors[start : start + _ROWS].tolist()
            file.writelines(row_format % (names[start + i], *row) for i, row in enumerate(rows))


def write_binary(model: Model, path: Path, overwrite: bool = False) -> None:
    """The same header, then name, space, little-endian float32 values and a line end, as word2vec writes it."""
    names = safe_names(model, "word2vec-bin")
    with new_file(path, overwrite) as made, open(made, "wb") as file:
        file.write(f"{len(names)} {model.config.dim}\n".encode())
        for name, vector in zip(names, model.vectors, strict=True):
            file.write(b"%s %s\n" % (name.encode(), vector.astype("<f4", copy=False).tobytes()))


def write_gensim(model: Model, path: Path, overwrite: bool = False) -> None:
    """Write `path`, and beside it `path.vectors.npy` if gensim keeps large arrays apart."""
    check_new_file(path, overwrite)
    keyed = model.to_gensim()
    with new_file(path, overwrite) as made:
        keyed.save(str(made))
