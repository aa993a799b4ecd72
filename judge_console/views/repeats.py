"""A key that is held down, and one that is pressed again.

Qt says with each key which of the two it is. On X11 it finds that out by looking whether the next
press has come in already, and that press may be a moment late: one of thirty repeats was taken for
a new press on a quiet machine. What gives such a press away is its time: it has that of the
release before it, to the millisecond, and no finger is so fast.
"""

from __future__ import annotations

from PySide6.QtGui import QKeyEvent


def number_of(event: QKeyEvent) -> int:
    """Which key of the keyboard it is, whatever it types at the moment: a key that went down with
    Shift may come up without."""
    return event.nativeScanCode() or event.key()


class Repeats:
    """Knows the repeats of a widget's keys. Each key that comes up there has to be told."""

    def __init__(self) -> None:
        self._up = (0, 0)

    def released(self, event: QKeyEvent) -> None:
        """A key came up."""
        self._up = (number_of(event), event.timestamp())

    def is_repeat(self, event: QKeyEvent) -> bool:
        """Whether a key that goes down was down before."""
        if event.isAutoRepeat():
            return True
        # A time of 0 is none: such events are made by programs.
        return event.timestamp() > 0 and self._up == (number_of(event), event.timestamp())
