"""Marks to totals, places and finalists, computed anew; and the finalists against the contest."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from contest.errors import BadSettings, ContestError
from contest.record import reading
from contest.record.events import Event
from contest.screening.bodies import AnyBody
from contest.screening.marking.bodies import CutDecided, FinalistsSet, LettersRevealed
from contest.screening.result import result_of
from contest.screening.verifying.past import OWN, Past, anew, named
from contest.setup.settings import FILE_NAME, load
from contest.verification.findings import Check, Faults, quoted, several

#: Id to program and entrant.
_Entries = Mapping[str, tuple[str, str]]


class RankingCheck:
    """Takes all events in their order; `check` says what was found.

    Arguments:
        past: what stands before each event.
        folder: the contest's, whose entries the finalists are; None for no contest.
    """

    def __init__(self, past: Past, folder: Path | None) -> None:
        self._past = past
        self._folder = folder
        self._faults = Faults(OWN)
        self._revealed = False
        self._finalists: list[str] | None = None
        self._held: list[str] = []

    @property
    def finished(self) -> bool:
        """Whether it is on record who the finalists are."""
        return self._finalists is not None

    def take(self, event: Event, body: AnyBody) -> None:
        """Takes the next event."""
        match body:
            case LettersRevealed():
                self._revealed = True
            case CutDecided():
                self._decide(event, body)
            case FinalistsSet():
                self._finals(event, body)
            case _:
                pass

    def check(self) -> Check:
        """What was found."""
        if self._finalists is not None and self._folder is not None:
            self._hold(self._folder)
        said = self._places() if self._revealed else "nobody has a place yet"
        if self._finalists is not None:
            said += f"; finalists {named(self._finalists)}"
        if self._held:
            said += f", as in {' and in '.join(self._held)}"
        return self._faults.check("ranking", said)

    def _places(self) -> str:
        try:
            found = result_of(self._past.kept, self._past.settings).ranking
        except ContestError as exc:
            return f"no places by what is known now ({exc})"
        except (LookupError, ValueError, ArithmeticError):
            return "no places"  # the event that does not fit was named
        tie = " (a tie at the cut is open)" * found.is_open
        return f"{several(len(found.rows), 'entry', 'entries')} by totals of their marks{tie}"

    def _decide(self, event: Event, body: CutDecided) -> None:
        if not body.reason:
            self._faults.at(event, "it has no reason")
        anew(
            *(self._faults, event, "the cut"),
            lambda: result_of(
                [*self._past.kept, (event, body)], self._past.settings, deciding=True
            ),
        )

    def _finals(self, event: Event, body: FinalistsSet) -> None:
        self._finalists = list(body.entries)
        found = anew(
            *(self._faults, event, "who the finalists are"),
            lambda: result_of(self._past.kept, self._past.settings).ranking,
        )
        if found is None:
            return
        if found.is_open:
            self._faults.at(event, "a tie at the cut was open")
        if found.finalists != tuple(body.entries):
            self._faults.at(
                event,
                f"its finalists are {named(body.entries)}; by the marks they are "
                f"{named(found.finalists)}",
            )

    # The contest

    def _hold(self, folder: Path) -> None:
        for where, entries in self._contests(folder):
            before = self._faults.count
            self._hold_to(where, entries)
            if self._faults.count == before:
                self._held.append(where)

    def _contests(self, folder: Path) -> list[tuple[str, _Entries]]:
        """Where the contest's entries stand: in its settings, and in its record once it has
        begun."""
        found: list[tuple[str, _Entries]] = []
        if (folder / FILE_NAME).exists():
            try:
                entries = load(folder).entry
            except BadSettings as exc:
                self._faults.tell(f"the finalists can't be held against the contest: {exc}")
                return found
            found.append((FILE_NAME, {e.id: (e.name, e.entrant) for e in entries}))
        recorded = _recorded(folder)
        if recorded is not None:
            found.append(("the contest's record", recorded))
        return found

    def _hold_to(self, where: str, entries: _Entries) -> None:
        register = self._past.register.entries
        for id_ in self._finalists or ():
            entry = register.get(id_)
            if entry is None:
                continue  # the event that names it was found wanting
            forms = {(version.form.program, version.form.entrant) for version in entry.versions}
            if id_ in entries and entries[id_] not in forms:
                program, entrant = entries[id_]
                self._faults.tell(
                    f"{where} has {quoted(program)} by {quoted(entrant)} as {id_}, which the "
                    "register does not know under that name"
                )
            elif id_ not in entries and not entry.withdrawn:
                self._faults.tell(f"{where} lacks {id_}, who is a finalist")
        for id_ in entries:
            if id_ in register and id_ not in (self._finalists or ()):
                self._faults.tell(f"{where} has {id_}, who is no finalist")


def _recorded(folder: Path) -> _Entries | None:
    """The entries that a contest was opened with; None where none was, or it can't be read, which
    is its own verification's to say."""
    try:
        rows = reading.block_at(reading.place_of(folder), 1, 1)
        found: Any = json.loads(rows[0].body)["settings"]["entry"]
        return {e["id"]: (str(e.get("name", "")), str(e.get("entrant", ""))) for e in found}
    except (ContestError, LookupError, TypeError, ValueError, AttributeError):
        return None
