"""The rule by which a judge decides and ranks."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.people.features import FEATURES, Measure, Measures
from contest.people.judgement import (
    NEUTRAL,
    SURE,
    Impression,
    decide,
    half_steps,
    impression,
    likeness,
)
from contest.people.lines import weights
from tests.contest.people.talks import entity_says, in_turn

EVEN = dict.fromkeys(FEATURES, 1.0)


def seen(first_answer: float | None = 1.0, **values: float) -> Impression:
    """An impression with these values and counts (of ten), all else without a fault."""
    measures: Measures = {
        name: Measure(values.get(name, 0.0), round(10 * values.get(name, 0.0))) for name in FEATURES
    }
    return Impression(measures, likeness(measures, EVEN), first_answer)


@pytest.mark.parametrize(
    ("left", "right", "human", "reason"),
    [
        (seen(), seen(repeated=0.4), "left", "the right side repeated itself 4 times"),
        (seen(repeated=0.1), seen(), "right", "the left side repeated itself 1 time"),
        (seen(dodged=0.9), seen(dodged=0.2), "right", "the left side dodged 9 questions"),
        (seen(silent=1.0), seen(failed=0.5), "right", "the left side left 10 lines of mine"),
        (seen(3.0), seen(2.0), "right", "answered first"),
        (seen(2.0), seen(3.0), "left", "answered first"),
        (seen(None), seen(30.0), "right", "answered first"),
        (seen(), seen(), "left", "can't tell"),
        (seen(None), seen(None), "left", "can't tell"),
    ],
)
def test_decisions(left: Impression, right: Impression, human: str, reason: str) -> None:
    decision = decide(left, right, EVEN)
    assert decision.human == human
    assert reason in decision.reason


def test_reasons_that_have_no_number() -> None:
    question = "What did you study in Dayton?"
    vague = impression(in_turn(question, "the usual, more or less"), {"dodged": 1.0})
    clear = impression(in_turn(question, "in Dayton? law"), {"dodged": 1.0})
    assert decide(clear, vague, {"dodged": 1.0}).reason == "the right side spoke past my questions"
    silent = impression(in_turn(question), {"dodged": 1.0})
    assert decide(clear, silent, {"dodged": 1.0}).reason == "the right side said too little"


def test_a_tie_goes_to_the_side_that_repeated_itself_less() -> None:
    left, right = seen(5.0, repeated=0.2), seen(1.0, dodged=0.2)
    assert left.likeness == right.likeness
    decision = decide(left, right, EVEN)
    assert (decision.human, decision.confidence) == ("right", 0)
    assert "repeated itself more" in decision.reason


def test_confidence_grows_with_the_difference() -> None:
    def confidence(difference: float) -> int:
        return decide(seen(), replace(seen(), likeness=difference), EVEN).confidence

    assert confidence(SURE / 2) == 50
    assert confidence(SURE) == 100
    assert confidence(1.0) == 100


VALUES = st.sampled_from([None, 0.0, 0.25, 0.5, 1.0])
IMPRESSIONS = st.builds(
    lambda values, first: Impression(
        {
            name: Measure(value, round(4 * (value or 0)))
            for name, value in zip(FEATURES, values, strict=True)
        },
        likeness(
            {name: Measure(value) for name, value in zip(FEATURES, values, strict=True)}, EVEN
        ),
        first,
    ),
    st.lists(VALUES, min_size=len(FEATURES), max_size=len(FEATURES)),
    st.sampled_from([None, 1.0, 2.0]),
)


@given(IMPRESSIONS, IMPRESSIONS)
def test_what_sits_where_does_not_matter(one: Impression, other: Impression) -> None:
    there, back = decide(one, other, EVEN), decide(other, one, EVEN)
    assert 0 <= there.confidence <= 100
    assert there.confidence == back.confidence
    if "can't tell" in there.reason:
        assert there.human == back.human == "left"
    else:
        assert there.human != back.human


@given(IMPRESSIONS, st.sampled_from(list(FEATURES)))
def test_more_of_a_machine_never_helps(one: Impression, name: str) -> None:
    worse_measures = one.measures | {name: Measure(1.0, 10)}
    if (one.measures[name].value or NEUTRAL) < 1.0:
        worse = replace(one, measures=worse_measures, likeness=likeness(worse_measures, EVEN))
        assert decide(one, worse, EVEN).human == "left"
        assert decide(worse, one, EVEN).human == "right"


def test_what_a_talk_was_too_short_to_show_counts_as_neutral() -> None:
    assert likeness({name: Measure(None) for name in FEATURES}, EVEN) == NEUTRAL


@pytest.mark.parametrize("wrong", [{}, {"dodged": 0.0}, {"dogded": 1.0}, {"dodged": -1, "even": 2}])
def test_weights_that_are_none(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="weights must name"):
        likeness({}, wrong)


@pytest.mark.parametrize("judge", list(weights()))
def test_a_judge_tells_a_parrot_from_somebody_who_answers(judge: str) -> None:
    asked = ["Where did you grow up?", "Do you have a dog?", "What do you eat for breakfast?"]
    person = in_turn(
        *(asked[0], "I grew up by a lake\b\b\b\blake, in the north"),
        *(asked[1], "yes, a small one, he sleeps all day"),
        *(asked[2], "eggs, if somebody makes them for me. breakfast is not my thing"),
    )
    parrot = in_turn(*(text for each in asked for text in (each, "Why do you say that to me?")))
    mine = weights()[judge]
    decision = decide(impression(person, mine), impression(parrot, mine), mine)
    assert decision.human == "left"
    assert decision.reason.startswith("the right side")


def test_two_silent_sides_and_two_empty_talks_can_be_judged() -> None:
    silent = impression(in_turn("hello"), EVEN)
    assert silent.first_answer is None
    assert decide(silent, silent, EVEN).reason == "can't tell them apart"
    nothing = impression([], EVEN)
    assert decide(nothing, nothing, EVEN).human == "left"
    assert decide(impression(entity_says("hi there"), EVEN), silent, EVEN).human == "left"


def test_only_the_last_lines_are_in_mind() -> None:
    asked = "Tell me about the lighthouse."
    talk = in_turn(
        *(asked, "it is a big old house") * 3, asked, "well", "And then?", "rain, mostly"
    )
    assert impression(talk, EVEN).measures["repeated"].count == 2
    assert impression(talk, EVEN, span=3).measures["repeated"].count == 0
    assert impression(talk, EVEN, span=99) == impression(talk, EVEN)
    assert impression(talk, EVEN, span=1).first_answer == impression(talk, EVEN).first_answer


@pytest.mark.parametrize(
    ("likenesses", "ranks"),
    [
        ({"A": [0.1], "B": [0.2], "C": [0.3]}, {"A": 2, "B": 4, "C": 6}),
        ({"A": [0.1], "B": [0.1]}, {"A": 3, "B": 3}),
        ({"A": [0.2], "B": [0.1], "C": [0.2], "D": [0.9]}, {"A": 5, "B": 2, "C": 5, "D": 8}),
        ({"A": [0.1, 0.3], "B": [0.2]}, {"A": 3, "B": 3}),
        ({"A": [], "B": [0.4]}, {"A": 4, "B": 2}),
        ({}, {}),
    ],
)
def test_ranking(likenesses: dict[str, list[float]], ranks: dict[str, int]) -> None:
    assert half_steps(likenesses) == ranks


@given(st.dictionaries(st.text(max_size=3), st.lists(st.floats(0, 1), max_size=3), max_size=8))
def test_the_sum_of_ranks_is_always_the_same(likenesses: dict[str, list[float]]) -> None:
    count = len(likenesses)
    assert sum(half_steps(likenesses).values()) == count * (count + 1)
