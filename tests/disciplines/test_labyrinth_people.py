"""People at the seats of a Labyrinth game: compared with scripts, and a whole game in Chromium."""

from __future__ import annotations

import contextlib
import json
import signal
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from msgspec import structs
from playwright.async_api import Browser, expect
from playwright.async_api import Page as Tab

from contest.errors import BadSettings
from disciplines import room
from disciplines.labyrinth.functions import FUNCTIONS
from disciplines.labyrinth.gameplay import read_gameplay
from disciplines.labyrinth.manager import parse_call
from disciplines.labyrinth.playing import THE_END, play
from disciplines.room import Called, PersonSeat, Room, Said, Shown
from disciplines.verify import verify
from loebner.cli import main
from tests.browser import needs_chromium, violations
from tests.browser import opened as opened_tab
from tests.disciplines.labyrinth_games import SCENE
from tests.disciplines.test_labyrinth_game import BOB, TEXTS, contest_in
from tests.disciplines.test_room import Page
from tests.disciplines.test_room_browser import started

KING, PLAYER = 'person = "King"', 'person = "P2"'
SAYS = {"King": TEXTS, "P2": ["I hide.", "I am at home."]}


def types(texts: list[str]) -> Callable[[Shown], Said | Called]:
    """A page that sends these texts in order, and calls functions with their forms."""
    left = iter(texts)

    def answer(shown: Shown) -> Said | Called:
        text = next(left)
        call = parse_call(text)
        if call is None:
            return Said(shown.turn, text)
        return Called(shown.turn, call.name, call.arguments)

    return answer


def played_by(people: Sequence[str], folder: Path) -> dict[str, Page]:
    """Plays the contest of a folder, and returns the people's pages."""
    seats = {name: PersonSeat(lambda act: act()) for name in people}
    pages = {name: Page(seats[name], types(SAYS[name])) for name in people}
    (found,) = play(folder, rooms=lambda *_: contextlib.nullcontext(Room(seats)))
    assert found["result"] == "success"
    return pages


@pytest.mark.parametrize("people", [("King",), ("P2",), ("King", "P2")])
def test_the_game_is_the_same_with_a_person_or_a_script(
    tmp_path: Path, people: tuple[str, ...]
) -> None:
    script = f"script = {json.dumps(TEXTS)}"
    folder = contest_in(
        tmp_path / "people",
        KING if "King" in people else script,
        PLAYER if "P2" in people else BOB,
    )
    pages = played_by(people, folder)
    play(contest_in(tmp_path / "scripts"))
    assert (folder / "live.json").read_bytes() == (tmp_path / "scripts" / "live.json").read_bytes()
    assert verify(folder).ok
    for name, page in pages.items():
        last = page.frames[-1]
        assert last.messages[-1] == (THE_END, f"success. {SCENE['success_condition']}")
        panels = {label: "\n".join(lines) for label, lines in last.panels}
        assert "rope" in panels["Bob"]
        # Only the manager sees the secrets of the scene and the other players' states.
        texts = repr(page.frames)
        assert (SCENE["consequences"] in texts) == (name == "King")
        assert ("Ann Lee" in panels) == (name == "King")
    # A game that is over needs nobody.
    play(folder, rooms=lambda *_: pytest.fail("nobody has to come"))


def test_a_page_doesnt_reveal_which_seats_are_programs(tmp_path: Path) -> None:
    script = f"script = {json.dumps(TEXTS)}"
    alone = played_by(["P2"], contest_in(tmp_path / "alone", script, PLAYER))
    beside = played_by(["King", "P2"], contest_in(tmp_path / "beside", KING, PLAYER))
    frames = [
        [structs.replace(each, remaining_ms=None) for each in pages["P2"].frames]
        for pages in (alone, beside)
    ]
    assert frames[0] == frames[1]


@pytest.mark.parametrize(
    ("manager", "bob"),
    [
        (KING, PLAYER.replace("P2", "king")),
        (KING, KING),
        (KING, 'person = "../x"'),
        (KING, 'person = "server"'),
        (KING, f"{PLAYER}\n{BOB}"),
        (f'{KING}\nendpoint = "http://127.0.0.1/v1"', BOB),
    ],
)
def test_unusable_names_of_people_are_refused(tmp_path: Path, manager: str, bob: str) -> None:
    assert main(["labyrinth", "play", str(contest_in(tmp_path, manager, bob))]) == 2


def test_without_a_room_people_cant_play(tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match="person"):
        play(contest_in(tmp_path, KING, BOB))


# In a browser


async def says(tab: Tab, text: str) -> None:
    """Types a message in the tab's turn."""
    await expect(tab.locator("#text")).to_be_focused()
    await tab.keyboard.type(text)
    await tab.keyboard.press("Enter")


async def chooses(tab: Tab, answer: str) -> None:
    """Chooses an answer by keyboard."""
    button = tab.get_by_role("button", name=answer, exact=True)
    await button.focus()
    await tab.keyboard.press("Enter")


@needs_chromium
@pytest.mark.asyncio(loop_scope="session")
async def test_people_play_in_a_browser_and_the_game_is_killed(
    chromium: Browser, tmp_path: Path
) -> None:
    folder = contest_in(tmp_path, KING, PLAYER)
    words = ("labyrinth", "play", str(folder))
    async with contextlib.AsyncExitStack() as commands:
        process, links = await commands.enter_async_context(started(words, 0, ["King", "P2"]))
        server = links["King"].partition(room.PATH)[0]
        paths = {name: link.removeprefix(server) for name, link in links.items()}
        async with (
            opened_tab(chromium, server, complaints=("WebSocket",)) as king,
            opened_tab(chromium, server, complaints=("WebSocket",)) as bob,
        ):
            await king.goto(paths["King"])
            # The game waits for everybody.
            await expect(king.locator("#turn")).to_have_text("Wait for the others.")
            await bob.goto(paths["P2"])
            await expect(bob.locator("#turn")).to_have_text("Wait for Goblin King.")
            await expect(bob.locator("#title")).to_contain_text("you are Bob")
            await expect(king.locator("#function option")).to_have_count(len(FUNCTIONS))
            assert await violations(king) == []
            await says(king, "Welcome <b>all</b>.")
            await says(bob, "I hide.")
            await expect(king.locator("#log")).to_contain_text("Ann Lee: I run.")
            # A test of Bob, with the function's form.
            await expect(king.locator("#text")).to_be_focused()
            await king.select_option("#function", "activate_test")
            await king.select_option("#field-player_name", "Bob")
            await king.fill("#field-initial_difficulty", "4")
            await king.fill("#field-final_difficulty", "4")
            await king.keyboard.press("Enter")
            await chooses(king, "neither")
            await expect(king.locator("#log")).to_contain_text("Result: Bob rolls")
            await expect(king.locator("#text")).to_be_visible()
            await king.locator("#text").fill("You t")
            process.send_signal(signal.SIGKILL)
            await process.wait()
            await expect(king.locator("#link")).to_be_visible()
            port = int(server.rpartition(":")[2])
            recomputed = started(words, port, ["King", "P2"])
            process, same = await commands.enter_async_context(recomputed)
            assert same == links
            await expect(king.locator("#link")).to_be_hidden()
            await expect(king.locator("#text")).to_have_value("You t")
            await king.locator("#text").press("End")
            await king.keyboard.type("ry.")
            await king.keyboard.press("Enter")
            await expect(bob.locator("#log")).to_contain_text("You try.")
            await chooses(king, "no")
            await says(bob, "I am at home.")
            await expect(king.locator("#log")).to_contain_text("I am at home.")
            await expect(king.locator("#turn")).to_have_text("It is your turn.")
            await king.locator("#text").fill("You are home.")
            await king.locator("#text").press("Enter")
            await chooses(king, "success")
            for tab in (king, bob):
                await expect(tab.locator("#turn")).to_contain_text("over")
                await expect(tab.locator("#log p").last).to_contain_text("The end: success.")
                assert await violations(tab) == []
        await process.communicate()
        assert process.returncode == 0
    assert verify(folder).ok
    targets = [each.generated.content for each in read_gameplay(folder / "live.json").targets]
    assert targets == ["Welcome <b>all</b>.", "You try.", "You are home."]
