"""Whether a result is provisional or final, in words."""

from __future__ import annotations

import pytest

from contest.history.tallying import result_body, tally_of
from contest.record import bodies
from contest.results.finality import is_settled, state_in_words
from tests.contest.build import Builder, brief, small

LABELS = {"a": ["1.1.J1.left"], "b": ["1.1.J1.right"]}


def state(b: Builder) -> tuple[bool, str]:
    view = b.view()
    tally = tally_of(view)
    return is_settled(view, tally), state_in_words(view, tally)


def ranked() -> Builder:
    """A contest of one pairing with everything in and its result on record."""
    b = small()
    b.write(bodies.RankingGiven("J1", 1, {"a": 2, "b": 4}, LABELS), actor="J1")
    b.reveal()
    b.write(result_body(b.view()))
    return b


def test_a_contest_that_is_on_says_what_is_missing() -> None:
    assert state(small(close=False)) == (False, "Provisional: 1 verdict is missing.")
    assert state(small()) == (False, "Provisional: there is no ballot of J1.")


def test_what_is_all_in_waits_for_somebody_to_say_so() -> None:
    assert state(ranked()) == (
        False,
        "Provisional: everything is in, and nobody has declared it final yet.",
    )


@pytest.mark.parametrize("two", [False, True])
def test_what_is_final_names_who_said_so(two: bool) -> None:
    b = ranked()
    if two:
        order = {"action": "final"}
        other = bodies.OrderProposed(1, {"action": "void", "what": "1.1"}, "x", 1, 1, "over")
        b.write(other, actor="organizer")
        b.write(bodies.OrderConfirmed(1), actor="witness")
        b.write(bodies.OrderProposed(2, order, "ok", 1, 1, "over"), actor="organizer")
        b.write(bodies.OrderConfirmed(2), actor="witness")
    b.write(bodies.DeclaredFinal("no objection"), actor="organizer")
    b.write(bodies.ContestClosed(b.chains.heads()))
    confirmed = ", confirmed by the witness" * two
    assert state(b) == (True, f"Final: declared by the organizer{confirmed} (no objection).")


def test_what_was_not_waited_for_is_named() -> None:
    b = small()
    b.reveal()
    b.write(result_body(b.view()))
    left = ["there is no ballot of J1"]
    b.write(bodies.DeclaredFinal("the hall closes", left), actor="organizer")
    b.write(bodies.ContestClosed(b.chains.heads()))
    assert state(b)[1] == (
        "Final: declared by the organizer (the hall closes); not waited for: there is no ballot of "
        "J1."
    )


def test_a_contest_that_plays_by_itself_is_final_when_it_is_closed() -> None:
    assert state(brief()) == (True, "Final: all verdicts are in, and the contest is closed.")
    b = small(close=False)
    b.reveal()
    b.finish()
    assert state(b)[1] == "Provisional: 1 verdict is missing, and there is no ballot of J1."
