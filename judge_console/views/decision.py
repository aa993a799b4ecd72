"""What the pages of a decision have in common: verdict, final ranking and consent.

A page follows its session by itself, keeps a draft of each change at once, and sends what was
confirmed before a crash once more. What there is to decide is in `judge_console.model.decision`;
here it is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, ClassVar, Final, NamedTuple

from PySide6.QtCore import Slot
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QApplication,
    QBoxLayout,
    QLayout,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from judge_console.look.theme import Theme
from judge_console.model.decision import Form, News, time_of
from judge_console.model.pages import Picture
from judge_console.model.seat import What
from judge_console.session import Session
from judge_console.texts import Texts
from judge_console.views.controls import ActButton, Notice, buttons_row, focus_on, scrolled

#: Under so many widths of a character, the parts of a row stand one below the other.
NARROW: Final = 85


class Subject(NamedTuple):
    """What there is to decide.

    Attributes:
        key: another one means a new form.
        name: of its draft.
        make: makes a form for it.
        open: whether the server takes the decision now.
    """

    key: Hashable
    name: str
    make: Callable[[], Form[Any]]
    open: bool


class DecisionPage(QWidget):
    """The page of a decision: what is chosen, which is scrolled where there is too little room, and
    below it, always in sight, the state of the decision and the buttons that save it.

    Arguments:
        session: the seat.
        theme: colours and sizes.
        texts: the words.
        form: what is chosen as long as there is nothing to decide.

    A subclass names the decision in `what`, builds its controls in `column`, then calls `add_foot`.

    Attributes:
        save_button, correct_button, keep_button: send what is chosen; choose again; leave it at
            what is saved.
    """

    what: ClassVar[What]

    def __init__(self, session: Session, theme: Theme, texts: Texts, form: Form[Any]) -> None:
        super().__init__()
        self.session, self.theme, self.texts = session, theme, texts
        self.form: Any = form
        self._key: Hashable = None
        self._draft_name = ""
        self.body = QWidget()
        self.column = QVBoxLayout(self.body)
        self._area = scrolled(self.body)
        # It can be scrolled: no window is made larger than its screen for it.
        self._area.setMinimumSize(1, 1)
        self.status = Notice()
        self.save_button = self._button(texts(f"{self.what}.confirm"), self.confirm)
        self.correct_button = self._button(texts(f"{self.what}.correct"), self.correct)
        self.keep_button = self._button(texts(f"{self.what}.keep"), self.keep)
        self.save_button.setProperty("primary", True)
        # Its width is no demand: it is laid out for the room that there is.
        self._foot = QWidget()
        self._foot.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self._foot_row = QBoxLayout(QBoxLayout.Direction.LeftToRight, self._foot)
        self._whole = QVBoxLayout(self)
        self._whole.setContentsMargins(0, 0, 0, 0)
        self._whole.addWidget(self._area, 1)
        self._rows: list[QBoxLayout] = []
        session.changed.connect(self._follow)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._see_focus)

    @staticmethod
    def _button(words: str, act: Callable[[], None]) -> ActButton:
        button = ActButton(words)
        button.clicked.connect(act)
        return button

    # What the decision is

    def subject(self, picture: Picture) -> Subject | None:
        """What there is to decide; None for nothing."""
        raise NotImplementedError

    def let_go(self) -> None:
        """What there was to decide can't be decided any more, for something else has come."""

    def draw(self) -> None:
        """Shows the form as it is now."""
        raise NotImplementedError

    def first_control(self) -> QWidget:
        """Where the keyboard goes when the page comes, or when what had it is gone."""
        raise NotImplementedError

    # The way of it

    @Slot()
    def _follow(self) -> None:
        picture = self.session.picture
        subject = self.subject(picture)
        key = subject.key if subject is not None else None
        if key != self._key:
            self.let_go()
            self._key = key
            if subject is not None:
                self.form, self._draft_name = subject.make(), subject.name
                self.form.restore(self.session.drafts.get(self._draft_name))
        self.form.follow(
            News(
                saved=picture.saved.get(self.what),
                refused=picture.refused.get(self.what),
                waiting=self.what in picture.unsaved,
                open=subject is not None and subject.open,
                connected=picture.connected,
            )
        )
        again = self.form.resume()
        if again is not None:
            self.session.give(again)
        self.changed()

    def changed(self) -> None:
        """The form has changed: keeps it, and shows it."""
        if self._key is not None:
            self.session.drafts.put(self._draft_name, self.form.draft())
        focus = self.window().focusWidget() if self.isVisible() else None
        self.draw()
        self._lay_out_foot()
        if (
            focus is not None
            and self.isAncestorOf(focus)
            and not (focus.isEnabled() and focus.isVisible())
        ):
            focus_on(self.first_control())
        self.setFocusProxy(self.first_control())

    @Slot()
    def confirm(self) -> None:
        """The person says that this is it."""
        if self.form.step == "confirm":
            message = self.form.confirm()
            # First on disk, then on its way: a crash between the two loses nothing.
            self.changed()
            self.session.give(message)

    @Slot()
    def correct(self) -> None:
        """The person wants to choose again."""
        self.form.correct()
        self.changed()
        focus_on(self.first_control())

    @Slot()
    def keep(self) -> None:
        """The person leaves it at what is saved."""
        self.form.keep()
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
        _turn(self._foot_row, beside_each_other=lower and beside >= room / 2)

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
            _turn(row, beside_each_other=not narrow)
        self._lay_out_foot()

    # What all of them show

    def draw_buttons(self) -> None:
        """Shows the buttons that are of use now."""
        form = self.form
        of_use = {
            self.save_button: form.can_change,
            self.keep_button: form.correcting,
            self.correct_button: form.step in ("sending", "saved"),
        }
        # What is hidden gives the keyboard to what comes after it: not to something far away, for
        # that would be scrolled to.
        for button in sorted(of_use, key=lambda button: not of_use[button]):
            button.setVisible(of_use[button])
        self.save_button.setEnabled(form.step == "confirm")

    def saved_time(self) -> str:
        """When the server has committed what it holds; empty if it holds nothing."""
        saved = self.form.saved
        return time_of(saved.at) if saved is not None else ""

    def common_status(self) -> bool:
        """Shows the status that all decisions share; False if it is none of these."""
        form = self.form
        if form.trouble and form.step != "sending":
            words = self.texts(f"{self.what}.refused", reason=form.trouble)
            self.status.say(words, "error")
        elif form.step == "sending":
            offline = "" if form.connected else "_offline"
            self.status.say(self.texts(f"{self.what}.saving{offline}"))
        elif form.correcting:
            self.status.say(self.texts(f"{self.what}.correcting", time=self.saved_time()))
        elif form.step == "choose":
            self.status.say(self.texts(f"{self.what}.choose_first"))
        elif form.step == "closed" and form.saved is None:
            lost = form.lost and self.what != "consent"
            words = self.texts(f"{self.what}.closed{'_unsaved' if lost else ''}")
            self.status.say(words, "error" if lost else "")
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
        focus_on(self.first_control())


def _turn(row: QBoxLayout, *, beside_each_other: bool) -> None:
    row.setDirection(
        QBoxLayout.Direction.LeftToRight if beside_each_other else QBoxLayout.Direction.TopToBottom
    )
