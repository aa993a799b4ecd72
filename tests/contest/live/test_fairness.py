"""Tests the measured delays of keys on each side, and when a judge could notice a difference."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from contest.live.hub import FAIR_MS, KEYS_FOR_MEDIAN, WINDOW, Hub, Progress
from contest.record.bodies import Author, DelaysDiffer, Place
from contest.state.model import Talk
from contest.state.phases import Phase

MS = 1_000_000
LEFT = Talk("1.1.J1.left", 1, 1, "J1", "E1", "left")
RIGHT = Talk("1.1.J1.right", 1, 1, "J1", "C1", "right")
DESK: dict[Place, Talk] = {"left": LEFT, "right": RIGHT}

#: Talk and author to milliseconds for each key: its receipt, and from then until it was durable and
#: seen.
Timings = dict[tuple[str, Author], list[tuple[int, int, int]]]


def hub_with(timings: Timings, speed: float = 1.0) -> Hub:
    """A hub that has only the times of keys."""
    clock = SimpleNamespace(speed=speed)
    hub = Hub(SimpleNamespace(clock=clock), lambda: Phase.INTERACTION)  # type: ignore[arg-type]
    hub.progress = {talk.id: Progress({}, {}) for talk in (LEFT, RIGHT)}
    for (talk_id, author), given in timings.items():
        hub.progress[talk_id].timings[author].extend(
            (at * MS, (at + first) * MS, (at + then) * MS) for at, first, then in given
        )
    return hub


def test_delay_is_the_median_of_the_last_minute_of_an_open_talk() -> None:
    talk = Talk("1.1.J1.left", 1, 1, "J1", "E1", "left")
    delays = hub_with({(talk.id, "entity"): [(0, 5, 500), *((9, 5, ms) for ms in (20, 30, 1000))]})
    now = round(WINDOW * 1e9) + 5 * MS
    delay = delays.delay(talk, "entity", now)
    assert delay is not None
    assert (delay.keys, delay.whole, delay.console) == (3, 30, 25)
    assert delays.delay(talk, "judge", now) is None
    assert delays.delay(talk, "entity", 2 * now) is None
    talk.closed_ns = now
    assert delays.delay(talk, "entity", now) is None


@pytest.mark.parametrize("author", ["judge", "entity"])
@pytest.mark.parametrize("speed", [1.0, 60.0])
def test_large_difference_of_medians_is_reported(author: Author, speed: float) -> None:
    def typed(left_ms: int, right_ms: int, keys: int) -> DelaysDiffer | None:
        timings: Timings = {
            (talk.id, author): [(0, 5, round(ms * speed))] * keys
            for talk, ms in ((LEFT, left_ms), (RIGHT, right_ms))
        }
        return hub_with(timings, speed).delay_difference(DESK, 0)

    to: Author = "judge" if author == "entity" else "entity"
    far = 10 + FAIR_MS[to]
    assert typed(10, far, KEYS_FOR_MEDIAN) is None, "too small to be noticed"
    assert typed(10, 10 * far, KEYS_FOR_MEDIAN - 1) is None, "a few slow keys are not enough"
    assert typed(10, far + 1, KEYS_FOR_MEDIAN) == DelaysDiffer(1, 1, "J1", to, 10, far + 1)
    assert typed(far + 1, 10, KEYS_FOR_MEDIAN) == DelaysDiffer(1, 1, "J1", to, far + 1, 10)


def test_difference_by_chance_is_not_reported() -> None:
    """Keys wait for the screen's next frame, some longer than others."""

    def desk(later: int, keys: int) -> DelaysDiffer | None:
        frames = [(0, 5, 20 + n * 7 % 17) for n in range(keys)]
        shifted = [(0, 5, 20 + (n + 8) * 7 % 17 + later) for n in range(keys)]
        return hub_with(
            {(LEFT.id, "entity"): frames, (RIGHT.id, "entity"): shifted}
        ).delay_difference(DESK, 0)

    assert desk(3, KEYS_FOR_MEDIAN) is None
    assert desk(2, 300) is None
    assert desk(5, 300) is not None


def test_one_side_alone_is_not_compared() -> None:
    delays = hub_with({(LEFT.id, "entity"): [(0, 5, 900)] * 3 * KEYS_FOR_MEDIAN})
    assert delays.delay_difference(DESK, 0) is None
    assert delays.delay_difference({"left": LEFT}, 0) is None
