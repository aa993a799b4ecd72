"""The final ranking: under which labels a judge ranks, and when the ranking ends."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from contest.talks.exchange import Talk
from contest.talks.seat import Seat

#: Seconds of contest time after the last ballot in which it can still be corrected, if the ranking
#: has as long to last.
CORRECTIONS = 60.0


def labels(judge: str, talks: Iterable[Talk]) -> dict[str, list[Talk]]:
    """Neutral labels for all whom a judge met: the place of the first talk with each.

    Arguments:
        judge: who is to rank.
        talks: those of all rounds that were played.

    Returns:
        Label, such as `1 left`, to the judge's talks with one participant, in their order.
    """
    met: dict[str, list[Talk]] = {}
    mine = (talk for talk in talks if talk.judge == judge)
    for talk in sorted(mine, key=lambda talk: (talk.round, talk.side)):
        met.setdefault(talk.entity, []).append(talk)
    return {f"{talks[0].round} {talks[0].side}": talks for talks in met.values()}


def end_of_ranking(judges: Sequence[Seat], latest: float) -> float:
    """When the ranking ends, as things stand.

    Arguments:
        judges: the seats that were asked.
        latest: the second of the contest's clock at which its time is over.

    Returns:
        That second; or where all ballots are in, `CORRECTIONS` after the last of them, so that it
        can still be put right.
    """
    ballots = [seat.ranked_ns / 1e9 for seat in judges if seat.saved_ranking is not None]
    if len(ballots) < len(judges):
        return latest
    return min(latest, max(ballots, default=0.0) + CORRECTIONS)
