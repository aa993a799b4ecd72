"""The window of a judge or a confederate: a page for each part of the contest, under one header.

`judge_console.model.pages` determines the page from the server's messages. The window itself adds
menus, full screen, the question before closing, and a pause in which keys are blocked after a page
with buttons has appeared.

F11, Esc three times in a row, and the menu always leave full screen. Locking people into a
program is the operating system's job.
"""

from __future__ import annotations

import time
from html import escape
from typing import Final

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QCloseEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMessageBox, QStackedWidget, QVBoxLayout, QWidget

from judge_console.look.theme import Theme
from judge_console.model.pages import (
    WITH_BUTTONS,
    Page,
    asks_before_leaving,
    heading_of,
    page_of,
    sentence_of,
    stops_keys,
    words_for,
)
from judge_console.session import Session
from judge_console.views.consent import ConsentPage
from judge_console.views.controls import MessagePage, Question, TextLabel, open_with_size
from judge_console.views.header import Header, reason_of
from judge_console.views.keys import KeyGate
from judge_console.views.ranking import RankingPage
from judge_console.views.talk import TalkPage
from judge_console.views.verdict import VerdictPage
from judge_console.views.viewmenu import ViewMenu, add_action
from texts import Texts

#: The window's size when it opens, in pixels, if the screen is large enough.
SIZE: Final = QSize(1180, 820)
#: The most seconds to wait, when the window closes, for unconfirmed keys and unsaved decisions.
SAVE_TIMEOUT: Final = 3.0
#: How many presses of Esc leave full screen, and within how many seconds. One press may be a habit.
ESCAPES: Final = 3
ESCAPES_WITHIN: Final = 2.0
#: The keys that switch to the other side.
SWITCH_KEYS: Final = (QKeySequence("F6"), QKeySequence("Ctrl+Tab"))
#: The lines of the list of keys. Each has two texts, `keys.called.…` and `keys.…`.
KEYS: Final = (
    *("switch", "scroll", "read", "copy", "larger", "smaller", "normal", "full_screen"),
    *("leave_full_screen", "help"),
)


class _Stack(QStackedWidget):
    """A stack that needs room only for the visible page."""

    def minimumSizeHint(self) -> QSize:
        """The size hint of the visible page."""
        page = self.currentWidget()
        return page.minimumSizeHint() if page is not None else super().minimumSizeHint()


class ConsoleWindow(QMainWindow):
    """A console's window, for both roles.

    Arguments:
        session: the seat, which is closed with the window.
        theme: colours and sizes; the window's menu changes them.
        texts: the words.
        full_screen: whether it opens in full screen.

    Signals:
        rejoin: the seat has ended, and the person wants to take a seat again.

    Attributes:
        page: the visible page.
        header, talk, verdict, ranking, consent, message: the window's parts.
        view_menu: the menu *View*.
        gate: blocks keys.
    """

    rejoin = Signal()

    def __init__(
        self,
        session: Session,
        theme: Theme,
        texts: Texts,
        full_screen: bool = False,
    ) -> None:
        super().__init__()
        self._session, self._theme, self._texts = session, theme, texts
        self._asked = False
        self._answer_before = session.window_state.saved.get("consent")
        self._leaving = False
        self._escapes: list[float] = []
        self.page = Page.CONNECTING
        self.header = Header(session, texts)
        self.talk = TalkPage(session, theme, texts)
        self.verdict = VerdictPage(session, theme, texts)
        self.ranking = RankingPage(session, theme, texts)
        self.consent = ConsentPage(session, theme, texts)
        self.message = MessagePage(theme)
        self.leave_bar = Question(texts("menu.leave_no"), texts("menu.leave_yes"), in_a_row=True)
        self.way_out = TextLabel(texts("window.leave_full_screen"), "muted")
        self.way_out.hide()
        self.gate = KeyGate(self)
        self._pages = _Stack()
        body = QWidget()
        # From the outside in: Qt styles everything inside a widget again when that gets a parent.
        self.setCentralWidget(body)
        column = QVBoxLayout(body)
        column.addWidget(self.header)
        column.addWidget(self.leave_bar)
        column.addWidget(self._pages, 1)
        column.addWidget(self.way_out)
        for page in (self.message, self.consent, self.talk, self.verdict, self.ranking):
            self._pages.addWidget(page)
        self._make_menus()
        self.consent.left.connect(lambda: self.show_agreement(False))
        self.message.acted.connect(self._act)
        self.leave_bar.yes.clicked.connect(self._leave)
        self.leave_bar.no.clicked.connect(self.leave_bar.hide)
        self.talk.news.connect(self.header.say)
        self.verdict.missed.connect(lambda: self.header.say(texts("verdict.closed_unsaved")))
        self.gate.changed.connect(self.header.set_keys_stopped)
        session.changed.connect(self._follow)
        self._follow()
        open_with_size(self, SIZE)
        if full_screen:
            self.view_menu.toggle_full_screen()

    # Menus

    def _make_menus(self) -> None:
        texts, bar = self._texts, self.menuBar()
        contest = bar.addMenu(texts("menu.contest"))
        self._agreement = add_action(contest, texts("consent.open"), lambda: self.show_agreement())
        add_action(contest, texts("menu.leave"), self.close)
        talk = bar.addMenu(texts("menu.talk"))
        self._switch = add_action(talk, texts("menu.switch"), self.talk.switch, *SWITCH_KEYS)
        self._end = add_action(talk, texts("desk.end"), self._session.end)
        self.view_menu = ViewMenu(self, self._theme, texts)
        self.view_menu.full_screen_changed.connect(self.way_out.setVisible)
        bar.addMenu(self.view_menu)
        self.help = QMessageBox(self)
        self.help.setWindowTitle(texts("keys.heading"))
        self.help.setWindowModality(Qt.WindowModality.NonModal)
        self.help.setStandardButtons(QMessageBox.StandardButton.Close)
        rows = (
            f"<tr><th align=left>{escape(texts(f'keys.called.{key}'))}&nbsp;&nbsp;</th>"
            f"<td>{escape(texts(f'keys.{key}'))}</td></tr>"
            for key in KEYS
        )
        self.help.setText(f"<table cellpadding=2>{''.join(rows)}</table>")
        menu = bar.addMenu(texts("menu.help"))
        keys = QKeySequence(Qt.Key.Key_F1)
        add_action(menu, texts("menu.shortcuts"), self.help.show, keys)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handles Esc if the page does not: dismisses the question whether to leave; the third
        press leaves full screen."""
        if event.key() != Qt.Key.Key_Escape:
            super().keyPressEvent(event)
        elif self.leave_bar.isVisible():
            self.leave_bar.hide()
        elif not event.isAutoRepeat() and self.isFullScreen():
            now = time.monotonic()
            self._escapes = [at for at in self._escapes if now - at < ESCAPES_WITHIN] + [now]
            if len(self._escapes) == ESCAPES:
                self._escapes = []
                self.view_menu.toggle_full_screen()

    # Pages

    def show_agreement(self, shown: bool = True) -> None:
        """Shows the page on recording and publication, unless a talk or a decision needs the
        window; or leaves it."""
        self._asked = shown
        self._follow()

    @Slot()
    def _follow(self) -> None:
        window_state = self._session.window_state
        if window_state.saved.get("consent") != self._answer_before:
            self._answer_before = window_state.saved.get("consent")
            self._asked = False
        page = page_of(window_state, self._asked)
        can_be_asked = page_of(window_state, asked=True) is Page.CONSENT
        self._asked = self._asked and can_be_asked
        self._agreement.setEnabled(can_be_asked)
        self._end.setVisible(window_state.can_end)
        self._end.setEnabled(
            window_state.can_end and window_state.state.phase in ("interaction", "scoring")
        )
        self._switch.setEnabled(page is Page.TALK and len(self.talk.sides) > 1)
        self.consent.offer_back(can_be_asked and page_of(window_state) is not Page.CONSENT)
        title, welcome = self._texts("window.console"), window_state.welcome
        if welcome is not None:
            role = f"window.{welcome.role}"
            title = self._texts(role, contest=welcome.contest, seat=welcome.seat)
        if title != self.windowTitle():
            self.setWindowTitle(title)
        self._say_message(page)
        if page is not self.page:
            before, self.page = self.page, page
            self._turn_to(before, page)
        if not asks_before_leaving(window_state):
            self.leave_bar.hide()

    def _turn_to(self, before: Page, page: Page) -> None:
        widgets: dict[Page, QWidget] = {
            Page.CONSENT: self.consent,
            Page.TALK: self.talk,
            Page.VERDICT: self.verdict,
            Page.RANKING: self.ranking,
        }
        if stops_keys(before, page):
            self.gate.shut()
        elif page not in WITH_BUTTONS:
            # On these pages keys can't press a button, and the first words of a talk must not be
            # lost.
            self.gate.open()
        self.help.hide()
        widget = widgets.get(page, self.message)
        self._pages.setCurrentWidget(widget)
        self._pages.updateGeometry()
        first = self.message.button if page is Page.ENDED else widget
        first.setFocus(Qt.FocusReason.OtherFocusReason)

    def _say_message(self, page: Page) -> None:
        texts, window_state, say = self._texts, self._session.window_state, self.message.say
        if page is Page.ENDED and window_state.ended is not None:
            key, reason = words_for(window_state.ended, window_state.welcome is not None)
            words = texts(key, reason=reason) if reason else texts(key)
            say(texts("window.ended"), words, button=texts("errors.again"))
        elif page is Page.CONNECTING:
            more = (texts("link.trying"), window_state.trouble) if window_state.trouble else ()
            say(texts("link.connecting"), *more)
        elif page in (Page.WAITING, Page.OVER):
            saved, offered = window_state.saved.get("consent"), self._agreement.isEnabled()
            say(
                texts(heading_of(window_state)),
                texts(sentence_of(window_state)),
                reason_of(window_state, texts),
                self.consent.saved_words(saved) if saved is not None and offered else "",
                button=texts("consent.open") if offered else "",
            )

    @Slot()
    def _act(self) -> None:
        if self.page is Page.ENDED:
            self.rejoin.emit()
        else:
            self.show_agreement()

    # The end

    @Slot()
    def _leave(self) -> None:
        self._leaving = True
        self.close()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Leaves the seat; asks first if a talk or a decision is open."""
        if not self._leaving and asks_before_leaving(self._session.window_state):
            event.ignore()
            self.leave_bar.ask(self._texts("menu.leave_ask"))
            return
        self.gate.open()
        self.help.hide()
        event.accept()
        self.hide()
        self._session.close(SAVE_TIMEOUT)
