"""All statistics of a contest together."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from contest.history.tallying import of_view
from contest.history.views import ContestView
from contest.statistics.judged import Judged, judged
from contest.statistics.needs import ScienceMissing
from contest.statistics.rhythm import BINS
from contest.statistics.talks import Separation, TalkRhythm, distributions, rhythms, separations
from scheduler import Ballot, Roster, Schedule, Verdict

#: Version of the form, in the document.
FORMAT = 1


@dataclass(frozen=True, slots=True)
class Statistics:
    """All of it.

    Attributes:
        roster: who is there.
        judged: what verdicts and rankings say; None where it can't be computed.
        separations: what separated the talks; empty where there are none, or it can't be computed.
        talks: how everybody typed.
        withheld: how many talks are left out of these at the wish of a participant.
        speed: how many times faster than real time it was played.
        missing: why something can't be computed; empty if all is there.
    """

    roster: Roster
    judged: Judged | None
    separations: tuple[Separation, ...] = ()
    talks: tuple[TalkRhythm, ...] = ()
    withheld: int = 0
    speed: float = 1.0
    missing: str = ""

    def as_json(self) -> dict[str, Any]:
        """The document `statistics.json`; docs/reference/results.md has its meaning."""
        return {
            "format": FORMAT,
            "missing": self.missing,
            "judged": None if self.judged is None else self.judged.as_json(),
            "separations": [each.as_json() for each in self.separations],
            "withheld_talks": self.withheld,
            "gap_bins_ms": list(BINS),
            "gaps": {who: list(bins) for who, bins in distributions(self.talks).items()},
            "talks": [talk.as_json() for talk in self.talks],
        }

    def as_text(self) -> str:
        """The same as text, for people to read as well."""
        return json.dumps(self.as_json(), ensure_ascii=False, indent=2) + "\n"


def statistics_of(view: ContestView) -> Statistics:
    """The statistics of a contest, as far as it goes and may be published.

    Raises:
        RecordTrouble: if the record's schedule is none.
    """
    schedule, verdicts, ballots = of_view(view)
    talks, withheld = rhythms(view)
    speed = view.speed / 1000
    try:
        found = judged(verdicts, ballots, schedule.roster)
        separated = separations(talks)
    except ScienceMissing as exc:
        return Statistics(schedule.roster, None, (), talks, withheld, speed, str(exc))
    return Statistics(schedule.roster, found, separated, talks, withheld, speed)


def statistics_of_tally(
    verdicts: Sequence[Verdict], ballots: Sequence[Ballot], schedule: Schedule | None = None
) -> Statistics:
    """The statistics of verdicts and rankings alone.

    Arguments:
        verdicts, ballots: as `scheduler.tally` takes them, and has not refused.
        schedule: all pairings there are; without it, those of the verdicts.

    Raises:
        ScienceMissing: without numpy and scipy: there is nothing else to say.
    """
    planned = schedule or Schedule.of(verdict.pairing for verdict in verdicts)
    return Statistics(planned.roster, judged(verdicts, ballots, planned.roster))
