"""From key to screen through the real server: four desks at 30 keys a second each, a durable
record, entries in real directories; compared with a WebSocket echo at the same rate."""

from __future__ import annotations

from contextlib import ExitStack
from statistics import mean

from benchmarks.places import directory, parents
from benchmarks.report import Row, Target
from benchmarks.server.crowd import TO_JUDGE, Crowd, Outcome, Plan, fairness
from benchmarks.server.echo import echoes
from benchmarks.server.load import Others, load
from benchmarks.server.process import Server, folder, furnish, keys_on_record
from benchmarks.server.quantile import quantile

NAME = "desks"
#: Target: milliseconds from key to screen at p99.
SCREEN = Target(50, ratio=False)
#: Keys per second at a desk: a fourth each from the judge in two talks and from the two partners.
RATE = 30.0
AUTHORS = 4


def run(*, desks: int = 4, seconds: float = 20.0, turns: int = 3, warm: float = 2.0) -> list[Row]:
    """Runs the benchmark.

    Arguments:
        desks: how many.
        seconds: how long they type, in each turn.
        turns: how many times, alternating with the echo; each row covers the keys of all turns.
        warm: seconds of typing before, not counted.
    """
    before = load()
    outcomes: list[Outcome] = []
    bare: list[float] = []
    faults: list[str] = []
    shares: list[float] = []
    for _ in range(turns):
        bare += echoes(desks * AUTHORS, RATE / AUTHORS, seconds, warm)
        outcome, recorded, share = _turn(desks, seconds, warm)
        shares.append(share)
        outcomes.append(outcome)
        # The load does not count the first key of each desk, which shows who sits where.
        if recorded != outcome.pressed + desks:
            faults.append(f"LOST: {outcome.pressed + desks - recorded} not in the record")
        if str(outcome) != "none lost, doubled or out of order":
            faults.append(str(outcome))
    note = f"load average {before} before, others took {mean(shares):.2f} cores"
    kinds = {
        kind: [delay for each in outcomes for delay in each.delays.get(kind, [])]
        for kind in (*TO_JUDGE.values(), "judge to person", "judge to program")
    }
    everything = [delay for delays in kinds.values() for delay in delays]
    noted = "; ".join(faults) or "none lost, doubled or out of order"
    pressed = sum(each.pressed for each in outcomes)
    rows = [
        Row(
            NAME,
            f"key to screen, {desks} desks, {RATE:g} keys/s a desk, {which}",
            quantile(everything, cut),
            "ms",
            quantile(bare, cut),
            SCREEN if which == "p99" else None,
            f"{noted} of {pressed:,}; {note}" if which == "p99" else "",
        )
        for which, cut in (("p50", 50), ("p99", 99))
    ]
    rows += [
        Row(NAME, f"{kind}, {which}", quantile(delays, cut), "ms", quantile(bare, cut))
        for kind, delays in kinds.items()
        for which, cut in (("p50", 50), ("p99", 99))
    ]
    return [*rows, fairness(NAME, kinds)]


def _turn(desks: int, seconds: float, warm: float) -> tuple[Outcome, int, float]:
    with ExitStack() as after:
        place = after.enter_context(folder())
        memory = parents()["in memory"]
        rooms = {f"E{n}": after.enter_context(directory(memory)) for n in range(1, desks + 1)}
        contest = furnish(place, desks, rooms)
        server = after.enter_context(Server(contest))
        address = server.listens()
        plan = Plan(address, server.codes(), desks, rooms, RATE / AUTHORS, seconds, warm)
        crowd = after.enter_context(Crowd(plan))
        crowd.seated()
        server.order("start")
        others = Others((server.process.pid, crowd.pid))
        outcome = crowd.run()
        share = others.share()
        server.end()
        return outcome, keys_on_record(contest), share
