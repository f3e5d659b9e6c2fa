"""The newest words of a model that was continued."""

from __future__ import annotations

import numpy as np
import pytest
from browser_support import Page, needs_chromium
from web_support import Client, running

import adagram
from adagram.model import Model
from adagram.web.explorer import Explorer


def sentences(middles: dict[int, str], seed: int) -> list[list[str]]:
    """Each of one topic, with the word of this topic in its middle."""
    draw, made = np.random.default_rng(seed), []
    for _ in range(1000):
        topic = int(draw.choice(list(middles)))
        words = [f"topic{topic}x{i}" for i in draw.integers(0, 12, size=10)]
        made.append([*words[:5], middles[topic], *words[5:]])
    return made


@pytest.fixture(scope="module")
def line(tmp_path_factory: pytest.TempPathFactory) -> tuple[Model, Model]:
    """Topic 2 is new."""
    folder = tmp_path_factory.mktemp("line")
    options = {"dim": 8, "threads": 1, "min_count": 1, "epochs": 2, "subsample": 0.0, "window": 5}
    old = adagram.train(sentences({0: "planted", 1: "other"}, 0), folder / "old", **options)
    text = sentences({1: "planted", 2: "other"}, 1)
    return old, adagram.train(text, folder / "new", start=old, threads=1, min_count=1)


def test_a_continued_model_knows_its_newest_words_by_itself(line: tuple[Model, Model]) -> None:
    old, new = line
    assert Explorer(old).start()["new"] == []
    found = Explorer(new).start()["new"]
    assert {each["word"] for each in found} == set(new.vocabulary.words[len(old.vocabulary) :])
    assert [each["count"] for each in found] == sorted((each["count"] for each in found), reverse=True)


@needs_chromium
def test_the_start_page_lists_the_words_that_came(page: Page, line: tuple[Model, Model], bank: Client) -> None:
    with running(Explorer(line[1])) as server:
        page.open(server)
        page.wait(lambda: sorted(page.texts("#new li a")) == sorted(f"topic2x{i}" for i in range(12)))
        assert page.complaints() == []
    page.open(bank)
    page.wait(lambda: page.texts("h1") != [])
    assert page.all("#new") == []
