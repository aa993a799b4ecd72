"""Planning in a process of its own: the same plans, its refusals in words, and its end."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import msgspec
import pytest

from contest.errors import BadOrder, ContestError, Surroundings, WrongMoment
from contest.organizer.replan_apart import Question, _Answer, answered, planned_apart
from scheduler import schedule_2010
from scheduler.planning import Wishes, model
from scheduler.repair import pairings_of, repair

PLAN = schedule_2010()


async def test_the_plans_are_those_of_this_process() -> None:
    void = pairings_of(PLAN, [2])
    wishes = Wishes(conflicts=(("J1", "E4"),))
    question = Question(PLAN, 2, ("C2",), void, wishes)
    assert await planned_apart(question) == repair(PLAN, 2, ["C2"], void, wishes=wishes)


@pytest.mark.parametrize(
    ("question", "error", "says"),
    [
        (Question(PLAN, 2, ("C9",)), BadOrder, "nobody is called 'C9'"),
        (Question(PLAN, 4), WrongMoment, "4 of 4 rounds are played"),
        (Question(PLAN, 2, ("C1", "C2", "C3", "C4")), WrongMoment, "no confederate is left"),
        (
            Question(PLAN, 2, wishes=Wishes(away=(("J1", 9),))),
            BadOrder,
            "J1 is away in round 9, but there are 4 rounds",
        ),
    ],
)
def test_what_can_not_be_planned_is_said_in_words(
    question: Question, error: type[ContestError], says: str
) -> None:
    answer = msgspec.json.decode(answered(msgspec.json.encode(question)), type=_Answer)
    assert answer.found is None
    assert says in answer.refused
    assert answer.to_mend == (error is BadOrder)


async def test_a_refusal_comes_out_of_the_process() -> None:
    with pytest.raises(BadOrder, match="nobody is called 'C9'"):
        await planned_apart(Question(PLAN, 2, ("C9",)))
    with pytest.raises(WrongMoment, match="no judge is left"):
        await planned_apart(Question(PLAN, 2, ("J1", "J2", "J3", "J4")))


def test_without_the_solver_there_is_a_plan_and_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "ortools.sat.python", None)
    with pytest.raises(model.SolverMissing):
        model.solver()
    question = Question(PLAN, 2, ("J1", "C2"))
    answer = msgspec.json.decode(answered(msgspec.json.encode(question)), type=_Answer)
    assert answer.found is not None
    assert not answer.found.least_lost
    assert answer.found.repaired.lost <= answer.found.as_it_stands.lost
    assert "the extra 'scheduling'" in answer.found.by


async def test_when_its_time_is_up_it_is_ended() -> None:
    with pytest.raises(WrongMoment, match=r"no plan was found within 0\.01 seconds"):
        await planned_apart(Question(PLAN, 2), longest=0.01)


async def test_who_does_not_wait_any_more_ends_it() -> None:
    asked = asyncio.create_task(planned_apart(Question(PLAN, 2, ("J1", "C2"))))
    await asyncio.sleep(0)
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked


async def test_a_process_that_breaks_down_or_can_not_be_had_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho oh dear >&2\nexit 3\n")
    broken.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(broken))
    with pytest.raises(Surroundings, match=r"exit code 3\): oh dear"):
        await planned_apart(Question(PLAN, 2))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "none"))
    with pytest.raises(Surroundings, match="no process can be started"):
        await planned_apart(Question(PLAN, 2))
