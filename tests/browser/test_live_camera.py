"""The live camera in a real Chromium: a phone's viewfinder over HTTPS, the table as it is seen, zones, trust."""

from __future__ import annotations

import os
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import cv2
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, expect, sync_playwright
from served import CHROMIUM, WATCHERS

from companion.ledger import Ledger
from companion.watch import Watch
from companion.web import cameras
from companion.web.app import create_app
from companion.web.config import WebConfig
from companion.web.seen import Overseer
from companion.web.serving import running
from companion.web.tls import front, own
from companion.web.trust import new_invite
from vision.photo import load
from vision.weights import WeightsError

sys.path.insert(0, str(Path(__file__).parents[1] / "companion" / "web"))
from fakes import labels, sample, scene_of
from livefakes import FakeSource, Told

pytestmark = pytest.mark.slow
expect.set_options(timeout=20_000)
TABLE = Path(__file__).parents[2] / "vision" / "samples" / "table.jpg"
PHONE, TELEVISION = {"width": 390, "height": 844}, {"width": 1920, "height": 1080}
AXE = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}
ELSEWHERE = "remi.home"
"""A name of this server that is not loopback, so that no browser trusts it without encryption."""


@pytest.fixture(scope="module")
def playwright() -> Iterator[Playwright]:
    if not Path(CHROMIUM).exists():
        pytest.skip("Chromium is not installed")
    with sync_playwright() as running_playwright:
        yield running_playwright


@contextmanager
def chromium(playwright: Playwright, *more: str) -> Iterator[Browser]:
    flags = ["--no-sandbox", f"--host-resolver-rules=MAP {ELSEWHERE} 127.0.0.1", *more]
    browser = playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
    yield browser
    browser.close()


@pytest.fixture(scope="module")
def plain_browser(playwright: Playwright) -> Iterator[Browser]:
    """Without a camera."""
    with chromium(playwright) as browser:
        yield browser


@pytest.fixture(scope="module")
def camera_browser(playwright: Playwright, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Its camera shows the sample table that ships: an opening of 80 points."""
    film = tmp_path_factory.mktemp("film") / "table.mjpeg"
    picture = cv2.imread(str(TABLE))
    assert picture is not None
    _, encoded = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 92])
    film.write_bytes(bytes(encoded) * 3)
    with chromium(
        playwright, "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream",
        f"--use-file-for-fake-video-capture={film}",
    ) as browser:  # fmt: skip
        yield browser


def opened(browser: Browser, size: dict[str, int] = PHONE, scheme: str = "light") -> BrowserContext:
    return browser.new_context(
        locale="en-GB", viewport=size, color_scheme=scheme, ignore_https_errors=True  # type: ignore[arg-type]
    )  # fmt: skip


def heard(page: Page) -> list[str]:
    """What the page complains of, but for answers of 4xx and 5xx."""
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on(
        "console",
        lambda line: complaints.append(line.text)
        if line.type == "error" and "Failed to load resource" not in line.text else None,
    )  # fmt: skip
    return complaints


def look(page: Page, name: str) -> None:
    """axe finds nothing, nothing sticks out sideways; REMI_SHOTS keeps the pictures."""
    results = Axe().run(page, options=AXE)
    assert results.violations_count == 0, (name, results.generate_report())
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
    if shots := os.environ.get("REMI_SHOTS"):
        page.screenshot(path=f"{shots}/{name}.png", full_page=True)


class House:
    """A server over HTTPS, with a camera over its table that is told what to see."""

    def __init__(self, folder: Path, url: str, plain: str, ledger: Ledger) -> None:
        self.url, self.plain, self.ledger, self.folder = url, plain, ledger, folder
        self.source = FakeSource()
        self.cameras = [self.source]

    def open(self) -> FakeSource:
        """The newest camera, or the sentence that there is none."""
        if self.cameras[-1].closed or self.cameras[-1].state == "lost":
            raise OSError("unplugged")
        self.source = self.cameras[-1]
        return self.source

    def pair(self, page: Page) -> None:
        page.goto(f"{self.url}/pair/{new_invite(self.ledger)}")
        page.locator("main button.main").click()
        expect(page).to_have_url(f"{self.url}/")


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    ledger = Ledger(tmp_path / "ledger.db")
    tls = own(tmp_path, [ELSEWHERE, "127.0.0.1"])
    outer = socket.create_server(("127.0.0.1", 0))
    url = f"https://{ELSEWHERE}:{outer.getsockname()[1]}"
    config = WebConfig(
        hosts=(ELSEWHERE, "127.0.0.1"), https=True, reads=1000, heartbeat=1.0, addresses=(url,),
        authority=str(tls.authority),
    )  # fmt: skip
    app = create_app(ledger, config)
    with running(app, WATCHERS, secure=True) as port:
        threading.Thread(target=front, args=(outer, port, tls.context), daemon=True).start()
        made = House(tmp_path, url, f"http://{ELSEWHERE}:{port}", ledger)
        watch = Watch(made.open, lambda: Told(scene_of(labels(1))), first_wait=0.05)
        cameras.attach(app, Overseer(watch, ledger, tmp_path / "zones.json", "0"))
        watch.start()
        try:
            yield made
        finally:
            watch.close()
            outer.shutdown(socket.SHUT_RDWR)
            outer.close()
            ledger.close()


def frames_of(page: Page) -> int:
    """How many frames the server has followed."""
    return int(page.locator("#viewfinder").get_attribute("data-frames") or 0)


def test_the_verdict_of_an_opening_live_over_https(house: House, camera_browser: Browser) -> None:
    from vision.read import Reader

    try:
        Reader().warm(("tile",))
    except WeightsError:
        pytest.skip("the networks are not here")
    page = opened(camera_browser).new_page()
    complaints = heard(page)
    page.goto(f"{house.url}/viewfinder")
    assert page.evaluate("isSecureContext")
    verdict = page.locator("#live-verdict .verdict")
    expect(verdict).to_contain_text("This opens: 80 points", timeout=90_000)
    expect(page.locator("#over polygon.meld-line.ok")).to_have_count(3)
    before = frames_of(page)
    while frames_of(page) < before + 3:
        page.wait_for_timeout(100)
    look(page, "viewfinder-live")

    # the outlines lie on the picture, not beside it
    apart = page.evaluate("""() => {
        const [video, lines] = ["#video", "#over .view"].map(
            (name) => document.querySelector(name).getBoundingClientRect());
        const middle = (box) => [box.x + box.width / 2, box.y + box.height / 2];
        return middle(video).map((at, n) => at - middle(lines)[n]);
    }""")
    assert max(map(abs, apart)) < 2

    # one tap freezes it into an ordinary reading, in which a piece can be put right
    page.locator("#freeze").click()
    expect(page.locator("#frozen .reading .verdict")).to_contain_text("This opens: 80 points")
    expect(page.locator("#frozen .reading [data-meld]")).to_have_count(3)
    look(page, "viewfinder-frozen")
    page.locator('#frozen [data-meld="0"] button[data-piece]').first.click()
    page.locator('dialog .pad [data-code="r1"]').click()
    expect(page.locator("#frozen .meld.no")).to_have_count(1)
    page.locator("#on").click()
    expect(verdict).to_contain_text("This opens: 80 points", timeout=60_000)
    assert complaints == []


def test_without_encryption_the_page_explains_and_offers_a_photo(house: House, camera_browser: Browser) -> None:
    page = opened(camera_browser).new_page()
    page.goto(f"{house.plain}/viewfinder")
    assert not page.evaluate("isSecureContext")
    expect(page.locator("#insecure")).to_be_visible()
    expect(page.locator("#viewfinder")).to_be_hidden()
    expect(page.locator(f'#insecure a[href^="{house.url}"]')).to_be_visible()
    look(page, "viewfinder-insecure")
    page.locator('#insecure a[href="/check"]').click()
    expect(page.locator("#photo")).to_be_attached()


def test_a_device_without_a_camera_is_told_so(house: House, plain_browser: Browser) -> None:
    page = opened(plain_browser).new_page()
    page.goto(f"{house.url}/viewfinder")
    expect(page.locator("#fault")).to_contain_text("no camera")
    expect(page.locator("#again")).to_be_visible()
    look(page, "viewfinder-no-camera")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_table_as_it_is_seen(house: House, plain_browser: Browser, scheme: str) -> None:
    size = PHONE if scheme == "light" else TELEVISION
    page, watcher = opened(plain_browser, size, scheme).new_page(), opened(plain_browser).new_page()
    complaints = heard(page)
    house.pair(page)
    page.goto(f"{house.url}/new")
    page.locator("#player0").fill("Ana")
    page.locator("#player1").fill("Ștefan")
    page.locator("button.main").click()
    expect(page.locator("#live")).to_be_visible()
    page.goto(f"{house.url}/watch")
    watcher.goto(f"{house.url}/watch")
    camera = page.locator("#camera")
    expect(camera).to_have_class("camera opening")
    house.source.show(load(sample(1)).image)
    expect(camera).to_contain_text("sees the table")
    expect(page.locator("#seats .meld.ok")).to_have_count(4)
    expect(watcher.locator("#seats .meld.ok")).to_have_count(4)
    assert watcher.locator("#camera-picture").count() == 0
    expect(page.locator("#camera-picture")).not_to_have_js_property("naturalWidth", 0)
    look(page, f"watch-{scheme}")

    # unplugged, and back
    first = house.source
    first.finish("lost")
    expect(camera).to_have_class("camera lost")
    expect(camera).to_contain_text("plugged in")
    look(page, f"watch-lost-{scheme}")
    second = FakeSource()
    house.cameras.append(second)
    second.show(load(sample(1)).image)
    expect(camera).to_have_class("camera open")

    # zones, a corner by keyboard and one by mouse: what lay nearest to the other player is Ana's now
    expect(watcher.locator('#seats [data-player="p1"] .meld')).to_have_count(1)
    page.locator('a[href="/watch/zones"]').click()
    expect(page.locator("#zones-corners .corner")).to_have_count(8)
    expect(page.locator("#zones-image")).not_to_have_js_property("naturalWidth", 0)
    look(page, f"zones-{scheme}")
    corner = page.get_by_role("button", name="Ana, corner 1", exact=True)
    corner.focus()
    for _ in range(12):
        page.keyboard.press("Shift+ArrowUp")
    box = page.get_by_role("button", name="Ana, corner 2", exact=True).bounding_box()
    area = page.locator("#zones-corners").bounding_box()
    assert box
    assert area
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(area["x"] + area["width"] - 5, area["y"] + 5, steps=4)
    page.mouse.up()
    page.locator("#zones-keep").click()
    expect(page.locator("#zones-told")).to_contain_text("are kept")
    expect(watcher.locator('#seats [data-player="p1"] .meld')).to_have_count(3)
    assert (house.folder / "zones.json").exists()

    # what lies there is scored only when a person confirms it; then a wrong score is said to be wrong
    page.goto(f"{house.url}/watch")
    page.locator('a[href$="/round/watched"]').click()
    expect(page.locator('[data-total="p1"]')).to_be_visible()
    assert house.ledger.match(house.ledger.matches()[0].id).rounds == ()
    page.locator("#confirm").click()
    expect(page.locator("#podium")).to_be_visible()
    expect(watcher.locator("#agreement")).to_have_class("agreement agrees")
    match = house.ledger.matches()[0].id
    page.goto(f"{house.url}/matches/{match}/rounds/1")
    page.locator('fieldset[data-player="p1"] [role=group]').first.locator("button.piece").first.wait_for()
    page.evaluate("""() => { const field = document.getElementById('p1-melds');
        field.value = field.value.split('\\n').slice(1).join('\\n'); }""")
    page.locator("#confirm").click()
    expect(page.locator("#podium")).to_be_visible()
    expect(watcher.locator("#agreement")).to_have_class("agreement disagrees")
    expect(watcher.locator(".difference")).to_have_count(1)
    look(watcher, f"watch-disagrees-{scheme}")

    # at its end
    second.finish("ended")
    expect(watcher.locator("#camera")).to_have_class("camera ended")
    expect(watcher.locator("#seats .meld")).to_have_count(4)
    assert complaints == []


def test_how_to_trust_this_server(house: House, plain_browser: Browser) -> None:
    page = opened(plain_browser).new_page()
    page.goto(f"{house.url}/trust")
    expect(page.locator("#fingerprint")).to_contain_text(":")
    for more in page.locator("main details").all():
        if more.get_attribute("open") is None:
            more.locator("summary").click()
    look(page, "trust")
    with page.expect_download() as certificate:
        page.locator('a[href="/remi-ca.crt"]').click()
    assert certificate.value.path().read_bytes() == (house.folder / "remi-ca.crt").read_bytes()
