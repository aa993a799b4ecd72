"""The rest of the rounds planned anew in a process of its own, while a contest is on."""

from __future__ import annotations

import msgspec

from contest import apart
from contest.errors import BadOrder, WrongMoment
from scheduler import BadInput, Pairing, Refused, Schedule
from scheduler.planning import Wishes
from scheduler.planning.model import SolverMissing
from scheduler.repair import Repair, repair

#: Seconds that the solver may search, and that all of it may take, its start included.
SOLVER, LONGEST = 20.0, 60.0


class Question(msgspec.Struct, frozen=True):
    """What is to be planned; see `scheduler.repair.repair`.

    Attributes:
        schedule: all rounds as they are planned.
        played: how many were begun.
        gone: who is not there any more.
        void: pairings of the rounds begun that do not count.
        wishes: what holds for the rest.
        seconds: how long the solver may search.
    """

    schedule: Schedule
    played: int
    gone: tuple[str, ...] = ()
    void: tuple[Pairing, ...] = ()
    wishes: Wishes = Wishes()
    seconds: float = SOLVER


class _Answer(msgspec.Struct, frozen=True):
    """Both plans, or why there are none, and whether that is for the organizer to mend."""

    found: Repair | None = None
    refused: str = ""
    to_mend: bool = False


async def planned_apart(question: Question, longest: float = LONGEST) -> Repair:
    """Plans the rest anew.

    Arguments:
        question: what is to be planned.
        longest: seconds of real time that it may take.

    Raises:
        BadOrder: if it names somebody, or a round, that there is not.
        WrongMoment: if there is nothing to be planned, or the time did not suffice.
        Surroundings: if the process can't be started, or broke down.
    """
    try:
        said = await apart.run(__name__, msgspec.json.encode(question), longest)
    except TimeoutError:
        raise WrongMoment(
            f"no plan was found within {longest:g} seconds; `loebner schedule repair` at a "
            "terminal may take its time"
        ) from None
    answer = msgspec.json.decode(said, type=_Answer)
    if answer.found is not None:
        return answer.found
    raise BadOrder(answer.refused) if answer.to_mend else WrongMoment(answer.refused)


def answered(question: bytes) -> bytes:
    """What the process does.

    Arguments:
        question: in JSON.

    Returns:
        The answer in JSON.
    """
    asked = msgspec.json.decode(question, type=Question)
    try:
        found = repair(
            *(asked.schedule, asked.played, asked.gone, asked.void),
            seconds=asked.seconds,
            wishes=asked.wishes,
        )
    except (BadInput, Refused, SolverMissing) as exc:
        return msgspec.json.encode(_Answer(None, str(exc), isinstance(exc, BadInput)))
    return msgspec.json.encode(_Answer(found))
