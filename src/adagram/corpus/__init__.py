"""Text to an encoded corpus: decoding, tokens, formats, counting, vocabulary, phrases."""

from typing import Any

from adagram.corpus.options import EncodeOptions

__all__ = ["EncodeOptions", "encode"]


def __getattr__(name: str) -> Any:
    """Import `encode` when first used: most users of this package need the vocabulary only."""
    if name != "encode":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from adagram.corpus.encoder import encode

    return encode
