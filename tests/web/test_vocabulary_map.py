"""The map of all senses: its layout, its bytes, and the page in a real browser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from browser_support import Page, needs_chromium
from web_support import MONEY, WATER, Client, hand_made, running

from adagram.model import Model
from adagram.web.explorer import Explorer
from adagram.web.vocabulary import make_layout, shown_layout


def unpacked(body: bytes) -> dict:
    """What points.js reads, read here by the words of `adagram.web.vocabulary.packed`."""
    length = int.from_bytes(body[:4], "little")
    found, at = json.loads(body[4 : 4 + length]), 4 + length
    n, m = found["senses"], found["words"]
    for name, size in (("x", n), ("y", n), ("number", n), ("per_word", m)):
        found[name] = np.frombuffer(body, "<u2", size, at)
        at += 2 * size
    for name in ("theme", "size"):
        found[name] = np.frombuffer(body, np.uint8, n, at)
        at += n
    return found | {"vocabulary": body[at:].decode().split("\n")}


def map_of(client: Client) -> dict:
    answer = client.get("/api/vocabulary")
    assert answer.status == 200
    return unpacked(answer.body)


@pytest.fixture
def saved(bank_model: Model, tmp_path: Path) -> Model:
    bank_model.save(tmp_path / "model")
    return Model.load(tmp_path / "model")


def test_similar_senses_are_near_and_themes_are_named_by_their_words(bank_model: Model) -> None:
    layout = make_layout(bank_model)
    row = {name: bank_model.row(f"{name}#0") for name in WATER + MONEY}
    water, money = ({int(layout.themes[row[word]]) for word in words} for words in (WATER, MONEY))
    assert water.isdisjoint(money)
    assert all(set(layout.names[theme].split(", ")) <= {*WATER, "bank"} for theme in water)
    places = [layout.points[[row[word] for word in words]] for words in (WATER, MONEY)]
    apart = np.linalg.norm(places[0].mean(axis=0) - places[1].mean(axis=0))
    assert apart > 2 * max(np.linalg.norm(place.std(axis=0)) for place in places)
    banks = layout.themes[bank_model.rows("bank")].tolist()
    assert set(banks) <= water | money
    assert len(set(banks)) == 2
    assert layout.points.min() >= 0
    assert layout.points.max() <= 1


def test_the_bytes_say_which_sense_is_where(bank: Client, bank_model: Model) -> None:
    found = map_of(bank)
    assert found["vocabulary"] == list(bank_model.vocabulary.words)
    names = [
        f"{word}#{k}" for word, n in zip(found["vocabulary"], found["per_word"].tolist(), strict=True) for k in range(n)
    ]
    assert names == bank_model.names(slice(0, bank_model.n_senses))
    assert found["theme"].max() < len(found["themes"])
    largest = np.flatnonzero(found["size"] == 255)
    assert int(np.argmax(bank_model.counts)) in largest


def test_a_merged_sense_is_among_its_members_and_a_hidden_one_is_nowhere(saved: Model) -> None:
    layout = make_layout(saved)
    rows = saved.rows("bank")
    merged = saved.decide("merge bank 0 1")
    shown = shown_layout(layout, merged)
    assert len(shown.themes) == merged.n_senses == saved.n_senses - 1
    middle = np.average(layout.points[rows], axis=0, weights=np.asarray(saved.counts[rows]))
    np.testing.assert_allclose(shown.points[merged.row("bank#0")], middle, atol=1e-5)
    hidden = merged.decide("undo").decide("hide bank#1")
    shown = shown_layout(layout, hidden)
    np.testing.assert_allclose(shown.points[hidden.row("bank#0")], layout.points[rows.start], atol=1e-5)


def test_the_map_has_the_resolution_that_is_asked_for(bank: Client, bank_model: Model) -> None:
    map_of(bank)
    coarse = unpacked(bank.get("/api/vocabulary", resolution=0).body)
    assert coarse["senses"] == len(bank_model.vocabulary)
    assert set(coarse["per_word"].tolist()) == {1}


def test_hostile_words_are_text_on_the_map(hostile: Client, hostile_model: Model) -> None:
    assert map_of(hostile)["vocabulary"] == list(hostile_model.vocabulary.words)


@pytest.fixture(scope="module")
def large() -> Iterator[Client]:
    """100,000 senses of 25,000 words."""
    with running(Explorer(hand_made([f"word{i}" for i in range(25_000)], senses=4))) as client:
        map_of(client)
        yield client


needs_selenium = pytest.mark.skipif(
    pytest.importorskip("importlib.util").find_spec("selenium") is None, reason="selenium is not installed"
)
in_browser = [needs_chromium, needs_selenium]


def opened(page: Page, client: Client, **fields: str) -> None:
    map_of(client)
    page.open(client, view="map", **fields)
    page.wait(lambda: page.all(".vocabulary canvas"))


class TestPage:
    pytestmark = in_browser

    def test_search_flies_to_a_word(self, page: Page, bank: Client) -> None:
        opened(page, bank)
        assert "22 senses" in page.texts("main p")[0]
        word = page.all("#word")[0]
        word.click()
        page.type("bank", "\ue007")
        page.wait(lambda: page.texts("#picked h2") == ["bank"])
        assert page.run("location.hash").endswith("find=bank")  # everything can be linked to
        assert sorted(page.texts("#picked .found a")) == ["bank#0", "bank#1"]
        page.click("#picked .found a")
        page.wait(lambda: len(page.all(".card.chosen")) == 1)
        assert page.complaints() == []

    def test_a_lasso_lists_the_senses_inside(self, page: Page, bank: Client) -> None:
        from selenium.webdriver import ActionChains

        opened(page, bank)
        canvas = page.all("canvas")[0]
        page.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", canvas)
        page.click("#lasso")
        half, high = canvas.size["width"] // 2 - 3, canvas.size["height"] // 2 - 3
        draw = ActionChains(page.driver, duration=20).move_to_element_with_offset(canvas, -half, -high)
        draw.click_and_hold().move_by_offset(2 * half, 0).move_by_offset(0, 2 * high)
        draw.move_by_offset(-2 * half, 0).release().perform()
        page.wait(lambda: page.texts("#picked h2") == ["Inside the lasso"])
        assert {name.partition("#")[0] for name in page.texts("#picked .near li")} == {*WATER, *MONEY, "bank"}
        assert page.all("#lasso")[0].get_attribute("aria-pressed") == "false"

    def test_a_theme_lists_its_senses_by_keyboard(self, page: Page, bank: Client) -> None:
        opened(page, bank)
        page.driver.execute_script("document.querySelector('[data-theme]').focus()")
        page.type("\ue007")
        page.wait(lambda: page.texts("#picked h2")[:1] and page.texts("#picked h2")[0].startswith("Theme: "))
        listed = {name.partition("#")[0] for name in page.texts("#picked .near li")}
        assert listed <= {*WATER, "bank"} or listed <= {*MONEY, "bank"}
        page.driver.execute_script("document.querySelector('canvas').focus()")
        before = page.run("document.querySelector('canvas').toDataURL()")
        page.type("+", "\ue014")
        page.wait(lambda: page.run("document.querySelector('canvas').toDataURL()") != before)

    def test_it_works_with_fingers_on_a_phone(self, page: Page, bank: Client) -> None:
        page.as_phone(True)
        try:
            opened(page, bank)
            assert page.run("document.documentElement.scrollWidth") <= 390
            canvas = "document.querySelector('canvas')"
            before = page.run(f"{canvas}.toDataURL()")
            box = page.run(f"(() => {{ const r = {canvas}.getBoundingClientRect(); return [r.left, r.top]; }})()")
            x, y = box[0] + 150, box[1] + 150

            def touch(kind: str, *points: tuple[float, float]) -> None:
                places = [{"x": a, "y": b, "id": i} for i, (a, b) in enumerate(points)]
                page.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})

            touch("touchStart", (x, y), (x + 40, y))
            touch("touchMove", (x - 40, y), (x + 80, y))
            touch("touchEnd")
            page.wait(lambda: page.run(f"{canvas}.toDataURL()") != before)  # two fingers zoom
            assert page.complaints() == []
        finally:
            page.as_phone(False)

    @pytest.mark.parametrize("is_phone", [False, True])
    def test_the_map_of_a_word_fills_its_frame_with_readable_labels(
        self, page: Page, bank: Client, is_phone: bool
    ) -> None:
        page.as_phone(is_phone)
        try:
            page.open(bank, view="map", word="bank")
            page.wait(lambda: page.all(".map circle"))
            share, size = page.run(FILLED)
            assert min(share) > 0.75
            assert size >= 12  # pixels, of the smallest label
        finally:
            page.as_phone(False)

    def test_hostile_words_do_not_break_it(self, page: Page, hostile: Client) -> None:
        opened(page, hostile, find="<script>window.broken=1</script>")
        page.wait(lambda: len(page.all("#picked .found li")) == 2)
        assert page.run("window.broken === undefined")

    @pytest.mark.slow
    def test_100_000_senses_are_there_within_two_seconds(self, page: Page, large: Client) -> None:
        opened(page, large)
        ready = page.run("performance.getEntriesByName('map')[0].startTime")
        assert ready < 2000
        frames = page.driver.execute_async_script(FRAMES, 20)
        assert sorted(frames)[len(frames) // 2] < 100  # milliseconds of a frame while zooming, the median


FILLED = """(() => {
  const box = document.querySelector(".map").getBoundingClientRect();
  const marks = [...document.querySelectorAll(".map circle")].map((e) => e.getBoundingClientRect());
  const far = (from, to) => Math.max(...marks.map((m) => m[to])) - Math.min(...marks.map((m) => m[from]));
  const sizes = [...document.querySelectorAll(".map text")].map((e) => parseFloat(getComputedStyle(e).fontSize));
  return [[far("left", "right") / box.width, far("top", "bottom") / box.height], Math.min(...sizes)];
})()"""
FRAMES = """
const [n, done] = arguments, canvas = document.querySelector("canvas"), times = [];
const { left, top } = canvas.getBoundingClientRect();
const wheel = { deltaY: -10, clientX: left + 300, clientY: top + 200, cancelable: true };
function step() {
  const start = performance.now();
  canvas.dispatchEvent(new WheelEvent("wheel", wheel));
  requestAnimationFrame(() => {
    times.push(performance.now() - start);
    times.length < n ? setTimeout(step) : done(times);
  });
}
step();
"""
