"""Takes the pictures of the documents anew: `python docs/pictures.py [--only NAME]`, with Chromium and the extra `dev`.

A demo server is started on this machine, with the networks that ship; its photo is our own rendering.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import cv2
import numpy as np
from playwright.sync_api import Browser, Page, StorageState, sync_playwright

DOCS = Path(__file__).resolve().parent
SAMPLE = DOCS.parent / "vision" / "samples" / "table.jpg"
CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
PHONE, TELEVISION = (390, 780), (1280, 720)
QUALITY = 82
Shot = Callable[[Page, str], None]


@contextmanager
def demo() -> Iterator[tuple[str, str]]:
    """A demo server's address and a pairing link."""
    words = ["serve", "--demo", "--json", "--host", "127.0.0.1", "--port", "0"]
    with subprocess.Popen([sys.executable, "-m", "companion.cli", *words], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        told = ""
        for line in server.stdout:
            told += line
            if line == "}\n":
                break
        answer = json.loads(told)
        try:
            yield answer["local"].replace("localhost", "127.0.0.1"), answer["pair"]
        finally:
            server.terminate()


def first_match(page: Page, url: str) -> str:
    """The address of the invented match."""
    with page.expect_response(f"{url}/api/matches") as answer:
        page.goto(f"{url}/api/matches")
    return f"{url}/matches/{answer.value.json()['matches'][0]['id']}"


def home(page: Page, url: str) -> None:
    """The first page on a scorer's phone."""
    page.goto(url)


def tally(page: Page, url: str) -> None:
    """The tally on a phone, or on a television."""
    page.goto(first_match(page, url))
    page.wait_for_timeout(600)


def television(page: Page, url: str) -> None:
    """The tally in large type."""
    page.goto(f"{first_match(page, url)}?big=1")
    page.wait_for_timeout(600)


def check(page: Page, url: str) -> None:
    """A first laying, read from a photo."""
    page.goto(f"{url}/check")
    page.set_input_files("#photo", str(SAMPLE))
    page.locator(".verdict").first.wait_for(timeout=120_000)
    page.wait_for_timeout(800)
    page.evaluate("document.querySelector('#reading').scrollIntoView()")


def scored(page: Page, url: str) -> None:
    """A round that was scored, open to be changed."""
    page.goto(f"{first_match(page, url)}/rounds/1")
    page.locator("[data-total]").first.wait_for(timeout=20_000)
    page.evaluate("document.querySelector('fieldset[data-player]').scrollIntoView()")


def new(page: Page, url: str) -> None:
    """A new match."""
    page.goto(f"{url}/new")


SHOTS: dict[str, tuple[tuple[int, int], Shot]] = {
    "home": (PHONE, home),
    "new": (PHONE, new),
    "check": (PHONE, check),
    "round": (PHONE, scored),
    "tally": (PHONE, tally),
    "television": (TELEVISION, television),
}


def paired(browser: Browser, pair: str) -> StorageState:
    """The cookies of a device that may score."""
    context = browser.new_context(locale="en-GB")
    page = context.new_page()
    page.goto(pair)
    page.locator("main button.main").click()
    page.wait_for_url("**/")
    state = context.storage_state()
    context.close()
    return state


def take(browser: Browser, name: str, url: str, cookies: StorageState) -> bytes:
    """A picture as PNG."""
    (width, height), shot = SHOTS[name]
    scale = 1.5 if width < 600 else 1.0
    context = browser.new_context(
        viewport={"width": width, "height": height}, device_scale_factor=scale, locale="en-GB", storage_state=cookies
    )
    page = context.new_page()
    shot(page, url)
    picture = page.screenshot()
    context.close()
    return picture


def keep(name: str, png: bytes) -> None:
    """Write a picture small."""
    image = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_COLOR)
    assert image is not None
    cv2.imwrite(str(DOCS / "pictures" / f"{name}.webp"), image, [cv2.IMWRITE_WEBP_QUALITY, QUALITY])


def overlay() -> None:
    """What `remi read --sample --draw` draws, smaller."""
    drawn = DOCS / "pictures" / "overlay.png"
    read = [sys.executable, "-m", "companion.cli", "read", "--sample", "--draw", str(drawn)]
    subprocess.run(read, check=True, stdout=subprocess.DEVNULL)
    image = cv2.imread(str(drawn))
    drawn.unlink()
    assert image is not None
    small = cv2.resize(image, (960, 960 * image.shape[0] // image.shape[1]), interpolation=cv2.INTER_AREA)
    cv2.imwrite(str(DOCS / "pictures" / "overlay.webp"), small, [cv2.IMWRITE_WEBP_QUALITY, QUALITY])


def main() -> None:
    """Take them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", choices=["overlay", *SHOTS], help="take these alone")
    only = parser.parse_args().only or ["overlay", *SHOTS]
    if "overlay" in only:
        overlay()
    shots = [name for name in only if name in SHOTS]
    if not shots:
        return
    with demo() as (url, pair), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        cookies = paired(browser, pair)
        for name in shots:
            keep(name, take(browser, name, url, cookies))
        browser.close()


if __name__ == "__main__":
    main()
