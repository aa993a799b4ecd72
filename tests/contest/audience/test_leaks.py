"""Tests that nothing sent to the audience or to a judge's browser before the reveal shows who is
who.

A whole contest is played on a real server, with people at the seats and keys in directories, and
everything that was sent is searched.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Origin

from contest.net.sockets import EMPTY_FRAME
from contest.pages import served
from contest.serving.server import Server
from contest.serving.set_up import set_up
from contest.setup import folder, settings
from contest.setup.planning import schedule_of
from lpp import wire
from lpp.clock import LoopClock
from tests.contest import linked

SPEED = 120.0
#: The time limit for each step on a busy machine, in seconds.
PATIENCE = 60.0
CHANGES = (
    ("rounds = 4 ", "rounds = 1 "),
    ("interaction_minutes = 25", "interaction_minutes = 8"),
    ("scoring_minutes = 5 ", "scoring_minutes = 1 "),
    ("ranking_minutes = 15", "ranking_minutes = 1"),
    ('default = "withhold"', 'default = "publish"'),
    ("delay_seconds = 30", "delay_seconds = 0"),
)
#: The text typed at each side; it can't be in a page by chance.
JUDGE, PERSON, PROGRAM = "qx", "wj", "kz"


def template() -> str:
    """A contest of one short round, with all entries on other machines."""
    text = linked.remote(folder.template())
    for old, new in CHANGES:
        assert old in text
        text = text.replace(old, new, 1)
    return text


class Person:
    """Types two keys on each side, and gives a verdict at once."""

    def __init__(self, made: Server, id_: str) -> None:
        self.seat = made.conductor.seats.seats[id_]
        self.say: Callable[[wire.ToServer], object] = partial(
            made.conductor.seats.handle, self.seat
        )

    def send(self, frame: wire.ToSeat) -> None:
        asyncio.get_running_loop().call_soon(self._answer, frame)

    def close(self, why: str) -> None:
        pass

    def _answer(self, frame: wire.ToSeat) -> None:
        say = self.say
        match frame:
            case wire.State(phase="interaction"):
                if self.seat.role == "judge":
                    self._type(frame.places, frame.round, JUDGE)
            case wire.Key() if self.seat.role == "confederate" and frame.n == len(JUDGE):
                later = asyncio.get_running_loop().call_later
                later(0.3, self._type, ("only",), frame.round, PERSON)
            case wire.State(phase="scoring") if self.seat.role == "judge":
                say(wire.Verdict(frame.round, 1, "left", 50, "it said kz"))
            case wire.RankThese():
                ranks = {label: 2 * n for n, label in enumerate(frame.participants, 1)}
                say(wire.Ranks(ranks))

    def _type(self, places: tuple[wire.Place, ...], round_: int, text: str) -> None:
        for place in places:
            for n, key in enumerate(text, 1):
                self.say(wire.Press(round_, 1, place, n, key))


async def in_browser(person: Person, made: Server, sent: Sent) -> None:
    """Takes a seat as a page does, and collects everything that it receives."""
    origin = Origin(f"http://{made.address}")
    async with connect(f"ws://{made.address}/sit/seat", origin=origin) as socket:
        person.say = lambda frame: asyncio.ensure_future(socket.send(wire.encode(frame)))
        hello = wire.Hello(made.codes[person.seat.id], client="browser")
        await socket.send(wire.encode(hello))
        with contextlib.suppress(ConnectionClosed):
            async for text in socket:
                sent.judge.append(str(text))
                if str(text) != EMPTY_FRAME:
                    person.send(wire.decode_to_seat(str(text)))


async def programs(made: Server, entries: Mapping[str, linked.Entry]) -> None:
    """Answers as the entries' programs, each in its own directory, with large numbers."""
    answered: set[str] = set()
    while True:
        for talk in made.conductor.hub.talks.values():
            entry = entries.get(talk.entity)
            if entry is not None and talk.begun and talk.id not in answered:
                answered.add(talk.id)
                entry.number = 4_000_000_016
                await entry.say(PROGRAM)
        await asyncio.sleep(0.02)


@dataclass
class Sent:
    """Everything that an audience was sent.

    Attributes:
        frames: the texts, in order.
        judge: the texts that a judge's browser was sent, in order.
        answers: address to headers and body.
    """

    frames: list[str] = field(default_factory=list)
    judge: list[str] = field(default_factory=list)
    came: asyncio.Event = field(default_factory=asyncio.Event)
    answers: dict[str, str] = field(default_factory=dict)

    async def until(self, part: str) -> None:
        """Waits for a frame that contains a text."""
        async with asyncio.timeout(PATIENCE):
            while not any(part in text for text in self.frames):
                self.came.clear()
                await self.came.wait()

    def before_the_reveal(self) -> list[str]:
        """The frames before the first that says that everything is decided."""
        read = [json.loads(text) for text in self.frames]
        end = next(at for at, each in enumerate(read) if _phase(each) == "over")
        return self.frames[:end]


def _phase(frame: dict[str, Any]) -> str | None:
    phase = frame.get("phase")
    name = phase["phase"] if isinstance(phase, dict) else phase
    return None if name is None else str(name)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Sent, Server]:
    """A contest that was played, and everything that the audience was sent meanwhile."""
    place = tmp_path_factory.mktemp("leaks") / "contest"
    return asyncio.run(_play(place))


async def _play(place: Path) -> tuple[Sent, Server]:
    sent = Sent()
    folder.make(place, template())
    own = settings.load(place)
    async with set_up(place, own, schedule_of(own, place), LoopClock(SPEED)) as made:
        async with (
            httpx.AsyncClient(verify=False, base_url=f"http://{made.address}") as browser,
            linked.entries(made) as entries,
        ):
            watching = asyncio.create_task(_watch(made.address, sent))
            typing = asyncio.create_task(programs(made, entries))
            seats = made.conductor.seats
            sitting = asyncio.create_task(in_browser(Person(made, "J1"), made, sent))
            for id_ in made.codes.keys() - {"J1"}:
                seats.join(id_, wire.Hello(""), Person(made, id_))
            await seats.until(seats.all_connected, PATIENCE)
            playing = asyncio.create_task(made.play())
            await sent.until('"type":"keys"')
            for address in ("/", "/watch", "/sit", *(f"/static/{name}" for name in served())):
                answer = await browser.get(address)
                sent.answers[address] = f"{answer.headers}\n{answer.text}"
            for address in ("/archive/", "/archive/downloads/events.jsonl", "/results.html"):
                answer = await browser.get(address)
                assert answer.status_code in (302, 404)
                sent.answers[address] = f"{answer.headers}\n{answer.text}"
            await playing
            typing.cancel()
        await made.close_consoles()
        await sent.until('"archive":true')
    await asyncio.wait([watching, typing, sitting])
    return sent, made


async def _watch(address: str, sent: Sent) -> None:
    async with connect(f"ws://{address}/watch/live", max_size=None) as socket:
        sent.answers["handshake"] = str(socket.response and socket.response.headers)
        with contextlib.suppress(ConnectionClosed):
            async for text in socket:
                sent.frames.append(str(text))
                sent.came.set()


def test_the_talks_of_both_sides_were_sent(played: tuple[Sent, Server]) -> None:
    sent, _ = played
    typed: dict[str, str] = {}
    for text in sent.before_the_reveal():
        frame = json.loads(text)
        if frame.get("type") == "whole":
            typed = {talk["id"]: "" for desk in frame["desks"] for talk in desk["talks"]}
        for talk, runs in frame.get("talks", {}).items():
            before = "" if frame["type"] == "talks" else typed[talk]
            typed[talk] = before + "".join(what for _, what in runs)
    assert len(typed) == 8
    assert {"".join(sorted(text)) for text in typed.values()} == {"jqwx", "kqxz"}


def test_no_text_shows_who_is_who(played: tuple[Sent, Server]) -> None:
    sent, made = played
    own = made.conductor.settings
    people = [(each.id, each.name) for each in own.entry]
    people += [(each.id, each.name) for each in own.confederate]
    secrets = [word for person in people for word in person]
    secrets += [each.entrant for each in own.entry]
    secrets += ["loebner-", ".other", "4000000017", "400000001", "it said", "nonce"]
    secrets += [str(made.folder)]
    everything = {**sent.answers, "frames": "\n".join(sent.before_the_reveal())}
    # All frames of a judge: nothing is revealed at a seat. Only the judge's own reason comes back.
    everything["judge"] = "\n".join(sent.judge).replace("it said kz", "")
    assert '"type":"rank-these"' in everything["judge"]
    for where, text in everything.items():
        for secret in secrets:
            assert not re.search(rf"(?<!\w){re.escape(secret)}(?!\w)", text), (where, secret)
    assert "organizer" not in everything["frames"] + everything["/watch"]
    talks = {talk.id: talk.entity for talk in made.conductor.hub.talks.values()}
    revealed = "\n".join(sent.frames[len(sent.before_the_reveal()) :])
    assert len(talks) == 8
    assert all(name in revealed for _, name in people), "the reveal shows names"


#: All keys that a frame may have.
_WHOLE = ["type", "phase", "desks", "plan", "last", "outcome", "archive"]
_PHASE = ["type", "phase", "now", "round", "attempt", "words", "remaining_ms", "runs", "speed"]
FORMS = {
    "whole": _WHOLE,
    "phase": _PHASE,
    "keys": ["type", "talks"],
    "talks": ["type", "talks"],
}


def test_frames_have_only_what_a_judge_sees(played: tuple[Sent, Server]) -> None:
    sent, _ = played
    kinds = set()
    for text in sent.before_the_reveal():
        frame = json.loads(text)
        if not frame:
            continue
        kinds.add(frame["type"])
        assert list(frame) == FORMS[frame["type"]]
        if frame["type"] == "whole":
            assert list(frame["phase"]) == _PHASE
            assert frame["outcome"] == ""
        for desk in frame.get("desks", []):
            assert list(desk) == ["number", "judge", "name", "closed", "talks"]
            for talk in desk["talks"]:
                assert list(talk) == ["id", "side"]
        for runs in frame.get("talks", {}).values():
            _only_typed(runs)
    assert kinds >= {"whole", "phase", "keys"}


def _only_typed(runs: list[Any]) -> None:
    for author, text in runs:
        assert author in ("judge", "entity")
        assert set(text) <= set(JUDGE + PERSON + PROGRAM)


def test_left_comes_before_right_and_desks_are_in_judge_order(
    played: tuple[Sent, Server],
) -> None:
    sent, made = played
    order = [
        f"1.1.{judge.id}.{side}"
        for judge in made.conductor.settings.judge
        for side in ("left", "right")
    ]
    for text in sent.before_the_reveal():
        frame = json.loads(text)
        told = [talk["id"] for desk in frame.get("desks", []) for talk in desk["talks"]]
        told += frame.get("talks", {})
        assert told == sorted(told, key=order.index)
        for judges in frame.get("plan", []):
            assert [each["id"] for each in judges] == ["J1", "J2", "J3", "J4"]


def test_answers_do_not_depend_on_who_sits_where(played: tuple[Sent, Server]) -> None:
    """Frames and headers of both sides differ only in the typed text."""
    sent, _ = played
    for text in sent.before_the_reveal():
        frame = json.loads(text)
        for desk in frame.get("desks", []):
            left, right = (json.dumps({**t, "id": "", "side": ""}) for t in desk["talks"])
            assert left == right
    assert not any("set-cookie" in text.lower() for text in sent.answers.values())
