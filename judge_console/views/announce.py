"""Words for those who have the screen read to them."""

from __future__ import annotations

from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget


def announce(widget: QWidget, text: str, *, urgent: bool = False) -> None:
    """Has a screen reader say something, wherever the focus is; where none runs, nothing happens.

    Arguments:
        widget: where it stands on the screen.
        text: what.
        urgent: whether it may cut off what is being read.
    """
    if not text:
        return
    event = QAccessibleAnnouncementEvent(widget, text)
    if urgent:
        event.setPoliteness(QAccessible.AnnouncementPoliteness.Assertive)
    QAccessible.updateAccessibility(event)
