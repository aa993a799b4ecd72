"""The forms about the register: an entry that has come in, a correction, a withdrawal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from contest.board.season_fields import (
    BESIDE,
    BY,
    REASON,
    Box,
    Faulty,
    Typed,
    changed_in,
    filled,
    register_boxes,
    signing_faults,
    texts_in,
    texts_of,
)
from contest.board.season_writing import Hand
from contest.screening.forms import FIELDS, TEXT_LIMIT, BadForm, faults, read_form
from contest.screening.register import Entry, Register, register_of
from contest.screening.registering import Registered
from contest.screening.season import bodies, read
from contest.screening.submission import look
from contest.setup import settings
from contest.setup.calendar import SeasonTable

ANYWAY = Box(
    "anyway",
    "Register it although somebody is associated with another entry, because",
    hint="only if that is so; as long as both stand, neither complies",
    longest=TEXT_LIMIT,
)


class New:
    """Registers an entry."""

    template = "season_register.html"
    signed = (ANYWAY, BY)

    def page(self, folder: Path, _id: str, typed: Typed | None, wrong: Typed) -> dict[str, Any]:
        """What the form shows: fields, and what the rules say of them."""
        texts = {} if typed is None else texts_in(typed)
        register, table = _register(folder)
        id_ = f"E{len(register.entries) + 1}"
        broken, remarks = _said(id_, texts, None, register, table)
        return {
            "entry": None,
            "groups": register_boxes(texts, wrong, broken, {}, table),
            "remarks": remarks,
            "version": "",
            "meanwhile": "",
            "signing": filled(self.signed, typed, wrong, FIELDS),
        }

    def wrong(self, _folder: Path, _id: str, typed: Typed) -> dict[str, str]:
        """Field to what is wrong with it."""
        return faults(texts_in(typed)) | signing_faults(typed, *self.signed)

    def take(self, hand: Hand, _folder: Path, id_: str, typed: Typed) -> tuple[str, str]:
        """Registers it.

        Returns:
            The entry's id, and what is to be said.

        Raises:
            ContestError: if it is not registered.
        """
        _refuse(self.wrong(_folder, id_, typed))
        done = hand.add(texts_in(typed), typed["by"].strip(), typed.get("anyway", ""))
        return done.entry, f"{done.entry} is registered{_rules(done)}"


class Change:
    """Corrects an entry."""

    template = "season_register.html"
    signed = (REASON, BY)

    def page(self, folder: Path, id_: str, typed: Typed | None, wrong: Typed) -> dict[str, Any]:
        """As of `New`; what the register says stands beside what differs from it."""
        register, table = _register(folder)
        entry = register.find(id_)
        held = texts_of(entry.form)
        texts = held if typed is None else texts_in(typed)
        broken, remarks = _said(id_, texts, entry, register, table)
        last = entry.versions[-1]
        meanwhile = ""
        if typed is not None and typed.get("version", "") != str(last.number):
            why = f": {last.reason}" if last.reason else ""
            meanwhile = f"{id_} has version {last.number} by now, of {last.by}{why}"
        return {
            "entry": entry,
            "groups": register_boxes(texts, wrong, broken, held, table),
            "remarks": remarks,
            "version": str(last.number),
            "meanwhile": meanwhile,
            "signing": filled(self.signed, typed, wrong, FIELDS),
        }

    def wrong(self, folder: Path, id_: str, typed: Typed) -> dict[str, str]:
        """Field to what is wrong with it."""
        form = _register(folder)[0].find(id_).form
        return faults(changed_in(texts_in(typed), form), form) | signing_faults(typed, *self.signed)

    def take(self, hand: Hand, folder: Path, id_: str, typed: Typed) -> tuple[str, str]:
        """Corrects it; as of `New`."""
        _refuse(self.wrong(folder, id_, typed))
        by, why = typed["by"].strip(), typed["reason"]
        done = hand.change(id_, typed.get("version", ""), texts_in(typed), by, why)
        return id_, f"{id_} is corrected{_rules(done)}"


class Turn:
    """Withdraws an entry, or takes that back.

    Arguments:
        back: whether it is taken back.
    """

    template = "season_turn.html"
    signed = (REASON, BY)

    def __init__(self, *, back: bool) -> None:
        self._back = back

    def page(self, folder: Path, id_: str, typed: Typed | None, wrong: Typed) -> dict[str, Any]:
        """What the form shows."""
        return {
            "entry": _register(folder)[0].find(id_),
            "back": self._back,
            "signing": filled(self.signed, typed, wrong),
        }

    def wrong(self, _folder: Path, _id: str, typed: Typed) -> dict[str, str]:
        """Field to what is wrong with it."""
        return signing_faults(typed, *self.signed)

    def take(self, hand: Hand, folder: Path, id_: str, typed: Typed) -> tuple[str, str]:
        """Takes it out, or back; as of `New`."""
        _refuse(self.wrong(folder, id_, typed))
        by, why = typed["by"].strip(), typed["reason"]
        if not self._back:
            hand.withdraw(id_, by, why)
            return id_, f"{id_} is withdrawn"
        return id_, f"{id_} is back in the register{_rules(hand.restore(id_, by, why))}"


def _register(folder: Path) -> tuple[Register, SeasonTable]:
    return register_of(bodies(read(folder))), settings.load(folder).season


def _said(
    id_: str, texts: Typed, entry: Entry | None, register: Register, table: SeasonTable
) -> tuple[dict[str, list[str]], tuple[str, ...]]:
    """What the rules say of a form: field to what it breaks, and what else should be known."""
    before = None if entry is None else entry.form
    try:
        form = read_form(texts if before is None else changed_in(texts, before), "", before)
    except BadForm:
        return {}, ()
    forms = (
        register.forms if entry is not None and entry.withdrawn else register.forms | {id_: form}
    )
    broken: dict[str, list[str]] = {}
    findings, remarks = look(id_, form, forms, table)
    for finding in findings:
        broken.setdefault(BESIDE[finding.rule], []).append(finding.in_full())
    return broken, tuple(remarks)


def _refuse(wrong: Typed) -> None:
    if wrong:
        raise Faulty(wrong)


def _rules(done: Registered) -> str:
    if not done.broken:
        return ""
    many = "a rule" if len(done.broken) == 1 else f"{len(done.broken)} rules"
    return f"; it breaks {many}, quoted below"
