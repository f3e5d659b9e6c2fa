"""How a model looks: at a prompt, in a notebook, as a pandas table, and on its model card."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from adagram.config import settings_used
from adagram.errors import need
from adagram.files.atomic import new_file
from adagram.files.json import read_file
from adagram.model.neighbours import Neighbour, rank_words

if TYPE_CHECKING:
    from adagram.model.model import Model

N_WORDS, N_NEIGHBOURS = 3, 5  # in a notebook
CARD_WORDS = 5  # ambiguous words on the model card
_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet computes a cell that begins so
_BEGIN, _END = "<!-- senses -->", "<!-- end of senses -->"


@dataclass(frozen=True)
class Sense:
    """One sense of a word; `prior` is E[π], `count` the expected number of its occurrences in the training text.

    >>> sense = model.senses("bank")[0]
    >>> sense.name, 0 < sense.prior <= 1, len(sense.neighbours)
    ('bank#0', True, 10)
    """

    name: str
    prior: float
    count: float
    neighbours: list[Neighbour]
    label: str = ""  # an editor's, or that of the sense sheet


class Senses(list[Sense]):
    """The senses of a word: a list that is a table in a notebook."""

    def _repr_html_(self) -> str:
        return table_of_senses(self)


def plain_cell(cell: str) -> str:
    """Return a cell that no spreadsheet takes for a formula.

    >>> plain_cell("=1+1"), plain_cell("bank")
    ("'=1+1", 'bank')
    """
    return f"'{cell}" if cell.startswith(_FORMULA) else cell


def one_line(model: Model) -> str:
    """Return what a model is, in one line."""
    several = int((np.diff(model.offsets) > 1).sum())
    return (
        f"<adagram.Model: {len(model):,} words, {model.n_senses:,} senses, {several:,} words with several, "
        f"{model.config.algorithm}, dim {model.config.dim}>"
    )


def as_html(model: Model) -> str:
    """Return the same as HTML, with a table of the senses of a few ambiguous words."""
    ranked = rank_words(model, N_WORDS, compared=20)
    found = [model.senses(one.word, N_NEIGHBOURS) for one in ranked]
    senses = [s for of_word in found for s in sorted(of_word, key=lambda sense: -sense.prior)]
    return f"<p>{escape(one_line(model))}</p>{table_of_senses(senses) if senses else ''}"


def table_of_senses(senses: Sequence[Sense]) -> str:
    """Return senses with their neighbours as HTML, with labels if there are any."""
    rows = [
        (sense.name, f"{sense.prior:.2f}", ", ".join(n.name for n in sense.neighbours), sense.label)
        for sense in senses
    ]
    head = ("sense", "prior", "nearest senses", "label")
    return table([row if any(row[3] for row in rows) else row[:3] for row in (head, *rows)])


def table(rows: Sequence[Sequence[str]]) -> str:
    """Return a table in HTML, the first row its head."""
    head, *body = [[escape(cell) for cell in row] for row in rows]
    lines = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in body)
    top = "".join(f"<th>{cell}</th>" for cell in head)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{lines}</tbody></table>"


def frame_of(model: Model, word: str | None, top: int) -> Any:
    """Return a row per sense, of one word with its neighbours or of all words without."""
    pandas = need("pandas", "pandas", "model.frame()")
    rows = slice(0, model.n_senses) if word is None else model.rows(word)
    at = np.arange(rows.start, rows.stop)
    words = np.searchsorted(model.offsets, at, side="right") - 1
    columns: dict[str, Any] = {
        "word": [model.vocabulary.words[w] for w in words.tolist()],
        "prior": np.asarray(model.priors[rows]),
        "count": np.asarray(model.counts[rows]),
        "label": [model.label(row) for row in at.tolist()],
    }
    if word is not None:
        senses = model.senses(word, top)
        columns["neighbours"] = [[neighbour.name for neighbour in sense.neighbours] for sense in senses]
    return pandas.DataFrame(columns, index=pandas.Index(model.names(rows), name="sense"))


# -- the model card: a README that a model writes about itself


def model_card(model: Model) -> str:
    sizes = np.diff(model.offsets)
    config, corpus = model.config, model.info.get("corpus", {})
    lines = [
        "---",
        "library_name: adagram",
        "tags: [word-embeddings, word-senses, word-sense-induction]",
        "---",
        "",
        f"# Word senses by {config.algorithm}",
        "",
        f"{len(sizes):,} words with {model.n_senses:,} senses ({sizes.mean():.3f} per word; "
        f"{int((sizes > 1).sum()):,} words have several), vectors of {config.dim} dimensions.",
        "",
        f"Trained on {corpus.get('tokens', 'an unknown number of')} words for {config.epochs} epoch(s), "
        f"{_lanes(model)}; corpus fingerprint `{corpus.get('fingerprint', 'unknown')}`.",
        "",
        "```python",
        "import adagram",
        'model = adagram.load("this-folder")',
        f'model.senses("{_example(model)}")',
        "```",
        "",
        *_senses(model),
        "| parameter | value |",
        "|---|---|",
        *(f"| {name} | {value} |" for name, value in settings_used(config).items()),
        "",
        "Files: `model.safetensors` (arrays), "
        "`config.json` (all parameters and the training summary), "
        "`vocab.txt` (word, count), `training.jsonl` (progress while training), `senses.jsonl` (the sense sheet), "
        "`journal.txt` (an editor's decisions).",
        "",
    ]
    return "\n".join(lines)


def renew_card(model: Model, path: Path) -> None:
    """Show the senses as they are now; all else on the card stays as it is."""
    # People edit it: bytes that are not UTF-8 stay as they are.
    card = read_file(path).decode("utf-8", "surrogateescape") if path.is_file() else model_card(model)
    block = "\n".join(_senses(model))
    before, begin, rest = card.partition(_BEGIN)
    _, end, after = rest.partition(_END + "\n")
    made = before + block + after if begin and end else f"{card.rstrip()}\n\n{block}"
    with new_file(path, overwrite=True) as new:
        new.write_bytes(made.encode("utf-8", "surrogateescape"))


def _senses(model: Model) -> list[str]:
    """Return a table of a few ambiguous words from the sense sheet, if there is one."""
    if not model.sheet:
        return []
    rows = [
        _sense(model, row)
        for ranked in rank_words(model, top=CARD_WORDS, compared=10)
        for row in range(model.rows(ranked.word).start, model.rows(ranked.word).stop)
    ]
    if not rows:
        return []
    head = ["| sense | share | label | collocates | example |", "|---|---|---|---|---|"]
    return [_BEGIN, *head, *rows, "", _END, ""]


def _sense(model: Model, row: int) -> str:
    """Return a row of the table."""
    entry = model.sheet.entry(model, row) if model.sheet else None
    collocates, example = entry.brief() if entry else ([], "")
    share = f"{model.priors[row]:.2f}"
    cells = [model.names([row])[0], share, model.label(row), ", ".join(collocates), example]
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"


def _lanes(model: Model) -> str:
    """Return how many lanes, threads and workers trained the model."""
    training = model.info.get("training", {})
    by = [f"{training[name]} {name}" for name in ("threads", "workers") if name in training]
    return f"{model.config.lanes} lane(s)" + "".join(f" by {each}" for each in by)


def _example(model: Model) -> str:
    """Return an ambiguous word; if none is clear, the one with the most senses."""
    ranked = rank_words(model, top=1, compared=10)
    return ranked[0].word if ranked else model.vocabulary.words[int(np.argmax(np.diff(model.offsets)))]
