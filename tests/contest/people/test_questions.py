"""What a judge says next."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from contest.people.lines import character, judges
from contest.people.questions import INTERVENING, Answer, Conversation
from contest.people.words import same_but_for_slips, similarity, tokens
from lpp.names import keys_of

EVERYBODY = pytest.mark.parametrize("name", judges())
FINE = Answer(["that is hard to say, on the whole it went quite nicely"], [])


def conversation(name: str, seed: int = 1) -> Conversation:
    return Conversation(character(name), random.Random(seed))


@EVERYBODY
def test_a_talk_begins_with_an_opening_and_repeats_nothing(name: str) -> None:
    for seed in range(5):
        talk = conversation(name, seed)
        lines = [talk.next(FINE) for _ in range(40)]
        assert any(similarity(tokens(lines[0]), tokens(o)) > 0.7 for o in character(name).openings)
        assert len(set(lines)) == len(lines)
        assert all(keys_of(line) for line in lines)


@EVERYBODY
def test_after_all_questions_it_goes_on(name: str) -> None:
    talk = conversation(name)
    assert all(talk.next(FINE) for _ in range(300))


@EVERYBODY
def test_what_is_asked_for_was_told_some_lines_before(name: str) -> None:
    who = character(name)
    tested = 0
    for seed in range(20):
        talk = conversation(name, seed)
        lines = [talk.next(FINE) for _ in range(40)]
        for memory in who.memory:
            if memory.ask in lines:
                tested += 1
                told = tokens(memory.tell)
                at = [same_but_for_slips(tokens(line), told) for line in lines].index(True)
                assert lines.index(memory.ask) - at > INTERVENING[0]
    assert tested > 10


@EVERYBODY
def test_all_sorts_of_questions_come_up(name: str) -> None:
    sorts: Counter[str] = Counter()
    for seed in range(20):
        talk = conversation(name, seed)
        for _ in range(30):
            talk.next(FINE)
        sorts.update(sort for sort, _ in talk.asked)
    assert set(sorts) == set(character(name).questions)
    assert sorts.most_common(1)[0][0] == "smalltalk"


@EVERYBODY
@pytest.mark.parametrize(
    ("answer", "pool"),
    [
        (Answer(), "silence"),
        (Answer(["I like my old bicycle best"], ["I like my old bicycle best"]), "repeated"),
        (Answer(["sdfkjh wertzk lkjhg"]), "odd"),
        (Answer(["but what of the ineffable?"]), "asked_back"),
        (Answer(["verily"]), "short"),
    ],
)
def test_remarks(name: str, answer: Answer, pool: str) -> None:
    retorts = getattr(character(name).retorts, pool)
    made = 0
    for seed in range(60):
        talk = conversation(name, seed)
        talk.next(FINE)
        made += talk.next(answer) in retorts
    assert made > 5


@EVERYBODY
def test_a_matter_in_the_answer_is_taken_up(name: str) -> None:
    topic = character(name).reaction[0]
    answer = Answer([f"it is all about the {topic.on[0]} with me, I fear"])
    taken_up = 0
    for seed in range(40):
        talk = conversation(name, seed)
        talk.next(FINE)
        taken_up += talk.next(answer) in topic.say
    assert taken_up > 10


@EVERYBODY
def test_what_was_asked_on_the_other_side_is_asked_here(name: str) -> None:
    left, right = conversation(name, 1), conversation(name, 2)
    right.others = [left]
    for _ in range(25):
        left.next(FINE)
        right.next(FINE)
    both = {q.ask for _, q in left.asked} & {q.ask for _, q in right.asked}
    assert len(both) >= 3


def test_silence_is_met_with_growing_impatience() -> None:
    talk = conversation("harriet")
    silence = character("harriet").retorts.silence
    said = [line for line in (talk.next(Answer()) for _ in range(20)) if line in silence]
    assert said == silence


def test_last_words() -> None:
    talk = conversation("walt")
    assert not talk.closed
    assert talk.close() in character("walt").closings
    assert talk.closed
