"""What separated a contest's talks: how programs typed, how humans did, in the same pairings.

Made of what may be published: a talk that is left out has no keys here either, and is counted.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from contest.history.views import ContestView, TalkView
from contest.statistics.rhythm import (
    Press,
    Quartiles,
    Rhythm,
    distribution,
    gaps_of,
    mean_distribution,
    rhythm_of,
)
from contest.statistics.shares import Share, share

_NS = 1_000_000


@dataclass(frozen=True, slots=True)
class TalkRhythm:
    """How both typed in a talk that counts.

    Attributes:
        talk, round, attempt, judge, entity, side: see `contest.history.views.TalkView`.
        is_program: what the entity is.
        taken: whether the judge took it for the human; None without a verdict.
        of_judge, of_entity: the rhythms; times count from the beginning of the interaction.
        gaps_of_judge, gaps_of_entity: distributions of the gaps between keys.
    """

    talk: str
    round: int
    attempt: int
    judge: str
    entity: str
    side: str
    is_program: bool
    taken: bool | None
    of_judge: Rhythm
    of_entity: Rhythm
    gaps_of_judge: tuple[float, ...]
    gaps_of_entity: tuple[float, ...]

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "talk": self.talk,
            "round": self.round,
            "attempt": self.attempt,
            "judge": self.judge,
            "entity": self.entity,
            "role": "entry" if self.is_program else "confederate",
            "side": self.side,
            "taken_for_human": self.taken,
            "rhythm": {"judge": self.of_judge.as_json(), "entity": self.of_entity.as_json()},
            "gaps": {"judge": list(self.gaps_of_judge), "entity": list(self.gaps_of_entity)},
        }


@dataclass(frozen=True, slots=True)
class Measure:
    """Something to measure a talk's entity by.

    Attributes:
        name: in tables.
        words: for people, of more of it.
        unit: of the value, empty where it is a number.
        of: the value of a rhythm, None where it has none.
    """

    name: str
    words: str
    unit: str
    of: Callable[[Rhythm], float | None]


def _middle(quartiles: Quartiles | None) -> float | None:
    return None if quartiles is None else quartiles.median


def _percent(value: float | None) -> float | None:
    return None if value is None else 100 * value


def _seconds(ms: float | None) -> float | None:
    return None if ms is None else ms / 1000


def _pauses(rhythm: Rhythm) -> float | None:
    return 100 * rhythm.pauses / rhythm.keys if rhythm.keys else None


#: What is looked at, all of it, however it comes out.
MEASURES = (
    Measure("keys", "key presses", "", lambda r: float(r.keys)),
    Measure("gap", "time between keys", "ms", lambda r: _middle(r.gap_ms)),
    Measure("pace", "keys a minute while typing", "", lambda r: r.keys_a_minute),
    Measure("pauses", "pauses of 2 s and more, of 100 keys", "", _pauses),
    Measure("backspace", "share of BackSpace", "%", lambda r: _percent(r.backspace_share)),
    Measure("line", "length of a line, in characters", "", lambda r: r.line_length),
    Measure("overlap", "typed while the judge typed", "%", lambda r: _percent(r.overlap)),
    Measure("answer", "time until an answer begins", "s", lambda r: _seconds(r.answer_ms)),
)


@dataclass(frozen=True, slots=True)
class Separation:
    """How programs and humans compare in one measure.

    Attributes:
        measure: which.
        programs, humans: the median of their talks; None where none has a value.
        taken: the same of the programs that were taken for the human.
        of_programs, of_humans, of_taken: how many talks these rest on.
        higher: in how many pairings the program had more of it, of those where both had a value
            and not the same.
        equal: in how many both had the same.
    """

    measure: Measure
    programs: float | None
    humans: float | None
    taken: float | None
    of_programs: int
    of_humans: int
    of_taken: int
    higher: Share
    equal: int

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "measure": self.measure.name,
            "words": self.measure.words,
            "unit": self.measure.unit,
            "programs": {"median": self.programs, "talks": self.of_programs},
            "humans": {"median": self.humans, "talks": self.of_humans},
            "programs_taken_for_human": {"median": self.taken, "talks": self.of_taken},
            "program_has_more": self.higher.as_json(),
            "equal": self.equal,
        }


def rhythms(view: ContestView) -> tuple[tuple[TalkRhythm, ...], int]:
    """How all typed in the talks that count.

    Arguments:
        view: a contest.

    Returns:
        The rhythms in the order of the talks, and how many talks are left out at the wish of a
        participant.
    """
    human = {(v.round, v.attempt, v.judge): v.human for v in view.verdicts if v.counts}
    found, withheld = [], 0
    for talk in view.talks:
        if talk.counts and talk.withheld:
            withheld += 1
        elif talk.counts:
            side = human.get((talk.round, talk.attempt, talk.judge))
            taken = None if side is None else side == talk.side
            found.append(_rhythm(view, talk, taken))
    return tuple(found), withheld


def presses_of(talk: TalkView) -> list[Press]:
    """The keys of a talk that were shown, by the interaction's own time, pauses taken out."""

    def ms(mono_ns: int) -> float:
        offset = None if talk.timing is None else talk.timing.offset_ns(mono_ns)
        return (mono_ns - talk.opened_ns if offset is None else offset) / _NS

    return [Press(ms(key.mono_ns), key.author, key.key) for key in talk.shown()]


def _rhythm(view: ContestView, talk: TalkView, taken: bool | None) -> TalkRhythm:
    presses = presses_of(talk)
    return TalkRhythm(
        talk=talk.id,
        round=talk.round,
        attempt=talk.attempt,
        judge=talk.judge,
        entity=talk.entity,
        side=talk.side,
        is_program=view.is_entry(talk.entity),
        taken=taken,
        of_judge=rhythm_of(presses, "judge"),
        of_entity=rhythm_of(presses, "entity"),
        gaps_of_judge=distribution(gaps_of(presses, "judge")),
        gaps_of_entity=distribution(gaps_of(presses, "entity")),
    )


def separations(talks: Sequence[TalkRhythm]) -> tuple[Separation, ...]:
    """How programs and humans compare in each of the `MEASURES`.

    Raises:
        ScienceMissing: without scipy.
    """
    return tuple(_separation(measure, talks) for measure in MEASURES)


def _separation(measure: Measure, talks: Sequence[TalkRhythm]) -> Separation:
    programs = _values(measure, (t for t in talks if t.is_program))
    humans = _values(measure, (t for t in talks if not t.is_program))
    taken = _values(measure, (t for t in talks if t.is_program and t.taken))
    more = less = equal = 0
    for _, desk in groupby(talks, key=lambda t: (t.round, t.attempt, t.judge)):
        values = {talk.is_program: measure.of(talk.of_entity) for talk in desk}
        program, human = values.get(True), values.get(False)
        if program is not None and human is not None:
            more += program > human
            less += program < human
            equal += program == human
    return Separation(
        measure,
        _median(programs),
        _median(humans),
        _median(taken),
        len(programs),
        len(humans),
        len(taken),
        share(more, more + less),
        equal,
    )


def _median(values: Sequence[float]) -> float | None:
    return statistics.median(values) if values else None


def _values(measure: Measure, talks: Iterable[TalkRhythm]) -> list[float]:
    found = (measure.of(talk.of_entity) for talk in talks)
    return [value for value in found if value is not None]


def distributions(talks: Sequence[TalkRhythm]) -> dict[str, tuple[float, ...]]:
    """The distributions of gaps of judges, humans and programs, each talk of the same weight."""
    return {
        "judges": mean_distribution(t.gaps_of_judge for t in talks),
        "humans": mean_distribution(t.gaps_of_entity for t in talks if not t.is_program),
        "programs": mean_distribution(t.gaps_of_entity for t in talks if t.is_program),
    }
