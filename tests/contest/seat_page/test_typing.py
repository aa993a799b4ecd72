"""Tests a seat in a browser: the keys that it sends and the text that it shows are the same as a
console's (lpp/conversation.py), for any keys.

All tests of a browser share it.
"""

from __future__ import annotations

import random
from typing import Any

import pytest
from playwright.async_api import CDPSession, Page

from contest.net.web import Access, application, serving
from contest.pages import static_route
from contest.seat_page import sit_route
from lpp.conversation import Author, Conversation
from lpp.lines import Pane
from lpp.names import NAMES, char_of, keys_of
from tests.browser import BROWSERS, Kind, browsing, opened

pytestmark = pytest.mark.timeout(240)

#: The page's typed line, and a list of the keys that it has pressed.
LINE = """async (languages) => {
    const { Line, KeyNames } = await import("/static/seat_page/typing.js");
    const { Conversation } = window.talks;
    Object.defineProperty(navigator, "languages", { value: languages, configurable: true });
    document.getElementById("main").innerHTML = "<textarea id=line></textarea>";
    const names = new KeyNames(JSON.parse(document.getElementById("names").textContent));
    const talk = new Conversation("judge");
    window.pressed = [];
    window.refused = [];
    const line = new Line(document.getElementById("line"), names, {
        press(key) {
            window.pressed.push(key);
            talk.type("judge", names.char(key));
            line.draw(talk.draft.join(""));
        },
        unsendable: (char) => window.refused.push(char),
        paste: (text, how) => window.refused.push(how, text),
        command: (name) => window.refused.push(name),
    });
    document.getElementById("line").focus();
}"""


async def new_line(page: Page, languages: tuple[str, ...] = ("en",)) -> None:
    await page.goto("/sit")
    await page.evaluate(LINE, list(languages))


async def pressed(page: Page, name: str = "pressed") -> list[str]:
    """The keys that were pressed or refused so far."""
    found: list[str] = await page.evaluate(f"window.{name}.splice(0)")
    return found


async def compose(cdp: CDPSession, *texts: str, end: str = "") -> None:
    """Simulates an input method that shows texts one after another, and ends with the last one."""
    for text in texts:
        place = {"selectionStart": len(text), "selectionEnd": len(text)}
        await cdp.send("Input.imeSetComposition", {"text": text, **place})
    await cdp.send("Input.insertText", {"text": end or texts[-1]})


async def keyboards(page: Page) -> None:
    """Real keys: the appendix's names, other scripts, keys that mean nothing, and commands."""
    await new_line(page)
    for char in NAMES.values():
        special = {"\b": "Backspace", "\n": "Enter", "\t": "Tab"}
        await page.keyboard.press(special.get(char, char if char != " " else "Space"))
    assert await pressed(page) == list(NAMES)
    await page.keyboard.type("Straße ¿né? Жя")
    assert await pressed(page) == keys_of("Straße ¿né? Жя")
    for keys in ("Shift", "ArrowLeft", "Delete", "Control+z", "Control+Backspace", "F5", "Home"):
        if keys != "F5":
            await page.keyboard.press(keys)
    assert await pressed(page) == []
    # The caret stays at the end.
    await page.keyboard.type("x")
    assert (await page.input_value("#line")).endswith("x")
    await pressed(page)
    for keys, command in (("F6", "switch"), ("Shift+F6", "read"), ("Escape", "leave")):
        await page.keyboard.press(keys)
        assert await pressed(page, "refused") == [command]
    # A held key repeats, except Return.
    for key, count in (("a", 3), ("Backspace", 3), ("Enter", 1), ("Tab", 1)):
        for _ in range(3):
            await page.keyboard.down(key)
        await page.keyboard.up(key)
        assert len(await pressed(page)) == count


async def pastes(page: Page) -> None:
    await new_line(page)
    await page.evaluate(
        """() => {
            const data = new DataTransfer();
            data.setData("text/plain", "from elsewhere");
            const said = { inputType: "insertFromPaste", dataTransfer: data };
            const line = document.getElementById("line");
            line.dispatchEvent(new InputEvent("beforeinput", { ...said, cancelable: true }));
        }"""
    )
    assert await pressed(page) == []
    assert await pressed(page, "refused") == ["paste", "from elsewhere"]
    await page.keyboard.insert_text("a\u200db\u202e")
    assert await pressed(page) == ["a", "b"]


async def phones(page: Page, cdp: CDPSession) -> None:
    """Phones compose each word: letters are sent at once, corrections as BackSpaces."""
    await new_line(page)
    await compose(cdp, "H", "He", "Hel", "Helo", "Hello")
    assert Pane(keys := await pressed(page)).text == "Hello"
    assert keys[:4] == ["H", "e", "l", "o"]
    await page.keyboard.type(" ")
    await compose(cdp, "w", "wr", end="world")
    assert Pane(["H", "e", "l", "l", "o", *await pressed(page)]).text == "Hello world"
    assert await page.input_value("#line") == "Hello world"


async def input_methods(page: Page, cdp: CDPSession) -> None:
    """Chinese, Japanese and Korean text is sent only after its composition has ended."""
    await new_line(page)
    await compose(cdp, "に", "にほ", "にほん", end="日本")
    assert await pressed(page) == ["日", "本"]
    await new_line(page, ("zh-CN",))
    await compose(cdp, "n", "ni", "ni h", "ni hao", end="你好")
    assert await pressed(page) == ["你", "好"]
    # A dead key shows its accent before the letter.
    await new_line(page)
    await page.evaluate(
        """() => document.getElementById("line").dispatchEvent(
            new KeyboardEvent("keydown", { key: "Dead" }))"""
    )
    await compose(cdp, "´", end="é")
    assert await pressed(page) == ["é"]


Row = list[Any]


def rows_of(talk: Conversation) -> list[Row]:
    return [
        [block.author, block.text, block.ended, block.continues, block.settled]
        for block in talk.blocks
    ]


async def screens(page: Page) -> None:
    """A seat's screen has the same blocks and draft as `Conversation`, for any keys."""
    random_ = random.Random(2010)
    words = ["a", "b", " ", "é", "\u0301", ".", "!", '"', "👍", "x" * 399, "y " * 201, "\t"]
    cases, wanted = [], []
    for _ in range(120):
        own: Author | None = random_.choice(["judge", "entity", None])
        typed = [
            (
                random_.choice(["judge", "entity"]),
                random_.choice(words) if random_.random() < 0.6 else random_.choice("\n\b"),
            )
            for _ in range(random_.randrange(60))
        ]
        talk = Conversation(own)
        for author, text in typed:
            for char in text:
                key = next((name for name in NAMES if char_of(name) == char), char)
                talk.press(author, key)  # type: ignore[arg-type]
        cases.append([own, typed])
        wanted.append([talk.draft, rows_of(talk)])
    shown = await page.evaluate(
        """(cases) => cases.map(([own, typed]) => {
            const talk = new window.talks.Conversation(own);
            for (const [author, text] of typed) talk.type(author, text);
            const rows = talk.blocks.map((each) =>
                [each.author, each.chars.join(""), each.ended, each.continues, each.settled]);
            return [talk.draft.join(""), rows];
        })""",
        cases,
    )
    for case, one, other in zip(cases, shown, wanted, strict=True):
        assert one == other, case


@pytest.mark.parametrize("kind", BROWSERS)
async def test_keys_and_screens(kind: Kind) -> None:
    access = Access()
    app = application([static_route(), sit_route()], access)
    async with (
        serving(app, "127.0.0.1", 0, None, access) as address,
        browsing(kind) as browser,
        opened(browser, f"http://{address}") as page,
    ):
        await keyboards(page)
        await pastes(page)
        await screens(page)
        if kind == "chromium":  # only its protocol can compose
            cdp = await page.context.new_cdp_session(page)
            await phones(page, cdp)
            await input_methods(page, cdp)
