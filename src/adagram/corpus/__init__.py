"""Text to an encoded corpus: decoding, tokens, formats, counting, vocabulary, phrases."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from adagram.corpus.encoder import encode
    from adagram.corpus.options import EncodeOptions

__all__ = ["EncodeOptions", "encode"]
_HOMES = {"EncodeOptions": "adagram.config", "encode": "adagram.corpus.encoder"}


def __getattr__(name: str) -> Any:
    """Import when first used: most users of this package need the vocabulary only."""
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
