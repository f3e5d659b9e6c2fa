"""What has changed since the model that this one went on from: the answer, the page and the command."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from browser_support import Page, needs_chromium
from web_support import Client, running

import adagram
from adagram.cli import main
from adagram.model import Model
from adagram.model.diff import difference
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


@pytest.fixture(scope="module")
def server(line: tuple[Model, Model]) -> Iterator[Client]:
    old, new = line
    with running(Explorer(new, since=old)) as client:
        yield client


def test_the_answer_is_what_diff_says(server: Client, line: tuple[Model, Model]) -> None:
    found = server.get("/api/changes?top=3").json
    assert found["since"] == "old"
    expected = difference(*line, top=3)
    assert [(c["what"], c["name"]) for c in found["changes"]] == [(c.what, c.name) for c in expected]
    assert all(c["after"] for c in found["changes"])


def test_a_continued_model_knows_its_newest_words_by_itself(line: tuple[Model, Model]) -> None:
    old, new = line
    assert Explorer(old).start()["new"] == []
    found = Explorer(new).start()["new"]
    assert {each["word"] for each in found} == set(new.vocabulary.words[len(old.vocabulary) :])
    assert [each["count"] for each in found] == sorted((each["count"] for each in found), reverse=True)


@needs_chromium
def test_a_click_on_the_start_page_lists_the_words_that_came(page: Page, server: Client) -> None:
    page.open(server)
    page.wait(lambda: page.texts("#changes h2") == ["Since old"])
    assert not page.all("#changes [data-kind=came] li a")[0].is_displayed()
    page.click("#changes [data-kind=came] > summary")
    page.wait(lambda: page.all("#changes [data-kind=came] li a")[0].is_displayed())
    names = page.texts("#changes [data-kind=came] li a")
    assert sorted(names) == sorted(f"topic2x{i}" for i in range(12))
    assert sorted(page.texts("#new li a")) == sorted(names)  # the newest words, without a click
    page.click("#changes [data-kind=came] li a")
    page.wait(lambda: page.texts(".card .name") != [])
    assert page.complaints() == []


@needs_chromium
def test_without_an_earlier_model_the_start_page_says_nothing_of_changes(page: Page, bank: Client) -> None:
    page.open(bank)
    page.wait(lambda: page.texts("h1") != [])
    assert not page.all("#changes")[0].is_displayed()
    assert page.all("#new") == []


def test_serve_refuses_a_model_that_it_did_not_go_on_from(
    line: tuple[Model, Model], capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = (str(Path(str(each.folder))) for each in line)
    with pytest.raises(SystemExit):
        main(["serve", old, "--since", new, "--port", "0"])
    assert "did not go on from" in capsys.readouterr().err
