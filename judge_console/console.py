"""From the joining dialog to the window, and back: what a console does as a whole.

`Console` makes a seat of what the dialog asks for, opens the window once the seat is welcomed,
remembers what was answered, and leaves everything in good order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QByteArray, QObject, QTimer, Signal, Slot

from judge_console.answers import Remembered
from judge_console.client import seat_url
from judge_console.desk import Recorder
from judge_console.join import JoinDialog
from judge_console.look.theme import Theme
from judge_console.looks import KeptLooks, keep
from judge_console.memory import Drafts, folder_of
from judge_console.model import SeatRefused
from judge_console.model.deskform import DeskField, DeskPlan
from judge_console.model.joining import Found, JoinForm, remember, remember_trusted
from judge_console.session import Session
from judge_console.sitting import desk_seat, server_seat
from judge_console.texts import Texts
from judge_console.tries import Tries
from judge_console.updates import Picture
from judge_console.window import ConsoleWindow
from lpp.errors import Surroundings, YoursToFix
from lpp.trust import Trust
from lpp.wire import Role

#: Seconds that are waited for what is not confirmed yet, when the program is told to end.
SAVING = 3.0
#: Milliseconds after which a network that has said nothing is said to hold no contest.
PATIENCE = 4000


class Finder(Protocol):
    """Looks for servers; see judge_console.discovery.Discovery."""

    def start(self) -> None:
        """Begins."""

    def stop(self) -> None:
        """Ends."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the person has asked for already, beside what is remembered.

    Attributes:
        role: who is to sit here without a server; with one, the code says it.
        server, code: as typed; empty if not given. With both, the try begins at once.
        plan: a talk without a server that begins at once; None if none was asked for.
        full_screen: None is as it was the last time.
        trust: which server with TLS is the right one; by the system's authorities if left out.
    """

    role: Role = "judge"
    server: str = ""
    code: str = ""
    plan: DeskPlan | None = None
    full_screen: bool | None = None
    trust: Trust | None = None


class Console(QObject):
    """A console from its first dialog to its end.

    Arguments:
        wishes: what was asked for.
        remembered: what was answered before.
        theme, texts: as for all windows.
        seats: where the folders of seats are; see memory.folder_of.
        finder: makes what looks for servers, given what it calls with those that are there.
        recorder: makes the record of a talk without a server, of a plan that asks for one.
        parent: as Qt has it.

    Signals:
        ended: all is left, for the program was told to end; the application may go.

    Attributes:
        dialog, window: whichever of them is open.
        in_vain: whether a try has failed, and nobody ever sat down.
    """

    ended = Signal()
    _found = Signal(object)

    def __init__(
        self,
        wishes: Wishes,
        remembered: Remembered,
        theme: Theme,
        texts: Texts,
        seats: Path,
        finder: Callable[[Callable[[tuple[Found, ...]], None]], Finder],
        recorder: Callable[[DeskPlan], Recorder] | None = None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._wishes = wishes
        self._remembered = remembered
        self._theme = theme
        self._texts = texts
        self._seats = seats
        self._make_finder = finder
        self._make_recorder = recorder
        self._finder: Finder | None = None
        self._form: JoinForm | None = None
        self._plan: DeskPlan | None = None
        self._session: Session | None = None
        self.dialog: JoinDialog | None = None
        self.window: ConsoleWindow | None = None
        self._closed = False
        self.in_vain = False
        self._tries = Tries(self)
        self._tries.seated.connect(self._seated)
        self._tries.failed.connect(self._failed)
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._kept_looks = KeptLooks(remembered, theme, self)

    # The dialog

    def begin(self) -> None:
        """Shows the dialog, and tries at once what was asked for."""
        wishes = self._wishes
        self._show_dialog(wishes.server, wishes.code)
        assert self.dialog is not None
        if wishes.plan is not None:
            self.dialog.show_desk()
            self.dialog.desk.begin()
        elif wishes.server and wishes.code:
            self.dialog.submit()

    def _show_dialog(self, server: str, code: str) -> None:
        answers, texts = self._remembered.answers, self._texts
        self._form = JoinForm(
            *(seat_url, answers.servers, server, code or answers.code, answers.trusted)
        )
        news = ""
        if self._remembered.put_aside is not None:
            news = texts("errors.answers_broken", file=str(self._remembered.put_aside))
            self._remembered.put_aside = None
        self.dialog = JoinDialog(
            self._form,
            self._wishes.plan if self._wishes.plan is not None else self._remembered_plan(),
            self._theme,
            texts,
            remember=bool(answers.code),
            news=news,
        )
        self.dialog.tried.connect(self._try)
        self.dialog.desk_wanted.connect(self._try_desk)
        self.dialog.given_up.connect(self._tries.give_up)
        self._found.connect(self.dialog.see)
        self._patience.timeout.connect(self.dialog.stop_searching)
        if not server:
            self._look_for_servers()
        self.dialog.show()
        self.dialog.activateWindow()

    def _look_for_servers(self) -> None:
        """Has the network searched, unless it is already. Whoever names a server that is there
        needs no other, and no question goes out to the network."""
        if self._finder is None and self.dialog is not None:
            self._finder = self._make_finder(self._found.emit)
            self._finder.start()
            self._patience.start(PATIENCE)
            self.dialog.start_searching()

    def _remembered_plan(self) -> DeskPlan:
        answers, role = self._remembered.answers, self._wishes.role
        return DeskPlan(
            role=role,
            left=answers.left if role == "judge" else answers.directory,
            right=answers.right if role == "judge" else "",
            minutes=answers.minutes if role == "judge" else 0.0,
            sides=answers.sides,
            record=answers.record,
        )

    def _close_dialog(self) -> None:
        self._patience.stop()
        if self._finder is not None:
            self._finder.stop()
            self._finder = None
        if self.dialog is not None:
            self._found.disconnect(self.dialog.see)
            self.dialog.hide()
            self.dialog.deleteLater()
            self.dialog = None

    # Tries

    @Slot()
    def _try(self) -> None:
        attempt = self._form.attempt if self._form is not None else None
        if attempt is None:
            return
        self._plan = None
        folder = folder_of(self._seats, attempt.code)
        trust = self._wishes.trust
        if attempt.fingerprint:
            trust = Trust(fingerprint=attempt.fingerprint)
        self._tries.begin(lambda: server_seat(attempt, folder, trust), Drafts(folder))

    @Slot(object)
    def _try_desk(self, plan: DeskPlan) -> None:
        self._plan = plan
        self._tries.begin(lambda: desk_seat(plan, self._make_recorder, self._texts), Drafts())

    @Slot(object)
    def _failed(self, picture: Picture) -> None:
        self.in_vain = self.window is None
        dialog, form, ended = self.dialog, self._form, picture.ended
        if dialog is None or form is None:
            return
        if self._plan is not None:
            # Before anybody has sat down, the machine can have refused the record only.
            field: DeskField = "record" if isinstance(ended, Surroundings) else "left"
            dialog.desk.failed(str(ended or picture.trouble), field)
            return
        if ended is None:
            form.lost(picture.kind, picture.fingerprint)
        elif isinstance(ended, SeatRefused):
            form.refused(ended.code, str(ended))
        elif isinstance(ended, (YoursToFix, Surroundings)):
            form.refused("", str(ended))
        else:
            form.failed(str(ended))
        dialog.show_form()
        if form.complaint is not None and form.complaint.about == "server":
            self._look_for_servers()

    # The window

    @Slot(object)
    def _seated(self, session: Session) -> None:
        self.in_vain = False
        if self._form is not None and self._plan is None:
            self._form.seated()
        self._remember(session)
        self._session = session
        answers, wished = self._remembered.answers, self._wishes.full_screen
        full = wished if wished is not None else answers.full_screen
        self.window = ConsoleWindow(
            session, self._theme, self._texts, full_screen=full, language=answers.language
        )
        self.window.rejoin.connect(self._rejoin)
        self.window.language_chosen.connect(self._kept_looks.choose_language)
        if answers.window and not full:
            self.window.restoreGeometry(QByteArray.fromBase64(answers.window.encode()))
        self.window.show()
        self._close_dialog()
        self.window.activateWindow()

    @Slot()
    def _rejoin(self) -> None:
        """The seat is lost for good, and the person wants to sit down again."""
        attempt = self._form.attempt if self._form is not None else None
        window, self.window = self.window, None
        if window is None:
            return
        if attempt is not None:
            self._show_dialog(attempt.server, attempt.code)
        else:
            self._show_dialog("", "")
        self._remember_window(window)
        self._leave_session(0.0)
        window.hide()
        window.deleteLater()

    def _leave_session(self, saving: float) -> None:
        session, self._session = self._session, None
        if session is not None:
            session.close(saving)
            session.deleteLater()

    # What is remembered

    def _remember(self, session: Session) -> None:
        plan, attempt = self._plan, self._form.attempt if self._form is not None else None
        if plan is not None and plan.role == "judge":
            keep(
                self._remembered,
                left=plan.left,
                right=plan.right,
                minutes=plan.minutes,
                sides=plan.sides,
                record=plan.record,
            )
        elif plan is not None:
            keep(self._remembered, directory=plan.left, record=plan.record)
        elif attempt is not None:
            welcome = session.picture.welcome
            self._remembered.refresh()
            wanted = self.dialog is not None and self.dialog.contest.remember.isChecked()
            keep(
                self._remembered,
                servers=remember(attempt.server, self._remembered.answers.servers),
                seat=welcome.seat if welcome is not None else "",
                code=attempt.code if wanted else "",
                trusted=remember_trusted(attempt, self._remembered.answers.trusted),
            )

    def _remember_window(self, window: ConsoleWindow) -> None:
        full_screen = window.isFullScreen()
        place = self._remembered.answers.window
        if not full_screen:
            place = bytes(window.saveGeometry().toBase64().data()).decode("ascii")
        keep(self._remembered, full_screen=full_screen, window=place)

    # The end

    @Slot()
    def leave(self) -> None:
        """The program is told to end: what was typed is sent, and nobody is asked."""
        self._leave_session(SAVING)
        self.ended.emit()

    def close(self) -> None:
        """Leaves everything in good order; after the loop has ended."""
        if self._closed:
            return
        self._closed = True
        self._kept_looks.deleteLater()
        self._close_dialog()
        self._tries.close()
        if self.window is not None:
            self._remember_window(self.window)
            self._leave_session(SAVING)
            self.window.hide()
            self.window.deleteLater()
            self.window = None
