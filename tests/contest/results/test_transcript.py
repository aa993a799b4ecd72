"""Tests transcripts: the text that remained, the keys as typed, and the times."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.record import bodies
from contest.record.bodies import Author
from contest.record.reading import ListLog
from contest.results.contest import Contest
from contest.results.transcript import (
    Line,
    as_text,
    as_typed,
    clock,
    transcribe,
    typing_in_words,
)
from lpp.keypress import Rule
from lpp.lines import Pane
from lpp.names import keys_of
from tests.contest.build import SECOND, Builder, brief, contest, small


def written(b: Builder) -> tuple[list[Line], dict[Author, dict[str, Any]]]:
    """The transcript of the talk of J1 with E1."""
    read = b.read()
    return transcribe(read, next(talk for talk in read.talks if talk.entity == "E1"))


def typed(*parts: tuple[Author, str]) -> list[Line]:
    def play(b: Builder, talks: dict[str, str]) -> None:
        for author, text in parts:
            b.type(talks["E1"], author, "J1" if author == "judge" else "E1", text)

    return written(small(play))[0]


def all_of(line: Line) -> str:
    """All keys of a line: as typed, or its text if nothing was deleted."""
    typed: str = line.get("typed", line["text"] + "⏎" * line["finished"])
    return typed


def test_lines_are_in_the_order_of_their_beginnings() -> None:
    lines = typed(("judge", "Hello, Jim.\n"), ("entity", "How are you?"), ("judge", "Fine"))
    assert [(line["author"], line["text"], line["finished"]) for line in lines] == [
        ("judge", "Hello, Jim.", True),
        ("entity", "How are you?", False),
        ("judge", "Fine", False),
    ]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("ab\n\bc\bd\n", [("abd", "ab⏎←c←d⏎")]),  # BackSpace removes a newline, too
        ("\b\bhi\n", [("hi", "←←hi⏎")]),
        ("no\b\b", [("", "no←←")]),
        ("\n\nx\n", [("", "⏎"), ("", "⏎"), ("x", "x⏎")]),
    ],
)
def test_a_line_has_its_final_text_and_its_keys(text: str, lines: list[tuple[str, str]]) -> None:
    assert [(line["text"], all_of(line)) for line in typed(("judge", text))] == lines


@given(st.text(alphabet="ab \b\n", max_size=60))
def test_lines_match_the_pane(text: str) -> None:
    lines = typed(("judge", text))
    said = "".join(line["text"] + "\n" * line["finished"] for line in lines)
    assert said == Pane(keys_of(text)).text
    assert "".join(map(all_of, lines)) == as_typed(keys_of(text))


def test_keys_that_type_nothing_are_only_in_the_typed_keys() -> None:
    def play(b: Builder, talks: dict[str, str]) -> None:
        for key in ("a", "Shift_L", "who\x1bknows", "b"):
            b.key(talks["E1"], "judge", "J1", key)

    (line,) = written(small(play))[0]
    assert (line["text"], line["typed"]) == ("ab", "a<Shift_L><who\\x1bknows>b")


def test_keys_out_of_phase_are_counted_but_not_in_the_transcript() -> None:
    def play(b: Builder, talks: dict[str, str]) -> None:
        b.key(talks["E1"], "entity", "E1", "x", out_of_phase=Rule.WAITS.value)
        b.type(talks["E1"], "judge", "J1", "ab\bc\n")
        b.wait(60)
        b.type(talks["E1"], "judge", "J1", "d")

    lines, typing = written(small(play))
    assert [line["text"] for line in lines] == ["ac", "d"]
    assert typing_in_words(typing["entity"]) == "no key pressed; 1 key out of phase, never shown"
    assert list(typing["judge"].values()) == [6, 1, 1, 4, 300, 150, 0]


def test_offsets_do_not_count_pauses() -> None:
    def play(b: Builder, talks: dict[str, str]) -> None:
        b.type(talks["E1"], "judge", "J1", "a\n")
        b.write(bodies.RoundPaused(1, 1, "alarm"))
        b.wait(100)
        b.write(bodies.RoundResumed(1, 1))
        b.type(talks["E1"], "judge", "J1", "b\n")
        b.write(bodies.RoundPaused(1, 1, "again"))

    # The record ends during the second pause.
    assert [line["offset_ms"] for line in written(small(play, close=False))[0]] == [150, 450]
    (pause,) = next(r for r in contest().read().attempts if r.number == 3).pauses
    assert pause[1] is not None
    assert pause[1] - pause[0] == round(29.15 * SECOND)


def test_times_are_formatted_as_minutes_and_seconds() -> None:
    assert [clock(ms) for ms in (0, 999, 61_000, 1_500_000, 6_000_000, -900, -2_500)] == [
        *("00:00", "00:00", "01:01", "25:00", "100:00", "00:00", "-00:02")
    ]


def test_a_transcript_as_text() -> None:
    read = contest().read()
    text = as_text(read, next(t for t in read.talks if t.entity == "E3" and t.round == 1))
    assert text.startswith("Round 1: J3 (Judge 3) with E3 (judge left), ")
    assert "[00:17] E3: Helo there!\n" in text
    assert "[00:17] E3: Helo←←lo there!⏎←⏎\n" in text
    assert "(unfinished)" in text
    assert "E3: 44 keys, 3 BackSpaces, median gap 150 ms\n" in text
    void = as_text(read, next(talk for talk in read.talks if not read.counts(talk)))
    assert "attempt 1 (does not count)" in void
    silent = small().read()
    assert "(nobody typed anything)" in as_text(silent, silent.talks[0])
    assert as_typed(["Tab", "Return", "BackSpace", "space", "a"]) == "⇥⏎← a"


def test_wall_times_follow_the_contests_clock_at_any_speed() -> None:
    def times(read: Contest) -> list[str]:
        return [read.wall_text(key.mono_ns) for talk in read.talks for key in read.keys(talk.id)]

    assert times(contest(again=False, speed=60_000).read()) == times(contest(again=False).read())


def test_an_unfinished_record_is_read_to_its_end() -> None:
    events = brief().events
    for end in range(1, len(events), 61):
        read = Contest.of(ListLog(events[:end]))
        assert read.log.count() == end
        for talk in read.talks:
            transcribe(read, talk)


def test_durable_and_shown_times_come_from_the_times_events() -> None:
    read = contest().read()
    key = read.shown(next(talk for talk in read.talks if read.counts(talk)), "judge")[0]
    assert key.durable_ns == key.mono_ns + 3_000_000
    assert key.shown_ns == key.mono_ns + 9_000_000
