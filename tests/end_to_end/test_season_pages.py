"""The season in a real browser, wide and on a phone, light and dark, by the keyboard: two markers
at their sheets, and an organizer who takes an entry in, corrects it and tests it. One browser.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from contest.net.web import serving
from contest.screening import marking as steps
from contest.screening.compliance import COMPLIES, assess
from contest.screening.pages import marking_site, season_site
from contest.screening.season import Season
from contest.setup import folder
from lpp.conformance.cases import choose
from tests.browser import PHONE, WIDE, browsing, needs_chromium, opened, overflow, violations
from tests.contest.screening.seasons import sat
from tests.contest.screening.test_pages import SCRIPT, five

pytestmark = [needs_chromium, pytest.mark.timeout(180), pytest.mark.soak]

#: Tabs after which a person gives up.
TABS = 90
#: What the browser says of a form that is refused, and of nothing else.
REFUSED = ("status of 4",)


@pytest.fixture
def marked(tmp_path: Path) -> Iterator[Season]:
    """A season to be marked; asked before the test's own loop runs."""
    with sat(tmp_path / "marked") as season:
        steps.begin(season)
        yield season


async def tab_to(page: Page, selector: str) -> None:
    """Goes on by Tab until what is meant has the focus."""
    for _ in range(TABS):
        if await page.evaluate("s => document.activeElement.matches(s)", selector):
            return
        await page.keyboard.press("Tab")
    raise AssertionError(f"{selector} can't be reached by Tab")


async def type_in(page: Page, name: str, text: str) -> None:
    """Goes to a field and types."""
    await tab_to(page, f'[name="{name}"]')
    await page.keyboard.press("Control+A")
    await page.keyboard.type(text)


async def look(page: Page) -> None:
    """A page can be had by everybody, and fits its window: light where it is wide, dark on a phone;
    all kinds of pages are seen on both."""
    assert await overflow(page) == 0
    wide = page.viewport_size == {"width": WIDE[0], "height": WIDE[1]}
    assert await violations(page, schemes=("light",) if wide else ("dark",)) == []


async def log_in(page: Page, code: str) -> None:
    """The organizer's way in."""
    await page.goto("/board")
    await page.locator("#code").fill(code)
    await page.keyboard.press("Enter")
    await page.wait_for_url("**/board")


async def test_the_season_in_a_browser(marked: Season, tmp_path: Path) -> None:
    async with browsing() as browser:
        await marking(browser, marked)
        await board(browser, tmp_path / "contest")


# Marking


async def marking(browser: Browser, season: Season) -> None:
    pages = marking_site(season, ["Ann", "Bob"])
    codes = pages.codes
    async with (
        serving(pages.app(), "127.0.0.1", 0) as address,
        opened(browser, f"http://{address}", complaints=REFUSED) as ann,
        opened(browser, f"http://{address}", size=PHONE, complaints=REFUSED) as bob,
    ):
        await begins(ann, "no code", codes["Ann"])
        await by_keyboard(ann, season)
        await comes_back(ann, codes["Ann"], season)
        await begins(bob, "", codes["Bob"])
        await differs(bob, season)
        # The letters are revealed while Ann has a sheet before her.
        await ann.goto("/board/sheet/1")
        (open_,) = steps.disagreements(season.state)
        assert open_ == ("things-1", "A", {"Ann": Fraction(1), "Bob": Fraction(0)})
        steps.settle(season, "things-1", "A", "0.5", "Cy", "it is near")
        steps.reveal(season)
        await choose_mark(ann, "B", "0")
        await ann.get_by_role("button", name="Save").press("Enter")
        await expect(ann.get_by_role("alert")).to_contain_text("marking is over")
        assert await chosen(ann) == {**dict.fromkeys("ACDE", "1"), "B": "0"}
        await look(ann)
    assert of(season, "Ann", "things-1")["B"] == 1


async def begins(page: Page, wrong: str, code: str) -> None:
    """The way in, by the keyboard."""
    await page.goto("/")
    await expect(page.locator("#code")).to_be_focused()
    await look(page)
    if wrong:
        await page.keyboard.type(wrong)
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("alert")).to_contain_text("not the marker’s code")
        await look(page)
    await expect(page.locator("#code")).to_be_focused()
    await page.keyboard.type(code)
    await page.keyboard.press("Enter")
    await expect(page.locator("h1")).to_have_text("Sheets")
    await look(page)


async def by_keyboard(page: Page, season: Season) -> None:
    """Ann gives every answer the highest mark, with Tab, arrows and Return alone."""
    await tab_to(page, 'a[href="/board/sheet/1"]')
    await page.keyboard.press("Enter")
    await expect(page.locator("h1")).to_have_text("What says meow?")
    # What a program said is text.
    await expect(page.locator(".said").filter(has_text="=HYPERLINK(<b>1</b>)")).to_have_count(1)
    await look(page)
    for number in (1, 2):
        for each in letters(season):
            await tab_to(page, f'[name="{each}"]')
            await page.keyboard.press("Space")
            await page.keyboard.press("ArrowRight")
            await page.keyboard.press("ArrowRight")
        await page.keyboard.press("Enter")
        if number == 1:
            await expect(page.get_by_role("status")).to_have_text("Saved: things-1.")
            await expect(page.locator("h1")).to_have_text("What says woof?")
    await expect(page.locator("h1")).to_have_text("Sheets")
    await expect(page.get_by_text("You have marked all answers")).to_be_visible()
    await look(page)
    for item in ("things-1", "things-2"):
        assert of(season, "Ann", item) == dict.fromkeys(letters(season), 1)


async def comes_back(page: Page, code: str, season: Season) -> None:
    """Ann logs out and in, elsewhere too, and finds what she has marked; nothing of it is lost."""
    await page.goto("/board/sheet/2")
    other = await page.context.new_page()
    await other.goto("/")
    await tab_to(other, ".logout button")
    await other.keyboard.press("Enter")
    await expect(other.locator("#code")).to_be_focused()
    await other.keyboard.type(code)
    await other.keyboard.press("Enter")
    await expect(other.locator("h1")).to_have_text("Sheets")
    await other.goto("/board/sheet/2")
    assert await chosen(other) == dict.fromkeys(letters(season), "1")
    await other.close()
    # The page that was open all the while is an old one; what is chosen there stays chosen.
    await choose_mark(page, "C", "0.5")
    await page.get_by_role("button", name="Save").press("Enter")
    await expect(page.get_by_role("alert")).to_contain_text("from an old page")
    assert (await chosen(page))["C"] == "0.5"
    assert of(season, "Ann", "things-2")["C"] == 1
    # And a marker who is logged out while marking goes on with what was chosen.
    await page.context.clear_cookies()
    await page.get_by_role("button", name="Save").press("Enter")
    await expect(page.get_by_role("alert")).to_contain_text("You are logged out")
    await look(page)
    async with page.expect_popup() as opening:
        await page.get_by_role("link", name="Log in").press("Enter")
    login = await opening.value
    await login.locator("#code").fill(code)
    await login.keyboard.press("Enter")
    await expect(login.locator("h1")).to_have_text("Sheets")
    await login.close()
    await page.get_by_role("button", name="Go on").press("Enter")
    await expect(page.get_by_role("alert")).to_contain_text("from an old page")
    assert (await chosen(page))["C"] == "0.5"
    await page.get_by_role("button", name="Save").press("Enter")
    await expect(page.get_by_role("status")).to_have_text("Saved: things-2.")
    assert of(season, "Ann", "things-2")["C"] == Fraction(1, 2)


async def differs(page: Page, season: Season) -> None:
    """Bob sees nothing of Ann's marks, and gives the same but for one."""
    for number in (1, 2):
        await page.goto(f"/board/sheet/{number}")
        assert await chosen(page) == {}
        if number == 1:
            await look(page)
        for each in letters(season):
            mark = {(1, "A"): "0", (2, "C"): "0.5"}.get((number, each), "1")
            await choose_mark(page, each, mark)
        await page.get_by_role("button", name="Save").press("Enter")
        await expect(page.get_by_role("status")).to_have_text(f"Saved: things-{number}.")
    assert of(season, "Bob", "things-1")["A"] == 0


async def choose_mark(page: Page, each: str, mark: str) -> None:
    await page.locator(f'[name="{each}"][value="{mark}"]').check()


async def chosen(page: Page) -> dict[str, str]:
    """Letter to the mark that is chosen on a sheet."""
    found: dict[str, str] = await page.evaluate(
        "Object.fromEntries([...document.querySelectorAll('input:checked')]"
        ".map(each => [each.name, each.value]))"
    )
    return found


def letters(season: Season) -> list[str]:
    """All letters of an item."""
    return steps.letters(season.state)


def of(season: Season, marker: str, item: str) -> dict[str, Fraction]:
    """Letter to a marker's mark."""
    return {at: given[marker] for (it, at), given in season.state.marks.items() if it == item}


# The board


async def board(browser: Browser, place: Path) -> None:
    with Season(folder.make(place).parent) as season:
        five(season)
        site = season_site(season)
        code = site.codes["organizer"]
        async with (
            serving(site.app(), "127.0.0.1", 0, porter=site.porter) as address,
            opened(browser, f"http://{address}", complaints=REFUSED) as page,
            opened(browser, f"http://{address}", size=PHONE, complaints=REFUSED) as phone,
        ):
            for each, paths in (
                (page, ("", "/E3/test", "/E4/restore")),
                (phone, ("/E2", "/new", "/E5/change")),
            ):
                await log_in(each, code)
                for path in paths:
                    await each.goto(f"/board{path}")
                    await look(each)
            await comes_in(page)
            await is_corrected(phone)
            # As it is without scripts, too.
            async with opened(
                browser, f"http://{address}", scripts=False, complaints=REFUSED
            ) as plain:
                await log_in(plain, code)
                await is_tested(plain)
            await goes_and_comes_back(page)
            await logged_out(page, code)
        state = season.state
    entry = state.entries["E6"]
    assert assess(state, "E6").state == COMPLIES
    form = entry.form
    assert (form.program, form.entrant, form.media) == ("<b>Rosette</b>", "Bruce Wilcox", "DVD")
    assert [version.by for version, _ in entry.versions] == ["Ada", "Bo"]
    assert [step.kind for step in entry.steps] == ["entry-withdrawn", "entry-restored"]
    assert "E7" not in state.entries


async def comes_in(page: Page) -> None:
    """An entry is registered by the keyboard, the date wrong at first."""
    await page.goto("/board")
    await tab_to(page, 'a[href="/board/new"]')
    await page.keyboard.press("Enter")
    await expect(page.locator("h1")).to_have_text("Register an entry that has come in")
    for name, text in (
        *(("program", "<b>Rosette</b>"), ("entrant", "Bruce Wilcox"), ("posted", "12 May")),
        *(("service", "FedEx"), ("proof", "8702"), ("received", "2010-06-12")),
    ):
        await type_in(page, name, text)
    await tab_to(page, '[name="way"]')
    await page.keyboard.press("Space")
    await type_in(page, "media", "floppy disk")
    await type_in(page, "platforms", "Windows XP")
    await type_in(page, "by", "Ada")
    await page.keyboard.press("Enter")
    # The field that is wrong has the focus, and all else stays.
    await expect(page.get_by_role("alert")).to_contain_text("one field has to be looked at")
    await expect(page.locator('[name="posted"]')).to_be_focused()
    await expect(page.locator('[name="posted"]')).to_have_accessible_description(
        "Look at this: '12 May' is not a date; write year-month-day, such as 2010-05-03 date of "
        "posting, 2010-05-03; with the time of day if the proof has one, 2010-05-03 14:05"
    )
    await expect(page.locator('[name="platforms"]')).to_have_value("Windows XP")
    await look(page)
    await type_in(page, "posted", "2010-05-12 09:00")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("status")).to_have_text(
        "E6 is registered; it breaks a rule, quoted below."
    )
    await expect(page.locator("main")).to_contain_text("“All entrants must submit their entries")


async def is_corrected(page: Page) -> None:
    """The medium is set right, on a phone."""
    await page.goto("/board/E6")
    await page.get_by_role("link", name="Correct").press("Enter")
    rule = page.locator("#f-media-rule")
    await expect(rule).to_contain_text("submitted on 'floppy disk', not on CD, DVD or USB flash")
    await type_in(page, "media", "DVD")
    await tab_to(page, 'button[name="check"]')
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("status")).to_contain_text("Nothing is written yet")
    await expect(page.locator("#f-media-held")).to_have_text("In the register: floppy disk")
    await expect(rule).to_have_count(0)
    await look(page)
    await type_in(page, "reason", "it is a DVD")
    await type_in(page, "by", "Bo")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("status")).to_have_text("E6 is corrected.")


async def is_tested(page: Page) -> None:
    """A test, refused at first for the order of receipt."""
    await page.goto("/board/E6/test")
    await expect(page.locator("main")).to_contain_text(
        "E5 was received before E6 and is to be tested first"
    )
    for item in ("programs", "runs", "path", "variable", "browse"):
        await tab_to(page, f'[name="outcome-{item}"]')
        await page.keyboard.press("ArrowRight")
    document = json.dumps(
        {"cases": [{"id": case.id, "outcome": "pass"} for case in choose(())], "passed": True}
    )
    await page.locator('[name="document"]').fill(document)
    await type_in(page, "tested", "2010-06-14")
    await type_in(page, "by", f"Cy {SCRIPT}")
    await page.keyboard.press("Enter")
    why = page.locator('[name="out_of_order"]')
    await expect(why).to_be_focused()
    await page.keyboard.type("his appointment")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("status")).to_have_text("The test is on record: E6 complies.")
    await expect(page.locator("main")).to_contain_text(f"Cy {SCRIPT}")


async def goes_and_comes_back(page: Page) -> None:
    """An entry is withdrawn, and that is taken back."""
    for link, button, said in (
        ("Withdraw", "Withdraw it", "E6 is withdrawn."),
        ("Take the withdrawal back", "Take it back", "E6 is back in the register."),
    ):
        await page.goto("/board/E6")
        await page.get_by_role("link", name=link).press("Enter")
        # The name that was given last stands there.
        await expect(page.locator('[name="by"]')).to_have_value(f"Cy {SCRIPT}")
        await type_in(page, "reason", "at his wish")
        await tab_to(page, "button.main, button.grave")
        assert await page.evaluate("document.activeElement.innerText") == button
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("status")).to_have_text(said)


async def logged_out(page: Page, code: str) -> None:
    """Whoever is logged out while he types is given all of it back, and goes on."""
    await page.goto("/board/new")
    await type_in(page, "program", "Late")
    other = await page.context.new_page()
    await other.goto("/board")
    await other.get_by_role("button", name="Log out").press("Enter")
    await other.wait_for_url("**/board/login")
    await page.keyboard.press("Enter")
    await expect(page.locator("h1")).to_have_text("Nothing is written yet")
    await look(page)
    await expect(page.get_by_role("alert")).to_contain_text("You are logged out")
    await log_in(other, code)
    await other.close()
    await page.get_by_role("button", name="Go on with the form").press("Enter")
    await expect(page.locator('[name="program"]')).to_have_value("Late")
    await expect(page.get_by_role("alert")).to_contain_text("from an old page")
