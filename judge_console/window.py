"""The window of a judge or a confederate: a page for each part of the contest, under one header.

Which page shows follows from what the server says (`judge_console.model.pages`). The window adds
what belongs to it alone: menus, the full screen, the question before it is closed, and the moment
in which no key presses anything because a page with buttons has just come.

The full screen can always be left: by F11, by Esc three times in a row, and by the menu. There is
no further key for the organizer alone: whatever the organizer may do, a judge may do as well, and
a terminal that must not be left is the system's business and not a window's.
"""

from __future__ import annotations

import time
from typing import Final

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QCloseEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QMainWindow, QStackedWidget, QVBoxLayout, QWidget

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
from judge_console.texts import Texts
from judge_console.views.consent import ConsentPage
from judge_console.views.controls import KeyHelp, MessagePage, Question, Words, announce
from judge_console.views.header import Header, reason_of
from judge_console.views.keys import KeyGate
from judge_console.views.ranking import RankingPage
from judge_console.views.talk import TalkPage
from judge_console.views.verdict import VerdictPage
from judge_console.views.viewmenu import ViewMenu, add_action

#: How large the window is when it opens, in pixels, where the screen has so much.
SIZE: Final = QSize(1180, 820)
#: What a desktop puts around a window at most, in pixels.
FRAME: Final = QSize(16, 48)
#: Seconds to wait at most, when the window closes, for what is not confirmed or saved yet.
SAVING: Final = 3.0
#: How often Esc leaves the full screen, and in how many seconds: once may be a habit.
ESCAPES: Final = 3
ESCAPES_WITHIN: Final = 2.0
#: What turns to the other side.
SWITCH_KEYS: Final = (QKeySequence("F6"), QKeySequence("Ctrl+Tab"))


class _Stack(QStackedWidget):
    """Pages of which only the one that shows asks for room."""

    def minimumSizeHint(self) -> QSize:
        """That of the page that shows."""
        page = self.currentWidget()
        return page.minimumSizeHint() if page is not None else super().minimumSizeHint()


class ConsoleWindow(QMainWindow):
    """A console's window, for both roles.

    Arguments:
        session: the seat; it is closed with the window.
        theme: colours and sizes, which the window's menu sets.
        texts: the words.
        full_screen: whether it takes the whole screen from the beginning.
        language: what is chosen now, as judge_console.texts has it; None where there is no choice.

    Signals:
        rejoin: the seat is lost for good, and the person wants to sit down again.
        language_chosen: the person wants another language from the next start on.

    Attributes:
        page: which page shows.
        header, talk, verdict, ranking, consent, message: the parts.
        gate: what stops keys.
    """

    rejoin = Signal()
    language_chosen = Signal(str)

    def __init__(
        self,
        session: Session,
        theme: Theme,
        texts: Texts,
        full_screen: bool = False,
        parent: QWidget | None = None,
        language: str | None = None,
    ) -> None:
        super().__init__(parent)
        self._session, self._theme, self._texts = session, theme, texts
        self._asked = False
        self._answer_before = session.picture.saved.get("consent")
        self._leaving = False
        self._escapes: list[float] = []
        self._help: KeyHelp | None = None
        self.page = Page.CONNECTING
        self.header = Header(session, theme, texts)
        self.talk = TalkPage(session, theme, texts)
        self.verdict = VerdictPage(session, theme, texts)
        self.ranking = RankingPage(session, theme, texts)
        self.consent = ConsentPage(session, theme, texts)
        self.message = MessagePage(theme)
        self.leave_bar = Question(texts("menu.leave_no"), texts("menu.leave_yes"), in_a_row=True)
        self.way_out = Words(texts("window.leave_full_screen"), "muted")
        self.way_out.hide()
        self.gate = KeyGate(self)
        self._pages = _Stack()
        for page in (self.message, self.consent, self.talk, self.verdict, self.ranking):
            self._pages.addWidget(page)
        self._lay_out()
        self._make_menus(language)
        self.consent.left.connect(self.hide_agreement)
        self.message.acted.connect(self._act)
        self.leave_bar.yes.clicked.connect(self._leave)
        self.leave_bar.no.clicked.connect(self.leave_bar.hide)
        self.talk.news.connect(self.header.say)
        self.verdict.missed.connect(self._say_what_was_missed)
        self.gate.changed.connect(self.header.set_keys_stopped)
        session.changed.connect(self._follow)
        self._follow()
        self.resize(SIZE.boundedTo(self.screen().availableSize() - FRAME))
        if full_screen:
            self.toggle_full_screen()

    def _lay_out(self) -> None:
        body = QWidget()
        column = QVBoxLayout(body)
        column.addWidget(self.header)
        column.addWidget(self.leave_bar)
        column.addWidget(self._pages, 1)
        column.addWidget(self.way_out)
        self.setCentralWidget(body)

    # Menus

    def _make_menus(self, language: str | None) -> None:
        texts, bar = self._texts, self.menuBar()
        contest = bar.addMenu(texts("menu.contest"))
        self._agreement = add_action(contest, texts("consent.open"), self.show_agreement)
        add_action(contest, texts("menu.leave"), self.close)
        talk = bar.addMenu(texts("menu.talk"))
        self._switch = add_action(talk, texts("menu.switch"), self.talk.switch, *SWITCH_KEYS)
        self._end = add_action(talk, texts("desk.end"), self._session.end)
        self.view_menu = ViewMenu(self, self._theme, texts, language)
        self.view_menu.full_screen_changed.connect(self.way_out.setVisible)
        self.view_menu.language_chosen.connect(self.language_chosen)
        bar.addMenu(self.view_menu)
        help_ = bar.addMenu(texts("menu.help"))
        add_action(help_, texts("menu.shortcuts"), self.show_keys, QKeySequence(Qt.Key.Key_F1))

    @Slot()
    def show_keys(self) -> None:
        """Shows the list of the keys."""
        self._hide_keys()
        self._help = KeyHelp(self._texts, self)
        self._help.show()

    def _hide_keys(self) -> None:
        if self._help is not None:
            self._help.close()
            self._help.deleteLater()
            self._help = None

    @Slot()
    def toggle_full_screen(self) -> None:
        """Takes the whole screen, or gives it back."""
        self.view_menu.toggle_full_screen()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc, where no page has a use for it: stays where one was asked, leaves the full screen
        at the third time."""
        if event.key() != Qt.Key.Key_Escape:
            super().keyPressEvent(event)
        elif self.leave_bar.isVisible():
            self.leave_bar.hide()
        elif not event.isAutoRepeat() and self.isFullScreen():
            now = time.monotonic()
            self._escapes = [at for at in self._escapes if now - at < ESCAPES_WITHIN] + [now]
            if len(self._escapes) == ESCAPES:
                self._escapes = []
                self.toggle_full_screen()

    # Pages

    @Slot()
    def show_agreement(self) -> None:
        """Shows what is recorded and published, where that covers no talk and no decision."""
        self._asked = True
        self._follow()

    @Slot()
    def hide_agreement(self) -> None:
        """Goes back from it."""
        self._asked = False
        self._follow()

    @Slot()
    def _follow(self) -> None:
        picture = self._session.picture
        if picture.saved.get("consent") != self._answer_before:
            self._answer_before = picture.saved.get("consent")
            self._asked = False
        page = page_of(picture, self._asked)
        can_be_asked = page_of(picture, asked=True) is Page.CONSENT
        self._asked = self._asked and can_be_asked
        self._agreement.setEnabled(can_be_asked)
        self._end.setVisible(picture.can_end)
        self._end.setEnabled(picture.can_end and picture.state.phase in ("interaction", "scoring"))
        self._switch.setEnabled(page is Page.TALK and len(self.talk.sides) > 1)
        self.consent.offer_back(can_be_asked and page_of(picture) is not Page.CONSENT)
        self._show_names()
        self._say_message(page)
        if page is not self.page:
            before, self.page = self.page, page
            self._turn_to(before, page)
        if not asks_before_leaving(picture):
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
            # Nothing there can be pressed by accident, and a talk's first words must not be lost.
            self.gate.open()
        self._hide_keys()
        widget = widgets.get(page, self.message)
        self._pages.setCurrentWidget(widget)
        self._pages.updateGeometry()
        first = self.message.button if page is Page.ENDED else widget
        first.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_names(self) -> None:
        welcome = self._session.picture.welcome
        title = self._texts("window.console")
        if welcome is not None:
            title = self._texts(
                f"window.{welcome.role}", contest=welcome.contest, seat=welcome.seat
            )
        if title != self.windowTitle():
            self.setWindowTitle(title)

    def _say_message(self, page: Page) -> None:
        texts, picture = self._texts, self._session.picture
        if page is Page.ENDED and picture.ended is not None:
            key, reason = words_for(picture.ended, picture.welcome is not None)
            words = texts(key, reason=reason) if reason else texts(key)
            self.message.say(texts("window.ended"), [words], texts("errors.again"))
        elif page is Page.CONNECTING:
            more = [texts("link.trying"), picture.trouble] if picture.trouble else []
            self.message.say(texts("link.connecting"), more)
        elif page in (Page.WAITING, Page.OVER):
            self.message.say(
                texts(heading_of(picture)),
                [
                    texts(sentence_of(picture)),
                    reason_of(picture, texts),
                    self._answered(),
                ],
                texts("consent.open") if self._agreement.isEnabled() else "",
            )

    @Slot()
    def _say_what_was_missed(self) -> None:
        self.header.say(self._texts("verdict.closed_unsaved"))

    def _answered(self) -> str:
        """What the person has agreed to, as long as that can be changed."""
        saved = self._session.picture.saved.get("consent")
        if saved is None or not self._agreement.isEnabled():
            return ""
        return self.consent.saved_words(saved)

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
        """Leaves the seat; asks before, in its place, where a talk or a decision is left."""
        if not self._leaving and asks_before_leaving(self._session.picture):
            event.ignore()
            words = self._texts("menu.leave_ask")
            self.leave_bar.ask(words)
            announce(self.leave_bar, words)
            return
        self.gate.open()
        self._hide_keys()
        event.accept()
        self.hide()
        self._session.close(SAVING)
