"""A thousand who watch: how soon a frame is with the last of them, and that they slow no talk."""

from __future__ import annotations

from benchmarks.report import Reach, Row
from benchmarks.server.audience import Audience, Seen
from benchmarks.server.crowd import Crowd, Outcome, Plan
from benchmarks.server.desks import AUTHORS, RATE
from benchmarks.server.house import Server, folder, furnish
from benchmarks.server.load import Others, load
from benchmarks.server.quantile import quantile

NAME = "spectators"
#: design.md: milliseconds from key to screen at p99, whoever watches.
SCREEN = Reach(50, ratio=False)
#: Seconds by which the audience sees things later here: what it waits for is none of its business.
DELAY = 1


def run(
    *,
    viewers: tuple[int, ...] = (100, 300, 1000),
    desks: int = 4,
    seconds: float = 20.0,
    warm: float = 3.0,
) -> list[Row]:
    """Measures.

    Arguments:
        viewers: how many watch.
        desks: how many type, at `desks.RATE` keys a second each.
        seconds: for how long.
        warm: seconds of typing before, which do not count.
    """
    rows: list[Row] = []
    alone, _, before, _, _ = _turn(0, desks, seconds, warm)
    quiet = [delay for each in alone.delays.values() for delay in each]
    for count in viewers:
        outcome, seen, before, work, share = _turn(count, desks, seconds, warm)
        busy = f"load average {before} before, others took {share:.2f} cores"
        assert seen is not None
        delays = [delay for each in outcome.delays.values() for delay in each]
        faults = [f"LOST: {seen.short} viewers lack keys"] if seen.short else ["nothing lost"]
        if seen.anew:
            faults.append(f"{seen.anew} times a viewer was too slow and began anew")
        rows += [
            Row(
                NAME,
                f"{count:,} viewers, from the first who has a frame to the last, {which}",
                quantile(seen.spreads, cut),
                "ms",
                note="; ".join([*faults, busy]) if cut == 50 else "",
                line=f"first to last viewer, {which}",
                size=count,
            )
            for which, cut in (("p50", 50), ("p99", 99))
        ]
        rows.append(
            Row(
                NAME,
                f"{count:,} viewers, the server's work",
                work * 100,
                "% of a core",
                note=f"the audience took {seen.share:.0%} of a core",
            )
        )
        rows += [
            Row(
                NAME,
                f"key to screen, {desks} desks, {count:,} viewers, {which}",
                quantile(delays, cut),
                "ms",
                quantile(quiet, cut),
                SCREEN if which == "p99" else None,
                f"beside none who watch; {outcome}" if which == "p99" else "",
                line=f"key to screen, {which}",
                size=count,
            )
            for which, cut in (("p50", 50), ("p99", 99))
        ]
    return rows


def _turn(
    viewers: int, desks: int, seconds: float, warm: float
) -> tuple[Outcome, Seen | None, str, float, float]:
    before = load()
    with folder() as place:
        more = f'[spectators]\ndelay_seconds = {DELAY}\n[publication]\ndefault = "publish"\n'
        contest = furnish(place, desks, more=more)
        with Server(contest) as server:
            address = server.listens()
            plan = Plan(address, server.codes(), desks, {}, RATE / AUTHORS, seconds, warm)
            with Crowd(plan) as crowd:
                crowd.seated()
                server.order("start")
                if not viewers:
                    return crowd.run(), None, before, 0.0, 0.0
                with Audience(address, viewers) as audience:
                    audience.seated()
                    ours = (server.process.pid, crowd.pid, audience.pid)
                    began, others = server.work(), Others(ours)
                    outcome = crowd.run()
                    work, share = (server.work() - began) / (seconds + warm), others.share()
                    # And the first key of each desk, which tells who sits where.
                    seen = audience.seen(outcome.pressed + desks)
                    return outcome, seen, before, work, share
