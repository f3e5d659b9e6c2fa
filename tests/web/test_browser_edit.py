"""Editing in a real browser: what is clicked is written in the journal and shown, and can be undone."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from browser_support import Page, needs_chromium
from web_support import Client, running

from adagram.model import Model
from adagram.model.storage import JOURNAL
from adagram.web.editing import Editor
from adagram.web.explorer import Explorer

selenium = pytest.importorskip("selenium", reason="selenium is not installed: pip install adagram[test]")
pytestmark = needs_chromium

from selenium.webdriver import ActionChains  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402

TOKEN = "a-token-of-the-test"


@pytest.fixture
def folder(bank_model: Model, tmp_path: Path) -> Path:
    bank_model.save(tmp_path / "model")
    return tmp_path / "model"


@pytest.fixture
def desk(folder: Path) -> Iterator[Client]:
    explorer = Explorer(Model.load(folder))
    with running(explorer, editor=Editor(explorer, TOKEN)) as client:
        yield client


def journal(folder: Path) -> list[str]:
    return (folder / JOURNAL).read_text().splitlines() if (folder / JOURNAL).exists() else []


def test_label_merge_hide_and_undo_with_the_buttons(page: Page, desk: Client, folder: Path) -> None:
    page.open(desk, word="bank", edit=TOKEN)
    page.wait(lambda: len(page.all(".card .edit")) == 2)
    assert "edit" not in page.run("location.href")  # a link that is copied does not give the token away
    page.click(".card[data-sense='bank#1'] button[name=rename]")
    page.type("side of a  river")  # in place of what it is about
    page.type(Keys.ESCAPE)
    assert page.all(".card[data-sense='bank#1'] .gist")[0].is_displayed()  # nothing happened
    page.click(".card[data-sense='bank#1'] button[name=rename]")
    field = page.all(".card[data-sense='bank#1'] input[name=label]")[0]
    field.clear()
    field.send_keys("side of a river", Keys.ENTER)
    page.wait(lambda: "side of a river" in page.texts(".card .gist"))
    assert page.texts("#news") == ["Labelled bank#1: side of a river."]
    page.click(".card[data-sense='bank#1'] button[name=merge]")
    page.wait(lambda: page.texts(".card[data-sense='bank#0'] button[name=merge]") == ["Merge #1 into this"])
    page.click(".card[data-sense='bank#0'] button[name=merge]")
    page.wait(lambda: len(page.all(".card")) == 1)
    assert "together 100" in page.texts("#news")[0]
    page.click("#undo")
    page.wait(lambda: len(page.all(".card")) == 2)
    page.click(".card[data-sense='bank#0'] button[name=hide]")
    page.wait(lambda: page.texts(".card .name") == ["bank#1"])
    assert page.texts("#news")[0].startswith("Hidden bank#0")
    assert page.texts("#undo") == ["Undo: hide bank#0"]
    page.click("#undo")
    page.wait(lambda: page.texts("#undo") == ["Undo: label bank#1 side of a river"])
    assert page.texts("#news") == ["Undone: hide bank#0."]
    page.click("#undo")
    page.wait(lambda: page.texts("#undo") == ["Nothing to undo"])
    lines = journal(folder)
    assert lines[0] == "label bank#1 side of a river"
    assert lines[1] in ("merge bank 0 1", "merge bank 1 0")
    assert lines[2:] == ["undo", "hide bank#0", "undo", "undo"]
    assert page.complaints() == []


def test_a_card_dropped_on_another_is_merged_with_it(page: Page, desk: Client, folder: Path) -> None:
    page.open(desk, word="bank", edit=TOKEN)
    page.wait(lambda: len(page.all(".card[draggable=true]")) == 2)
    one, other = (f".card[data-sense='bank#{k}'] summary" for k in (1, 0))
    ActionChains(page.driver).drag_and_drop(page.all(one)[0], page.all(other)[0]).perform()
    page.wait(lambda: len(page.all(".card")) == 1)
    assert journal(folder) == ["merge bank 0 1"]
    assert "Merged bank#1" in page.texts("#news")[0]


def test_only_senses_as_learned_are_edited(page: Page, desk: Client) -> None:
    page.open(desk, word="bank", edit=TOKEN, resolution=0)
    page.wait(lambda: len(page.all(".card")) == 1)
    assert page.all(".card .edit") == []
    assert "Move the resolution to fine" in page.texts("#news")[0]


def test_who_has_no_token_sees_no_controls(page: Page, desk: Client) -> None:
    page.open(desk)
    page.run("sessionStorage.clear()")
    page.open(desk, word="bank")
    page.wait(lambda: len(page.all(".card")) == 2)
    assert page.all(".card .edit, #undo") == []


def test_a_foreign_page_in_the_same_browser_decides_nothing(
    page: Page, desk: Client, folder: Path, tmp_path: Path
) -> None:
    """Another site that this browser visits while the editor is open knows even the token, and still fails."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text("<title>elsewhere</title>")
    handler = partial(http.server.SimpleHTTPRequestHandler, directory=str(tmp_path / "site"))
    handler.log_message = lambda *_: None  # type: ignore[attr-defined]
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        page.open(desk, word="bank", edit=TOKEN)
        page.driver.get(f"http://127.0.0.1:{other.server_address[1]}/")
        for headers in ("{}", f"{{'X-Adagram-Edit': '{TOKEN}'}}"):
            for mode in ("cors", "no-cors"):
                script = f"""const done = arguments[0];
                    fetch('{desk.address}api/edit', {{method: 'POST', mode: '{mode}', headers: {headers},
                    body: JSON.stringify({{verb: 'hide', senses: ['bank#0']}})}})
                    .then((r) => r.text()).then(done, () => done('refused'))"""
                assert page.driver.execute_async_script(script) in ("refused", "")
        other.shutdown()
    assert journal(folder) == []
    page.driver.get_log("browser")  # it complains, as it should
