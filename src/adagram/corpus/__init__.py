"""Any corpus in: sources of text to an encoded corpus."""

from adagram.config import EncodeOptions
from adagram.corpus.encoder import encode
from adagram.corpus.state import Progress

__all__ = ["EncodeOptions", "Progress", "encode"]
