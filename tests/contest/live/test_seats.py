"""Tests the seats: each sees and does only what it may, and a console that reconnects gets the same
contents."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import msgspec
import pytest

from contest.errors import Refusal
from contest.live.hub import Hub
from contest.live.seats import Seat, Seats
from contest.record.bodies import ContestClosed
from contest.record.store import Record
from contest.setup.settings import EntryTable, Settings
from contest.state.model import Attempt, Occupant
from contest.state.phases import Phase, Status
from lpp import wire
from tests.contest.conftest import ManualClock
from tests.contest.journals import InlineJournal, bodies
from tests.contest.seat_app import settings_of

NAMES = {"J1": "Harriet", "C1": "Ben", "C2": ""}
SETTINGS = msgspec.structs.replace(
    settings_of(NAMES, paste="type", agreement="Read this."), entry=(EntryTable("E1", "Tea Pot"),)
)


class Console:
    """A connection that keeps the frames sent to it."""

    def __init__(self) -> None:
        self.frames: list[wire.ToSeat] = []
        self.closed = ""

    def send(self, frame: wire.ToSeat) -> None:
        self.frames.append(wire.decode_to_seat(wire.encode(frame)))

    def close(self, why: str) -> None:
        self.closed = why

    def received(self, kind: type[wire.ToSeat]) -> list[wire.ToSeat]:
        return [frame for frame in self.frames if isinstance(frame, kind)]


class SeatsRig:
    """The seats of one judge and two confederates, in a phase that the test sets."""

    def __init__(
        self, journal: InlineJournal, clock: ManualClock, settings: Settings = SETTINGS
    ) -> None:
        self.status = Status(Phase.INTERACTION, 1, 1, 90.5)
        self.hub = Hub(journal, lambda: self.status.phase)
        self.hub.state.contest_id = "0123456789abcdef"
        self.hub.state.persons = {seat: [Occupant(name)] for seat, name in NAMES.items()}
        clock.speed = 2.0
        self.seats = Seats(settings, self.hub, lambda: self.status)
        self.human = self.hub.open_talk(1, 1, "J1", "C1", "left")
        self.program = self.hub.open_talk(1, 1, "J1", "E1", "right")
        self.seats.assign("J1", "left", self.human)
        self.seats.assign("J1", "right", self.program)
        self.seats.assign("C1", "only", self.human)
        self.judge, self.judge_console = self.sit("J1")
        self.confederate, self.confederate_console = self.sit("C1")

    def ask_for_ranking(self) -> None:
        """Closes the round, and asks J1 to rank."""
        state = self.hub.state
        state.attempts["1.1"] = Attempt(1, 1, 0, closed_ns=1)
        state.asked = {"J1"}
        self.seats.ask_for_rankings()

    def sit(self, id_: str, take_over: bool = False) -> tuple[Seat, Console]:
        console = Console()
        self.seats.join(id_, wire.Hello("", take_over=take_over), console)
        return self.seats.seats[id_], console

    async def say(self, seat: Seat, *frames: wire.ToServer) -> None:
        for frame in frames:
            self.seats.handle(seat, wire.decode_to_server(wire.encode(frame)))
        await asyncio.sleep(0)


@pytest.fixture
async def rig(journal: InlineJournal, clock: ManualClock) -> SeatsRig:
    return SeatsRig(journal, clock)


async def test_console_is_welcomed_with_seat_state_and_talks(rig: SeatsRig) -> None:
    assert rig.judge_console.frames == [
        wire.Welcome(
            *("J1", "judge", "Contest", 4),
            name="Harriet",
            contest_id="0123456789abcdef",
            paste="type",
        ),
        wire.State("interaction", 1, 1, ("left", "right"), 90500, speed=2.0),
        wire.Talk(1, 1, "left", []),
        wire.Talk(1, 1, "right", []),
        wire.Agreement("Read this.", "Harriet"),
    ]
    assert rig.confederate_console.frames[1:] == [
        wire.State("interaction", 1, 1, ("only",), 90500, speed=2.0),
        wire.Talk(1, 1, "only", []),
        wire.Agreement("Read this.", "Ben"),
    ]
    _, unnamed = rig.sit("C2")
    assert unnamed.frames[-1] == wire.Agreement("Read this.", "C2")


async def test_keys_that_come_in_a_pause_are_delivered_after_it(rig: SeatsRig) -> None:
    """They were typed before it, perhaps while the connection was away."""
    await rig.say(rig.judge, wire.Press(1, 1, "left", 1, "H"))
    rig.status = replace(rig.status, phase=Phase.PAUSED)
    presses = [wire.Press(1, 1, "left", n, key) for n, key in ((2, "i"), (3, "o"))]
    await rig.say(rig.judge, *presses)
    assert rig.judge_console.received(wire.Taken) == [wire.Taken(1, 1, "left", 1)]
    # The console reconnects, and sends its unconfirmed keys again.
    rig.judge, rig.judge_console = rig.sit("J1", take_over=True)
    await rig.say(rig.judge, *presses)
    rig.status = replace(rig.status, phase=Phase.INTERACTION)
    # A key that overtakes the news of the pause's end keeps its place.
    await rig.say(rig.judge, wire.Press(1, 1, "left", 4, "x"))
    rig.seats.broadcast()
    await asyncio.sleep(0)
    assert rig.judge_console.received(wire.Taken) == [
        wire.Taken(1, 1, "left", n) for n in (2, 3, 4)
    ]
    assert rig.confederate_console.received(wire.Key) == [
        wire.Key(1, 1, "only", "judge", n, key) for n, key in enumerate("Hiox", 1)
    ]


async def test_keys_held_in_a_pause_are_too_late_if_the_interaction_ends_in_it(
    rig: SeatsRig,
) -> None:
    rig.status = replace(rig.status, phase=Phase.PAUSED)
    await rig.say(rig.judge, wire.Press(1, 1, "left", 1, "H"))
    rig.status = replace(rig.status, phase=Phase.SCORING)
    rig.seats.broadcast()
    await asyncio.sleep(0)
    assert rig.judge_console.received(wire.Taken) == [wire.Taken(1, 1, "left", 1)]
    assert rig.confederate_console.received(wire.Key) == []


async def test_keys_under_way_when_the_clock_stops_are_removed_from_the_screen(
    rig: SeatsRig,
) -> None:
    await rig.say(rig.judge, wire.Press(1, 1, "left", 1, "H"))
    rig.status = replace(rig.status, phase=Phase.SCORING)
    await rig.say(rig.judge, wire.Press(1, 1, "left", 2, "i"), wire.Press(1, 1, "left", 3, "o"))
    await asyncio.sleep(0)
    # Both are confirmed, and one snapshot corrects the screen.
    shown = wire.Talk(1, 1, "left", [("judge", "H")], taken=3)
    assert rig.judge_console.frames[-3:] == [
        *(wire.Taken(1, 1, "left", 2), wire.Taken(1, 1, "left", 3), shown),
    ]
    assert [key.key for key in rig.confederate_console.frames if isinstance(key, wire.Key)] == ["H"]


async def test_key_that_types_nothing_is_confirmed_and_shown_to_nobody(rig: SeatsRig) -> None:
    before = [len(each.frames) for each in (rig.judge_console, rig.confederate_console)]
    for n, key in enumerate(["Shift_L", "H", "Caps_Lock", "\u212a"], 1):
        await rig.say(rig.judge, wire.Press(1, 1, "left", n, key))
    # Only the confirmation is sent: no screen shows such a key, so none needs a correction.
    assert rig.judge_console.frames[before[0] :] == [
        wire.Taken(1, 1, "left", n) for n in (1, 2, 3, 4)
    ]
    assert rig.confederate_console.frames[before[1] :] == [
        wire.Key(1, 1, "only", "judge", 1, "H"),
        wire.Key(1, 1, "only", "judge", 2, "K"),
    ]
    _, again = rig.sit("J1", take_over=True)
    shown: list[tuple[wire.Author, str]] = [("judge", "H"), ("judge", "K")]
    assert wire.Talk(1, 1, "left", shown, taken=4) in again.frames


async def test_keys_are_sent_to_the_other_side_and_confirmed_to_their_author(rig: SeatsRig) -> None:
    await rig.say(rig.judge, wire.Press(1, 1, "left", 1, "H"))
    assert rig.confederate_console.received(wire.Key) == [wire.Key(1, 1, "only", "judge", 1, "H")]
    assert rig.judge_console.received(wire.Taken) == [wire.Taken(1, 1, "left", 1)]
    await rig.say(rig.confederate, wire.Press(1, 1, "only", 1, "Y"))
    assert rig.judge_console.received(wire.Key) == [wire.Key(1, 1, "left", "entity", 1, "Y")]


async def test_judge_gets_the_same_frames_from_a_human_and_a_program(
    rig: SeatsRig,
) -> None:
    await rig.say(rig.judge, wire.Press(1, 1, "left", 1, "H"), wire.Press(1, 1, "right", 1, "H"))
    await rig.say(rig.confederate, wire.Press(1, 1, "only", 1, "Y"))
    rig.hub.press(rig.program, "entity", "E1", "Y", 931, raw="0000000931.Y.other")
    await asyncio.sleep(0)
    left, right = rig.judge_console.received(wire.Key)
    assert wire.encode(left).replace("left", "right") == wire.encode(right)


async def test_reconnected_console_shows_the_same(rig: SeatsRig) -> None:
    await rig.say(rig.judge, wire.Press(1, 1, "left", 1, "H"), wire.Press(1, 1, "left", 2, "i"))
    await rig.say(rig.confederate, wire.Press(1, 1, "only", 1, "Y"))
    rig.seats.leave(rig.judge, rig.judge_console, "cut")
    assert not rig.seats.all_connected()
    _, again = rig.sit("J1")
    assert again.received(wire.Talk) == [
        wire.Talk(1, 1, "left", [("judge", "H"), ("judge", "i"), ("entity", "Y")], taken=2),
        wire.Talk(1, 1, "right", []),
    ]


async def test_key_sent_twice_is_taken_once(rig: SeatsRig, record: Record) -> None:
    press = wire.Press(1, 1, "left", 1, "H")
    await rig.say(rig.judge, press, press)
    await rig.say(rig.judge, press)
    assert len(bodies(record, "key")) == 1
    assert rig.judge_console.received(wire.Taken)[-1] == wire.Taken(1, 1, "left", 1)


async def test_seat_is_taken_over_only_if_asked(rig: SeatsRig) -> None:
    with pytest.raises(Refusal, match="take it over") as refused:
        rig.sit("J1")
    assert refused.value.code == "seat-taken"
    rig.sit("J1", take_over=True)
    assert rig.judge_console.closed
    # The end of the old connection must not empty the seat.
    rig.seats.leave(rig.judge, rig.judge_console, "closed")
    assert rig.judge.outlet is not None


async def test_verdict_is_confirmed_once_durable_and_can_be_corrected(
    rig: SeatsRig, record: Record
) -> None:
    rig.status = Status(Phase.SCORING, 1, 1, 300)
    await rig.say(rig.judge, wire.Verdict(1, 1, "left", 80, "warm <b>words</b>"))
    await rig.say(rig.judge, wire.Verdict(1, 1, "right"))
    await rig.say(rig.judge, wire.Verdict(1, 1, "right", confidence=101))
    await rig.say(rig.confederate, wire.Verdict(1, 1, "left"))
    verdicts = bodies(record, "verdict")
    assert [(v["human"], v["version"]) for v in verdicts] == [("left", 1), ("right", 2)]
    assert verdicts[0]["reason"] == "warm <b>words</b>"
    first, second = (event.at for event in record.events(kind="verdict"))
    assert rig.judge_console.received(wire.Saved) == [
        wire.Saved("verdict", 1, first, 1, 1, "left", 80, "warm <b>words</b>"),
        wire.Saved("verdict", 2, second, 1, 1, "right"),
    ]
    assert len(rig.judge_console.received(wire.Refused)) == 1
    assert len(rig.confederate_console.received(wire.Refused)) == 1
    _, again = rig.sit("J1", take_over=True)
    put_off = rig.judge_console.frames[-1]
    assert isinstance(put_off, wire.Refused)
    assert (put_off.code, put_off.answers) == ("seat-taken", "")
    assert again.frames[-1] == wire.Saved("verdict", 2, second, 1, 1, "right", again=True)
    rig.status = Status(Phase.INTERACTION, 2, 1, 300)
    _, later = rig.sit("J1", take_over=True)
    assert later.received(wire.Saved) == [], "another round's verdict is nobody's draft"


async def test_a_ranking_of_neutral_labels(rig: SeatsRig, record: Record) -> None:
    rig.status = Status(Phase.RANKING, 1, 1, 900)
    rig.ask_for_ranking()
    asked = rig.judge_console.received(wire.RankThese)
    assert asked == [wire.RankThese({"1 left": [(1, 1, "left")], "1 right": [(1, 1, "right")]})]
    for wrong in ({"1 left": 2}, {"1 left": 2, "1 right": 5}, {"1 left": 2, "E1": 4}, {}):
        await rig.say(rig.judge, wire.Ranks(wrong))
    assert len(rig.judge_console.received(wire.Refused)) == 4
    await rig.say(rig.judge, wire.Ranks({"1 left": 3, "1 right": 3}))
    assert bodies(record, "ranking") == [
        {
            "judge": "J1",
            "version": 1,
            "ranks": {"1 left": 3, "1 right": 3},
            "talks": {"1 left": ["1.1.J1.left"], "1 right": ["1.1.J1.right"]},
        }
    ]
    _, again = rig.sit("J1", take_over=True)
    assert again.received(wire.RankThese) == asked
    (event,) = record.events(kind="ranking")
    saved = wire.Saved("ranking", 1, event.at, ranks={"1 left": 3, "1 right": 3})
    assert again.frames[-1] == msgspec.structs.replace(saved, again=True)
    assert rig.judge_console.received(wire.Saved) == [saved]
    rig.status = Status(Phase.OVER, 1, 1, None)
    await rig.say(rig.judge, wire.Ranks({"1 left": 2, "1 right": 4}))
    assert len(bodies(record, "ranking")) == 1, "a ballot after the reveal is no ballot"


async def test_consoles_report_shown_keys(
    rig: SeatsRig, record: Record, clock: ManualClock
) -> None:
    await rig.say(rig.judge, wire.Press(1, 1, "left", 1, "H"))
    clock.time = 0.25
    await rig.say(rig.confederate, wire.Shown(1, 1, "only", "judge", 1))
    await rig.say(rig.confederate, wire.Shown(1, 1, "only", "entity", 1))  # not their talk
    rig.hub.close_talk(rig.human)
    assert bodies(record, "times")[0]["keys"][0][2] == 250_000_000  # type: ignore[index]


async def test_each_rank_must_be_given_once_if_ties_are_not_allowed(
    journal: InlineJournal, clock: ManualClock, record: Record
) -> None:
    rules = msgspec.structs.replace(SETTINGS.rules, ties=False)
    rig = SeatsRig(journal, clock, msgspec.structs.replace(SETTINGS, rules=rules))
    rig.status = Status(Phase.RANKING, 1, 1, 900)
    rig.ask_for_ranking()
    (asked,) = rig.judge_console.received(wire.RankThese)
    assert isinstance(asked, wire.RankThese)
    assert not asked.ties
    for left, right in ((3, 3), (2, 2), (2, 3)):
        await rig.say(rig.judge, wire.Ranks({"1 left": left, "1 right": right}))
    refused = rig.judge_console.received(wire.Refused)
    assert [(r.code, r.answers) for r in refused if isinstance(r, wire.Refused)] == [
        ("bad-ranking", "ranks")
    ] * 3
    await rig.say(rig.judge, wire.Ranks({"1 left": 4, "1 right": 2}))
    assert [body["ranks"] for body in bodies(record, "ranking")] == [{"1 left": 4, "1 right": 2}]


# Consent


async def test_consent_has_versions_and_is_sent_again_after_a_reconnect(
    rig: SeatsRig, record: Record
) -> None:
    await rig.say(rig.confederate, wire.Consent(False))
    await rig.say(rig.confederate, wire.Consent(True, "  Grey \t Heron "))
    assert bodies(record, "consent") == [
        {"seat": "C1", "publish": False, "version": 1},
        {"seat": "C1", "publish": True, "version": 2, "pseudonym": "Grey Heron"},
    ]
    first, second = (event.at for event in record.events(kind="consent"))
    last = wire.Saved("consent", 2, second, publish=True, pseudonym="Grey Heron")
    assert rig.confederate_console.received(wire.Saved) == [
        wire.Saved("consent", 1, first, publish=False),
        last,
    ]
    _, again = rig.sit("C1", take_over=True)
    assert again.frames[-1] == msgspec.structs.replace(last, again=True)
    (welcome,) = again.received(wire.Welcome)
    assert isinstance(welcome, wire.Welcome)
    assert welcome.name == "Grey Heron"
    assert again.frames[-2] == wire.Agreement("Read this.", "Ben")


async def test_two_persons_can_not_choose_the_same_pseudonym_at_the_same_time(
    rig: SeatsRig, record: Record
) -> None:
    # Both come before either is durable.
    rig.seats.handle(rig.judge, wire.Consent(True, "Heron"))
    rig.seats.handle(rig.confederate, wire.Consent(True, "HERON"))
    await asyncio.sleep(0)
    assert [body["seat"] for body in bodies(record, "consent")] == ["J1"]
    assert rig.confederate_console.received(wire.Refused)
    await rig.say(rig.judge, wire.Consent(True))
    await rig.say(rig.confederate, wire.Consent(True, "Heron"))
    assert [body["seat"] for body in bodies(record, "consent")] == ["J1", "J1", "C1"]


@pytest.mark.parametrize("phase", Phase)
async def test_consent_is_accepted_in_every_phase_until_the_contest_is_closed(
    rig: SeatsRig, journal: InlineJournal, record: Record, phase: Phase
) -> None:
    rig.status = Status(phase, 1, 1, None)
    await rig.say(rig.judge, wire.Consent(True))
    await journal.finish("server", ContestClosed)
    await rig.say(rig.judge, wire.Consent(False))
    assert [body["publish"] for body in bodies(record, "consent")] == [True]
    (refused,) = rig.judge_console.received(wire.Refused)
    assert isinstance(refused, wire.Refused)
    assert (refused.code, refused.answers) == ("not-now", "consent")


# Reading earlier talks


def read_past(rig: SeatsRig, frame: wire.Read, seat: str = "J1") -> wire.ToSeat:
    """The answer to a seat that asks for an earlier talk."""
    console = {"J1": rig.judge_console, "C1": rig.confederate_console}[seat]
    rig.seats.handle(rig.seats.seats[seat], frame)
    return console.frames[-1]


def close_talks(rig: SeatsRig) -> None:
    rig.hub.close_talk(rig.human)
    rig.hub.close_talk(rig.program)
    rig.status = Status(Phase.SCORING, 2, 1, None)


async def test_earlier_talk_has_only_shown_keys_and_their_times(
    rig: SeatsRig, clock: ManualClock
) -> None:
    for phase, author, n, key in (
        (Phase.INTERACTION, "entity", 1, "x"),  # before the judge: never shown
        *((Phase.INTERACTION, "judge", n, key) for n, key in enumerate("Hi", 1)),
        *((Phase.INTERACTION, "entity", n, key) for n, key in enumerate("yo", 2)),
        (Phase.PAUSED, "judge", 3, "z"),
    ):
        clock.time += 0.25
        rig.status = Status(phase, 1, 1, None)
        raw = f"{n}.{key}.other" if author == "entity" else None
        actor = rig.program.entity if author == "entity" else "J1"
        rig.hub.press(rig.program, author, actor, key, n, raw=raw)  # type: ignore[arg-type]
    await asyncio.sleep(0)
    close_talks(rig)
    assert read_past(rig, wire.Read(1, 1, "right")) == wire.Past(
        *(1, 1, "right"),
        [(0, "judge", "H"), (250, "judge", "i"), (500, "entity", "y"), (750, "entity", "o")],
    )


async def test_open_talks_and_other_seats_talks_can_not_be_read(rig: SeatsRig) -> None:
    def refused(frame: wire.Read, seat: str = "J1") -> bool:
        told = read_past(rig, frame, seat)
        return isinstance(told, wire.Refused) and told.code == "no-talk"

    rig.status = Status(Phase.SCORING, 2, 1, None)
    assert refused(wire.Read(1, 1, "left")), "it is still open"
    close_talks(rig)
    for frame in (wire.Read(1, 2, "left"), wire.Read(2, 1, "left"), wire.Read(1, 1, "only")):
        assert refused(frame)
    assert refused(wire.Read(1, 1, "only"), "C1")
    assert refused(wire.Read(1, 1, "left"), "C1")
    rig.status = Status(Phase.INTERACTION, 2, 1, None)
    assert refused(wire.Read(1, 1, "left")), "a judge's eyes belong to the talks that are on"


async def test_too_long_earlier_talk_is_cut_to_fit_the_frame(rig: SeatsRig) -> None:
    rig.program.shown = [("entity", "parenright")] * 200_000
    rig.program.shown_ns = [n * 10_000_000 for n in range(200_000)]
    close_talks(rig)
    frame = read_past(rig, wire.Read(1, 1, "right"))
    assert isinstance(frame, wire.Past)
    size = len(wire.encode(frame).encode())
    assert wire.SNAPSHOT_LIMIT - 2048 < size <= wire.SNAPSHOT_LIMIT
    assert frame.keys[-1] == ((len(frame.keys) - 1) * 10, "entity", "parenright")
