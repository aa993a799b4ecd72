"""The lines of the scripted people: their own words, in TOML files beside this module.

`confederate_NAME.toml` holds a `Persona`, `judge_NAME.toml` a `Character`, `common.toml` what
everybody knows, and `weights.toml` how each judge weighs the features of the judgement. A file
with an unknown or missing key is refused by name when it is loaded.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import TypeVar

import msgspec

from contest.people.features import Probe
from lpp.pace import Pace


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class Order(_Table, frozen=True):
    """Things in rising order of what some adjectives ask for."""

    more: list[str]
    less: list[str]
    things: list[str]


class Common(_Table, frozen=True):
    """What everybody knows."""

    uses: dict[str, str]
    order: list[Order]


class Topic(_Table, frozen=True):
    """What somebody says about a matter. `on` holds patterns as `words.holds` takes them."""

    on: list[str]
    say: list[str]


class Manner(_Table, frozen=True):
    """How a confederate puts things. Slots in braces are filled: `{answer}`, `{word}` (the matter
    of the judge's line), `{earlier}` (a matter of an earlier line), `{round}`."""

    certain: list[str]
    use: list[str]
    recall: list[str]
    forgot: list[str]
    unknown: list[str]
    statement: list[str]
    earlier: list[str]
    again: list[str]
    noise: list[str]
    long: list[str]
    nudge: list[str]


class Persona(_Table, frozen=True):
    """A confederate.

    Attributes:
        name: in one word.
        about: who this is.
        pace: how this person types.
        remembers: the chance that what the judge said comes back when asked for.
        asks_back: the chance of a question after an answer.
        wanders: the chance of coming back to an earlier matter instead of a plain "don't know".
        capitals: whether a line begins with a capital letter.
        two_lines: the chance of a Return between two sentences.
        patience: seconds of the judge's silence after which this person may say something.
        manner: how things are put.
        ask: questions to the judge.
        topic: what there is to say, first match of the highest score.
    """

    name: str
    about: str
    pace: Pace
    remembers: float
    asks_back: float
    wanders: float
    capitals: bool
    two_lines: float
    patience: float
    manner: Manner
    ask: list[str]
    topic: list[Topic]


class Question(_Table, frozen=True):
    """A judge's question, or statement.

    Attributes:
        ask: the line.
        then: lines to follow an answer, whatever it was.
        accept: words of which one is in a right answer; empty where there is none to check.
    """

    ask: str
    then: list[str] = []
    accept: list[str] = []


class Memory(_Table, frozen=True):
    """Something told, and asked for later."""

    tell: str
    ask: str
    accept: list[str]


class Habits(_Table, frozen=True):
    """How a judge works.

    Attributes:
        patience: seconds to wait for an answer at most.
        hurries: the chance of not waiting for the answer's end.
        both_sides: the chance of asking what was asked on the other side.
        muses: seconds of thought, or of taking notes, before each look at a side, in the mean.
        stays: the chance of a second line before going to the other side.
        follows: the chance of staying with the matter of an answer.
        span: how many of the own last lines are still in mind when it comes to deciding.
        misspells: the chance that a line keeps a slip.
        empty_returns: the chance of a Return too many.
    """

    patience: float
    hurries: float
    both_sides: float
    muses: float
    stays: float
    follows: float
    span: int
    misspells: float
    empty_returns: float


class Retorts(_Table, frozen=True):
    """What a judge says to what comes, or does not come."""

    silence: list[str]
    short: list[str]
    repeated: list[str]
    asked_back: list[str]
    odd: list[str]


class Character(_Table, frozen=True):
    """A judge.

    Attributes:
        name: in one word.
        about: who this is.
        pace: how this judge types.
        habits: how this judge works.
        openings, closings: first and last lines.
        smalltalk, time, things, relations, nonsense, topical: questions by their sort; the second
            to fourth with `memory` are the four sorts of the screening (rules 2010, section 4).
        memory: things told and asked for later.
        retorts: what is said to what comes.
        reaction: what is said to a matter in an answer.
    """

    name: str
    about: str
    pace: Pace
    habits: Habits
    openings: list[str]
    closings: list[str]
    smalltalk: list[Question]
    time: list[Question]
    things: list[Question]
    relations: list[Question]
    nonsense: list[Question]
    topical: list[Question]
    memory: list[Memory]
    retorts: Retorts
    reaction: list[Topic]

    @property
    def questions(self) -> dict[str, list[Question]]:
        """The questions by their sort."""
        return {
            "smalltalk": self.smalltalk,
            "time": self.time,
            "things": self.things,
            "relations": self.relations,
            "nonsense": self.nonsense,
            "topical": self.topical,
        }

    @property
    def probes(self) -> list[Probe]:
        """The questions whose answers this judge can check."""
        asked = [question for sort in self.questions.values() for question in sort]
        return [
            *(Probe(each.ask, tuple(each.accept)) for each in asked if each.accept),
            *(Probe(each.ask, tuple(each.accept)) for each in self.memory),
        ]


_T = TypeVar("_T")


def _load(file: str, kind: type[_T]) -> _T:
    text = resources.files(__name__).joinpath(file).read_text(encoding="utf-8")
    try:
        return msgspec.convert(tomllib.loads(text), kind)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as exc:
        raise ValueError(f"{file}: {exc}") from exc


@cache
def common() -> Common:
    """What everybody knows."""
    return _load("common.toml", Common)


@cache
def persona(name: str) -> Persona:
    """The confederate of that name, from `confederates()`."""
    return _load(f"confederate_{name}.toml", Persona)


@cache
def character(name: str) -> Character:
    """The judge of that name, from `judges()`."""
    return _load(f"judge_{name}.toml", Character)


@cache
def weights() -> dict[str, dict[str, float]]:
    """Judge to feature to weight."""
    return _load("weights.toml", dict[str, dict[str, float]])


def confederates() -> list[str]:
    """The names of all personas, in the order of the alphabet."""
    return _names("confederate_")


def judges() -> list[str]:
    """The names of all characters, in the order of the alphabet."""
    return _names("judge_")


@cache
def _files() -> tuple[str, ...]:
    return tuple(sorted(file.name for file in resources.files(__name__).iterdir()))


def _names(prefix: str) -> list[str]:
    return [
        file.removeprefix(prefix).removesuffix(".toml")
        for file in _files()
        if file.startswith(prefix) and file.endswith(".toml")
    ]
