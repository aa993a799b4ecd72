"""A scripted organizer, for a demo, a rehearsal, and a console without a server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from contest.live import decisions
from contest.results.contest import Contest
from contest.serving.server import Server
from contest.state.phases import Phase

#: Seconds of the event loop's time between two checks.
CHECK_EVERY = 0.05


async def organize(
    server: Callable[[], Server | None],
    reason: str,
    *,
    check_every: float = CHECK_EVERY,
    between: float = 0.0,
) -> None:
    """Runs a contest until cancelled. It starts each round and the ranking once all people and
    entries are ready, resumes after automatic pauses when their cause is gone, shows the result
    step by step, and declares it final.

    Arguments:
        server: returns the running server, or None if none is running.
        reason: why the result is declared final, for the record.
        check_every: seconds of the event loop's time between two checks.
        between: seconds of the event loop's time between two rounds.
    """
    while True:
        await asyncio.sleep(check_every)
        if (here := server()) is None:
            continue
        conductor, state = here.conductor, here.conductor.state
        if _can_start(here):
            await asyncio.sleep(between)
            if (starting := server()) is not None and _can_start(starting):
                starting.conductor.start()
        elif _can_resume(here):
            conductor.order(decisions.resume)
        elif decisions.steps_left(state):
            conductor.order(decisions.reveal)
        elif decisions.result_state(state) == "provisional":
            missing = Contest.of(here.record.log()).still_open()
            conductor.order(decisions.declare_final, reason, missing, anyway=True)


def _can_start(server: Server) -> bool:
    conductor = server.conductor
    ready = conductor.waits and conductor.all_connected()
    return ready and all(each.ok for each in server.overview.check())


def _can_resume(server: Server) -> bool:
    """Whether the contest can continue after a pause by the server; people end their own pauses."""
    conductor, attempt = server.conductor, server.conductor.state.attempt
    paused = conductor.status().phase is Phase.PAUSED and attempt is not None
    ours = paused and attempt is not None and attempt.paused_by == "server"
    return ours and not server.journal.trouble and conductor.all_connected()
