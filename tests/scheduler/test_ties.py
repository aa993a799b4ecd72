"""What holds for all steps and rules, whatever judges say."""

from collections.abc import Sequence
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from scheduler import (
    RULES_2010,
    Ballot,
    Choice,
    Pairing,
    Rules,
    Tally,
    Verdict,
    rules_named,
    schedule_2010,
    tally,
)
from scheduler.rules import STEPS

ROSTER = schedule_2010().roster
RULES = st.one_of(
    st.sampled_from([RULES_2010, rules_named("2014"), rules_named("2017")]),
    st.permutations(list(STEPS)).map(lambda names: rules_named(",".join(names))),
)
#: From a byte to a rank: 1, 1.5, 2 ... as far as there are participants.
RANKS = [Fraction(twice, 2) for twice in range(2, 2 * len(ROSTER.participants) + 1)]
CHOICES = (Choice.ENTRY, Choice.CONFEDERATE, None)
Contest = tuple[list[Verdict], list[Ballot]]


def ranked(names: Sequence[str], drawn: bytes, *, whole: bool) -> dict[str, Fraction]:
    """A ballot out of as many bytes as names; one that is not `whole` lacks somebody at times."""
    kinds = len(RANKS) if whole else 2 * len(RANKS)
    return {
        name: RANKS[byte % kinds]
        for name, byte in zip(names, drawn, strict=True)
        if byte % kinds < len(RANKS)
    }


def _contest(verdicts: bytes, ballots: Sequence[bytes], whole: bool) -> Contest:
    kinds = 2 if whole else 3
    given = [
        Verdict(pairing, CHOICES[byte % kinds])
        for pairing, byte in zip(schedule_2010().pairings, verdicts, strict=True)
    ]
    names = ROSTER.participants
    return given, [
        Ballot.of(judge, ranked(names, drawn, whole=whole))
        for judge, drawn in zip(ROSTER.judges, ballots, strict=False)
    ]


# Bytes, for they are drawn at once, and a contest is many choices.
BALLOT = st.binary(min_size=8, max_size=8)
VERDICTS = st.binary(min_size=16, max_size=16)
#: Some verdicts are missing, and some ballots, and names on these.
CONTESTS = st.builds(_contest, VERDICTS, st.lists(BALLOT, max_size=3), st.just(False))
#: All verdicts are in, and each ballot, one to three of them, ranks everybody.
WHOLE = st.builds(_contest, VERDICTS, st.lists(BALLOT, min_size=1, max_size=3), st.just(True))


def favouring(entry: str, drawn: bytes, *, whole: bool) -> Ballot:
    """A ballot of J4 that ranks an entry first, and nobody else so."""
    others = {
        name: max(rank, Fraction(3, 2))
        for name, rank in ranked(ROSTER.participants, drawn, whole=whole).items()
    }
    return Ballot.of("J4", {**others, entry: 1})


def places(result: Tally) -> dict[str, tuple[int, bool]]:
    return {each.entry: (each.place, each.tied) for each in result.entries}


@given(
    CONTESTS,
    RULES,
    st.permutations(ROSTER.judges),
    st.permutations(ROSTER.entries),
    st.permutations(ROSTER.confederates),
)
def test_other_names_change_nothing_but_names(
    contest: Contest,
    rules: Rules,
    judges: Sequence[str],
    entries: Sequence[str],
    confederates: Sequence[str],
) -> None:
    verdicts, ballots = contest
    old = (*ROSTER.judges, *ROSTER.entries, *ROSTER.confederates)
    new = dict(zip(old, (*judges, *entries, *confederates), strict=True))
    before = tally(verdicts, ballots, rules=rules)
    after = tally(
        [
            Verdict(Pairing(p.round, new[p.judge], new[p.entry], new[p.confederate]), each.choice)
            for each in verdicts
            for p in (each.pairing,)
        ],
        [Ballot.of(new[b.judge], {new[r.participant]: r.value for r in b.ranks}) for b in ballots],
        rules=rules,
    )
    assert places(after) == {new[entry]: place for entry, place in places(before).items()}
    values = {each.entry: each.values for each in after.entries}
    assert values == {new[each.entry]: each.values for each in before.entries}
    assert {each.entry for each in after.silver} == {new[each.entry] for each in before.silver}
    assert len(after.warnings) == len(before.warnings)


@given(CONTESTS, RULES)
def test_a_tie_is_the_same_from_either_side(contest: Contest, rules: Rules) -> None:
    result = tally(*contest, rules=rules)
    for each in result.entries:
        sharing = [other for other in result.entries if other.place == each.place]
        assert each.tied == (len(sharing) > 1)
        assert each.place == 1 + sum(other.place < each.place for other in result.entries)
        for step in rules.steps:
            values = [other.value(step) for other in sharing]
            # Who shares a place is equal in every step that could settle anything among them.
            assert None in values or len(set(values)) == 1


@given(WHOLE, RULES)
def test_places_follow_from_the_steps_in_their_order(contest: Contest, rules: Rules) -> None:
    result = tally(*contest, rules=rules)
    keys = {}
    for each in result.entries:
        values = [(each.value(step), step.lower_is_better) for step in rules.steps]
        keys[each.entry] = [v if lower else -v for v, lower in values if v is not None]
        assert len(keys[each.entry]) == len(rules.steps)
    for each in result.entries:
        better = [entry for entry, key in keys.items() if key < keys[each.entry]]
        assert each.place == 1 + len(better)


@given(WHOLE, RULES, st.sampled_from(ROSTER.entries), BALLOT)
def test_a_whole_ballot_never_lowers_the_place_of_the_one_it_favours(
    contest: Contest, rules: Rules, entry: str, drawn: bytes
) -> None:
    verdicts, ballots = contest
    more = [*ballots, favouring(entry, drawn, whole=True)]
    before = places(tally(verdicts, ballots, rules=rules))[entry][0]
    assert places(tally(verdicts, more, rules=rules))[entry][0] <= before
