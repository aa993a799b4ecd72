"""The talk page: two panes for a judge, one for a confederate, each with an input line.

All keys go to one side, which has a thick frame and a badge that says so. F6, Ctrl+Tab or a click
switches to the other side.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final, Literal, TypeAlias

from PySide6.QtCore import QEvent, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QMouseEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from judge_console.look.theme import Theme, set_style_property
from judge_console.model.pages import sentence_of, takes_keys
from judge_console.session import Session
from judge_console.views.controls import TextLabel, announce, focus_on, set_silently, single_shot
from judge_console.views.keys import Command, Typed, meaning
from judge_console.views.line import TABS, InputLine
from judge_console.views.pane import PaneView
from lpp.conversation import Author, Block, Change, Conversation
from lpp.wire import Place
from texts import Texts

#: Milliseconds of silence after which the other side's unfinished line is read out.
SILENCE: Final = 3000


class TalkPage(QWidget):
    """The page on which judge and confederate talk.

    Arguments:
        session: the seat; the page updates itself from it.
        theme: colours and sizes.
        texts: the words.

    Signals:
        news: a short message about the person's last action.

    Attributes:
        sides: the talks by place, from left to right.
        current: the side that gets the keys.
    """

    news = Signal(str)

    def __init__(self, session: Session, theme: Theme, texts: Texts) -> None:
        super().__init__()
        self._session, self._theme, self._texts = session, theme, texts
        self.sides: dict[Place, TalkSide] = {}
        self.current: Place = "left"
        self._round = (0, 0)
        self._had_talks = False
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        session.changed.connect(self._follow)
        session.talks_changed.connect(self._show_talks)
        session.conversations_changed.connect(self._draw)
        self._follow()
        self._show_talks()

    @Slot()
    def switch(self) -> None:
        """Switches to the other side."""
        others = [place for place in self.sides if place != self.current]
        if others:
            self.focus_side(others[0])

    def focus_side(self, place: Place) -> None:
        """Sends keys to this side from now on."""
        self.current = place
        line = self.sides[place].line
        self.setFocusProxy(line)
        if not line.hasFocus():
            focus_on(line)
        self._show_focus()

    # Following

    @Slot()
    def _follow(self) -> None:
        welcome, state = self._session.window_state.welcome, self._session.window_state.state
        if welcome is not None:
            everywhere: tuple[Place, ...] = (
                ("left", "right") if welcome.role == "judge" else ("only",)
            )
            # In practice a judge has only one partner.
            self._place_sides(state.places or everywhere)
        if state.places and (state.round, state.attempt) != self._round:
            self._round = (state.round, state.attempt)
            self.current = next(iter(self.sides), "left")
            if self.isVisible():
                self.focus_side(self.current)
        for side in self.sides.values():
            side.follow()
        self._show_focus()

    def _place_sides(self, places: tuple[Place, ...]) -> None:
        if tuple(self.sides) == places:
            return
        for side in self.sides.values():
            self._row.removeWidget(side)
            side.deleteLater()
        self.sides = {}
        for place in places:
            side = TalkSide(self._session, self._theme, self._texts, place)
            side.focused.connect(partial(self.focus_side, place))
            side.switched.connect(self.switch)
            side.news.connect(self.news)
            # Equally wide, independent of their content.
            side.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
            self._row.addWidget(side, 1)
            self.sides[place] = side
        self.current = places[0]
        self._show_talks()

    @Slot()
    def _show_talks(self) -> None:
        for place, side in self.sides.items():
            talk = self._session.talks.get(place)
            side.show_talk(talk if talk is not None else Conversation(self._session.own))
        if not self._had_talks and self._session.talks.keys() >= self.sides.keys() > set():
            self._had_talks = True
            # After a restart, go on with the unfinished line.
            drafts = [place for place in self.sides if self._session.talks[place].draft]
            if drafts and self.current not in drafts:
                self.focus_side(drafts[0])

    @Slot()
    def _draw(self) -> None:
        for side in self.sides.values():
            side.draw()
        if "only" in self.sides:
            self._show_focus()  # the judge may have begun

    def _show_focus(self) -> None:
        stopped = self._session.window_state.state.phase == "paused"
        for place, side in self.sides.items():
            turn: FocusState = "here" if place == self.current else "there"
            if stopped:
                turn = "stopped"
            elif turn == "here" and not self.isActiveWindow():
                turn = "away"
            elif place == "only" and not side.takes_keys:
                turn = "waits"
            side.set_focus_state(turn)

    def event(self, event: QEvent) -> bool:
        """Shows where keys go when the window gets or loses the focus."""
        if event.type() in (QEvent.Type.WindowActivate, QEvent.Type.WindowDeactivate):
            self._show_focus()
        return super().event(event)

    def showEvent(self, event: QShowEvent) -> None:
        """Gives the current side's line the focus."""
        super().showEvent(event)
        if self.current in self.sides:
            self.focus_side(self.current)


#: The label of the key that switches to the other side.
SWITCH_KEY: Final = "F6"

#: The focus: on this side; on the other side; in another window; nobody may type now; nobody may
#: type yet.
FocusState: TypeAlias = Literal["here", "there", "away", "stopped", "waits"]


class _Stream(PaneView):
    """A pane that passes all typing, and the line's shortcuts, on to its line."""

    clicked = Signal()

    def __init__(
        self, line: InputLine, theme: Theme, texts: Texts, names: dict[Author, str]
    ) -> None:
        super().__init__(theme, texts, names)
        self._line = line
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Starts a selection, and switches to this side."""
        super().mousePressEvent(event)
        self.clicked.emit()

    def event(self, event: QEvent) -> bool:
        """Keeps typed keys from being taken as shortcuts of the window."""
        if (
            isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.ShortcutOverride
            and isinstance(meaning(event), Typed)
        ):
            event.accept()
            return True
        return super().event(event)

    def focusNextPrevChild(self, next_: bool, /) -> bool:
        """Never moves the focus, because Tab is typed."""
        return False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Moves the caret. Typed keys go to the line, which gets the focus."""
        meant = meaning(event)
        if isinstance(meant, Typed) or meant in (Command.SWITCH, Command.PASTE):
            focus_on(self._line)
            self._line.take(event)
        elif event.key() == Qt.Key.Key_Escape or event.key() in TABS:
            focus_on(self._line)
        else:
            super().keyPressEvent(event)


class TalkSide(QFrame):
    """One talk: heading, pane and line.

    Arguments:
        session, theme, texts: see judge_console.views.talk.TalkPage.
        place: the talk's place.

    Signals:
        focused: the person wants to type here.
        switched: the person wants to type on the other side.
        news: a message about the person's last action.
    """

    focused = Signal()
    switched = Signal()
    news = Signal(str)

    def __init__(self, session: Session, theme: Theme, texts: Texts, place: Place) -> None:
        super().__init__()
        self._session, self._texts, self.place = session, texts, place
        self._finished: set[Block] = set()
        # The part of the other side's open line that was read out.
        self._read = ""
        self._silence = single_shot(self, self._read_open_line)
        self._begun = self._told = False
        set_style_property(self, "pane", True)
        set_style_property(self, "active", False)
        self.line = InputLine(theme)
        other, mine = texts("talk.partner"), texts("talk.you")
        names: dict[Author, str] = {"judge": mine, "entity": other}
        if place == "only":
            names = {"judge": texts("talk.only"), "entity": mine}
        self.line.setAccessibleName(texts(f"talk.{place}_line"))
        self.pane = _Stream(self.line, theme, texts, names)
        self.pane.setAccessibleName(texts(f"talk.{place}_pane"))
        self.line.setAccessibleDescription(texts("talk.line_hint"))
        self.heading = TextLabel(texts(f"talk.{place}"), "side")
        self.heading.setWordWrap(False)
        self.badge = QLabel()
        self.badge.setTextFormat(Qt.TextFormat.PlainText)
        self.badge.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        set_style_property(self.badge, "badge", True)
        top = QHBoxLayout()
        top.addWidget(self.heading)
        top.addStretch()
        top.addWidget(self.badge)
        column = QVBoxLayout(self)
        column.addLayout(top)
        column.addWidget(self.pane, 1)
        column.addWidget(self.line)
        self.line.typed.connect(self._type)
        self.line.commanded.connect(self._command)
        self.line.entered.connect(self.focused)
        self.line.pasted.connect(self._paste)
        self.line.unsendable.connect(self._refuse)
        self.pane.clicked.connect(self.focused)
        self.setFocusProxy(self.line)

    # What is shown

    def show_talk(self, conversation: Conversation) -> None:
        """Shows a talk from its beginning, without reading it out, because that has happened
        before."""
        if conversation is self.pane.conversation:
            return
        self.pane.show_conversation(conversation)
        self._finished = {block for block in conversation.blocks if not block.is_open}
        self._begun = self._session.heard(self.place) > 0
        self._draw_line()

    def draw(self) -> None:
        """Draws what is new, and lets a screen reader read finished lines."""
        change = self.pane.draw()
        self._draw_line()
        if change is not None:
            self._read_out(change)

    def _draw_line(self) -> None:
        self.line.draw(self.pane.conversation.draft)
        self.follow()

    def follow(self) -> None:
        """Shows whether keys count now, and a hint while nothing has been typed."""
        phase = self._session.window_state.state.phase
        self.pane.set_dimmed(phase == "paused")
        self.line.set_open(self.takes_keys)
        self._told = self._told and not self.takes_keys
        hint = ""
        if phase == "interaction" and self._session.own == "entity":
            begun = self._session.heard(self.place) > 0
            if begun and not self._begun:
                announce(self.line, self._texts("confederate.began"))
            self._begun = begun
            hint = "" if begun else self._texts("confederate.wait")
        elif phase == "interaction" and not self.pane.conversation.text("judge"):
            hint = self._texts("talk.begin")
        set_silently(self.line, "placeholderText", hint)

    def set_focus_state(self, turn: FocusState) -> None:
        """Shows whether this side has the focus."""
        words = {
            "here": self._texts("talk.active"),
            "there": self._texts("talk.inactive", key=SWITCH_KEY),
            "away": self._texts("talk.away"),
            "stopped": self._texts("phase.paused.heading"),
            "waits": "",
        }[turn]
        self.badge.setVisible(bool(words))
        set_style_property(self, "active", turn == "here")
        set_style_property(self.badge, "active", turn == "here")
        set_silently(self.badge, "text", words)

    def _read_out(self, change: Change) -> None:
        blocks = self.pane.conversation.blocks
        said = []
        for index in range(change.first, len(blocks)):
            block = blocks[index]
            if block.is_open:
                self._finished.discard(block)
            elif block not in self._finished:
                self._finished.add(block)
                text = block.text
                if block.author != self._session.own:
                    # Without the part that was already read out.
                    text, self._read = text.removeprefix(self._read), ""
                if text:
                    said.append(self._said(block, text))
        if said:
            announce(self.pane, "\n".join(said))
        self._silence.start(SILENCE)

    def _read_open_line(self) -> None:
        """Lets a screen reader read the other side's unfinished line, after a silence."""
        own = self._session.own
        for block in reversed(self.pane.conversation.blocks):
            if block.is_open and block.author != own and block.text.strip():
                if block.text != self._read:
                    new = block.text.removeprefix(self._read)
                    self._read = block.text
                    announce(self.pane, self._said(block, new))
                return

    def _said(self, block: Block, text: str) -> str:
        who = "you" if block.author == self._session.own else self.place
        return self._texts(f"talk.said_{who}", text=text)

    # The person's actions

    @property
    def takes_keys(self) -> bool:
        """Whether a key pressed here counts now."""
        return takes_keys(self._session.window_state, self._session.heard(self.place))

    @Slot(object)
    def _type(self, keys: tuple[str, ...]) -> None:
        if not self.takes_keys:
            self._tell_why_not()
            return
        for key in keys:
            self._session.press(self.place, key)

    def _tell_why_not(self) -> None:
        # Sighted people read it at the top of the window.
        if not self._told:
            self._told = True
            heard = self._session.heard(self.place)
            announce(self.line, self._texts(sentence_of(self._session.window_state, heard)))

    @Slot(str)
    def _refuse(self, char: str) -> None:
        self.news.emit(self._texts("talk.unsendable", char=char))

    @Slot(str)
    def _paste(self, text: str) -> None:
        welcome = self._session.window_state.welcome
        if not self.takes_keys:
            self._tell_why_not()
            return
        # Every paste is recorded, even a refused one.
        self._session.paste(self.place, text)
        typed = welcome is not None and welcome.paste == "type"
        self.news.emit(self._texts("talk.paste_typing" if typed else "talk.paste_refused"))

    @Slot(object)
    def _command(self, command: Command) -> None:
        acts: dict[Command, Callable[[], object]] = {
            Command.SWITCH: self.switched.emit,
            Command.READ: partial(focus_on, self.pane),
            Command.COPY: self.pane.copy_text,
            Command.SELECT_ALL: self.pane.selectAll,
            Command.LINE_UP: partial(self.pane.scroll_lines, -1),
            Command.LINE_DOWN: partial(self.pane.scroll_lines, 1),
            Command.PAGE_UP: partial(self.pane.scroll_pages, -1),
            Command.PAGE_DOWN: partial(self.pane.scroll_pages, 1),
            Command.TO_BEGINNING: self.pane.scroll_to_beginning,
            Command.TO_END: self.pane.scroll_to_end,
        }
        acts[command]()
