"""A small season, played by its own steps from the register to the finalists, and what a forger
makes of it: events changed, left out or put in, and all chains made anew, so that every hash is
right."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from contest.record.events import Chains, Draft, Event, canonical
from contest.record.reading import Row
from contest.rehearsal.loop import run
from contest.screening import finalists, selecting
from contest.screening.asking.ask import Subject, ask, subjects_of
from contest.screening.asking.paperset import set_paper
from contest.screening.bodies import AnyBody, to_json
from contest.screening.examining import record_test
from contest.screening.marking import steps
from contest.screening.marking.book import book_in
from contest.screening.marking.sheets import sheets_of
from contest.screening.papers import Counts, joined, make
from contest.screening.questions.parts import Key, Question
from contest.screening.ranking import TIE_RULES
from contest.screening.registering import add, change, restore, withdraw
from contest.screening.season import Season, bodies
from contest.screening.verifying.verify import verify_rows
from contest.verification.findings import Report
from lpp.pace import Pace
from tests.contest.screening.asking.subjects import (
    Life,
    Quiet,
    answers,
    dies,
    new_contest,
    opened,
    silent,
    way,
)
from tests.contest.screening.submissions import PASSED, SPEAKS, WRITTEN

CAT = Question("own-1", "things", "What says meow?", Key(("cat",), explanation="a cat"))
#: One of our own, and one of templates, about what is told before it: "Ben lost a pen …".
PAPER = joined(make(219, Counts(0, 0, 0, 1, between=0)), [CAT])
#: By what they answer: the first, then two that are equal, then one that dies of a question.
LIVES: dict[str, Life] = {
    "E1": answers(lambda line: "A cat." if "meow" in line else "Hm"),
    "E2": silent,
    "E3": answers(lambda _: "No."),
    "E4": dies("?"),
    "H1": answers(lambda line: "A cat." if "meow" in line else "Well"),
}
PACE = Pace(0.01, 0, 0, 0, 0)


def play(place: Path) -> Path:
    """The folder of a season of four entries and a human, two finalists."""
    new_contest(place)
    file = place / "contest.toml"
    text = file.read_text(encoding="utf-8")
    assert "finalists = 4" in text
    file.write_text(text.replace("finalists = 4", "finalists = 2"), encoding="utf-8")
    # Opened anew for each, as by commands: the loop's clock begins anew, the season's goes on.
    for step in (submit, sit, mark, end):
        with opened(place) as season:
            step(season)
    return place


def submit(season: Season) -> None:
    """Five come in, one is withdrawn, one for a while; the others comply, two of them equal."""
    for nth in (1, 2, 3, 4, 5):
        posted = f"2010-05-1{min(nth, 3)} 10:00"
        values = {"program": f"Program {nth}", "entrant": f"Person {nth}", "posted": posted}
        add(season, {**WRITTEN, **values, "command": "program {dir}"}, "Ada")
    change(season, "E1", {"note": "two disks"}, "Ada", "the second one was found")
    withdraw(season, "E5", "Ada", "as its entrant wishes")
    withdraw(season, "E4", "Ada", "as its entrant wishes")
    restore(season, "E4", "Ada", "the entrant thinks better of it")
    selecting.decide(season, ["E3", "E4"], "Ada", "drawn by lot")
    day = dt.date(2010, 6, 15)
    items = {**PASSED, "runs": PASSED["path"]}
    for id_ in ("E1", "E2", "E3", "E4"):
        record_test(season, id_, items, "Ada", tested=day, conformance=SPEAKS)
    selecting.begin(season, "Ada")


def sit(season: Season) -> None:
    """All sit the paper, and a human beside them."""
    asked = set_paper(season, PAPER, {}, typing_seed=1)
    subjects = subjects_of(list(bodies(season.events())), season.settings)
    subjects.append(Subject("H1", "x {dir}", human=True))
    assert run(ask(season, asked, subjects, way(LIVES, 5, PACE), Quiet())) == []


def mark(season: Season) -> None:
    """Two mark: E1 earns one mark, which they have to settle, nobody else any; equal, E2, E3 and
    E4 are tied at the cut."""
    steps.begin(season)
    steps.state_tie_rule(season, "none", "Ada", list(TIE_RULES))
    letters = steps.letters_of(season, book_in(season))
    first = chr(ord("A") + letters["own-1"].index("E1"))
    for who, best in (("Ann", "1"), ("Bob", "0.5")):
        marks = {
            sheet.item: {
                row.letter: best if (sheet.item, row.letter) == ("own-1", first) else "0"
                for row in sheet.rows
            }
            for sheet in sheets_of(season, book_in(season))
        }
        steps.mark_all(season, who, marks)
    steps.settle(season, "own-1", first, "1", "Cy", "it is right")
    steps.reveal(season)


def end(season: Season) -> None:
    """One of those who are tied goes on."""
    finalists.decide(season, ["E3"], "Ada", "drawn by lot")
    finalists.write(season, "Ada")


# Forging

Drafts = Sequence[Draft]


@dataclass(frozen=True)
class Kept:
    """A season's record in memory."""

    folder: Path
    drafts: Drafts
    sealed: Mapping[str, Any]

    @classmethod
    def of(cls, folder: Path) -> Kept:
        """That of a folder."""
        with opened(folder) as season:
            events = list(season.events())
            sealed = season.record.unseal("letters-")
        drafts = [Draft(e.talk, e.at, e.mono_ns, e.actor, e.kind, e.body) for e in events]
        return cls(folder, drafts, sealed)

    def at(self, kind: str, nth: int = 0) -> int:
        """Where the nth event of a kind stands, from 0; from the end where it is negative."""
        return [at for at, draft in enumerate(self.drafts) if draft.kind == kind][nth]

    def changed(self, kind: str, nth: int = 0, /, **body: Any) -> Kept:
        """With another body of an event: values that are changed, or None for taken out."""
        at = self.at(kind, nth)
        held = self.drafts[at].body | body
        left = {name: value for name, value in held.items() if value is not None}
        return self.put(at, replace(self.drafts[at], body=left))

    def put(self, at: int, *drafts: Draft) -> Kept:
        """With others in the place of an event; none: without it."""
        return replace(self, drafts=[*self.drafts[:at], *drafts, *self.drafts[at + 1 :]])

    def said(self, at: int, body: AnyBody, actor: str = "Ada") -> Kept:
        """With an event more, before the one that stands there."""
        here = self.drafts[at - 1]
        made = Draft(None, here.at, here.mono_ns, actor, body.kind, to_json(body))
        return replace(self, drafts=[*self.drafts[:at], made, *self.drafts[at:]])

    def report(self, folder: Path | None = None) -> Report:
        """What is found in it; every chain is right."""
        return verify_rows(map(row_of, events_of(self.drafts)), self.sealed, folder)

    def red(self, folder: Path | None = None) -> dict[str, list[str]]:
        """What is red: a check's name to its faults."""
        checks = self.report(folder).checks
        return {check.name: [str(f) for f in check.faults] for check in checks if not check.ok}


def events_of(drafts: Drafts) -> list[Event]:
    """Events with right chains."""
    chains = Chains()
    return [chains.place(draft) for draft in drafts]


def row_of(event: Event) -> Row:
    """An event as its row stands in a database."""
    plain = event.as_json()
    return Row(**{**plain, "body": canonical(event.body).decode()})
