"""A contest in browsers: a judge and a confederate at `/sit`, using only the keyboard, with a real
server and a real entry; the record is compared with both screens key by key."""

from __future__ import annotations

import json
import os
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from contest.net import addresses
from contest.record import reading
from contest.setup import folder
from loebner.cli import main
from lpp.lines import Pane
from lpp.names import NAMES
from tests.browser import BROWSERS, Kind, browsing, opened, overflow, violations
from tests.end_to_end.test_serve import RunningServer, seats_of, serving, until

SETTINGS = """\
[contest]
name = "Browsers"
[rules]
rounds = 1
interaction_minutes = 600
scoring_minutes = 600
ranking_minutes = 600
[seats]
browser = "all"
[[judge]]
id = "J1"
name = "Harriet"
[[entry]]
id = "E1"
name = "Therapist"
command = "loebner bot therapist --speed 120 --dir {dir}"
[[confederate]]
id = "C1"
name = "Ben"
"""
#: Each of the appendix's names once, including BackSpace and Return, and letters of other scripts.
SAID = "a{}[]()x ,.<>/\\|\"'\t=_+-!@#$%*^~`&:;?é¿ßЖ"
#: Simulates pasting a text.
PASTE = """() => {
    const data = new DataTransfer();
    data.setData("text/plain", "from elsewhere");
    const paste = { inputType: "insertFromPaste", dataTransfer: data, cancelable: true };
    document.activeElement.dispatchEvent(new InputEvent("beforeinput", paste));
}"""


def keys_of(place: Path) -> dict[tuple[str, str], list[str]]:
    """The recorded names of keys that were typed in time, by side and author."""
    keys: dict[tuple[str, str], list[str]] = {}
    for event in reading.open_log(place).events():
        if event.kind == "key" and event.body.get("out_of_phase") is None:
            body = event.body
            keys.setdefault((str(body["side"]), str(body["author"])), []).append(str(body["key"]))
    return keys


async def shot(page: Page, name: str) -> None:
    """Saves a screenshot if a directory for them is set."""
    if folder_ := os.environ.get("SEAT_PICTURES"):
        # For Firefox, Playwright adds a style, which the page's policy blocks: the test then fails.
        await page.screenshot(path=f"{folder_}/{name}.png")


async def sit(page: Page, code: str) -> None:
    """Opens a seat by its link."""
    await page.goto(f"/sit#{code}")
    await expect(page.locator("#view-consent")).to_be_visible()
    assert code not in page.url


async def agree(page: Page) -> None:
    """Answers the question about publication with the keyboard."""
    await page.locator("#publish-yes").focus()
    await page.keyboard.press("Space")
    await page.locator("#save").focus()
    await page.keyboard.press("Enter")
    await expect(page.locator("#view-consent")).to_be_hidden()


async def drafts(page: Page) -> list[str]:
    """The drafts in the lines."""
    return [await area.input_value() for area in await page.locator("textarea:visible").all()]


async def hidden_tab_reports_late(judge: Page, confederate: Page) -> None:
    """Keys that arrive in a hidden tab are reported as shown only once the tab is visible."""
    hide = "Object.defineProperty(document, 'visibilityState', {value: '%s', configurable: true})"
    await judge.evaluate(hide % "hidden")
    async with judge.expect_event("console") as said:
        await judge.evaluate(
            """() => {
                const send = WebSocket.prototype.send;
                WebSocket.prototype.send = function (text) {
                    if (text.includes('"shown"')) console.log(document.visibilityState);
                    send.call(this, text);
                };
            }"""
        )
        await confederate.keyboard.type("!")
        await expect(judge.locator(".line.entity", has_text="It is I!")).to_be_visible()
        await judge.evaluate("() => new Promise((drawn) => setTimeout(drawn, 100))")
        await judge.evaluate(hide % "visible")
        await judge.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    assert (await said.value).text == "visible"


async def second_tab_takes_over(browser: Browser, server: str, judge: Page, code: str) -> None:
    """A second tab is asked whether to take over the seat, and the first one can take it back."""
    async with opened(browser, server) as other:
        await other.goto(f"/sit#{code}")
        await other.locator("#code-over").click()
        await expect(other.locator(".side.here textarea")).to_be_focused()
        await expect(judge.locator("#code-trouble")).to_contain_text("taken over")
        await judge.locator("#code-over").click()
        await expect(judge.locator(".side.here textarea")).to_be_focused()
        await expect(other.locator("#code-trouble")).to_contain_text("taken over")


async def hold(browser: Browser, another: Browser, on: RunningServer, server: str) -> None:
    codes = seats_of(on.folder)
    # The browser logs connections that fail without a network.
    offline = ("ERR_INTERNET_DISCONNECTED", "can’t establish a connection")
    async with (
        opened(browser, server, complaints=offline) as judge,
        opened(another, server) as confederate,
    ):
        await sit(judge, codes["J1"])
        await shot(judge, "consent")
        assert await violations(judge) == []
        await agree(judge)
        await confederate.goto(f"/sit#{codes['C1']}")
        await confederate.locator(
            "#keyboard"
        ).focus()  # a confederate must confirm the hardware keyboard
        await confederate.keyboard.press("Space")
        await confederate.locator("#code").focus()
        await confederate.keyboard.press("Enter")
        await expect(confederate.locator("#view-consent")).to_be_visible()
        await agree(confederate)
        await on.order("start")
        await expect(judge.locator(".side.here textarea")).to_be_focused()
        await expect(confederate.locator(".side.here textarea")).to_be_focused()
        # A confederate's key before the judge's first one doesn't count.
        await confederate.keyboard.type("early")
        assert await drafts(confederate) == [""]
        for _ in range(2):  # on both sides, because one is the confederate's
            before, after = SAID.split("\t")
            await judge.keyboard.type(before)
            await judge.keyboard.press("Tab")
            await judge.keyboard.type(after)
            await judge.keyboard.press("Backspace")
            await judge.keyboard.press("Enter")
            await judge.keyboard.press("F6")
        partner = confederate.locator(".line.judge span").first
        await expect(partner).to_have_text(SAID[:-1])
        await confederate.keyboard.type("It is")
        # After a reload, the page doesn't ask for the code or the keyboard again.
        confederate.once("dialog", lambda dialog: dialog.accept())
        await confederate.reload()
        await expect(confederate.locator(".side.here textarea")).to_have_value("It is")
        await confederate.keyboard.type(" I")
        await shot(judge, "talk")
        await expect(judge.locator(".line.entity", has_text="It is I")).to_be_visible()
        assert await violations(judge) == []
        await judge.set_viewport_size({"width": 360, "height": 740})
        assert await overflow(judge) == 0
        await shot(judge, "talk-phone")
        for place in ("right", "left"):  # one side at a time
            await judge.locator(f'#tabs [data-place="{place}"]').click()
            await expect(judge.locator(f"#side-{place} textarea")).to_be_focused()
        await judge.set_viewport_size({"width": 1280, "height": 900})
        await judge.evaluate(PASTE)
        await expect(judge.locator("#news")).to_contain_text("Pasting is not allowed")
        await hidden_tab_reports_late(judge, confederate)
        await second_tab_takes_over(another, server, judge, codes["J1"])
        # In the middle of a line: the judge's tab is closed, and opened again by the link.
        await judge.keyboard.press("F6")
        await expect(judge.locator("#side-right.here textarea")).to_be_focused()
        await judge.keyboard.type("Half")
        context = judge.context
        await judge.close()
        judge = await context.new_page()
        await judge.goto(f"/sit#{codes['J1']}")
        await expect(judge.locator("#side-right.here textarea")).to_have_value("Half")
        # Loaded again.
        await judge.keyboard.type(" a li")
        judge.once("dialog", lambda dialog: dialog.accept())
        await judge.reload()
        await expect(judge.locator(".side.here textarea")).to_have_value("Half a li")
        # Then the network is interrupted.
        await judge.context.set_offline(True)
        await expect(judge.locator("#link")).to_be_visible()
        await judge.keyboard.type("ne")
        await judge.context.set_offline(False)
        await expect(judge.locator("#link")).to_be_hidden()
        await judge.keyboard.press("Enter")

        def in_the_record() -> bool:
            return any(Pane(k).text.endswith("Half a line\n") for k in keys_of(on.folder).values())

        await until(in_the_record)
        await on.order("end", "enough was said")
        # Keys typed after the end choose and save nothing.
        await judge.keyboard.press("Space")
        await judge.keyboard.press("Enter")
        await judge.keyboard.press("Enter")
        await expect(judge.locator("#view-verdict")).to_be_visible()
        await expect(judge.locator("#news")).to_be_hidden()
        assert await judge.locator("#human-left").is_checked() is False
        assert await violations(judge) == []
        await judge.keyboard.press("Enter")
        await judge.locator("#human-right").focus()
        await judge.keyboard.press("Space")
        await shot(judge, "verdict")
        await judge.locator("#save").focus()
        await judge.keyboard.press("Enter")
        # A correction begins at the saved choice. The button appears once the verdict is saved.
        await expect(judge.locator("#correct")).to_be_visible()
        await judge.locator("#correct").focus()
        await judge.keyboard.press("Enter")
        await expect(judge.locator("#human-right")).to_be_focused()
        await judge.locator("#keep").focus()
        await judge.keyboard.press("Enter")
        await expect(judge.locator("#correct")).to_be_visible()
        await on.order("close", "all are sure")
        await on.order("start")
        await expect(judge.locator("#view-ranking")).to_be_visible()
        await expect(judge.locator("#news")).to_be_hidden()
        assert await violations(judge) == []
        last = judge.locator("#order li").nth(1).get_by_role("button").first
        await last.focus()
        await judge.keyboard.press("Enter")
        await shot(judge, "ranking")
        await judge.locator("#save").focus()
        await judge.keyboard.press("Enter")
        await expect(judge.locator("#correct")).to_be_visible()
        await on.close_ranking("all have ranked")
        await expect(judge.locator("#sentence")).to_contain_text("Thank you")
        await on.order("final", "nobody objects")


@pytest.mark.timeout(300)
@pytest.mark.parametrize("kind", BROWSERS)
async def test_a_contest_in_browsers(
    kind: Kind, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "contest"
    folder.make(place, SETTINGS)
    async with AsyncExitStack() as stack:
        process = await stack.enter_async_context(serving(place))
        browser = another = await stack.enter_async_context(browsing(kind))
        if kind == "firefox":  # it gives keys only to the window in front
            another = await stack.enter_async_context(browsing(kind))
        on = RunningServer(process, place)
        await hold(browser, another, on, addresses.find_control(place).server)
        await until((place / "results.html").exists)
        process.terminate()
        await process.wait()
    keys = keys_of(place)
    text = SAID[:-1] + "\n"
    for side in ("left", "right"):
        typed = keys[side, "judge"]
        assert Pane(typed).text.startswith(text)
        assert set(NAMES) <= set(typed)
    both = [Pane(keys[side, "judge"]).text for side in ("left", "right")]
    assert sorted(each.removeprefix(text) for each in both) == ["", "Half a line\n"]
    assert "It is I!" in [Pane(keys[side, "entity"]).text for side in ("left", "right")]
    pasted = [e.body for e in reading.open_log(place).events() if e.kind == "text-pasted"]
    assert [(each["seat"], each["how"], each["characters"]) for each in pasted] == [
        ("J1", "paste", len("from elsewhere"))
    ]
    assert main(["verify", str(place)]) == 0
    assert "RED" not in capsys.readouterr().out
    results = json.loads((place / "results.json").read_text(encoding="utf-8"))
    assert results["final"]
