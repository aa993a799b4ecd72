"""The page of the joining dialog for a talk without a server: directories, time, sides, record."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QFileDialog,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from judge_console.join_widgets import label, notice, plain, say
from judge_console.look.theme import mark
from judge_console.model.deskform import LONGEST_TALK, DeskField, DeskPlan, desk_trouble
from judge_console.texts import Texts
from judge_console.views.announce import announce
from lpp.directory import LocalDirectory
from lpp.errors import BadDirectory


class DeskPage(QWidget):
    """Asks for what a talk without a server needs.

    Arguments:
        plan: what is filled in already; its role says which fields there are.
        texts: the words.
        parent: as Qt has it.

    Signals:
        wanted: begin, with the `DeskPlan` as it is filled in. Until `failed` is called the page
            waits.
        said: something is wrong, and stands on the page now.
        back: the person wants to join a contest after all.
    """

    wanted = Signal(object)
    back = Signal()
    said = Signal()

    def __init__(self, plan: DeskPlan, texts: Texts, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._plan = plan
        self._texts = texts
        self._busy = False
        judge = plan.role == "judge"
        self._rows = QVBoxLayout(self)
        self._rows.setContentsMargins(36, 28, 36, 28)
        self._rows.setSpacing(8)
        self._add(label(texts("desk.heading"), "heading", self))
        intro = texts("desk.intro" if judge else "desk.intro_confederate")
        self._add(label(intro, "", self))
        self.notice = notice(self)
        self._rows.addWidget(self.notice)
        self._rows.addSpacing(12)
        title = texts("desk.browse_title")
        self.left = self._directory(texts("desk.left" if judge else "desk.only"), plan.left, title)
        self.right = self._directory(
            texts("desk.right"), plan.right, title, texts("desk.right_hint"), shown=judge
        )
        self.draw_sides = QCheckBox(texts("desk.draw"), self)
        self.draw_sides.setChecked(plan.sides == "random")
        self.human = QComboBox(self)
        self.human.addItem(texts("desk.human_behind_left"), "left")
        self.human.addItem(texts("desk.human_behind_right"), "right")
        self.human.setCurrentIndex(self.human.findData(plan.human))
        self.minutes = QDoubleSpinBox(self)
        self.minutes.setDecimals(0 if plan.minutes.is_integer() else 2)
        self.minutes.setRange(0, LONGEST_TALK)
        self.minutes.setSpecialValueText(texts("desk.no_limit"))
        self.minutes.setValue(plan.minutes)
        self._add(self.draw_sides, shown=judge)
        self._captioned(texts("desk.human_behind"), self.human, shown=judge)
        self._captioned(texts("desk.minutes"), self.minutes)
        self.record = self._directory(
            texts("desk.record"),
            plan.record,
            texts("desk.browse_record"),
            texts("desk.record_hint"),
        )
        self.begin_button = QPushButton(texts("desk.start"), self)
        mark(self.begin_button, "primary", True)
        self.begin_button.clicked.connect(self.begin)
        self.back_button = QPushButton(texts("join.with_server"), self)
        self.back_button.clicked.connect(self.back)
        buttons = QHBoxLayout()
        buttons.addWidget(self.begin_button)
        buttons.addWidget(self.back_button)
        buttons.addStretch()
        self._rows.addLayout(buttons)
        self._rows.addStretch()

    def _add(self, widget: QWidget, *, shown: bool = True) -> None:
        self._rows.addWidget(widget)
        widget.setVisible(shown)

    def _captioned(self, caption: str, field: QWidget, *, shown: bool = True) -> QHBoxLayout:
        title = label(caption, "", self)
        title.setBuddy(field)
        field.setAccessibleName(plain(caption))
        self._add(title, shown=shown)
        row = QHBoxLayout()
        row.addWidget(field)
        field.setVisible(shown)
        self._rows.addLayout(row)
        return row

    def _directory(
        self, caption: str, value: str, title: str, hint: str = "", *, shown: bool = True
    ) -> QLineEdit:
        line = QLineEdit(value, self)
        line.setPlaceholderText(hint)
        line.setAccessibleDescription(hint)
        row = self._captioned(caption, line, shown=shown)
        button = QPushButton(self._texts("desk.browse"), self)
        button.setAccessibleName(f"{self._texts('desk.browse')} {plain(caption)}")
        button.clicked.connect(self._browser(line, title))
        row.addWidget(button)
        button.setVisible(shown)
        return line

    def _browser(self, line: QLineEdit, title: str) -> Callable[[], None]:
        def browse() -> None:
            dialog = QFileDialog(self, title, line.text() or str(Path.home()))
            dialog.setFileMode(QFileDialog.FileMode.Directory)
            dialog.setOption(QFileDialog.Option.ShowDirsOnly, True)
            dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            dialog.fileSelected.connect(line.setText)
            dialog.open()

        return browse

    # What happens

    def focus_first(self) -> None:
        """Gives the keyboard to the first field."""
        self.left.setFocus()

    def plan(self) -> DeskPlan:
        """What is filled in."""
        judge = self._plan.role == "judge"
        return replace(
            self._plan,
            left=self.left.text().strip(),
            right=self.right.text().strip() if judge else "",
            minutes=self.minutes.value(),
            sides="random" if self.draw_sides.isChecked() else "as-given",
            human="left" if self.human.currentData() == "left" else "right",
            record=self.record.text().strip(),
        )

    @Slot()
    def begin(self) -> None:
        """Begins with what is filled in, or says what is wrong with it."""
        if self._busy:
            return
        plan = self.plan()
        trouble = desk_trouble(plan, is_usable, _same)
        if trouble is not None:
            field, complaint = trouble
            self.failed(self._texts(complaint.key, **complaint.fields), field)
            return
        self._wait(True)
        self.wanted.emit(plan)

    def failed(self, words: str, field: DeskField = "left") -> None:
        """The talk can't begin.

        Arguments:
            words: why, for the person.
            field: which field is to be changed.
        """
        self._wait(False)
        say(self.notice, words, "error")
        {"left": self.left, "right": self.right, "record": self.record}[field].setFocus()
        announce(self, words, urgent=True)
        self.said.emit()

    def give_up(self) -> None:
        """The person does not want it after all."""
        self._wait(False)

    def _wait(self, busy: bool) -> None:
        self._busy = busy
        say(self.notice, "")


def is_usable(path: str) -> bool:
    """Whether a path is a directory that can be read and written."""
    try:
        LocalDirectory(Path(path)).check()
    except (BadDirectory, OSError, ValueError):  # a path can hold a zero
        return False
    return True


def _same(one: str, other: str) -> bool:
    try:
        return os.path.samefile(one, other)
    except (OSError, ValueError):
        return False
