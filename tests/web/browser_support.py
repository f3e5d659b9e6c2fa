"""A real browser with words for what a visitor does."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from web_support import Client

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)
# Without a browser these tests are skipped, but not where a change must pass them.
needs_chromium = pytest.mark.skipif(
    CHROMIUM is None and not os.environ.get("CI"),
    reason="there is no Chromium: apt-get install chromium chromium-driver",
)

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
PHONE = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}


class Page:
    """What a visitor does and sees."""

    def __init__(self, driver: Any, downloads: Path) -> None:
        self.driver, self.downloads, self.opened = driver, downloads, 0

    def open(self, client: Client, **fields: Any) -> None:
        self.opened += 1  # a change of the fragment alone would not load the page anew
        self.driver.get(f"{client.address}?{self.opened}" + ("#" + urlencode(fields) if fields else ""))

    def all(self, selector: str) -> list[Any]:
        return self.driver.find_elements("css selector", selector)

    def click(self, selector: str, place: int = 0) -> None:
        """A click of the mouse on what is there by then, brought into view."""
        found = self.wait(lambda: len(self.all(selector)) > place and self.all(selector)[place])
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", found)
        found.click()

    def tap(self, selector: str) -> None:
        """A finger on the middle of the first such element."""
        place = self.run(
            f"(() => {{ const r = document.querySelector('{selector}').getBoundingClientRect();"
            " return {x: r.left + r.width / 2, y: r.top + r.height / 2}; })()"
        )
        for kind, points in (("touchStart", [place]), ("touchEnd", [])):
            self.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    def texts(self, selector: str) -> list[str]:
        script = "return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent)"
        return self.driver.execute_script(script, selector)

    def wait(self, check: Callable[[], Any], seconds: float = 10.0) -> Any:
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

    def as_phone(self, is_phone: bool) -> None:
        how = ("set", PHONE) if is_phone else ("clear", {})
        self.driver.execute_cdp_cmd(f"Emulation.{how[0]}DeviceMetricsOverride", how[1])

    def in_scheme(self, scheme: str | None) -> None:
        features = [{"name": "prefers-color-scheme", "value": scheme}] if scheme else []
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
