"""Each feature of a talk, as a table of small talks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.people.features import FEATURES, Probe, measure
from contest.people.seen import TimedKey
from tests.contest.people.talks import GAP, entity_says, in_turn, talk

HAMMER = Probe("What is a hammer for?", ("nail", "nails", "hitting"))


@pytest.mark.parametrize(
    ("question", "answer", "value"),
    [
        ("What did you study in Dayton?", "In Dayton? Everything and nothing", 0.0),
        ("Do you like tea?", "nope", 0.0),
        ("How old are you?", "thirty four", 0.0),
        ("What is a hammer for?", "for hitting things", 0.0),
        ("Where did you grow up?", "Dayton, near the river", 0.4),
        ("Where did you grow up?", "Why do you ask?", 1.0),
        ("Where did you grow up?", "What about you?", 1.0),
        ("Where did you grow up?", "Let's talk about something else.", 1.0),
        ("Where did you grow up?", "That is an interesting question", 1.0),
    ],
)
def test_dodged(question: str, answer: str, value: float) -> None:
    found = measure(in_turn(question, answer), [HAMMER])["dodged"]
    assert found.value == value
    assert found.count == (value == 1.0)


def test_statements_are_not_dodged() -> None:
    assert measure(in_turn("I like tea.", "Why do you ask?"))["dodged"].value is None


@pytest.mark.parametrize(
    ("answers", "count"),
    [
        (["I see a big ship there"] * 4, 3),
        (["I see a big ship there", "i see a BIG ship there!"], 1),
        (["yes", "yes", "yes"], 0),
        (["I see a big ship there", "The sun is out by noon"], 0),
        ([], 0),
    ],
)
def test_repeated(answers: list[str], count: int) -> None:
    found = measure(entity_says(*answers))["repeated"]
    assert found.count == count
    assert found.value == min(1.0, count / 5)


@pytest.mark.parametrize(
    ("said", "answer", "count"),
    [
        ("I am sad about my brother", "you are sad about your brother", 1),
        ("I am sad about my brother", "how come your brother does that", 0),
        ("I am sad about my brother", "brothers, right", 0),
        ("ok", "ok ok ok ok", 0),
    ],
)
def test_echoed(said: str, answer: str, count: int) -> None:
    assert measure(in_turn(said, answer))["echoed"].count == count


@pytest.mark.parametrize(
    ("answers", "count"),
    [
        (["my name is ben", "you can call me ben"], 0),
        (["my name is ben", "you can call me bob"], 1),
        (["i am 34", "i'm 23 years old", "i live in ohio", "i am from texas"], 2),
        (["i am from the north"], 0),
        (["i have kids", "i don't have kids"], 1),
    ],
)
def test_contradicted(answers: list[str], count: int) -> None:
    assert measure(entity_says(*answers))["contradicted"].count == count


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("nails, mostly", 0.0),
        ("hititng things", 0.0),  # one slip is forgiven
        ("no idea", 0.5),
        ("I like turtles", 1.0),
    ],
)
def test_failed(answer: str, value: float) -> None:
    found = measure(in_turn("what is a hamer for", answer), [HAMMER])["failed"]
    assert found.value == value
    assert found.count == (value > 0)


def test_nothing_to_know_says_nothing() -> None:
    assert measure(in_turn("hello", "hi"), [HAMMER])["failed"].value is None


def test_silence() -> None:
    keys = talk(
        (0.0, "judge", "hello"),
        (10.0, "judge", "are you there"),
        (20.0, "entity", "yes"),
        (30.0, "judge", "good"),
        (60.0, "judge", "so how old are you"),
        (90.0, "judge", "well"),
    )
    # "hello" is answered late, but it is; "good" and the question are not; the last may be.
    found = measure(keys)["silent"]
    assert found.count == 2
    assert found.value == 0.5


def _answers(delays: list[float], lengths: list[int]) -> list[TimedKey]:
    lines = []
    at = 0.0
    for delay, length in zip(delays, lengths, strict=True):
        lines.append((at, "judge", "so tell me"))
        at += GAP * 10 + delay
        lines.append((at, "entity", "x" * length))
        at += GAP * (length + 1) + 5.0
    return talk(*lines)  # type: ignore[arg-type]


def test_time_that_grows_with_the_answer_is_a_persons() -> None:
    assert measure(_answers([2.0] * 6, [5, 30, 12, 60, 25, 8]))["unpaced"].value == pytest.approx(0)
    hurried = _answers([20.0, 1.0, 15.0, 1.0, 10.0, 18.0], [5, 30, 12, 60, 25, 8])
    assert measure(hurried)["unpaced"].value == 1.0
    assert measure(_answers([2.0] * 2, [5, 9]))["unpaced"].value is None


def test_pauses_that_are_always_the_same_are_a_machines() -> None:
    assert measure(_answers([2.0] * 6, [5] * 6))["even"].value == pytest.approx(1.0, abs=0.01)
    assert measure(_answers([1.0, 6.0, 2.0, 9.0, 1.0], [5] * 5))["even"].value == 0.0


def test_corrections() -> None:
    flawless = measure(entity_says("I never make any mistakes at all when I type a line of this"))
    assert flawless["flawless"].value == 1.0
    mended = measure(
        entity_says("I do\b\b\bdo make mis\b\bistakes when I type a line of this length")
    )
    assert mended["flawless"].value == 0.0
    assert measure(entity_says("short"))["flawless"].value is None


def test_haste() -> None:
    keys = talk((0.0, "judge", "hello"))
    keys += [(5.0 + at / 1000, author, key) for at, author, key in talk((0.0, "entity", "x" * 40))]
    found = measure(keys)["hasty"]
    assert (found.value, found.count) == (1.0, 1)
    assert measure(entity_says("typed by a hand"))["hasty"].value == 0.0


def test_coming_back_to_what_was_said() -> None:
    asked = ["My donkey is ill.", "How are you?", "Where do you live?", "What do you eat?"]
    asked += ["Which music?", "Do you read?", "Any sports?", "Do you dream?", "Well?"]
    forgetful = [text for each in asked for text in (each, "I could not say")]
    assert measure(in_turn(*forgetful))["forgetful"].value == 1.0
    mindful = [*forgetful[:-1], "How is the donkey?"]
    found = measure(in_turn(*mindful))["forgetful"]
    assert found.value is not None
    assert found.value < 1.0
    assert found.count == 1


KEYS = st.lists(
    st.tuples(
        st.floats(0, 100, allow_nan=False),
        st.sampled_from(["judge", "entity"]),
        st.sampled_from([*"abc?1", "space", "Return", "BackSpace", "Shift_L", "nonsense", ""]),
    ),
    max_size=200,
).map(lambda keys: sorted(keys, key=lambda key: key[0]))


@given(KEYS)
def test_whatever_was_typed_can_be_measured(keys: list[TimedKey]) -> None:
    measures = measure(keys, [HAMMER])
    assert list(measures) == list(FEATURES)
    for found in measures.values():
        assert found.value is None or 0.0 <= found.value <= 1.0
        assert found.count >= 0
