"""How a model looks: at a prompt, in a notebook, as a pandas table, and on its model card."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from adagram.config import settings_used
from adagram.errors import need
from adagram.files.atomic import new_file
from adagram.files.json import read_file
from adagram.model.neighbours import Neighbour, blended_vectors, rank_words
from adagram.model.resolution import DEFAULT
from adagram.model.sheet import entry_of, label_of
from adagram.model.storage import finite

if TYPE_CHECKING:
    from adagram.model.model import Model

N_WORDS, N_NEIGHBOURS = 3, 5  # in a notebook
_SHOWN, _EXAMPLE = 8, 140  # neighbours of a card and characters of its example
# Okabe and Ito's
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a8000", "#7d8590")  # fmt: skip
CARD_WORDS = 5  # ambiguous words on the model card
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
    """The senses of a word: a list that a notebook shows as cards, with what the model's folder tells about them."""

    def __init__(self, senses: Iterable[Sense], model: Model) -> None:
        super().__init__(senses)
        self._model = model

    def _repr_html_(self) -> str:
        return cards(self, self._model)


def as_html(model: Model) -> str:
    """Return the repr of a model as HTML, with cards of the senses of a few ambiguous words."""
    found = [model.senses(one.word, N_NEIGHBOURS) for one in rank_words(model, N_WORDS, compared=20)]
    return f"<p>{escape(repr(model))}</p>{''.join(cards(senses, model) for senses in found)}"


def cards(senses: Sequence[Sense], model: Model) -> str:
    """Return a small card per sense as HTML, the most frequent first, in the colours that the explorer uses.

    A card has the sense's share, its label and nearest words; its collocates and an example if the model has a sense
    sheet.
    """
    made = "".join(_card(sense, model) for sense in sorted(senses, key=lambda sense: -sense.prior))
    return f'<div style="display:flex;flex-wrap:wrap;gap:8px;margin:4px 0 10px">{made}</div>'


def _card(sense: Sense, model: Model) -> str:
    colour = _COLOURS[int(sense.name.rpartition("#")[2]) % len(_COLOURS)]
    near = ", ".join(n.name.rpartition("#")[0] for n in sense.neighbours[:_SHOWN])
    collocates, example = entry_of(model, model.row(sense.name)).brief()
    example = example if len(example) <= _EXAMPLE else f"{example[:_EXAMPLE]}…"
    parts = [
        f'<div style="display:flex;justify-content:space-between;gap:8px"><b dir="auto">{escape(sense.name)}</b>'
        f'<span title="{sense.count:,.0f} uses">{sense.prior:.0%}</span></div>'
        '<div style="height:5px;margin:3px 0;border-radius:3px;background:rgba(128,128,128,.25)">'
        f'<div style="width:{100 * sense.prior:.1f}%;height:100%;border-radius:3px;background:{colour}"></div></div>',
        *(
            f'<div dir="auto" style="margin:3px 0;{look}" title="{title}">{escape(text)}</div>'
            for title, text, look in (
                ("label", sense.label, "font-weight:600"),
                ("nearest words", near, ""),
                ("typical words around it", ", ".join(collocates), "opacity:.75"),
                ("an example", example, "font-style:italic;opacity:.75"),
            )
            if text
        ),
    ]
    frame = f"border:1px solid rgba(128,128,128,.4);border-top:4px solid {colour};border-radius:6px"
    return f'<div style="{frame};padding:6px 10px;width:220px;font-size:13px;line-height:1.4">{"".join(parts)}</div>'


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
        "label": [label_of(model, row) for row in at.tolist()],
    }
    if word is not None:
        senses = model.senses(word, top)
        columns["neighbours"] = [[neighbour.name for neighbour in sense.neighbours] for sense in senses]
    return pandas.DataFrame(columns, index=pandas.Index(model.names(rows), name="sense"))


def keyed_vectors(model: Model, blended: bool) -> Any:
    """Return gensim KeyedVectors, see `Model.to_gensim`."""
    gensim = need("gensim.models.keyedvectors", "gensim", "to_gensim")
    keyed = gensim.KeyedVectors(model.config.dim)
    vectors = blended_vectors(model) if blended else np.array(model.vectors)  # a copy: gensim may change it
    keyed.add_vectors(model.names(slice(0, model.n_senses)), finite(vectors))
    for attribute, values in (("count", model.counts), ("prior", model.priors)):
        keyed.allocate_vecattrs([attribute], [np.float64])
        keyed.expandos[attribute][:] = values
    return keyed


# -- the model card: a README that a model writes about itself


def model_card(model: Model) -> str:
    sizes = np.diff(model.offsets)
    config, corpus, source = model.config, model.info.get("corpus", {}), model.info.get("source", {})
    licence, training = source.get("licence", ""), model.info.get("training", {})
    by = "".join(f" by {training[name]} {name}" for name in ("threads", "workers") if name in training)
    lines = [
        "---",
        "library_name: adagram",
        *([f"license: {licence.lower().replace(' ', '-')}"] if licence else []),
        "tags: [word-embeddings, word-senses, word-sense-induction]",
        "---",
        "",
        f"# Word senses by {config.algorithm}",
        "",
        f"{len(sizes):,} words with {model.n_senses:,} senses ({sizes.mean():.3f} per word; "
        f"{int((sizes > 1).sum()):,} words have several), vectors of {config.dim} dimensions.",
        "",
        f"Trained on {corpus.get('tokens', 'an unknown number of')} words for {config.epochs} epoch(s), "
        f"{config.lanes} lane(s){by}; corpus fingerprint `{corpus.get('fingerprint', 'unknown')}`.",
        "",
        *(f"- {name}: {value}" for name, value in source.items() if value),
        *([""] if source else []),
        "```python",
        "import adagram",
        "",
        'model = adagram.load("this-folder")',
        f'model.senses("{_example(model)}")',
        "```",
        "",
        *_senses(model),
        "| parameter | value |",
        "|---|---|",
        *(f"| {name} | {value} |" for name, value in settings_used(config).items()),
        "",
        "Files: `model.safetensors` (arrays), `config.json` (all parameters and the training summary), `vocab.txt` "
        "(word, count), `training.jsonl` (progress while training), `senses.jsonl` (the sense sheet), `journal.txt` "
        "(an editor's decisions).",
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
    model = model.at(DEFAULT)
    rows = []
    for ranked in rank_words(model, top=CARD_WORDS, compared=10):
        for row in range(model.n_senses)[model.rows(ranked.word)]:
            name, share = model.names([row])[0], f"{model.priors[row]:.2f}"
            collocates, example = entry_of(model, row).brief()
            cells = (name, share, label_of(model, row), ", ".join(collocates), example)
            rows.append(f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |")
    head = ["| sense | share | label | collocates | example |", "|---|---|---|---|---|"]
    return [_BEGIN, *head, *rows, "", _END, ""] if rows else []


def _example(model: Model) -> str:
    """Return an ambiguous word; if none is clear, the one with the most senses."""
    ranked = rank_words(model.at(DEFAULT), top=1, compared=10)
    return ranked[0].word if ranked else model.vocabulary.words[int(np.argmax(np.diff(model.offsets)))]
