"""Text to an encoded corpus: decoding, tokens, formats, counting, vocabulary, phrases."""
