"""Encode text: one pass over the text to provisional ids, one over the ids to those of the vocabulary."""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adagram.corpus.count import NO_WORD, Candidates, Scan, Selection, WordTable, add_words, make_scan, select_words
from adagram.corpus.documents import CorpusReport, Document, ReadState, Removed
from adagram.corpus.encoded import FORMAT_VERSION, META, VOCAB, EncodedCorpus, Spool, TokenBatch, token_batches
from adagram.corpus.options import EncodeOptions
from adagram.corpus.parallel import map_in_processes
from adagram.corpus.phrases import JOINER, join_phrases
from adagram.corpus.readers import read_blocks
from adagram.corpus.sources import Sources
from adagram.corpus.tokenize import CUTS_RUNS, TokenizerConfig
from adagram.corpus.vocabulary import Vocabulary, write_unknown
from adagram.errors import MissingExtraError
from adagram.files.atomic import new_folder
from adagram.files.folders import CORPUS
from adagram.types import ReportStage, StageProgress

MAX_RUNS = 0.05  # share of the words that may be runs of a script without spaces
EARLY = 100_000  # words after which that is checked, before the text ends
MIN_BLOCKS = 8  # of a text that is split in several processes
MAX_PROCESSES = 8  # that one reader can feed


def encode(
    sources: Sources,
    output: Path,
    options: EncodeOptions | None = None,
    progress: ReportStage | None = None,
    overwrite: bool = False,
    temporary_for: str | None = None,
    old_vocabulary: Vocabulary | None = None,
    rare_counts: Mapping[str, int] | None = None,
) -> EncodedCorpus:
    """Encode `sources` (path, glob, folder, `-`, or a list of these, of texts or of token lists) to `output`.

    The folder appears only when it is complete; the result does not depend on the number of threads. `temporary_for`
    names the model for which alone it is made. Words of `old_vocabulary` keep their ids and are never dropped; new ones
    come after them, and counts are of old and new text together. `rare_counts` counts rare words of the texts before.
    """
    options = options or EncodeOptions()
    state = ReadState(options, CorpusReport(), progress)
    with new_folder(output, CORPUS, overwrite) as folder:
        spool = Spool(folder, "provisional.")
        try:
            table = _count(read_blocks(sources, state), state, spool)
            candidates = table.candidates()
            for number in range(options.phrases):
                unjoined = spool
                spool, candidates, n_joins = join_phrases(unjoined, candidates, options, folder, number)
                unjoined.remove()
                state.report.phrases += n_joins
                if progress:
                    progress(StageProgress("joining phrases", number + 1, options.phrases))
            selection = select_words(candidates, options, old_vocabulary, rare_counts)
            meta = _write_tokens(folder, selection.vocabulary, _selected(spool, candidates, selection, progress))
        finally:
            spool.remove()
        if state.report.uncut_runs:
            warnings.warn(
                f"{state.report.uncut_runs:,} runs of a script without spaces were left whole. {CUTS_RUNS}",
                stacklevel=2,
            )
        if not options.phrases:  # a model with phrases cannot be continued
            write_unknown(folder, selection.rare)
        meta["tokenizer"] = _recorded_tokenizer(options, state).to_dict()
        meta["report"] = _finish_report(state.report, table, selection, meta["n_tokens"]).to_dict()
        meta["temporary_for"] = temporary_for
        _write_meta(folder, meta)
    return EncodedCorpus.mapped(Path(output), selection.vocabulary, meta)


def renumber(
    corpus: EncodedCorpus,
    old_vocabulary: Vocabulary,
    output: Path,
    temporary_for: str | None = None,
    rare_counts: Mapping[str, int] | None = None,
) -> EncodedCorpus:
    """Write a corpus in the ids of the vocabulary that continues `old_vocabulary`.

    New words come after the known ones, and counts are of both texts together. So are those of rare words that the
    texts before have `rare_counts`, but the tokens are without them.
    """
    corpus.check()
    words = corpus.vocabulary.words
    counts = np.zeros(len(words) + 1, np.int64)  # in the tokens, whatever the vocabulary says; the first is of no word
    for tokens, _ in token_batches(corpus.tokens, corpus.ends):
        counts[1:] += np.bincount(tokens, minlength=len(words))
    candidates = Candidates(counts, lambda i: words[i - 1])
    selection = add_words(candidates, EncodeOptions(min_count=1), old_vocabulary, {})
    vocabulary, ids = selection.vocabulary, selection.numbers(len(counts))[1:]
    rare = {word: n for word, n in corpus.unknown.items() if word not in vocabulary}
    with new_folder(output, CORPUS) as folder:
        batches = token_batches(corpus.tokens, corpus.ends)
        meta = _write_tokens(folder, vocabulary, ((ids[tokens], ends) for tokens, ends in batches))
        write_unknown(folder, {word: n + (rare_counts or {}).get(word, 0) for word, n in rare.items()})
        meta |= {name: corpus.meta.get(name) for name in ("tokenizer", "report")}
        meta["temporary_for"] = temporary_for
        _write_meta(folder, meta)
    return EncodedCorpus.mapped(output, vocabulary, meta)


def _count(blocks: Iterator[Document], state: ReadState, spool: Spool) -> WordTable:
    """Read the text once: count its words and write their provisional ids to the spool."""
    table = WordTable(state.options.max_types)
    for scan in without_runs(_scan(blocks, state.options), state.report):
        spool.write(table.add(scan)[scan.tokens], scan.ends)
    spool.close()
    return table


def _scan(blocks: Iterator[Document], options: EncodeOptions) -> Iterator[Scan]:
    """Split blocks in order: the first ones here, those of a long text in several processes."""
    make, n = partial(make_scan, options.tokenizer_config), min(options.n_threads, MAX_PROCESSES)
    yield from map(make(), islice(blocks, MIN_BLOCKS if n > 1 else None))
    for block in blocks:
        yield from map_in_processes(make, chain([block], blocks), n)


def without_runs(scans: Iterable[Scan], report: CorpusReport) -> Iterator[Scan]:
    """Pass scans on; refuse a text of uncut runs, EARLY or at its end."""
    n_tokens = 0
    for scan in scans:
        report.uncut_runs += scan.n_runs
        n_tokens += len(scan.tokens)
        if n_tokens > EARLY:
            _refuse_runs(report.uncut_runs, n_tokens)
        yield scan
    _refuse_runs(report.uncut_runs, n_tokens)


def _refuse_runs(n_runs: int, n_tokens: int) -> None:
    """Refuse a text of uncut runs, which has no words; a few names in another script are kept."""
    if n_runs > MAX_RUNS * n_tokens:
        raise MissingExtraError(
            f"{n_runs:,} of {n_tokens:,} words are runs of a script without spaces (Chinese, Japanese, Thai, Khmer, "
            f"Lao, Burmese). {CUTS_RUNS}, or put spaces between the words and give --pretokenized"
        )


def _selected(
    spool: Spool, candidates: Candidates, selection: Selection, progress: ReportStage | None
) -> Iterator[TokenBatch]:
    """Yield the spool in the ids of the selected words, without the others."""
    ids, done = selection.numbers(len(candidates.counts)), 0
    for batch in spool.read():
        n_read, tokens, ends = keep_words(ids, batch)
        yield tokens, ends
        done += n_read
        if progress:
            progress(StageProgress("encoding", done, spool.n_tokens))


def keep_words(ids: NDArray[np.uint32], batch: TokenBatch) -> tuple[int, NDArray[np.uint32], NDArray[np.int64]]:
    """Return the number of tokens read, the ids of those that are not NO_WORD, and the ends counted in them."""
    tokens, ends = batch
    mapped = ids[tokens]
    is_kept = mapped != NO_WORD
    return len(tokens), mapped[is_kept], np.cumsum(is_kept)[ends - 1]


def _write_tokens(folder: Path, vocabulary: Vocabulary, batches: Iterable[TokenBatch]) -> dict[str, Any]:
    """Write vocabulary, tokens and ends; return what corpus.json says of them."""
    words = vocabulary.to_bytes()
    (folder / VOCAB).write_bytes(words)
    fingerprint = hashlib.blake2b(words, digest_size=16)
    text = hashlib.blake2b(digest_size=16)  # of the words alone, whatever their counts
    spool = Spool(folder)
    try:
        for tokens, ends in batches:
            fingerprint.update(tokens.data)
            text.update(tokens.data)
            spool.write(tokens, ends)
    finally:
        spool.close()
    return {
        "format": FORMAT_VERSION,
        "n_tokens": spool.n_tokens,
        "n_sentences": spool.n_ends,
        "n_words": len(vocabulary),
        "fingerprint": fingerprint.hexdigest(),
        "text": text.hexdigest(),
    }


def _write_meta(folder: Path, meta: Mapping[str, Any]) -> None:
    """Write corpus.json, whose presence says that the rest is complete."""
    (folder / META).write_text(json.dumps(meta, indent=1) + "\n", encoding="utf-8")


def _finish_report(report: CorpusReport, table: WordTable, selection: Selection, n_kept: int) -> CorpusReport:
    report.tokens = table.n_tokens
    report.types = table.n_types
    report.kept_tokens, report.kept_types = n_kept, len(selection.vocabulary)
    report.removed = selection.removed
    if table.n_too_long:
        report.skipped["words that are too long"] = table.n_too_long
    report.counts_are_lower_bounds = table.n_forgotten_words > 0
    if table.n_forgotten_words:
        report.removed["max_types"] = Removed(table.n_forgotten_words, table.n_forgotten_tokens)
    return report


def _recorded_tokenizer(options: EncodeOptions, state: ReadState) -> TokenizerConfig:
    """Return the tokenizer for queries: a corpus that came as tokens is queried with tokens."""
    config = options.tokenizer_config
    if options.phrases:
        config = replace(config, phrase_joiner=JOINER)
    if state.has_text:
        return config
    is_exact = options.unit == "lemma_pos" or not state.has_words
    return replace(config, pretokenized=True, fold_case=config.fold_case and not is_exact)
