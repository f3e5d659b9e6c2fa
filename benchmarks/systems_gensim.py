"""Gensim's Skip-gram on an encoded corpus, saved as a model folder: the yardstick of systems.py.

python benchmarks/systems_gensim.py ENCODED hs|ns SEED FOLDER
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from gensim.models import Word2Vec

from adagram.corpus.encoded import EncodedCorpus

SENTENCE = 10_000  # gensim's longest


def main() -> None:
    source, mode, seed, folder = sys.argv[1:]
    corpus = EncodedCorpus.open(Path(source))
    words, tokens = corpus.vocabulary.words, corpus.tokens
    sentences = [[words[t] for t in tokens[i : i + SENTENCE]] for i in range(0, len(tokens), SENTENCE)]
    model = Word2Vec(
        vector_size=100,
        window=5,
        sg=1,
        hs=int(mode == "hs"),
        negative=0 if mode == "hs" else 5,
        sample=0,
        shrink_windows=False,
        alpha=0.025,
        min_alpha=1e-7,
        epochs=1,
        min_count=1,
        workers=1,
        seed=int(seed),
    )
    model.build_vocab(sentences)
    cpu = time.process_time()
    model.train(sentences, total_words=len(tokens), epochs=1)
    save(model, Path(folder), {"words": len(tokens), "cpu_seconds": time.process_time() - cpu})


def save(model: Word2Vec, folder: Path, training: dict[str, float]) -> None:
    from adagram.export import import_model

    with tempfile.TemporaryDirectory() as temporary:
        file = Path(temporary) / "vectors.txt"
        model.wv.save_word2vec_format(str(file))
        imported = import_model(file, "word2vec")
    imported.info["training"] = training
    imported.save(folder)


if __name__ == "__main__":
    main()
