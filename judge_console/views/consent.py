"""The page that says what is recorded and published, and on which a person answers it."""

from __future__ import annotations

from typing import ClassVar, Final

from PySide6.QtCore import QEvent, QObject, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QGridLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QRadioButton,
    QWidget,
)

from judge_console.look.theme import Theme
from judge_console.model.decision import ConsentForm
from judge_console.model.pages import Picture
from judge_console.model.seat import What
from judge_console.session import Session
from judge_console.texts import Texts
from judge_console.views.controls import ActButton, Words, put
from judge_console.views.decision import DecisionPage, Subject
from lpp.wire import Saved

#: Lines of the text that are seen at once, at least.
_TEXT_LINES: Final = 8


class ConsentPage(DecisionPage):
    """What is recorded and published: whether what this person types may be, and under which name.
    See DecisionPage for the arguments.

    The page can be shown again at any time; `offer_back` then gives it a way back.

    Signals:
        left: the person wants back to where this page was called from.
    """

    what: ClassVar[What] = "consent"
    left = Signal()

    def __init__(self, session: Session, theme: Theme, texts: Texts) -> None:
        super().__init__(session, theme, texts, ConsentForm())
        self.text = QPlainTextEdit()
        self.publish = QRadioButton(texts("consent.publish"))
        self.withhold = QRadioButton(texts("consent.withhold"))
        self.pseudonym = QLineEdit()
        self.about = Words(role="muted")
        self.back_button = ActButton(texts("consent.back"))
        self.back_button.hide()
        self.back_button.clicked.connect(self.left)
        self._make_text()
        self.column.addWidget(Words(texts("consent.heading"), "heading"))
        self.column.addWidget(Words(texts("consent.intro"), "muted"))
        self.column.addWidget(self.text, stretch=1)
        # Exclusive without a default: the answer is the person's, and not ours.
        self._group = QButtonGroup(self)
        for button in (self.publish, self.withhold):
            self._group.addButton(button)
            button.clicked.connect(self._answer)
            button.installEventFilter(self)
            self.column.addWidget(button)
        self.column.addLayout(self._make_name())
        self.add_foot(self.back_button)
        theme.changed.connect(self._fit)
        self._fit()
        self._follow()

    def offer_back(self, offered: bool) -> None:
        """Whether there is a way back from here without an answer: a button, and Escape."""
        self.back_button.setVisible(offered)

    def _make_text(self) -> None:
        self.text.setReadOnly(True)
        self.text.setUndoRedoEnabled(False)
        self.text.setTabChangesFocus(True)
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.text.setAccessibleName(self.texts("consent.text"))

    def _make_name(self) -> QGridLayout:
        label = QLabel(self.texts("consent.pseudonym"))
        label.setBuddy(self.pseudonym)
        self.pseudonym.setAccessibleName(self.texts("consent.pseudonym").replace("&", ""))
        self.pseudonym.textChanged.connect(self._call)
        self.pseudonym.returnPressed.connect(self.save_button.setFocus)
        grid = QGridLayout()
        grid.addWidget(label, 0, 0)
        grid.addWidget(self.pseudonym, 0, 1)
        grid.addWidget(self.about, 1, 1)
        grid.setColumnStretch(1, 1)
        return grid

    # What the person does

    @Slot()
    def _answer(self) -> None:
        self.form.answer(self.publish.isChecked())
        self.changed()

    @Slot(str)
    def _call(self, pseudonym: str) -> None:
        self.form.call(pseudonym)
        self.changed()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The arrows choose an answer, and Return chooses one and goes on. Qt's own arrows choose
        nothing as long as nothing is chosen."""
        if not (
            isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.KeyPress
            and isinstance(watched, QRadioButton)
        ):
            return super().eventFilter(watched, event)
        match event.key():
            case Qt.Key.Key_Up | Qt.Key.Key_Left:
                self._choose(self.publish)
            case Qt.Key.Key_Down | Qt.Key.Key_Right:
                self._choose(self.withhold)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                if not event.isAutoRepeat():
                    self._choose(watched)
                    self.pseudonym.setFocus(Qt.FocusReason.TabFocusReason)
            case _:
                return super().eventFilter(watched, event)
        return True

    def _choose(self, button: QRadioButton) -> None:
        button.setFocus(Qt.FocusReason.ShortcutFocusReason)
        button.click()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape goes back, where that is offered."""
        if event.key() == Qt.Key.Key_Escape and not self.back_button.isHidden():
            self.left.emit()
        else:
            super().keyPressEvent(event)

    # The decision

    def subject(self, picture: Picture) -> Subject | None:
        if picture.welcome is None:
            return None
        is_open = picture.agreement is not None and picture.state.phase != "over"
        return Subject(picture.welcome.contest_id, "consent", ConsentForm, is_open)

    def draw(self) -> None:
        form, agreement = self.form, self.session.picture.agreement
        text = agreement.text if agreement is not None else self.texts("consent.none")
        if text != self.text.toPlainText():
            self.text.setPlainText(text)
        about = self.texts("consent.pseudonym_about")
        if agreement is not None and agreement.name:
            about = f"{about} {self.texts('consent.pseudonym_hint', name=agreement.name)}"
        self.about.setText(about)
        self.pseudonym.setAccessibleDescription(about)
        # A group that is exclusive can't be without a choice again.
        self._group.setExclusive(form.publish is not None)
        self.publish.setChecked(form.publish is True)
        self.withhold.setChecked(form.publish is False)
        for control in (self.publish, self.withhold, self.pseudonym):
            control.setEnabled(form.can_change)
        put(self.pseudonym, "text", form.pseudonym)
        self.draw_buttons()
        self._draw_status()

    def _draw_status(self) -> None:
        form, texts = self.form, self.texts
        if form.wrong is not None and form.can_change:
            key = "consent.too_long" if form.wrong == "long" else "consent.unseen"
            self.status.say(texts(key), "error")
        elif self.session.picture.agreement is None and form.saved is None:
            self.status.say(texts("consent.none"))
        elif self.common_status():
            pass
        elif form.step == "confirm":
            self.status.say(texts("consent.unsaved"))
        elif form.saved is not None:
            more = "consent.change" if form.step == "saved" else "consent.closed"
            self.status.say(f"{self.saved_words(form.saved)} {texts(more)}", "ok")

    def saved_words(self, saved: Saved) -> str:
        """What the person has agreed to."""
        if not saved.publish:
            return self.texts("consent.saved_withhold", time=self.saved_time())
        agreement = self.session.picture.agreement
        name = saved.pseudonym or (agreement.name if agreement is not None else "")
        return self.texts("consent.saved_publish", time=self.saved_time(), name=name)

    @Slot()
    def _fit(self) -> None:
        self.text.setMinimumHeight(_TEXT_LINES * self.fontMetrics().lineSpacing())

    def first_control(self) -> QWidget:
        form = self.form
        if form.step in ("sending", "saved"):
            return self.correct_button
        if form.can_change and (form.trouble or form.wrong is not None):
            return self.pseudonym
        return self.text
