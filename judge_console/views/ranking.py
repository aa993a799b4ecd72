"""The page on which a judge ranks all whom he has met, and reads their talks again."""

from __future__ import annotations

from collections.abc import Hashable
from typing import ClassVar, Final

from PySide6.QtCore import Slot
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from judge_console.look.theme import Theme
from judge_console.model import What
from judge_console.model.ranking import Met, RankingForm, Row, several_attempts
from judge_console.session import Session
from judge_console.texts import Texts
from judge_console.updates import Picture
from judge_console.views.announce import announce
from judge_console.views.controls import ActButton, Words
from judge_console.views.decision import CommonKeys, DecisionPage
from judge_console.views.flow import FlowLayout
from judge_console.views.orderlist import Line, OrderList
from judge_console.views.reader import TalkReader
from lpp.wire import Ranks, RankThese

#: Lines of text that are seen at once, at least.
_LIST_LINES: Final = 8


class RankingPage(DecisionPage):
    """The final ranking: a list that is put in order by the mouse or by keys, the talks under it to
    read and play again, and what the server has of it.

    Arguments:
        session: the judge's seat.
        theme: colours and sizes.
        texts: the words.
        parent: as Qt has it.
    """

    what: ClassVar[What] = "ranking"
    keys: ClassVar[CommonKeys] = CommonKeys(
        refused="ranking.refused",
        saving="ranking.saving",
        saving_offline="ranking.saving_offline",
        save="ranking.confirm",
        correct="ranking.correct",
        keep="ranking.keep",
    )

    def __init__(
        self, session: Session, theme: Theme, texts: Texts, parent: QWidget | None = None
    ) -> None:
        super().__init__(session, theme, texts, RankingForm(RankThese({})), parent)
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

    @property
    def form(self) -> RankingForm:
        """The order as it stands."""
        assert isinstance(self._form, RankingForm)
        return self._form

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
        key = "ranking.moved_shared" if row.shared else "ranking.moved"
        announce(self.list, self.texts(key, participant=self._name(label), place=row.place))

    # The decision

    def key_of(self, picture: Picture) -> Hashable:
        """See `DecisionPage`."""
        welcome, these = picture.welcome, picture.rank_these
        if welcome is None or these is None:
            return None
        return (welcome.contest_id, tuple(these.participants), these.ties)

    def make(self, picture: Picture) -> RankingForm:
        """See `DecisionPage`."""
        assert picture.rank_these is not None
        self.reader.clear()
        return RankingForm(picture.rank_these)

    def name_of(self, picture: Picture) -> str:
        """See `DecisionPage`."""
        return "ranking"

    def is_open(self, picture: Picture) -> bool:
        """See `DecisionPage`."""
        return picture.state.phase == "ranking"

    def send(self, message: Ranks) -> None:
        """See `DecisionPage`."""
        self.session.rank(message.ranks)

    # Drawing

    def draw(self) -> None:
        """See `DecisionPage`."""
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
            self.say_status(texts("ranking.saved", time=self.saved_time()), "ok")
        elif form.correcting:
            self.say_status(texts("ranking.correcting", time=self.saved_time()))
        elif form.step == "confirm":
            self.say_status(texts("ranking.unsaved" if form.moved else "ranking.unmoved"))
        elif form.saved is not None:
            words = texts("ranking.saved", time=self.saved_time())
            self.say_status(f"{words}. {texts('ranking.closed')}", "ok")
        elif form.lost:
            self.say_status(texts("ranking.closed_unsaved"), "error")
        else:
            self.say_status(texts("ranking.closed"))

    def _line(self, row: Row) -> Line:
        name = self._name(row.label)
        if row.shared:
            return Line(
                row.label,
                self.texts("ranking.row_shared", place=row.place, participant=name),
                self.texts("ranking.item_shared", participant=name, place=row.place),
            )
        return Line(
            row.label,
            self.texts("ranking.row", place=row.place, participant=name),
            self.texts("ranking.item", participant=name, place=row.place),
        )

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
        """See `DecisionPage`."""
        return self.correct_button if self.form.step in ("sending", "saved") else self.list

    def hideEvent(self, event: QHideEvent) -> None:
        """A talk that is played again stands still where nobody sees it."""
        super().hideEvent(event)
        self.reader.pause()
