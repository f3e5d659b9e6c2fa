"""The page in a real browser: what a visitor does and sees."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlencode

import pytest
from web_support import HOSTILE, Client

selenium = pytest.importorskip("selenium", reason="selenium is not installed: pip install adagram[test]")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(
    not (CHROMIUM and DRIVER), reason="Chromium is not installed: apt-get install chromium chromium-driver"
)

from selenium import webdriver  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1100,900",
]
VIEWS = [
    {"word": "bank"},
    {"view": "map", "word": "bank"},
    {"view": "text", "text": "bank river"},
    {"view": "compare", "left": "bank", "right": "bank"},
]


class Page:
    """A browser with words for what a visitor does."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(self, client: Client, **fields: Any) -> None:
        self.driver.get("about:blank")  # a change of the fragment alone would not load the page anew
        self.driver.get(client.address + ("#" + urlencode(fields) if fields else ""))

    def all(self, selector: str) -> list[Any]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def texts(self, selector: str) -> list[str]:
        script = "return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent)"
        return self.driver.execute_script(script, selector)

    def wait(self, check: Callable[[], Any], seconds: float = 6.0) -> Any:
        """The first true value of `check`, asked again and again."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if value := check():
                return value
            time.sleep(0.02)
        pytest.fail(f"the page did not get there; it shows {self.texts('main')}")

    def type(self, *keys: str) -> None:
        self.driver.switch_to.active_element.send_keys(*keys)

    def run(self, script: str) -> Any:
        return self.driver.execute_script(f"return {script}")

    def complaints(self) -> list[str]:
        """What the browser's console says, but for the errors that the API answers with."""
        return [e["message"] for e in self.driver.get_log("browser") if "/api/" not in e["message"]]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in [*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"]:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    yield Page(driver)
    driver.quit()


def test_search_with_completion_then_follow_a_neighbour(page: Page, bank: Client) -> None:
    page.open(bank)
    page.wait(lambda: page.texts(".words a"))
    page.type("/")  # the key that goes to the search field
    page.type("ban")
    page.wait(lambda: page.texts("[role=option]") == ["bank2 senses"])
    page.type(Keys.ARROW_DOWN, Keys.ENTER)
    page.wait(lambda: len(page.all(".card")) == 2)
    assert page.texts(".card h2") == ["bank#0", "bank#1"]
    widths = page.run(
        "[...document.querySelectorAll('.card > .bar > span')].map((e) => parseFloat(e.style.width))"
    )
    assert sum(widths) == pytest.approx(100, abs=0.1)
    page.wait(lambda: len(page.all(".card .lines mark")) == 10)  # five examples for each sense
    neighbour = page.all(".card .near a")[0]
    name = neighbour.text
    neighbour.click()
    page.wait(lambda: page.texts(".card.chosen h2") == [name])
    page.driver.back()
    page.wait(lambda: page.texts(".card h2") == ["bank#0", "bank#1"])
    assert page.complaints() == []


def test_a_sentence_is_coloured_by_sense(page: Page, bank: Client) -> None:
    page.open(bank, view="text")
    page.wait(lambda: page.all("#text"))
    page.all("#text")[0].send_keys(
        "Fish river water bank boat mud. Loan money cash bank debt, credit unheard!"
    )
    banks = page.wait(lambda: len(page.all(".token:not(.single)")) == 2 and page.all(".token:not(.single)"))
    first, second = (b.value_of_css_property("background-color") for b in banks)
    assert first != second
    assert {b.get_attribute("data-sense") for b in banks} == {"bank#0", "bank#1"}
    assert page.texts(".unknown") == ["unheard"]
    webdriver.ActionChains(page.driver).move_to_element(banks[0]).perform()
    best = banks[0].get_attribute("data-sense")
    page.wait(lambda: page.texts("#tip li:first-child .row span:first-child") == [best])
    assert len(page.texts("#tip li")) == 2  # the other sense and its probability are there too
    assert page.texts("#tip .value")[0].endswith("%")
    link = page.run("location.href")
    page.driver.get("about:blank")
    page.driver.get(link)  # what was typed is in the address
    page.wait(lambda: len(page.all(".token:not(.single)")) == 2)
    assert page.complaints() == []


def test_map(page: Page, bank: Client) -> None:
    page.open(bank, view="map", word="bank")
    page.wait(lambda: len(page.all(".map a.asked circle")) == 2)
    assert sorted(page.texts(".map a.asked text")) == ["bank#0", "bank#1"]
    labels = """(() => { const boxes = [...document.querySelectorAll('.map a:not(.unlabelled) text')].map((e) =>
        e.getBoundingClientRect());
        return boxes.some((a, i) => boxes.some((b, j) => i < j && a.left < b.right - 1 && b.left < a.right - 1
        && a.top < b.bottom - 1 && b.top < a.bottom - 1)); })()"""
    assert page.run(labels) is False  # no label lies over another
    page.run(
        "document.querySelector('.map a:not(.asked)').dispatchEvent(new MouseEvent('click', {bubbles: true}))"
    )
    page.wait(lambda: page.texts(".card.chosen h2"))
    assert page.complaints() == []


def test_compare(page: Page, bank: Client) -> None:
    page.open(bank, view="compare", left="bank", left_context="river fish", right="loan")
    low = float(page.wait(lambda: page.texts("#similarity"))[0])
    field = page.all("#left_context")[0]
    field.clear()
    field.send_keys("cash credit")
    page.wait(lambda: page.texts("#similarity") and float(page.texts("#similarity")[0]) > low)
    assert page.texts("td.best")
    assert "left_context=cash" in page.run("location.hash")
    assert page.complaints() == []


def test_an_unknown_word_offers_near_spellings(page: Page, bank: Client) -> None:
    page.open(bank, word="bnak")
    page.wait(lambda: page.texts("[role=alert] .words a") == ["bank"])
    page.all("[role=alert] a")[0].click()
    page.wait(lambda: page.texts("h1") == ["bank"])


@pytest.mark.parametrize("view", ["senses", pytest.param("map", marks=pytest.mark.slow)])
def test_hostile_words_are_only_shown(page: Page, hostile: Client, view: str) -> None:
    page.open(hostile)
    for word in HOSTILE:
        script = "location.hash = '#' + new URLSearchParams({view: arguments[0], word: arguments[1]})"
        page.driver.execute_script(script, view, word)
        title = word if view == "senses" else f"Map of {word}"
        page.wait(lambda title=title: page.texts("h1") == [title])
    text = " ".join(HOSTILE)
    page.open(hostile, view="text", text=text)
    page.wait(lambda: len(page.all(".token")) == len(HOSTILE))
    assert page.run("window.broken") is None
    assert page.run("document.querySelectorAll('main script, main img').length") == 0
    assert page.complaints() == []


def test_phone_and_dark(page: Page, bank: Client) -> None:
    command = page.driver.execute_cdp_cmd
    command(
        "Emulation.setDeviceMetricsOverride",
        {"width": 360, "height": 700, "deviceScaleFactor": 2, "mobile": True},
    )
    try:
        backgrounds = []
        for scheme in ("light", "dark"):
            feature = {"name": "prefers-color-scheme", "value": scheme}
            command("Emulation.setEmulatedMedia", {"features": [feature]})
            for fields in VIEWS:
                page.open(bank, **fields)
                page.wait(lambda: page.texts("h1"))
                assert page.run("document.documentElement.scrollWidth <= innerWidth"), fields
            backgrounds.append(page.run("getComputedStyle(document.body).backgroundColor"))
        assert backgrounds[0] != backgrounds[1]
    finally:
        command("Emulation.clearDeviceMetricsOverride", {})
        command("Emulation.setEmulatedMedia", {"features": []})


def test_everything_has_a_name_for_a_screen_reader(page: Page, bank: Client) -> None:
    for fields in VIEWS:
        page.open(bank, **fields)
        page.wait(lambda: page.texts("h1"))
        tree = page.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
        roles = ("link", "button", "textbox", "combobox", "searchbox", "listbox", "table", "image")
        nameless = [
            node
            for node in tree
            if not node["ignored"]
            and node["role"]["value"] in roles
            and not node.get("name", {}).get("value")
        ]
        assert nameless == []
        headings = [node for node in tree if node.get("role", {}).get("value") == "heading"]
        assert headings
