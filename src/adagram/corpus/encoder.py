"""Text to an encoded corpus: one pass over the text to provisional ids, one over the ids to final ones."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from adagram.config import EncodeOptions
from adagram.corpus.phrases import JOINER, join_phrases
from adagram.corpus.reading import read_blocks
from adagram.corpus.scanner import Scan, Scanner
from adagram.corpus.sources import Sources
from adagram.corpus.state import CorpusReport, Progress, ReadState, Removed
from adagram.corpus.words import Selection, WordTable, select_words
from adagram.corpus.writer import Spool, Written, write_meta, write_tokens
from adagram.encoded import EncodedCorpus
from adagram.errors import MissingExtraError
from adagram.files.atomic import new_folder
from adagram.files.folders import CORPUS
from adagram.ordered import in_order
from adagram.text.documents import Document, Kind, by_kind
from adagram.text.tokenizer import TokenizerConfig
from adagram.text.unspaced import CUTS_RUNS
from adagram.unknown import write_unknown
from adagram.vocabulary import Vocabulary

MOST_RUNS = 0.05  # share of the words that may be runs of a script without spaces
EARLY = 100_000  # words after which that is looked at before the text ends
AHEAD = 2  # blocks per thread that may wait, so that memory stays bounded


def encode(
    sources: Sources,
    output: Path,
    options: EncodeOptions | None = None,
    progress: Progress | None = None,
    overwrite: bool = False,
    temporary_for: str | None = None,
    known: Vocabulary | None = None,
    met: Mapping[str, int] | None = None,
) -> EncodedCorpus:
    """Encode `sources` (path, glob, folder, `-`, or a list of these, of texts or of token lists) to `output`.

    The folder appears only when it is complete; the result does not depend on the number of threads. `temporary_for`
    names the model for which alone it is made. Words that are `known` keep their ids and are never dropped; new ones
    come after them, and counts are of old and new text together; texts before may have `met` some.
    """
    options = options or EncodeOptions()
    state = ReadState(options, CorpusReport(), progress)
    with new_folder(output, CORPUS, overwrite) as folder:
        spool = Spool(folder, "provisional.")
        try:
            table = _read(read_blocks(sources, state), state, spool)
            candidates = table.candidates()
            for number in range(options.phrases):
                old = spool
                spool, candidates, n_joins = join_phrases(spool, candidates, options, folder, number)
                old.remove()
                if progress:
                    progress("joining phrases", number + 1, options.phrases)
                state.report.phrases += n_joins
            selection = select_words(candidates, options, known, met)
            written = write_tokens(folder, spool, selection, len(candidates.counts), state)
        finally:
            spool.remove()
        if state.report.uncut_runs:
            warnings.warn(
                f"{state.report.uncut_runs:,} runs of a script without spaces were left whole. {CUTS_RUNS}",
                stacklevel=2,
            )
        report = _finish_report(state.report, table, selection, written)
        tokenizer = _recorded_tokenizer(options, state).to_dict()
        more = {"tokenizer": tokenizer, "report": report.to_dict(), "temporary_for": temporary_for}
        if not options.phrases:  # a model with them cannot go on
            write_unknown(folder, selection.rare)
        write_meta(folder, written, selection.vocabulary, more)
    return EncodedCorpus.open(Path(output))


def _read(blocks: Iterator[Document], state: ReadState, spool: Spool) -> WordTable:
    """The one pass over the text: words get provisional ids, ids go to the spool, words are counted."""
    table = WordTable(state.options.max_types)
    scanners = Scanners(state.options)
    with _saying_if_slow(state.progress, "compiling, once"):
        table.add(scanners.scan(Document("", b"\n")).words)
    threads, n_tokens = state.options.n_threads, 0
    with ThreadPoolExecutor(threads) as pool:
        scans: Iterator[Scan] = map(scanners.scan, blocks)
        if threads > 1:
            scans = in_order(pool, scanners.scan, blocks, AHEAD * threads)
        for scan in scans:
            ids = table.add(scan.words)
            spool.write(ids[scan.tokens], scan.ends)
            state.report.uncut_runs += scan.n_runs
            n_tokens += len(scan.tokens)
            if n_tokens > EARLY:
                refuse_runs(state.report.uncut_runs, n_tokens)
    refuse_runs(state.report.uncut_runs, n_tokens)
    spool.close()
    return table


def refuse_runs(n_runs: int, n_tokens: int) -> None:
    """A few names in another script are words of their own; a text of runs would be a text without words."""
    if n_runs > MOST_RUNS * n_tokens:
        raise MissingExtraError(
            f"{n_runs:,} of {n_tokens:,} words are runs of a script without spaces (Chinese, Japanese, Thai, Khmer, "
            f"Lao, Burmese). {CUTS_RUNS}, or put spaces between the words and give --pretokenized"
        )


@contextmanager
def _saying_if_slow(progress: Progress | None, stage: str) -> Iterator[None]:
    """CorpusReport a stage of unknown length, but only when it takes more than a moment."""
    if progress is None:
        yield
        return
    timer = threading.Timer(2.0, progress, (stage, 0, None))
    timer.start()
    try:
        yield
    finally:
        was_said = not timer.is_alive()
        timer.cancel()
        timer.join()
        if was_said:
            progress(stage, 1, 1)


class Scanners:
    """A scanner for each kind of block, made when first needed."""

    def __init__(self, options: EncodeOptions) -> None:
        self._configs = by_kind(options.tokenizer_config)
        self._scanners: dict[Kind, Scanner] = {}
        self._making = threading.Lock()  # one thread makes a scanner, others wait for it

    def scan(self, block: Document) -> Scan:
        with self._making:
            if block.kind not in self._scanners:
                self._scanners[block.kind] = Scanner(self._configs[block.kind])
        return self._scanners[block.kind].scan(block.data)


def _finish_report(
    report: CorpusReport, table: WordTable, selection: Selection, written: Written
) -> CorpusReport:
    report.tokens = table.n_tokens
    report.types = table.n_words + table.n_forgotten_words
    report.kept_tokens, report.kept_types = written.n_tokens, len(selection.vocabulary)
    report.removed = selection.removed
    if table.n_too_long:
        report.skipped["words that are too long"] = table.n_too_long
    report.counts_are_lower_bounds = table.n_forgotten_words > 0
    if table.n_forgotten_words:
        report.removed["max_types"] = Removed(table.n_forgotten_words, table.n_forgotten_tokens)
    return report


def _recorded_tokenizer(options: EncodeOptions, state: ReadState) -> TokenizerConfig:
    """The tokenizer that queries must use: corpora that came as tokens are asked with tokens."""
    config = options.tokenizer_config
    if options.phrases:
        config = replace(config, phrase_joiner=JOINER)
    if state.has_text:
        return config
    exact = options.unit == "lemma_pos" or not state.has_words
    return replace(config, pretokenized=True, fold_case=config.fold_case and not exact)
