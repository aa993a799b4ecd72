"""The rest of the rounds planned anew in a process of its own, while a contest is on.

To plan is to compute for seconds on end, and a server that computes serves nobody's keys meanwhile;
a thread would take its turns from them. The process goes behind all others of the machine, is asked
and answers in JSON by its standard input and output, and is ended when its time is up.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import sys
from typing import Any

import msgspec

from contest.errors import BadOrder, Surroundings, WrongMoment
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
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", __name__),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            **_aside(),
        )
    except OSError as exc:
        raise Surroundings(f"nothing can be planned ({exc.strerror or exc})") from exc
    try:
        async with asyncio.timeout(longest):
            said, trouble = await process.communicate(msgspec.json.encode(question))
    except TimeoutError:
        raise WrongMoment(
            f"no plan was found within {longest:g} seconds; `loebner schedule repair` at a "
            "terminal may take its time"
        ) from None
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.communicate()
    if process.returncode:
        told = trouble.decode(errors="replace").strip().splitlines() or [""]
        raise Surroundings(f"the planning broke down (exit code {process.returncode}): {told[-1]}")
    answer = msgspec.json.decode(said, type=_Answer)
    if answer.found is not None:
        return answer.found
    raise BadOrder(answer.refused) if answer.to_mend else WrongMoment(answer.refused)


def _aside() -> dict[str, Any]:
    """How it is started: neither a Ctrl-C nor a terminal that is closed is meant for it."""
    if sys.platform == "win32":
        return {
            "creationflags": subprocess.CREATE_NEW_PROCESS_GROUP
            | subprocess.BELOW_NORMAL_PRIORITY_CLASS
        }
    return {"start_new_session": True}


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


def main() -> int:
    """Is that process; gives its exit code."""
    if sys.platform != "win32":
        os.nice(10)
    sys.stdout.buffer.write(answered(sys.stdin.buffer.read()))
    sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
