"""Rewriting a corpus with sense-tagged words."""

from adagram.tagging.files import tag_documents, tag_files
from adagram.tagging.tagger import Tagger, Tally

__all__ = ["Tagger", "Tally", "tag_documents", "tag_files"]
