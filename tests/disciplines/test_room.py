"""A person's seat in a room: turns, pages that come and go, and what is refused."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Origin

from contest.errors import EnvironmentProblem
from disciplines.room import (
    LONGEST,
    PATH,
    SOCKET,
    Call,
    Called,
    PersonSeat,
    Room,
    Said,
    Shown,
    Turn,
    View,
    opened,
)
from lpp import wire

TOOL = {"type": "function", "function": {"name": "roll", "parameters": {"type": "object"}}}
CHOICES = ("yes", "no")
VIEW = View("A room", [("A", "Hello?")], [("Scene", ["a\tline"])], [TOOL], "B")


class Page:
    """A person's page in memory. `answer` returns the answer to a frame, or None."""

    def __init__(self, seat: PersonSeat, answer: Callable[[Shown], Any] = lambda _: None) -> None:
        self.frames: list[Shown] = []
        self.refused: list[wire.Refused] = []
        self.closed = ""
        self.answer = answer
        self._send, self.leave = seat.join(self)
        self.look()

    def send(self, frame: Any) -> None:
        if isinstance(frame, wire.Refused):
            self.refused.append(frame)
        else:
            self.frames.append(frame)
            if hasattr(self, "_send"):
                self.look()

    def look(self) -> None:
        shown = self.frames[-1]
        if shown.turn and shown.took != shown.turn and (frame := self.answer(shown)) is not None:
            self.take(frame)

    def take(self, frame: Said | Called) -> None:
        self._send(frame)

    def close(self, why: str) -> None:
        self.closed = why


def seat() -> PersonSeat:
    """A person's seat without a server."""
    return PersonSeat(lambda act: act())


def says(text: str) -> Callable[[Shown], Said]:
    return lambda shown: Said(shown.turn, text)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (says("Hi <b>\n"), "Hi <b>\n"),
        (lambda shown: Called(shown.turn, "roll", {"n": 1}), Call("roll", {"n": 1})),
        (lambda _: None, None),
    ],
)
def test_a_turn_ends_with_a_message_a_call_or_a_timeout(
    answer: Callable[[Shown], Any], expected: Turn | None
) -> None:
    person = seat()
    page = Page(person, answer)
    assert person.ask(VIEW, 0.01) == expected
    person.show(VIEW)
    last = page.frames[-1]
    assert (last.turn, last.waits_for, last.title) == ("", "B", "A room")
    assert last.panels == [("Scene", ["a\\tline"])]


@pytest.mark.parametrize(
    "answer",
    [
        *(says(""), says(" \n"), says("x" * (LONGEST + 1))),
        lambda shown: Called(shown.turn, "fly", {}),
    ],
)
def test_an_invalid_answer_leaves_the_turn_open(
    answer: Callable[[Shown], Any],
) -> None:
    person, tries = seat(), iter([answer, says("fine")])
    page = Page(person, lambda shown: next(tries)(shown))
    assert person.ask(VIEW, 30) == "fine"
    assert [each.answers for each in page.refused] == [page.frames[-1].turn]


def test_a_message_that_is_not_among_the_choices_is_refused() -> None:
    person, tries = seat(), iter([says("perhaps"), says("no")])
    page = Page(person, lambda shown: next(tries)(shown))
    assert person.ask(VIEW._replace(choices=CHOICES), 30) == "no"
    assert page.frames[-1].choices == [*CHOICES]
    assert len(page.refused) == 1


@given(st.lists(st.tuples(st.integers(0, 3), st.booleans()), max_size=8))
def test_an_answer_sent_repeatedly_or_late_is_taken_once(
    repeat_from: list[tuple[int, bool]],
) -> None:
    person = seat()
    sent: list[Said] = []

    def answer(shown: Shown) -> Said | None:
        if shown.turn in [each.turn for each in sent]:
            return None
        # A page that has lost its connection sends turns again, before or after its present one.
        sent.append(Said(shown.turn, f"text {len(sent)}"))
        old = [(sent[-1 - back], later) for back, later in repeat_from if back < len(sent)]
        for frame in (*(f for f, later in old if not later), sent[-1]):
            page.take(frame)
        for frame in (f for f, later in old if later):
            page.take(frame)
        return None

    page = Page(person)
    page.answer = answer
    views = [VIEW, VIEW, VIEW._replace(messages=[*VIEW.messages, ("B", "text")])]
    assert [person.ask(view, 30) for view in views] == [f"text {n}" for n in range(3)]
    assert not page.refused


def test_the_same_messages_are_the_same_turn_after_a_restart() -> None:
    turns = []
    for _ in range(2):
        person = seat()
        page = Page(person)
        for _ in range(2):
            assert person.ask(VIEW, 0.001) is None
        turns.append(sorted({each.turn for each in page.frames} - {""}))
    assert turns[0] == turns[1]
    assert len(turns[0]) == 2


def test_all_pages_get_the_same_frames_until_they_leave() -> None:
    person = seat()
    first, second = Page(person), Page(person, says("me"))
    first.leave("gone")
    assert person.ask(VIEW, 30) == "me"
    assert len(first.frames) == 1
    assert second.frames[-1].took == second.frames[-1].turn
    late = Page(person)
    assert late.frames[0].took == second.frames[-1].took


def test_a_room_waits_until_everybody_has_a_page() -> None:
    seats = {"a": seat(), "b": seat()}
    gathered = threading.Thread(target=Room(seats).gather, args=[seats])
    gathered.start()
    Page(seats["b"]).leave("gone")
    Page(seats["a"])
    assert gathered.is_alive()
    Page(seats["b"])
    gathered.join(30)
    assert not gathered.is_alive()


def test_a_stopped_seat_asks_nothing() -> None:
    person = seat()
    page = Page(person)
    asked = threading.Event()
    page.answer = lambda _: asked.set()
    ended: list[BaseException] = []

    def ask() -> None:
        try:
            person.ask(VIEW)
        except EnvironmentProblem as exc:
            ended.append(exc)

    thread = threading.Thread(target=ask)
    thread.start()
    asked.wait(30)
    person.stop()
    thread.join(30)
    assert ended
    assert page.frames[-1].turn
    assert (page.frames[-1].over, page.closed) == (False, "")
    person.stop(over=True)
    assert page.frames[-1].over
    assert page.closed
    with pytest.raises(EnvironmentProblem):
        person.ask(VIEW)


def test_a_room_reports_that_its_address_is_in_use(tmp_path: Path) -> None:
    links: list[str] = []
    with opened(tmp_path, "127.0.0.1", 0, links.append, ["user"]):
        port = int(links[0].split(":")[3].partition("/")[0])
        with (
            pytest.raises(EnvironmentProblem, match=str(port)),
            opened(tmp_path, "127.0.0.1", port, links.append, ["user"]),
        ):
            pass
    assert len(links) == 2


async def test_bad_connections_and_frames_are_refused(tmp_path: Path) -> None:
    links: list[str] = []
    with opened(tmp_path, "127.0.0.1", 0, links.append, ["user"]) as room:
        link = links[0].removeprefix("user: ")
        server, _, code = link.partition(PATH)
        socket = f"{server.replace('http', 'ws', 1)}{SOCKET}"
        hello = {"type": "hello", "code": code, "version": 1}
        ours = Origin(server)
        for origin in (None, Origin("http://elsewhere.example")):
            with pytest.raises(InvalidStatus, match="403"):
                await connect(socket, origin=origin)
        cases: list[tuple[list[Any], str]] = [
            ([{**hello, "code": "user-AAAA-AAAA-AAAA"}], "bad-code"),
            ([{**hello, "version": 2}], "version"),
            ([{"type": "said", "turn": "", "text": "me"}], "hello"),
            ([hello, hello], "hello"),
            ([hello, {"type": "said", "turn": "x"}], "bad-frame"),
            ([hello, ["said"]], "bad-frame"),
        ]
        for frames, refused in cases:
            async with connect(socket, origin=ours) as page:
                for frame in frames:
                    await page.send(json.dumps(frame))
                answers = [json.loads(each) async for each in page]
            assert answers[-1]["type"] == "refused"
            assert answers[-1]["code"] == refused
        # A late turn is no error, and the seat still works.
        async with connect(socket, origin=ours) as page:
            await page.send(json.dumps(hello))
            assert json.loads(await page.recv())["turn"] == ""
            await page.send(json.dumps({"type": "said", "turn": "gone", "text": "late"}))
            assert json.loads(await page.recv())["took"] == ""
            asked = asyncio.create_task(asyncio.to_thread(room.seat("user").ask, VIEW))
            turn = json.loads(await page.recv())["turn"]
            await page.send(json.dumps({"type": "said", "turn": turn, "text": "in time"}))
            assert await asked == "in time"
