"""Verification of the organizer's steps: longer, again, voided."""

from __future__ import annotations

from typing import Any

import pytest

from contest.record import bodies
from contest.verify.verify import verify_rows
from lpp.keypress import Rule
from tests.contest.build import Builder, rows, small
from tests.contest.verify.test_verify import red


def judged(b: Builder) -> dict[str, list[str]]:
    return red(verify_rows(rows(b)))


def late_key(b: Builder, talks: dict[str, str], extension: int | None) -> None:
    """A key after the time that was set, which was taken for late."""
    b.type(talks["E1"], "judge", "J1", "a")
    if extension is not None:
        b.write(bodies.RoundExtended(1, 1, extension, "began late"), actor="organizer")
    b.wait(300)
    b.key(talks["E1"], "judge", "J1", "b", out_of_phase=Rule.AFTER_END.value)


@pytest.mark.parametrize("extension", [None, 60])
def test_an_extension_moves_the_end(extension: int | None) -> None:
    found = judged(small(lambda b, talks: late_key(b, talks, extension)))
    if extension is None:
        assert found == {}
    else:
        assert "as after the end, which was later" in found["replay"][0]


def test_an_extension_after_the_end_is_named() -> None:
    b = small()
    b.write(bodies.RoundExtended(1, 1, 60, "too late"), actor="organizer")
    assert "it comes while the round is closed" in judged(b)["replay"][0]


def test_a_round_that_is_to_be_played_again_ends_at_once() -> None:
    def play(b: Builder, talks: dict[str, str]) -> None:
        b.type(talks["E1"], "judge", "J1", "a")
        b.write(bodies.RoundAgain(1, 1, "no power"), actor="organizer")
        b.key(talks["E1"], "judge", "J1", "b", out_of_phase=Rule.AFTER_END.value)
        b.write(bodies.RoundEnded(1, 1, "no power"), actor="organizer")
        b.close_round(1, 1, list(talks.values()))

    assert judged(small(play, close=False)) == {}


def test_a_round_that_was_never_begun_is_not_played_again() -> None:
    b = small()
    b.write(bodies.RoundAgain(1, 2, "which?"), actor="organizer")
    assert "attempt 2 of round 1 was not opened" in judged(b)["replay"][0]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"talk": "1.1.J1.left"}, ""),
        ({}, ""),
        ({"attempt": 2}, "attempt 2 of round 1 was never opened"),
        ({"round": 7}, "attempt 1 of round 7 was never opened"),
        ({"talk": "1.1.J2.left"}, "no talk of that attempt is called 1.1.J2.left"),
        ({"talk": "1.2.J1.left", "attempt": 1}, "no talk of that attempt is called"),
    ],
)
def test_what_is_voided_was_there(body: dict[str, Any], said: str) -> None:
    b = small()
    whole: dict[str, Any] = {"round": 1, "attempt": 1, "reason": "they know one another", **body}
    b.write(bodies.Voided(**whole), actor="organizer")
    found = judged(b).get("schedule", [])
    assert bool(found) == bool(said)
    assert all(said in fault for fault in found)


def test_nothing_is_voided_when_the_sides_are_known() -> None:
    b = small()
    b.reveal()
    b.write(bodies.Voided(1, 1, "it does not suit me"), actor="organizer")
    assert "it was voided after the sides were revealed" in judged(b)["seals"][0]


def test_a_ballot_that_was_not_given_can_not_be_excluded() -> None:
    b = small()
    b.write(bodies.BallotExcluded("J1", "left early"), actor="organizer")
    assert "J1 has given no ballot by then" in judged(b)["schedule"][0]


def test_no_ballot_is_excluded_when_the_sides_are_known() -> None:
    b = small()
    labels = {"a": ["1.1.J1.left"], "b": ["1.1.J1.right"]}
    b.write(bodies.RankingGiven("J1", 1, {"a": 2, "b": 4}, labels), actor="J1")
    assert judged(b) == {}
    b.reveal()
    b.write(bodies.BallotExcluded("J1", "it does not suit me"), actor="organizer")
    assert "the ballot was excluded after the sides were revealed" in judged(b)["seals"][0]


def test_a_result_that_counts_what_was_voided_is_named() -> None:
    b = small()
    b.write(bodies.Voided(1, 1, "they know one another", "1.1.J1.left"), actor="organizer")
    assert [v.counts for v in b.view().verdicts] == [False]
    b.reveal()
    b.finish()
    assert judged(b) == {}
    counted = small()
    counted.reveal()
    counted.finish()
    (result,) = [draft for draft in counted.drafts if draft.kind == "result"]
    b = small()
    b.write(bodies.Voided(1, 1, "they know one another"), actor="organizer")
    b.reveal()
    b.write(bodies.Result(**result.body))
    assert "its table is not what the verdicts and rankings give" in judged(b)["tally"][0]


@pytest.mark.parametrize(
    ("first", "out_of_phase", "said"),
    [
        # Today a key that types nothing begins no talk; earlier versions took it for the first one.
        (["Shift_L"], None, ""),
        (["Shift_L"], "3/waits", ""),
        ([], "3/waits", ""),
        ([], None, "the judge had not begun"),
        (["H"], None, ""),
        (["Shift_L", "H"], "3/waits", "marked as too early"),
    ],
)
def test_a_talk_begins_by_a_key_that_types_something(
    first: list[str], out_of_phase: str | None, said: str
) -> None:
    def play(b: Builder, talks: dict[str, str]) -> None:
        for key in first:
            b.key(talks["E1"], "judge", "J1", key)
        b.key(talks["E1"], "entity", "E1", "Y", out_of_phase=out_of_phase)

    found = judged(small(play))
    assert (said in found["replay"][0]) if said else (found == {})
