"""The desk that stands in for a server: what it takes, tells, has recorded and has made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from hypothesis import given
from hypothesis import strategies as st

from judge_console.model import SeatModel
from judge_console.model.desk import NAMES, Desk
from judge_console.model.desknotes import (
    Closed,
    Ended,
    KeyNote,
    LeftOvers,
    Note,
    Noted,
    Opening,
    Side,
    Started,
    Times,
    VerdictNote,
)
from judge_console.model.deskwork import ToMake
from judge_console.texts import load
from lpp.names import MARK
from lpp.violations import Rule
from lpp.wire import (
    Author,
    Consent,
    Hello,
    Key,
    Place,
    Press,
    Ranks,
    Read,
    Refused,
    Saved,
    State,
    Taken,
    Talk,
    ToSeat,
    Verdict,
    Welcome,
)

SIDES: tuple[Side, Side] = ("left", "right")
#: 2026-11-20, 14:03 UTC, in microseconds.
WALL = 1_795_183_380_000_000


class Carried:
    """A desk, carried by hand: notes are durable when the test says so."""

    def __init__(
        self,
        *,
        role: Literal["judge", "confederate"] = "judge",
        sides: Sequence[Side] = ("left", "right"),
        human: Side | None = "right",
        seconds: int | None = 60,
        scoring: float | None = 30,
    ) -> None:
        sitters = {side: f"of {side}" for side in sides}
        opening = Opening("A talk", role, sitters, human, seconds)
        self.desk = Desk(opening, contest_id="x", scoring=scoring, say=load("en"))
        self.now = 0.0
        self.notes: list[Note] = []
        self.waiting: list[Noted] = []
        self.frames: list[ToSeat] = []
        self.presses: list[ToMake] = []
        self.pressed: dict[Place, int] = {}
        self.heard = 0

    def begin(self, **left_overs: Sequence[str]) -> Carried:
        self.desk.receive(Hello(""), self.now)
        self.desk.open(self.now)
        self.durable()
        self.desk.ready(left_overs, self.now)  # type: ignore[arg-type]
        self.take()
        return self

    def take(self) -> None:
        """Takes what there is, and leaves the notes on their way."""
        noted = self.desk.take_notes()
        self.waiting += noted
        self.notes += [each.note for each in noted]
        self.frames += self.desk.take_frames()
        self.presses += self.desk.take_presses()

    def durable(self, count: int | None = None) -> None:
        """The next notes are durable: all, or so many."""
        self.take()
        count = len(self.waiting) if count is None else count
        batch, self.waiting = self.waiting[:count], self.waiting[count:]
        wall = [Noted(each.note, each.mono_ns, WALL + each.mono_ns // 1000) for each in batch]
        self.desk.recorded(wall, self.now)
        self.take()

    def press(self, place: Place, *keys: str) -> None:
        for key in keys:
            n = self.pressed[place] = self.pressed.get(place, 0) + 1
            self.desk.receive(Press(1, 1, place, n, key), self.now)
        self.take()

    def hear(self, place: Place, *keys: str) -> None:
        for key in keys:
            self.heard += 1
            raw = f"{self.heard:010d}.{key}.other"
            self.desk.hear(place, key, self.heard, raw, [], self.now)
        self.take()

    def pass_(self, seconds: float) -> None:
        self.now += seconds
        self.desk.tick(self.now)
        self.durable()

    def of(self, kind: type[Note]) -> list[Note]:
        return [note for note in self.notes if isinstance(note, kind)]

    @property
    def keys(self) -> list[KeyNote]:
        return [note for note in self.notes if isinstance(note, KeyNote)]

    def last(self) -> ToSeat:
        return self.frames[-1]

    def phase(self) -> str:
        return self.desk.phase

    def state(self) -> State:
        return [frame for frame in self.frames if isinstance(frame, State)][-1]


def test_a_seat_is_greeted_and_gets_its_talks_when_everything_is_ready() -> None:
    carried = Carried()
    carried.desk.receive(Hello(""), 0.0)
    carried.take()
    welcome, waiting = carried.frames
    assert isinstance(welcome, Welcome)
    assert (welcome.seat, welcome.role, welcome.contest) == ("J1", "judge", "A talk")
    assert isinstance(waiting, State)
    assert (waiting.phase, waiting.places) == ("waiting", ("left", "right"))
    carried.desk.open(0.0)
    carried.durable()
    carried.desk.ready({}, 0.0)
    carried.take()
    assert carried.state().phase == "interaction"
    assert carried.frames[-2:] == [Talk(1, 1, "left", []), Talk(1, 1, "right", [])]


def test_the_time_stands_still_until_the_judge_begins() -> None:
    carried = Carried().begin()
    assert (carried.state().remaining_ms, carried.state().speed) == (60_000, 0.0)
    assert carried.desk.due() is None
    carried.pass_(100)
    assert carried.state().phase == "interaction"
    carried.press("right", "H")
    carried.durable()
    assert (carried.state().remaining_ms, carried.state().speed) == (60_000, 1.0)
    assert carried.of(Started) == [Started()]
    carried.pass_(59.9)
    assert carried.state().phase == "interaction"
    carried.pass_(0.1)
    assert carried.state().phase == "scoring"
    assert carried.state().remaining_ms == 30_000
    assert carried.of(Ended) == [Ended("time")]


def test_a_key_is_shown_and_confirmed_only_when_it_is_on_record() -> None:
    carried = Carried().begin()
    carried.press("left", "H", "i")
    assert carried.presses == []
    assert not [frame for frame in carried.frames if isinstance(frame, Taken)]
    carried.durable(2)  # the start, and the first key
    assert carried.presses == [ToMake("left", "H", 1)]
    assert carried.last() == Taken(1, 1, "left", 1)
    carried.durable()
    carried.hear("left", "Y")
    assert not [frame for frame in carried.frames if isinstance(frame, Key)]
    carried.durable()
    assert carried.last() == Key(1, 1, "left", "entity", 1, "Y")


def test_an_entity_waits_for_the_judge_in_each_talk() -> None:
    carried = Carried().begin()
    carried.hear("left", "a")
    carried.press("right", "H")
    carried.hear("left", "b")
    carried.hear("right", "c")
    carried.press("left", "H")
    carried.hear("left", "d")
    carried.durable()
    waits = Rule.WAITS.value
    assert [(note.key, note.out_of_phase) for note in carried.keys if note.author == "entity"] == [
        *(("a", waits), ("b", waits), ("c", None), ("d", None)),
    ]
    shown = [(f.place, f.n, f.key) for f in carried.frames if isinstance(f, Key)]
    assert shown == [("right", 1, "c"), ("left", 1, "d")]


def test_a_key_has_one_name_for_all_who_see_it_and_its_own_on_record() -> None:
    carried = Carried().begin()
    carried.press("left", "Shift_L")
    carried.hear("left", "a")
    carried.press("left", "H", "\u212a")
    carried.hear("left", "!", "apostrophe", "Shift_L", "e\u0301", "\x1b")
    carried.durable()
    shown = ["exclam", "quoteright", "é", MARK]
    frames = [frame for frame in carried.frames if isinstance(frame, Key)]
    assert [(frame.key, frame.n) for frame in frames] == [
        (name, n) for n, name in enumerate(shown, 1)
    ]
    assert carried.presses == [ToMake("left", "H", 1), ToMake("left", "K", 2)]
    carried.desk.receive(Hello(""), carried.now)
    carried.take()
    keys: list[tuple[Author, str]] = [("judge", "H"), ("judge", "K")]
    keys += [("entity", name) for name in shown]
    assert Talk(1, 1, "left", keys, 3) in carried.frames
    # Shift_L began nothing that the other side could have seen.
    assert [(note.key, note.out_of_phase) for note in carried.keys] == [
        *(("Shift_L", None), ("a", Rule.WAITS.value), ("H", None), ("\u212a", None), ("!", None)),
        *(("apostrophe", None), ("Shift_L", None), ("e\u0301", None), ("\x1b", None)),
    ]


def test_what_comes_after_the_end_is_recorded_and_not_shown() -> None:
    carried = Carried().begin()
    carried.press("left", "H")
    carried.pass_(60)
    before = len(carried.presses)
    carried.press("left", "i")
    carried.hear("left", "Y")
    carried.durable()
    late = Rule.AFTER_END.value
    assert [note.out_of_phase for note in carried.keys] == [None, late, late]
    assert len(carried.presses) == before
    assert carried.last() == Taken(1, 1, "left", 2)
    carried.desk.receive(Hello(""), carried.now)
    carried.take()
    assert Talk(1, 1, "left", [("judge", "H")], 2) in carried.frames


def test_a_key_that_comes_late_by_the_clock_alone_is_after_the_end() -> None:
    carried = Carried().begin()
    carried.press("left", "H")
    carried.now += 61
    carried.hear("left", "Y")
    carried.durable()
    assert carried.keys[-1].out_of_phase == Rule.AFTER_END.value
    # The scoring has its whole time from the end that was set, however late that was seen.
    assert carried.state().remaining_ms == 29_000


def test_a_number_is_taken_once_and_none_may_be_missing() -> None:
    carried = Carried().begin()
    carried.press("left", "H", "i")
    carried.desk.receive(Press(1, 1, "left", 2, "i"), 0.0)
    carried.durable()
    assert len(carried.keys) == 2
    carried.desk.receive(Press(1, 1, "left", 1, "H"), 0.0)
    carried.take()
    assert carried.last() == Taken(1, 1, "left", 2)
    for press, code in (
        (Press(1, 1, "left", 4, "x"), "gap"),
        (Press(1, 1, "only", 1, "x"), "no-talk"),
        (Press(2, 1, "left", 3, "x"), "no-talk"),
        (Press(1, 1, "left", 3, "no such key"), "bad-key"),
    ):
        carried.desk.receive(press, 0.0)
        carried.take()
        refused = carried.last()
        assert isinstance(refused, Refused)
        assert (refused.code, refused.answers) == (code, "press")
    carried.durable()
    assert len(carried.keys) == 2


def test_a_verdict_is_saved_when_it_is_on_record_and_can_be_corrected() -> None:
    carried = Carried().begin()
    carried.press("left", "H")
    carried.durable()
    carried.desk.receive(Verdict(1, 1, "left"), carried.now)
    carried.take()
    assert carried.last() == Refused("not-now", load("en")("desk.no_verdict"), "verdict")
    carried.pass_(60)
    carried.desk.receive(Verdict(1, 1, "left", 80, "slow"), carried.now)
    carried.take()
    assert not [frame for frame in carried.frames if isinstance(frame, Saved)]
    carried.durable()
    at = "2026-11-20T14:04:00.000000Z"
    assert carried.last() == Saved("verdict", 1, at, 1, 1, "left", 80, "slow")
    carried.desk.receive(Verdict(1, 1, "right"), carried.now)
    carried.durable()
    assert carried.last() == Saved("verdict", 2, at, 1, 1, "right")
    assert carried.of(VerdictNote)[-1] == VerdictNote("right", 2)
    carried.desk.receive(Hello(""), carried.now)
    carried.take()
    assert carried.last() == Saved("verdict", 2, at, 1, 1, "right", again=True)
    carried.pass_(30)
    carried.desk.receive(Verdict(1, 1, "left"), carried.now)
    carried.durable()
    assert isinstance(carried.last(), Refused)
    assert len(carried.of(VerdictNote)) == 2


def test_the_sides_are_told_when_all_is_over_and_on_record() -> None:
    carried = Carried(human="left").begin()
    carried.press("left", "H")
    carried.pass_(60)
    carried.pass_(30)
    assert carried.phase() == "over"
    assert carried.state().phase == "scoring"
    carried.desk.close(carried.now)
    carried.take()
    assert carried.state().phase == "scoring"
    carried.durable()
    assert (carried.state().phase, carried.state().reason) == ("over", "The human was on the LEFT.")
    assert carried.notes[-1] == Closed()
    carried.desk.close(carried.now)
    carried.desk.trouble("left", "late", carried.now)
    carried.desk.breach("left", "2.A.b/name", "late", "late", carried.now)
    carried.take()
    assert carried.notes[-1] == Closed()


def test_practice_with_one_partner_ends_without_a_verdict() -> None:
    carried = Carried(sides=("left",), human=None).begin()
    carried.press("left", "H")
    carried.pass_(60)
    assert carried.phase() == "over"
    carried.desk.close(carried.now)
    carried.durable()
    assert (carried.state().phase, carried.state().reason) == ("over", "")


def test_a_talk_without_a_limit_lasts_until_it_is_ended() -> None:
    carried = Carried(seconds=None, scoring=None).begin()
    carried.press("left", "H")
    carried.pass_(100_000)
    assert (carried.state().phase, carried.state().remaining_ms) == ("interaction", None)
    carried.desk.end(carried.now)
    carried.durable()
    assert (carried.state().phase, carried.state().remaining_ms) == ("scoring", None)
    assert carried.of(Ended) == [Ended("judge")]
    carried.pass_(100_000)
    assert carried.phase() == "scoring"
    carried.desk.end(carried.now)
    assert carried.phase() == "over"


def test_a_talk_that_never_began_has_no_end() -> None:
    carried = Carried().begin()
    carried.desk.leave(1.0)
    carried.desk.close(1.0)
    carried.durable()
    assert [type(note) for note in carried.notes] == [Opening, Closed]


def test_leaving_in_the_middle_ends_the_talk_on_record() -> None:
    carried = Carried().begin()
    carried.press("left", "H")
    carried.desk.leave(5.0)
    carried.desk.close(5.0)
    carried.durable()
    assert [type(note) for note in carried.notes] == [Opening, Started, KeyNote, Ended, Closed]


def test_the_confederate_waits_and_is_the_human_of_the_only_talk() -> None:
    carried = Carried(role="confederate", sides=("left",), human="left", seconds=None).begin()
    assert carried.desk.welcome.seat == "C1"
    assert carried.state().places == ("only",)
    carried.press("only", "x")
    carried.hear("only", "H")
    carried.press("only", "Y")
    carried.durable()
    assert [(n.author, n.key, n.side, n.out_of_phase) for n in carried.keys] == [
        ("entity", "x", "left", Rule.WAITS.value),
        ("judge", "H", "left", None),
        ("entity", "Y", "left", None),
    ]
    assert carried.presses == [ToMake("only", "Y", 1)]
    assert Key(1, 1, "only", "judge", 1, "H") in carried.frames
    assert carried.last() == Taken(1, 1, "only", 2)
    carried.desk.end(1.0)
    carried.desk.close(1.0)
    carried.durable()
    assert carried.of(Ended) == [Ended("confederate")]
    assert (carried.state().phase, carried.state().reason) == ("over", "")


def test_of_left_overs_a_judge_is_told_the_sum_alone() -> None:
    carried = Carried().begin(left=["1.a.other"] * 2, right=["1.b.other"])
    assert carried.state().reason == "3 key presses of an earlier talk were cleared away."
    assert carried.of(LeftOvers) == [
        LeftOvers("left", ("1.a.other",) * 2),
        LeftOvers("right", ("1.b.other",)),
    ]


def test_left_overs_of_a_flood_come_in_parts() -> None:
    names = [f"{n}.a.other" for n in range(NAMES + 1)]
    carried = Carried().begin(left=names)
    parts = [note.names for note in carried.notes if isinstance(note, LeftOvers)]
    assert [len(part) for part in parts] == [NAMES, 1]
    assert [name for part in parts for name in part] == names


def test_times_say_when_a_key_was_durable_and_when_it_was_seen() -> None:
    carried = Carried().begin()
    carried.press("left", "H")
    carried.now = 0.25
    carried.durable()
    carried.now = 0.5
    carried.desk.made(carried.presses[0], carried.now)
    carried.hear("left", "Y")
    carried.durable()
    assert carried.of(Times) == []
    carried.pass_(1.0)
    assert carried.of(Times) == [Times("left", ((1, 250_000_000, 500_000_000),))]
    carried.desk.leave(2.0)
    carried.desk.close(2.0)
    carried.take()
    assert carried.of(Times)[1:] == [Times("left", ((2, 500_000_000, None),))]


def test_what_is_not_asked_for_is_refused_with_what_it_answers() -> None:
    carried = Carried().begin()
    for frame, answers in (
        (Ranks({}), "ranks"),
        (Consent(True), "consent"),
        (Read(1, 1, "left"), "read"),
    ):
        carried.desk.receive(frame, 0.0)
        carried.take()
        assert carried.last() == Refused(
            "not-now", "This is not asked for without a server.", answers
        )


# Properties

_acts = st.lists(
    st.one_of(
        st.tuples(st.just("press"), st.sampled_from(["left", "right"]), st.sampled_from("abc")),
        st.tuples(st.just("hear"), st.sampled_from(["left", "right"]), st.sampled_from("xyz")),
        st.tuples(st.just("durable"), st.integers(0, 4), st.none()),
        st.tuples(st.just("pass"), st.sampled_from([0.1, 1.0, 25.0]), st.none()),
    ),
    max_size=40,
)


def played(acts: Sequence[tuple[str, object, object]], human: Side) -> tuple[Carried, SeatModel]:
    """A session in which a seat's model sits at the desk, and everything is carried late."""
    carried, model = Carried(human=human), SeatModel("")

    def carry() -> None:
        moved = True
        while moved:
            carried.take()
            frames = carried.frames[len(given_) :]
            for frame in frames:
                given_.append(frame)
                model.receive(frame, carried.now)
            said = model.outgoing()
            for saying in said:
                carried.desk.receive(saying, carried.now)
            moved = bool(frames or said)

    given_: list[ToSeat] = []
    model.hello()
    carried.begin()
    carry()
    for what, which, key in acts:
        if what == "press":
            model.press(which, key)  # type: ignore[arg-type]
        elif what == "hear":
            carried.hear(which, key)  # type: ignore[arg-type]
        elif what == "durable":
            carried.durable(which)  # type: ignore[arg-type]
        else:
            carried.now += which  # type: ignore[operator]
            carried.desk.tick(carried.now)
        carry()
    carried.durable()
    carry()
    return carried, model


@given(acts=_acts)
def test_the_seat_shows_what_is_on_record_as_shown(
    acts: list[tuple[str, object, object]],
) -> None:
    carried, model = played(acts, "left")
    assert not model.needs_snapshot
    assert not model.refused
    for place in ("left", "right"):
        talk = model.talks[place]
        assert talk.unconfirmed == 0
        of_record = [n for n in carried.keys if n.side == place and n.out_of_phase is None]
        for author in ("judge", "entity"):
            recorded = [note.key for note in of_record if note.author == author]
            shown = [key for by, key in talk.shown if by == author]
            # Own keys that came after the end stand on the screen, and count for nothing.
            assert shown[: len(recorded)] == recorded
            if author == "entity":
                assert len(shown) == len(recorded)
        made = [press.key for press in carried.presses if press.place == place]
        assert made == [note.key for note in of_record if note.author == "judge"]


@given(acts=_acts)
def test_no_frame_says_where_the_human_sits_before_all_is_over(
    acts: list[tuple[str, object, object]],
) -> None:
    left, right = (played(acts, human)[0] for human in SIDES)
    before_the_end = [
        [frame for frame in carried.frames if not (isinstance(frame, State) and frame.reason)]
        for carried in (left, right)
    ]
    assert before_the_end[0] == before_the_end[1]
    reasons = [frame for frame in left.frames if isinstance(frame, State) and frame.reason]
    assert all(frame.phase == "over" for frame in reasons)
