"""What `describe` and `trends` add to the page, in a real browser."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser_support import Page, needs_chromium
from web_support import Client, running

from adagram.analysis.describe import describe
from adagram.analysis.epochs import Dating
from adagram.analysis.frequencies import count_senses
from adagram.model import Model
from adagram.web.explorer import Explorer
from analysis.dated import dated_documents

selenium = pytest.importorskip("selenium", reason="selenium is not installed: pip install adagram[test]")
pytestmark = needs_chromium

FIGURE = "#over-time figure svg"


@pytest.fixture(scope="module")
def dated(planted_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    folder = tmp_path_factory.mktemp("dated") / "model"
    shutil.copytree(planted_folder, folder)
    model, documents = Model.load(folder), dated_documents([0.1, 0.5, 0.9], per_year=40)
    describe(model, documents, folder, lambda document: str(document.fields["year"]))
    count_senses(model, documents, Dating("year")).to_keep(model).keep(folder)
    with running(Explorer(Model.load(folder))) as client:
        yield client


def test_a_click_shows_a_line_per_sense_that_rises_or_falls(page: Page, dated: Client) -> None:
    page.open(dated, word="planted")
    page.wait(lambda: len(page.all(".card")) >= 2)
    assert page.all(FIGURE) == []  # drawn when it is asked for
    page.click("#over-time > summary")
    page.wait(lambda: page.all(FIGURE) and page.all(FIGURE)[0].is_displayed())
    names = page.run(f"[...document.querySelectorAll('{FIGURE} g')].map((e) => e.dataset.sense)")
    assert names == page.texts(".card .name")
    script = "[...document.querySelectorAll('{} path')].map((e) => e.getBBox().height)"
    heights = page.run(script.format(FIGURE))
    assert max(heights) > 0.5 * page.run(f"document.querySelector('{FIGURE}').viewBox.baseVal.height")
    assert page.texts(f"{FIGURE} > text")[-3:] == ["2000", "2001", "2002"]
    page.click("#over-time > summary")
    page.wait(lambda: not page.all(FIGURE)[0].is_displayed())
    assert page.complaints() == []


def test_a_card_has_typical_words_dated_examples_and_its_course(page: Page, dated: Client) -> None:
    page.open(dated, word="planted")
    page.click(".card .more > summary")
    page.wait(lambda: page.all(".card .lines li") and page.all(".card .lines li")[0].is_displayed())
    assert page.texts(".card .lines mark")[0].lower() == "planted"
    assert page.texts(".card .source")[0][:4] in ("2000", "2001", "2002")
    assert "2000: " in page.texts(".card .trend figcaption")[0]
    assert "Typical words around it" in page.texts(".card h3")


def test_the_figure_fits_a_phone(page: Page, dated: Client) -> None:
    page.as_phone(True)
    try:
        page.open(dated, word="planted")
        page.click("#over-time > summary")
        page.wait(lambda: page.all(FIGURE))
        assert page.run("document.documentElement.scrollWidth <= innerWidth && innerWidth == 390")
        letter = f"document.querySelector('{FIGURE} text').getBoundingClientRect().height"
        assert page.run(letter) >= 11  # pixels
    finally:
        page.as_phone(False)


def test_without_counts_over_time_there_is_no_figure(page: Page, bank: Client) -> None:
    page.open(bank, word="bank")
    page.wait(lambda: len(page.all(".card")) == 2)
    assert page.all("#over-time") == []
