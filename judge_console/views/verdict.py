"""The page on which a judge says where the human was."""

from __future__ import annotations

import copy
import textwrap
from functools import partial
from itertools import pairwise
from typing import ClassVar, Final

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QShowEvent, QTextCursor
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QWidget,
)

from judge_console.look.theme import Theme, set_style_property
from judge_console.model.decision import CONFIDENCES, VerdictForm, nearest_step, storable
from judge_console.model.pages import WindowState
from judge_console.model.seat import Human, What
from judge_console.session import Session
from judge_console.views.controls import (
    Choices,
    FocusWheelComboBox,
    TextLabel,
    set_silently,
)
from judge_console.views.decision import DecisionPage, Subject
from judge_console.views.pane import PaneView
from lpp.conversation import Author, Block, Conversation
from texts import Texts, without_mnemonics

SIDES: Final[tuple[Human, Human]] = ("left", "right")
#: The page shows how many more characters the reason may have if there are at most this many.
_FEW: Final = 200
#: Visible rows: of the reason, and at least of a talk.
_REASON_LINES: Final = 2
_TALK_LINES: Final = 4


class VerdictPage(DecisionPage):
    """Asks where the human was: two large choices, a save button and the state of the decision;
    below, the round's talks to read again. See DecisionPage for the arguments.

    No choice has the focus when the page appears. The arrow keys choose a side; then Return moves
    to the save button, and Return saves.

    Signals:
        missed: the round was closed, and the judge, who was asked, has confirmed no verdict.
    """

    missed = Signal()
    what: ClassVar[What] = "verdict"

    def __init__(self, session: Session, theme: Theme, texts: Texts) -> None:
        super().__init__(session, theme, texts, VerdictForm(0, 0))
        self._was_asked = False
        self.heading = TextLabel(texts("verdict.heading"), "heading")
        self.heading.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        options = {side: texts(f"verdict.{side}") for side in SIDES}
        self.sides = Choices(self, options, self._focus_next, self.heading)
        self.sides.chosen.connect(self._choose)
        self.panes: dict[Human, PaneView] = {}
        self.column.addWidget(self.heading)
        self.column.addLayout(self._make_choices())
        self.column.addLayout(self._make_more())
        self.column.addLayout(self._make_talks(), stretch=1)
        self.add_foot()
        buttons = (self.save_button, self.keep_button, self.correct_button)
        # From the reason to the save button; the talks come after it.
        for one, other in pairwise((self.reason, *buttons, *self.panes.values())):
            QWidget.setTabOrder(one, other)
        theme.changed.connect(self._fit)
        session.talks_changed.connect(self._show_talks)
        session.conversations_changed.connect(self._show_talks)
        self._fit()
        self._follow()

    # The parts

    def _make_choices(self) -> QHBoxLayout:
        row = QHBoxLayout()
        for button in self.sides.options.values():
            set_style_property(button, "choice", True)
            row.addWidget(button, stretch=1)
        return row

    def _make_more(self) -> QGridLayout:
        texts = self.texts
        self.sureness, self.reason = FocusWheelComboBox(), QPlainTextEdit()
        for step in CONFIDENCES:
            name = "none" if step is None else str(step)
            self.sureness.addItem(texts(f"verdict.sure_{name}"))
        self.sureness.activated.connect(self._say_sureness)
        self.reason.setTabChangesFocus(True)
        self.reason.setPlaceholderText(texts("verdict.reason_hint"))
        self.reason.setAccessibleDescription(texts("verdict.reason_hint"))
        self.reason.textChanged.connect(self._write)
        self.reason_left = TextLabel(role="muted")
        grid = QGridLayout()
        grid.setColumnStretch(1, 1)
        fields = (("verdict.confidence", self.sureness), ("verdict.reason", self.reason))
        for row, (key, field) in enumerate(fields):
            label = QLabel(texts(key))
            label.setBuddy(field)
            field.setAccessibleName(without_mnemonics(label.text()))
            grid.addWidget(label, row, 0)
            grid.addWidget(field, row, 1)
        grid.addWidget(self.reason_left, 2, 1)
        return grid

    def _make_talks(self) -> QHBoxLayout:
        row = QHBoxLayout()
        names: dict[Author, str] = {
            "judge": self.texts("talk.you"),
            "entity": self.texts("talk.partner"),
        }
        for side in SIDES:
            pane = PaneView(self.theme, self.texts, names)
            pane.setTabChangesFocus(True)
            pane.setAccessibleName(self.texts(f"talk.{side}_pane"))
            self.panes[side] = pane
            row.addWidget(pane.in_frame(self.texts(f"talk.{side}")), stretch=1)
        return row

    # The judge's actions

    @Slot(object)
    def _choose(self, side: Human) -> None:
        self.form.choose(side)
        self.changed()

    def _focus_next(self) -> None:
        self.save_button.setFocus(Qt.FocusReason.ShortcutFocusReason)

    @Slot(int)
    def _say_sureness(self, index: int) -> None:
        self.form.set_confidence(CONFIDENCES[index])
        self.changed()

    @Slot()
    def _write(self) -> None:
        self.form.set_reason(self.reason.toPlainText())
        self.changed()

    # The decision

    def subject(self, window_state: WindowState) -> Subject | None:
        welcome, state = window_state.welcome, window_state.state
        if welcome is None or welcome.role != "judge" or not state.round:
            return None
        return Subject(
            (welcome.contest_id, state.round, state.attempt),
            f"verdict/{state.round}/{state.attempt}",
            partial(VerdictForm, state.round, state.attempt),
            state.phase == "scoring" and bool(state.places),
        )

    def replace_subject(self) -> None:
        """Reports it if nothing was confirmed."""
        was_asked, self._was_asked = self._was_asked, False
        if was_asked and self.form.saved is None and self.form.step != "sending":
            self.missed.emit()

    # Drawing

    def draw(self) -> None:
        form = self.form
        free = form.can_change
        self._was_asked = self._was_asked or free
        # The saved verdict, if nothing can be changed any more.
        counts = form.saved if form.step == "closed" else None
        human = form.human if counts is None else counts.human
        self.sides.show(human, free=free)
        self.sureness.setEnabled(free)
        set_silently(
            self.sureness, "currentIndex", CONFIDENCES.index(nearest_step(form.confidence))
        )
        # Read-only, not disabled, so that the reason can still be read and scrolled by keys.
        self.reason.setReadOnly(not free)
        if storable(self.reason.toPlainText()) != form.reason:
            with QSignalBlocker(self.reason):
                self.reason.setPlainText(form.reason)
                self.reason.moveCursor(QTextCursor.MoveOperation.End)
        self.reason_left.setVisible(form.left < _FEW)
        self.reason_left.setText(self.texts("verdict.reason_left", n=form.left))
        talks = self.session.talks
        if form.saved is not None and talks:
            # The final ranking shows it again.
            words = {side: first_words(talk) for side, talk in talks.items()}
            self.session.drafts.put(f"met/{form.round}/{form.attempt}", [form.saved.human, words])

    def words(self) -> tuple[str, str]:
        form, texts = self.form, self.texts
        if form.step == "confirm":
            return texts(f"verdict.you_say_{form.human}"), ""
        words = texts(f"verdict.saved_{form.saved.human}", time=self.saved_time())
        if form.step == "closed":
            return f"{words}. {texts('verdict.closed')}", "ok"
        return words, "ok"

    @Slot()
    def _show_talks(self) -> None:
        if not self.isVisible():
            return  # shown when the page is
        for side, pane in self.panes.items():
            conversation = self.session.talks.get(side)
            if conversation is not None:
                pane.show_conversation(copy_for_reading(conversation))

    @Slot()
    def _fit(self) -> None:
        """Fits the heights to the current text size."""
        line = self.fontMetrics().lineSpacing()
        self.reason.setFixedHeight(round((_REASON_LINES + 1.2) * line))
        for pane in self.panes.values():
            pane.setMinimumHeight(_TALK_LINES * line)

    def first_control(self) -> QWidget:
        match self.form.step:
            case "choose" | "confirm":
                human = self.form.human if self.form.saved is not None else None
                return self.sides.options[human] if human else self.heading
            case "sending" | "saved":
                return self.correct_button
            case _:
                return self.panes["left"]

    def showEvent(self, event: QShowEvent) -> None:
        """Shows the talks as they are now."""
        super().showEvent(event)
        self._show_talks()


def first_words(talk: Conversation) -> str:
    """The other side's first words in a talk, cut to a few."""
    said = (block.text for block in talk.blocks if block.author != talk.own)
    return textwrap.shorten(next((text for text in said if text.strip()), ""), 20, placeholder="…")


def copy_for_reading(conversation: Conversation) -> Conversation:
    """A copy of a talk to read again. It includes the judge's own line without a Return, because
    the other side has seen it.

    Arguments:
        conversation: the talk, which is not changed.
    """
    read = Conversation()
    read.blocks = [copy.copy(block) for block in conversation.blocks]
    if conversation.own is not None and conversation.draft:
        read.blocks.append(Block(conversation.own, conversation.draft))
    return read
