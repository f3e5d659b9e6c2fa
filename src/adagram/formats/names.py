"""Names of senses in files where some characters have a meaning."""

from __future__ import annotations

import re

from adagram.errors import InputError
from adagram.model import Model


def safe_names(model: Model, format: str, forbidden: str = r"\s") -> list[str]:
    """All sense names; a word with a `forbidden` character cannot be written to a file of this format."""
    names = model.names(slice(0, model.n_senses))
    found = re.compile(forbidden).search
    for name in names:
        if found(name):
            raise InputError(
                f"the word {name.rpartition('#')[0]!r} has white space in it, which {format} cannot hold; "
                "export to gensim or parquet instead"
            )
    return names
