"""A talk on the screen, drawn as it happens.

A `PaneView` shows the blocks of a `lpp.conversation.Conversation`, each as a paragraph: the
author's name, then the text. Only what has changed is drawn again, so a tick takes the same time at
the end of a long talk as at its beginning.

Nothing that a person or a program wrote is ever taken as markup. Each paragraph has the direction
of its first strong character; the name before it is in an isolate, which that rule skips (Unicode
Standard Annex 9, P2).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtGui import (
    QColor,
    QFont,
    QGuiApplication,
    QKeyEvent,
    QMouseEvent,
    QResizeEvent,
    QTextCharFormat,
    QTextCursor,
    QTextOption,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QPushButton, QVBoxLayout

from judge_console.look.style import talk_points
from judge_console.look.theme import Theme, set_style_property
from judge_console.views.controls import TextLabel
from lpp.conversation import Author, Change, Conversation
from lpp.lines import limit_accents
from texts import Texts

_ISOLATE: Final = "\u2068"
_END_OF_ISOLATE: Final = "\u2069"
#: The text between the name and the line.
_AFTER_NAME: Final = " "
#: The distance between two tab stops, in widths of a space.
_TAB_WIDTH: Final = 4
#: The height of a paragraph's first line, relative to the others.
_LEAD: Final = 1.4
#: The most attempts to scroll to the end.
_LOOKS: Final = 4


class PaneView(QPlainTextEdit):
    """Shows what both sides of a talk have written, to read, select and copy.

    The pane follows the end of the talk while it is visible. If the person has scrolled up, the
    pane stays there, and a sign says that there is more below; clicking the sign scrolls to the
    end.

    Arguments:
        theme: colours and sizes; the text is drawn again when they change.
        texts: the words around it.
        names: the name of each author, before each of the author's lines.
    """

    def __init__(self, theme: Theme, texts: Texts, names: Mapping[Author, str]) -> None:
        super().__init__()
        self._theme = theme
        self._texts = texts
        self._names = dict(names)
        self._conversation = Conversation()
        self._drawn = 0
        self._dimmed = False
        self._follows = True
        self._space = QTextCharFormat()
        self._formats: dict[Author, tuple[QTextCharFormat, QTextCharFormat]] = {}
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setAcceptDrops(False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._more = QPushButton(texts("pane.more"), self)
        self._more.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._more.clicked.connect(self.scroll_to_end)
        self._more.hide()
        bar = self.verticalScrollBar()
        bar.actionTriggered.connect(self._on_action)
        # Queued: during Qt's own layout, scrolling would mix old and new positions.
        bar.rangeChanged.connect(self._to_end, Qt.ConnectionType.QueuedConnection)
        set_style_property(self, "stream", True)
        set_style_property(self, "talk", True)
        theme.changed.connect(self._look)
        self._look()

    # What is shown

    @property
    def conversation(self) -> Conversation:
        """The conversation that is shown."""
        return self._conversation

    def show_conversation(self, conversation: Conversation) -> None:
        """Shows a talk from its beginning, and follows its end.

        Arguments:
            conversation: the talk; from now on, `draw` shows its changes.
        """
        self._conversation = conversation
        conversation.take_change()
        self._follows = True
        self._look()

    def set_names(self, names: Mapping[Author, str]) -> None:
        """Changes the names before the lines."""
        self._names = dict(names)
        self._look()

    def draw(self) -> Change | None:
        """Draws what has changed in the talk since the last call.

        Returns:
            The change that was drawn; None if there was none.
        """
        change = self._conversation.take_change()
        if change is not None:
            self._draw_from(change.first, change.kept)
        return change

    def set_dimmed(self, dimmed: bool) -> None:
        """Shows the talk in a muted colour that can still be read."""
        if dimmed != self._dimmed:
            self._dimmed = dimmed
            self._look()

    def lines(self) -> Iterator[str]:
        """The paragraphs that the pane should contain, with names, computed from the talk."""
        for index, block in enumerate(self._conversation.blocks):
            yield self._name(index) + limit_accents(block.text)

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
            existing = self._name(first) + limit_accents(blocks[first].text[:kept])
            cursor.setPosition(at_first.position() + utf16_length(existing))
        else:
            # From the end of the previous paragraph, because the drawn part begins with its
            # newline.
            cursor.setPosition(max(0, at_first.position() - 1))
        cursor.beginEditBlock()
        cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        if kept:
            text = blocks[first].text
            cursor.insertText(
                limit_accents(text[kept:], text[:kept]), self._formats[blocks[first].author][1]
            )
            first += 1
        for index in range(first, len(blocks)):
            name_format, text_format = self._formats[blocks[index].author]
            name = self._name(index)
            cursor.insertText("\n" * (index > 0) + name[:1], self._space)
            cursor.insertText(name[1:], name_format)
            cursor.insertText(limit_accents(blocks[index].text), text_format)
        cursor.endEditBlock()
        self._drawn = len(blocks)
        self._to_end()

    def _name(self, index: int) -> str:
        block = self._conversation.blocks[index]
        before = self._conversation.blocks[index - 1] if index else None
        if block.continues and before is not None and before.author == block.author:
            return ""
        return f"{_ISOLATE}{self._names[block.author]}:{_END_OF_ISOLATE}{_AFTER_NAME}"

    @Slot()
    def _look(self) -> None:
        points = talk_points(self._theme.zoom)
        # A larger first character, of no width, sets a line apart from the one above it: a plain
        # text document has no other way.
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

    # Copying

    def copy_text(self) -> None:
        """Copies the selection: the text as people read it, without the isolates around the names.

        Sets the clipboard's text, because a QMimeData made here would outlive the interpreter and
        crash.
        """
        if not self.textCursor().hasSelection():
            return
        text = self.textCursor().selection().toPlainText()
        for name in self._names.values():
            text = text.replace(f"{_ISOLATE}{name}:{_END_OF_ISOLATE}", f"{name}:")
        QGuiApplication.clipboard().setText(text)

    # Scrolling

    def scroll_to_end(self) -> None:
        """Shows the end, and follows it from now on."""
        self._follows = True
        self._to_end()

    def scroll_lines(self, lines: int) -> None:
        """Scrolls by this many lines, up if negative."""
        bar = self.verticalScrollBar()
        bar.setValue(bar.value() + lines)
        self._person_scrolled()

    def scroll_pages(self, pages: int) -> None:
        """Scrolls by this many panes, up if negative."""
        self.scroll_lines(pages * max(1, self.verticalScrollBar().pageStep() - 1))

    def scroll_to_beginning(self) -> None:
        """Shows the beginning."""
        self.verticalScrollBar().setValue(0)
        self._person_scrolled()

    # The scrolling position

    @Slot()
    def _to_end(self) -> None:
        if not self._follows:
            self._show_sign()
            return
        bar = self.verticalScrollBar()
        # Paragraphs that become visible are laid out only now, and may be longer than expected.
        for _ in range(_LOOKS):
            bar.setValue(bar.maximum())
            if bar.value() == bar.maximum() and self._end_is_in_sight():
                break
            # Qt lays out a paragraph when it first becomes visible, and counts its lines only then.
            # So tell it that there are more lines. It ignores the request to scroll to where it
            # already is, so scroll somewhere else first.
            layout = self.document().documentLayout()
            layout.documentSizeChanged.emit(layout.documentSize())
            bar.setValue(bar.maximum() - 1)
        else:
            bar.setValue(bar.maximum())
        self._show_sign()

    def _end_is_in_sight(self) -> bool:
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        return self.cursorRect(cursor).bottom() <= self.viewport().height()

    @Slot(int)
    def _on_action(self, action: int) -> None:
        # By the mouse, in any way; the value itself is set only afterwards.
        bar = self.verticalScrollBar()
        self._follows = bar.sliderPosition() >= bar.maximum()
        self._show_sign()

    def _person_scrolled(self) -> None:
        bar = self.verticalScrollBar()
        self._follows = bar.value() >= bar.maximum()
        self._show_sign()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Moves the caret through the text, away from its end."""
        super().keyPressEvent(event)
        self._person_scrolled()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Selects, and scrolls if the mouse leaves the pane."""
        super().mouseMoveEvent(event)
        self._person_scrolled()

    def _show_sign(self) -> None:
        self._more.setVisible(not self._follows)

    def _place_sign(self) -> None:
        self._more.adjustSize()
        area = self.viewport().geometry()
        self._more.move(
            area.right() - self._more.width() - 4, area.bottom() - self._more.height() - 4
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Stays at the end if it was there."""
        super().resizeEvent(event)
        self._to_end()
        self._place_sign()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scrolls. The window sets the text size (QPlainTextEdit would zoom)."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            event.ignore()
        else:
            super().wheelEvent(event)

    def in_frame(self, heading: str) -> QFrame:
        """A frame with this pane in it, under a heading."""
        frame = QFrame()
        set_style_property(frame, "pane", True)
        inside = QVBoxLayout(frame)
        inside.setContentsMargins(0, 0, 0, 0)
        self.heading = TextLabel(heading, "side")
        inside.addWidget(self.heading)
        inside.addWidget(self, 1)
        return frame

    def sizeHint(self) -> QSize:
        """The minimum: a pane takes the remaining room."""
        return self.minimumSize()


def utf16_length(text: str) -> int:
    """The length of a text in a Qt document, in UTF-16 units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
