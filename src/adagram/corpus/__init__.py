"""Any corpus in: sources of text to an encoded corpus."""

from adagram.corpus.encoder import encode
from adagram.corpus.options import EncodeOptions, PhraseOptions, Progress

__all__ = ["EncodeOptions", "PhraseOptions", "Progress", "encode"]
