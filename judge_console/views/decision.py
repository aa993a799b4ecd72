"""What the pages of a decision have in common: verdict, final ranking and consent.

A page follows its session by itself, keeps a draft of each change at once, and sends what was
confirmed before a crash once more. What there is to decide stands in
`judge_console.model.decision`; here it is drawn.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, ClassVar, Final, NamedTuple

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QApplication,
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QLayout,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from judge_console.look.theme import Theme
from judge_console.model import What
from judge_console.model.decision import Form, News, time_of
from judge_console.session import Session
from judge_console.texts import Texts
from judge_console.updates import Picture
from judge_console.views.controls import ActButton, Notice, buttons_row

#: Under so many widths of a character, what stands in a row stands one below the other.
NARROW: Final = 85


class CommonKeys(NamedTuple):
    """The keys of the texts that all decisions have."""

    refused: str
    saving: str
    saving_offline: str
    save: str
    correct: str
    keep: str


class DecisionPage(QWidget):
    """The page of a decision: what is chosen, which is scrolled where there is too little room, and
    below it, always in sight, where the decision stands and the buttons that save it.

    Arguments:
        session: the seat.
        theme: colours and sizes.
        texts: the words.
        form: what is chosen as long as there is nothing to decide.
        parent: as Qt has it.

    Subclasses build their controls in `column`, then call `add_foot`, and say what the decision is.

    Attributes:
        save_button, correct_button, keep_button: send what is chosen; choose again; leave it at
            what is saved.
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
        self._area = QScrollArea()
        self._area.setWidget(self.body)
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        # It can be scrolled: no window is made larger than its screen for it.
        self._area.setMinimumSize(1, 1)
        # Its controls have the focus, and are scrolled to when they get it.
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.status = Notice()
        self.save_button = ActButton(texts(self.keys.save))
        self.save_button.setProperty("primary", True)
        self.save_button.clicked.connect(self.confirm)
        self.correct_button = ActButton(texts(self.keys.correct))
        self.correct_button.clicked.connect(self.correct)
        self.keep_button = ActButton(texts(self.keys.keep))
        self.keep_button.clicked.connect(self.keep)
        # Its width is no demand: it is laid out for the room that there is.
        self._foot = QWidget()
        self._foot.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self._foot_row = QBoxLayout(QBoxLayout.Direction.LeftToRight, self._foot)
        self._buttons = QHBoxLayout()
        self._whole = QVBoxLayout(self)
        self._whole.setContentsMargins(0, 0, 0, 0)
        self._whole.addWidget(self._area, 1)
        self._rows: list[QBoxLayout] = []
        session.changed.connect(self._follow)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._see_focus)

    # What the decision is

    def key_of(self, picture: Picture) -> Hashable:
        """What there is to decide: another one means a new form. None for nothing."""
        raise NotImplementedError

    def let_go(self) -> None:
        """What there was to decide can't be decided any more, for something else has come."""

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
            self.let_go()
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
        focus = self.window().focusWidget() if self.isVisible() else None
        self.draw()
        self._lay_out_foot()
        if (
            focus is not None
            and self.isAncestorOf(focus)
            and not (focus.isEnabled() and focus.isVisible())
        ):
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

    def add_foot(self, *more: QPushButton) -> None:
        """Puts the status and the buttons, and more of them, below what is scrolled: nobody is to
        believe that something is saved because the words that deny it are out of sight."""
        self._buttons = buttons_row(self.save_button, self.keep_button, self.correct_button, *more)
        self._foot_row.addWidget(self.status, stretch=1)
        self._foot_row.addLayout(self._buttons)
        around = self.column.contentsMargins()
        self._foot_row.setContentsMargins(around.left(), 0, around.right(), around.bottom())
        self._whole.addWidget(self._foot)

    def _lay_out_foot(self) -> None:
        # Beside each other where that is lower, and the words have half of the room: what the foot
        # is high, all that is scrolled above it is less.
        around, between = self._foot_row.contentsMargins(), self._foot_row.spacing()
        room = self.width() - around.left() - around.right()
        buttons = self._buttons.sizeHint()
        beside = room - buttons.width() - between
        lower = max(self.status.heightForWidth(beside), buttons.height()) <= (
            self.status.heightForWidth(room) + between + buttons.height()
        )
        self._foot_row.setDirection(
            QBoxLayout.Direction.LeftToRight
            if lower and beside >= room / 2
            else QBoxLayout.Direction.TopToBottom
        )

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
        narrow = self.width() < NARROW * self.fontMetrics().averageCharWidth()
        for row in self._rows:
            row.setDirection(
                QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight
            )
        self._lay_out_foot()

    # Words that all of them say

    def say_status(self, words: str, tone: str = "") -> None:
        """Says where the decision stands, in its one place."""
        self.status.say(words, tone)

    def draw_buttons(self) -> None:
        """Shows the buttons that there is a use for now."""
        form = self._form
        of_use = {
            self.save_button: form.can_change,
            self.keep_button: form.correcting,
            self.correct_button: form.step in ("sending", "saved"),
        }
        # What is hidden gives the keyboard to what comes after it: not to something far away, for
        # that would be scrolled to.
        for button in sorted(of_use, key=lambda button: not of_use[button]):
            button.setVisible(of_use[button])

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
            self._area.ensureWidgetVisible(now)

    def showEvent(self, event: QShowEvent) -> None:
        """Gives the first control the keyboard."""
        super().showEvent(event)
        self._area.verticalScrollBar().setValue(0)
        self.first_control().setFocus(Qt.FocusReason.OtherFocusReason)
