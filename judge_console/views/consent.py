"""The page that says what is recorded and published, and asks for consent."""

from __future__ import annotations

from typing import ClassVar, Final

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QWidget,
)

from judge_console.look.theme import Theme
from judge_console.model.decision import PSEUDONYM_LIMIT, ConsentForm
from judge_console.model.pages import WindowState
from judge_console.model.seat import What
from judge_console.session import Session
from judge_console.views.controls import (
    Choices,
    ReturnButton,
    TextLabel,
    set_silently,
)
from judge_console.views.decision import DecisionPage, Subject
from lpp.wire import Saved
from texts import Texts, without_mnemonics

#: The least number of visible lines of the text.
_TEXT_LINES: Final = 8


class ConsentPage(DecisionPage):
    """Asks whether what this person types may be published, and under which name.
    See DecisionPage for the arguments.

    The page can be shown again at any time; `offer_back` then gives it a way back.

    Signals:
        left: the person wants to go back to the previous page.
    """

    what: ClassVar[What] = "consent"
    left = Signal()

    def __init__(self, session: Session, theme: Theme, texts: Texts) -> None:
        super().__init__(session, theme, texts, ConsentForm())
        self.text = QPlainTextEdit()
        self.pseudonym = QLineEdit()
        self.pseudonym.setMaxLength(PSEUDONYM_LIMIT)
        self.answers = Choices(
            self,
            {True: texts("consent.publish"), False: texts("consent.withhold")},
            self.pseudonym.setFocus,
        )
        self.answers.chosen.connect(self._answer)
        self.about = TextLabel(role="muted")
        self.back_button = ReturnButton(texts("consent.back"))
        self.back_button.hide()
        self.back_button.clicked.connect(self.left)
        self._make_text()
        self.column.addWidget(TextLabel(texts("consent.heading"), "heading"))
        self.column.addWidget(TextLabel(texts("consent.intro"), "muted"))
        self.column.addWidget(self.text, stretch=1)
        for button in self.answers.options.values():
            self.column.addWidget(button)
        self.column.addLayout(self._make_name())
        self.add_foot(self.back_button)
        theme.changed.connect(self._fit)
        self._fit()
        self._follow()

    def offer_back(self, offered: bool) -> None:
        """Shows or hides the way back without an answer: a button, and Escape."""
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
        self.pseudonym.setAccessibleName(without_mnemonics(label.text()))
        self.pseudonym.textChanged.connect(self._call)
        self.pseudonym.returnPressed.connect(self.save_button.setFocus)
        grid = QGridLayout()
        grid.addWidget(label, 0, 0)
        grid.addWidget(self.pseudonym, 0, 1)
        grid.addWidget(self.about, 1, 1)
        grid.setColumnStretch(1, 1)
        return grid

    # The person's actions

    @Slot(object)
    def _answer(self, publish: bool) -> None:
        self.form.answer(publish)
        self.changed()

    @Slot(str)
    def _call(self, pseudonym: str) -> None:
        self.form.set_pseudonym(pseudonym)
        self.changed()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape goes back, if that is offered."""
        if event.key() == Qt.Key.Key_Escape and not self.back_button.isHidden():
            self.left.emit()
        else:
            super().keyPressEvent(event)

    # The decision

    def subject(self, window_state: WindowState) -> Subject | None:
        if window_state.welcome is None:
            return None
        is_open = window_state.agreement is not None and window_state.state.phase != "over"
        return Subject(window_state.welcome.contest_id, "consent", ConsentForm, is_open)

    def draw(self) -> None:
        form, agreement = self.form, self.session.window_state.agreement
        text = agreement.text if agreement is not None else self.texts("consent.none")
        if text != self.text.toPlainText():
            self.text.setPlainText(text)
        about = self.texts("consent.pseudonym_about")
        if agreement is not None and agreement.name:
            about = f"{about} {self.texts('consent.pseudonym_hint', name=agreement.name)}"
        self.about.setText(about)
        self.pseudonym.setAccessibleDescription(about)
        self.answers.show(form.publish, free=form.can_change)
        self.pseudonym.setEnabled(form.can_change)
        set_silently(self.pseudonym, "text", form.pseudonym)

    def words(self) -> tuple[str, str]:
        form, texts = self.form, self.texts
        if form.step == "confirm":
            return texts("consent.unsaved"), ""
        more = "consent.change" if form.step == "saved" else "consent.closed"
        return f"{self.saved_words(form.saved)} {texts(more)}", "ok"

    def saved_words(self, saved: Saved) -> str:
        """The words for what the person has agreed to."""
        if not saved.publish:
            return self.texts("consent.saved_withhold", time=self.saved_time())
        agreement = self.session.window_state.agreement
        name = saved.pseudonym or (agreement.name if agreement is not None else "")
        return self.texts("consent.saved_publish", time=self.saved_time(), name=name)

    @Slot()
    def _fit(self) -> None:
        self.text.setMinimumHeight(_TEXT_LINES * self.fontMetrics().lineSpacing())

    def first_control(self) -> QWidget:
        form = self.form
        if form.step in ("sending", "saved"):
            return self.correct_button
        if form.can_change and form.trouble:
            return self.pseudonym
        return self.text
