"""Verification of a season: each event is held against those before it.

A step is checked as it was when it was written (`season.CHECKS`). Sittings are played again: what
the judge typed stands as the paper has it, line by line, and whether it was answered is what the
keys say. Totals, places and finalists are computed once more by other means, from the marks alone.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from contest.errors import BadSettings, ContestError, NotAContest, RecordTrouble
from contest.record import reading
from contest.record import season as kinds
from contest.record.bodies import ContestOpened
from contest.record.body import Body
from contest.record.events import GENESIS, Event
from contest.record.store import sqlite_url
from contest.screening.ask import Line, lines_of
from contest.screening.marking import digest
from contest.screening.paper import SETS, Paper
from contest.screening.questions import BETWEEN_LIMIT, Counts, make
from contest.screening.ranking import ranking_of
from contest.screening.season import EARLIER, check
from contest.screening.state import State, body_of
from contest.setup.settings import FILE_NAME as SETTINGS
from contest.setup.settings import load
from contest.verify.chain import Chain
from contest.verify.findings import Check, Faults, Report, quoted, several
from lpp.lines import Pane
from lpp.names import MARK, char_of, is_unseen
from scheduler.texts import listed

OWN = "season"
#: A clock's reading is rounded to nanoseconds on its way from a float.
_SLACK_NS = 1000
_NAME = re.compile(r"([0-9]+)\.(.*)\.([A-Za-z]+)", re.DOTALL)
_OF_TEMPLATES = re.compile(rf"({'|'.join(SETS)})-[1-9][0-9]{{0,4}}")
#: Kind of an event to the check that tells its faults; `entries` for all others.
_CHECK_OF: dict[type[Body], str] = {
    kinds.SeasonOpened: "times",
    **dict.fromkeys((kinds.PaperSet, *kinds.OF_SITTINGS), "sittings"),
    **dict.fromkeys(kinds.OF_MARKING, "marks"),
    **dict.fromkeys((kinds.CutDecided, kinds.FinalistsSet), "ranking"),
}


def verify(folder: Path) -> Report | None:
    """Verifies the record of a season.

    Arguments:
        folder: the contest's folder.

    Returns:
        What was found, None where no season was begun there; a record that is damaged is a finding,
        not an error.

    Raises:
        LaterRecord: if a later version of this program made the record.
    """
    earlier = folder / EARLIER
    if earlier.is_file():
        url = sqlite_url(earlier)
        return verify_rows(reading.rows_at(url, thorough=True), _sealed(url), folder)
    try:
        url = reading.place_of(folder)
        if not _has(url, kinds.SeasonOpened.kind):
            return None
    except (NotAContest, RecordTrouble):
        return None  # what is wrong with a record is the contest's verification to say
    if not contest_begun(folder):
        return verify_rows(reading.rows_at(url, thorough=True), _sealed(url), folder)
    # The chains are checked with the contest's.
    season, events = SeasonCheck(_sealed(url)), 0
    for row in reading.rows_at(url, kinds=kinds.KINDS):
        with contextlib.suppress(TypeError, ValueError, RecursionError):
            event = Event(**{**row._asdict(), "body": json.loads(row.body)})
            season.take(event, _body(event))
            events += 1
    found = tuple(season.checks(folder, whole=True))
    return Report(found, events, "", finished=season.state.finalists is not None)


def contest_begun(folder: Path) -> bool:
    """Whether the record of a folder holds a contest; raises as `verify` of a contest does."""
    return _has(reading.place_of(folder), ContestOpened.kind)


def _has(url: str, kind: str) -> bool:
    return any(True for _ in reading.rows_at(url, kinds=(kind,)))


def _sealed(url: str) -> dict[str, Any]:
    """What is sealed beside the chains; nothing where it can't be read, which the look through the
    database says."""
    try:
        return {name: json.loads(text) for name, text in reading.opened(url).sealed().items()}
    except (ContestError, ValueError, TypeError, RecursionError):
        return {}


def verify_rows(
    rows: Iterable[reading.Row], sealed: Mapping[str, Any], folder: Path | None = None
) -> Report:
    """Verifies the rows of a season's record.

    Arguments:
        rows: what stands in the record, in the order of the events' numbers.
        sealed: what is sealed beside the chains: name to value.
        folder: the contest's, against which the finalists are held; None for no contest.
    """
    chain = Chain(_body, OWN)
    season = SeasonCheck(sealed)
    for event, body in chain.events(rows):
        season.take(event, body)
    return Report(
        checks=(chain.check(), *season.checks(folder, whole=bool(chain.usable))),
        events=chain.read,
        head="" if chain.head == GENESIS else chain.head,
        finished=season.state.finalists is not None,
    )


def _body(event: Event) -> Body:
    body = body_of(event)
    if body is None:
        raise ValueError(f"unknown kind of event of a season {event.kind!r}")
    return body


class SeasonCheck:
    """Takes all events of a season in their order; `checks` says what was found.

    Arguments:
        sealed: what is sealed beside the chains: name to value.
    """

    def __init__(self, sealed: Mapping[str, Any]) -> None:
        self.state = State()
        self._sealed = sealed
        self._faults = {
            name: Faults(OWN) for name in ("times", "entries", "sittings", "marks", "ranking")
        }
        self._sittings: dict[str, _Sitting] = {}
        self._counts = dict.fromkeys(("keys", "tests", "marks"), 0)
        self._last_ns = 0
        self._days: list[dt.datetime] = []

    def take(self, event: Event, body: Body) -> None:
        """Takes the next event."""
        times = self._faults["times"]
        if event.mono_ns < self._last_ns - _SLACK_NS:
            times.at(event, "the season's clock ran back to it")
        self._last_ns = max(self._last_ns, event.mono_ns)
        try:
            self._days.append(dt.datetime.fromisoformat(event.at))
        except ValueError:
            times.at(event, f"its time {quoted(event.at)} is none")
            return
        faults = self._faults[_CHECK_OF.get(type(body), "entries")]
        for what in self._wrong(event, body):
            faults.at(event, what)
        if isinstance(body, kinds.OF_SITTINGS):
            self._counts["keys"] += isinstance(body, kinds.SittingKey)
        self._counts["tests"] += isinstance(body, kinds.ComplianceTested)
        self._counts["marks"] += len(body.marks) if isinstance(body, kinds.Marked) else 0
        self.state.apply(event, body)

    def _wrong(self, event: Event, body: Body) -> Iterator[str]:
        if isinstance(body, kinds.OF_SITTINGS):
            yield from self._wrong_sitting(event, body)
            return
        if event.talk is not None:
            yield "nothing of its kind stands in a talk's chain"
        try:
            check(self.state, event.actor, body)
        except ContestError as exc:
            yield str(exc)
        except (LookupError, ValueError, ArithmeticError):
            # Nothing that a season writes: the event to blame was named already.
            yield "an event before it does not fit"
        if isinstance(body, kinds.LettersDrawn):
            kept = [
                value
                for name, value in self._sealed.items()
                if name in (f"letters-{body.sha256}", f"letters-{body.round}")
            ]
            if not any(isinstance(each, dict) and digest(each) == body.sha256 for each in kept):
                yield "its letters are not sealed beside the chains"
        if isinstance(body, kinds.FinalistsSet):
            yield from _recomputed(self.state, body.entries)

    def _wrong_sitting(self, event: Event, body: Body) -> Iterator[str]:
        state, subject = self.state, (event.talk or "").removeprefix(kinds.SITTING)
        if event.talk is None or subject == event.talk:
            yield "it stands in the chain of no sitting"
            return
        if state.asked is None:
            yield "no paper was set before it"
            return
        if isinstance(body, kinds.SittingBegun):
            if state.drawn:
                yield "marking had begun: a subject that sits the paper then has no letter"
            if body.human and subject in state.entries:
                yield f"{quoted(subject)} is an entry, and no human"
            if not body.human and subject not in state.to_ask and subject not in self._sittings:
                yield f"{quoted(subject)} is not among those that are screened"
            before = self._sittings.get(subject)
            done = before.done if before is not None else set[str]()
            if before is not None and before.human != body.human:
                yield "it was another kind of subject's before: program or human"
            if before is not None and before.ended:
                yield "all was asked before"
            lines = lines_of(state.asked.paper, frozenset(done))
            self._sittings[subject] = _Sitting(subject, body.human, lines, done=done)
        if subject not in self._sittings:
            yield "no sitting was begun in its chain before it"
            return
        yield from self._sittings[subject].take(event, body)

    def checks(self, folder: Path | None, *, whole: bool) -> list[Check]:
        """What was found.

        Arguments:
            folder: of the contest, against which the finalists are held.
            whole: whether there is anything to say but of times.
        """
        state, counts = self.state, self._counts
        times = "no event"
        if self._days:
            times = f"from {min(self._days):%Y-%m-%d} to {max(self._days):%Y-%m-%d}"
        found = [self._faults["times"].check("times", times)]
        if not whole:
            return found
        entries = [
            several(len(state.entries), "entry", "entries"),
            several(
                sum(len(entry.versions) for entry in state.entries.values()),
                *("version of their forms", "versions of their forms"),
            ),
            several(counts["tests"], "test"),
        ]
        goes_on = f"; {len(state.begun)} go on, as computed again" if state.begun else ""
        ended = sum(sitting.ended for sitting in self._sittings.values())
        sittings = (
            f"{'no paper' if state.asked is None else paper_in_words(state.asked.paper)}; "
            f"{several(len(self._sittings), 'sitting')}, {ended} to the end, "
            f"{several(counts['keys'], 'key')} played again"
        )
        marks = "marking has not begun"
        if state.drawn:
            markers = {who for given in state.marks.values() for who in given}
            marks = (
                f"{several(counts['marks'], 'mark')} by {several(len(markers), 'marker')}, "
                f"{len(state.settled)} settled; letters "
                f"{'as sealed' if state.revealed else 'sealed'}"
            )
        ranking = self._ranking(folder)
        return [
            *found,
            self._faults["entries"].check("entries", f"{', '.join(entries)}{goes_on}"),
            self._faults["sittings"].check("sittings", sittings),
            self._faults["marks"].check("marks", marks),
            self._faults["ranking"].check("ranking", ranking),
        ]

    def _ranking(self, folder: Path | None) -> str:
        state, said = self.state, "nobody has a place yet"
        if state.revealed:
            try:
                found = ranking_of(state)
                tie = " (a tie at the cut is open)" * found.is_open
                said = (
                    f"{several(len(found.rows), 'entry', 'entries')} by totals of their marks{tie}"
                )
            except ContestError as exc:
                said = f"no places by what is known now ({exc})"
            except (LookupError, ValueError, ArithmeticError):
                said = "no places"  # the event that does not fit was named
        if state.finalists is None:
            return said
        held = []
        for where, entries in _contests(folder, self._faults["ranking"]):
            before = self._faults["ranking"].count
            self._hold_to(where, entries)
            held += [where] * (self._faults["ranking"].count == before)
        said += f"; finalists {_named(state.finalists)}"
        return said + (f", as in {' and in '.join(held)}" if held else "")

    def _hold_to(self, where: str, entries: Mapping[str, tuple[str, str]]) -> None:
        """The finalists against the entries of the contest: id to program and entrant."""
        faults, register = self._faults["ranking"], self.state.entries
        for id_ in self.state.finalists or ():
            if id_ not in register:
                continue  # the event that names it was found wanting
            forms = {(form.program, form.entrant) for _, form in register[id_].versions}
            if id_ in entries and entries[id_] not in forms:
                program, entrant = map(quoted, entries[id_])
                faults.tell(
                    f"{where} has {program} by {entrant} as {id_}, which the register does not "
                    "know under that name"
                )
            elif id_ not in entries and not register[id_].withdrawn:
                faults.tell(f"{where} lacks {id_}, who is a finalist")
        for id_ in entries:
            if id_ in register and id_ not in (self.state.finalists or ()):
                faults.tell(f"{where} has {id_}, who is no finalist")


def _named(ids: Iterable[str]) -> str:
    names = [quoted(id_) for id_ in ids]
    return listed(names) if names else "nobody"


def _recomputed(state: State, finalists: list[str]) -> Iterator[str]:
    """The finalists against the marks, by other means than those that have found them: nobody with
    a lower total goes on before one with a higher one, and as many go on as may."""
    letters = state.revealed[state.round].letters if state.round in state.revealed else {}
    running = set(state.to_ask).intersection(*letters.values())
    totals = dict.fromkeys(running, Fraction(0))
    for item, order in letters.items():
        for index, subject in enumerate(order):
            letter = ("" if index < 26 else chr(64 + index // 26)) + chr(65 + index % 26)
            settled = state.settled.get((item, letter))
            given = list(state.marks.get((item, letter), {}).values())
            if subject in totals and (settled or given):
                totals[subject] += settled.what if settled else given[0]
    out = [total for id_, total in totals.items() if id_ not in finalists]
    if len(finalists) != min(state.settings.season.finalists, len(totals)):
        yield f"{len(finalists)} go on, of {len(totals)} that have marks"
    for id_ in finalists:
        if id_ in totals and out and totals[id_] < max(out):
            yield f"{quoted(id_)} goes on with {totals[id_]}, and another does not with {max(out)}"


def _contests(
    folder: Path | None, faults: Faults
) -> Iterator[tuple[str, Mapping[str, tuple[str, str]]]]:
    """Where the contest's entries stand: in its settings, and in its record once it has begun."""
    if folder is None:
        return
    if (folder / SETTINGS).exists():
        try:
            yield SETTINGS, {e.id: (e.name, e.entrant) for e in load(folder).entry}
        except BadSettings as exc:
            faults.tell(f"the finalists can't be held against the contest: {exc}")
            return
    try:
        rows = list(reading.rows_at(reading.place_of(folder), kinds=(ContestOpened.kind,)))
        found: Any = json.loads(rows[0].body)["settings"]["entry"]
        entries = {e["id"]: (str(e.get("name", "")), str(e.get("entrant", ""))) for e in found}
    except (ContestError, LookupError, TypeError, ValueError, AttributeError):
        return  # none was begun, or it can't be read, which its own verification says
    yield "the contest's record", entries


def paper_in_words(paper: Paper) -> str:
    """What a paper holds, and how much of it its seed makes here. That a question is another one is
    no fault: papers may be changed before they are set, and versions have different templates."""
    said = several(len(paper.questions), "question")
    if paper.seed is None:
        return said
    given = {each.id: each for each in paper.questions if _OF_TEMPLATES.fullmatch(each.id)}
    others = len(given)
    counts = {name: sum(id_.startswith(f"{name}-") for id_ in given) for name in SETS}
    # Of all numbers of items between statement and question the one that fits best, the usual one
    # first; it does not matter where nobody is asked about a statement.
    between = sorted(range(BETWEEN_LIMIT + 1), key=lambda number: number != Counts().between)
    for number in between if counts["memory"] else between[:1]:
        try:
            made = make(paper.seed, Counts(**counts, between=number), paper.facts)
        except ContestError:
            break
        texts = {each.id: (each.text, each.key, each.wrong, each.about) for each in made.questions}
        differ = [
            id_
            for id_, each in given.items()
            if texts.get(id_) != (each.text, each.key, each.wrong, each.about)
        ]
        others = min(others, len(differ))
        if not others:
            break
    own = len(paper.questions) - len(given)
    said += f", {len(given) - others} of them with their keys as seed {paper.seed} makes them"
    return said + f", {others} otherwise" * bool(others) + f", {own} added" * bool(own)


@dataclass
class _Sitting:
    """A sitting played again: `lines` are still to be typed since it was begun, or gone on with,
    the first one being under way where `begun`."""

    subject: str
    human: bool
    lines: Iterator[Line]
    line: Line | None = None
    begun: bool = False
    asked: bool = False
    ended: bool = False
    starts: int = 0
    typed: Pane = field(default_factory=Pane)
    answer: Pane = field(default_factory=Pane)
    #: The answer as earlier versions read it: a control character was not shown as a mark then.
    earlier: Pane = field(default_factory=Pane)
    done: set[str] = field(default_factory=set)
    #: Out of step with the paper: what follows would only say so again.
    lost: bool = False

    def __post_init__(self) -> None:
        self.line = next(self.lines, None)

    def take(self, event: Event, body: Body) -> Iterator[str]:
        """What is wrong with the next event."""
        match body:
            case kinds.SittingBegun() | kinds.SittingEnded() if body.subject != self.subject:
                yield f"it is the sitting of {quoted(body.subject)} by its own words"
            case kinds.SittingKey():
                yield from self._key(event, body)
            case kinds.ProgramStarted():
                self.starts += 1
            case kinds.ProgramEnded():
                self.starts -= 1
                if self.starts < 0:
                    yield "its program was not started before"
            case kinds.SittingEnded():
                if not self.lost and self.line is not None:
                    yield f"{quoted(self.line.question.id)} was not asked to its end"
                self.ended = True
            case kinds.LineBegun() | kinds.LineAsked() | kinds.LineEnded() if not self.lost:
                yield from self._line(body)

    def _line(self, body: kinds.LineBegun | kinds.LineAsked | kinds.LineEnded) -> Iterator[str]:
        line = self.line
        if line is None or (line.question.id, line.asks) != (body.question, body.asks):
            follows = "nothing" if line is None else quoted(line.question.id)
            yield f"its line is of {quoted(body.question)}; by the paper there follows {follows}"
            self.lost = True
            return
        match body:
            case kinds.LineBegun():
                if body.again != line.again or self.asked:
                    yield "its line is not begun again, by what was asked before"
                self.begun, self.typed = True, Pane()
            case kinds.LineAsked():
                if not self.begun or self.typed.text != f"{line.text}\n":
                    yield (
                        f"the judge has typed {quoted(self.typed.text)}; the paper has "
                        f"{quoted(line.text)} there"
                    )
                self.asked, self.answer, self.earlier = True, Pane(), Pane()
            case kinds.LineEnded():
                if not self.asked and body.how != "died":
                    yield f"its line is over ({body.how}), but was not asked"
                said = {bool(pane.text.strip()) for pane in (self.answer, self.earlier)}
                if body.how == "silent" and False not in said:
                    yield "it says that nothing was said, and something stands"
                if body.how == "quiet" and self.asked and True not in said:
                    yield "it says that something was said, and nothing stands"
                if body.asks:
                    self.done.add(body.question)
                self.line = next(self.lines, None)
                self.begun = self.asked = False

    def _key(self, event: Event, body: kinds.SittingKey) -> Iterator[str]:
        by = "judge" if body.author == "judge" else self.subject
        if event.actor != by:
            yield f"it is by {quoted(event.actor)}, not by {quoted(by)}"
        if body.author == "judge":
            self.typed.press(body.key)
            if not self.lost and (not self.begun or self.asked):
                yield "the judge typed it while no line was to be typed"
            return
        self.answer.press(body.key)
        if char_of(body.key) != MARK or body.key == MARK or is_unseen(body.key):
            self.earlier.press(body.key)
        match = _NAME.fullmatch(body.raw)
        if match is None or match[2] != body.key:
            yield f"its name {quoted(body.raw)} is not that of its key"
