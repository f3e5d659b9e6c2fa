"""An encoded corpus in the ids of a vocabulary that goes on from another one."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from adagram.corpus.writer import BATCH_TOKENS, Spool, Written, write_meta
from adagram.encoded import VOCAB, EncodedCorpus
from adagram.errors import InputError
from adagram.files.atomic import new_folder
from adagram.files.folders import CORPUS
from adagram.unknown import write_unknown
from adagram.vocabulary import Vocabulary


def renumber(
    corpus: EncodedCorpus,
    known: Vocabulary,
    output: Path,
    temporary_for: str | None = None,
    met: Mapping[str, int] | None = None,
) -> EncodedCorpus:
    """The same text; `known` words have their ids, new ones come after them, and counts are of both texts together.

    Rare words that texts before have `met` too count together as well; but the text is without them.
    """
    corpus.check()
    words, counts = corpus.vocabulary.words, _count(corpus)
    new = [i for i, word in enumerate(words) if word not in known]
    if len(new) == len(words):
        raise InputError(
            f"none of the {len(words)} words of the corpus is known to the model, so it cannot go on with it; "
            "is it in the same language, and cut into words in the same way?"
        )
    vocabulary = Vocabulary([*known.words, *(words[i] for i in new)], np.append(known.counts, counts[new]))
    ids = np.array([vocabulary.index[word] for word in words], np.uint32)
    is_old = ids < len(known)
    np.add.at(vocabulary.counts, ids[is_old], counts[is_old])
    with new_folder(output, CORPUS) as folder:
        vocabulary.save(folder / VOCAB)
        digest = hashlib.blake2b((folder / VOCAB).read_bytes(), digest_size=16)
        text = hashlib.blake2b(digest_size=16)
        final = Spool(folder)
        try:
            for tokens, ends in _batches(corpus):
                renumbered = ids[tokens]
                digest.update(renumbered.data)
                text.update(renumbered.data)
                final.write(renumbered, ends)
        finally:
            final.close()
        written = Written(final.n_tokens, final.n_ends, digest.hexdigest(), text.hexdigest())
        rare = {word: n for word, n in corpus.unknown.items() if word not in vocabulary}
        write_unknown(folder, {word: n + (met or {}).get(word, 0) for word, n in rare.items()})
        kept = {name: corpus.meta.get(name) for name in ("tokenizer", "report")}
        write_meta(folder, written, vocabulary, kept | {"temporary_for": temporary_for})
    return EncodedCorpus.open(output)


def _count(corpus: EncodedCorpus) -> NDArray[np.int64]:
    """How often each word occurs in the tokens, whatever its vocabulary says."""
    counts = np.zeros(len(corpus.vocabulary), np.int64)
    for tokens, _ in _batches(corpus):
        counts += np.bincount(tokens, minlength=len(counts))
    return counts


def _batches(corpus: EncodedCorpus) -> Iterator[tuple[NDArray[np.uint32], NDArray[np.int64]]]:
    """Tokens, and ends counted from the first of them."""
    for start in range(0, len(corpus.tokens), BATCH_TOKENS):
        stop = min(len(corpus.tokens), start + BATCH_TOKENS)
        first, last = np.searchsorted(corpus.ends, (start, stop), side="right")
        yield np.asarray(corpus.tokens[start:stop]), corpus.ends[first:last].astype(np.int64) - start
