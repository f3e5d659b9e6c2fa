"""Errors a user can act on: one sentence that says what was wrong, with the value, and what to do next."""

from __future__ import annotations

import importlib
from types import ModuleType


class AdagramError(Exception):
    """Base of all errors caused by the input or the machine; the command line prints it and exits 1.

    >>> raise AdagramError("corpus.txt is empty; give a file with text")
    Traceback (most recent call last):
    adagram.errors.AdagramError: corpus.txt is empty; give a file with text
    """


class InputError(AdagramError):
    """Bad options, bad data, unreadable or damaged files."""


class UnknownWordError(AdagramError):
    """A word or sense that the model does not have."""


class MissingExtraError(AdagramError):
    """An optional library is needed and not installed."""


def need(module: str, extra: str, purpose: str) -> ModuleType:
    """Import an optional `module`, or say which extra brings it.

    >>> need("not_a_module", "zst", "corpus.zst")
    Traceback (most recent call last):
    adagram.errors.MissingExtraError: corpus.zst needs not_a_module, which is not installed. \
Run: pip install "adagram[zst]"
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        name = module.partition(".")[0]
        raise MissingExtraError(
            f'{purpose} needs {name}, which is not installed. Run: pip install "adagram[{extra}]"'
        ) from error
