"""Training on a Ray cluster whose object store has no room."""

from __future__ import annotations

import pytest

from adagram.cluster.connection import ClusterOptions
from adagram.cluster.train import train_on_ray
from adagram.config import TrainConfig
from adagram.corpus import EncodeOptions, encode
from adagram.corpus.encoded import EncodedCorpus
from adagram.errors import AdagramError
from adagram.training.checkpoint import Saving
from tests_support import zipf_corpus

pytestmark = pytest.mark.slow  # a cluster takes a minute


def test_a_full_object_store_is_a_sentence_and_leaves_nothing(full_store, tmp_path):
    """Rows of 3000 words at dim 300 are sent through the store."""
    words = zipf_corpus(3000, 60_000)
    encode(
        [[words.vocabulary.words[token] for token in words.tokens]],
        tmp_path / "encoded",
        EncodeOptions(min_count=1, pretokenized=True),
    )
    corpus, options = EncodedCorpus.open(tmp_path / "encoded"), ClusterOptions(full_store, 2)
    with pytest.raises(AdagramError, match="object store of the Ray cluster is full; give its nodes more"):
        train_on_ray(
            corpus, TrainConfig.from_preset("paper", dim=300), Saving(tmp_path / "model"), lambda p: None, options
        )
    assert [path.name for path in tmp_path.iterdir()] == ["encoded"]
