"""Makes the seats that a person can ask for. Each is made in the loop in which it is to live."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable
from pathlib import Path

from judge_console.client import SeatClient
from judge_console.desk import Recorder
from judge_console.deskopening import open_confederate, open_desk
from judge_console.memory import KeyMemory
from judge_console.model.deskform import DeskPlan
from judge_console.model.joining import Attempt
from judge_console.seat import Seat
from judge_console.texts import Texts
from lpp.trust import Trust


def server_seat(attempt: Attempt, folder: Path, trust: Trust | None = None) -> Seat:
    """A seat at a server.

    Arguments:
        attempt: which one.
        folder: where own keys are kept against a crash.
        trust: which server is the right one; see SeatClient.
    """
    return SeatClient(
        attempt.url,
        attempt.code,
        client=f"loebner {version()}".strip(),
        take_over=attempt.take_over,
        trust=trust,
        acknowledge=False,
        memory=KeyMemory(folder),
    )


def desk_seat(
    plan: DeskPlan, recorder: Callable[[DeskPlan], Recorder] | None, texts: Texts
) -> Seat:
    """A seat without a server.

    Arguments:
        plan: what was asked for.
        recorder: makes the record of a plan that asks for one.
        texts: what the person reads.

    Raises:
        YoursToFix: directories or times that can't be used.
        Surroundings: a record that can't be made.
    """
    record = recorder(plan) if plan.record and recorder is not None else None
    try:
        return _desk_seat(plan, record, texts)
    except Exception:
        if record is not None:
            record.close()
        raise


def _desk_seat(plan: DeskPlan, record: Recorder | None, texts: Texts) -> Seat:
    if plan.role == "confederate":
        return open_confederate(
            Path(plan.left),
            minutes=plan.minutes,
            recorder=record,
            texts=texts,
            acknowledge=False,
        )
    return open_desk(
        Path(plan.left),
        Path(plan.right) if plan.right else None,
        minutes=plan.minutes,
        sides=plan.sides,
        human=plan.human,
        recorder=record,
        texts=texts,
        acknowledge=False,
    )


def version() -> str:
    """Our release; empty where the program was packed without it."""
    try:
        return importlib.metadata.version("loebner")
    except importlib.metadata.PackageNotFoundError:
        return ""
