"""Text to an encoded corpus: one pass over the text to provisional ids, one over the ids to final ones."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np

from adagram.corpus.blocks import Block, Kind
from adagram.corpus.folder import complete_folder
from adagram.corpus.options import EncodeOptions, Progress
from adagram.corpus.reading import Reading, read_blocks
from adagram.corpus.report import Report
from adagram.corpus.scanner import Scan, Scanner
from adagram.corpus.select import Candidates, select_words
from adagram.corpus.sources import Sources
from adagram.corpus.spool import Spool
from adagram.corpus.table import WordTable
from adagram.corpus.writer import write_encoded
from adagram.encoded import EncodedCorpus
from adagram.text.tokenizer import TokenizerConfig

AHEAD = 2  # blocks per thread that may wait, so that memory stays bounded


def encode(
    sources: Sources, output: Path, options: EncodeOptions | None = None, progress: Progress | None = None
) -> EncodedCorpus:
    """Encode `sources` (path, glob, folder, `-`, a list of these, or an iterable of token lists) to `output`.

    The folder appears only when it is complete; the result does not depend on the number of threads.
    """
    options = options or EncodeOptions()
    report = Report()
    with complete_folder(Path(output)) as folder:
        reading = Reading(options, report, progress)
        spool, table = _read(read_blocks(sources, reading), reading, folder)
        report.tokens = int(table.counts.sum()) + table.n_forgotten_tokens
        selection = select_words(Candidates(table.counts, table.word), options)
        lookup = np.zeros(table.next_id, np.uint32)
        write_encoded(folder, spool, table, selection, reading)
    return EncodedCorpus.open(Path(output))
