"""A talk on the screen, drawn as it happens.

A `PaneView` shows the blocks of a `lpp.conversation.Conversation`, each as a paragraph of its
own: the name of who writes, then what was written. What changed is all that is drawn again, so a
tick costs the same at the end of a long talk as at its beginning.

Text is text: nothing that a person or a program wrote is ever taken for markup. Each paragraph
runs in the direction of its own first strong character; the name before it stands in an isolate,
which that rule looks past (Unicode Standard Annex 9, P2).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFont,
    QGuiApplication,
    QKeySequence,
    QTextCharFormat,
    QTextCursor,
)
from PySide6.QtWidgets import QMenu, QWidget

from judge_console.look.style import talk_points
from judge_console.look.theme import Theme, mark
from judge_console.texts import Texts
from judge_console.views.following import FollowingText
from lpp.conversation import Author, Block, Change, Conversation
from lpp.lines import drawn

_ISOLATE: Final = "\u2068"
_END_OF_ISOLATE: Final = "\u2069"
#: Between the name and what is written.
_AFTER_NAME: Final = " "
#: Between two tabs, in widths of a space.
_TAB_WIDTH: Final = 4
#: How much higher the first line of a paragraph is than the others.
_LEAD: Final = 1.4


class PaneView(FollowingText):
    """What both sides of a talk have written.

    Arguments:
        theme: colours and sizes; the text is drawn anew when they change.
        texts: the words around it.
        names: how each author is called, before each of the author's lines.
        parent: as Qt has it.
    """

    def __init__(
        self,
        theme: Theme,
        texts: Texts,
        names: Mapping[Author, str],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(texts("pane.more"), parent)
        self._theme = theme
        self._texts = texts
        self._names = dict(names)
        self._conversation = Conversation()
        self._drawn = 0
        self._dimmed = False
        self._space = QTextCharFormat()
        self._formats: dict[Author, tuple[QTextCharFormat, QTextCharFormat]] = {}
        mark(self, "stream", True)
        mark(self, "talk", True)
        theme.changed.connect(self._look)
        self._look()

    # What is shown

    @property
    def conversation(self) -> Conversation:
        """What is shown."""
        return self._conversation

    def show_conversation(self, conversation: Conversation) -> None:
        """Shows a talk from its beginning, and follows its end.

        Arguments:
            conversation: it; `draw` shows what is new in it from now on.
        """
        self._conversation = conversation
        conversation.take_change()
        self.follow()
        self._look()

    def set_names(self, names: Mapping[Author, str]) -> None:
        """Calls the authors by other names, from the beginning of the talk."""
        if dict(names) != self._names:
            self._names = dict(names)
            self._draw_from(0, 0)

    def draw(self) -> Change | None:
        """Draws what has changed in the talk since the last time.

        Returns:
            What was drawn again; None for nothing.
        """
        change = self._conversation.take_change()
        if change is not None:
            self._draw_from(change.first, change.kept)
        return change

    def set_dimmed(self, dimmed: bool) -> None:
        """Shows the talk in the colour of what is beside the point, still to be read."""
        if dimmed != self._dimmed:
            self._dimmed = dimmed
            self._look()

    def lines(self) -> Iterator[str]:
        """The paragraphs that should stand here, with their names, from the talk itself."""
        for index, block in enumerate(self._conversation.blocks):
            yield self._name(index) + drawn(block.text)

    # Drawing

    def _draw_from(self, first: int, kept: int) -> None:
        blocks = self._conversation.blocks
        document = self.document()
        at_first = document.findBlockByNumber(first)
        cursor = QTextCursor(document)
        if first >= self._drawn and first > 0:
            before = document.findBlockByNumber(first - 1)
            cursor.setPosition(before.position() + before.length() - 1)
            kept = 0
        elif kept:
            stands = self._name(first) + drawn(blocks[first].text[:kept])
            cursor.setPosition(at_first.position() + units(stands))
        else:
            # From the end of the paragraph before: what is drawn begins with its newline.
            cursor.setPosition(max(0, at_first.position() - 1))
        selected = self._selection()
        cursor.beginEditBlock()
        cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        if kept:
            text = blocks[first].text
            cursor.insertText(drawn(text[kept:], text[:kept]), self._format(blocks[first])[1])
            first += 1
        for index in range(first, len(blocks)):
            name_format, text_format = self._format(blocks[index])
            name = self._name(index)
            cursor.insertText("\n" * (index > 0) + name[:1], self._space)
            cursor.insertText(name[1:], name_format)
            cursor.insertText(drawn(blocks[index].text), text_format)
        cursor.endEditBlock()
        self._drawn = len(blocks)
        self._select_again(selected)
        self._to_end()

    def _name(self, index: int) -> str:
        block = self._conversation.blocks[index]
        if (
            block.continues
            and index > 0
            and self._conversation.blocks[index - 1].author == block.author
        ):
            return ""
        return f"{_ISOLATE}{self._names[block.author]}:{_END_OF_ISOLATE}{_AFTER_NAME}"

    def _format(self, block: Block) -> tuple[QTextCharFormat, QTextCharFormat]:
        return self._formats[block.author]

    @Slot()
    def _look(self) -> None:
        points = talk_points(self._theme.zoom)
        # Its first character, which has no width, is a larger one: that sets a line apart from the
        # one above it, where a document of plain text knows no other way.
        self._space.setFontPointSize(points * _LEAD)
        palette = self._theme.palette
        own: Author = self._conversation.own or "judge"
        authors: tuple[Author, Author] = ("judge", "entity")
        for author in authors:
            text, name = QTextCharFormat(), QTextCharFormat()
            for each in (text, name):
                each.setFontPointSize(points)
                colour = palette.own if author == own else palette.other
                each.setForeground(QColor(palette.muted if self._dimmed else colour))
            name.setFontWeight(QFont.Weight.Bold)
            self._formats[author] = (name, text)
        self.ensurePolished()
        self.setTabStopDistance(_TAB_WIDTH * self.fontMetrics().horizontalAdvance(" "))
        self._draw_from(0, 0)
        self._place_sign()

    # What a person can do here: select and copy

    def menu(self) -> QMenu:
        """A new context menu: copy, select all; nothing else."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        copy = menu.addAction(self._texts("pane.copy"), self.copy_text)
        copy.setShortcut(QKeySequence(QKeySequence.StandardKey.Copy))
        copy.setEnabled(self.textCursor().hasSelection())
        everything = menu.addAction(self._texts("pane.select_all"), self.selectAll)
        everything.setShortcut(QKeySequence(QKeySequence.StandardKey.SelectAll))
        return menu

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Shows the menu."""
        self.menu().popup(event.globalPos())

    def copy_text(self) -> None:
        """Copies what is selected: the text as it is read, without the marks around the names.

        By the clipboard's own words: a QMimeData made here would outlive the interpreter, which
        ends in a crash.
        """
        if not self.textCursor().hasSelection():
            return
        text = self.textCursor().selection().toPlainText()
        for name in self._names.values():
            text = text.replace(f"{_ISOLATE}{name}:{_END_OF_ISOLATE}", f"{name}:")
        QGuiApplication.clipboard().setText(text)


def units(text: str) -> int:
    """How many positions a text takes in a document of Qt: units of UTF-16."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
