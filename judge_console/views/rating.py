"""A rater's window: an item to read on the left, the scores on the right."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Final

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Slot
from PySide6.QtGui import QCloseEvent, QKeySequence, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QMainWindow,
    QPlainTextEdit,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from judge_console.look.theme import Theme, set_style_property
from judge_console.model.decision import storable
from judge_console.model.rating import COMMENT, Overview, Part, RatedItem, Scale
from judge_console.rater import RaterClient
from judge_console.views.controls import (
    Choices,
    FocusWheelComboBox,
    Notice,
    ReturnButton,
    TextLabel,
    buttons_row,
    focus_on,
    open_with_size,
    scrolled,
    set_silently,
    single_shot,
)
from judge_console.views.viewmenu import ViewMenu, add_action
from texts import Texts

#: The window's size when it opens, in pixels, if the screen is large enough.
SIZE: Final = QSize(1180, 820)
#: Milliseconds to wait, when the window closes, until everything is saved.
SAVING: Final = 3000
#: Visible lines of a comment.
_COMMENT_LINES: Final = 2


class ReadingPane(QPlainTextEdit):
    """Plain text to read, with headings; it can be reached and scrolled by keys.

    Arguments:
        name: its name for screen readers.
    """

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setAccessibleName(name)
        set_style_property(self, "talk", True)

    def show_parts(self, parts: Iterable[Part]) -> None:
        """Shows each part's label and lines, and begins at the label of the last part."""
        bold, last = QTextCharFormat(), 0
        bold.setFontWeight(700)
        self.clear()
        cursor = self.textCursor()
        for label, lines in parts:
            cursor.insertText("\n\n" if cursor.position() else "", QTextCharFormat())
            last = cursor.position()
            cursor.insertText(label, bold)
            for line in lines:
                cursor.insertText(f"\n{line}", QTextCharFormat())
        self.moveCursor(QTextCursor.MoveOperation.End)
        cursor.setPosition(last)
        self.setTextCursor(cursor)


class ScaleView(QFrame):
    """A scale: its question, the scores, and a comment. Nothing is chosen at first.

    Arguments:
        scale: the scale to show.
        client: the seat.

    Attributes:
        choices: the scores.
        comment: the field for the comment; None if the scale has none.
    """

    def __init__(self, scale: Scale, client: RaterClient) -> None:
        super().__init__()
        self._scale, self._client = scale, client
        set_style_property(self, "card", True)
        self.setAccessibleName(scale.question)
        rows = QVBoxLayout(self)
        rows.addWidget(TextLabel(scale.question))
        for check in scale.checks:
            rows.addWidget(TextLabel(f"• {check}", "muted"))
        texts, grid = {str(score): str(score) for score in scale.scores}, QGridLayout()
        self.choices = Choices(self, texts, self.focusNextChild)
        self.choices.chosen.connect(partial(client.type, scale.name))
        for row, (score, button) in enumerate(self.choices.options.items()):
            anchor = scale.anchors.get(int(score), "")
            button.setAccessibleName(f"{score} – {anchor}" if anchor else score)
            button.setAccessibleDescription(" ".join((scale.question, *scale.checks)))
            grid.addWidget(button, row, 0)
            grid.addWidget(TextLabel(anchor), row, 1)
        grid.setColumnStretch(1, 1)
        rows.addLayout(grid)
        self.comment = QPlainTextEdit() if scale.comment else None
        if self.comment is not None:
            title = TextLabel(scale.comment)
            title.setBuddy(self.comment)
            self.comment.setTabChangesFocus(True)
            self.comment.setAccessibleName(scale.comment)
            self.comment.textChanged.connect(self._comment_typed)
            rows.addWidget(title)
            rows.addWidget(self.comment)
        self.fit()

    @property
    def in_order(self) -> list[QWidget]:
        """The controls, in the order of the Tab key."""
        comment = [] if self.comment is None else [self.comment]
        return [*self.choices.options.values(), *comment]

    def fit(self) -> None:
        """Fits the comment's height to the current text size."""
        if self.comment is not None:
            height = (_COMMENT_LINES + 1.2) * self.fontMetrics().lineSpacing()
            self.comment.setFixedHeight(round(height))

    def show_typed(self) -> None:
        """Shows what was typed."""
        typed = self._client.model.typed
        self.choices.show(typed.get(self._scale.name) or None, free=True)
        text = typed.get(self._scale.name + COMMENT, "")
        if self.comment is not None and storable(self.comment.toPlainText()) != text:
            with QSignalBlocker(self.comment):
                self.comment.setPlainText(text)

    @Slot()
    def _comment_typed(self) -> None:
        assert self.comment is not None
        self._client.type(self._scale.name + COMMENT, storable(self.comment.toPlainText()))


class RatingWindow(QMainWindow):
    """A rater's window.

    Arguments:
        client: the seat, which is closed with the window.
        theme: colours and sizes; the window's menu changes them.
        texts: the words.

    Attributes:
        items: the list of items; the current one is chosen.
        target, background: the item to rate, and the text beside it.
        scales: the scales by name.
        next_button, later_button, back_button: lead to other items.
        notice: what is saved and what is not.
    """

    def __init__(self, client: RaterClient, theme: Theme, texts: Texts) -> None:
        super().__init__()
        self._client, self._texts = client, texts
        self._overview: Overview | None = None
        self._item: RatedItem | None = None
        self._leaving, self._last_wait = False, single_shot(self, self.close)
        self.scales: dict[str, ScaleView] = {}
        self.items, self.note, self.notice = FocusWheelComboBox(), TextLabel(role="muted"), Notice()
        self.items.setAccessibleName(texts("rater.items"))
        self.items.activated.connect(lambda at: client.go(at + 1))
        self.target = ReadingPane(texts("rater.target"))
        self.background = ReadingPane(texts("rater.background"))
        self.items.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        reading, across, form = QSplitter(Qt.Orientation.Vertical), QSplitter(), QWidget()
        self._column = QVBoxLayout(form)
        self._column.addStretch()
        self._area = area = scrolled(form)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        for splitter, parts in (
            (reading, (self.target, self.background)),
            (across, (reading, area)),
        ):
            splitter.setChildrenCollapsible(False)
            for part in parts:
                splitter.addWidget(part)
            splitter.setSizes([3000, 2000])
        self.next_button, self.later_button, self.back_button = (
            ReturnButton(texts(f"rater.{name}")) for name in ("next", "later", "back")
        )
        set_style_property(self.next_button, "primary", True)
        self.next_button.clicked.connect(lambda: client.go(client.model.number + 1, complete=True))
        self.later_button.clicked.connect(lambda: client.go(client.model.number + 1))
        self.back_button.clicked.connect(lambda: client.go(client.model.number - 1))
        page, head = QWidget(), QHBoxLayout()
        head.addWidget(self.items)
        head.addWidget(self.note, 1)
        rows = QVBoxLayout(page)
        rows.addLayout(head)
        rows.addWidget(across, 1)
        rows.addWidget(self.notice)
        rows.addLayout(buttons_row(self.next_button, self.later_button, self.back_button))
        self.setCentralWidget(page)
        menu = self.menuBar().addMenu(texts("rater.menu"))
        add_action(menu, texts("menu.quit"), self.close, QKeySequence("Ctrl+Q"))
        self._view_menu = ViewMenu(self, theme, texts)
        self.menuBar().addMenu(self._view_menu)
        theme.changed.connect(self._fit)
        client.changed.connect(self._follow)
        open_with_size(self, SIZE)
        self._follow()

    @Slot()
    def _follow(self) -> None:
        model = self._client.model
        overview, item = model.overview, model.item
        if self._leaving and not model.unsaved:
            self.close()
            return
        if overview is not None and overview is not self._overview:
            self._show_scales(overview)
        if item is not None and item is not self._item:
            self._show_item(item)
        if overview is not None:
            self._show_items(overview)
            self.setWindowTitle(overview.title if item is not None else "")
        for view in self.scales.values():
            view.setEnabled(item is not None)
            view.show_typed()
        for button in (self.next_button, self.later_button):
            button.setEnabled(item is not None)
        self.back_button.setEnabled(model.number > 1)
        self.notice.say(*self._news())

    def _news(self) -> tuple[str, str]:
        """The message for the rater, and its tone."""
        client, model, texts = self._client, self._client.model, self._texts
        if client.wrong:
            return texts("rater.wrong_link"), "error"
        if model.refused:
            return texts("rater.refused", reason=model.refused), "error"
        if client.trouble:
            return texts("rater.offline", trouble=client.trouble), "error"
        if model.item is None:
            empty = model.overview is not None and not model.overview.of
            return texts("rater.empty" if empty else "rater.connecting"), ""
        if model.asked_for:
            return texts("rater.without", names=", ".join(model.asked_for)), ""
        if model.unsaved:
            return texts("rater.saving"), ""
        if not any(model.typed.values()):
            return "", ""
        return texts("rater.saved" if model.left else "rater.finished"), "ok"

    def _show_scales(self, overview: Overview) -> None:
        self._overview = overview
        for old in self.scales.values():
            old.deleteLater()
        self.scales = {each.name: ScaleView(each, self._client) for each in overview.criteria}
        before: QWidget = self.background
        for view in self.scales.values():
            self._column.insertWidget(self._column.count() - 1, view)
            view.choices.idClicked.connect(lambda _, view=view: self._see(view))
            for widget in view.in_order:
                QWidget.setTabOrder(before, widget)
                before = widget
        for widget in (self.next_button, self.later_button, self.back_button):
            QWidget.setTabOrder(before, widget)
            before = widget

    def _show_item(self, item: RatedItem) -> None:
        self._item = item
        heading, text = item.target
        self.target.show_parts((*item.before, (heading, tuple(text.split("\n")))))
        self.background.show_parts(
            part for title, parts in item.panels for part in ((title, ()), *parts)
        )
        self.background.moveCursor(QTextCursor.MoveOperation.Start)
        self.background.setVisible(bool(item.panels))
        self.note.setText(item.note)
        focus_on(self.target)

    def _show_items(self, overview: Overview) -> None:
        model, noun = self._client.model, overview.noun.capitalize()
        words = [
            self._texts(f"rater.item_{'left' if n in model.left else 'rated'}", noun=noun, n=n)
            for n in range(1, overview.of + 1)
        ]
        if words != [self.items.itemText(at) for at in range(self.items.count())]:
            with QSignalBlocker(self.items):
                self.items.clear()
                self.items.addItems(words)
        set_silently(self.items, "currentIndex", model.number - 1)

    def _see(self, view: ScaleView) -> None:
        """Scrolls to the score that was chosen."""
        if (button := view.choices.checkedButton()) is not None:
            self._area.ensureWidgetVisible(button)

    @Slot()
    def _fit(self) -> None:
        for view in self.scales.values():
            view.fit()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Saves what was typed before the window closes. If the server can't be reached, it stays
        on disk for the next time."""
        client = self._client
        if client.model.unsaved and not client.trouble and not self._leaving:
            self._leaving = True
            self._last_wait.start(SAVING)
            client.work()
            event.ignore()
            return
        self._last_wait.stop()
        client.close()
        event.accept()
