"""The page on which a judge ranks all whom he has met, and reads their talks again."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import ClassVar, Final, NamedTuple

from PySide6.QtCore import QMimeData, QSignalBlocker, QSize, Qt, Signal, Slot
from PySide6.QtGui import QDropEvent, QHideEvent, QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListView,
    QListWidget,
    QListWidgetItem,
    QVBoxLayout,
    QWidget,
)

from judge_console.look.theme import Theme
from judge_console.model.decision import RankingForm, Row, several_attempts
from judge_console.model.pages import Picture
from judge_console.model.playback import recording_of
from judge_console.model.seat import Met, What
from judge_console.session import Session
from judge_console.texts import Texts
from judge_console.views.controls import ActButton, FlowLayout, Words, announce
from judge_console.views.decision import DecisionPage, Subject
from judge_console.views.replay import ReplayView
from lpp.wire import RankThese, Read

#: Lines of text that are seen at once, at least.
_LIST_LINES: Final = 9


class RankingPage(DecisionPage):
    """The final ranking: a list that is put in order by the mouse or by keys, the talks under it to
    read and play again, and what the server has of it. See DecisionPage for the arguments.
    """

    what: ClassVar[What] = "ranking"

    def __init__(self, session: Session, theme: Theme, texts: Texts) -> None:
        super().__init__(session, theme, texts, RankingForm(RankThese({})))
        self.list = OrderList()
        self.up_button = ActButton(texts("ranking.up"))
        self.down_button = ActButton(texts("ranking.down"))
        self.share_button = ActButton(texts("ranking.share"))
        self.read_button = ActButton(texts("ranking.read"))
        self.about_ties = Words(role="muted")
        self.reader = TalkReader(session, theme, texts)
        self.column.addWidget(Words(texts("ranking.heading"), "heading"))
        self.column.addWidget(Words(texts("ranking.intro"), "muted"))
        self.column.addWidget(self.about_ties)
        halves = self.row(self._make_order(), self.reader)
        halves.setStretch(0, 2)
        halves.setStretch(1, 3)
        self.column.addLayout(halves, stretch=1)
        self.add_foot()
        theme.changed.connect(self._fit)
        self._fit()
        self._follow()

    # The parts

    def _make_order(self) -> QVBoxLayout:
        self.list.setAccessibleName(self.texts("ranking.list"))
        self.list.dropped.connect(self._dropped)
        self.list.dropped_on.connect(self._dropped_on)
        self.list.wished.connect(self._wished)
        self.list.itemDoubleClicked.connect(lambda: self._wished("read"))
        self.list.currentRowChanged.connect(lambda: self._draw_buttons())
        for button, wish in (
            (self.up_button, "up"),
            (self.down_button, "down"),
            (self.share_button, "share"),
            (self.read_button, "read"),
        ):
            button.clicked.connect(lambda _=False, wish=wish: self._wished(wish))
        column = QVBoxLayout()
        column.addWidget(Words(self.texts("ranking.most"), "muted"))
        column.addWidget(self.list, stretch=1)
        column.addWidget(Words(self.texts("ranking.least"), "muted"))
        buttons = QWidget()
        row = FlowLayout(buttons)
        for button in (self.up_button, self.down_button, self.share_button, self.read_button):
            row.addWidget(button)
        column.addWidget(buttons)
        return column

    # What the judge does

    @Slot(str)
    def _wished(self, wish: str) -> None:
        label, form = self.list.label, self.form
        if not label:
            return
        match wish:
            case "up":
                changed = form.up(label)
            case "down":
                changed = form.down(label)
            case "top":
                changed = form.drop(label, 0)
            case "bottom":
                changed = form.drop(label, len(form.rows))
            case "share":
                changed = form.split(label) or form.share_above(label)
            case _:
                self.reader.open(self._talks(label))
                return
        self._moved(label, changed)

    @Slot(str, int)
    def _dropped(self, label: str, gap: int) -> None:
        self._moved(label, self.form.drop(label, gap))

    @Slot(str, str)
    def _dropped_on(self, label: str, other: str) -> None:
        self._moved(label, self.form.share(label, other))

    def _moved(self, label: str, changed: bool) -> None:
        if not changed:
            return
        self.changed()
        row = self.form.row(label)
        self.list.setCurrentRow(self.form.index(label))
        key = f"ranking.moved{'_shared' * row.shared}"
        announce(self.list, self.texts(key, participant=self._name(label), place=row.place))

    # The decision

    def subject(self, picture: Picture) -> Subject | None:
        welcome, these = picture.welcome, picture.rank_these
        if welcome is None or these is None:
            return None
        key = (welcome.contest_id, tuple(these.participants), these.ties)
        return Subject(
            key, "ranking", partial(RankingForm, these), picture.state.phase == "ranking"
        )

    def let_go(self) -> None:
        self.reader.clear()

    # Drawing

    def draw(self) -> None:
        form = self.form
        free = form.can_change
        self.about_ties.setText(
            self.texts("ranking.ties_allowed" if form.ties else "ranking.no_ties")
        )
        lines = [self._line(row) for row in form.rows]
        self.list.show_lines(lines, movable=free, on_rows=form.ties)
        self._draw_buttons()
        self.draw_buttons()
        self.save_button.setEnabled(form.step == "confirm" and bool(form.met))
        self._draw_status()

    def _draw_buttons(self) -> None:
        form, label = self.form, self.list.label
        free = form.can_change and bool(label)
        at = form.index(label) if label in form.met else 0
        shared = label in form.met and form.row(label).shared
        self.up_button.setEnabled(free and (at > 0 or shared))
        self.down_button.setEnabled(free and (at < len(form.rows) - 1 or shared))
        self.share_button.setVisible(form.ties)
        self.share_button.setEnabled(free and (at > 0 or shared))
        self.share_button.setText(self.texts("ranking.split" if shared else "ranking.share"))
        self.read_button.setEnabled(bool(label))

    def _draw_status(self) -> None:
        form, texts = self.form, self.texts
        if self.common_status():
            return
        if form.step == "saved":
            self.status.say(texts("ranking.saved", time=self.saved_time()), "ok")
        elif form.step == "confirm":
            self.status.say(texts("ranking.unsaved" if form.moved else "ranking.unmoved"))
        elif form.saved is not None:
            words = texts("ranking.saved", time=self.saved_time())
            self.status.say(f"{words}. {texts('ranking.closed')}", "ok")

    def _line(self, row: Row) -> Line:
        name, shared = self._name(row.label), "_shared" * row.shared
        seen, spoken = (
            self.texts(f"ranking.{key}{shared}", participant=name, place=row.place)
            for key in ("row", "item")
        )
        recalled = "; ".join(filter(None, map(self._recalled, self.form.met[row.label])))
        return Line(row.label, f"{seen}\n{recalled}".strip(), f"{spoken} {recalled}".strip())

    def _recalled(self, talk: Met) -> str:
        """What the judge said of a talk, and its first words; empty where nothing was kept."""
        round_, attempt, place = talk
        match self.session.drafts.get(f"met/{round_}/{attempt}"):
            case [human, {**words}] if isinstance(first := words.get(place), str):
                key = "ranking.recalled_human" if human == place else "ranking.recalled_program"
                return self.texts(key, words=first or "…")
        return ""

    # Whom the judge has met

    def _name(self, label: str) -> str:
        """How a participant is called: by the talks, for nothing else is known of anybody."""
        words = [words for words, _ in self._talks(label)]
        if not words:
            return self.texts("ranking.participant", label=label)
        name = words[0]
        for next_ in words[1:]:
            name = self.texts("ranking.met_and", first=name, next=next_)
        return name

    def _talks(self, label: str) -> list[tuple[str, Met]]:
        talks = self.form.met[label]
        return [(self._met(talk, several_attempts(talks)), talk) for talk in talks]

    def _met(self, talk: Met, with_attempt: bool) -> str:
        round_, attempt, place = talk
        side = self.texts("ranking.side_left" if place == "left" else "ranking.side_right")
        if with_attempt:
            return self.texts("ranking.met_attempt", round=round_, attempt=attempt, side=side)
        return self.texts("ranking.met", round=round_, side=side)

    # Room

    @Slot()
    def _fit(self) -> None:
        line = self.fontMetrics().lineSpacing()
        self.list.setMinimumHeight(_LIST_LINES * line)

    def first_control(self) -> QWidget:
        return self.correct_button if self.form.step in ("sending", "saved") else self.list

    def hideEvent(self, event: QHideEvent) -> None:
        """A talk that is played again stands still where nobody sees it."""
        super().hideEvent(event)
        self.reader.pause()


#: What is dragged: a row of such a list, by its label.
_MIME: Final = "application/x-loebner-participant"
_LABEL: Final = Qt.ItemDataRole.UserRole
_ALT: Final = {
    Qt.Key.Key_Up: "up",
    Qt.Key.Key_Down: "down",
    Qt.Key.Key_Home: "top",
    Qt.Key.Key_End: "bottom",
}
#: Both cases, and the sign for it.
_SHARE: Final = ("t", "T", "=")


class Line(NamedTuple):
    """A row: its label, what is seen, and what is read out."""

    label: str
    text: str
    spoken: str


class OrderList(QListWidget):
    """Rows that can be dragged into another order; what becomes of it is the owner's to say.

    Signals:
        dropped: a row's label, and the number of rows above the gap that it was dropped into.
        dropped_on: a row's label, and that of the row that it was dropped on.
        wished: what a key asks for the row that is chosen: "up", "down", "top", "bottom" (Alt with
            Up, Down, Home, End), "share" (T, or =), "read" (Return).
    """

    dropped = Signal(str, int)
    dropped_on = Signal(str, str)
    wished = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._on_rows = False
        self.setWordWrap(True)
        self.setSpacing(3)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setTextElideMode(Qt.TextElideMode.ElideNone)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragDrop)
        self.setDefaultDropAction(Qt.DropAction.MoveAction)
        self.setDropIndicatorShown(True)
        self.setTabKeyNavigation(False)

    def show_lines(self, lines: Sequence[Line], *, movable: bool, on_rows: bool) -> None:
        """Shows rows; the one that was chosen stays chosen, wherever it is now.

        Arguments:
            lines: they, in their order.
            movable: whether they can be dragged.
            on_rows: whether one can be dropped on another.
        """
        chosen = self.label
        labels = [line.label for line in lines]
        with QSignalBlocker(self):
            while self.count() > len(lines):
                self.takeItem(self.count() - 1)
            while self.count() < len(lines):
                self.addItem(QListWidgetItem())
            for row, line in enumerate(lines):
                self._fill(self.item(row), line, movable, movable and on_rows)
            if lines:
                self.setCurrentRow(labels.index(chosen) if chosen in labels else 0)
        if self.label != chosen:
            self.currentRowChanged.emit(self.currentRow())

    @staticmethod
    def _fill(item: QListWidgetItem, line: Line, movable: bool, on_rows: bool) -> None:
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        if movable:
            flags |= Qt.ItemFlag.ItemIsDragEnabled
        if on_rows:
            flags |= Qt.ItemFlag.ItemIsDropEnabled
        item.setFlags(flags)
        item.setText(line.text)
        item.setData(_LABEL, line.label)
        item.setData(Qt.ItemDataRole.AccessibleTextRole, line.spoken)

    @property
    def label(self) -> str:
        """The label of the row that is chosen; empty if none is."""
        row = self.currentRow()
        return str(self.item(row).data(_LABEL)) if row >= 0 else ""

    # Keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Moves with Alt; everything else as Qt has it."""
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

    # Dragging

    def mimeTypes(self) -> list[str]:
        return [_MIME]

    def mimeData(self, items: Sequence[QListWidgetItem]) -> QMimeData:
        data = QMimeData()
        for item in items[:1]:
            data.setData(_MIME, str(item.data(_LABEL)).encode())
        return data

    def supportedDropActions(self) -> Qt.DropAction:
        return Qt.DropAction.MoveAction

    def dropEvent(self, event: QDropEvent) -> None:
        """Says what was dropped where, and moves nothing by itself."""
        label = bytes(event.mimeData().data(_MIME).data()).decode("utf-8", "replace")
        at = self.indexAt(event.position().toPoint())
        where = self.dropIndicatorPosition()
        # Qt takes the row away where the drag ends as a move, and a copy was not offered.
        event.setDropAction(Qt.DropAction.IgnoreAction)
        event.accept()
        self.setState(QAbstractItemView.State.NoState)
        self.viewport().update()
        if label not in self._labels():
            return
        if not at.isValid() or where == QAbstractItemView.DropIndicatorPosition.OnViewport:
            # Between two rows, above the first or below the last there is no row.
            rows = (self.visualItemRect(self.item(row)) for row in range(self.count()))
            above = sum(row.center().y() < event.position().y() for row in rows)
            self.dropped.emit(label, above)
        elif where == QAbstractItemView.DropIndicatorPosition.OnItem:
            self.dropped_on.emit(label, str(at.data(_LABEL)))
        else:
            below = where == QAbstractItemView.DropIndicatorPosition.BelowItem
            self.dropped.emit(label, at.row() + below)

    def _labels(self) -> list[str]:
        return [str(self.item(row).data(_LABEL)) for row in range(self.count())]


#: Lines of text that it is high, at least.
_LINES: Final = 21


class TalkReader(QWidget):
    """A participant's talks, one at a time, each at its end: to be read, or played from wherever
    the judge wants.

    Arguments:
        session: the judge's seat.
        theme: colours and sizes.
        texts: the words.

    Attributes:
        view: the talk that is shown; None as long as none is.
        buttons: one for each talk, where there are several.
    """

    def __init__(self, session: Session, theme: Theme, texts: Texts) -> None:
        super().__init__()
        self.view: ReplayView | None = None
        self.buttons: list[ActButton] = []
        self._session, self._theme, self._texts = session, theme, texts
        self._wanted: tuple[str, Met] | None = None
        self._asked = False
        self._takes_keys = False
        self.heading = Words(texts("ranking.read_hint"), "muted")
        self._choice = QWidget()
        self._choices = FlowLayout(self._choice)
        self._choice.hide()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addWidget(self.heading)
        self._column.addWidget(self._choice)
        self._rest = QWidget()
        self._column.addWidget(self._rest, stretch=1)
        session.changed.connect(self._follow)
        theme.changed.connect(self._fit)
        self._fit()

    def open(self, talks: Sequence[tuple[str, Met]]) -> None:
        """Shows the first of some talks, and a button for each where there are more. The keyboard
        goes there when it has come.

        Arguments:
            talks: in words, and which.
        """
        for button in self.buttons:
            self._choices.removeWidget(button)
            button.deleteLater()
        self.buttons = []
        for talk in talks if len(talks) > 1 else []:
            button = ActButton(talk[0])
            button.clicked.connect(partial(self._want, talk))
            self._choices.addWidget(button)
            self.buttons.append(button)
        self._choice.setVisible(bool(self.buttons))
        if talks:
            self._want(talks[0])

    def pause(self) -> None:
        """Plays no more."""
        if self.view is not None:
            self.view.pause()

    def clear(self) -> None:
        """Shows nothing: the talks are another contest's."""
        self.open(())
        self._wanted = None
        self._show(None)
        self.heading.setText(self._texts("ranking.read_hint"))

    def _want(self, talk: tuple[str, Met], _checked: bool = False) -> None:
        self._takes_keys = True
        if talk != self._wanted or self.view is None:
            self._wanted, self._asked = talk, False
            self._show(None)
        self._follow()

    @Slot()
    def _follow(self) -> None:
        if self._wanted is None:
            return
        words, talk = self._wanted
        past = self._session.picture.past.get(talk)
        if past is not None:
            if self.view is None:
                self.heading.setText(words)
                view = ReplayView(recording_of(past), self._theme, self._texts)
                view.seek(view.playback.duration)
                self._show(view)
            if self._takes_keys and self.view is not None:
                self._takes_keys = False
                self.view.setFocus()
            return
        refused = self._session.picture.unreadable.get(talk)
        if refused is not None:
            why = self._texts("ranking.unreadable", reason=refused.message)
            self.heading.setText(f"{words}: {why}")
            return
        self.heading.setText(f"{words}: {self._texts('ranking.loading')}")
        if not self._asked:
            self._asked = True  # the seat asks until it is answered, whatever the link does
            self._session.give(Read(*talk))

    def _show(self, view: ReplayView | None) -> None:
        if self.view is not None:
            self.view.pause()
            self._column.removeWidget(self.view)
            self.view.hide()
            self.view.deleteLater()
        self.view = view
        self._rest.setVisible(view is None)
        if view is not None:
            self._column.addWidget(view, stretch=1)
            view.show()  # now, and not with the next turn: it is about to get the keyboard

    @Slot()
    def _fit(self) -> None:
        line = self.fontMetrics().lineSpacing()
        self.setMinimumSize(QSize(0, _LINES * line))
