"""Verification of a season: each event against those before it, and the finalists recomputed from
the marks.

Events are checked as when they were written (`checks`), and the judge's typing in a sitting is
compared with the paper. The hashes and chains of these events are checked with the contest's.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from contest.errors import BadSettings, ContestError, NotAContest, RecordTrouble
from contest.record import reading
from contest.record import season as kinds
from contest.record.bodies import ContestOpened
from contest.record.events import Body, Event, read
from contest.screening.ask import Line, lines_of
from contest.screening.checks import check
from contest.screening.marking import digest, letter
from contest.screening.state import State
from contest.setup.settings import FILE_NAME as SETTINGS
from contest.setup.settings import load
from contest.verify.findings import Check, Report, quoted
from lpp.lines import Pane
from scheduler.texts import counted, listed

#: The clock gives a float, which is rounded to nanoseconds.
_SLACK_NS = 1000
_NAME = re.compile(r"([0-9]+)\.(.*)\.([A-Za-z]+)", re.DOTALL)
#: Kind of an event to the check that reports its faults; `entries` for all others.
_CHECK_OF: dict[str, str] = {
    kinds.SeasonOpened.kind: "times",
    **dict.fromkeys((each.kind for each in kinds.SITTING_BODIES), "sittings"),
    **dict.fromkeys((each.kind for each in kinds.MARKING_BODIES), "marks"),
    kinds.PaperSet.kind: "sittings",
    kinds.CutDecided.kind: "ranking",
    kinds.FinalistsSet.kind: "ranking",
}


def verify(folder: Path) -> Report | None:
    """Verifies the season in the record of a contest's folder; returns None if there is none, or
    the record can't be read, which the contest's verification reports. Raises NewerRecord if a
    newer version of this program made the record."""
    try:
        reader = reading.open_reader(reading.url_of(folder))
        try:
            sealed = reader.unseal("letters-")
        except (ValueError, TypeError, RecursionError):
            sealed = {}
        report = verify_events(reader.events(kind=kinds.KINDS), sealed, folder)
    except (NotAContest, RecordTrouble):
        return None
    return report if report.events else None


def verify_events(
    events: Iterable[Event], sealed: Mapping[str, Any], folder: Path | None = None
) -> Report:
    """Verifies a season's events.

    Arguments:
        events: in the order of their numbers.
        sealed: the sealed values: name to value.
        folder: the contest's folder, for its entries; None for no contest.
    """
    season = SeasonCheck(sealed)
    for event in events:
        season.take(event)
    finished = season.state.finalists is not None
    return Report(season.checks(folder), season.events, head="", finished=finished)


class SeasonCheck:
    """Checks all events of a season, given in order; `checks` returns the findings. `sealed` has
    the sealed values: name to value; `events` is how many events were taken."""

    def __init__(self, sealed: Mapping[str, Any]) -> None:
        self.state = State()
        self._sealed = sealed
        names = ("times", "entries", "sittings", "marks", "ranking")
        self._faults = {name: Check(name, "season") for name in names}
        self._sittings: dict[str, _Sitting] = {}
        self.events = self._last_ns = self._keys = 0

    def take(self, event: Event) -> None:
        """Takes the next event."""
        self.events += 1
        times, found = self._faults["times"], self._faults[_CHECK_OF.get(event.kind, "entries")]
        if event.mono_ns < self._last_ns - _SLACK_NS:
            times.at(event, "the season's clock ran backwards before it")
        self._last_ns = max(self._last_ns, event.mono_ns)
        try:
            dt.datetime.fromisoformat(event.at)
        except ValueError:
            times.at(event, f"its time {quoted(event.at)} is not a time")
            return
        try:
            body = read(event.kind, event.body, kinds.KINDS)
        except ValueError as exc:
            found.at(event, str(exc))
            return
        wrong = self._sitting if isinstance(body, kinds.SITTING_BODIES) else self._step
        for what in wrong(event, body):
            found.at(event, what)
        self.state.apply(event, body)

    def _step(self, event: Event, body: Body) -> Iterator[str]:
        if event.talk is not None:
            yield "events of its kind don't belong in a talk's chain"
        try:
            check(self.state, event.actor, body)
        except ContestError as exc:
            yield str(exc)
        except (LookupError, ValueError, ArithmeticError):
            # The event that caused this was reported before.
            yield "an event before it does not fit"
        if isinstance(body, kinds.LettersDrawn) and body.sha256 != digest(
            str(self._sealed.get(f"letters-{body.sha256}"))
        ):
            yield "its letters are not among the sealed values"
        if isinstance(body, kinds.FinalistsSet):
            yield from _recomputed(self.state, body.entries)

    def _sitting(self, event: Event, body: Body) -> Iterator[str]:
        state, talk = self.state, event.talk or ""
        subject = talk.removeprefix(kinds.SITTING)
        if subject == talk:
            yield "it is not in the chain of a sitting"
        elif state.asked is None:
            yield "no paper was set before it"
        elif isinstance(body, kinds.SittingBegun):
            if state.drawn or state.quality:
                yield "marking had begun, so this subject has no letter"
            if body.human == (subject in state.entries) or not (
                body.human or subject in state.to_ask
            ):
                yield f"{quoted(subject)} is neither a screened entry nor a human"
            if body.subject != subject:
                yield f"it names another subject, {quoted(body.subject)}"
            before = state.sittings.get(subject)
            done = frozenset[str]() if before is None else before.done
            self._sittings[subject] = _Sitting(subject, lines_of(state.asked.paper, done))
        elif subject not in self._sittings:
            yield "no sitting was begun before it in its chain"
        else:
            self._keys += isinstance(body, kinds.SittingKey)
            yield from self._sittings[subject].take(event, body)

    def checks(self, folder: Path | None) -> tuple[Check, ...]:
        """The findings; the finalists are compared with the entries of the folder's contest."""
        state, ranking = self.state, "no finalists yet"
        versions = sum(len(entry.versions) for entry in state.entries.values())
        ended = sum(sitting.ended for sitting in state.sittings.values())
        questions = 0 if state.asked is None else len(state.asked.paper.questions)
        if state.finalists is not None:
            for where, entries in _contests(folder, self._faults["ranking"]):
                for what in _held_to(state, entries):
                    self._faults["ranking"].tell(f"{where} {what}")
            ranking = f"finalists {listed(map(quoted, state.finalists))}, the same when recomputed"
        said = {
            "times": "in order",
            "entries": f"{counted(len(state.entries), 'entry', 'entries')}, "
            f"{counted(versions, 'version')} of their forms"
            + (f"; {len(state.begun)} screened, the same when recomputed" if state.begun else ""),
            "sittings": f"{counted(questions, 'question')}; "
            f"{counted(len(state.sittings), 'sitting')}, {ended} to the end, "
            f"{counted(self._keys, 'key')}",
            "marks": f"{counted(sum(map(len, state.marks.values())), 'mark')}, "
            f"{len(state.settled)} settled; letters "
            f"{'as sealed' if state.revealed else 'not revealed'}",
            "ranking": ranking,
        }
        return tuple(check.with_summary(said[name]) for name, check in self._faults.items())


def _recomputed(state: State, finalists: list[str]) -> Iterator[str]:
    """Checks the finalists against the marks, independently of the code that chose them: no entry
    goes through before one with a higher total, and the number of finalists is right."""
    letters = {} if state.revealed is None else state.revealed.letters
    running = set(state.to_ask).intersection(*letters.values())
    totals = dict.fromkeys(running, Fraction(0))
    for item, order in letters.items():
        for index, subject in enumerate(order):
            settled = state.settled.get((item, letter(index)))
            given = list(state.marks.get((item, letter(index)), {}).values())
            if subject in totals and (settled or given):
                totals[subject] += settled.mark if settled else given[0]
    out = [total for id_, total in totals.items() if id_ not in finalists]
    if len(finalists) != min(state.settings.season.finalists, len(totals)):
        yield f"{len(finalists)} finalists of {len(totals)} entries with marks: a wrong number"
    for id_ in finalists:
        if id_ in totals and out and totals[id_] < max(out):
            yield f"{quoted(id_)} goes through with {totals[id_]}, but {max(out)} was not enough"


_Named = Mapping[str, tuple[str, str]]


def _contests(folder: Path | None, faults: Check) -> Iterator[tuple[str, _Named]]:
    """The contest's entries, from its settings, and from its record once it has begun: the source's
    name, and id to program and entrant."""
    if folder is None:
        return
    if (folder / SETTINGS).exists():
        try:
            yield SETTINGS, {e.id: (e.name, e.entrant) for e in load(folder).entry}
        except BadSettings as exc:
            faults.tell(f"the finalists can't be compared with the contest: {exc}")
            return
    try:
        rows = list(reading.read_rows(reading.url_of(folder), kind=ContestOpened.kind))
        found: Any = json.loads(rows[0].body)["settings"]["entry"]
        entries = {e["id"]: (str(e.get("name", "")), str(e.get("entrant", ""))) for e in found}
    except (ContestError, LookupError, TypeError, ValueError, AttributeError):
        return  # no contest has begun, or its own verification reports the fault
    yield "the contest's record", entries


def _held_to(state: State, entries: _Named) -> Iterator[str]:
    """The faults of the contest's entries, compared with the season's finalists."""
    finalists = state.finalists or ()
    for id_, entry in state.entries.items():
        forms = {(form.program, form.entrant) for form in entry.versions}
        if id_ in entries and id_ not in finalists:
            yield f"has {id_}, which is not a finalist"
        elif id_ in entries and entries[id_] not in forms:
            program, entrant = map(quoted, entries[id_])
            yield f"has {program} by {entrant} as {id_}, but the register does not"
        elif id_ in finalists and id_ not in entries and entry.withdrawn is None:
            yield f"lacks {id_}, which is a finalist"


class _Sitting:
    """Compares a sitting with the paper, from its beginning or resumption; `lines` are still to be
    typed."""

    def __init__(self, subject: str, lines: Iterator[Line]) -> None:
        self._subject, self._lines = subject, lines
        self._line = next(lines, None)
        self._typed = Pane()
        #: Whether it has diverged from the paper: then further faults would only repeat this.
        self._lost = False

    def take(self, event: Event, body: Body) -> Iterator[str]:
        """The faults of the next event."""
        line = self._line
        match body:
            case kinds.SittingKey():
                by = "judge" if body.author == "judge" else self._subject
                if event.actor != by:
                    yield f"it is by {quoted(event.actor)}, not by {quoted(by)}"
                match_ = _NAME.fullmatch(body.raw)
                if body.author == "judge":
                    self._typed.press(body.key)
                elif match_ is None or match_[2] != body.key:
                    yield f"its name {quoted(body.raw)} does not match its key"
            case _ if self._lost:
                pass
            case kinds.SittingEnded() if line is not None:
                yield f"{quoted(line.question.id)} was not asked to its end"
            case kinds.LineBegun() | kinds.LineAsked() | kinds.LineEnded() if line is None or (
                line.question.id,
                line.asks,
            ) != (body.question, body.asks):
                of, next_ = quoted(body.question), quoted(line.question.id) if line else "nothing"
                yield f"its line is of {of}, but next in the paper is {next_}"
                self._lost = True
            case kinds.LineBegun():
                self._typed = Pane()
            case kinds.LineAsked() if line is not None and self._typed.text != f"{line.text}\n":
                typed, wanted = quoted(self._typed.text), quoted(line.text)
                yield f"the judge typed {typed}, but the paper has {wanted}"
            case kinds.LineEnded():
                self._line = next(self._lines, None)
