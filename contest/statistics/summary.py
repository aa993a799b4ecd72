"""All statistics of a contest: what verdicts and rankings say, and what separated its talks: how
programs typed, how humans did, in the same pairings.

Made of what may be published: a talk that is left out has no keys here either, and is counted.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any, TypeAlias

from contest.history.views import ContestView, TalkView
from contest.record.bodies import Author
from contest.statistics import ScienceMissing
from contest.statistics.rhythm import (
    BINS,
    Press,
    Rhythm,
    distribution,
    gaps_of,
    mean_distribution,
    rhythm_of,
)
from contest.statistics.verdicts import Judged, Share, judged, share
from scheduler import Ballot, Roster, Schedule, Verdict

#: Version of the form, in the document.
FORMAT = 1

#: What a record gives the tally: see `contest.history.tallying.of_view`.
Counted: TypeAlias = tuple[Schedule, Sequence[Verdict], Sequence[Ballot]]

_AUTHORS: tuple[Author, Author] = ("judge", "entity")


@dataclass(frozen=True, slots=True)
class TalkRhythm:
    """How both typed in a talk that counts, under the names that `statistics.json` has.

    Attributes:
        talk, round, attempt, judge, entity, side: see `contest.history.views.TalkView`.
        role: what the entity is: `entry` or `confederate`.
        taken_for_human: whether the judge took it for the human; None without a verdict.
        rhythm: of judge and entity; times count from the beginning of the interaction.
        gaps: of both, distributions of the gaps between keys.
    """

    talk: str
    round: int
    attempt: int
    judge: str
    entity: str
    role: str
    side: str
    taken_for_human: bool | None
    rhythm: dict[Author, Rhythm]
    gaps: dict[Author, tuple[float, ...]]

    @property
    def is_program(self) -> bool:
        """Whether the entity is a program."""
        return self.role == "entry"


#: What is measured of a talk's entity, all of it shown whatever comes out: name in tables, words
#: for people, unit (empty for plain numbers), and the value of a rhythm, None where it has none.
MEASURES: tuple[tuple[str, str, str, Callable[[Rhythm], float | None]], ...] = (
    ("keys", "key presses", "", lambda r: float(r.keys)),
    ("gap", "time between keys", "ms", lambda r: None if r.gap_ms is None else r.gap_ms.median),
    ("pace", "keys a minute while typing", "", lambda r: r.keys_a_minute),
    (
        "pauses",
        "pauses of 2 s and more, of 100 keys",
        "",
        lambda r: 100 * r.pauses / r.keys if r.keys else None,
    ),
    ("backspace", "share of BackSpace", "%", lambda r: _times(r.backspace_share, 100)),
    ("line", "length of a line, in characters", "", lambda r: r.line_length),
    ("overlap", "typed while the judge typed", "%", lambda r: _times(r.overlap, 100)),
    ("answer", "time until an answer begins", "s", lambda r: _times(r.answer_ms, 1, 1000)),
)


def _times(value: float | None, factor: int, divisor: int = 1) -> float | None:
    return None if value is None else factor * value / divisor


@dataclass(frozen=True, slots=True)
class Median:
    """The median of some talks, None where none has a value, and how many talks have one."""

    median: float | None
    talks: int


@dataclass(frozen=True, slots=True)
class Separation:
    """How programs and humans compare in one measure, under the names that `statistics.json` has.

    Attributes:
        measure, words, unit: see `MEASURES`.
        programs, humans: of their talks.
        programs_taken_for_human: of the programs that were taken for the human.
        program_has_more: in how many pairings the program had more of it, of those where both had
            a value and not the same.
        equal: in how many both had the same.
    """

    measure: str
    words: str
    unit: str
    programs: Median
    humans: Median
    programs_taken_for_human: Median
    program_has_more: Share
    equal: int


@dataclass(frozen=True, slots=True)
class Statistics:
    """All of it.

    Attributes:
        roster: who is there.
        judged: what verdicts and rankings say; None where it can't be computed.
        separations: what separated the talks; empty where there are none, or it can't be computed.
        talks: how people and programs typed.
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

    @property
    def gaps(self) -> dict[str, tuple[float, ...]]:
        """Distributions of gaps of judges, humans and programs, each talk of the same weight."""
        return {
            "judges": mean_distribution(t.gaps["judge"] for t in self.talks),
            "humans": mean_distribution(t.gaps["entity"] for t in self.talks if not t.is_program),
            "programs": mean_distribution(t.gaps["entity"] for t in self.talks if t.is_program),
        }

    def as_json(self) -> dict[str, Any]:
        """The document `statistics.json`; docs/reference/results.md has its meaning."""
        return {
            "format": FORMAT,
            "missing": self.missing,
            "judged": None if self.judged is None else self.judged.as_json(),
            "separations": [asdict(each) for each in self.separations],
            "withheld_talks": self.withheld,
            "gap_bins_ms": BINS,
            "gaps": self.gaps,
            "talks": [asdict(talk) for talk in self.talks],
        }

    def as_text(self) -> str:
        """The same as text, for people to read as well."""
        return json.dumps(self.as_json(), ensure_ascii=False, indent=2) + "\n"


def statistics_of(view: ContestView, counted: Counted) -> Statistics:
    """The statistics of a contest, as far as it goes and may be published.

    Arguments:
        view: the contest.
        counted: what it gives the tally: schedule, verdicts and ballots.
    """
    schedule, verdicts, ballots = counted
    human = {(v.round, v.attempt, v.judge): v.human for v in view.verdicts if v.counts}
    counting = [talk for talk in view.talks if talk.counts]
    talks = tuple(
        _rhythm(view, talk, human.get((talk.round, talk.attempt, talk.judge)))
        for talk in counting
        if not talk.withheld
    )
    rest = talks, len(counting) - len(talks), view.speed / 1000
    try:
        found = judged(verdicts, ballots, schedule.roster)
        return Statistics(schedule.roster, found, separations(talks), *rest)
    except ScienceMissing as exc:
        return Statistics(schedule.roster, None, (), *rest, str(exc))


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


def presses_of(talk: TalkView) -> list[Press]:
    """The keys of a talk that were shown, by the interaction's own time, pauses taken out."""

    def ms(mono_ns: int) -> float:
        offset = None if talk.timing is None else talk.timing.offset_ns(mono_ns)
        return (mono_ns - talk.opened_ns if offset is None else offset) / 1_000_000

    return [Press(ms(key.mono_ns), key.author, key.key) for key in talk.shown()]


def _rhythm(view: ContestView, talk: TalkView, human: str | None) -> TalkRhythm:
    presses = presses_of(talk)
    return TalkRhythm(
        *(talk.id, talk.round, talk.attempt, talk.judge, talk.entity),
        "entry" if view.is_entry(talk.entity) else "confederate",
        talk.side,
        None if human is None else human == talk.side,
        {author: rhythm_of(presses, author) for author in _AUTHORS},
        {author: distribution(gaps_of(presses, author)) for author in _AUTHORS},
    )


def separations(talks: Sequence[TalkRhythm]) -> tuple[Separation, ...]:
    """How programs and humans compare in each of the `MEASURES`.

    Raises:
        ScienceMissing: without scipy.
    """
    return tuple(_separation(*measure, talks) for measure in MEASURES)


def _separation(
    name: str,
    words: str,
    unit: str,
    measure: Callable[[Rhythm], float | None],
    talks: Sequence[TalkRhythm],
) -> Separation:
    def median(some: Iterable[TalkRhythm]) -> Median:
        found = (measure(talk.rhythm["entity"]) for talk in some)
        values = [value for value in found if value is not None]
        return Median(statistics.median(values) if values else None, len(values))

    more = less = equal = 0
    for _, desk in groupby(talks, key=lambda t: (t.round, t.attempt, t.judge)):
        values = {talk.is_program: measure(talk.rhythm["entity"]) for talk in desk}
        program, human = values.get(True), values.get(False)
        if program is not None and human is not None:
            more += program > human
            less += program < human
            equal += program == human
    programs = [t for t in talks if t.is_program]
    return Separation(
        *(name, words, unit),
        median(programs),
        median(t for t in talks if not t.is_program),
        median(t for t in programs if t.taken_for_human),
        share(more, more + less),
        equal,
    )
