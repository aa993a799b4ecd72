"""What a rehearsal came to: rounds, keys, delays, faults, checks, in words and for programs."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from contest.rehearsal.play import Came, Happened

#: Said in every report, for verdicts of scripts look like verdicts.
NO_RESULT = (
    "Judges and confederates were scripts: verdicts, table and places of this rehearsal mean "
    "nothing."
)


@dataclass(frozen=True, slots=True)
class Round:
    """A round that was played.

    Attributes:
        round, attempt: which.
        began: seconds of the contest's clock at which the interaction began.
        set: seconds that the interaction was to last, extensions included.
        played: seconds that it did, pauses left out.
        paused: seconds of pauses.
        scoring: seconds of scoring.
        keys: of judges, of confederates, of entries, that were shown.
        verdicts: how many judges gave one; of how many.
    """

    round: int
    attempt: int
    began: float
    set: float
    played: float
    paused: float
    scoring: float
    keys: tuple[int, int, int]
    verdicts: tuple[int, int]

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        judges, confederates, entries = self.keys
        return {
            "round": self.round,
            "attempt": self.attempt,
            "began": round(self.began, 3),
            "interaction": {"set": round(self.set, 3), "played": round(self.played, 3)},
            "paused": round(self.paused, 3),
            "scoring": round(self.scoring, 3),
            "keys": {"judges": judges, "confederates": confederates, "entries": entries},
            "verdicts": {"given": self.verdicts[0], "of": self.verdicts[1]},
        }


@dataclass(frozen=True, slots=True)
class Delays:
    """How long keys of one kind of author took from their coming to the judge's screen.

    Attributes:
        who: `confederates` or `entries`.
        keys: how many.
        middle, late: seconds: the median, and the 99th of 100.
    """

    who: str
    keys: int
    middle: float
    late: float

    @classmethod
    def of(cls, who: str, seconds: list[float]) -> Delays:
        """From all delays."""
        if not seconds:
            return cls(who, 0, 0.0, 0.0)
        ordered = sorted(seconds)
        late = ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]
        return cls(who, len(ordered), statistics.median(ordered), late)

    def as_json(self) -> dict[str, Any]:
        """For programs, in milliseconds."""
        return {
            "keys": self.keys,
            "median_ms": round(self.middle * 1000, 3),
            "p99_ms": round(self.late * 1000, 3),
        }


@dataclass(frozen=True, slots=True)
class Check:
    """Something that was looked at afterwards.

    Attributes:
        id: its identifier.
        ok: whether it is right.
        words: what was found.
    """

    id: str
    ok: bool
    words: str


@dataclass(frozen=True, slots=True)
class Report:
    """A whole rehearsal.

    Attributes:
        contest: its name.
        seed: where chance came from.
        entries: entry id to what played it.
        rounds: those that were played.
        delays: of the humans' keys, and of the programs'.
        faults: what happened.
        checks: what was looked at afterwards.
        lasted: seconds of the contest.
        took: seconds of this machine's time.
        events: how many are on record.
        head: of the record.
        folder: where it is kept; empty if it was thrown away.
    """

    contest: str
    seed: int
    entries: dict[str, str]
    rounds: tuple[Round, ...]
    delays: tuple[Delays, ...]
    faults: tuple[Happened, ...]
    checks: tuple[Check, ...]
    lasted: float
    took: float
    events: int
    head: str
    folder: str

    @property
    def ok(self) -> bool:
        """Whether all was right."""
        return all(check.ok for check in self.checks)

    def as_json(self) -> dict[str, Any]:
        """The document of `rehearse --json`."""
        return {
            "ok": self.ok,
            "contest": self.contest,
            "seed": self.seed,
            "note": NO_RESULT,
            "entries": self.entries,
            "rounds": [each.as_json() for each in self.rounds],
            "delays": {each.who: each.as_json() for each in self.delays},
            "faults": [
                {
                    "fault": each.fault.id,
                    "round": each.round,
                    "at": round(each.at, 1),
                    "who": each.who,
                    "words": each.words,
                    "came": each.came.value,
                }
                for each in self.faults
            ],
            "checks": [{"id": c.id, "ok": c.ok, "words": c.words} for c in self.checks],
            "contest_seconds": round(self.lasted, 1),
            "real_seconds": round(self.took, 1),
            "events": self.events,
            "head": self.head,
            "folder": self.folder or None,
        }

    def lines(self) -> Iterator[str]:
        """The report for a person."""
        yield f"Rehearsal of {self.contest}, seed {self.seed}"
        yield f"{clock(self.lasted)} of the contest in {self.took:.0f} s of this machine's time"
        yield ""
        for entry, played_by in self.entries.items():
            yield f"  {entry}: {played_by}"
        yield ""
        yield "Rounds"
        for each in self.rounds:
            yield f"  {_round(each)}"
        human, program = self.delays
        yield (
            f"  keys to the judge's screen: confederates {_ms(human)}, entries {_ms(program)}, by "
            "the contest's clock, faults included; how fast this machine is, is not measured here"
        )
        yield ""
        yield "Faults"
        for fault in self.faults:
            who = f", {fault.who}" if fault.who else ""
            came = fault.came.value.upper() if fault.came is Came.BAD else fault.came.value
            yield f"  round {fault.round}, {clock(fault.at)}: {fault.fault.what}{who}: {came}"
            yield f"    {fault.words}"
        if not self.faults:
            yield "  none"
        yield ""
        yield "Checks"
        for check in self.checks:
            yield f"  {'green' if check.ok else 'RED  '}  {check.id:9} {check.words}"
        yield ""
        yield NO_RESULT
        if self.folder:
            yield f"The record is in {self.folder}: {self.events:,} events, head {self.head}"
        yield "All is right." if self.ok else "NOT all is right."


def _round(each: Round) -> str:
    judges, confederates, entries = each.keys
    attempt = f", attempt {each.attempt}" if each.attempt > 1 else ""
    paused = f" and {each.paused:.0f} s of pause" if each.paused else ""
    return (
        f"{each.round}{attempt}: at {clock(each.began)}, {clock(each.played)} of "
        f"interaction{paused}, {clock(each.scoring)} of scoring; keys of judges {judges:,}, of "
        f"confederates {confederates:,}, of entries {entries:,}; {each.verdicts[0]} of "
        f"{each.verdicts[1]} verdicts"
    )


def _ms(delays: Delays) -> str:
    if not delays.keys:
        return "none"
    return f"{delays.middle * 1000:.1f} ms (99 of 100 within {delays.late * 1000:.1f} ms)"


def clock(seconds: float) -> str:
    """Seconds as `H:MM:SS`, or `M:SS`."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
