"""Verification of a season: the chain, each event against those before it, and the finalists
computed once more from the marks.

Steps are checked as when they were written (`checks`); what the judge typed in a sitting is
compared with the paper. A season of the first version, in a separate record, is verified too.
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
from contest.record.events import GENESIS, Body, Event
from contest.record.store import sqlite_url
from contest.screening.ask import Line, lines_of
from contest.screening.checks import check
from contest.screening.marking import digest, letter
from contest.screening.state import State, body_of
from contest.setup.settings import FILE_NAME as SETTINGS
from contest.setup.settings import load
from contest.verify.chain import Chain
from contest.verify.findings import Check, Report, quoted
from lpp.lines import Pane
from scheduler.texts import counted, listed

#: The file of a season of the first version.
EARLIER = "season.db"
_OWN = "season"
#: A clock's reading is rounded to nanoseconds on its way from a float.
_SLACK_NS = 1000
_NAME = re.compile(r"([0-9]+)\.(.*)\.([A-Za-z]+)", re.DOTALL)
#: Kind of an event to the check that tells its faults; `entries` for all others.
_CHECK_OF: dict[type[Body], str] = {
    kinds.SeasonOpened: "times",
    **dict.fromkeys((kinds.PaperSet, *kinds.OF_SITTINGS), "sittings"),
    **dict.fromkeys(kinds.OF_MARKING, "marks"),
    **dict.fromkeys((kinds.CutDecided, kinds.FinalistsSet), "ranking"),
}


def verify(folder: Path) -> Report | None:
    """Verifies the season of a contest's folder; gives None if there is no season. A damaged record
    is a finding, not an error. Raises LaterRecord if a later version of this program made it."""
    url, alone = sqlite_url(folder / EARLIER), True
    if not (folder / EARLIER).is_file():
        try:
            url = reading.place_of(folder)
            if not _has(url, kinds.SeasonOpened.kind):
                return None
        except (NotAContest, RecordTrouble):
            return None  # the contest's verification says what is wrong with it
        alone = not contest_begun(folder)
    try:
        sealed = {name: json.loads(text) for name, text in reading.opened(url).sealed().items()}
    except (ContestError, ValueError, TypeError, RecursionError):
        sealed = {}
    rows = reading.rows_at(url, thorough=True) if alone else reading.rows_at(url, kind=kinds.KINDS)
    return verify_rows(rows, sealed, folder, alone=alone)


def contest_begun(folder: Path) -> bool:
    """Whether the record of a folder holds a contest; raises as `verify` of a contest does."""
    return _has(reading.place_of(folder), ContestOpened.kind)


def _has(url: str, kind: str) -> bool:
    return any(True for _ in reading.rows_at(url, kind=kind))


def verify_rows(
    rows: Iterable[reading.Row],
    sealed: Mapping[str, Any],
    folder: Path | None = None,
    *,
    alone: bool = True,
) -> Report:
    """Verifies the rows of a season's record.

    Arguments:
        rows: in the order of the events' numbers.
        sealed: what is sealed beside the chains: name to value.
        folder: the contest's, for its entries; None for no contest.
        alone: whether nothing else is in the record; else its chains are checked with the
            contest's.
    """
    chain, season = Chain(_body, _OWN), SeasonCheck(sealed)
    for event, body in chain.events(rows):
        season.take(event, body)
    return Report(
        checks=(*((chain.check(),) if alone else ()), *season.checks(folder)),
        events=chain.read,
        head=chain.head if alone and chain.head != GENESIS else "",
        finished=season.state.finalists is not None,
    )


def _body(event: Event) -> Body:
    if (body := body_of(event)) is None:
        raise ValueError(f"unknown kind of event of a season {event.kind!r}")
    return body


class SeasonCheck:
    """Takes all events of a season in their order; `checks` says what was found. `sealed` is what
    is sealed beside the chains: name to value."""

    def __init__(self, sealed: Mapping[str, Any]) -> None:
        self.state = State()
        self._sealed = sealed
        names = ("times", "entries", "sittings", "marks", "ranking")
        self._faults = {name: Check(name, _OWN) for name in names}
        self._sittings: dict[str, _Sitting] = {}
        self._last_ns = self._keys = 0

    def take(self, event: Event, body: Body) -> None:
        """Takes the next event."""
        times = self._faults["times"]
        if event.mono_ns < self._last_ns - _SLACK_NS:
            times.at(event, "the season's clock ran back to it")
        self._last_ns = max(self._last_ns, event.mono_ns)
        try:
            dt.datetime.fromisoformat(event.at)
        except ValueError:
            times.at(event, f"its time {quoted(event.at)} is not a time")
            return
        wrong = self._sitting if isinstance(body, kinds.OF_SITTINGS) else self._step
        for what in wrong(event, body):
            self._faults[_CHECK_OF.get(type(body), "entries")].at(event, what)
        self.state.apply(event, body)

    def _step(self, event: Event, body: Body) -> Iterator[str]:
        if event.talk is not None:
            yield "a talk's chain has no events of its kind"
        try:
            check(self.state, event.actor, body)
        except ContestError as exc:
            yield str(exc)
        except (LookupError, ValueError, ArithmeticError):
            # The event to blame was named already.
            yield "an event before it does not fit"
        if isinstance(body, kinds.LettersDrawn) and not any(
            digest(self._sealed.get(f"letters-{name}")) == body.sha256
            # The first version sealed them under the name of the round.
            for name in (body.sha256, body.round)
        ):
            yield "its letters are not sealed beside the chains"
        if isinstance(body, kinds.FinalistsSet):
            yield from _recomputed(self.state, body.entries)

    def _sitting(self, event: Event, body: Body) -> Iterator[str]:
        state, talk = self.state, event.talk or ""
        subject = talk.removeprefix(kinds.SITTING)
        if subject == talk:
            yield "it is in the chain of no sitting"
        elif state.asked is None:
            yield "no paper was set before it"
        elif isinstance(body, kinds.SittingBegun):
            if state.drawn:
                yield "marking had begun, and a subject that sits the paper then has no letter"
            if body.human == (subject in state.entries) or not (
                body.human or subject in state.to_ask
            ):
                yield f"{quoted(subject)} is not among those that are screened, nor a human"
            if body.subject != subject:
                yield f"it is the sitting of {quoted(body.subject)} by its own words"
            before = state.sittings.get(subject)
            done = frozenset[str]() if before is None else before.done
            self._sittings[subject] = _Sitting(subject, lines_of(state.asked.paper, done))
        elif subject not in self._sittings:
            yield "no sitting was begun in its chain before it"
        else:
            self._keys += isinstance(body, kinds.SittingKey)
            yield from self._sittings[subject].take(event, body)

    def checks(self, folder: Path | None) -> tuple[Check, ...]:
        """What was found; the finalists are compared with the entries of the folder's contest."""
        state, ranking = self.state, "no finalists yet"
        versions = sum(len(entry.versions) for entry in state.entries.values())
        ended = sum(sitting.ended for sitting in state.sittings.values())
        questions = 0 if state.asked is None else len(state.asked.paper.questions)
        if state.finalists is not None:
            for where, entries in _contests(folder, self._faults["ranking"]):
                for what in _held_to(state, entries):
                    self._faults["ranking"].tell(f"{where} {what}")
            ranking = f"finalists {listed(map(quoted, state.finalists))}, as computed again"
        said = {
            "times": "in order",
            "entries": f"{counted(len(state.entries), 'entry', 'entries')}, "
            f"{counted(versions, 'version')} of their forms"
            + (f"; {len(state.begun)} screened, as computed again" if state.begun else ""),
            "sittings": f"{counted(questions, 'question')}; "
            f"{counted(len(state.sittings), 'sitting')}, {ended} to the end, "
            f"{counted(self._keys, 'key')}",
            "marks": f"{counted(sum(map(len, state.marks.values())), 'mark')}, "
            f"{len(state.settled)} settled; letters "
            f"{'as sealed' if state.revealed else 'not revealed'}",
            "ranking": ranking,
        }
        return tuple(check.said(said[name]) for name, check in self._faults.items())


def _recomputed(state: State, finalists: list[str]) -> Iterator[str]:
    """The finalists against the marks, by other means than those that found them: nobody with a
    lower total goes on before one with a higher one, and as many go on as may."""
    letters = state.revealed[state.round].letters if state.round in state.revealed else {}
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
        yield f"{len(finalists)} go on, of {len(totals)} that have marks"
    for id_ in finalists:
        if id_ in totals and out and totals[id_] < max(out):
            yield f"{quoted(id_)} goes on with {totals[id_]}, and another does not with {max(out)}"


_Named = Mapping[str, tuple[str, str]]


def _contests(folder: Path | None, faults: Check) -> Iterator[tuple[str, _Named]]:
    """Where the contest's entries stand, in its settings, and in its record once it has begun; and
    id to program and entrant there."""
    if folder is None:
        return
    if (folder / SETTINGS).exists():
        try:
            yield SETTINGS, {e.id: (e.name, e.entrant) for e in load(folder).entry}
        except BadSettings as exc:
            faults.tell(f"the finalists can't be held against the contest: {exc}")
            return
    try:
        rows = list(reading.rows_at(reading.place_of(folder), kind=ContestOpened.kind))
        found: Any = json.loads(rows[0].body)["settings"]["entry"]
        entries = {e["id"]: (str(e.get("name", "")), str(e.get("entrant", ""))) for e in found}
    except (ContestError, LookupError, TypeError, ValueError, AttributeError):
        return  # none was begun, or its own verification says what is wrong
    yield "the contest's record", entries


def _held_to(state: State, entries: _Named) -> Iterator[str]:
    """What is wrong with the entries of the contest by the season's."""
    finalists = state.finalists or ()
    for id_, entry in state.entries.items():
        forms = {(form.program, form.entrant) for form in entry.versions}
        if id_ in entries and id_ not in finalists:
            yield f"has {id_}, which is not a finalist"
        elif id_ in entries and entries[id_] not in forms:
            program, entrant = map(quoted, entries[id_])
            yield f"has {program} by {entrant} as {id_}, which the register does not know so"
        elif id_ in finalists and id_ not in entries and entry.withdrawn is None:
            yield f"lacks {id_}, which is a finalist"


class _Sitting:
    """A sitting compared with the paper, since it was begun or resumed: `lines` are still to be
    typed."""

    def __init__(self, subject: str, lines: Iterator[Line]) -> None:
        self._subject, self._lines = subject, lines
        self._line = next(lines, None)
        self._typed = Pane()
        #: Out of step with the paper: what follows would only say so again.
        self._lost = False

    def take(self, event: Event, body: Body) -> Iterator[str]:
        """What is wrong with the next event."""
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
                    yield f"its name {quoted(body.raw)} is not that of its key"
            case _ if self._lost:
                pass
            case kinds.SittingEnded() if line is not None:
                yield f"{quoted(line.question.id)} was not asked to its end"
            case kinds.LineBegun() | kinds.LineAsked() | kinds.LineEnded() if line is None or (
                line.question.id,
                line.asks,
            ) != (body.question, body.asks):
                of, next_ = quoted(body.question), quoted(line.question.id) if line else "nothing"
                yield f"its line is of {of}; by the paper there follows {next_}"
                self._lost = True
            case kinds.LineBegun():
                self._typed = Pane()
            case kinds.LineAsked() if line is not None and self._typed.text != f"{line.text}\n":
                typed, wanted = quoted(self._typed.text), quoted(line.text)
                yield f"the judge has typed {typed}; the paper has {wanted} there"
            case kinds.LineEnded():
                self._line = next(self._lines, None)
