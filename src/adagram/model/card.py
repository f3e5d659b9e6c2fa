"""The model card: a README that a model writes about itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from adagram.model.about import settings_used
from adagram.model.ranking import rank_words

if TYPE_CHECKING:
    from adagram.model.model import Model


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
        f"Trained on {corpus.get('tokens', 'an unknown number of')} words for {config.epochs} epoch(s); "
        f"corpus fingerprint `{corpus.get('fingerprint', 'unknown')}`.",
        "",
        "```python",
        "import adagram",
        'model = adagram.load("this-folder")',
        f'model.senses("{_example(model)}")',
        "```",
        "",
        "| parameter | value |",
        "|---|---|",
        *(f"| {name} | {value} |" for name, value in settings_used(config).items()),
        "",
        "Files: `model.safetensors` (arrays; in several files if several workers wrote them), "
        "`config.json` (all parameters and the training summary), "
        "`vocab.txt` (word, count), `training.jsonl` (progress while training).",
        "",
    ]
    return "\n".join(lines)


def _example(model: Model) -> str:
    """An ambiguous word; where none is clear, the one with the most senses."""
    ranked = rank_words(model, top=1, compared=10)
    return ranked[0].word if ranked else model.vocabulary.words[int(np.argmax(np.diff(model.offsets)))]
