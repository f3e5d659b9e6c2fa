"""The page in a real browser: what a visitor does and sees."""

from __future__ import annotations

import csv
import json

import pytest
from browser_support import Page, needs_chromium
from web_support import HOSTILE, MONEY, WATER, Client, hand_made, running

from adagram.analysis.concordance import EncodedTexts
from adagram.model import Model
from adagram.web.explorer import Explorer
from tests_support import corpus_of

selenium = pytest.importorskip("selenium", reason="selenium is not installed: pip install adagram[test]")
pytestmark = needs_chromium

from selenium.webdriver import ActionChains  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402

VIEWS = [{}, {"word": "bank"}, {"word": "bnak"}, {"view": "map", "word": "bank"}, {"view": "text"}, {"view": "compare"}]
OVERLAP = """(() => { const boxes = [...document.querySelectorAll(arguments[0])].map((e) => e.getBoundingClientRect());
    return boxes.some((a, i) => boxes.some((b, j) => i < j && a.left < b.right - 1 && b.left < a.right - 1
    && a.top < b.bottom - 1 && b.top < a.bottom - 1)); })()"""


def test_the_start_page_invites_and_leads_to_a_sense(page: Page, bank: Client) -> None:
    page.open(bank)
    page.wait(lambda: page.texts(".tile h3") == ["bank"])
    gists = page.texts(".tile li a")
    assert len(gists) == 2
    assert any(word in gist for gist in gists for word in MONEY)
    assert any(word in gist for gist in gists for word in WATER)
    assert "words of text" in page.texts("main")[0]  # what it was trained on
    page.click(".tile li a", 1)
    page.wait(lambda: len(page.all(".card.chosen")) == 1)
    assert page.complaints() == []


def test_search_with_completion_then_follow_a_neighbour(page: Page, bank: Client) -> None:
    page.open(bank)
    page.wait(lambda: page.all("#start-word"))
    page.type("/")  # the key that goes to the search field
    page.type("ban")
    page.wait(lambda: page.texts("[role=option]") == ["bank2 senses"])
    page.type(Keys.ARROW_DOWN, Keys.ENTER)
    page.wait(lambda: len(page.all(".card")) == 2)
    assert sorted(page.texts(".card .name")) == ["bank#0", "bank#1"]
    widths = page.run("[...document.querySelectorAll('.card .bar > span')].map((e) => parseFloat(e.style.width))")
    assert sum(widths) == pytest.approx(100, abs=0.1)
    uses = [int(text.split()[0].replace(",", "")) for text in page.texts(".card .uses")]
    assert sum(uses) == pytest.approx(3000, abs=2)
    assert widths == sorted(widths, reverse=True)  # by share
    assert len(page.all(".strip button")) == 2
    name = page.texts(".card .near .word")[0]
    page.click(".card .near .word")  # its lines, and a way to the word itself
    page.wait(lambda: page.texts(".card .drawer .actions a"))
    page.click(".card .drawer .actions a", len(page.all(".card .drawer .actions a")) - 1)
    page.wait(lambda: page.texts(".card.chosen .name") == [f"{name}#0"])
    page.driver.back()
    page.wait(lambda: sorted(page.texts(".card .name")) == ["bank#0", "bank#1"])
    assert page.complaints() == []


def test_one_example_is_in_view_and_a_card_opens_and_closes(page: Page, bank: Client) -> None:
    page.open(bank, word="bank")
    page.wait(lambda: len(page.all(".card .lines.first li")) == 2)
    assert page.texts(".card .lines.first mark") == ["bank", "bank"]
    assert not page.all(".card .more li")[0].is_displayed()
    page.click(".card .more > summary")
    page.wait(lambda: page.all(".card .more li")[0].is_displayed())
    page.click(".card > details > summary")
    page.wait(lambda: not page.all(".card .near")[0].is_displayed())
    page.click(".strip button")  # the strip leads to the card and opens it
    page.wait(lambda: page.all(".card .near")[0].is_displayed())


def test_a_word_can_be_copied_linked_and_downloaded(page: Page, bank: Client) -> None:
    page.open(bank, word="bank")
    page.wait(lambda: page.all(".card"))
    page.click("#csv")
    path = page.downloads / "bank.csv"
    page.wait(path.exists)
    page.wait(lambda: len(list(csv.reader(path.open()))) == 3)
    page.driver.execute_cdp_cmd(
        "Browser.grantPermissions", {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]}
    )
    page.click("button[aria-label='Copy a link to this view']")
    page.wait(lambda: "Copied" in page.texts(".actions button"))
    copied = page.driver.execute_async_script("navigator.clipboard.readText().then(arguments[0])")
    assert copied == page.run("location.href")
    page.click(".card .actions a")  # a link to one sense
    page.wait(lambda: len(page.all(".card.chosen")) == 1)
    assert "sense=" in page.run("location.hash")


def test_a_sentence_is_coloured_by_sense(page: Page, bank: Client) -> None:
    page.open(bank, view="text", text="")
    page.wait(lambda: page.all("#text"))
    page.all("#text")[0].send_keys("The fish river water bank of boat mud. Loan money cash bank debt, credit unheard!")
    banks = page.wait(lambda: len(page.all(".token:not(.unclear)")) == 2 and page.all(".token:not(.unclear)"))
    first, second = (b.value_of_css_property("background-color") for b in banks)
    assert first != second
    assert {b.get_attribute("data-sense") for b in banks} == {"bank#0", "bank#1"}
    assert "unheard" in page.texts(".unknown")
    page.wait(lambda: len(page.all("#found li")) == 2)  # what the two mean, also for those who cannot point
    ActionChains(page.driver).move_to_element(banks[0]).perform()
    best = banks[0].get_attribute("data-sense")
    page.wait(lambda: page.texts("#tip li:first-child .row span:first-child") == [best])
    assert len(page.texts("#tip li")) == 2  # the other sense and its probability are there too
    assert page.texts("#tip .value")[0].endswith("%")
    link = page.run("location.href")
    page.driver.get("about:blank")
    page.driver.get(link)  # what was typed is in the address
    page.wait(lambda: len(page.all(".token:not(.unclear)")) == 2)
    assert page.complaints() == []


def test_the_text_view_colours_what_is_typed_and_selects_nothing(page: Page, bank: Client) -> None:
    page.open(bank, view="text", text="cash bank loan\nriver bank fish")
    page.wait(lambda: len(page.all(".token:not(.unclear)")) == 2)
    assert page.run("getSelection().toString()") == ""
    assert page.run("document.activeElement.id") != "text"
    page.click("main .actions button")  # clear
    page.type("cash bank loan")
    page.wait(lambda: len(page.all(".token:not(.unclear)")) == 1)


def test_the_text_is_coloured_at_the_chosen_resolution(page: Page, bank: Client) -> None:
    page.open(bank, view="text", text="cash bank loan", resolution=0)
    page.wait(lambda: page.texts("#tagged") == ["cash bank loan"])
    assert page.all(".token") == []  # no word has several senses
    script = "const e = document.getElementById('level'); e.value = '1'; e.dispatchEvent(new Event('change'))"
    page.driver.execute_script(script)
    page.wait(lambda: len(page.all(".token:not(.unclear)")) == 1)
    assert "resolution=1" in page.run("location.hash")


def test_the_page_begins_at_the_resolution_of_the_server(page: Page, bank_model: Model) -> None:
    """`adagram serve` shows medium; the slider stands at the number of senses that are shown."""
    with running(Explorer(bank_model.at("medium"))) as client:
        page.open(client, view="text", text="cash bank loan")
        page.wait(lambda: page.texts("#tagged"))
        assert page.run("document.getElementById('level').selectedOptions[0].text") == "medium senses"
        page.open(client, word="bank")
        page.wait(lambda: len(page.all(".card")) == 2)
        assert page.run("document.getElementById('resolution').ariaValueText") == "2 senses"
        assert page.run("document.getElementById('resolution').value") == "1"


@pytest.mark.parametrize(("senses", "listed"), [(60, 60), (61, 0)])
def test_the_legend_of_a_text_has_all_senses_or_none(page: Page, bank: Client, senses: int, listed: int) -> None:
    page.open(bank, view="text", text="cash bank loan")
    page.wait(lambda: page.all("#found li"))
    answer = {"tokens": [], "gists": {f"word{i}#0": "gist" for i in range(senses)}}
    page.driver.execute_script(
        "window.fetch = async () => Response.json(arguments[0])".replace("arguments[0]", json.dumps(answer))
    )
    page.driver.execute_script("document.getElementById('text').dispatchEvent(new Event('input'))")
    page.wait(lambda: page.texts("#tagged") == [""])
    assert len(page.all("#found li")) == listed


def test_a_word_whose_sense_is_not_clear_has_no_colour(page: Page, bank: Client) -> None:
    page.open(bank, view="text", text="river bank loan. Bank")
    tokens = page.wait(lambda: len(page.all(".token")) == 2 and page.all(".token"))
    assert [each.get_attribute("class") for each in tokens] == ["token unclear"] * 2
    page.wait(lambda: not page.all("#found")[0].is_displayed())  # nothing to explain
    ActionChains(page.driver).move_to_element(tokens[1]).perform()
    page.wait(lambda: "does not make it clear" in "".join(page.texts("#tip p")))


def test_a_tap_shows_the_probabilities_and_the_next_follows_the_link(page: Page, bank: Client) -> None:
    page.as_phone(True)
    page.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
    try:
        page.open(bank, view="text", text="cash bank loan")
        page.wait(lambda: page.all(".token"))
        page.tap(".token")
        page.wait(lambda: page.all("#tip")[0].is_displayed())
        assert "view=text" in page.run("location.hash")
        page.tap("h1")
        page.wait(lambda: not page.all("#tip")[0].is_displayed())
        page.tap(".token")
        page.wait(lambda: page.all("#tip")[0].is_displayed())
        page.tap(".token")
        page.wait(lambda: page.texts("h1") == ["bank"])
    finally:
        page.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})
        page.as_phone(False)


def test_right_to_left_words_mirror_the_page_and_keep_numbers_whole(page: Page) -> None:
    words = ["בנק", "כסף", "נהר", "ספר"]
    texts = EncodedTexts(corpus_of([["נהר", "כסף", "בנק", "ספר"]] * 3))
    with running(Explorer(hand_made(words, senses=2), texts)) as client:
        page.open(client, word="בנק", all=1)
        page.wait(lambda: len(page.all(".card")) == 2)
        left = "(e) => e.getBoundingClientRect().left"
        places = page.run(f"[...document.querySelectorAll('.strip > *')].map({left})")
        assert places == sorted(places, reverse=True)  # the first sense is at the right
        places = page.run(f"[...document.querySelectorAll('.card')].map({left})")
        assert places == sorted(places, reverse=True)
        page.open(client, word="בנק", lines=1)
        page.wait(lambda: len(page.all(".kwic tbody tr")) == 3)
        first = "(e) => e.getBoundingClientRect().left"
        places = page.run(f"[...document.querySelector('.kwic tbody tr').cells].map({first})")
        assert places == sorted(places, reverse=True)  # what comes before the word is to its right
        assert page.texts(".kwic tbody tr:first-child .before") == ["נהר כסף "]
        # An English sentence keeps its order: the word is at its end, to the right.
        ends = "[...document.querySelectorAll('#lines > summary bdi')].map((e) => e.getBoundingClientRect().right)"
        sentence, word = page.run(ends)
        assert word == pytest.approx(sentence, abs=1)
        page.open(client, view="text", text="בנק כסף\nonly English")
        page.wait(lambda: page.texts("#tagged"))
        assert page.run("getComputedStyle(document.querySelector('#tagged')).unicodeBidi") == "plaintext"


def test_back_returns_to_the_text_and_to_the_place_on_the_page(page: Page, bank: Client) -> None:
    page.open(bank, view="text", text="cash bank loan\n" * 60)
    page.wait(lambda: len(page.all(".token")) == 60)
    page.click(".token", 50)
    page.wait(lambda: page.texts("h1") == ["bank"])
    page.driver.back()
    page.wait(lambda: len(page.all(".token")) == 60)
    page.wait(lambda: page.run("scrollY") > 300)


def test_errors_of_the_api_are_sentences_on_the_page(page: Page, bank: Client) -> None:
    page.open(bank, view="text", text="bank " * 5000)
    page.wait(lambda: "at most 20000 characters" in "".join(page.texts("[role=alert]")))
    page.open(bank, view="compare", left="bnak", right="bank")
    page.wait(lambda: "'bnak' is not in the vocabulary" in "".join(page.texts("[role=alert]")))
    page.open(bank, view="map", word="bnak")
    page.wait(lambda: "'bnak' is not in the vocabulary" in "".join(page.texts("[role=alert]")))


def test_a_server_that_has_stopped_is_a_sentence(page: Page) -> None:
    with running(Explorer(hand_made(["one", "two"], senses=2))) as client:
        page.open(client)
        page.wait(lambda: page.texts("h1"))

    def is_stopped() -> bool:
        try:
            client.get("/api/info")
        except OSError:
            return True
        return False

    page.wait(is_stopped)
    page.run("location.hash = '#word=one'")
    page.wait(lambda: "is adagram serve still running?" in "".join(page.texts("[role=alert]")))
    page.driver.get_log("browser")  # it complains, as it should


def test_map(page: Page, bank: Client) -> None:
    page.open(bank, view="map", word="bank")
    page.wait(lambda: len(page.all(".map a.asked circle")) == 2)
    assert sorted(label[:2] for label in page.texts(".map a.asked text")) == ["#0", "#1"]
    assert all(len(label.split()) > 1 for label in page.texts(".map a.asked text"))  # with what it is about
    script = "return " + OVERLAP
    assert page.driver.execute_script(script, ".map a:not(.unlabelled) text") is False  # none over another
    assert page.all(".map a.asked.unlabelled") == []
    page.click(".map a:not(.asked) circle")
    page.wait(lambda: page.texts(".card.chosen .name"))
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


def test_an_unknown_word_offers_near_spellings_and_next_steps(page: Page, bank: Client) -> None:
    page.open(bank, word="bnak")
    page.wait(lambda: page.texts("[role=alert] .words a") == ["bank"])
    assert "--min-count" in page.texts("[role=alert]")[0]
    page.click("[role=alert] .words a")
    page.wait(lambda: page.texts("h1") == ["bank"])


def test_everything_on_the_word_page_is_reached_with_tab(page: Page, bank: Client) -> None:
    page.open(bank, word="bank")
    page.wait(lambda: len(page.all(".card .lines.first li")) == 2)
    reached = []
    for _ in range(80):
        page.type(Keys.TAB)
        name = "(e) => e.id || e.name || e.className || e.parentElement.className || e.tagName"
        reached.append(page.run(f"({name})(document.activeElement)"))
        if reached[-1] == "concordance":
            break
    assert {"word", "csv", "resolution", "s0", "s1", "concordance"} <= set(reached)
    page.type(Keys.ENTER)  # opens the lines
    page.wait(lambda: len(page.all(".kwic tbody tr")) == 50)
    page.driver.execute_script("document.querySelector('.card .near .word').focus()")
    page.type(Keys.ENTER)
    page.wait(lambda: page.all(".drawer .row"))


@pytest.mark.parametrize("view", ["senses", pytest.param("map", marks=pytest.mark.slow)])
def test_hostile_words_are_only_shown(page: Page, hostile: Client, view: str) -> None:
    page.open(hostile)
    for word in HOSTILE:
        script = "location.hash = '#' + new URLSearchParams({view: arguments[0], word: arguments[1]})"
        page.driver.execute_script(script, view, word)
        title = word if view == "senses" else f"Map of {word}"
        page.wait(lambda title=title: page.texts("h1") == [title])
    page.open(hostile, word=HOSTILE[0], lines=1, beside=HOSTILE[1], source=HOSTILE[2])
    page.wait(lambda: page.texts("#lines [role=status]") == ["No line is like this."])
    page.open(hostile, word=HOSTILE[0], lines=1, beside=HOSTILE[1], sort="date")
    page.wait(lambda: len(page.all(".kwic tbody tr")) == 3)
    assert HOSTILE[1] in page.texts(".kwic td.after")[0]
    text = " ".join(HOSTILE)
    page.open(hostile, view="text", text=text)
    page.wait(lambda: "".join(page.texts("#tagged")))
    page.run("document.querySelectorAll('#tagged sub').forEach((e) => e.remove())")
    assert page.texts("#tagged") == [text]
    assert page.run("window.broken") is None
    assert page.run("document.querySelectorAll('main script, main img').length") == 0
    assert page.complaints() == []


def test_phone_and_dark(page: Page, bank: Client) -> None:
    page.as_phone(True)
    try:
        backgrounds = []
        for scheme in ("light", "dark"):
            page.in_scheme(scheme)
            for fields in VIEWS:
                page.open(bank, **fields)
                page.wait(lambda: page.texts("h1, [role=alert]"))
                assert page.run("document.documentElement.scrollWidth <= innerWidth"), fields
                assert page.run("document.documentElement.scrollHeight") < 3000, fields
            backgrounds.append(page.run("getComputedStyle(document.body).backgroundColor"))
        assert backgrounds[0] != backgrounds[1]
    finally:
        page.as_phone(False)
        page.in_scheme(None)


def test_on_a_phone_cards_are_collapsed_but_for_the_first(page: Page, many: Client) -> None:
    page.as_phone(True)
    try:
        page.open(many, word="word")
        page.wait(lambda: len(page.all(".card")) == 1)  # the others have few uses
        page.click("#all")
        page.wait(lambda: len(page.all(".card")) == 20)
        assert [card.is_displayed() for card in page.all(".card .near")] == [True] + 19 * [False]
        assert page.run("document.documentElement.scrollWidth <= innerWidth && innerWidth == 390")
        assert page.run("document.documentElement.scrollHeight") < 3000
        page.click(".card > details > summary", 7)
        page.wait(lambda: page.all(".card .near")[7].is_displayed())
    finally:
        page.as_phone(False)
    page.open(many, word="word", all=1)
    page.wait(lambda: len(page.all(".card")) == 20)
    assert all(card.is_displayed() for card in page.all(".card .near"))  # on a wide screen all are open


def test_the_footer_is_at_the_bottom_and_everything_has_a_name_for_a_screen_reader(page: Page, bank: Client) -> None:
    for fields in [*VIEWS, {"word": "bank", "lines": 1}]:
        page.open(bank, **fields)
        page.wait(lambda: page.texts("h1, [role=alert]"))
        gap = "innerHeight - document.querySelector('footer').getBoundingClientRect().bottom"
        assert page.run(gap) <= 1, fields
        if "lines" in fields:
            page.wait(lambda: page.all(".kwic tbody tr"))
        tree = page.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
        roles = ("link", "button", "textbox", "combobox", "searchbox", "listbox", "table", "image", "slider")
        nameless = [
            node
            for node in tree
            if not node["ignored"] and node["role"]["value"] in roles and not node.get("name", {}).get("value")
        ]
        assert nameless == []
        headings = [node for node in tree if node.get("role", {}).get("value") == "heading"]
        assert headings or fields == {"word": "bnak"}
