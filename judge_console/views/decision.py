"""What the pages of a decision have in common: verdict, final ranking and consent.

A page follows its session by itself, keeps a draft of each change at once, and sends what was
confirmed before a crash once more. `judge_console.model.decision` has the decision itself; here it
is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, ClassVar, NamedTuple

from PySide6.QtCore import Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QApplication, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from judge_console.look.theme import Theme, mark
from judge_console.model.decision import Form, time_of
from judge_console.model.pages import Picture
from judge_console.model.seat import What
from judge_console.session import Session
from judge_console.views.controls import ActButton, Notice, buttons_row, focus_on, scrolled
from lpp.wire import Refused
from texts import Texts


def why(texts: Texts, refused: Refused) -> str:
    """Why the server refused something; in its own words where the code is unknown here."""
    key = f"refused.{refused.code.replace('-', '_')}"
    return texts(key) if key in texts else refused.message


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
    """The page of a decision: the choices, which scroll where there is too little room, and below
    them, always in sight, the state of the decision and the buttons that save it.

    Arguments:
        session: the seat.
        theme: colours and sizes.
        texts: the words.
        form: the choices as long as there is nothing to decide.

    A subclass names the decision in `what`, builds its controls in `column`, then calls `add_foot`.

    Attributes:
        save_button, correct_button, keep_button: send the choice; choose again; keep the saved
            choice.
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
        # It scrolls: no window is made larger than its screen for it.
        self._area.setMinimumSize(1, 1)
        self.status = Notice()
        self.save_button, self.correct_button, self.keep_button = (
            ActButton(texts(f"{self.what}.{name}")) for name in ("confirm", "correct", "keep")
        )
        self.save_button.clicked.connect(self.confirm)
        self.correct_button.clicked.connect(self.correct)
        self.keep_button.clicked.connect(self.keep)
        mark(self.save_button, "primary", True)
        self._whole = QVBoxLayout(self)
        self._whole.setContentsMargins(0, 0, 0, 0)
        self._whole.addWidget(self._area, 1)
        session.changed.connect(self._follow)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._see_focus)

    # Each kind of decision has its own

    def subject(self, picture: Picture) -> Subject | None:
        """What there is to decide; None for nothing."""
        raise NotImplementedError

    def let_go(self) -> None:
        """The subject can't be decided any more, because another one has come."""

    def draw(self) -> None:
        """Shows the form's choices."""
        raise NotImplementedError

    def words(self) -> tuple[str, str]:
        """The status where none of the common ones holds, and its tone."""
        raise NotImplementedError

    def first_control(self) -> QWidget:
        """What gets the keyboard when the page comes, or when the control that had it is gone."""
        raise NotImplementedError

    # The person's acts and the server's answers

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
            picture.saved.get(self.what),
            picture.refused.get(self.what),
            waiting=self.what in picture.unsaved,
            is_open=subject is not None and subject.open,
            connected=picture.connected,
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
        self._draw_buttons()
        self.status.say(*(self._common_words() or self.words()))
        if (
            focus is not None
            and self.isAncestorOf(focus)
            and not (focus.isEnabled() and focus.isVisible())
        ):
            focus_on(self.first_control())
        self.setFocusProxy(self.first_control())

    @Slot()
    def confirm(self) -> None:
        """The person confirms the choice."""
        if self.form.step == "confirm":
            message = self.form.confirm()
            # First to disk, then to the server: a crash between the two loses nothing.
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
        """The person keeps the saved choice."""
        self.form.keep()
        self.changed()

    # What all of them show

    def add_foot(self, *more: QPushButton) -> None:
        """Puts the status and the buttons, and more of them, below the part that scrolls: nobody
        may believe that something is saved because the words that deny it are out of sight."""
        # Its width is not a demand: it is laid out for the room that there is.
        area = QWidget()
        area.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        foot = QVBoxLayout(area)
        foot.addWidget(self.status)
        foot.addLayout(buttons_row(self.save_button, self.keep_button, self.correct_button, *more))
        around = self.column.contentsMargins()
        foot.setContentsMargins(around.left(), 0, around.right(), around.bottom())
        self._whole.addWidget(area)

    def _draw_buttons(self) -> None:
        form = self.form
        of_use = {
            self.save_button: form.can_change,
            self.keep_button: form.correcting,
            self.correct_button: form.step in ("sending", "saved"),
        }
        # A hidden button gives the keyboard to the next one: show before hiding, so that the next
        # one is not far away.
        for button in sorted(of_use, key=lambda button: not of_use[button]):
            button.setVisible(of_use[button])
        self.save_button.setEnabled(form.step == "confirm")

    def saved_time(self) -> str:
        """When the server has committed what it holds; empty if it holds nothing."""
        saved = self.form.saved
        return time_of(saved.at) if saved is not None else ""

    def _common_words(self) -> tuple[str, str] | None:
        """The status that all decisions share, and its tone; None if none of these holds."""
        form, what = self.form, self.what
        if form.trouble and form.step != "sending":
            return self.texts(f"{what}.refused", reason=why(self.texts, form.trouble)), "error"
        if form.step == "sending":
            offline = "" if form.connected else "_offline"
            return self.texts(f"{what}.saving{offline}"), ""
        if form.correcting:
            return self.texts(f"{what}.correcting", time=self.saved_time()), ""
        if form.step == "choose":
            return self.texts(f"{what}.choose_first"), ""
        if form.step == "closed" and form.saved is None:
            lost = form.lost and what != "consent"
            words = self.texts(f"{what}.closed{'_unsaved' if lost else ''}")
            return words, "error" if lost else ""
        return None

    @Slot(QWidget, QWidget)
    def _see_focus(self, _: QWidget | None, now: QWidget | None) -> None:
        """Scrolls to the control that has got the keyboard."""
        if now is not None and self.body.isAncestorOf(now):
            self._area.ensureWidgetVisible(now)

    def showEvent(self, event: QShowEvent) -> None:
        """Gives the first control the keyboard."""
        super().showEvent(event)
        self._area.verticalScrollBar().setValue(0)
        focus_on(self.first_control())
