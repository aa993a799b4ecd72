"""Finds texts in a window that don't fit.

window.resize(1024, 768)
assert misfits(window) == []
"""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QGroupBox,
    QLabel,
    QLineEdit,
    QMenuBar,
    QScrollArea,
    QWidget,
)

#: Pixels by which a text may be too large, because Qt rounds font sizes.
SLACK = 1

#: Colours, text sizes and languages in which every window must fit; large German texts need the
#: most room.
FITS = [("high-contrast", 200, "de")]


def misfits(root: QWidget) -> list[str]:
    """The texts that don't fit in a visible window; empty if all do.

    Each visible label, button, line and menu must have the room that its words take (a label that
    wraps must have the height for all its lines), and must lie wholly within what contains it.
    Content of a scroll area may be out of sight, but only above or below: nobody likes to read a
    line by scrolling sideways.

    Arguments:
        root: the window, or any part of one.

    Returns:
        A sentence for each misfit.
    """
    assert root.isVisible(), f"{root!r} is not visible, so its sizes mean nothing"
    # Requested sizes take effect in the next turn of the loop.
    for _ in range(3):
        QApplication.processEvents()
    return [
        f"{_called(widget)}: {fault}"
        for widget in [root, *root.findChildren(QWidget)]
        if widget.isVisible() and not _is_of_a_larger_one(widget)
        for fault in (*_too_small(widget), *_out_of_sight(widget, root))
    ]


def _called(widget: QWidget) -> str:
    text = getattr(widget, "text", None)
    words = text() if callable(text) else widget.accessibleName() or widget.objectName()
    return f"{type(widget).__name__} {words!r}"


def _is_of_a_larger_one(widget: QWidget) -> bool:
    """Whether it is part of one of Qt's own widgets, which is checked as a whole."""
    parent = widget.parentWidget()
    return widget.objectName().startswith("qt_") or isinstance(
        parent, QComboBox | QAbstractSpinBox | QLineEdit | QMenuBar
    )


def _too_small(widget: QWidget) -> Iterator[str]:
    have, need = widget.size(), widget.sizeHint()
    match widget:
        case QLabel() if widget.text():
            yield from _label(widget)
        case QAbstractButton() if widget.text():
            if need.width() > have.width() + SLACK or need.height() > have.height() + SLACK:
                yield f"needs {need.width()}x{need.height()}, has {have.width()}x{have.height()}"
        case QLineEdit() | QComboBox() | QAbstractSpinBox():
            least = widget.minimumSizeHint().height()
            if least > have.height() + SLACK:
                yield f"needs a height of {least}, has {have.height()}"
        case QGroupBox():
            if widget.fontMetrics().horizontalAdvance(widget.title()) > have.width():
                yield f"its title {widget.title()!r} is wider than {have.width()}"
        case QMenuBar():
            for action in widget.actions():
                room = widget.actionGeometry(action)
                if action.isVisible() and (room.isEmpty() or not widget.rect().contains(room)):
                    yield f"its menu {action.text()!r} is cut off"


def _label(label: QLabel) -> Iterator[str]:
    if label.wordWrap():
        need = label.heightForWidth(label.width())
        if need > label.height() + SLACK:
            yield f"needs a height of {need} at a width of {label.width()}, has {label.height()}"
        # A word that is wider than the label is cut off at any height.
        inside = label.contentsRect().width() - 2 * label.margin()
        for word in label.text().replace("\u200b", " ").split():  # a line may break there
            wide = label.fontMetrics().horizontalAdvance(word)
            if wide > inside + SLACK:
                yield f"its word {word!r} needs {wide}, has {inside}"
    else:
        need_size = label.sizeHint()
        if need_size.width() > label.width() + SLACK or need_size.height() > label.height() + SLACK:
            yield (
                f"needs {need_size.width()}x{need_size.height()},"
                f" has {label.width()}x{label.height()}"
            )


def _out_of_sight(widget: QWidget, root: QWidget) -> Iterator[str]:
    if widget.isWindow() or widget is root:
        return
    inside: QWidget = widget
    while inside is not root and not inside.isWindow():
        around = inside.parentWidget()
        if around is None:
            return
        rect = QRect(widget.mapTo(around, QPoint(0, 0)), widget.size())
        scrolled = _scroll_area_of(around)
        if scrolled is not None:
            # `around` is a viewport: its content may continue below, if a person can scroll there.
            can = scrolled.verticalScrollBarPolicy() != Qt.ScrollBarPolicy.ScrollBarAlwaysOff
            if not can and not (rect.top() >= 0 and rect.bottom() < around.height() + SLACK):
                yield "is out of sight, and can't be scrolled to"
            if rect.left() < -SLACK or rect.right() >= around.width() + SLACK:
                yield f"reaches from {rect.left()} to {rect.right()} of {around.width()} sideways"
            return
        if not around.rect().adjusted(-SLACK, -SLACK, SLACK, SLACK).contains(rect):
            yield (
                f"at {rect.x()},{rect.y()} with {rect.width()}x{rect.height()} reaches out of"
                f" {_called(around)} with {around.width()}x{around.height()}"
            )
            return
        inside = around


def _scroll_area_of(viewport: QWidget) -> QScrollArea | None:
    parent = viewport.parentWidget()
    if isinstance(parent, QScrollArea) and parent.viewport() is viewport:
        return parent
    return None
