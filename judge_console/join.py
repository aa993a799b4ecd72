"""The dialog in which a person says where to sit.

It is made for somebody who has never seen the program: the code, which the organizer has handed
out on paper, comes first and has the keyboard; the server stands there already where it was found
or used before; Return joins. What is wrong is said beside the field that it is about, and nothing
that was typed is lost.

It has two pages: for a contest (join_contest.py), and for a talk without a server (join_desk.py).
"""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QCloseEvent, QKeyEvent
from PySide6.QtWidgets import QDialog, QScrollArea, QStackedWidget, QVBoxLayout, QWidget

from judge_console.join_contest import ContestPage
from judge_console.join_desk import DeskPage
from judge_console.join_widgets import scrolled
from judge_console.look.theme import Theme
from judge_console.model.deskform import DeskPlan
from judge_console.model.joining import Found, JoinForm
from judge_console.texts import Texts

#: The dialog's size at 100 %, in pixels, and its limits: a small screen's.
SIZE, LARGEST = (640, 700), (1024, 728)


class JoinDialog(QDialog):
    """Asks for server and code, or for what a talk without a server needs.

    Arguments:
        form: what is filled in already.
        plan: the same for a talk without a server.
        theme, texts: as for all windows.
        remember: whether the code is to be remembered.
        news: something to be said from the beginning; empty if there is nothing.
        parent: as Qt has it.

    Attributes:
        contest, desk: the pages.

    Signals:
        tried: `form.attempt` is to be tried.
        given_up: the try that is on, of either kind, is to be ended.
        desk_wanted: a talk without a server is wanted; the `DeskPlan`.
    """

    tried = Signal()
    given_up = Signal()
    desk_wanted = Signal(object)

    def __init__(
        self,
        form: JoinForm,
        plan: DeskPlan,
        theme: Theme,
        texts: Texts,
        *,
        remember: bool = False,
        news: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._form = form
        self._texts = texts
        self.setWindowTitle(texts("window.join"))
        self.setWindowFlag(Qt.WindowType.WindowMaximizeButtonHint)
        # Once what has just been said has got its room.
        self._reveal = QTimer(self)
        self._reveal.setSingleShot(True)
        self._reveal.timeout.connect(self._bring_into_sight)
        self.contest = ContestPage(form, texts, remember, news, self)
        self.contest.tried.connect(self.tried)
        self.contest.given_up.connect(self.given_up)
        self.contest.cancelled.connect(self.reject)
        self.contest.desk_wanted.connect(self.show_desk)
        self.desk = DeskPage(plan, texts, self)
        self.desk.wanted.connect(self.desk_wanted)
        self.desk.back.connect(self.reject)
        self.contest.said.connect(lambda: self._reveal.start(0))
        self.desk.said.connect(lambda: self._reveal.start(0))
        self._pages = QStackedWidget(self)
        for page in (self.contest, self.desk):
            self._pages.addWidget(scrolled(page))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._pages)
        theme.zoom_actions(self)
        self.resize(
            *(min(most, s * theme.zoom // 100) for s, most in zip(SIZE, LARGEST, strict=True))
        )
        self.contest.code.setFocus()
        self.show_form()

    @Slot()
    def show_form(self) -> None:
        """Draws the form as it stands now, and gives the keyboard to the field in question."""
        self.contest.show_form()

    @Slot()
    def _bring_into_sight(self) -> None:
        """Large text on a small screen has to be scrolled; nobody has to look for what is asked."""
        area = self._pages.currentWidget()
        assert isinstance(area, QScrollArea)
        for widget in (*self.contest.places, self.desk.notice, self.focusWidget()):
            # What has no focus is nobody's child.
            if area.isAncestorOf(widget) and widget.isVisible():
                area.ensureWidgetVisible(widget)

    # What happens

    @Slot(object)
    def see(self, found: Iterable[Found]) -> None:
        """Another set of servers is on the network now."""
        self.contest.see(found)

    def start_searching(self) -> None:
        """Servers are looked for from now on; see `see`."""
        self.contest.start_searching()

    @Slot()
    def stop_searching(self) -> None:
        """The network has had its time; what is found later is shown all the same."""
        self.contest.stop_searching()

    def submit(self) -> None:
        """Tries what is filled in, or says what is wrong with it."""
        self.contest.submit()

    @Slot()
    def show_desk(self) -> None:
        """Asks for what a talk without a server needs."""
        self._pages.setCurrentIndex(1)
        self.setWindowTitle(self._texts("window.desk"))
        self.desk.begin_button.setDefault(True)
        self.desk.focus_first()

    def _show_join(self) -> None:
        self._pages.setCurrentIndex(0)
        self.setWindowTitle(self._texts("window.join"))
        self.contest.code.setFocus()
        self.show_form()

    @Slot()
    def reject(self) -> None:
        """Esc and Cancel end what is on: a try, the page without a server, or the dialog."""
        if self._form.state in ("connecting", "taken", "untrusted"):
            self.contest.give_up()
        elif self._pages.currentIndex() == 1:
            self.desk.give_up()
            self.given_up.emit()
            self._show_join()
        else:
            self.close()

    def closeEvent(self, event: QCloseEvent) -> None:
        """The window's own cross ends the dialog, whatever is on."""
        self._form.give_up()
        self.given_up.emit()
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return held down must not answer the next question as well."""
        if not (event.isAutoRepeat() and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)):
            super().keyPressEvent(event)
