"""What other programs call the options of training."""

from __future__ import annotations

# What other programs call our options, or a remark where there is no such option.
SYNONYMS = {
    **dict.fromkeys(("size", "vector_size", "dimension", "dimensions", "n_dims", "embedding_size"), "dim"),
    **dict.fromkeys(("workers", "n_jobs", "num_threads", "processes"), "threads"),
    **dict.fromkeys(("iter", "iterations", "n_iter", "passes"), "epochs"),
    **dict.fromkeys(("learning_rate", "start_alpha", "eta"), "lr"),
    **dict.fromkeys(("random_state", "random_seed", "rng"), "seed"),
    **dict.fromkeys(("prototypes", "num_senses", "n_senses", "T"), "max_senses"),
    **dict.fromkeys(("lower", "lowercase", "lower_case"), "fold_case"),
    **dict.fromkeys(("max_final_vocab", "vocab_size", "max_vocab"), "max_words"),
    **dict.fromkeys(("text_column", "field"), "column"),
    "sample": "subsample",
    "negative": "negatives",
    "context": "window",
    "max_vocab_size": "max_types",
    "model": "algorithm",
    "keep_case": "fold_case",
    "sg": "algorithm says what is trained: 'skipgram' and 'skipgram-ns' have one sense per word, 'adagram' several",
    "hs": "algorithm says so: 'adagram' and 'skipgram' have the tree of hierarchical softmax, 'skipgram-ns' has not",
    "cbow": "only skip-gram is trained; algorithm says in which form",
    "min_alpha": "the learning rate always falls to zero; lr is where it starts",
    "sentences": "the corpus is the first argument: train(sentences, dim=100)",
    "corpus_file": "the corpus is the first argument: train('corpus.txt', dim=100)",
    **dict.fromkeys(
        ("gpu", "cuda", "device"), "training runs on the cores of the processor; threads says on how many"
    ),
    "callbacks": "report=function is called with the progress",
}
