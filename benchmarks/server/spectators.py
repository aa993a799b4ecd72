"""200 talks with 0, 500 and 1,000 viewers: whether viewers slow talks down, how soon the last
viewer has a key, and how much is sent."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.report import Row, Target
from benchmarks.server.audience import Audience, Seen
from benchmarks.server.crowd import Crowd, Outcome, Plan
from benchmarks.server.load import Others, load
from benchmarks.server.process import Server, folder, furnish
from benchmarks.server.quantile import quantile
from benchmarks.server.talks import RATE

NAME = "spectators"
#: Target: milliseconds from key to screen at p99, with up to this many viewers.
SCREEN, TARGET_UP_TO = Target(150, ratio=False), 500
#: The audience's delay in seconds; it doesn't affect the measurements.
DELAY = 1


@dataclass(frozen=True, slots=True)
class Found:
    """The results for a number of viewers.

    Attributes:
        viewers: the number of viewers.
        outcome: the load's measurements.
        seen: the audience's measurements; None without an audience.
        work: the share of a core that the server used, in all threads.
        memory: the server's peak memory, in MB.
        busy: how busy other work kept the machine, in words.
    """

    viewers: int
    outcome: Outcome
    seen: Seen | None
    work: float
    memory: float
    busy: str


def run(
    *,
    viewers: tuple[int, ...] = (0, 500, 1000),
    desks: int = 100,
    seconds: float = 20.0,
    warm: float = 5.0,
) -> list[Row]:
    """Runs the benchmark.

    Arguments:
        viewers: numbers of viewers, beginning with 0.
        desks: how many desks; each has two talks at `talks.RATE` keys per second.
        seconds: how long they type.
        warm: seconds of typing before, not counted.
    """
    found = [measure(count, desks, seconds, warm) for count in viewers]
    quiet = _delays(found[0])
    return [row for each in found for row in _rows(each, quiet, 2 * desks, seconds + warm)]


def _delays(found: Found) -> list[float]:
    return [delay for each in found.outcome.from_due.values() for delay in each]


def _rows(found: Found, quiet: list[float], talks: int, seconds: float) -> list[Row]:
    delays, seen, count = _delays(found), found.seen, found.viewers
    name = f"{talks} talks, {count:,} viewers"
    rows = [
        Row(
            NAME,
            f"{name}, key to screen, {which}",
            quantile(delays, cut),
            "ms",
            quantile(quiet, cut) if count else None,
            SCREEN if which == "p99" and count <= TARGET_UP_TO else None,
            f"{found.outcome}; {found.busy}" if which == "p99" else "",
            line=f"key to screen, {which}, ms",
            size=count,
        )
        for which, cut in (("p50", 50), ("p99", 99))
    ]
    audience = "" if seen is None else f"; the audience took {seen.share:.0%} of a core"
    rows.append(
        Row(
            NAME,
            f"{name}, the server's work",
            found.work * 100,
            "% of a core",
            note=f"{found.memory:.0f} MB{audience}",
            line="work, % of a core",
            size=count,
        )
    )
    if seen is None:
        return rows
    faults = [f"LOST: {seen.short} viewers lack keys"] if seen.short else ["nothing lost"]
    if seen.characters != found.outcome.pressed + talks // 2:
        # Including the first key of each desk, which shows who sits where.
        faults.append(f"LOST: {found.outcome.pressed + talks // 2 - seen.characters} not shown")
    if seen.restarts:
        faults.append(f"{seen.restarts} times a viewer was too slow and started over")
    rows += [
        Row(
            NAME,
            f"{name}, from the first viewer who has a key to the last, p99",
            quantile(seen.spreads, 99),
            "ms",
            note="; ".join(faults),
            line="first to last viewer, p99, ms",
            size=count,
        ),
        Row(
            NAME,
            f"{name}, sent to a viewer in a minute",
            seen.bytes / count / seconds * 60 / 1000,
            "kB",
            note=f"{seen.frames / count / seconds:.1f} frames a second",
            line="sent to a viewer, kB a minute",
            size=count,
        ),
    ]
    return rows


def measure(viewers: int, desks: int, seconds: float, warm: float) -> Found:
    """Measures with this many viewers; see `run`."""
    before = load()
    with folder() as place:
        more = f'[spectators]\ndelay_seconds = {DELAY}\n[publication]\ndefault = "publish"\n'
        contest = furnish(place, desks, more=more)
        with Server(contest) as server:
            address = server.listens()
            plan = Plan(address, server.codes(), desks, {}, RATE / 2, seconds, warm)
            with Crowd(plan) as crowd:
                crowd.seated()
                server.order("start")
                with Audience(address, viewers, desks) as audience:
                    audience.seated()
                    ours = (server.process.pid, crowd.pid, audience.pid)
                    began, others = server.work(), Others(ours)
                    outcome = crowd.run()
                    work, share = (server.work() - began) / (seconds + warm), others.share()
                    seen = audience.seen(outcome.pressed + desks) if viewers else None
            memory = server.memory()
    busy = f"load average {before} before, others took {share:.2f} cores"
    return Found(viewers, outcome, seen, work, memory, busy)
