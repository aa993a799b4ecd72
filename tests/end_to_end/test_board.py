"""An organizer plays a contest of two rounds through the board, in a real browser and mostly with
the keyboard, with people at the seats and programs at their directories."""

from __future__ import annotations

import asyncio
import signal
import sys
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from contest.net import addresses
from contest.results.contest import Contest
from contest.scripted import scripted_people
from contest.verify.verify import verify
from judge_console.client import SeatClient
from tests.browser import PHONE, browsing, needs_chromium, opened, overflow, violations
from tests.end_to_end.test_serve import SETTINGS, running_server, seats_of, sit, until

#: The maximum number of Tabs to reach an element.
TABS = 120
REASON = "a lamp fell down <b>&"


class Organizer:
    """An organizer at the board who uses only the keyboard.

    Arguments:
        page: a browser's.
    """

    def __init__(self, page: Page) -> None:
        self.page = page

    async def log_in(self, code: str) -> None:
        await self.page.goto("/board")
        # The field gets the focus automatically, shortly after the page has loaded.
        await expect(self.page.locator("#code")).to_be_focused()
        await self.page.keyboard.type(code)
        await self.page.keyboard.press("Enter")
        await self.live()

    async def live(self) -> None:
        await expect(self.page.locator("#connection-mark")).to_have_text("● live")

    async def tab_to(self, words: str) -> None:
        """Presses Tab until an element with this text has the focus."""
        for _ in range(TABS):
            if await self.focus() == words:
                return
            await self.page.keyboard.press("Tab")
        raise AssertionError(f"nothing with the words {words!r} can be reached by Tab")

    async def focus(self) -> str:
        words: str = await self.page.evaluate(
            "(document.activeElement.innerText || document.activeElement.name || '').trim()"
        )
        return words

    async def press(self, words: str) -> None:
        await expect(self.page.get_by_text(words, exact=True).first).to_be_visible()
        await self.tab_to(words)
        await self.page.keyboard.press("Enter")

    async def order(self, words: str, reason: str = "", *, sure: str = "") -> None:
        """Opens an order from the top of the page, gives a reason, and confirms it."""
        await self.press(words)
        if reason:
            await self.tab_to("reason")
            await self.page.keyboard.type(reason)
            await self.page.keyboard.press("Enter")
        if sure:
            await expect(self.page.get_by_role("button", name=sure)).to_be_focused()
            await self.page.keyboard.press("Enter")

    async def sees(self, state: str) -> None:
        await expect(self.page.locator("h1")).to_have_text(state)


@needs_chromium
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM")
@pytest.mark.timeout(300)
async def test_a_contest_through_the_board(tmp_path: Path) -> None:
    place = tmp_path / "contest"
    async with (
        running_server(place, SETTINGS) as on,
        browsing() as browser,
        asyncio.TaskGroup() as tasks,
    ):
        server = addresses.find_control(place).server
        code = addresses.find_control(place).code
        away = ("WebSocket connection",)  # shown when the server has ended
        async with (
            opened(browser, server, complaints=away) as page,
            opened(browser, server, size=PHONE, scheme="dark", complaints=away) as phone,
        ):
            await page.goto("/board")
            assert page.url.endswith("/board/login")
            assert await violations(page, schemes=("light",)) == []
            organizer, other = Organizer(page), Organizer(phone)
            await organizer.log_in(code)
            await other.log_in(code)
            await organizer.sees("The contest has not begun; waiting for the organizer to start")
            assert "Not ready: seat J1" in await page.locator("#actions").inner_text()

            given = seats_of(place)
            cast = scripted_people(("J1", "J2"), ("C1", "C2"), 1)
            address = server.replace("http", "ws", 1)
            clients = {seat: SeatClient(f"{address}/seat", given[seat]) for seat in cast}
            people = [tasks.create_task(sit(cast[seat], clients[seat])) for seat in cast]

            # The page shows that the round is ready and begins, without a reload.
            await expect(page.get_by_role("button", name="Start round 1")).to_be_visible()
            await organizer.press("Start round 1")
            await organizer.sees("The interaction of round 1 is running")
            await other.sees("The interaction of round 1 is running")
            assert await page.locator("#state").evaluate("e => e === document.activeElement")
            await expect(page.locator("#desks")).to_contain_text("typing")
            await expect(page.locator("#desks")).to_contain_text("keys in 10 s")

            await organizer.order("Pause…", REASON)
            await organizer.sees("Round 1 is paused")
            await other.sees("Round 1 is paused")
            await expect(phone.locator("#now")).to_contain_text(f"Reason: {REASON}")
            stands = await phone.locator("#left").inner_text()
            await check_other_pages(page)
            assert await overflow(phone) == 0
            assert await violations(phone, schemes=("dark",)) == []
            await other.live()
            assert await phone.locator("#left").inner_text() == stands
            await organizer.press("Resume")
            await organizer.sees("The interaction of round 1 is running")
            await phone.goto("/board/log?kind=round-resumed")
            await expect(phone.locator("#events tr")).to_contain_text("the interaction continued")
            await check_log_of_running_talk(phone)

            await until(lambda: all(clients["J1"].keys(at) for at in clients["J1"].places))
            await phone.goto("/board/result")
            await other.live()
            missing = phone.locator("#result-open")
            await expect(missing).to_contain_text("not played to the end")
            await organizer.order(
                "End the interaction…", "a fire drill", sure="Yes: end the interaction"
            )
            await organizer.sees("Round 1 is being scored")
            decided = page.locator("#desks").get_by_text("verdict given")
            await expect(decided).to_have_count(2)
            await organizer.order("Close the scoring…", "all are sure", sure="Yes: close it")

            await expect(missing).not_to_contain_text("round 1")
            assert await overflow(phone) == 0
            await organizer.press("Start round 2")
            await organizer.sees("The interaction of round 2 is running")
            await organizer.order(
                "End the interaction…", "nearly six", sure="Yes: end the interaction"
            )
            await expect(decided).to_have_count(2)
            await organizer.order("Close the scoring…", "all are sure", sure="Yes: close it")
            await organizer.press("Start the ranking")
            # The ranking closes automatically one minute after the last ballot, which is half a
            # second at this speed: too short to press a button reliably.
            await organizer.sees("The result is provisional until it is declared final")
            await check_result_and_downloads(page)
            await page.goto("/board")
            await organizer.live()
            await phone.locator("#result-score").focus()
            await organizer.press("Show the audience: names…")
            await organizer.press("Show it")
            await expect(page.get_by_role("button", name="Yes: show it")).to_be_focused()
            await page.keyboard.press("Enter")
            await organizer.order(
                "Declare the result final…", "nothing is open", sure="Yes: declare the result final"
            )
            await organizer.sees("The contest is over, and its result is final")
            await expect(phone.locator("h1")).to_contain_text("final")
            await expect(missing).to_have_count(0)
            await expect(phone.locator("#result-score")).to_be_focused()
            await asyncio.gather(*people)
            # The pages remain available until the organizer ends the server.
            await until(lambda: "stay up" in (tmp_path / "serve.log").read_text("utf-8"))
            on.process.send_signal(signal.SIGTERM)
            await on.process.wait()
            await expect(phone.locator("#connection-mark")).to_have_text("✕ not connected")
    said = (tmp_path / "serve.log").read_text(encoding="utf-8")
    assert on.process.returncode == 0, said
    assert "Traceback" not in said
    assert code not in said
    assert verify(place).ok
    view = Contest.load(place)
    assert [(each.number, each.attempt, each.counts) for each in view.attempts] == [
        *((1, 1, True), (2, 1, True))
    ]
    assert [reason for _, _, reason in view.attempts[0].pauses] == [REASON]
    assert {each.end_reason for each in view.attempts} == {"a fire drill", "nearly six"}


async def check_other_pages(page: Page) -> None:
    """All other pages load, are accessible, and fit a phone."""
    await page.goto("/board/log?kind=round-paused")
    await expect(page.locator("table")).to_contain_text(REASON)
    await page.get_by_label("Talk, with its keys").select_option(index=1)
    await page.get_by_label("Kind").select_option("")
    await page.keyboard.press("Tab")
    await page.get_by_role("button", name="Show").press("Enter")
    await expect(page.locator("table")).to_contain_text("pressed")
    wide = page.viewport_size
    for path in ("/log", "/result", "/codes", "/files"):
        await page.goto(f"/board{path}")
        assert await violations(page, schemes=("light",)) == [], path
        await page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
        assert await overflow(page) == 0, path
        if wide is not None:
            await page.set_viewport_size(wide)
    await page.goto("/board/codes")
    await page.get_by_role("button", name="Show the codes").press("Enter")
    await expect(page.locator(".codecard")).to_have_count(4)
    await page.goto("/board")
    await Organizer(page).live()


async def check_log_of_running_talk(page: Page) -> None:
    """The log shows the keys of a running talk, and new ones after a reload."""
    await page.goto("/board/log?talk=1.1.J1.left&kind=key")
    newest = page.locator("#events tr").first
    await expect(newest).to_contain_text("pressed")
    seen = await newest.get_attribute("id")
    while await newest.get_attribute("id") == seen:
        await page.reload()


async def check_result_and_downloads(page: Page) -> None:
    """Result and downloads, once every verdict and ranking is closed."""
    await page.goto("/board/result")
    await expect(page.locator("h1")).to_contain_text("provisional")
    await page.goto("/board/files")
    async with page.expect_download() as coming:
        await page.get_by_role("link", name="wire log", exact=True).first.press("Enter")
    kept = await (await coming.value).path()
    lines = kept.read_text(encoding="utf-8").splitlines()
    assert {line.split()[2] for line in lines if "  entry  " in line or "  judge  " in line} == {
        *("judge", "entry")
    }
    assert all(line.split()[4].endswith(".other") for line in lines if "  entry  " in line)
