"""Transcripts: what stood, what was typed, when."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from contest.history.timeline import read
from contest.history.transcript import (
    Line,
    as_text,
    as_typed,
    clock,
    in_words,
    transcribe,
)
from contest.history.views import TalkView
from contest.record import bodies
from lpp.keypress import Rule
from lpp.lines import Pane
from lpp.names import keys_of
from tests.contest.build import SECOND, Builder, contest, small


def talk_of(b: Builder, entity: str = "E1") -> TalkView:
    return next(talk for talk in b.view().talks if talk.entity == entity)


def typed(*parts: tuple[bodies.Author, str]) -> tuple[Line, ...]:
    def play(b: Builder, talks: dict[str, str]) -> None:
        for author, text in parts:
            b.type(talks["E1"], author, "J1" if author == "judge" else "E1", text)

    return transcribe(talk_of(small(play))).lines


def test_lines_come_in_the_order_in_which_they_were_begun() -> None:
    lines = typed(("judge", "Hello, Jim.\n"), ("entity", "How are you?"), ("judge", "Fine"))
    assert [(line.author, line.text, line.finished) for line in lines] == [
        ("judge", "Hello, Jim.", True),
        ("entity", "How are you?", False),
        ("judge", "Fine", False),
    ]


def test_backspace_takes_a_newline_too() -> None:
    (line,) = typed(("judge", "ab\n\bc\bd\n"))
    assert line.text == "abd"
    assert line.typed == "ab⏎←c←d⏎"
    assert line.corrected


def test_backspace_at_the_very_beginning_takes_nothing() -> None:
    (line,) = typed(("judge", "\b\bhi\n"))
    assert (line.text, line.typed) == ("hi", "←←hi⏎")


def test_what_was_taken_back_is_told_apart_from_what_stands() -> None:
    (line,) = typed(("judge", "helo\blo\n\b!\n"))
    assert line.runs == (("hel", True), ("o", False), ("lo", True), ("⏎", False), ("!", True))


def test_a_line_of_which_nothing_stands_is_on_record() -> None:
    (line,) = typed(("judge", "no\b\b"))
    assert (line.text, line.typed, line.finished) == ("", "no←←", False)


def test_an_empty_line_is_a_line() -> None:
    assert [line.text for line in typed(("judge", "\n\nx\n"))] == ["", "", "x"]


def test_keys_that_type_nothing_are_in_what_was_typed_only() -> None:
    def play(b: Builder, talks: dict[str, str]) -> None:
        for key in ("a", "Shift_L", "who\x1bknows", "b"):
            b.key(talks["E1"], "judge", "J1", key)

    (line,) = transcribe(talk_of(small(play))).lines
    assert line.text == "ab"
    assert line.typed == "a<Shift_L><who\\x1bknows>b"


def test_keys_out_of_phase_are_no_part_of_a_transcript() -> None:
    def play(b: Builder, talks: dict[str, str]) -> None:
        b.key(talks["E1"], "entity", "E1", "x", out_of_phase=Rule.WAITS.value)
        b.type(talks["E1"], "judge", "J1", "y")

    written = transcribe(talk_of(small(play)))
    assert [line.text for line in written.lines] == ["y"]
    assert (written.entity.keys, written.entity.out_of_phase) == (0, 1)
    assert in_words(written.entity) == "no key pressed; 1 key out of phase, never shown"


def test_typing_is_counted() -> None:
    def play(b: Builder, talks: dict[str, str]) -> None:
        b.type(talks["E1"], "judge", "J1", "ab\bc\n")
        b.wait(60)
        b.type(talks["E1"], "judge", "J1", "d")

    typing = transcribe(talk_of(small(play))).judge
    assert (typing.keys, typing.backspaces, typing.returns, typing.characters) == (6, 1, 1, 4)
    assert (typing.first_ms, typing.median_gap_ms) == (150, 150)


def test_offsets_leave_pauses_out() -> None:
    def play(b: Builder, talks: dict[str, str]) -> None:
        b.type(talks["E1"], "judge", "J1", "a\n")
        b.write(bodies.RoundPaused(1, 1, "alarm"))
        b.wait(100)
        b.write(bodies.RoundResumed(1, 1))
        b.type(talks["E1"], "judge", "J1", "b\n")

    first, second = transcribe(talk_of(small(play))).lines
    assert (first.offset_ms, second.offset_ms) == (150, 450)


def test_a_record_that_stops_in_a_pause_can_be_transcribed() -> None:
    def play(b: Builder, talks: dict[str, str]) -> None:
        b.type(talks["E1"], "judge", "J1", "a")
        b.write(bodies.RoundPaused(1, 1, "alarm"))

    b = small(play, close=False)
    assert transcribe(talk_of(b)).lines[0].text == "a"


def test_clock() -> None:
    assert [clock(ms) for ms in (0, 999, 61_000, 1_500_000, 6_000_000, -900, -2_500)] == [
        *("00:00", "00:00", "01:01", "25:00", "100:00", "00:00", "-00:02")
    ]


def test_as_text() -> None:
    b = contest()
    talk = next(t for t in b.view().talks if t.entity == "E3" and t.round == 1)
    text = as_text(b.view(), talk)
    assert text.startswith("Round 1: J3 (Judge 3) with E3 (judge left), ")
    assert "[00:17] E3: Helo there!\n" in text
    assert "[00:17] E3: Helo←←lo there!⏎←⏎\n" in text
    assert "(unfinished)" in text
    assert "E3: 44 keys, 3 BackSpaces, median gap 150 ms\n" in text


def test_as_text_of_a_talk_in_which_nobody_typed() -> None:
    b = small()
    assert "(nobody typed anything)" in as_text(b.view(), talk_of(b))


def test_an_attempt_that_does_not_count_says_so() -> None:
    view = contest().view()
    talk = next(t for t in view.talks if not t.counts)
    assert "attempt 1 (does not count)" in as_text(view, talk)


def test_as_typed_shows_each_sign_key() -> None:
    assert as_typed(["Tab", "Return", "BackSpace", "space", "a"]) == "⇥⏎← a"


@given(st.text(alphabet="ab \b\n", max_size=60))
def test_lines_hold_what_the_pane_holds(text: str) -> None:
    lines = typed(("judge", text))
    said = "".join(line.text + "\n" * line.finished for line in lines)
    assert said == Pane(keys_of(text)).text
    assert "".join(line.typed for line in lines) == as_typed(keys_of(text))


def test_times_are_wall_times_of_the_contest_whatever_its_speed() -> None:
    fast, slow = contest(again=False, speed=60_000).view(), contest(again=False).view()
    assert [fast.wall_text(key.mono_ns) for talk in fast.talks for key in talk.keys] == [
        slow.wall_text(key.mono_ns) for talk in slow.talks for key in talk.keys
    ]


def test_a_record_is_read_as_far_as_it_goes() -> None:
    events = contest().events
    whole = read(events)
    for end in range(1, len(events), 97):
        view = read(events[:end])
        assert view.events == end
        assert len(view.talks) <= len(whole.talks)
        for talk in view.talks:
            transcribe(talk)


def test_the_attempt_that_counts_is_the_last_one_closed() -> None:
    view = contest().view()
    assert [(r.number, r.attempt, r.counts) for r in view.rounds] == [
        *((1, 1, True), (2, 1, False), (2, 2, True), (3, 1, True), (4, 1, True))
    ]
    assert {talk.counts for talk in view.talks if (talk.round, talk.attempt) == (2, 1)} == {False}


def test_durable_and_shown_come_from_the_times() -> None:
    key = next(t for t in contest().view().talks if t.counts).shown("judge")[0]
    assert key.durable_ns == key.mono_ns + 3_000_000
    assert key.shown_ns == key.mono_ns + 9_000_000


def test_offset_of_a_pause_is_reported_with_its_round() -> None:
    (pause,) = next(r for r in contest().view().rounds if r.number == 3).pauses
    assert pause[1] is not None
    assert pause[1] - pause[0] == round(29.15 * SECOND)
