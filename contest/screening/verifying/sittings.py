"""The paper, and each sitting played again: what the judge typed stands as the paper has it, line
by line in its order, and whether it was answered is what the keys say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from contest.errors import BadOrder
from contest.record.events import Event
from contest.screening.asking.bodies import (
    LineAsked,
    LineBegun,
    LineEnded,
    PaperSet,
    ProgramEnded,
    ProgramStarted,
    ScreeningKey,
    SittingBegun,
    SittingEnded,
)
from contest.screening.asking.hearing import TALK
from contest.screening.asking.paperset import Asked, asked_of
from contest.screening.asking.sitting import Line, lines_of
from contest.screening.bodies import AnyBody
from contest.screening.marking.bodies import LettersDrawn
from contest.screening.selecting import selection_of
from contest.screening.verifying import paper
from contest.screening.verifying.past import OWN, Past, anew
from contest.verification.findings import Check, Faults, quoted, several
from lpp.lines import Pane
from lpp.names import MARK, char_of, is_unseen

_NAME = re.compile(r"([0-9]+)\.(.*)\.([A-Za-z]+)", re.DOTALL)
#: Kinds that stand in the chain of a sitting, and in no other.
_OF_TALKS = (
    *(SittingBegun, SittingEnded, ProgramStarted, ProgramEnded),
    *(LineBegun, LineAsked, LineEnded, ScreeningKey),
)


@dataclass
class _Sitting:
    """A subject's way through the paper, as far as it went.

    `lines` are those that are still to be typed since it was begun, or gone on with, the first one
    being under way where `begun`.
    """

    subject: str
    human: bool
    lines: Iterator[Line]
    line: Line | None = None
    begun: bool = False
    asked: bool = False
    ended: bool = False
    starts: int = 0
    deaths: int = 0
    typed: Pane = field(default_factory=Pane)
    answer: Pane = field(default_factory=Pane)
    #: The answer as earlier versions read it: a control character was not shown as a mark then.
    earlier: Pane = field(default_factory=Pane)
    done: set[str] = field(default_factory=set)
    #: Out of step with the paper: what follows would only say so again.
    lost: bool = False


class SittingsCheck:
    """Takes all events in their order; `check` says what was found.

    Arguments:
        past: what stands before each event.
    """

    def __init__(self, past: Past) -> None:
        self._past = past
        self._faults = Faults(OWN)
        self._set = False
        self._asked: Asked | None = None
        self._sittings: dict[str, _Sitting] = {}
        self._running: frozenset[str] = frozenset()
        self._drawn = False
        self._keys = 0

    def take(self, event: Event, body: AnyBody) -> None:
        """Takes the next event."""
        if isinstance(body, _OF_TALKS):
            self._take_talk(event, body)
        elif event.talk is not None:
            self._faults.at(event, "nothing of its kind stands in a talk's chain")
        elif isinstance(body, PaperSet):
            self._paper(event, body)
        elif isinstance(body, LettersDrawn):
            self._drawn = True

    def check(self) -> Check:
        """What was found."""
        said = "no paper" if self._asked is None else paper.in_words(self._asked.paper)
        ended = sum(each.ended for each in self._sittings.values())
        sittings = f"{several(len(self._sittings), 'sitting')}, {ended} to the end"
        return self._faults.check(
            "sittings", f"{said}; {sittings}, {several(self._keys, 'key')} played again"
        )

    def _paper(self, event: Event, body: PaperSet) -> None:
        if self._set:
            self._faults.at(event, "a paper was set before, and holds for all")
            return
        self._set = True
        try:
            self._asked = asked_of([(event, body)])
        except BadOrder as exc:
            # Without the place of a file that was there for reading only.
            why = str(exc).rpartition("paper.toml")[2].lstrip(",: ")
            self._faults.at(event, f"its paper can't be used: {why}")

    def _take_talk(self, event: Event, body: AnyBody) -> None:
        subject = (event.talk or "").removeprefix(TALK)
        if event.talk is None or subject == event.talk:
            self._faults.at(event, "it stands in the chain of no sitting")
        elif isinstance(body, SittingBegun):
            self._begin(event, body, subject)
        elif subject not in self._sittings:
            if self._asked is not None:
                self._faults.at(event, "no sitting was begun in its chain before it")
        else:
            self._go_on(event, body, self._sittings[subject])

    def _begin(self, event: Event, body: SittingBegun, subject: str) -> None:
        if body.subject != subject:
            self._faults.at(event, f"it is the sitting of {quoted(body.subject)} by its own words")
        if self._drawn:
            self._faults.at(event, "marking had begun: whoever sits the paper then has no letter")
        if self._asked is None:
            self._faults.at(event, "no paper was set before it")
            return
        held = self._sittings.get(subject)
        if held is None:
            self._first(event, body, subject)
        elif held.human != body.human:
            self._faults.at(event, "it was another kind of subject's before: program or human")
        elif held.ended:
            self._faults.at(event, "all was asked before")
        done = held.done if held is not None else set()
        made = _Sitting(subject, body.human, lines_of(self._asked.paper, frozenset(done)))
        made.line, made.done = next(made.lines, None), done
        self._sittings[subject] = made

    def _first(self, event: Event, body: SittingBegun, subject: str) -> None:
        if body.human:
            if subject in self._past.register.entries:
                self._faults.at(event, f"{quoted(subject)} is an entry, and no human")
            return
        if subject not in self._running:
            found = anew(
                *(self._faults, event, "who is to be asked"),
                lambda: selection_of(self._past.kept, self._past.settings),
            )
            self._running = frozenset(found.to_ask if found is not None and found.begun else ())
            if found is not None and subject not in self._running:
                self._faults.at(event, f"{quoted(subject)} is not among those that are screened")

    def _go_on(self, event: Event, body: AnyBody, sitting: _Sitting) -> None:
        match body:
            case ScreeningKey():
                self._key(event, body, sitting)
            case ProgramStarted():
                sitting.starts += 1
            case ProgramEnded():
                sitting.deaths += 1
                if sitting.deaths > sitting.starts:
                    self._faults.at(event, "its program was not started before")
            case SittingEnded():
                if body.subject != sitting.subject:
                    self._faults.at(event, f"it names {quoted(body.subject)}")
                if not sitting.lost and sitting.line is not None:
                    self._faults.at(
                        event, f"{quoted(sitting.line.question.id)} was not asked to its end"
                    )
                sitting.ended = True
            case LineBegun() | LineAsked() | LineEnded() if not sitting.lost:
                self._line(event, body, sitting)
            case _:
                pass

    def _line(
        self, event: Event, body: LineBegun | LineAsked | LineEnded, sitting: _Sitting
    ) -> None:
        line = sitting.line
        if line is None or (line.question.id, line.asks) != (body.question, body.asks):
            follows = "nothing" if line is None else quoted(line.question.id)
            self._faults.at(
                event,
                f"its line is of {quoted(body.question)}; by the paper there follows {follows}",
            )
            sitting.lost = True
            return
        match body:
            case LineBegun():
                if body.again != line.again or sitting.asked:
                    self._faults.at(event, "its line is not begun again, by what was asked before")
                sitting.begun, sitting.typed = True, Pane()
            case LineAsked():
                if not sitting.begun or sitting.typed.text != f"{line.text}\n":
                    self._faults.at(
                        event,
                        f"the judge has typed {quoted(sitting.typed.text)}; the paper has "
                        f"{quoted(line.text)} there",
                    )
                sitting.asked, sitting.answer, sitting.earlier = True, Pane(), Pane()
            case LineEnded():
                self._over(event, body, sitting)

    def _over(self, event: Event, body: LineEnded, sitting: _Sitting) -> None:
        if not sitting.asked and body.how != "died":
            self._faults.at(event, f"its line is over ({body.how}), but was not asked")
        said = {bool(pane.text.strip()) for pane in (sitting.answer, sitting.earlier)}
        if body.how == "silent" and False not in said:
            self._faults.at(event, "it says that nothing was said, and something stands")
        if body.how == "quiet" and sitting.asked and True not in said:
            self._faults.at(event, "it says that something was said, and nothing stands")
        if body.asks:
            sitting.done.add(body.question)
        sitting.line = next(sitting.lines, None)
        sitting.begun = sitting.asked = False

    def _key(self, event: Event, body: ScreeningKey, sitting: _Sitting) -> None:
        self._keys += 1
        by = "judge" if body.author == "judge" else sitting.subject
        if event.actor != by:
            self._faults.at(event, f"it is by {quoted(event.actor)}, not by {quoted(by)}")
        if body.author == "judge":
            sitting.typed.press(body.key)
            if not sitting.lost and (not sitting.begun or sitting.asked):
                self._faults.at(event, "the judge typed it while no line was to be typed")
            return
        sitting.answer.press(body.key)
        if char_of(body.key) != MARK or body.key == MARK or is_unseen(body.key):
            sitting.earlier.press(body.key)
        match = _NAME.fullmatch(body.raw)
        if match is None or match[2] != body.key:
            self._faults.at(event, f"its name {quoted(body.raw)} is not that of its key")
