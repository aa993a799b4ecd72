"""Tests that each seat can do only what it may: every frame, from every role, in every phase.

A refusal gives the reason, changes nothing, and reveals nothing about anybody else.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import msgspec
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from contest.links import linkwire
from contest.links.link import Link
from contest.live.hub import Hub
from contest.live.seats import Seat, Seats
from contest.net import codes, limits, web
from contest.record.bodies import Place
from contest.record.events import Event
from contest.record.store import Record
from contest.state.model import Attempt, Talk
from contest.state.phases import Phase, Status
from lpp import wire
from lpp.keypress import Rule
from tests.contest.conftest import ManualClock
from tests.contest.journals import InlineJournal
from tests.contest.seat_app import settings_of, site

ROLES: dict[str, wire.Role] = {
    "J1": "judge",
    "J2": "judge",
    "C1": "confederate",
    "C2": "confederate",
}
#: These must not appear in frames to others: ids, and the names of talks.
NAMES = (*ROLES, "E1", "E2", "1.1.", "2.1.")
ON = (Phase.INTERACTION, Phase.PAUSED)


@dataclass
class Console:
    """The frames that a seat got."""

    frames: list[wire.ToSeat] = field(default_factory=list)

    def send(self, frame: wire.ToSeat) -> None:
        self.frames.append(frame)

    def close(self, why: str) -> None:
        raise AssertionError(why)


class SeatsRig:
    """A contest in its second round: J1 talks with C1 and E1, J2 with E2 and C2. J1's talks of the
    first round are closed."""

    def __init__(self, journal: InlineJournal, record: Record, clock: ManualClock) -> None:
        self.phase = Phase.INTERACTION
        self.record = record
        self.hub = Hub(journal, lambda: self.phase)
        self.seats = Seats(settings_of(ROLES), self.hub, lambda: Status(self.phase, 2, 1, None))
        self.consoles = {seat: Console() for seat in ROLES}
        for seat, console in self.consoles.items():
            self.seats.seats[seat].outlet = console
        earlier = [self.hub.open_talk(1, 1, "J1", who, side) for who, side in FIRST]
        for talk in earlier:
            self.hub.close_talk(talk)
        for judge, entity, side in SECOND:
            talk = self.hub.open_talk(2, 1, judge, entity, side)
            self.seats.assign(judge, side, talk)
            if entity in ROLES:
                self.seats.assign(entity, "only", talk)
        self.earlier = earlier

    def seat(self, name: str) -> Seat:
        return self.seats.seats[name]

    def talks_of(self, name: str) -> list[Talk]:
        return list(self.seat(name).talks.values())

    def ask_for_ranking(self) -> None:
        state = self.hub.state
        state.attempts["1.1"] = Attempt(1, 1, 0, closed_ns=1)
        state.asked = {"J1"}
        self.seats.ask_for_rankings()

    async def say(
        self, name: str, frame: wire.ToServer
    ) -> tuple[list[wire.ToSeat], dict[str, list[wire.ToSeat]], list[Event]]:
        """Sends a frame from a seat; returns the answers, the frames to others by seat, and the new
        events."""
        await asyncio.sleep(0)
        for console in self.consoles.values():
            console.frames.clear()
        before = self.record.chains.last_seq
        self.seats.handle(self.seat(name), frame)
        await asyncio.sleep(0)
        others = {
            seat: console.frames
            for seat, console in self.consoles.items()
            if seat != name and console.frames
        }
        return list(self.consoles[name].frames), others, list(self.record.events(after=before))


FIRST: tuple[tuple[str, Place], ...] = (("E1", "left"), ("C2", "right"))
SECOND: tuple[tuple[str, str, Place], ...] = (
    *(("J1", "C1", "left"), ("J1", "E1", "right")),
    *(("J2", "E2", "left"), ("J2", "C2", "right")),
)


@pytest.fixture
def rig(journal: InlineJournal, record: Record, clock: ManualClock) -> SeatsRig:
    return SeatsRig(journal, record, clock)


def places(role: wire.Role) -> tuple[wire.Place, ...]:
    return ("left", "right") if role == "judge" else ("only",)


# The result of each frame: the kind of event that it makes, the type of the answer, or the code of
# its refusal; empty for none, such as for a key that waits for the end of a pause.
Comes = Callable[[str, wire.Role, Phase], str]

FRAMES: list[tuple[wire.ToServer, Comes]] = [
    *(
        (
            wire.Press(2, 1, place, 1, "a"),
            lambda _n, role, phase, place=place: (
                ("" if phase is Phase.PAUSED else "key") if place in places(role) else "no-talk"
            ),
        )
        for place in ("left", "right", "only")
    ),
    *(
        (
            wire.Press(2, 1, "left", n, key),
            lambda _n, role, phase, wrong=wrong: (
                "no-talk"
                if role != "judge"
                else ("" if wrong == "gap" and phase is Phase.PAUSED else wrong)
            ),
        )
        for n, key, wrong in (
            *((3, "a", "gap"), (1, "Hello", "bad-key"), (1, "../x", "bad-key")),
            *((1, "", "bad-key"), (1, "\n", "bad-key")),
        )
    ),
    *(
        (wire.Press(*of, place, 1, "a"), lambda _n, _r, _p: "no-talk")
        for of in ((1, 1), (2, 2), (3, 1), (0, 0))
        for place in ("left", "right", "only")
    ),
    *(
        (wire.Shown(*of, place, author, 1), lambda _n, _r, _p: "")
        for of in ((2, 1), (1, 1))
        for place in ("left", "right", "only")
        for author in ("judge", "entity")
    ),
    *(
        (
            wire.Verdict(*of, "left", 50, "I <b>know</b> it"),
            lambda _n, role, phase, of=of: (
                "not-yours"
                if role != "judge"
                else ("verdict" if phase is Phase.SCORING and of == (2, 1) else "not-now")
            ),
        )
        for of in ((2, 1), (1, 1), (2, 2))
    ),
    (
        wire.Ranks({"1 left": 2, "1 right": 4}),
        lambda name, _r, phase: "ranking" if name == "J1" and phase is Phase.RANKING else "not-now",
    ),
    (
        wire.Ranks({"1 left": 2, "C1": 4}),
        lambda name, _r, phase: (
            "bad-ranking" if name == "J1" and phase is Phase.RANKING else "not-now"
        ),
    ),
    (wire.Consent(True, "Heron"), lambda _n, _r, _p: "consent"),
    (wire.Consent(True, "J1"), lambda _n, _r, _p: "bad-consent"),
    *(
        (
            wire.Read(1, 1, place),
            lambda name, _r, phase, place=place: (
                "past" if name == "J1" and phase not in ON and place != "only" else "no-talk"
            ),
        )
        for place in ("left", "right", "only")
    ),
    *((wire.Read(2, 1, place), lambda _n, _r, _p: "no-talk") for place in ("left", "only")),
    (wire.Hello("J1-AAAA-BBBB-CCCC", take_over=True), lambda _n, _r, _p: "hello"),
]


@pytest.mark.parametrize("phase", Phase, ids=lambda phase: phase.value)
@pytest.mark.parametrize("name", ROLES)
async def test_every_frame_of_every_role_in_every_phase(
    rig: SeatsRig, name: str, phase: Phase
) -> None:
    role = ROLES[name]
    rig.phase = phase
    rig.ask_for_ranking()
    own = {talk.id for talk in rig.talks_of(name)}
    for frame, comes_of_it in FRAMES:
        wanted = comes_of_it(name, role, phase)
        told, others, events = await rig.say(name, frame)
        # All events are by this seat, and in its own talks.
        assert {event.actor for event in events} <= {name}
        assert {event.talk for event in events} <= {None, *own}
        answer = told[0] if told else None
        if wanted in ("key", "verdict", "ranking", "consent"):
            assert [event.kind for event in events] == [wanted]
            assert isinstance(answer, wire.Taken | wire.Saved)
        else:
            assert events == [], "nothing has changed"
            assert others == {}, "nobody else gets a frame"
            if wanted == "past":
                assert isinstance(answer, wire.Past)
            elif wanted:
                assert isinstance(answer, wire.Refused)
                assert (answer.code, answer.answers) == (wanted, frame.__struct_config__.tag)
                assert len(answer.message.split()) > 3, "in words"
        assert len(told) == bool(wanted)
        # A key is sent only to the other side of its talk; decisions to nobody.
        for seat, heard in others.items():
            shared = own & {talk.id for talk in rig.talks_of(seat)}
            assert wanted == "key"
            assert shared
            assert all(isinstance(each, wire.Key) for each in heard)
        said = "".join(wire.encode(each) for each in told)
        for other in NAMES:
            if other != name and other not in str(frame):
                assert other not in said


# Clients without a code, and links


@dataclass
class RunningServer:
    """A server with a seat and a link."""

    address: str
    codes: dict[str, str]
    record: Record
    link: Link


@pytest.fixture
async def server(
    journal: InlineJournal, record: Record, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[RunningServer]:
    monkeypatch.setattr(limits, "SPACING", 0.0)
    hub = Hub(journal, lambda: Phase.INTERACTION)
    status = Status(Phase.INTERACTION, 1, 1, None)
    seats = Seats(settings_of(["J1"]), hub, lambda: status)
    talk = hub.open_talk(1, 1, "J1", "E1", "left")
    seats.assign("J1", "left", talk)
    link = Link("E1", hub, "Contest")
    issued = codes.issue(["J1", "E1"])
    app = site(seats, issued, {"E1": link})
    async with link, web.serving(app, "127.0.0.1", 0) as address:
        yield RunningServer(address, issued, record, link)


@asynccontextmanager
async def connected_to(server: RunningServer, path: str) -> AsyncIterator[ClientConnection]:
    async with connect(f"ws://{server.address}{path}", proxy=None) as socket:
        yield socket


async def refused(socket: ClientConnection) -> str:
    # A link gets a ping each second.
    while (answer := msgspec.json.decode(await socket.recv()))["type"] == "ping":
        pass
    assert answer["type"] == "refused"
    with pytest.raises(ConnectionClosed):
        await socket.recv()
    return str(answer["code"])


SEATS = [frame for frame, _ in FRAMES if not isinstance(frame, wire.Hello)]
LINKS: list[linkwire.ToServer] = [
    linkwire.Key(1, 1, "0000000001.a.other"),
    linkwire.Breach(1, Rule.WAITS, "x", "y"),
    linkwire.Trouble(1, "disk full"),
    linkwire.Started(1, ["rm", "-rf"]),
    linkwire.Exited(1, 0),
    linkwire.LeftOvers(1, 1, ["x"]),
    linkwire.Prepared(1, 1),
    linkwire.Made(1, 1),
    linkwire.Gone(1),
    linkwire.Standing(1, 1),
    linkwire.Pong(1),
]


async def test_frames_before_hello_are_refused(server: RunningServer) -> None:
    before = server.record.chains.last_seq
    for path, texts in (
        ("/seat", [*map(wire.encode, SEATS), *map(linkwire.encode, LINKS)]),
        ("/link", [*map(linkwire.encode, LINKS), *map(wire.encode, SEATS)]),
    ):
        for text in texts:
            async with connected_to(server, path) as socket:
                await socket.send(text)
                assert await refused(socket) in ("hello", "bad-frame")
    assert server.record.chains.last_seq == before


async def test_code_works_only_for_its_own_kind_of_client(server: RunningServer) -> None:
    before = server.record.chains.last_seq
    for path, text in (
        ("/seat", wire.encode(wire.Hello(server.codes["J1"], version=99))),
        ("/link", linkwire.encode(linkwire.Hello(server.codes["E1"], "x", 1, version=99))),
    ):
        async with connected_to(server, path) as socket:
            await socket.send(text)
            assert await refused(socket) == "version"
    life = {"life": "x", "next": 1}
    for path, name in (("/seat", "E1"), ("/link", "J1")):
        for code in (server.codes[name], server.codes[name][:-1], "", "J1", "E1-"):
            hello = {"type": "hello", "code": code} | (life if path == "/link" else {})
            async with connected_to(server, path) as socket:
                await socket.send(msgspec.json.encode(hello).decode())
                assert await refused(socket) == "bad-code"
    kinds = [event.kind for event in server.record.events(after=before)]
    assert kinds == [], "this test's gate records nothing"


async def test_link_can_not_send_a_seats_frames(server: RunningServer) -> None:
    before = server.record.chains.last_seq
    for frame in {type(frame): frame for frame in SEATS}.values():
        async with connected_to(server, "/link") as socket:
            await socket.send(linkwire.encode(linkwire.Hello(server.codes["E1"], "life", 1)))
            assert isinstance(linkwire.decode_to_link(await socket.recv()), linkwire.Welcome)
            await socket.send(wire.encode(frame))
            assert await refused(socket) == "bad-frame"
    kinds = {event.kind for event in server.record.events(after=before)}
    assert kinds <= {"trouble"}, "except for the link's reconnects"


async def test_link_can_not_send_a_judges_key(server: RunningServer) -> None:
    async with connected_to(server, "/link") as socket:
        await socket.send(linkwire.encode(linkwire.Hello(server.codes["E1"], "life", 1)))
        await socket.recv()
        await socket.send(linkwire.encode(linkwire.Key(1, 1, "0000000001.a.judge")))
        assert await refused(socket) == "bad-key"
    assert list(server.record.events(kind="key")) == []
