"""What every system must do. A new system's test file is a subclass of `Behaviour` with its name and options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import adagram
from adagram.config import TrainConfig
from adagram.errors import AdagramError
from adagram.paper.reference import windows
from adagram.paper.softmax import huffman
from adagram.training.checkpoint import Saving
from adagram.training.progress import Interrupted
from adagram.training.run import train_encoded
from adagram.training.workers import Chunks
from tests_support import FINE, planted, stopping, train_by_threads, train_in_memory

CORPUS = planted(n_topics=2, n_sentences=3000)
TOPICS = [[word for word in CORPUS.vocabulary.words if word.startswith(f"topic{t}")][:6] for t in range(2)]


def assert_same(found: Mapping[str, Any], expected: Mapping[str, Any]) -> None:
    assert found.keys() == expected.keys()
    for name in expected:
        assert_array_equal(found[name], expected[name], err_msg=name)


def lines_of(window: int) -> Iterator[tuple[int, list[int]]]:
    """Each word of CORPUS with its context, which ends with the line."""
    for line in np.split(CORPUS.tokens, CORPUS.ends[:-1].astype(int)):
        yield from windows(line, window)


class Behaviour:
    algorithm: ClassVar[str]
    options: ClassVar[dict[str, Any]] = {}
    has_senses: ClassVar[bool] = True
    has_likelihood: ClassVar[bool] = True

    @classmethod
    def config(cls, **changes: Any) -> TrainConfig:
        base = {"algorithm": cls.algorithm, "dim": 20, "threads": 1, "epochs": 3, "respect_boundaries": True}
        return TrainConfig.from_preset("paper", **base | cls.options | changes)

    @pytest.fixture(scope="class")
    @classmethod
    def model(cls) -> adagram.Model:
        return train_in_memory(CORPUS, **cls.config().to_dict())

    def test_words_of_a_topic_are_neighbours(self, model):
        found = [n.name for n in model.senses(TOPICS[0][3], top=5)[0].neighbours]
        assert sum(name.startswith("topic0") for name in found) >= 4

    def test_objective_improves(self):
        bounds: list[float] = []
        chunks = Chunks(pieces_per_round=1, report_seconds=0.0)
        train_by_threads(CORPUS, self.config(epochs=1), lambda progress: bounds.append(progress.objective), chunks)
        assert min(bounds[len(bounds) // 4 :]) > bounds[0] + 0.1

    def test_a_model_that_knows_nothing_predicts_a_context_word_as_tossed_coins_do(self):
        """The objective is a mean over context words: log 1/2 for each node of a path, or for each noise word."""
        config = self.config(epochs=1, lr=1e-12)
        objectives: list[float] = []
        train_by_threads(
            CORPUS, config, lambda progress: objectives.append(progress.objective), Chunks(report_seconds=1e9)
        )
        lengths = np.diff(huffman(CORPUS.vocabulary.counts).offsets)
        contexts = [y for _, context in lines_of(config.window) for y in context]
        coins = lengths[contexts].mean() if self.has_likelihood else 1 + config.negatives
        # skipgram-ns leaves out noise that is the context word itself: a part in thirty of it here.
        assert objectives[-1] == pytest.approx(-np.log(2.0) * coins, rel=0.05)

    def test_planted_senses_are_told_apart(self, model):
        posteriors = [model.disambiguate("planted", topic) for topic in TOPICS]
        best = [int(np.argmax(p)) for p in posteriors]
        if not self.has_senses:
            assert best == [0, 0]
            return
        assert best[0] != best[1]
        assert min(model.priors[model.rows("planted")][best]) > 0.2
        for topic, k in enumerate(best):
            found = [n.name for n in model.neighbours(f"planted#{k}", top=6)]
            assert sum(name.startswith(f"topic{topic}") for name in found) >= 5

    def test_posteriors_and_priors_sum_to_one(self, model):
        contexts = [*TOPICS, [], "unknown-word", ["planted"]]
        for context in contexts:
            assert model.disambiguate("planted", context).sum() == pytest.approx(1.0)
        batch = model.disambiguate_batch(["planted"] * len(contexts), contexts)
        for context, posterior in zip(contexts, batch, strict=True):
            assert posterior == pytest.approx(model.disambiguate("planted", context), abs=1e-5)
        mass = np.add.reduceat(model.priors, model.offsets[:-1])
        assert mass == pytest.approx(np.ones(len(mass)))

    def test_saving_and_loading_is_identity(self, model, tmp_path):
        model.save(tmp_path / "model")
        loaded = adagram.load(tmp_path / "model")
        assert_same(loaded.arrays, model.arrays)
        assert loaded.config == model.config
        assert_array_equal(loaded.disambiguate("planted", TOPICS[1]), model.disambiguate("planted", TOPICS[1]))

    def test_one_thread_is_reproducible_and_the_seed_matters(self, model):
        again = train_in_memory(CORPUS, **self.config().to_dict())
        assert_same(again.arrays, model.arrays)
        other = train_in_memory(CORPUS, **self.config(seed=2).to_dict())
        assert not np.array_equal(other.arrays["output"], model.arrays["output"])

    def test_a_run_from_a_checkpoint_ends_like_an_uninterrupted_one(self, tmp_path):
        config = self.config(epochs=1, subsample=0.05, shrink_windows=True)
        whole = train_by_threads(CORPUS, config, chunks=FINE)
        with pytest.raises(Interrupted):
            train_encoded(CORPUS, config, Saving(tmp_path / "model"), stopping(at=3), FINE)
        saving = Saving(tmp_path / "model", resume=True)
        resumed = train_encoded(CORPUS, config, saving, lambda progress: None, FINE)
        assert_same(resumed.arrays, whole.system.model_arrays())

    def test_two_threads_learn_the_same_topics(self):
        model = train_in_memory(CORPUS, **self.config(threads=2).to_dict())
        self.test_words_of_a_topic_are_neighbours(model)

    def test_likelihood_or_a_clear_refusal(self, model):
        mixed = [word for both in zip(*TOPICS, strict=True) for word in both]
        if self.has_likelihood:
            chance = -np.log(len(CORPUS.vocabulary))
            assert model.log_likelihood(TOPICS[0]) > chance > model.log_likelihood(mixed)
        else:
            with pytest.raises(AdagramError, match=f"{self.algorithm} has no predictive likelihood"):
                model.log_likelihood(mixed)
