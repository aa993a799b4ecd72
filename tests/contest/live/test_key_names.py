"""Tests that names of keys reveal nothing to a judge: in a whole contest, programs spell keys in
their own ways, and the judge uses another console.

The tests search everything that the judge's console receives, and compare the key presses that the
program's process read and made with the record.
"""

from __future__ import annotations

import asyncio
import json
import sys
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from websockets.asyncio.client import ClientConnection, connect

from contest.live import decisions
from contest.organizer.scripted import organize
from contest.record.bodies import Key, from_json
from contest.record.reading import open_log
from contest.record.store import Record
from contest.results.contest import Contest
from contest.results.transcript import transcribe
from contest.serving.server import Server
from contest.serving.set_up import set_up
from contest.setup import folder
from contest.setup import settings as setup
from contest.setup.planning import schedule_of
from contest.verify.verify import verify
from lpp import wire
from lpp.clock import LoopClock
from lpp.names import ALIASES, MARK, NAMES, SILENT_KEYS
from tests.contest.conftest import ManualClock
from tests.contest.journals import InlineJournal
from tests.contest.live.test_seats import SeatsRig

SPEED = 120.0
#: Seconds that a step may take on a busy machine.
PATIENCE = 60.0
#: The programs' spellings, and the names that everybody else gets. The BackSpace removes a mark.
TYPED = {
    "!": "exclam",
    "?": "question",
    "apostrophe": "quoteright",
    "grave": "quoteleft",
    "KP_1": "1",
    "Ctrl_Q": None,
    "Shift_L": None,
    "": None,
    "e\u0301": "é",
    "eacute": "é",
    "\x1b": MARK,
    "\u202e": MARK,
    "\u200d": MARK,
    "\U000e0041": MARK,
    "BackSpace": "BackSpace",
    "a": "a",
    "KP_Enter": "Return",
}
SHOWN = [name for name in TYPED.values() if name is not None]
#: The names that the judge's console sends, and those that the entry reads.
ASKED = {"Shift_L": None, "\u200b": MARK, "H": "H", "\u212a": "K", "Return": "Return"}
READ = [name for name in ASKED.values() if name is not None]

#: Reads and removes the judge's keys, and answers a Return with all of `TYPED`.
PROGRAM = """\
import json, os, sys, time
directory, here = sys.argv[1], os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(here, "typed.json"), encoding="utf-8") as file:
    typed = json.load(file)
number, answered = 0, False
with open(os.path.join(here, f"{os.getpid()}.read"), "a", encoding="utf-8") as read:
    while True:
        for name in sorted(os.listdir(directory)):
            if name.endswith(".judge"):
                os.rmdir(os.path.join(directory, name))
                print(json.dumps(name.split(".", 1)[1][:-6]), file=read, flush=True)
                if ".Return." in name and not answered:
                    answered = True
                    for key in typed:
                        number += 1
                        os.mkdir(os.path.join(directory, f"{number:010d}.{key}.other"))
        time.sleep(0.01)
"""


SETTINGS = """\
[contest]
name = "Names of keys"
[rules]
rounds = 1
scoring_minutes = 1
ranking_minutes = 1
[publication]
default = "publish"
[[judge]]
id = "J1"
[[entry]]
id = "E1"
command = "{python} {program} {{dir}}"
[[confederate]]
id = "C1"
"""


class Person:
    """The confederate, who answers a Return with `SHOWN`."""

    def __init__(self, made: Server, id_: str) -> None:
        self.seats = made.conductor.seats
        self.seat = self.seats.seats[id_]
        self.seats.join(id_, wire.Hello(""), self)

    def send(self, frame: wire.ToSeat) -> None:
        asyncio.get_running_loop().call_soon(self._answer, frame)

    def close(self, why: str) -> None:
        self.seats.leave(self.seat, self, why)

    def _answer(self, frame: wire.ToSeat) -> None:
        match frame:
            case wire.Key(key="Return", round=round_):
                for n, key in enumerate(["Shift_L", *SHOWN], 1):
                    self.seats.handle(self.seat, wire.Press(round_, 1, "only", n, key))


@dataclass
class Console:
    """A judge's console that is not ours: raw frames over a socket.

    Attributes:
        frames: all received frames, over all connections.
    """

    code: str
    address: str
    socket: ClientConnection = field(init=False)
    frames: list[dict[str, Any]] = field(default_factory=list)

    async def open(self) -> None:
        self.socket = await connect(f"ws://{self.address}/seat", max_size=None)
        await self.say(type="hello", code=self.code, take_over=True)

    async def say(self, **frame: Any) -> None:
        await self.socket.send(json.dumps(frame))

    async def until(self, count: int, **wanted: Any) -> list[dict[str, Any]]:
        """Reads frames until `count` of them have these values; returns those."""
        found: list[dict[str, Any]] = []
        async with asyncio.timeout(PATIENCE):
            while len(found) < count:
                frame = json.loads(await self.socket.recv())
                self.frames.append(frame)
                if wanted.items() <= frame.items():
                    found.append(frame)
        return found


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Console, Path]:
    """A finished contest: the judge's console, and the folder."""
    place = tmp_path_factory.mktemp("names")
    return asyncio.run(_play(place))


async def _play(place: Path) -> tuple[Console, Path]:
    program = place / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    (place / "typed.json").write_text(json.dumps(list(TYPED)), encoding="ascii")
    home = place / "contest"
    folder.make(home, SETTINGS.format(python=sys.executable, program=program))
    own = setup.load(home)
    async with set_up(home, own, schedule_of(own, home), LoopClock(SPEED)) as made:
        console = Console(made.codes["J1"], made.address)
        await console.open()
        Person(made, "C1")
        playing = asyncio.create_task(made.play())
        organizer = asyncio.create_task(organize(lambda: made, "all is said"))
        await console.until(1, type="state", phase="interaction")
        for n, key in enumerate(ASKED, 1):
            for side in ("left", "right"):
                press = {"round": 1, "attempt": 1, "place": side, "n": n, "key": key}
                await console.say(type="press", **press)
        keys = await console.until(2 * len(SHOWN), type="key")
        assert {frame["place"] for frame in keys} == {"left", "right"}
        # The console disconnects and reconnects.
        await console.socket.close()
        await console.open()
        await console.until(2, type="talk")
        made.conductor.order(decisions.end_interaction, "all is said")
        await console.until(1, type="state", phase="scoring")
        await console.say(type="verdict", round=1, attempt=1, human="left")
        [asked] = await console.until(1, type="rank-these")
        for side in ("left", "right"):
            await console.say(type="read", round=1, attempt=1, place=side)
        await console.until(2, type="past")
        ranks = {label: 2 * n for n, label in enumerate(asked["participants"], 1)}
        await console.say(type="ranks", ranks=ranks)
        await playing
        organizer.cancel()
        await console.socket.close()
        await made.close_consoles()
    return console, home


Played = tuple[Console, Path]


def is_allowed(name: str) -> bool:
    """Whether screens may get a name, according to wire.md."""
    if name in NAMES:
        return True
    if len(name) != 1:
        return False
    if name.isascii():
        return name.isalnum()
    is_invisible = unicodedata.category(name) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
    return not is_invisible and unicodedata.normalize("NFC", name) == name


def names_in(frame: dict[str, Any]) -> list[str]:
    match frame["type"]:
        case "key":
            return [frame["key"]]
        case "talk" | "past":
            return [row[-1] for row in frame["keys"]]
        case _:
            return []


def test_judge_gets_only_allowed_names(played: Played) -> None:
    console, _ = played
    kinds = {frame["type"] for frame in console.frames if names_in(frame)}
    assert kinds == {"key", "talk", "past"}
    for frame in console.frames:
        assert all(is_allowed(name) for name in names_in(frame)), frame


def test_frames_of_both_sides_are_alike(played: Played) -> None:
    console, _ = played

    def told(side: str, kind: str) -> list[dict[str, Any]]:
        found = [
            {**frame, "place": ""}
            for frame in console.frames
            if (frame["type"], frame.get("place")) == (kind, side)
        ]
        for frame in found:
            if kind == "past":  # the times may differ
                frame["keys"] = [row[1:] for row in frame["keys"]]
        return found

    for kind in ("key", "talk", "past", "taken"):
        assert told("left", kind) == told("right", kind), kind
    assert [(frame["key"], frame["n"]) for frame in told("left", "key")] == [
        (name, n) for n, name in enumerate(SHOWN, 1)
    ]
    own, theirs = [["judge", key] for key in READ], [["entity", key] for key in SHOWN]
    assert told("left", "talk")[-1]["keys"] == own + theirs
    assert told("left", "talk")[-1]["taken"] == len(ASKED)
    assert told("left", "past")[-1]["keys"] == own + theirs


def test_record_has_the_keys_that_the_program_made_and_read(played: Played) -> None:
    _, home = played
    bodies = [
        (event.actor, body)
        for event in open_log(home).events()
        if isinstance(body := from_json(event.kind, event.body), Key)
    ]
    made = [body for actor, body in bodies if actor == "E1"]
    assert [body.key for body in made] == list(TYPED)
    assert [body.raw for body in made] == [
        f"{n:010d}.{key}.other" for n, key in enumerate(TYPED, 1)
    ]
    read = "".join(file.read_text(encoding="utf-8") for file in home.parent.glob("*.read"))
    assert [json.loads(line) for line in read.splitlines()] == READ
    pressed = [body.key for actor, body in bodies if actor == "J1"]
    assert sorted(pressed) == sorted([*ASKED, *ASKED])


def test_transcript_shows_the_same_text_as_the_screens(played: Played) -> None:
    _, home = played
    report = verify(home)
    assert report.ok, [str(fault) for check in report.checks for fault in check.faults]
    contest = Contest.load(home)
    assert len(contest.talks) == 2
    for talk in contest.talks:
        said = [(line["author"], line["text"]) for line in transcribe(contest, talk)[0]]
        assert said == [("judge", f"{MARK}HK"), ("entity", f"!?'`1éé{MARK * 3}a")]


NAMES_OF_A_PROGRAM = st.lists(
    st.one_of(
        st.sampled_from([*NAMES, *ALIASES, *SILENT_KEYS, *TYPED]),
        st.text(st.characters(codec="utf-8"), max_size=3),
    ),
    max_size=20,
)


@settings(max_examples=25, deadline=None)
@given(NAMES_OF_A_PROGRAM)
def test_any_names_from_a_program_look_like_a_humans(names: list[str]) -> None:
    asyncio.run(_assert_alike(names))


async def _assert_alike(names: list[str]) -> None:
    clock = ManualClock()
    with Record("sqlite://", create=True) as record:
        async with InlineJournal(record, clock) as journal:
            rig = SeatsRig(journal, clock)
            for side in ("left", "right"):
                await rig.say(rig.judge, wire.Press(1, 1, side, 1, "H"))
            before = len(rig.judge_console.frames)
            for n, name in enumerate(names, 1):
                raw = f"{n:010d}.{name}.other"
                rig.hub.press(rig.program, "entity", "E1", name, n, raw=raw)
            await asyncio.sleep(0)
            of_program = rig.judge_console.frames[before:]
            typed = [frame.key for frame in of_program if isinstance(frame, wire.Key)]
            presses = [wire.Press(1, 1, "only", n, key) for n, key in enumerate(typed, 1)]
            await rig.say(rig.confederate, *presses)
            of_human = rig.judge_console.frames[before + len(of_program) :]
            assert of_human == [
                msgspec.structs.replace(frame, place="left")
                for frame in of_program
                if isinstance(frame, wire.Key)
            ]
            assert len(of_human) == len(of_program)
            assert all(is_allowed(name) for name in typed)
