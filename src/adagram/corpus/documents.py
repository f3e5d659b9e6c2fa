"""Documents of a corpus, blocks of their text, and the state and report of reading them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import Enum
from itertools import groupby
from operator import attrgetter
from typing import Any

from adagram.corpus.options import EncodeOptions
from adagram.corpus.tokenize import Tokenizer, TokenizerConfig, make_tokenizer
from adagram.errors import InputError
from adagram.types import ReportStage, StageProgress

BLOCK = 1 << 21  # bytes
MAX_LINE = 1 << 20  # bytes; longer lines come in parts
AS_IT_COMES = 1  # block size for a live stream
_SPACES = (b" ", b"\t", b"\r")


class Kind(Enum):
    """What the lines of a document are."""

    RAW = "text for the tokenizer"
    WORDS = "words between spaces, whose case may be folded"
    EXACT = "words between spaces, final"


@dataclass(frozen=True)
class Document:
    """A document, or several lines of a long one, with the fields of its record."""

    name: str  # file, and line or identifier
    data: bytes  # lines in UTF-8; a context does not cross lines
    fields: Mapping[str, Any] = field(default_factory=dict)
    kind: Kind = Kind.RAW

    @property
    def text(self) -> str:
        """Its lines, without the end of the last."""
        return self.data.decode("utf-8", "replace").removesuffix("\n")

    @property
    def lines(self) -> list[str]:
        return self.text.split("\n")


def make_document(name: str, text: str, fields: Mapping[str, Any] | None = None, kind: Kind = Kind.RAW) -> Document:
    """Make a document of whole lines."""
    return Document(name, (text + "\n").encode("utf-8", "replace"), fields or {}, kind)


def by_kind(config: TokenizerConfig) -> dict[Kind, TokenizerConfig]:
    """Return how lines of each kind are split in a corpus with this tokenizer."""
    words = replace(config, pretokenized=True)
    return {Kind.RAW: config, Kind.WORDS: words, Kind.EXACT: replace(words, fold_case=False)}


def make_tokenizers(info: Mapping[str, Any], words: Container[str]) -> dict[Kind, Tokenizer]:
    """Return functions from a line of each kind to words, as the text of a model was split.

    `info` is the model's config.json, `words` its vocabulary.
    """
    config = TokenizerConfig.from_dict(info.get("tokenizer") or {})
    return {kind: make_tokenizer(of_kind, words) for kind, of_kind in by_kind(config).items()}


@dataclass
class Removed:
    """What one filter of the vocabulary removed."""

    types: int
    tokens: int


@dataclass
class BadSource:
    """A file that could not be read to its end, and why."""

    name: str
    reason: str


@dataclass
class CorpusReport:
    """What was read, kept, skipped and removed; saved in corpus.json."""

    sources: int = 0
    tokens: int = 0  # words read
    types: int = 0  # distinct words read
    kept_tokens: int = 0
    kept_types: int = 0
    removed: dict[str, Removed] = field(default_factory=dict)  # by filter of the vocabulary
    skipped: Counter[str] = field(default_factory=Counter)  # by reason
    bad_sources: list[BadSource] = field(default_factory=list)
    replaced_utf8: int = 0  # sequences that are not UTF-8, or not of the named encoding
    phrases: int = 0  # words that were joined to the one before
    reading: dict[str, Any] = field(default_factory=dict)  # how it was read: `EncodeOptions.reading`
    uncut_runs: int = 0  # words that are runs of a script without spaces
    counts_are_lower_bounds: bool = False  # rare words were forgotten to bound memory

    @property
    def coverage(self) -> float:
        """The share of the words read that are in the vocabulary."""
        read = self.tokens - self.phrases  # a phrase is one word made of two
        return self.kept_tokens / read if read else 0.0

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "skipped": dict(self.skipped), "coverage": self.coverage}


@dataclass
class ReadState:
    """What all readers share: options, report, bytes read so far."""

    options: EncodeOptions
    report: CorpusReport
    progress: ReportStage | None = None
    total: int | None = None  # bytes of all sources, None when not known
    done: int = 0
    has_text: bool = False  # some source was running text
    has_words: bool = False  # some source had words given, whose case may be folded
    usual_format: str = "text"  # of files whose name and content do not show it
    is_live: bool = False  # yield blocks as they come, however small
    needs_fields: bool = False  # read columns beside the text
    is_over: Callable[[], bool] | None = None  # called before blocking on a stream: the user may end it

    def __post_init__(self) -> None:
        self.report.reading = self.options.reading

    def advance(self, n_bytes: int) -> None:
        self.done += n_bytes
        if self.progress:
            self.progress(StageProgress("reading", self.done, self.total))

    def skip(self, reason: str) -> None:
        """Count what is left out by design."""
        self.report.skipped[reason] += 1

    def bad_line(self, name: str, number: int, what: str) -> None:
        """Count a line that cannot be read with skip_bad, raise an error without."""
        if not self.options.skip_bad:
            raise InputError(f"{name} line {number}: {what}; repair it or give --skip-bad")
        self.skip("bad lines")

    def bad_source(self, name: str, error: InputError) -> None:
        """Report a source whose rest cannot be read with skip_bad, raise the error without."""
        if not self.options.skip_bad:
            raise error
        self.report.bad_sources.append(BadSource(name, str(error)))


def cut_blocks(parts: Iterable[bytes], size: int = BLOCK) -> Iterator[bytes]:
    """Yield a text in blocks of at least `size` bytes that end after a line, or after a word of a very long line.

    The last line gets its end even if the text has none. Before an error come the whole lines before it.
    """
    data, n_new, is_open = bytearray(), 0, False
    try:
        for part in parts:
            data += part
            n_new += len(part)
            if n_new < size:
                continue
            n_new = 0
            if cut := _cut_place(data):
                is_open = data[cut - 1] != 0x0A
                yield bytes(data[:cut])
                del data[:cut]
    except InputError:
        if cut := data.rfind(b"\n") + 1:
            yield bytes(data[:cut])
        raise
    if data or is_open:
        yield bytes(data) if data.endswith(b"\n") else bytes(data) + b"\n"


def _cut_place(data: bytes | bytearray) -> int:
    """Return the end of the last line, or a place in a very long line."""
    cut = data.rfind(b"\n") + 1
    if cut or len(data) < MAX_LINE:
        return cut
    for space in _SPACES:
        if (found := data.rfind(space)) >= 0:
            return found + 1
    if len(data) < 2 * BLOCK:
        return 0
    # Megabytes without a space are not text: cut anywhere between two characters.
    cut = len(data)
    while cut > len(data) - 4 and 0x80 <= data[cut - 1] < 0xC0:
        cut -= 1
    return cut - 1


def join_blocks(documents: Iterable[Document], size: int = BLOCK) -> Iterator[Document]:
    """Join short documents of one kind and cut very long ones."""
    for kind, group in groupby(documents, key=attrgetter("kind")):
        parts = (each.data[i : i + BLOCK] for each in group for i in range(0, len(each.data), BLOCK))
        for data in cut_blocks(parts, size):
            yield Document("", data, kind=kind)
