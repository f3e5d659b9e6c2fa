"""Text utilities: opening files, tokens, MediaWiki dumps."""
