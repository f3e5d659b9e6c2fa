"""What `describe` and `trends` add to the page, in a real browser."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser_support import Page, needs_chromium
from web_support import Client, running

from adagram.analysis.concordance import Texts
from adagram.analysis.describe import describe
from adagram.analysis.epochs import Dating
from adagram.analysis.frequencies import count_senses
from adagram.model import Model
from adagram.web.explorer import Explorer
from analysis.dated import dated_documents

selenium = pytest.importorskip("selenium", reason="selenium is not installed: pip install adagram[test]")
pytestmark = needs_chromium

from selenium.webdriver.common.keys import Keys  # noqa: E402

FIGURE = "#over-time figure svg"


@pytest.fixture(scope="module")
def dated(planted_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    folder = tmp_path_factory.mktemp("dated") / "model"
    shutil.copytree(planted_folder, folder)
    model, documents = Model.load(folder), dated_documents([0.05 + 0.1 * i for i in range(10)], per_year=60)
    describe(model, documents, folder, lambda document: str(document.fields["year"]))
    ranked = model.names(model.rows("planted"))
    count_senses(model, documents, Dating("year")).to_keep(model, ranked).keep(folder)
    texts = Texts(documents, lambda d: str(d.fields["year"]), lambda d: str(d.fields["country"]))
    with running(Explorer(Model.load(folder), texts)) as client:
        yield client


def test_a_figure_has_a_line_per_sense_that_rises_or_falls(page: Page, dated: Client) -> None:
    page.open(dated, word="planted")
    page.wait(lambda: page.all(FIGURE) and page.all(FIGURE)[0].is_displayed())
    names = page.run(f"[...document.querySelectorAll('{FIGURE} g')].map((e) => e.dataset.sense)")
    assert names == page.texts(".card .name")
    places = "[...document.querySelectorAll('{} {}')].map((e) => parseFloat(e.getAttribute('{}')))"
    heights = page.run(places.format(FIGURE, "circle", "cy"))
    assert max(heights) - min(heights) > 0.5 * page.run(f"document.querySelector('{FIGURE}').viewBox.baseVal.height")
    assert min(page.run(places.format(FIGURE, "circle", "r"))) > 3  # all years have as many uses
    assert page.texts(f"{FIGURE} .date") == [
        "2000",
        "2001",
        "2002",
        "2003",
        "2004",
        "2005",
        "2006",
        "2007",
        "2008",
        "2009",
    ]
    page.click("#over-time > summary")
    page.wait(lambda: not page.all(FIGURE)[0].is_displayed())
    assert page.complaints() == []


def test_a_click_on_a_typical_word_shows_the_lines_with_it(page: Page, dated: Client) -> None:
    page.open(dated, word="planted")
    page.wait(lambda: page.all(".card .near .word"))
    word = page.texts(".card .near .word")[0]
    page.click(".card .near .word")
    page.wait(lambda: page.all(".drawer .lines li"))
    assert [each.lower() for each in page.texts(".drawer .lines li:first-child b")][:1] == [word]
    page.click(".drawer .actions a")  # all of them, in the concordance
    page.wait(lambda: len(page.all(".kwic tbody tr")) > 5)
    assert page.all("#beside")[0].get_attribute("value") == word
    page.wait(lambda: page.all("#lines")[0].is_displayed())


def lines_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def test_the_concordance_is_filtered_sorted_and_downloaded(page: Page, dated: Client) -> None:
    page.open(dated, word="planted")
    page.click("#lines > summary")
    page.wait(lambda: len(page.all(".kwic tbody tr")) == 50)
    assert page.texts("#lines [role=status]") == ["600 lines, 50 shown"]
    page.click("#lines > button")
    page.wait(lambda: len(page.all(".kwic tbody tr")) == 100)
    for name, value in (("year", "2009"), ("source", "B"), ("only", "planted#1"), ("sort", "right")):
        script = (
            "const e = document.getElementById(arguments[0]);"
            " e.value = arguments[1]; e.dispatchEvent(new Event('change'))"
        )
        page.driver.execute_script(script, f"lines-{name}", value)
    page.wait(lambda: set(page.texts(".kwic td.date")) == {"2009"})
    page.wait(lambda: set(page.texts(".kwic td.sense")) == {"#1"})
    assert set(page.texts(".kwic td.source")) == {"B"}
    is_sorted = lambda texts: texts == sorted(texts, key=str.lower)  # noqa: E731
    page.wait(lambda: is_sorted(page.texts(".kwic td.after")))
    after = page.texts(".kwic td.after")
    assert {each.lower() for each in page.texts(".kwic mark")} == {"planted"}
    assert "year=2009" in page.run("location.hash")
    page.click("#tsv")
    path = page.downloads / "planted.tsv"
    page.wait(path.exists)
    page.wait(lambda: len(lines_of(path)) == len(after))
    assert {line["source"] for line in lines_of(path)} == {"B"}
    assert page.complaints() == []


def test_the_slider_merges_and_splits_senses(page: Page, dated: Client) -> None:
    """With the keyboard only: the slider has the focus, and keeps it."""
    page.open(dated, word="planted")
    page.wait(lambda: page.all("#resolution"))
    before = page.texts("main > div .quiet bdi")[0]
    page.driver.execute_script("document.getElementById('resolution').focus()")
    page.type(Keys.HOME)
    page.wait(lambda: page.texts(".card .name")[0] == "planted#0" and len(page.all(".card")) == 1)
    assert " = #0 + #1" in page.texts(".card .name")[1]  # what it is made of
    assert page.texts(".card .value b") == ["100\u00a0%"]
    assert page.run("document.activeElement.id") == "resolution"
    assert "resolution=0" in page.run("location.hash")
    page.type(Keys.END)
    page.wait(lambda: page.texts("main > div .quiet bdi")[0] == before)
    assert page.run("document.activeElement.getAttribute('aria-valuetext')").endswith("senses")
    assert page.complaints() == []


def test_a_lone_use_is_a_small_point_and_draws_no_line(page: Page, dated: Client) -> None:
    """A word with one use in a year is not shown as 100 % of anything."""
    page.open(dated, word="planted")
    page.wait(lambda: page.all(FIGURE))
    drawn = page.driver.execute_async_script("""const done = arguments[0];
        import('/static/trend.js').then(({overTime}) => {
          const uses = [40, 40, 40, 0, 0, 0, 0, 0, 1, 0, 0];
          const sense = (k, shares) => ({sense: `w#${k}`, gist: 'g', uses, trend: shares, mean: shares});
          const all = overTime('w', uses.map((_, i) => String(1990 + i)), uses.map((_, i) => 1990 + i),
            [sense(0, [.5, .5, .5, .5, .5, null, 1, 1, 1, 1, 1]), sense(1, [.5, .5, .5, .5, .5, null, 0, 0, 0, 0, 0])]);
          done({lines: [...all.querySelectorAll('.line')].map((e) => e.getAttribute('d')),
            sizes: [...all.querySelectorAll('g:first-of-type circle')].map((e) => Number(e.getAttribute('r')))}); })""")
    assert [line.count("L") for line in drawn["lines"]] == [4, 4]  # 1990 to 1994: nothing around the lone use
    assert drawn["sizes"][7] < 0.2 * drawn["sizes"][0]


@pytest.mark.parametrize(
    ("first", "last", "expected"), [(1946, 2022, ["1950", "1960"]), (1990, 1994, ["1990", "1991"])]
)
def test_ticks_are_round_years(page: Page, dated: Client, first: int, last: int, expected: list[str]) -> None:
    page.open(dated)
    page.wait(lambda: page.texts("h1"))
    script = """const [first, last, done] = arguments;
        const years = Array.from({length: last - first + 1}, (_, i) => first + i);
        import('/static/trend.js').then(({ticks}) => done(ticks(years.map(String), years, 9).map((t) => t.name)))"""
    found = page.driver.execute_async_script(script, first, last)
    assert found[:2] == expected
    assert len(found) <= 9


def test_the_start_page_ranks_what_rises_falls_and_changes(page: Page, dated: Client) -> None:
    page.open(dated)
    page.wait(lambda: page.all("#moved .ranked li"))
    assert page.texts("#moved h2") == ["What moved, 2000 to 2009"]
    first = page.texts("#moved [data-kind=rising] .change, #moved [data-kind=falling] .change")[0]
    assert "→" in first
    assert "planted" in page.texts("#moved [data-kind=changed] a")
    page.click("#moved .ranked a")
    page.wait(lambda: page.texts("h1") == ["planted"])
    assert page.complaints() == []


def test_a_card_has_typical_words_dated_examples_and_its_course(page: Page, dated: Client) -> None:
    page.open(dated, word="planted")
    page.wait(lambda: page.all(".card .lines li") and page.all(".card .lines li")[0].is_displayed())
    assert page.texts(".card .lines mark")[0].lower() == "planted"
    assert page.texts(".card .source")[0][:4] in [str(year) for year in range(2000, 2010)]
    assert "2000: " in page.texts(".card .trend figcaption")[0]
    assert "Typical words around it" in page.texts(".card h3")


def test_the_figure_fits_a_phone(page: Page, dated: Client) -> None:
    page.as_phone(True)
    try:
        page.open(dated, word="planted")
        page.click("#over-time > summary")
        page.wait(lambda: page.all(FIGURE) and page.all(FIGURE)[0].is_displayed())
        assert page.run("document.documentElement.scrollWidth <= innerWidth && innerWidth == 390")
        letter = f"document.querySelector('{FIGURE} text').getBoundingClientRect().height"
        assert page.run(letter) >= 11  # pixels
    finally:
        page.as_phone(False)


def test_without_counts_over_time_there_is_no_figure(page: Page, bank: Client) -> None:
    page.open(bank, word="bank")
    page.wait(lambda: len(page.all(".card")) == 2)
    assert page.all("#over-time") == []
