"""The common part of the decision pages: verdict, final ranking and consent.

A page updates itself from its session, keeps a draft of each change at once, and sends again what
was confirmed before a crash. `judge_console.model.decision` has the decision itself; this module
draws it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, ClassVar, NamedTuple

from PySide6.QtCore import Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QApplication, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from judge_console.look.theme import Theme, set_style_property
from judge_console.model.decision import Form, time_of
from judge_console.model.pages import WindowState
from judge_console.model.seat import What
from judge_console.session import Session
from judge_console.views.controls import Notice, ReturnButton, buttons_row, focus_on, scrolled
from lpp.wire import Refused
from texts import Texts


def refusal_text(texts: Texts, refused: Refused) -> str:
    """The text for a refusal; for an unknown code, the server's own words."""
    key = f"refused.{refused.code.replace('-', '_')}"
    return texts(key) if key in texts else refused.message


class Subject(NamedTuple):
    """The decision to make.

    Attributes:
        key: identifies it; another key needs a new form.
        name: the name of its draft.
        make: creates a form for it.
        open: whether the server accepts it now.
    """

    key: Hashable
    name: str
    make: Callable[[], Form[Any]]
    open: bool


class DecisionPage(QWidget):
    """The page of a decision: the choices, which scroll if there is too little room, and below
    them, always visible, the state of the decision and the save buttons.

    Arguments:
        session: the seat.
        theme: colours and sizes.
        texts: the words.
        form: the form while there is nothing to decide.

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
        # It scrolls, so that no window becomes larger than its screen.
        self._area.setMinimumSize(1, 1)
        self.status = Notice()
        self.save_button, self.correct_button, self.keep_button = (
            ReturnButton(texts(f"{self.what}.{name}")) for name in ("confirm", "correct", "keep")
        )
        self.save_button.clicked.connect(self.confirm)
        self.correct_button.clicked.connect(self.correct)
        self.keep_button.clicked.connect(self.keep)
        set_style_property(self.save_button, "primary", True)
        self._whole = QVBoxLayout(self)
        self._whole.setContentsMargins(0, 0, 0, 0)
        self._whole.addWidget(self._area, 1)
        session.changed.connect(self._follow)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._see_focus)

    # What a subclass defines

    def subject(self, window_state: WindowState) -> Subject | None:
        """The subject to decide now; None for none."""
        raise NotImplementedError

    def replace_subject(self) -> None:
        """Called when another subject replaces this one, which can't be decided any more."""

    def draw(self) -> None:
        """Shows the form's choices."""
        raise NotImplementedError

    def words(self) -> tuple[str, str]:
        """The status if none of the common ones applies, and its tone."""
        raise NotImplementedError

    def first_control(self) -> QWidget:
        """The widget that gets the focus when the page appears, or when the focused control
        disappears."""
        raise NotImplementedError

    # The person's actions and the server's answers

    @Slot()
    def _follow(self) -> None:
        window_state = self.session.window_state
        subject = self.subject(window_state)
        key = subject.key if subject is not None else None
        if key != self._key:
            self.replace_subject()
            self._key = key
            if subject is not None:
                self.form, self._draft_name = subject.make(), subject.name
                self.form.restore(self.session.drafts.get(self._draft_name))
        self.form.follow(
            window_state.saved.get(self.what),
            window_state.refused.get(self.what),
            waiting=self.what in window_state.unsaved,
            is_open=subject is not None and subject.open,
            connected=window_state.connected,
        )
        again = self.form.resume()
        if again is not None:
            self.session.give(again)
        self.changed()

    def changed(self) -> None:
        """Keeps and shows a changed form."""
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
        """Confirms the choice."""
        if self.form.step == "confirm":
            message = self.form.confirm()
            # First to disk, then to the server: a crash between the two loses nothing.
            self.changed()
            self.session.give(message)

    @Slot()
    def correct(self) -> None:
        """Starts a correction."""
        self.form.correct()
        self.changed()
        focus_on(self.first_control())

    @Slot()
    def keep(self) -> None:
        """Ends a correction and keeps the saved choice."""
        self.form.keep()
        self.changed()

    # Common to all decision pages

    def add_foot(self, *more: QPushButton) -> None:
        """Adds the status, the buttons and further widgets below the scrolling part, so that the
        words "not saved" are never scrolled out of view."""
        # It requires no width of its own, but uses the room available.
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
        # A hidden button passes the focus to the next one: show buttons before hiding others, so
        # that the next one is near.
        for button in sorted(of_use, key=lambda button: not of_use[button]):
            button.setVisible(of_use[button])
        self.save_button.setEnabled(form.step == "confirm")

    def saved_time(self) -> str:
        """When the server saved the decision; empty if it has none."""
        saved = self.form.saved
        return time_of(saved.at) if saved is not None else ""

    def _common_words(self) -> tuple[str, str] | None:
        """The status that all decisions share, and its tone; None if none applies."""
        form, what = self.form, self.what
        if form.trouble and form.step != "sending":
            return self.texts(
                f"{what}.refused", reason=refusal_text(self.texts, form.trouble)
            ), "error"
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
        """Scrolls to the control that has got the focus."""
        if now is not None and self.body.isAncestorOf(now):
            self._area.ensureWidgetVisible(now)

    def showEvent(self, event: QShowEvent) -> None:
        """Gives the first control the focus."""
        super().showEvent(event)
        self._area.verticalScrollBar().setValue(0)
        focus_on(self.first_control())
