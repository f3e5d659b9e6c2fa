"""A model with two topics and an ambiguous 'bank', and one whose words are meant to break a page."""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np
import pytest

from adagram.analysis.concordance import EncodedTexts
from adagram.corpus.encoded import EncodedCorpus
from adagram.model import Model
from tests_support import corpus_of, train_in_memory

pytest.importorskip("uvicorn")

from browser_support import CHROMIUM, FLAGS, Page
from web_support import HOSTILE, MONEY, WATER, Client, hand_made, running

from adagram.web.explorer import Explorer


@pytest.fixture(scope="session")
def bank_corpus() -> EncodedCorpus:
    draw = np.random.default_rng(0)
    sentences = []
    for _ in range(3000):
        words = draw.choice([WATER, MONEY][draw.integers(2)], size=10).tolist()
        words[int(draw.integers(2, 8))] = "bank"
        sentences.append(words)
    return corpus_of(sentences)


@pytest.fixture(scope="session")
def bank_model(bank_corpus: EncodedCorpus) -> Model:
    return train_in_memory(bank_corpus, dim=24, threads=1, epochs=3)


@pytest.fixture(scope="session")
def bank_explorer(bank_model: Model, bank_corpus: EncodedCorpus) -> Explorer:
    return Explorer(bank_model, EncodedTexts(bank_corpus))


@pytest.fixture(scope="session")
def bank(bank_explorer: Explorer) -> Iterator[Client]:
    with running(bank_explorer) as client:
        yield client


@pytest.fixture(scope="session")
def hostile_model() -> Model:
    return hand_made(HOSTILE, senses=2)


@pytest.fixture(scope="session")
def hostile(hostile_model: Model) -> Iterator[Client]:
    with running(Explorer(hostile_model, EncodedTexts(corpus_of([HOSTILE] * 3)))) as client:
        yield client


@pytest.fixture(scope="session")
def many() -> Iterator[Client]:
    """A word with twenty senses."""
    with running(Explorer(hand_made(["word", "other", "third"], senses=20))) as client:
        yield client


@pytest.fixture(scope="session")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    pytest.importorskip("selenium", reason="selenium is not installed: pip install adagram[test]")
    from selenium import webdriver
    from selenium.common.exceptions import WebDriverException

    downloads = tmp_path_factory.mktemp("downloads")
    options = webdriver.ChromeOptions()
    assert CHROMIUM, "there is no Chromium: apt-get install chromium chromium-driver"
    options.binary_location = CHROMIUM
    for flag in [*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"]:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    try:
        driver = webdriver.Chrome(options=options)  # Selenium takes the chromedriver on the path, or finds one
    except WebDriverException as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"Chromium cannot be driven: {error.msg}")
    allowed = {"behavior": "allow", "downloadPath": str(downloads)}
    driver.execute_cdp_cmd("Browser.setDownloadBehavior", allowed)
    yield Page(driver, downloads)
    driver.quit()
