"""What verdicts and rankings say beside the official result: shares, guessing, strengths,
agreement."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from contest.statistics import agreement
from contest.statistics.agreement import OfRankings, OfVerdicts
from contest.statistics.guessing import Column, Guessing, guessing
from contest.statistics.shares import Share, difference, share
from contest.statistics.strengths import Compared, Strengths, strengths
from scheduler import Ballot, Choice, Roster, Verdict


@dataclass(frozen=True, slots=True)
class Judged:
    """All of it.

    Attributes:
        programs: how often an entry was taken for the human, of all verdicts.
        entries: the same of each entry.
        differences: of two entries, the p-value of the difference between their shares.
        judges: of each judge, how often the human was recognized.
        confederates: of each confederate, how often he or she was.
        guessing: what guessing would give; None without verdicts.
        strengths: by Bradley and Terry.
        verdicts, rankings: how far the judges agree.
    """

    programs: Share
    entries: dict[str, Share]
    differences: dict[tuple[str, str], float]
    judges: dict[str, Share]
    confederates: dict[str, Share]
    guessing: Guessing | None
    strengths: Strengths
    verdicts: OfVerdicts
    rankings: OfRankings

    def as_json(self) -> dict[str, Any]:
        """For programs."""

        def shares(each: dict[str, Share]) -> dict[str, Any]:
            return {who: one.as_json() for who, one in each.items()}

        return {
            "programs_taken_for_human": self.programs.as_json(),
            "entries_taken_for_human": shares(self.entries),
            "entries_differ": [
                {"entry": one, "other": other, "fisher_p": chance}
                for (one, other), chance in self.differences.items()
            ],
            "judges_recognized_human": shares(self.judges),
            "confederates_recognized": shares(self.confederates),
            "guessing": None if self.guessing is None else self.guessing.as_json(),
            "strengths": self.strengths.as_json(),
            "agreement": {
                "verdicts": self.verdicts.as_json(),
                "rankings": self.rankings.as_json(),
            },
        }


def judged(verdicts: Sequence[Verdict], ballots: Sequence[Ballot], roster: Roster) -> Judged:
    """What verdicts and ballots say.

    Arguments:
        verdicts: one a pairing at most; one without a choice counts for nothing.
        ballots: one a judge; what is excluded counts for nothing.
        roster: who is there, in the order to be shown.

    Raises:
        ScienceMissing: without numpy and scipy.
    """
    given = [(v.pairing, v.choice is Choice.ENTRY) for v in verdicts if v.choice is not None]

    def shares(role: str, names: Iterable[str], wanted: bool) -> dict[str, Share]:
        found: dict[str, list[bool]] = {who: [] for who in names}
        for pairing, taken in given:
            found[getattr(pairing, role)].append(taken is wanted)
        return {who: share(sum(each), len(each)) for who, each in found.items()}

    entries = shares("entry", roster.entries, True)
    counted = [ballot for ballot in ballots if not ballot.excluded]
    return Judged(
        programs=share(sum(taken for _, taken in given), len(given)),
        entries=entries,
        differences={
            (one, other): chance
            for one, other in combinations(entries, 2)
            if (chance := difference(entries[one], entries[other])) is not None
        },
        judges=shares("judge", roster.judges, False),
        confederates=shares("confederate", roster.confederates, False),
        guessing=guessing([Column(who, s.taken, s.out_of) for who, s in entries.items()]),
        strengths=strengths(
            [Compared(p.entry, p.confederate, int(taken), int(not taken)) for p, taken in given],
            roster.participants,
        ),
        verdicts=agreement.of_verdicts((p.entry, taken) for p, taken in given),
        rankings=agreement.of_rankings(
            [{rank.participant: rank.value for rank in ballot.ranks} for ballot in counted]
        ),
    )
