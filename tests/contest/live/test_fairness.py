"""How long keys take at each side: what is measured, and when a judge could notice."""

from __future__ import annotations

import pytest

from contest.live.fairness import ENOUGH, NOTICEABLE_MS, WINDOW, Delay, Delays, difference
from contest.record import bodies
from contest.record.bodies import Author
from contest.record.events import Draft, Event, place
from contest.state.model import Talk

MS = 1_000_000


class Measured:
    """Two talks of a desk, whose keys come and are shown by hand."""

    def __init__(self, speed: float = 1.0) -> None:
        self.delays = Delays(speed)
        self.talks = {
            "left": Talk("1.1.J1.left", 1, 1, "J1", "E1", "left"),
            "right": Talk("1.1.J1.right", 1, 1, "J1", "C1", "right"),
        }
        self.times: dict[str, dict[int, list[int | None]]] = {
            talk.id: {} for talk in self.talks.values()
        }
        self.now = 0
        self._seq = 0

    def event(self, talk: Talk, body: bodies.AnyBody) -> Event:
        self._seq += 1
        draft = Draft(talk.id, "", self.now, "x", body.kind, bodies.to_json(body))
        event = place(draft, self._seq, "0" * 64)
        self.delays.take(event)
        return event

    def key(
        self,
        side: str,
        author: Author,
        durable_ms: int,
        shown_ms: int | None,
        out_of_phase: str | None = None,
    ) -> int:
        """A key a tenth of a second after the last one; the hub's times are as it has them."""
        self.now += 100 * MS
        talk = self.talks[side]
        body = bodies.Key(author, talk.side, "a", 1, out_of_phase=out_of_phase)
        event = self.event(talk, body)
        if out_of_phase is None:
            shown = None if shown_ms is None else event.mono_ns + shown_ms * MS
            self.times[talk.id][event.seq] = [event.seq, event.mono_ns + durable_ms * MS, shown]
        return event.seq

    def flush(self, side: str) -> None:
        talk = self.talks[side]
        self.event(talk, bodies.Times(list(self.times[talk.id].values())))
        self.times[talk.id].clear()

    def of(self, side: str, author: Author) -> Delay | None:
        talk = self.talks[side]
        return self.delays.of(talk, author, self.times[talk.id], self.now)

    def difference(self) -> bodies.DelaysDiffer | None:
        authors: tuple[Author, Author] = ("judge", "entity")
        measured = {
            (talk.id, author): self.of(side, author)
            for side, talk in self.talks.items()
            for author in authors
        }
        return difference(self.talks["left"], self.talks["right"], measured)


def test_what_is_measured_is_the_same_before_and_after_it_is_on_record() -> None:
    made = Measured()
    for shown in (20, 30, 1000):
        made.key("left", "entity", 5, shown)
    made.key("left", "entity", 5, None)
    made.key("left", "entity", 5, 5000, out_of_phase="3/waits")
    made.key("left", "judge", 5, 7)
    for _ in range(2):
        delay = made.of("left", "entity")
        assert delay is not None
        assert (delay.keys, delay.whole, delay.console) == (3, 30, 25)
        other = made.of("left", "judge")
        assert other is not None
        assert (other.keys, other.whole, other.console) == (1, 7, 2)
        assert made.of("right", "entity") is None
        made.flush("left")


def test_only_the_last_minute_counts_and_nothing_of_a_talk_that_is_closed() -> None:
    made = Measured()
    made.key("left", "entity", 5, 500)
    made.flush("left")
    made.now += round(WINDOW * 1e9) - 50 * MS
    assert made.of("left", "entity") is not None
    made.key("left", "entity", 5, 20)
    delay = made.of("left", "entity")
    assert delay is not None
    assert (delay.keys, delay.whole) == (1, 20)
    made.event(made.talks["left"], bodies.TalkClosed())
    assert made.of("left", "entity") is None


@pytest.mark.parametrize("author", ["judge", "entity"])
@pytest.mark.parametrize("speed", [1.0, 60.0])
def test_a_judge_could_notice_when_the_medians_are_far_apart(author: Author, speed: float) -> None:
    def typed(left_ms: int, right_ms: int, keys: int) -> bodies.DelaysDiffer | None:
        made = Measured(speed)
        for _ in range(keys):
            made.key("left", author, 5, round(left_ms * speed))
            made.key("right", author, 5, round(right_ms * speed))
        return made.difference()

    far = 10 + NOTICEABLE_MS
    assert typed(10, far, ENOUGH) is None, "not more than what can be noticed"
    assert typed(10, 10 * far, ENOUGH - 1) is None, "a few slow keys are no rule"
    to: Author = "judge" if author == "entity" else "entity"
    assert typed(10, far + 1, ENOUGH) == bodies.DelaysDiffer(1, 1, "J1", to, 10, far + 1)
    assert typed(far + 1, 10, ENOUGH) == bodies.DelaysDiffer(1, 1, "J1", to, far + 1, 10)


def test_one_side_alone_says_nothing() -> None:
    made = Measured()
    for _ in range(3 * ENOUGH):
        made.key("left", "entity", 5, 900)
    assert made.difference() is None
