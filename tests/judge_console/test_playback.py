"""Tests the replay of a recording, with a clock that the test advances."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge_console.model.playback import Playback, recording_of
from lpp.conversation import Author, Conversation
from lpp.lines import Pane
from lpp.log2012 import Place
from lpp.recording import RecordedKey, Recording
from lpp.wire import Past

DATA = Path(__file__).parents[3] / "shared" / "data" / "2012"
REAL = sorted(DATA.glob("*.log"))
real_logs = pytest.mark.parametrize("file", REAL, ids=lambda file: file.name[8:-4])

SIDES: tuple[Place, ...] = ("left", "right")
AUTHORS: tuple[Author, ...] = ("judge", "entity")


def recording(*presses: tuple[float, Place, Author, str]) -> Recording:
    return Recording(
        "a",
        (),
        {"left": "program", "right": "human"},
        tuple(
            RecordedKey(round(at * 1_000_000), side, author, key, n)
            for n, (at, side, author, key) in enumerate(presses, 1)
        ),
    )


SMALL = recording(
    (100.0, "left", "judge", "H"),
    (100.5, "left", "judge", "i"),
    (100.5, "right", "entity", "x"),
    (99.0, "left", "judge", "Return"),  # no gap
    (101.0, "left", "entity", "Y"),
)


def shown(playback: Playback) -> dict[tuple[Place, Author], str]:
    return {
        (side, author): talk.text(author)
        for side, talk in playback.talks.items()
        for author in AUTHORS
    }


def blocks(talk: Conversation) -> list[tuple[object, ...]]:
    return [(b.author, b.text, b.ended, b.continues, b.settled) for b in talk.blocks]


# Playing


def test_keys_appear_when_they_are_due() -> None:
    playback = Playback(SMALL)
    assert playback.duration == 2.5
    assert playback.advance(10) == ()  # paused until `play` is called
    assert blocks(playback.talks["left"]) == []
    playback.play()
    assert [press.key for press in playback.advance(0.25)] == ["H"]
    assert playback.advance(0.2499) == ()
    assert [press.key for press in playback.advance(0.0002)] == ["i", "x", "Return"]
    assert playback.talks["left"].text("judge") == "Hi\n"
    playback.playing = False
    assert playback.advance(10) == ()
    playback.play()
    playback.set_speed(4)
    assert [press.key for press in playback.advance(0.5)] == ["Y"]
    assert playback.at_end
    assert not playback.playing
    assert playback.advance(1) == ()
    assert playback.position == playback.duration


# Seeking


presses = st.lists(
    st.tuples(
        st.sampled_from([0.0, 0.0, 0.25, 1.0, -3.0, 0.000001]),
        st.sampled_from(SIDES),
        st.sampled_from(AUTHORS),
        st.sampled_from(["a", "space", "period", "Return", "BackSpace", "Tab", "Shift_L", " "]),
    ),
    max_size=40,
)


def of_gaps(keys: list[tuple[float, Place, Author, str]]) -> Recording:
    at, made = 50.0, []
    for gap, side, author, key in keys:
        at += gap
        made.append((at, side, author, key))
    return recording(*made)


@given(presses, st.lists(st.floats(-1, 12), min_size=1, max_size=6))
def test_seeking_gives_the_same_result_as_playing(
    keys: list[tuple[float, Place, Author, str]], positions: list[float]
) -> None:
    recorded = of_gaps(keys)
    sought = Playback(recorded)
    for position in positions:
        before = dict(sought.talks)
        redrawn = sought.seek(position)
        assert redrawn == (before != sought.talks)
        played = Playback(recorded)
        played.play()
        taken: list[RecordedKey] = []
        while played.playing and played.position < sought.position:
            taken += played.advance(min(0.3, sought.position - played.position))
        assert played.position == pytest.approx(sought.position)
        played.seek(sought.position)  # allows for rounding in sums of floats
        assert sought.taken == played.taken
        assert shown(sought) == shown(played)
        for side in SIDES:
            assert blocks(sought.talks[side]) == blocks(played.talks[side])
            keys_until = recorded.presses[: sought.taken]
            for author in AUTHORS:
                here = [p.key for p in keys_until if (p.side, p.author) == (side, author)]
                assert sought.talks[side].text(author) == Pane(here).text


# A judge's earlier talk


def test_an_earlier_talk_becomes_a_recording() -> None:
    past = Past(2, 1, "right", [(0, "judge", "H"), (250, "judge", "i"), (900, "entity", "Y")])
    recorded = recording_of(past)
    assert recorded.entities == {"right": "entity"}
    playback = Playback(recorded)
    assert playback.duration == 0.9
    playback.seek(0.3)
    assert playback.talks["right"].text("judge") == "Hi"
    assert playback.talks["right"].text("entity") == ""
    assert recording_of(Past(1, 1, "only", [])).entities == {"left": "entity"}
