"""A whole evening in a real Chromium: match, pairing, check by photo, three rounds, undo, watchers, export, sleep."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from fakes import FAILS, OPENS, ROUND, sample
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright
from served import CHROMIUM, Server

pytestmark = pytest.mark.slow

expect.set_options(timeout=30_000)  # a busy machine is no fault of the page

PHONE = {"width": 390, "height": 844}
TELEVISION = {"width": 1920, "height": 1080}
LANGUAGES = {"ro": "ro-RO", "en": "en-GB"}
WORDS = {
    "ro": {"opens": "Deschide", "meld": "Adaugă o formație", "leads": "conduce", "closer": "Cine a închis?"},
    "en": {"opens": "This opens", "meld": "Add a meld", "leads": "leads", "closer": "Who closed?"},
}
AXE = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    if not Path(CHROMIUM).exists():
        pytest.skip("Chromium is not installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


def phone(browser: Browser, language: str, size: dict[str, int] = PHONE, scheme: str = "light") -> BrowserContext:
    """A browser of its own, as a phone or a television has it."""
    return browser.new_context(
        locale=LANGUAGES[language], viewport=size, color_scheme=scheme, accept_downloads=True  # type: ignore[arg-type]
    )  # fmt: skip


def listen(page: Page) -> list[str]:
    """What the page complains of, but for answers of 4xx that a test asked for."""
    heard: list[str] = []
    page.on("pageerror", lambda error: heard.append(str(error)))
    page.on(
        "console",
        lambda line: heard.append(line.text) if line.type == "error" and "status of 4" not in line.text else None,
    )
    return heard


def pair(page: Page, server: Server) -> None:
    page.goto(server.invite())
    page.locator("main button.main").click()
    expect(page).to_have_url(f"{server.url}/")


def tap(page: Page, *codes: str) -> None:
    """Tap pieces on the keypad, then Done."""
    for code in codes:
        page.locator(f'dialog .pad [data-code="{code}"]').click()
    page.locator("dialog button.main").click()


def total(page: Page, player: str) -> str:
    return page.locator(f'#podium [data-player="{player}"] .score').inner_text()


@pytest.mark.parametrize("language", ["ro", "en"])
def test_an_evening(server: Server, chromium: Browser, language: str, tmp_path: Path) -> None:
    words = WORDS[language]
    scorer_context = phone(chromium, language)
    scorer = scorer_context.new_page()
    complaints = listen(scorer)
    pair(scorer, server)

    # a match
    scorer.goto(f"{server.url}/new")
    for n, name in enumerate(["Ana", "Ștefan", "Bunica"]):
        scorer.locator(f"#player{n}").fill(name)
    scorer.locator("#dealer1").check()
    scorer.locator("button.main").click()
    expect(scorer.locator("#live")).to_be_visible()
    match = scorer.url
    assert "Ștefan" in scorer.locator("#next strong").first.inner_text()

    # a second phone and a television watch
    second, third = phone(chromium, language).new_page(), phone(chromium, language, TELEVISION).new_page()
    second.goto(match)
    third.goto(f"{match}?big=1")
    assert second.locator('a[href$="/round"]').count() == 0  # it watches

    # an opening checked by photo: one doubt, one misread tile, each put right in two taps at most
    scorer.goto(f"{server.url}/check")
    scorer.set_input_files("#photo", str(sample(OPENS)))
    expect(scorer.locator(".question")).to_have_count(1)
    scorer.locator('.question [data-answer="k13"]').click()
    expect(scorer.locator(".verdict")).to_contain_text(words["opens"])
    assert scorer.locator(".reading").get_attribute("data-taps") == "1"
    scorer.set_input_files("#photo", str(sample(FAILS)))
    expect(scorer.locator(".meld.no")).to_have_count(2)
    misread = scorer.locator('.meld.no button[data-piece="5"]')
    misread.click()
    scorer.locator('dialog [data-likely="k3"]').click()
    expect(scorer.locator(".meld.no")).to_have_count(1)

    # round 1 by one photo of the whole table: who laid what follows from where it lies
    scorer.goto(f"{match}/round")
    scorer.set_input_files('[data-photo="all"]', str(sample(ROUND)))
    for player, rows in (("Ana", 2), ("Ștefan", 2), ("Bunica", 2)):  # melds, and what is left
        expect(scorer.locator(f'.assign button[aria-pressed="true"]:text-is("{player}")')).to_have_count(rows)
    scorer.locator('[data-use="all"]').click()
    expect(scorer.get_by_label(words["closer"])).to_have_value("p1")  # has nothing left
    for player, points in (("p1", "+95"), ("p2", "−20"), ("p3", "+10")):
        expect(scorer.locator(f'[data-total="{player}"]')).to_have_text(points)
    scorer.locator("#confirm").click()
    expect(scorer).to_have_url(match)
    for watcher in (second, third):
        expect(watcher.locator('#podium [data-player="p1"] .score')).to_have_text("95")
        expect(watcher.locator("#podium .leads .tag")).to_have_text(words["leads"])

    # round 2 typed on the keypad
    scorer.goto(f"{match}/round")
    card = scorer.locator('fieldset[data-player="p2"]')
    card.locator(".add-meld").click()
    tap(scorer, "r10", "r11", "r12")
    card.locator(".add-meld").click()
    tap(scorer, "b4", "b5", "b6")
    scorer.locator('fieldset[data-player="p3"] [role=group]').last.locator(".adder").click()
    tap(scorer, "r1", "y13")
    scorer.get_by_label(words["closer"]).select_option("p2")
    expect(scorer.locator('[data-total="p2"]')).to_have_text("+95")
    expect(scorer.locator('[data-total="p3"]')).to_have_text("−35")
    scorer.locator("#confirm").click()
    expect(scorer).to_have_url(match)
    expect(second.locator('#podium [data-player="p2"] .score')).to_have_text("75")

    # round 3 with a penalty and the atu
    scorer.goto(f"{match}/round")
    scorer.locator('fieldset[data-player="p3"] .add-meld').click()
    tap(scorer, "k7", "k8", "k9")
    late = scorer.locator('fieldset[data-player="p1"] details.more')
    late.locator("summary").click()
    late.locator('[name="missed"]').check()
    scorer.get_by_label(words["closer"]).select_option("p3")
    scorer.locator("#atu + .pieces button").click()
    scorer.locator('dialog .pad [data-code="k8"]').click()
    expect(scorer.locator('[data-total="p1"]')).to_have_text("−500")
    expect(scorer.locator('[data-total="p3"]')).to_have_text("+115")
    scorer.locator("#confirm").click()
    expect(scorer).to_have_url(match)
    expect(third.locator('#podium [data-player="p3"] .score')).to_have_text("90")

    # undo it; a phone that slept catches up
    second.context.set_offline(True)
    scorer.goto(f"{match}/history")
    scorer.locator("article.round").first.locator("form button").click()
    expect(scorer.locator("article.round.undone")).to_have_count(1)
    expect(third.locator('#podium [data-player="p3"] .score')).to_have_text("−25")
    second.context.set_offline(False)
    expect(second.locator('#podium [data-player="p3"] .score')).to_have_text("−25")
    third.reload()
    assert total(third, "p2") == "75"

    # take it along
    with scorer.expect_download() as csv:
        scorer.locator('a[href$="export.csv"]').click()
    assert "Ștefan" in csv.value.path().read_text(encoding="utf-8-sig")
    with scorer.expect_download() as exported:
        scorer.locator('a[href$="export.json"]').click()
    assert json.loads(exported.value.path().read_text())["matches"][0]["events"]
    assert complaints == []


def test_a_photo_of_one_players_pieces(server: Server, chromium: Browser) -> None:
    page = phone(chromium, "en").new_page()
    pair(page, server)
    page.goto(f"{server.url}/new")
    page.locator("#player0").fill("Ana")
    page.locator("#player1").fill("Bo")
    page.locator("button.main").click()
    page.goto(f"{page.url}/round")
    page.set_input_files('[data-photo="p2"]', str(sample(OPENS)))
    page.locator('.question [data-answer="k13"]').click()
    page.locator('[data-use="p2"]').click()
    expect(page.locator('[data-total="p2"]')).to_have_text("+75")
    page.get_by_label("Who closed?").select_option("p2")
    expect(page.locator('[data-total="p2"]')).to_have_text("+125")


def test_the_second_scorer_sees_the_first_and_may_take_over(server: Server, chromium: Browser) -> None:
    one, two = phone(chromium, "en").new_page(), phone(chromium, "en").new_page()
    pair(one, server)
    pair(two, server)
    one.goto(f"{server.url}/new")
    one.locator("#player0").fill("Ana")
    one.locator("#player1").fill("Bo")
    one.locator("button.main").click()
    match = one.url
    one.goto(f"{match}/round")
    one.locator('fieldset[data-player="p1"] .add-meld').click()
    tap(one, "r1", "b1", "k1")
    expect(one.locator('[data-total="p1"]')).to_have_text("+75")
    one.wait_for_timeout(400)
    two.goto(f"{match}/round")
    expect(two.locator("#held")).to_be_visible()
    expect(two.locator('[data-total="p1"]')).to_have_text("+75")  # what the first has typed
    two.locator("#take-over").click()
    expect(two.locator("#held")).to_be_hidden()
    one.locator("#confirm").click()
    expect(one.locator("#held")).to_be_visible()
    two.locator("#confirm").click()
    expect(two).to_have_url(match)
    assert total(two, "p1") == "75"
    assert total(two, "p2") == "0"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [PHONE, TELEVISION], ids=["phone", "television"])
def test_pages_are_accessible(server: Server, chromium: Browser, size: dict[str, int], scheme: str) -> None:
    """axe finds nothing against WCAG 2.2 AA, and nothing sticks out sideways; REMI_SHOTS keeps the pictures."""
    from companion.web.demo import set_up

    match = f"/matches/{set_up(server.ledger)}"
    page = phone(chromium, "en", size, scheme).new_page()
    complaints = listen(page)
    shots = os.environ.get("REMI_SHOTS")

    def look(name: str) -> None:
        results = Axe().run(page, options=AXE)
        assert results.violations_count == 0, (name, results.generate_report())
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
        if shots:
            page.screenshot(path=f"{shots}/{name}-{size['width']}-{scheme}.png", full_page=True)

    page.goto(f"{server.url}/")
    look("watching")
    page.goto(server.invite())
    look("pair")
    page.locator("main button.main").click()
    paths = {
        "home": "/", "new": "/new", "live": match, "big": f"{match}?big=1", "round": f"{match}/round",
        "edit": f"{match}/rounds/1", "rounds": f"{match}/history", "sheet": f"{match}/sheet", "history": "/history",
        "check": "/check", "help": "/help", "devices": "/devices", "error": "/nowhere",
    }  # fmt: skip
    for name, path in paths.items():
        page.goto(f"{server.url}{path}")
        page.wait_for_timeout(150)
        look(name)
    page.goto(f"{server.url}/devices")
    page.locator("main form button").first.click()
    expect(page.locator(".qr svg")).to_be_visible()
    look("devices-code")
    page.goto(f"{server.url}/check")
    page.set_input_files("#photo", str(sample(OPENS)))
    expect(page.locator(".question")).to_be_visible()
    look("check-photo")
    page.locator(".meld button.piece").first.click()
    look("check-keypad")
    assert complaints == []
