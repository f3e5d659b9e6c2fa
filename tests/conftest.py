"""Models trained once for all tests."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import settings

from adagram.corpus.encoded import EncodedCorpus
from adagram.model import Model
from tests_support import planted, train_in_memory

# Started in the background, a shell has Ctrl-C ignored, and programs that the tests start would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# A busy machine is no failure; and what must pass before a change lands should not depend on chance.
settings.register_profile("here", deadline=None, max_examples=25)
settings.register_profile("ci", deadline=None, max_examples=25, derandomize=True)
settings.register_profile("all", deadline=None)  # make test-all
settings.load_profile("ci" if os.environ.get("CI") else "here")

# Tests that compare with a library at every turn; where it is not installed, the others run.
_COMPARED_WITH = {
    "sklearn": ["evaluation/test_clustering.py", "integrations/test_sklearn_transformer.py"],
    "gensim": ["export/test_other_exports.py", "export/test_word2vec.py"],
    "openapi_spec_validator": ["web/test_api.py"],
    "spacy": ["integrations/test_spacy_component.py"],
}
collect_ignore = [path for name, paths in _COMPARED_WITH.items() if find_spec(name) is None for path in paths]


def pytest_collection_finish() -> None:
    """Modules stay to the end: the garbage collector need not look at them again and again."""
    gc.freeze()


def pytest_unconfigure() -> None:
    """The process ends: to free its objects one by one takes seconds."""
    gc.freeze()
    gc.disable()


@pytest.fixture(scope="session", autouse=True)
def _as_on_a_small_machine() -> Iterator[None]:
    """The processors run tests: one thread unless a test asks for more. And no test takes the power away."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "cpu_count", lambda: 1)
        patch.setattr(os, "fsync", lambda descriptor: None)
        yield


@pytest.fixture(scope="session")
def planted_corpus() -> EncodedCorpus:
    return planted(n_topics=2, n_sentences=3000)


@pytest.fixture(scope="session")
def planted_model(planted_corpus: EncodedCorpus) -> Model:
    return train_in_memory(planted_corpus, dim=24, threads=1, epochs=3)


@pytest.fixture(scope="session")
def planted_folder(planted_model: Model, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "planted"
    planted_model.save(folder)
    return folder
