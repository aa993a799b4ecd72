"""An organizer who is no person: for a demo, a rehearsal, and a console without a server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from contest.history import timeline
from contest.history.publication import Published
from contest.history.tallying import tally_of
from contest.live import decisions
from contest.results.finality import still_open
from contest.serving.server import Server
from contest.state.phases import Phase

#: Seconds of the loop's time between two looks.
LOOK = 0.05


async def organize(
    server: Callable[[], Server | None],
    reason: str,
    *,
    look: float = LOOK,
    between: float = 0.0,
    mended: Callable[[], bool] = lambda: True,
) -> None:
    """Starts each round, and the ranking, when everybody is here and all is ready; ends the pauses
    that the contest makes by itself when their cause is gone; shows the result step by step and
    declares it final. Does so until it is cancelled.

    Arguments:
        server: the server; asked before each look. None while there is none.
        reason: why the result is declared final, for the record.
        look: seconds of the loop's time between two looks.
        between: seconds of the loop's time that are left between two rounds.
        mended: whether a pause may end, beside that everybody is here.
    """

    def ready() -> Server | None:
        here = server()
        return here if here is not None and here.conductor.everybody_here() else None

    def to_start() -> Server | None:
        here = ready()
        waits = here is not None and here.conductor.waits
        return here if here and waits and all(each.ok for each in here.overview.check()) else None

    def to_resume() -> Server | None:
        here = ready()
        paused = here is not None and here.conductor.status().phase is Phase.PAUSED
        return here if paused and mended() else None

    while True:
        await asyncio.sleep(look)
        here = server()
        if here is None:
            continue
        state = here.conductor.state
        if to_start() is not None:
            await asyncio.sleep(between)
            if (starting := to_start()) is not None:
                starting.conductor.start()
        elif (paused := to_resume()) is not None:
            paused.conductor.order(decisions.resume)
        elif decisions.steps_left(state):
            here.conductor.order(decisions.reveal, everything=False)
        elif decisions.result_state(state) == "provisional":
            view = timeline.view_of(Published(here.record.log()))
            missing = still_open(view, tally_of(view))
            here.conductor.order(decisions.declare_final, reason, missing, anyway=True)
