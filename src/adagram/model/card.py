"""The model card: a README that a model writes about itself."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from adagram.model.about import settings_used
from adagram.model.ranking import rank_words
from adagram.whole import new_file, read_file

if TYPE_CHECKING:
    from adagram.model.model import Model

SHOWN = 5  # ambiguous words
_BEGIN, _END = "<!-- senses -->", "<!-- end of senses -->"


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
        "Files: `model.safetensors` (arrays), `config.json` (all parameters and the training summary), "
        "`vocab.txt` (word, count), `training.jsonl` (progress while training), `senses.jsonl` (the sense sheet), "
        "`journal.txt` (an editor's decisions).",
        "",
    ]
    return "\n".join(lines)


def renew_card(model: Model, path: Path) -> None:
    """Show the senses as they are now; all else on the card stays as it is, whoever wrote it."""
    # People edit it: bytes that are not UTF-8 stay as they are.
    card = read_file(path).decode("utf-8", "surrogateescape") if path.is_file() else model_card(model)
    block = "\n".join(_senses(model))
    before, begin, rest = card.partition(_BEGIN)
    _, end, after = rest.partition(_END + "\n")
    made = before + block + after if begin and end else f"{card.rstrip()}\n\n{block}"
    with new_file(path, overwrite=True) as new:
        new.write_bytes(made.encode("utf-8", "surrogateescape"))


def _senses(model: Model) -> list[str]:
    """A few ambiguous words with what the sense sheet says about their senses, if there is one."""
    if not model.sheet:
        return []
    rows = [
        _sense(model, row)
        for ranked in rank_words(model, top=SHOWN, compared=10)
        for row in range(model.rows(ranked.word).start, model.rows(ranked.word).stop)
    ]
    if not rows:
        return []
    head = ["| sense | share | label | collocates | example |", "|---|---|---|---|---|"]
    return [_BEGIN, *head, *rows, "", _END, ""]


def _sense(model: Model, row: int) -> str:
    """A row of the table."""
    entry = model.sheet.entry(model, row) if model.sheet else None
    collocates, example = entry.brief() if entry else ([], "")
    share = f"{model.priors[row]:.2f}"
    cells = [model.names([row])[0], share, model.label(row), ", ".join(collocates), example]
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"


def _lanes(model: Model) -> str:
    """How the text was shared out among lanes, and who trained them."""
    training = model.info.get("training", {})
    by = [f"{training[name]} {name}" for name in ("threads", "workers") if name in training]
    return f"{model.config.lanes} lane(s)" + "".join(f" by {each}" for each in by)


def _example(model: Model) -> str:
    """An ambiguous word; where none is clear, the one with the most senses."""
    ranked = rank_words(model, top=1, compared=10)
    return ranked[0].word if ranked else model.vocabulary.words[int(np.argmax(np.diff(model.offsets)))]
