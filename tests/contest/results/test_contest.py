"""Tests the tally from a record: which verdicts and ballots count, and when the result is final."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from contest.errors import RecordTrouble
from contest.record import bodies
from contest.results.contest import Contest
from contest.state.incidents import in_words
from contest.verify.verify import verify_rows
from scheduler import Choice, Pairing, schedule_2010
from scheduler.rules import rules_of
from tests.contest.build import (
    FOOLED,
    Builder,
    brief,
    changed,
    contest,
    results_json,
    rows,
    save,
    settings,
    small,
)


def opposite(b: Builder) -> bodies.Place:
    return "right" if b.sides[1, 1, "J1"][0] == "left" else "left"


def test_verdicts_name_entries_or_confederates() -> None:
    schedule, verdicts, _ = contest().read().counted
    assert schedule == schedule_2010()
    assert {v.pairing for v in verdicts} == set(schedule.pairings)
    for verdict in verdicts:
        fooled = (verdict.pairing.round, verdict.pairing.judge) in FOOLED
        assert verdict.choice is (Choice.ENTRY if fooled else Choice.CONFEDERATE)


def test_the_highest_version_of_a_verdict_counts() -> None:
    b = small()
    b.write(bodies.VerdictGiven(1, 1, "J1", opposite(b), 2))
    (verdict,) = b.read().counted[1]
    assert verdict.choice is Choice.ENTRY


def test_a_verdict_counts_once_its_round_is_closed() -> None:
    b = small(close=False)
    b.write(bodies.VerdictGiven(1, 1, "J1", opposite(b), 1))
    assert b.read().counted[1] == []
    tally = b.read().tally
    assert tally.open == (Pairing(1, "J1", "E1", "C1"),)
    assert tally.table == {"J1": {"E1": None}}


def test_only_verdicts_of_the_attempt_that_counts_count() -> None:
    b = contest()
    first = [v for v in b.read().verdicts if (v.body.round, v.body.attempt) == (2, 1)]
    assert first == []
    b = Builder()
    b.open(schedule_2010())
    pairing = schedule_2010().pairings[0]
    for attempt in (1, 2):
        b.write(bodies.RoundOpened(1, attempt))
        talks = b.seat(1, attempt, pairing)
        b.write(bodies.RoundStarted(1, attempt, 300))
        b.wait(301)
        b.write(bodies.RoundEnded(1, attempt, "time"))
        side = b.sides[1, attempt, "J1"][0]
        b.write(bodies.VerdictGiven(1, attempt, "J1", side if attempt == 1 else _other(side), 1))
        b.close_round(1, attempt, list(talks.values()))
    (verdict,) = b.read().counted[1]
    assert verdict.choice is Choice.ENTRY


def _other(side: bodies.Place) -> bodies.Place:
    return "right" if side == "left" else "left"


def test_labels_become_participants_with_their_half_ranks() -> None:
    _, _, ballots = contest().read().counted
    ranks = {ballot.judge: {r.participant: r.value for r in ballot.ranks} for ballot in ballots}
    assert ranks["J1"] == {
        **{f"C{n}": n for n in range(1, 5)},
        **{f"E{n}": n + 4 for n in range(1, 5)},
    }
    assert ranks["J4"]["E1"] == ranks["J4"]["E2"] == Fraction(11, 2)


def test_the_last_ballot_counts() -> None:
    b = small()
    labels = {"a": ["1.1.J1.left"], "b": ["1.1.J1.right"]}
    b.write(bodies.RankingGiven("J1", 1, {"a": 2, "b": 4}, labels))
    b.write(bodies.RankingGiven("J1", 2, {"a": 4, "b": 2}, labels))
    (ballot,) = b.read().counted[2]
    left = next(t.entity for t in b.read().talks if t.side == "left")
    assert {r.participant: r.value for r in ballot.ranks}[left] == 2


def test_a_participant_with_two_labels_gets_their_mean_rank() -> None:
    b = Builder()
    b.open(schedule_2010())
    talks = []
    for number in (1, 2):
        b.write(bodies.RoundOpened(number, 1))
        talks.append(b.seat(number, 1, Pairing(number, "J1", "E1", f"C{number}")))
    labels = {
        "a": [talks[0]["E1"]],
        "b": [talks[0]["C1"]],
        "c": [talks[1]["E1"]],
        "d": [talks[1]["C2"]],
    }
    # E1 is fourth and first, so its mean is 2.5: between C1 (second) and C2 (third).
    b.write(bodies.RankingGiven("J1", 1, {"a": 8, "b": 4, "c": 2, "d": 6}, labels))
    (ballot,) = b.read().counted[2]
    assert {r.participant: r.value for r in ballot.ranks} == {"C1": 1, "E1": 2, "C2": 3}
    # First and third: its mean is 2, tied with C1.
    b.write(bodies.RankingGiven("J1", 2, {"a": 2, "b": 4, "c": 6, "d": 8}, labels))
    (ballot,) = b.read().counted[2]
    assert {r.participant: r.value for r in ballot.ranks} == {
        "C1": Fraction(3, 2),
        "E1": Fraction(3, 2),
        "C2": 3,
    }


def test_labels_without_a_talk_are_left_out() -> None:
    b = small()
    b.write(bodies.RankingGiven("J1", 1, {"a": 2}, {"a": ["9.9.J1.left"]}))
    assert b.read().counted[2] == []


def test_the_official_result_is_exact() -> None:
    result = contest().read().result()
    assert result.winners == ["E4"]
    assert result.table["J1"] == {"E1": 1, "E2": 0, "E3": 1, "E4": 1}
    assert result.entries[1] == {
        "entry": "E1",
        "score": 1,
        "mean_rank": "41/8",
        "place": 2,
        "tied": False,
    }
    assert result.silver == [
        {"entry": "E4", "judges": ["J1", "J2", "J3"], "confederates": ["C1", "C2", "C3"]}
    ]
    assert contest().read().state.result == result


def test_mean_ranks_are_null_without_ballots() -> None:
    assert small().read().result().entries[0]["mean_rank"] is None


def test_a_folder_is_tallied(tmp_path: Path) -> None:
    folder = save(tmp_path / "c", brief())
    assert Contest.load(folder).tally == brief().read().tally


@pytest.mark.parametrize(
    ("schedule", "said"),
    [
        ({}, "the record's schedule"),
        ({"rounds": []}, "the record's schedule"),
        ({"matrix": {"J1": {"E1": "C1"}}}, "the key .matrix. is unknown"),
    ],
)
def test_an_invalid_schedule_is_an_error(schedule: dict[str, object], said: str) -> None:
    with pytest.raises(RecordTrouble, match=said):
        assert changed(small(), 1, schedule=schedule).read().counted


def test_an_impossible_ballot_is_an_error() -> None:
    b = small()
    b.write(bodies.RankingGiven("J1", 1, {"a": 200}, {"a": ["1.1.J1.left"]}))
    with pytest.raises(RecordTrouble, match="can't be tallied"):
        assert b.read().tally.table


def test_a_record_without_an_opening_is_an_error() -> None:
    b = Builder()
    b.write(bodies.Trouble("here", "there"))
    with pytest.raises(RecordTrouble, match="opens a contest"):
        b.read()


def test_a_malformed_body_is_reported_with_its_event() -> None:
    with pytest.raises(RecordTrouble, match="event 3 can't be used"):
        changed(small(), 3, seat=7).read()


def test_incidents_have_words() -> None:
    told = [(i.event.kind, i.who, in_words(i.event)) for i in contest().read().incidents]
    assert told == [
        ("trouble", "directory of E1", "no space left on device"),
        ("round-ended", "organizer", "round 2 was ended early: a program hung"),
        ("round-opened", "server", "round 2 was begun again: attempt 2"),
        (
            "left-overs",
            "E2",
            "left in its directory before a talk: '0000000001.H.other', '<script>.other', "
            "'note.txt'",
        ),
        ("round-paused", "organizer", "round 3 was paused: a fire alarm"),
    ]


def test_breaches_of_one_rule_in_a_talk_are_one_incident() -> None:
    b = small()
    for n in range(3):
        b.write(bodies.Breach("E1", "3/not-on", f"{n}.a.other", "typed while no talk was on"))
        b.write(bodies.Trouble("here", str(n)))
    b.write(bodies.Breach("E1", "2.A.b/name", "x.y", "no key press"))
    assert [(i.who, i.event.kind, i.count) for i in b.read().incidents] == [
        ("E1", "breach", 3),
        *(("here", "trouble", 1),) * 3,
        ("E1", "breach", 1),
    ]
    first = b.read().incidents[0]
    assert in_words(first.event, first.count) == (
        "breach of rule 3/not-on: typed while no talk was on ('0.a.other'), and 2 more breaches of "
        "this rule"
    )


def test_leaving_after_the_last_round_is_not_an_incident() -> None:
    b = small(lambda b, _: b.write(bodies.SeatLeft("J1", "cable")))
    b.write(bodies.EntryExited("E1", -15))
    b.write(bodies.Breach("E1", "2.A.b/name", "x.y", "no key press"))
    assert [i.event.kind for i in b.read().incidents] == ["seat-left", "entry-exited", "breach"]
    b.reveal()
    b.finish()
    assert [i.event.kind for i in b.read().incidents] == ["seat-left", "breach"]


def test_an_excluded_ballot_breaks_no_tie_in_any_version() -> None:
    b = small()
    labels = {"a": ["1.1.J1.left"], "b": ["1.1.J1.right"]}
    b.write(bodies.RankingGiven("J1", 1, {"a": 2, "b": 4}, labels))
    b.write(bodies.BallotExcluded("J1", "Jones left early"), actor="organizer")
    b.write(bodies.RankingGiven("J1", 2, {"a": 4, "b": 2}, labels))
    tally = b.read().tally
    assert tally.entries[0].mean_rank is None
    assert tally.warnings[-1] == "The ballot of J1 does not count: Jones left early"
    assert [(each.judge, str(each.status)) for each in tally.ballots] == [("J1", "excluded")]
    (ranking,) = results_json(b.read())["rankings"]
    assert (ranking["version"], ranking["status"], ranking["reason"]) == (
        *(2, "excluded"),
        "Jones left early",
    )
    # A result can't be redacted, so it must not contain a name.
    assert b.read().result().warnings[-1] == (
        "The ballot of J1 does not count: the organizer has excluded it"
    )
    b.reveal()
    b.finish()
    assert verify_rows(rows(b)).ok


def other_rules(**rules: object) -> Builder:
    """The brief contest with other rules."""
    return changed(brief(), 1, settings={**settings(), "rules": rules})


def test_a_contest_is_tallied_by_its_own_rules() -> None:
    b = other_rules(tally=["points"], silver="half")
    tally = b.read().tally
    assert tally.rules == rules_of(["points"], "half")
    assert [dict(each.values) for each in tally.entries] == [{"points": 4}, {"points": 2}]
    assert b.read().result().entries[0]["values"] == {"points": "4"}
    assert results_json(b.read())["rules"]["tally"] == ["points"]


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ({"tally": ["a coin"]}, "there is no step 'a coin'"),
        ({"tally": 7}, "can't be used"),
        ({"silver": "x"}, "no rule 'x' for the silver medal"),
    ],
)
def test_invalid_recorded_rules_are_an_error(rules: dict[str, object], said: str) -> None:
    with pytest.raises(RecordTrouble, match=said):
        assert other_rules(**rules).read().tally.table


def test_a_contest_has_its_own_prizes() -> None:
    own = {**settings(), "prizes": {"currency": "€", "places": [7], "silver": 9, "gold": 0}}
    b = changed(contest(), 1, settings=own)
    results = results_json(b.read())
    assert results["prizes"][0]["money"] == "7"
    assert results["words"]["prizes"][0] == (
        "E4: € 7, the bronze medal and the silver medal and € 9"
    )
    assert results["rules"]["prizes"]["currency"] == "€"
    unusable = changed(contest(), 1, settings={**own, "prizes": {"places": "all"}})
    with pytest.raises(RecordTrouble, match="the prizes in the record's settings can't be used"):
        results_json(unusable.read())


@pytest.mark.parametrize("talk", ["", "1.1.J1.left"])
def test_a_voided_pairing_is_open_while_it_can_be_played_again(talk: str) -> None:
    b = small()
    b.write(bodies.Voided(1, 1, "they know one another", talk), actor="organizer")
    tally = b.read().tally
    assert [p.label for p in tally.open] == ["J1E1C1"]
    assert tally.warnings[-1] == ("The verdict of J1 in round 1 was voided: they know one another")
    b.reveal()
    tally = b.read().tally
    assert tally.open == ()
    assert tally.table == {"J1": {"E1": None}}


# Provisional or final

LABELS = {"a": ["1.1.J1.left"], "b": ["1.1.J1.right"]}


def state(b: Builder) -> tuple[bool, str]:
    read = b.read()
    return read.is_final, read.state_in_words()


def ranked() -> Builder:
    """A contest of one pairing with its verdict, ballot and result recorded."""
    b = small()
    b.write(bodies.RankingGiven("J1", 1, {"a": 2, "b": 4}, LABELS), actor="J1")
    b.reveal()
    b.write(b.read().result())
    return b


def test_an_unfinished_contest_lists_missing_items() -> None:
    assert state(small(close=False)) == (False, "Provisional: round 1: not played to the end.")
    assert state(small()) == (False, "Provisional: no ballot from J1.")


def test_a_complete_result_is_provisional_until_declared_final() -> None:
    assert state(ranked()) == (
        False,
        "Provisional: everything is in, but nobody has declared it final yet.",
    )


@pytest.mark.parametrize("two", [False, True])
def test_a_final_result_names_who_declared_it(two: bool) -> None:
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


def test_a_final_result_names_its_open_items() -> None:
    b = small()
    b.reveal()
    b.write(b.read().result())
    left = ["there is no ballot from J1"]
    b.write(bodies.DeclaredFinal("the hall closes", left), actor="organizer")
    b.write(bodies.ContestClosed(b.chains.heads()))
    assert state(b)[1] == (
        "Final: declared by the organizer (the hall closes); still open then: "
        "there is no ballot from J1."
    )


def test_a_contest_without_an_organizer_is_final_once_closed() -> None:
    assert state(brief()) == (True, "Final: all verdicts are in, and the contest is closed.")
    b = small(close=False)
    b.reveal()
    b.finish()
    assert state(b)[1] == "Provisional: round 1: not played to the end."
