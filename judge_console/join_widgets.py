"""The parts that the pages of the joining dialog are made of. All text in them is plain text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from judge_console.look.theme import mark

#: Characters that a word may have before it is broken.
LONG_WORD = 24

_MAY_BREAK = "\u200b"  # a space of no width

#: Where an item of the list keeps what is known of its server.
_KNOWN = int(Qt.ItemDataRole.UserRole)


class ServerBox(QComboBox):
    """A field for a server's address, with the servers that there are to choose from.

    Attributes:
        line: the field itself.
    """

    line: QLineEdit

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setEditable(True)
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        # None at all: completed addresses are wrong addresses. The stubs do not know that.
        self.setCompleter(None)  # type: ignore[arg-type]
        self.setItemDelegate(_ServerDelegate(self))
        self.setModel(QStandardItemModel(self))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(12)
        line = self.lineEdit()
        assert line is not None
        self.line = line
        self.line.setInputMethodHints(Qt.InputMethodHint.ImhUrlCharactersOnly)

    def show_servers(self, servers: Sequence[tuple[str, str]], chosen: str) -> None:
        """Puts other servers into the list, without a word to anybody.

        Arguments:
            servers: (address, what is known of it), in the order of the list.
            chosen: what stands in the field.
        """
        model = self.model()
        assert isinstance(model, QStandardItemModel)
        items = [model.item(row) for row in range(model.rowCount())]
        blocked = self.blockSignals(True)
        if list(servers) != [(item.text(), item.data(_KNOWN)) for item in items]:
            model.clear()
            for address, known in servers:
                item = QStandardItem(address)
                item.setData(known, _KNOWN)
                item.setData(f"{address} {known}", Qt.ItemDataRole.AccessibleTextRole)
                model.appendRow(item)
        if self.currentText() != chosen:
            self.setCurrentIndex(self.findText(chosen, Qt.MatchFlag.MatchExactly))
            self.setEditText(chosen)
        self.blockSignals(blocked)


class _ServerDelegate(QStyledItemDelegate):
    """Shows what is known of a server beside its address."""

    def initStyleOption(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """See QStyledItemDelegate."""
        super().initStyleOption(option, index)
        if known := index.data(_KNOWN):
            option.text = f"{option.text}   {known}"


class Question(QFrame):
    """A question with two answers, of which the safe one comes first; hidden until it is asked.

    Arguments:
        no, yes: the buttons' texts.
        parent: as Qt has it.

    Attributes:
        words: where the question stands.
        no, yes: the buttons.
    """

    def __init__(self, no: str, yes: str, parent: QWidget) -> None:
        super().__init__(parent)
        mark(self, "card", True)
        box = QVBoxLayout(self)
        self.words = label("", "", self)
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        box.addWidget(self.words)
        self.no, self.yes = QPushButton(no, self), QPushButton(yes, self)
        row = QHBoxLayout()
        row.addWidget(self.no)
        row.addWidget(self.yes)
        row.addStretch()
        box.addLayout(row)
        self.hide()

    def ask(self, words: str) -> None:
        """Asks; no words ask nothing."""
        self.words.setText(words)
        self.setVisible(bool(words))


def scrolled(page: QWidget) -> QScrollArea:
    """A page that can be scrolled where the window is too small for it."""
    area = QScrollArea()
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setWidgetResizable(True)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(page)
    return area


def label(text: str, role: str, parent: QWidget) -> QLabel:
    """Words, over several lines where they have to be.

    Arguments:
        text: them.
        role: as the style sheet has it; empty for running text.
        parent: as Qt has it.
    """
    made = QLabel(text, parent)
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setWordWrap(True)
    if role:
        mark(made, "role", role)
    return made


def notice(parent: QWidget) -> QLabel:
    """A place for news; hidden until there are any, see `say`."""
    made = label("", "notice", parent)
    made.hide()
    return made


def say(place: QLabel, words: str, tone: str = "") -> None:
    """Says something at a place for news.

    Arguments:
        place: as `notice` makes it.
        words: what; empty hides it.
        tone: "ok", "error", or empty for plain news.
    """
    mark(place, "tone", tone)
    place.setText(breakable(words))
    place.setVisible(bool(words))


def breakable(text: str) -> str:
    """A text whose long words, such as paths and addresses, may be broken over lines: where they
    have a mark, and if they have none anywhere."""
    parts = re.split(r"(\s+)", text)
    return "".join(_broken(part) if len(part) > LONG_WORD else part for part in parts)


def _broken(word: str) -> str:
    pieces = re.split(r"(?<=[/\\.:_-])", word)
    shorter = (
        piece[at : at + LONG_WORD] for piece in pieces for at in range(0, len(piece), LONG_WORD)
    )
    return _MAY_BREAK.join(shorter)


def plain(text: str) -> str:
    """A text without the marks of the keys that choose it."""
    return text.replace("&&", "\0").replace("&", "").replace("\0", "&")
