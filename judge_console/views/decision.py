"""What the pages of a decision have in common: verdict, final ranking and consent.

A page follows its session by itself, keeps a draft of each change at once, and sends what was
confirmed before a crash once more. What there is to decide stands in
`judge_console.model.decision`; here it is drawn.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, ClassVar, Final, NamedTuple

from PySide6.QtCore import QEvent, QSignalBlocker, QSize, Qt, Slot
from PySide6.QtGui import QFontMetrics, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QApplication,
    QBoxLayout,
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLayout,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from judge_console.look.theme import Theme, mark
from judge_console.model import What
from judge_console.model.decision import Form, News, time_of
from judge_console.session import Session
from judge_console.texts import Texts
from judge_console.views.announce import announce
from judge_console.worker import Picture

#: Under so many widths of a character, what stands in a row stands one below the other.
NARROW: Final = 85

_RETURN: Final = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class CommonKeys(NamedTuple):
    """The keys of the texts that all decisions have."""

    refused: str
    saving: str
    saving_offline: str


class DecisionPage(QScrollArea):
    """The page of a decision.

    Arguments:
        session: the seat.
        theme: colours and sizes.
        texts: the words.
        form: what is chosen as long as there is nothing to decide.
        parent: as Qt has it.

    Subclasses build their controls in `column`, and say what the decision is.
    """

    what: ClassVar[What]
    keys: ClassVar[CommonKeys]

    def __init__(
        self,
        session: Session,
        theme: Theme,
        texts: Texts,
        form: Form[Any],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.session, self.theme, self.texts = session, theme, texts
        self._form = form
        self._key: Hashable = None
        self._draft_name = ""
        self.body = QWidget()
        self.column = QVBoxLayout(self.body)
        self.setWidget(self.body)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        # Its controls have the focus, and are scrolled to when they get it.
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.status = Notice()
        self._rows: list[QBoxLayout] = []
        session.changed.connect(self._follow)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._see_focus)

    # What the decision is

    def key_of(self, picture: Picture) -> Hashable:
        """What there is to decide: another one means a new form. None for nothing."""
        raise NotImplementedError

    def make(self, picture: Picture) -> Form[Any]:
        """A form for what there is to decide."""
        raise NotImplementedError

    def name_of(self, picture: Picture) -> str:
        """The name of its draft."""
        raise NotImplementedError

    def is_open(self, picture: Picture) -> bool:
        """Whether the server takes it now."""
        raise NotImplementedError

    def send(self, message: Any) -> None:
        """Gives the server what is confirmed."""
        raise NotImplementedError

    def draw(self) -> None:
        """Shows the form as it stands."""
        raise NotImplementedError

    def first_control(self) -> QWidget:
        """Where the keyboard goes when the page comes, or when what had it is gone."""
        raise NotImplementedError

    # The way of it

    @Slot()
    def _follow(self) -> None:
        picture = self.session.picture
        key = self.key_of(picture)
        if key != self._key:
            self._key = key
            if key is not None:
                self._form, self._draft_name = self.make(picture), self.name_of(picture)
                self._form.restore(self.session.drafts.get(self._draft_name))
        self._form.follow(
            News(
                saved=picture.saved.get(self.what),
                refused=picture.refused.get(self.what),
                waiting=self.what in picture.unsaved,
                open=key is not None and self.is_open(picture),
                connected=picture.connected,
            )
        )
        again = self._form.resume()
        if again is not None:
            self.send(again)
        self.changed()

    def changed(self) -> None:
        """The form has changed: keeps it, and shows it."""
        if self._key is not None:
            self.session.drafts.put(self._draft_name, self._form.draft())
        focus = QApplication.focusWidget()
        mine = focus is not None and self.isAncestorOf(focus)
        self.draw()
        if mine and focus is not None and not (focus.isEnabled() and focus.isVisible()):
            self.first_control().setFocus(Qt.FocusReason.OtherFocusReason)
        self.setFocusProxy(self.first_control())

    @Slot()
    def confirm(self) -> None:
        """The person says that this is it."""
        if self._form.step != "confirm":
            return
        message = self._form.confirm()
        # First on disk, then on its way: a crash between the two loses nothing.
        self.changed()
        self.send(message)

    @Slot()
    def correct(self) -> None:
        """The person wants to choose again."""
        self._form.correct()
        self.changed()
        self.first_control().setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot()
    def keep(self) -> None:
        """The person leaves it at what is saved."""
        self._form.keep()
        self.changed()

    # Room

    def row(self, *parts: QWidget | QLayout) -> QBoxLayout:
        """A row of parts, the first of which takes the room that is left; where there is too
        little, they stand one below the other."""
        row = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        for part in parts:
            if isinstance(part, QWidget):
                row.addWidget(part, stretch=part is parts[0])
            else:
                row.addLayout(part, stretch=part is parts[0])
        self._rows.append(row)
        return row

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lays the rows out for the room that there is."""
        super().resizeEvent(event)
        narrow = self.viewport().width() < NARROW * self.fontMetrics().averageCharWidth()
        for row in self._rows:
            row.setDirection(
                QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight
            )

    # Words that all of them say

    def say_status(self, words: str, tone: str = "") -> None:
        """Says where the decision stands, in its one place."""
        self.status.say(words, tone)

    def saved_time(self) -> str:
        """When the server has committed what it holds; empty if it holds nothing."""
        saved = self._form.saved
        return time_of(saved.at) if saved is not None else ""

    def common_status(self) -> bool:
        """Says what is said in the same way for all decisions.

        Returns:
            Whether there was something of the kind.
        """
        form, keys = self._form, self.keys
        if form.trouble and form.step != "sending":
            self.say_status(self.texts(keys.refused, reason=form.trouble), "error")
        elif form.step == "sending":
            self.say_status(self.texts(keys.saving if form.connected else keys.saving_offline))
        else:
            return False
        return True

    @Slot(QWidget, QWidget)
    def _see_focus(self, _: QWidget | None, now: QWidget | None) -> None:
        """What has the keyboard is in sight, however it got it."""
        if now is not None and self.body.isAncestorOf(now):
            self.ensureWidgetVisible(now)

    def showEvent(self, event: QShowEvent) -> None:
        """Gives the first control the keyboard."""
        super().showEvent(event)
        self.verticalScrollBar().setValue(0)
        self.first_control().setFocus(Qt.FocusReason.OtherFocusReason)


class Words(QLabel):
    """Words that are only words, broken into lines where the room ends.

    Arguments:
        text: they.
        role: how the style sheet shows them (`judge_console.look.style`).
    """

    def __init__(self, text: str = "", role: str = "") -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        if role:
            self.setProperty("role", role)
        self.setText(text)


class Notice(Words):
    """Where something stands: one line that changes in its place, and is read out when it does."""

    def __init__(self) -> None:
        super().__init__(role="notice")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)

    def say(self, text: str, tone: str = "") -> None:
        """Says it; `tone` is "ok", "error" or empty."""
        mark(self, "tone", tone)
        if text != self.text():
            self.setText(text)
            if self.isVisible():
                announce(self, text, urgent=tone == "error")


class ActButton(QPushButton):
    """A button that Return presses too, once however long it is held."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """See Qt."""
        if event.key() in _RETURN and not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            if not event.isAutoRepeat():
                self.click()
            return
        super().keyPressEvent(event)


class BrokenButton(ActButton):
    """A button whose words are broken into lines where the room ends.

    Arguments:
        words: what stands on it.
    """

    def __init__(self, words: str) -> None:
        super().__init__()
        self._words, self._note = words, ""
        self.setAccessibleName(words)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self._break()

    @property
    def words(self) -> str:
        """What stands on it, in one line."""
        return self._words

    def set_note(self, note: str) -> None:
        """A line of its own under the words; there is room for one in any case."""
        if note != self._note:
            self._note = note
            self._break()

    def _break(self) -> None:
        self.ensurePolished()
        metrics = self.fontMetrics()
        # What the style sheet puts around the words.
        around = super().sizeHint().width() - metrics.size(0, self.text()).width()
        room = self.width() - around
        broken = lines_of(self._words, metrics, room) + ([self._note] if self._note else [])
        if "\n".join(broken) != self.text():
            self.setText("\n".join(broken))

    def sizeHint(self) -> QSize:
        """Room for the note, whether there is one or not: nothing moves when it comes."""
        hint = super().sizeHint()
        if not self._note:
            hint.setHeight(hint.height() + self.fontMetrics().lineSpacing())
        return hint

    def minimumSizeHint(self) -> QSize:
        """The same."""
        return self.sizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Breaks the words anew."""
        super().resizeEvent(event)
        self._break()

    def changeEvent(self, event: QEvent) -> None:
        """Breaks the words anew where the size of the text is another one."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._break()


def buttons_row(*buttons: QPushButton) -> QHBoxLayout:
    """Buttons beside each other, at their own width."""
    row = QHBoxLayout()
    for button in buttons:
        row.addWidget(button)
    row.addStretch(0)
    return row


def lines_of(words: str, metrics: QFontMetrics, room: int) -> list[str]:
    """Breaks words into lines of at most `room` pixels; a word is never broken."""
    lines: list[str] = []
    for word in words.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and metrics.horizontalAdvance(longer) <= room:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


class CalmComboBox(QComboBox):
    """A list of choices that a turn of the wheel changes only where it has the keyboard: a page
    that is scrolled must not change what was chosen."""

    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def wheelEvent(self, event: Any) -> None:
        """See Qt."""
        super().wheelEvent(event) if self.hasFocus() else event.ignore()


class CalmSpinBox(QSpinBox):
    """A number; see `CalmComboBox`."""

    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def wheelEvent(self, event: Any) -> None:
        """See Qt."""
        super().wheelEvent(event) if self.hasFocus() else event.ignore()


def put(widget: Any, name: str, value: Any) -> None:
    """Sets what a control shows, where it shows something else, without its saying so.

    Arguments:
        widget: the control.
        name: of what: "value" for `value()` and `setValue`, and so on.
        value: what it is to show.
    """
    if getattr(widget, name)() != value:
        with QSignalBlocker(widget):
            getattr(widget, f"set{name[0].upper()}{name[1:]}")(value)
