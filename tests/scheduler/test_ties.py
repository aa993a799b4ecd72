"""Tests properties of places that hold for all steps, rules, verdicts and ballots."""

from collections.abc import Sequence
from fractions import Fraction
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler import (
    RULES_2010,
    Ballot,
    Choice,
    Rules,
    Verdict,
    rules_of,
    schedule_2010,
    tally,
)
from scheduler.rules import STEPS

ROSTER = schedule_2010().roster
RULES = st.one_of(
    st.sampled_from([RULES_2010, rules_of(["points"], "half")]),
    st.permutations(list(STEPS)).map(lambda names: rules_of(names, "half")),
)
#: Turns a byte into a rank: 1, 1.5, 2 … up to the number of participants.
RANKS = [Fraction(twice, 2) for twice in range(2, 2 * len(ROSTER.participants) + 1)]
CHOICES = (Choice.ENTRY, Choice.CONFEDERATE, None)
Contest = tuple[list[Verdict], list[Ballot]]


def ranked(names: Sequence[str], drawn: bytes) -> dict[str, Fraction]:
    """Makes a ballot from one byte per name; it may lack some names."""
    kinds = 2 * len(RANKS)
    return {
        name: RANKS[byte % kinds]
        for name, byte in zip(names, drawn, strict=True)
        if byte % kinds < len(RANKS)
    }


def _contest(verdicts: bytes, ballots: Sequence[bytes]) -> Contest:
    given = [
        Verdict(pairing, CHOICES[byte % len(CHOICES)])
        for pairing, byte in zip(schedule_2010().pairings, verdicts, strict=True)
    ]
    names = ROSTER.participants
    return given, [
        Ballot.of(judge, ranked(names, drawn))
        for judge, drawn in zip(ROSTER.judges, ballots, strict=False)
    ]


# Bytes, because hypothesis draws them at once, and a contest has many choices.
BALLOT = st.binary(min_size=8, max_size=8)
VERDICTS = st.binary(min_size=16, max_size=16)
#: Contests in which some verdicts, ballots and names on ballots are missing.
CONTESTS = st.builds(_contest, VERDICTS, st.lists(BALLOT, max_size=3))


@settings(max_examples=40, deadline=None)
@given(CONTESTS, RULES)
def test_a_tie_is_symmetric(contest: Contest, rules: Rules) -> None:
    result = tally(*contest, rules=rules)
    for each in result.entries:
        sharing = [other for other in result.entries if other.place == each.place]
        assert each.tied == (len(sharing) > 1)
        assert each.place == 1 + sum(other.place < each.place for other in result.entries)
        for step in rules.steps:
            values = [other.value(step) for other in sharing]
            # Entries that share a place are equal in every step that has values for all of them.
            assert None in values or len(set(values)) == 1


@settings(max_examples=30, deadline=None)
@given(CONTESTS, st.integers(0, 2**32).map(Random))
def test_the_order_of_verdicts_and_ballots_does_not_matter(
    contest: Contest, random: Random
) -> None:
    verdicts, ballots = contest
    before = tally(verdicts, ballots, schedule_2010())
    random.shuffle(verdicts)
    random.shuffle(ballots)
    ballots = [Ballot(b.judge, tuple(reversed(b.ranks))) for b in ballots]
    assert tally(verdicts, ballots, schedule_2010()) == before


@settings(max_examples=30, deadline=None)
@given(CONTESTS, st.integers(0, 15))
def test_a_favourable_verdict_never_lowers_a_place(contest: Contest, which: int) -> None:
    verdicts, ballots = contest
    pairing = verdicts[which].pairing
    before = tally(verdicts, ballots)
    verdicts[which] = Verdict(pairing, Choice.ENTRY)
    places = [
        {each.entry: each.place for each in result.entries}[pairing.entry]
        for result in (before, tally(verdicts, ballots))
    ]
    assert places[1] <= places[0]
