"""Tests of how a manager updates the state, and the points of its calls
(docs/reference/labyrinth.md)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any, NamedTuple

import msgspec

from disciplines.labyrinth.calls import points
from disciplines.labyrinth.functions import Executor, Refused, checked, state_of
from disciplines.labyrinth.gameplay import (
    MANAGER,
    Fault,
    Message,
    Situation,
    load,
    refuse,
    situation_faults,
    type_faults,
)
from disciplines.labyrinth.manager import ASKED, RESULT, call_text, decide, manager_view, parse_call
from disciplines.room import Call, Seat
from disciplines.run import ItemFailed

#: The most messages of a manager in a test.
MESSAGES = 10


class ExpectedCall(msgspec.Struct):
    """A call that the manager should make."""

    function: str
    arguments: dict[str, Any]


class UpdateTest(msgspec.Struct):
    """A test: the state before and after, a dialogue, and the calls that lead from one state to the
    other."""

    input: Situation
    dialogue: list[Message]
    output: Situation
    updated: list[ExpectedCall]


class Outcome(NamedTuple):
    """The outcome of a test. `number` counts from 1. `points` has the points of each listed call,
    out of 100. `reason` says why the manager could not answer; it is empty if it could."""

    number: int
    points: list[int]
    messages: int
    reason: str


def read_tests(file: Path) -> list[UpdateTest]:
    """Reads a JSON array of tests.

    Raises:
        BadInput: if it can't be read or has faults; the message lists all faults.
    """
    document = load(file)
    refuse(file, _faults_of(document))
    return msgspec.convert(document, list[UpdateTest])


def _faults_of(document: Any) -> Iterator[Fault]:
    if not isinstance(document, list) or not document:
        yield Fault("", "is not an array of at least one test")
        return
    for number, each in enumerate(document):
        place = f"[{number}]"
        faults = list(type_faults(each, UpdateTest, place))
        if not faults:
            for part in ("input", "output"):
                faults += situation_faults(each[part], f"{place}.{part}")
            faults += _listed_faults(msgspec.convert(each, UpdateTest), place)
        yield from faults


def _listed_faults(test: UpdateTest, place: str) -> Iterator[Fault]:
    before, after = ({each.name for each in x.players} for x in (test.input, test.output))
    if before != after:
        yield Fault(f"{place}.output.players", "differ from those of the input")
    if not test.updated:
        yield Fault(f"{place}.updated", "is empty")
    for number, each in enumerate(test.updated):
        where = f"{place}.updated[{number}]"
        if each.function == "use_environment":  # a function of an earlier version; can't be checked
            continue
        try:
            checked(each.function, each.arguments)
        except Refused as refused:
            yield Fault(where, str(refused))
        if each.arguments.get("player_name", "") not in {"", *before}:
            yield Fault(f"{where}.arguments.player_name", "is not a player")


def run_tests(tests: Iterable[UpdateTest], seat: Seat, seed: int) -> Iterator[Outcome]:
    """Runs tests one after the other.

    Arguments:
        tests: the tests.
        seat: the manager's seat.
        seed: the seed of dice and draws.

    Raises:
        EnvironmentProblem: if the manager can't be reached.
    """
    for number, test in enumerate(tests, 1):
        run, expected, reason = _Run(test, seat, Random(f"{seed} {number}")), test.output, ""
        try:
            run.play()
        except ItemFailed as exc:
            reason = str(exc)
        found = [
            0 if reason else points(*listed, state_of(expected), run.executor.state)
            for listed in ((each.function, each.arguments) for each in test.updated)
        ]
        yield Outcome(number, found, run.messages, reason)


class _Run:
    def __init__(self, test: UpdateTest, seat: Seat, random: Random) -> None:
        self.executor = Executor(state_of(test.input), random, self._decide)
        self.messages = 0
        self._seat = seat
        self._said = [(x.name or MANAGER, x.content) for x in test.dialogue if x.content]

    def play(self) -> None:
        while self.messages < MESSAGES:
            said = self._seat.ask(manager_view(self.executor.state, self._said, True))
            self.messages += 1
            call = said if isinstance(said, Call) else parse_call(said or "")
            if call is None:
                return
            self._said.append((MANAGER, call_text(call.name, call.arguments)))
            called = self.executor.call(call.name, call.arguments)
            self._said.append((RESULT, called.text))

    def _decide(self, question: str, answers: Sequence[str]) -> str:
        view = manager_view(self.executor.state, self._said, False)
        answer = decide(self._seat, view, question, answers)
        self._said += [(ASKED, question), (MANAGER, answer)]
        return answer


def summary(tests: Sequence[UpdateTest], outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """The points of all tests as a document: their mean over all listed calls, and by function."""
    by: dict[str, list[int]] = {}
    for test, outcome in zip(tests, outcomes, strict=True):
        for each, got in zip(test.updated, outcome.points, strict=True):
            by.setdefault(each.function, []).append(got)
    return {
        "points": round(fmean(got for held in by.values() for got in held), 2),
        "functions": {name: round(fmean(held), 2) for name, held in sorted(by.items())},
        "tests": [each._asdict() for each in outcomes],
    }
