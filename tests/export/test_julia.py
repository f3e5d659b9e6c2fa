"""AdaGram.jl files: an independent writer in the manner of the Julia program, and the way there and back."""

from __future__ import annotations

import heapq
import itertools
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adagram.errors import InputError
from adagram.export import export, import_model
from adagram.model.predict import TreePredictor, unlearned_priors, word_totals
from adagram.paper.stick_breaking import expected_pi
from model_support import random_model


@dataclass
class JuliaModel:
    """What AdaGram.jl holds in memory, made up: arrays are written here with the last index first."""

    frequencies: list[int]
    dim: int = 5
    max_senses: int = 3
    alpha: float = 0.1
    d: float = 0.0
    code: Any = field(init=False)
    path: Any = field(init=False)

    def __post_init__(self) -> None:
        draw = np.random.default_rng(3)
        n = len(self.frequencies)
        self.out = draw.normal(size=(n, self.dim)).astype("<f4")
        self.vectors = draw.normal(size=(n, self.max_senses, self.dim)).astype("<f4")
        shares = draw.dirichlet([1.0] * self.max_senses, n)
        self.counts = (shares * np.array(self.frequencies)[:, None]).astype("<f4")
        self._tree(n)

    def _tree(self, n: int) -> None:
        """Join the two rarest; the rarest has code 1. Nodes are numbered from 1 in the order of birth."""
        heap = [(f, v) for v, f in enumerate(self.frequencies)]
        heapq.heapify(heap)
        parent: dict[int, tuple[int, int]] = {}
        for born in itertools.count(n):
            (f, a), (g, b) = heapq.heappop(heap), heapq.heappop(heap)
            parent[a], parent[b] = (born, 1), (born, 0)
            if not heap:
                break
            heapq.heappush(heap, (f + g, born))
        paths = []
        for v in range(n):
            steps = []
            while v in parent:
                v, bit = parent[v]
                steps.append((v - n + 1, bit))
            paths.append(steps)
        depth = max(map(len, paths))
        self.code = np.full((n, depth), -1, "i1")
        self.path = np.zeros((n, depth), "<i4")
        for v, steps in enumerate(paths):
            self.path[v, : len(steps)], self.code[v, : len(steps)] = zip(*steps, strict=True)

    def priors(self, v: int) -> Any:
        return expected_pi(self.counts[v].astype(np.float64), self.alpha)

    def log_p(self, v: int, k: int, y: int) -> float:
        """Σ_n log σ((1 - 2·code) in·Out) along the path of y."""
        total = 0.0
        for node, bit in zip(self.path[y], self.code[y], strict=True):
            if bit == -1:
                break
            x = float(self.vectors[v, k].astype(float) @ self.out[node - 1].astype(float))
            total -= np.log1p(np.exp(-x * (1 - 2 * int(bit))))
        return total

    def write(self, path: Path, min_prob: float = 1e-5) -> None:
        n = len(self.frequencies)
        with open(path, "wb") as file:
            depth = self.code.shape[1]
            file.write(f"{n} {self.dim} {self.max_senses}\n{self.alpha} {self.d}\n{depth}\n".encode())
            for array in (np.array(self.frequencies, "<i8"), self.code, self.path, self.counts, self.out):
                file.write(array.tobytes())
            for v in range(n):
                kept = np.flatnonzero(self.priors(v) >= min_prob)
                file.write(f"word{v}\n{len(kept)}\n".encode())
                for k in kept:
                    file.write(f"{k + 1}\n".encode() + self.vectors[v, k].tobytes() + b"\n")


@pytest.fixture(scope="module")
def julia() -> JuliaModel:
    return JuliaModel([900, 500, 300, 200, 90, 60, 50, 40, 30])


def test_probabilities_are_those_of_the_julia_program(julia: JuliaModel, tmp_path: Path) -> None:
    julia.write(tmp_path / "m")
    model = import_model(tmp_path / "m", "julia", min_prior=0)
    tree = model.predictor
    assert isinstance(tree, TreePredictor)
    everything = np.arange(9, dtype=np.int32)
    for v in range(9):
        rows = model.rows(f"word{v}")
        log_p = tree.log_p(model.vectors[rows], everything)
        expected = [[julia.log_p(v, k, y) for y in range(9)] for k in range(3)]
        np.testing.assert_allclose(log_p, expected, atol=1e-5)
        np.testing.assert_allclose(np.exp(log_p).sum(axis=1), 1.0, atol=1e-5)
        np.testing.assert_allclose(model.priors[rows], julia.priors(v), atol=1e-9)


def test_disambiguation_is_bayes_with_the_files_counts(julia: JuliaModel, tmp_path: Path) -> None:
    julia.write(tmp_path / "m")
    model = import_model(tmp_path / "m", "julia", min_prior=0)
    log_weights = [np.log(julia.priors(2)[k]) + julia.log_p(2, k, 4) + julia.log_p(2, k, 7) for k in range(3)]
    weights = np.exp(log_weights)
    posterior = model.disambiguate("word2", ["word4", "word7"])
    np.testing.assert_allclose(posterior, weights / weights.sum(), atol=1e-5)


def test_senses_that_were_not_learned_are_left_out(julia: JuliaModel, tmp_path: Path) -> None:
    unequal = JuliaModel(julia.frequencies)
    unequal.counts[:] = [100.0, 0.5, 20.0]
    unequal.write(tmp_path / "m")
    assert import_model(tmp_path / "m", "julia").offsets.tolist() == list(range(0, 19, 2))
    model = import_model(tmp_path / "m", "julia", min_prior=0.5)
    assert model.offsets.tolist() == list(range(10))
    assert model.priors.tolist() == [1.0] * 9
    np.testing.assert_array_equal(model.vectors, unequal.vectors[:, 0])


def test_the_discount_is_kept_in_the_notes_only(julia: JuliaModel, tmp_path: Path) -> None:
    JuliaModel(julia.frequencies, d=0.5).write(tmp_path / "d")
    julia.write(tmp_path / "m")
    with_d, without = import_model(tmp_path / "d", "julia"), import_model(tmp_path / "m", "julia")
    np.testing.assert_array_equal(with_d.priors, without.priors)
    assert with_d.info["imported"]["d"] == 0.5


@pytest.mark.parametrize("seed", range(5))
def test_there_and_back_is_the_identity(seed: int, tmp_path: Path) -> None:
    model = random_model(n_words=30 + seed, dim=4 + seed, seed=seed)
    export(model, tmp_path / "m", "julia")
    found = import_model(tmp_path / "m", "julia", window=model.config.window, min_prior=0)
    assert found.vocabulary.words == model.vocabulary.words
    assert found.vocabulary.counts.tolist() == model.vocabulary.counts.tolist()
    assert found.config == model.config
    for name, array in model.arrays.items():
        tolerance = 1e-6 if name == "priors" else 0  # recomputed from the counts, over all sticks
        np.testing.assert_allclose(found.arrays[name], array, atol=tolerance, err_msg=name)
    np.testing.assert_allclose(unlearned_priors(found), unlearned_priors(model), rtol=1e-6, atol=1e-12)
    export(found, tmp_path / "again", "julia")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "m").read_bytes()


def test_there_and_back_keeps_the_likelihood_of_a_subsampled_model(tmp_path: Path) -> None:
    """Training saw fewer occurrences than the vocabulary has, and some fell to sticks that were not learned."""
    from tests_support import planted, train_in_memory

    corpus = planted(n_topics=3, n_sentences=1500)
    model = train_in_memory(corpus, dim=12, window=3, alpha=1.0, subsample=1e-3, threads=1, max_senses=5)
    assert word_totals(model).sum() < 0.5 * model.vocabulary.counts.sum()
    assert unlearned_priors(model).min() > 0.01, "sticks that were not learned matter"
    text = [model.vocabulary.words[t] for t in corpus.tokens[:2000]]
    export(model, tmp_path / "m", "julia")
    found = import_model(tmp_path / "m", "julia", window=3)
    np.testing.assert_allclose(unlearned_priors(found), unlearned_priors(model), rtol=1e-4)
    assert found.log_likelihood(text) == pytest.approx(model.log_likelihood(text), abs=1e-3)
    found.save(tmp_path / "model")
    from adagram import load

    assert load(tmp_path / "model").log_likelihood(text) == found.log_likelihood(text)


def test_what_follows_the_last_word_is_refused(julia: JuliaModel, tmp_path: Path) -> None:
    for rest in (b"\n", b"word\n1\n"):
        julia.write(tmp_path / "m")
        with open(tmp_path / "m", "ab") as file:
            file.write(rest)
        with pytest.raises(InputError, match=f"{len(rest)} bytes follow the last word"):
            import_model(tmp_path / "m", "julia")


def test_counts_of_sticks_that_are_left_out_are_unlearned(julia: JuliaModel, tmp_path: Path) -> None:
    """What is learned is scaled to sum to one; the rest of the file's prior is that of the unlearned sticks."""
    unequal = JuliaModel(julia.frequencies)
    unequal.counts[:] = [100.0, 20.0, 0.5]
    unequal.write(tmp_path / "m")
    model = import_model(tmp_path / "m", "julia")
    assert word_totals(model).tolist() == [120.5] * 9
    np.testing.assert_allclose(unlearned_priors(model), unequal.priors(0)[2], rtol=1e-6)


def test_a_word_whose_listed_senses_have_no_prior_is_refused(tmp_path: Path) -> None:
    odd = JuliaModel([9, 8, 7, 6, 5], alpha=1e-200)
    odd.counts[:] = [5.0, 0.0, 0.0]
    odd.write(tmp_path / "m")  # lists the first sense of each word; now call it the third
    data = (tmp_path / "m").read_bytes()
    (tmp_path / "m").write_bytes(data.replace(b"word3\n1\n1\n", b"word3\n1\n3\n"))
    with pytest.raises(InputError, match="without a prior"):
        import_model(tmp_path / "m", "julia")


def test_a_saved_import_opens_again(julia: JuliaModel, tmp_path: Path) -> None:
    from adagram import load

    julia.write(tmp_path / "m")
    model = import_model(tmp_path / "m", "julia")
    model.save(tmp_path / "model")
    assert load(tmp_path / "model").senses("word1", min_count=0) == model.senses("word1", min_count=0)


def test_a_model_without_a_tree_cannot_be_written(tmp_path: Path) -> None:
    model = random_model()
    del model.arrays["steps"]
    with pytest.raises(InputError, match="hierarchical softmax"):
        export(model, tmp_path / "m", "julia")


@pytest.mark.parametrize(
    ("break_it", "reason"),
    [
        (lambda m: m.code.__setitem__((0, 0), 5), "not a binary tree"),
        (lambda m: m.path.__setitem__((0, 0), 77), "not a binary tree"),
        (lambda m: m.code.__setitem__((0, slice(None)), -1), "not a binary tree"),
        (lambda m: m.out.__setitem__((3, 1), np.nan), "not a number"),
        (lambda m: m.counts.__setitem__((3, 1), -4), "negative"),
        (lambda m: m.vectors.__setitem__((3, 0, 1), np.inf), "not a number"),
        (lambda m: setattr(m, "alpha", -1.0), "alpha is -1;"),
    ],
)
def test_what_no_model_can_have_is_refused(break_it: Any, reason: str, tmp_path: Path) -> None:
    broken = JuliaModel([9, 8, 7, 6, 5])
    break_it(broken)
    with np.errstate(all="ignore"):
        broken.write(tmp_path / "m", min_prob=-1e9)
    with pytest.raises(InputError, match=reason):
        import_model(tmp_path / "m", "julia")
