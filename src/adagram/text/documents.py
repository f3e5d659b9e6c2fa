"""A piece of a corpus that knows where it comes from, and how its lines become words."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

from adagram.text.tokenizer import Tokenizer, TokenizerConfig, make_tokenizer


class Kind(Enum):
    """What the lines of a document are."""

    RAW = "text for the tokenizer"
    WORDS = "words between spaces, whose case may be folded"
    EXACT = "words between spaces, final"


@dataclass(frozen=True)
class Document:
    """A document, or several lines of a long one, with the fields of its record."""

    name: str  # file, and line or identifier
    data: bytes  # lines in UTF-8; contexts of words do not leave a line
    fields: Mapping[str, Any] = field(default_factory=dict)
    kind: Kind = Kind.RAW

    @property
    def text(self) -> str:
        """Its lines, without the end of the last."""
        return self.data.decode("utf-8", "replace").removesuffix("\n")

    @property
    def lines(self) -> list[str]:
        return self.text.split("\n")


def make_document(
    name: str, text: str, fields: Mapping[str, Any] | None = None, kind: Kind = Kind.RAW
) -> Document:
    """Make a document of whole lines."""
    return Document(name, (text + "\n").encode("utf-8", "replace"), fields or {}, kind)


def by_kind(config: TokenizerConfig) -> dict[Kind, TokenizerConfig]:
    """How lines of each kind are split in a corpus with this tokenizer."""
    words = replace(config, pretokenized=True)
    return {Kind.RAW: config, Kind.WORDS: words, Kind.EXACT: replace(words, fold_case=False)}


def make_tokenizers(info: Mapping[str, Any], words: Container[str]) -> dict[Kind, Tokenizer]:
    """Functions from a line of each kind to words, as the encoder of a model's corpus split it.

    `info` is the model's config.json, `words` its vocabulary.
    """
    config = TokenizerConfig.from_dict(info.get("tokenizer") or {})
    return {kind: make_tokenizer(of_kind, words) for kind, of_kind in by_kind(config).items()}
