"""What a desk wants done, and has not been done yet: notes for the record, frames for the seat, key
presses to be made in directories."""

from __future__ import annotations

from dataclasses import dataclass

from judge_console.model.desknotes import Note, Noted
from judge_console.model.desktalk import ns
from lpp.wire import Place, Refused, ToSeat


@dataclass(frozen=True, slots=True)
class ToMake:
    """A key press of who sits here, to be made in the directory at a place.

    Attributes:
        n: its number among those of this talk that are made, from 1.
    """

    place: Place
    key: str
    n: int


class DeskWork:
    """The work of a desk, to be carried out by the shell around it."""

    def __init__(self) -> None:
        self._notes: list[Noted] = []
        self._frames: list[ToSeat] = []
        self._to_make: list[ToMake] = []

    # Each gives what there is, once

    def take_notes(self) -> list[Noted]:
        """What has to be put on record, in this order, without its wall time."""
        taken, self._notes = self._notes, []
        return taken

    def take_frames(self) -> list[ToSeat]:
        """What the seat is to be told."""
        frames, self._frames = self._frames, []
        return frames

    def take_presses(self) -> list[ToMake]:
        """Key presses to be made in directories; `made` confirms each."""
        presses, self._to_make = self._to_make, []
        return presses

    # What comes in

    def _refuse(self, code: str, message: str, answers: str) -> None:
        self._frames.append(Refused(code, message, answers))

    def _note(self, note: Note, now: float) -> None:
        self._notes.append(Noted(note, ns(now)))
