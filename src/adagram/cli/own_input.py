"""A result must not replace the file that it is made from."""

from __future__ import annotations

import os
from collections.abc import Sequence

from adagram.errors import InputError

WRITTEN = ("--output", "-o", "--frequencies", "--answers")  # options that name a file to write


def check_not_read(arguments: Sequence[str]) -> None:
    """Refuse a command line in which a file is both read and written; a link to it is the same file."""
    parts = [part for word in arguments for part in (word.split("=", 1) if word[:2] == "--" else [word])]
    written = [i for i in range(1, len(parts)) if parts[i - 1] in WRITTEN and os.path.isfile(parts[i])]
    for i in written:
        for j, other in enumerate(parts):
            if j != i and os.path.isfile(other) and os.path.samefile(parts[i], other):
                raise InputError(
                    f"{parts[i]} is a file that this command reads; give another name to write to"
                )
