"""People at their seats in Chromium: by keyboard alone, through reloads, cuts and a killed run."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from concurrent.futures import Future
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from contest.errors import EnvironmentProblem
from disciplines import room
from disciplines.ige.games import read_games
from disciplines.ige.interaction import FIRST
from disciplines.room import Call, Turn, View
from tests.browser import PHONE, needs_chromium, overflow, violations
from tests.browser import opened as opened_page
from tests.disciplines.test_ige_contest import SETTINGS, contest
from tests.disciplines.test_ige_judge import confines

pytestmark = [needs_chromium, pytest.mark.asyncio(loop_scope="session")]

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "roll_dice",
            "description": "Rolls dice.",
            "parameters": {
                "type": "object",
                "properties": {
                    "player_name": {"type": "string", "enum": ["Ann", "Bob <b>"]},
                    "difficulty": {"type": "integer", "description": "From 2 to 6."},
                    "secret": {"type": "boolean"},
                    "why": {"type": "string"},
                },
                "required": ["player_name", "difficulty"],
            },
        },
    },
    {"type": "function", "function": {"name": "begin_scene", "description": "Begins."}},
]
MESSAGES = [("Bob", "Is <b>this</b> a\ngame?"), ("Ann", "<script>alert(1)</script>")]
VIEW = View(
    "A game & more",
    MESSAGES,
    [("Scene", ["A <i>hall</i>", "    a door"]), ("You", ["hungry"]), ("Rules", ["none"])],
    TOOLS,
    "Bob",
)


class Server:
    """A room with one seat, that is stopped in the middle and starts again at the same address.

    Attributes:
        url: the server's address.
        path: the path of the seat's link.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._port = folder, 0
        self._stack = contextlib.ExitStack()
        self.start()

    def start(self) -> None:
        """Starts it."""
        links: list[str] = []
        opening = room.opened(self._folder, "127.0.0.1", self._port, links.append, ["p"])
        self.seat = self._stack.enter_context(opening).seat("p")
        url = links[0].removeprefix("p: ")
        self.path = url[url.index(room.PATH) :]
        self.url = url.removesuffix(self.path)
        self._port = int(self.url.rpartition(":")[2])

    def ask(self, view: View) -> asyncio.Future[Turn | None]:
        """Asks the seat in a thread, which does not outlive a test that fails."""
        answer: Future[Turn | None] = Future()

        def work() -> None:
            try:
                answer.set_result(self.seat.ask(view))
            except EnvironmentProblem as exc:
                answer.set_exception(exc)

        threading.Thread(target=work, daemon=True).start()
        return asyncio.wrap_future(answer)

    def stop(self) -> None:
        """Stops it as an error does."""
        error = RuntimeError("stopped")
        with contextlib.suppress(RuntimeError):
            self._stack.__exit__(RuntimeError, error, None)

    def end(self) -> None:
        """Ends it because the dialogue is over."""
        self._stack.close()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """A server that is stopped after the test."""
    made = Server(tmp_path)
    yield made
    made.stop()


async def tabbed(page: Page, id_: str) -> None:
    """Tabs to an element."""
    for _ in range(40):
        if await page.evaluate("document.activeElement.id") == id_:
            return
        await page.keyboard.press("Tab")
    raise AssertionError(f"no tab leads to {id_}")


async def test_a_seat_by_keyboard_alone_through_reloads_and_cuts(
    chromium: Browser, server: Server
) -> None:
    async with opened_page(chromium, server.url, complaints=("WebSocket",)) as page:
        turn, text, lines = page.locator("#turn"), page.locator("#text"), page.locator("#log p")
        server.seat.show(VIEW)
        await page.goto(server.path)
        await expect(turn).to_have_text("Wait for Bob.")
        await expect(text).to_be_hidden()
        await expect(lines).to_have_text(
            ["Bob: Is <b>this</b> a\ngame?", "Ann: <script>alert(1)</script>"]
        )
        await expect(page.locator("summary")).to_have_text(["Scene", "You", "Rules"])
        assert await violations(page) == []
        # What was typed survives a reload.
        asked = server.ask(VIEW)
        await expect(text).to_be_focused()
        assert await violations(page) == []
        await page.keyboard.type("half a tho")
        await page.reload()
        await expect(text).to_have_value("half a tho")
        await expect(text).to_be_focused()
        await page.keyboard.press("Control+End")
        await page.keyboard.type("ught")
        await page.keyboard.press("Enter")
        assert await asked == "half a thought"
        # Until the game continues, nothing is sent again, not even by a page that is opened again.
        await expect(turn).to_have_text("Sending …")
        await page.reload()
        await expect(turn).to_have_text("Sending …")
        view = VIEW._replace(messages=[*MESSAGES, ("You", "half a thought")])
        server.seat.show(view)
        await expect(turn).to_have_text("Wait for Bob.")
        await expect(lines).to_have_count(3)
        # A function, chosen and filled in without a mouse.
        asked = server.ask(view)
        await expect(text).to_be_focused()
        await expect(text).to_have_value("")
        await tabbed(page, "function")
        await page.keyboard.press("r")
        await tabbed(page, "field-player_name")
        await page.keyboard.press("B")
        await tabbed(page, "field-difficulty")
        await page.keyboard.type("4")
        await tabbed(page, "field-secret")
        await page.keyboard.press("Space")
        await page.keyboard.press("Enter")
        assert await asked == Call(
            "roll_dice", {"player_name": "Bob <b>", "difficulty": 4, "secret": True}
        )
        # What is too long is not taken, and stays.
        server.seat.show(view)
        asked = server.ask(view)
        await page.select_option("#field-player_name", "Ann")
        await page.fill("#field-difficulty", "4")
        await page.fill("#field-why", "x" * 70_000)
        await page.press("#field-why", "Enter")
        await expect(page.locator("#trouble")).to_contain_text("too long")
        await expect(page.locator("#link")).to_be_hidden()
        await expect(turn).to_have_text("It is your turn.")
        await page.fill("#field-why", "for fun")
        await page.press("#field-why", "Enter")
        answer = await asked
        assert isinstance(answer, Call)
        assert answer.arguments["why"] == "for fun"
        # A question with a few answers.
        asked = server.ask(view._replace(choices=["yes", "no"], functions=()))
        await expect(page.locator("#h-choose")).to_be_focused()
        await expect(text).to_be_hidden()
        assert await violations(page) == []
        await page.keyboard.press("Tab")
        await page.keyboard.press("Tab")
        await page.keyboard.press("Enter")
        assert await asked == "no"
        server.seat.show(view)
        await expect(turn).to_have_text("Wait for Bob.")
        # The server is stopped while the person writes; their message is sent later.
        view = view._replace(messages=[*view.messages, ("Bob", "And?")])
        asked = server.ask(view)
        await expect(turn).to_have_text("It is your turn.")
        await tabbed(page, "text")
        await page.keyboard.type("one")
        server.stop()
        with pytest.raises(EnvironmentProblem):
            await asked
        await expect(page.locator("#link")).to_be_visible()
        await page.keyboard.type(" & two")
        await page.keyboard.press("Enter")
        await expect(turn).to_contain_text("Not connected")
        server.start()
        assert await server.ask(view) == "one & two"
        # It is stopped again before the page knows that its message was taken.
        server.stop()
        await expect(page.locator("#link")).to_be_visible()
        server.start()
        view = view._replace(messages=[*view.messages, ("You", "one & two")])
        asked = server.ask(view)
        await expect(turn).to_have_text("It is your turn.")
        await expect(text).to_have_value("")
        assert not asked.done()
        server.end()
        with pytest.raises(EnvironmentProblem):
            await asked
        await expect(turn).to_contain_text("over")


async def test_a_seat_on_a_phone_in_high_contrast_and_at_200_percent(
    chromium: Browser, server: Server
) -> None:
    asked = server.ask(VIEW)
    # At 200 %, a desktop's window is only half as wide.
    for width, height in (PHONE, (640, 450)):
        async with opened_page(chromium, server.url, size=(width, height)) as page:
            await page.emulate_media(contrast="more")
            await page.goto(server.path)
            await expect(page.locator("#text")).to_be_visible()
            assert await overflow(page) == 0
            assert await violations(page) == []
    server.stop()
    with pytest.raises(EnvironmentProblem):
        await asked


async def test_a_turn_that_ends_while_a_page_is_away_is_not_lost(
    chromium: Browser, server: Server
) -> None:
    """The text stays, and the page says that it may have come too late."""
    async with opened_page(chromium, server.url, complaints=("WebSocket",)) as page:
        asked = server.ask(VIEW)
        await page.goto(server.path)
        await expect(page.locator("#text")).to_be_focused()
        await page.keyboard.type("too late")
        server.stop()
        with pytest.raises(EnvironmentProblem):
            await asked
        await expect(page.locator("#link")).to_be_visible()
        await page.keyboard.press("Enter")
        server.start()
        asked = server.ask(VIEW._replace(messages=[("Bob", "Something else")]))
        await expect(page.locator("#trouble")).to_contain_text("too late")
        await expect(page.locator("#text")).to_have_value("too late")
        assert not asked.done()
        server.end()
        with pytest.raises(EnvironmentProblem):
            await asked


# The whole command


@asynccontextmanager
async def started(
    words: Sequence[str], port: int, people: Sequence[str]
) -> AsyncIterator[tuple[asyncio.subprocess.Process, dict[str, str]]]:
    """A command of loebner that serves people's pages, and the link that it prints for each. It is
    killed when the context ends."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "loebner", *words, "--port", str(port)),
        stderr=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.DEVNULL,
    )
    assert process.stderr is not None
    links: dict[str, str] = {}
    try:
        while len(links) < len(people) and (line := (await process.stderr.readline()).decode()):
            name, _, link = line.strip().partition(": ")
            if name in people:
                links[name] = link
        assert len(links) == len(people)
        yield process, links
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.communicate()


@pytest.mark.skipif(not confines(), reason="no sandbox on this machine")
async def test_the_user_of_a_contest_sits_in_a_browser_and_the_run_is_killed(
    chromium: Browser, tmp_path: Path
) -> None:
    settings = SETTINGS.partition("[rating]")[0] + '[user]\nwho = "person"\n'
    folder = contest(tmp_path / "contest", settings)
    for name in ("good", "bad"):
        (folder / "answers" / f"{name}_0_3.txt").write_text("<script>script['Flow'] = 1</script>")
        for number in (1, 2):
            text = f"<script>script['Flow{number}'] = 1</script><utter>More {number}?</utter>"
            (folder / "answers" / f"{name}_0_{number}.txt").write_text(text)
    words = ("ige", "run", str(folder))
    async with contextlib.AsyncExitStack() as commands:
        process, links = await commands.enter_async_context(started(words, 0, ["user"]))
        server, _, path = links["user"].partition(room.PATH)
        async with opened_page(chromium, server, complaints=("WebSocket",)) as page:
            turn, lines = page.locator("#turn"), page.locator("#log p")
            await page.goto(room.PATH + path)
            await expect(page.locator("#title")).to_contain_text("dialogue 1 of 2")
            await expect(lines).to_have_text([f"You: {FIRST}", "Developer: More 1?"])
            await expect(page.locator("summary").first).to_have_text("The game that you want")
            await expect(page.locator("#panels")).to_contain_text("Flow1: 1")
            await expect(page.locator("#text")).to_be_focused()
            await page.keyboard.type("first")
            await page.keyboard.press("Enter")
            await expect(lines).to_have_count(4)
            await expect(page.locator("#text")).to_be_focused()
            await page.keyboard.type("second")
            process.send_signal(signal.SIGKILL)
            await process.wait()
            await expect(page.locator("#link")).to_be_visible()
            port = int(server.rpartition(":")[2])
            recomputed = started(words, port, ["user"])
            process, same = await commands.enter_async_context(recomputed)
            assert same == links
            await expect(page.locator("#link")).to_be_hidden()
            await expect(lines).to_have_count(4)
            await expect(page.locator("#text")).to_have_value("second")
            await page.keyboard.press("Enter")
            await expect(page.locator("#title")).to_contain_text("dialogue 2 of 2")
            assert await violations(page) == []
            for number, text in enumerate(("third", "fourth")):
                await expect(lines).to_have_count(2 * number + 2)
                await expect(page.locator("#text")).to_be_focused()
                await page.keyboard.type(text)
                await page.keyboard.press("Enter")
            await expect(turn).to_contain_text("over")
        await process.communicate()
        assert process.returncode == 0
    told = []
    for name in ("good", "bad"):
        (game,) = read_games(folder / "result" / f"dialogues-{name}.jsonl")
        told.append([each.content for each in game.history if each.role == "user"])
    assert sorted(told) == [[FIRST, "first", "second"], [FIRST, "third", "fourth"]]
