"""The page on which a judge ranks all participants, and reads their talks again."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import ClassVar, Final, NamedTuple

from PySide6.QtCore import QModelIndex, QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QHideEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QBoxLayout,
    QComboBox,
    QGridLayout,
    QListView,
    QListWidget,
    QListWidgetItem,
    QVBoxLayout,
    QWidget,
)

from judge_console.look.theme import Theme
from judge_console.model.decision import RankingForm, Row, several_attempts
from judge_console.model.pages import WindowState
from judge_console.model.playback import recording_of
from judge_console.model.seat import Met, What
from judge_console.session import Session
from judge_console.views.controls import ReturnButton, TextLabel, announce
from judge_console.views.decision import DecisionPage, Subject, refusal_text
from judge_console.views.replay import ReplayView
from lpp.wire import RankThese, Read
from texts import Texts

#: The minimum number of visible lines in the list and in the reader.
_LIST_LINES: Final = 9
_READER_LINES: Final = 16
#: If the page is narrower than this, in widths of a character, the reader is below the list.
_NARROW: Final = 85


class RankingPage(DecisionPage):
    """The final ranking: a list to sort with the mouse, buttons or keys, and beside it the talks,
    to read and play again. See DecisionPage for the arguments.
    """

    what: ClassVar[What] = "ranking"

    def __init__(self, session: Session, theme: Theme, texts: Texts) -> None:
        super().__init__(session, theme, texts, RankingForm(RankThese({})))
        self.list = OrderList()
        self.list.setAccessibleName(texts("ranking.list"))
        self.list.wished.connect(self._wished)
        self.list.moved.connect(self._move)
        self.list.itemDoubleClicked.connect(lambda: self._wished("read"))
        self.list.currentRowChanged.connect(lambda: self._draw_wishes())
        self.up_button, self.down_button, self.share_button, self.read_button = (
            ReturnButton(texts(f"ranking.{wish}")) for wish in ("up", "down", "share", "read")
        )
        self.about_ties = TextLabel(role="muted")
        self.reader = TalkReader(session, theme, texts)
        order = QVBoxLayout()
        order.addWidget(TextLabel(texts("ranking.most"), "muted"))
        order.addWidget(self.list, stretch=1)
        order.addWidget(TextLabel(texts("ranking.least"), "muted"))
        buttons = QGridLayout()
        for number, (button, wish) in enumerate(
            (
                (self.up_button, "up"),
                (self.down_button, "down"),
                (self.share_button, "share"),
                (self.read_button, "read"),
            )
        ):
            button.clicked.connect(lambda _=False, wish=wish: self._wished(wish))
            buttons.addWidget(button, *divmod(number, 2))
        order.addLayout(buttons)
        self.column.addWidget(TextLabel(texts("ranking.heading"), "heading"))
        self.column.addWidget(TextLabel(texts("ranking.intro"), "muted"))
        self.column.addWidget(self.about_ties)
        self._halves = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._halves.addLayout(order, 2)
        self._halves.addWidget(self.reader, 3)
        self.column.addLayout(self._halves, stretch=1)
        self.add_foot()
        theme.changed.connect(self._fit)
        self._fit()
        self._follow()

    # The judge's actions

    @Slot(str)
    def _wished(self, wish: str) -> None:
        label, form = self.list.label, self.form
        if not label:
            return
        at, last = form.index(label), len(form.rows) - 1
        match wish:
            case "up" | "down" | "top" | "bottom":
                rows = {"up": at - 1, "down": at + 1, "top": 0, "bottom": last}
                self._move(label, rows[wish])
            case "share":
                self._moved(label, form.share(label))
            case _:
                self.reader.open(self._talks(label))

    @Slot(str, int)
    def _move(self, label: str, row: int) -> None:
        self._moved(label, self.form.move(label, row))

    def _moved(self, label: str, changed: bool) -> None:
        if not changed:
            return
        self.changed()
        row = self.form.row(label)
        self.list.setCurrentRow(self.form.index(label))
        key = f"ranking.moved{'_shared' * row.shared}"
        announce(self.list, self.texts(key, participant=self._name(label), place=row.place))

    # The decision

    def subject(self, window_state: WindowState) -> Subject | None:
        welcome, these = window_state.welcome, window_state.rank_these
        if welcome is None or these is None:
            return None
        key = (welcome.contest_id, tuple(these.participants), these.ties)
        return Subject(
            key, "ranking", partial(RankingForm, these), window_state.state.phase == "ranking"
        )

    def replace_subject(self) -> None:
        self.reader.open(())

    # Drawing

    def draw(self) -> None:
        form = self.form
        ties = "ranking.ties_allowed" if form.ties else "ranking.no_ties"
        self.about_ties.setText(self.texts(ties))
        self.list.show_lines([self._line(row) for row in form.rows], movable=form.can_change)
        self._draw_wishes()

    def _draw_wishes(self) -> None:
        form, label = self.form, self.list.label
        free = form.can_change and bool(label)
        row = form.row(label) if label in form.met else Row("", 1, False)
        self.up_button.setEnabled(free and (row.place > 1 or row.shared))
        self.down_button.setEnabled(free and (label != form.rows[-1].label or row.shared))
        self.share_button.setVisible(form.ties)
        self.share_button.setEnabled(free and (row.place > 1 or row.shared))
        self.share_button.setText(self.texts("ranking.split" if row.shared else "ranking.share"))
        self.read_button.setEnabled(bool(label))

    def words(self) -> tuple[str, str]:
        form, texts = self.form, self.texts
        if form.step == "confirm":
            return texts("ranking.unsaved" if form.moved else "ranking.unmoved"), ""
        words = texts("ranking.saved", time=self.saved_time())
        if form.step == "closed":
            words = f"{words}. {texts('ranking.closed')}"
        return words, "ok"

    def _line(self, row: Row) -> Line:
        name, shared = self._name(row.label), "_shared" * row.shared
        seen, spoken = (
            self.texts(f"ranking.{key}{shared}", participant=name, place=row.place)
            for key in ("row", "item")
        )
        recalled = "; ".join(filter(None, map(self._recalled, self.form.met[row.label])))
        return Line(row.label, f"{seen}\n{recalled}".strip(), f"{spoken} {recalled}".strip())

    def _recalled(self, talk: Met) -> str:
        """The judge's verdict on a talk, with the talk's first words; empty if none was saved."""
        round_, attempt, place = talk
        match self.session.drafts.get(f"met/{round_}/{attempt}"):
            case [human, {**words}] if isinstance(first := words.get(place), str):
                key = "ranking.recalled_human" if human == place else "ranking.recalled_program"
                return self.texts(key, words=first or "…")
        return ""

    def _name(self, label: str) -> str:
        """The name of a participant: the talks, because the judge knows nothing else about
        anybody."""
        first, *others = [words for words, _ in self._talks(label)] or [
            self.texts("ranking.participant", label=label)
        ]
        for other in others:
            first = self.texts("ranking.met_and", first=first, next=other)
        return first

    def _talks(self, label: str) -> list[tuple[str, Met]]:
        talks = self.form.met[label]
        key = "ranking.met_attempt" if several_attempts(talks) else "ranking.met"
        return [
            (
                self.texts(
                    key, round=round_, attempt=attempt, side=self.texts(f"ranking.side_{place}")
                ),
                (round_, attempt, place),
            )
            for round_, attempt, place in talks
        ]

    # Layout

    @Slot()
    def _fit(self) -> None:
        line = self.fontMetrics().lineSpacing()
        self.list.setMinimumHeight(_LIST_LINES * line)
        self.reader.setMinimumHeight(_READER_LINES * line)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Puts the reader below the list if there is little room."""
        super().resizeEvent(event)
        narrow = self.width() < _NARROW * self.fontMetrics().averageCharWidth()
        direction = QBoxLayout.Direction
        self._halves.setDirection(direction.TopToBottom if narrow else direction.LeftToRight)

    def first_control(self) -> QWidget:
        return self.correct_button if self.form.step in ("sending", "saved") else self.list

    def hideEvent(self, event: QHideEvent) -> None:
        """Pauses a talk that is playing."""
        super().hideEvent(event)
        if self.reader.view is not None:
            self.reader.view.pause()


_LABEL: Final = Qt.ItemDataRole.UserRole
_ALT: Final = {
    Qt.Key.Key_Up: "up",
    Qt.Key.Key_Down: "down",
    Qt.Key.Key_Home: "top",
    Qt.Key.Key_End: "bottom",
}
#: The letter in both cases, and the equals sign.
_SHARE: Final = ("t", "T", "=")


class Line(NamedTuple):
    """A row: its label, its text on the screen, and its text for a screen reader."""

    label: str
    text: str
    spoken: str


class OrderList(QListWidget):
    """Rows that can be dragged into another order.

    Signals:
        moved: a row's label, and the row to which it was dragged.
        wished: what a key does with the current row: "up", "down", "top", "bottom" (Alt with Up,
            Down, Home, End), "share" (T, or =), "read" (Return).
    """

    moved = Signal(str, int)
    wished = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setWordWrap(True)
        self.setSpacing(3)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setTextElideMode(Qt.TextElideMode.ElideNone)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.setTabKeyNavigation(False)
        self.model().rowsMoved.connect(self._rows_moved)

    @Slot(QModelIndex, int, int, QModelIndex, int)
    def _rows_moved(self, _: object, start: int, _end: int, _to: object, gap: int) -> None:
        row = gap - (gap > start)
        self.moved.emit(str(self.item(row).data(_LABEL)), row)

    def show_lines(self, lines: Sequence[Line], *, movable: bool) -> None:
        """Shows these rows; the current row stays current, even if it has moved.

        Arguments:
            lines: the rows, in their order.
            movable: whether they can be dragged.
        """
        chosen = self.label
        labels = [line.label for line in lines]
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        if movable:
            flags |= Qt.ItemFlag.ItemIsDragEnabled
        with QSignalBlocker(self):
            while self.count() > len(lines):
                self.takeItem(self.count() - 1)
            while self.count() < len(lines):
                self.addItem(QListWidgetItem())
            for row, line in enumerate(lines):
                item = self.item(row)
                item.setFlags(flags)
                item.setText(line.text)
                item.setData(_LABEL, line.label)
                item.setData(Qt.ItemDataRole.AccessibleTextRole, line.spoken)
            if lines:
                self.setCurrentRow(labels.index(chosen) if chosen in labels else 0)
        if self.label != chosen:
            self.currentRowChanged.emit(self.currentRow())

    @property
    def label(self) -> str:
        """The label of the current row; empty if there is none."""
        row = self.currentRow()
        return str(self.item(row).data(_LABEL)) if row >= 0 else ""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Alt moves a row, T or = shares its place, Return opens its talks; all other keys work as
        in any Qt list."""
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        wish: str | None = None
        if modifiers == Qt.KeyboardModifier.AltModifier:
            wish = next((wish for key, wish in _ALT.items() if key == event.key()), None)
        elif event.text() in _SHARE and not modifiers & ~Qt.KeyboardModifier.ShiftModifier:
            wish = "share"
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not modifiers:
            wish = "read"
        if wish is None:
            super().keyPressEvent(event)
        elif self.label and not (event.isAutoRepeat() and wish in ("share", "read")):
            self.wished.emit(wish)


class TalkReader(QWidget):
    """Shows a participant's talks, one at a time, each at its end, to read or to play from any
    moment.

    Arguments:
        session: the judge's seat.
        theme: colours and sizes.
        texts: the words.

    Attributes:
        view: the talk that is shown; None for none.
        choice: the talks to choose from, if there are several.
    """

    def __init__(self, session: Session, theme: Theme, texts: Texts) -> None:
        super().__init__()
        self.view: ReplayView | None = None
        self._session, self._theme, self._texts = session, theme, texts
        self._talks: Sequence[tuple[str, Met]] = ()
        self._wanted: tuple[str, Met] | None = None
        # Whether the talk gets the focus once the server has sent it.
        self._takes_keys = False
        self.heading = TextLabel(texts("ranking.read_hint"), "muted")
        self.choice = QComboBox()
        self.choice.setAccessibleName(texts("ranking.read").replace("&", ""))
        self.choice.hide()
        self.choice.activated.connect(lambda row: self._want(self._talks[row]))
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addWidget(self.heading)
        self._column.addWidget(self.choice)
        self._column.addStretch(0)
        session.changed.connect(self._follow)

    def open(self, talks: Sequence[tuple[str, Met]]) -> None:
        """Shows the first of some talks, and a choice if there are more. The talk gets the focus
        when it arrives.

        Arguments:
            talks: each with its words; if empty, nothing is shown.
        """
        self._talks = talks
        self.choice.clear()
        self.choice.addItems([words for words, _ in talks])
        self.choice.setVisible(len(talks) > 1)
        self._want(talks[0] if talks else None)

    def _want(self, talk: tuple[str, Met] | None) -> None:
        self._takes_keys = True
        if talk != self._wanted or self.view is None:
            self._wanted = talk
            self._show(None)
            if talk is not None and talk[1] not in self._session.window_state.past:
                self._session.give(Read(*talk[1]))
        self._follow()

    @Slot()
    def _follow(self) -> None:
        if self._wanted is None:
            self.heading.setText(self._texts("ranking.read_hint"))
            return
        words, talk = self._wanted
        past = self._session.window_state.past.get(talk)
        refused = self._session.window_state.unreadable.get(talk)
        if past is not None:
            self.heading.setText(words)
            if self.view is None:
                view = ReplayView(recording_of(past), self._theme, self._texts)
                view.seek(view.playback.duration)
                self._show(view)
            if self._takes_keys and self.view is not None:
                self._takes_keys = False
                self.view.setFocus()
        elif refused is not None:
            reason = refusal_text(self._texts, refused)
            unreadable = self._texts("ranking.unreadable", reason=reason)
            self.heading.setText(f"{words}: {unreadable}")
        else:
            self.heading.setText(f"{words}: {self._texts('ranking.loading')}")

    def _show(self, view: ReplayView | None) -> None:
        if self.view is not None:
            self.view.hide()
            self.view.deleteLater()
        self.view = view
        if view is not None:
            self._column.addWidget(view, stretch=1)
            view.show()  # a hidden widget gets no focus
