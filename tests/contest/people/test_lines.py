"""The data files: whole, typable, enough, and of one piece with the code."""

from __future__ import annotations

import string
from collections.abc import Iterator

import pytest

from contest.people import lines
from contest.people.features import FEATURES
from contest.people.knowledge import arrange, compare
from contest.people.lines import (
    Persona,
    character,
    common,
    confederates,
    judges,
    persona,
    weights,
)
from contest.people.words import near, tokens
from lpp.names import keys_of

SLOTS = {"answer", "word", "earlier", "round"}


def test_who_there_is() -> None:
    assert len(confederates()) >= 4
    assert len(judges()) >= 4
    assert [persona(name).name for name in confederates()] == confederates()
    assert [character(name).name for name in judges()] == judges()


def said_by(persona: Persona) -> Iterator[str]:
    """All lines of a confederate."""
    yield from persona.ask
    for topic in persona.topic:
        yield from topic.say
    for field in persona.manner.__struct_fields__:
        yield from getattr(persona.manner, field)


def asked_by(name: str) -> Iterator[str]:
    """All lines of a judge."""
    who = character(name)
    yield from (*who.openings, *who.closings)
    for questions in who.questions.values():
        for question in questions:
            yield from (question.ask, *question.then)
    for memory in who.memory:
        yield from (memory.tell, memory.ask)
    for field in who.retorts.__struct_fields__:
        yield from getattr(who.retorts, field)
    for topic in who.reaction:
        yield from topic.say


@pytest.mark.parametrize("name", confederates())
def test_a_persona(name: str) -> None:
    who = persona(name)
    said = list(said_by(who))
    assert len(said) >= 80
    assert len(set(said)) == len(said), "a line twice would be a repetition"
    for line in said:
        assert keys_of(line)
        slots = {field for _, field, _, _ in string.Formatter().parse(line) if field}
        assert slots <= SLOTS
    for manner in ("certain", "use", "recall"):
        assert all("{answer}" in line for line in getattr(who.manner, manner))
    for chance in (who.remembers, who.asks_back, who.wanders, who.two_lines):
        assert 0 <= chance <= 1


@pytest.mark.parametrize("name", judges())
def test_a_character(name: str) -> None:
    who = character(name)
    asked = list(asked_by(name))
    questions = [question.ask for sort in who.questions.values() for question in sort]
    assert len(questions) + 2 * len(who.memory) >= 60
    assert len(set(asked)) == len(asked), "a line twice would be a repetition"
    assert all(keys_of(line) for line in asked)
    assert set(who.questions) == {
        *("smalltalk", "time", "things", "relations", "nonsense", "topical"),
    }
    for sort, some in who.questions.items():
        assert len(some) >= 4, sort


@pytest.mark.parametrize("name", judges())
def test_the_answers_that_a_judge_accepts_can_be_typed_and_found(name: str) -> None:
    for probe in character(name).probes:
        assert probe.accept
        for word in probe.accept:
            assert tokens(word) == [word]
    for memory in character(name).memory:
        told = tokens(memory.tell)
        known = [word for word in memory.accept if any(near(word, each) for each in told)]
        assert known, f"what is told does not hold the answer: {memory.tell}"


@pytest.mark.parametrize("name", judges())
def test_what_is_common_knowledge_is_what_judges_take_for_right(name: str) -> None:
    for question in character(name).relations:
        answer = compare(question.ask, common()) or arrange(question.ask, [])
        if answer is not None:
            assert answer.lower() in question.accept, question.ask


def test_weights_are_given_for_each_judge_and_feature() -> None:
    assert sorted(weights()) == judges()
    for some in weights().values():
        assert list(some) == list(FEATURES)
        assert all(weight >= 0 for weight in some.values())
    assert len({tuple(some.values()) for some in weights().values()}) == len(judges())


def test_a_file_that_is_wrong_is_named() -> None:
    with pytest.raises(ValueError, match=r"common\.toml: .*unknown field"):
        lines._load("common.toml", lines.Order)
