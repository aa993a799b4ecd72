"""The console as a whole: from the joining dialog to the window, and back.

`Console` takes the seat that the person names in the dialog, opens the window once the server has
welcomed it, saves the preferences, and cleans up at the end. `run` is the program around it.
"""

from __future__ import annotations

import importlib.metadata
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import platformdirs
from PySide6.QtCore import QCoreApplication, QEvent, QObject, Signal, Slot
from PySide6.QtWidgets import QFileDialog

from judge_console.application import (
    NO_WINDOW,
    AppearanceSaver,
    TerminationSignals,
    application,
    localized,
)
from judge_console.client import SeatClient, seat_url
from judge_console.discovery import Discovery
from judge_console.join import JoinDialog
from judge_console.look.theme import Theme
from judge_console.memory import Drafts, KeyMemory, folder_of
from judge_console.model.joining import FormProblem, FoundServer, JoinForm, remember
from judge_console.model.seat import SeatRefused
from judge_console.preferences import PreferencesFile, preferences_path
from judge_console.serverless import Desk, DeskPlan, SameDirectory
from judge_console.session import Session
from judge_console.views.controls import single_shot
from judge_console.window import ConsoleWindow
from lpp.connection import Trust
from lpp.errors import EnvironmentProblem, UserError
from lpp.wire import Role
from texts import Texts

#: Seconds to wait for unconfirmed keys and decisions when the program is told to end.
SAVE_TIMEOUT = 3.0
#: Milliseconds to search the network before the dialog says that no contest was found.
SEARCH_PATIENCE = 4000


@dataclass(frozen=True, slots=True)
class LaunchOptions:
    """The options of the command line.

    Attributes:
        role: the role in a talk without a server; at a server, the code determines it.
        server, code: as typed; empty if not given. With both, the console connects at once.
        plan: a talk without a server that begins at once; None for none.
        full_screen: whether the window opens in full screen.
        trust: which TLS certificates to trust; by default those that the system's authorities
            signed.
        theme, text_size: see judge_console.look.theme; the text size is in percent. None for the
            saved preference.
        language: see `texts.load`.
    """

    role: Role = "judge"
    server: str = ""
    code: str = ""
    plan: DeskPlan | None = None
    full_screen: bool = False
    trust: Trust | None = None
    theme: str | None = None
    text_size: int | None = None
    language: str = "system"


class Console(QObject):
    """A console from its first dialog to its end.

    Arguments:
        options: the options of the command line.
        remembered: the preferences saved by earlier starts.
        theme, texts: as for all windows.
        seats: the parent of the seats' folders; see memory.folder_of.
        finder: creates the search for servers; it gets the function to call with the servers
            found.
        desk: creates the contest of a talk without a server.

    Signals:
        ended: the console has left its seat because the program was told to end; the application
            may exit.

    Attributes:
        dialog, window: the open dialog and window; None if closed.
        seat_failed: whether every attempt to take a seat has failed.
    """

    ended = Signal()
    _found = Signal(object)

    def __init__(
        self,
        options: LaunchOptions,
        remembered: PreferencesFile,
        theme: Theme,
        texts: Texts,
        seats: Path,
        finder: Callable[[Callable[[tuple[FoundServer, ...]], None]], Discovery],
        desk: Callable[[DeskPlan, Texts], Desk] | None = None,
    ) -> None:
        super().__init__()
        self._options = options
        self._remembered = remembered
        self._theme = theme
        self._texts = texts
        self._seats = seats
        self._make_finder = finder
        self._make_desk = desk
        self._finder: Discovery | None = None
        self._form: JoinForm | None = None
        self._desk: Desk | None = None
        # The session that is connecting, and the one that the window shows.
        self._tried: Session | None = None
        self._session: Session | None = None
        # Sessions and desks that are still ending: a window must not wait for a network.
        self._left: list[Session | Desk] = []
        self.dialog: JoinDialog | None = None
        self.window: ConsoleWindow | None = None
        self._closed = False
        self.seat_failed = False
        self._patience = single_shot(self, self._report_none_found)
        self._appearance_saver = AppearanceSaver(remembered, theme, self)

    # The dialog

    def begin(self) -> None:
        """Begins a talk without a server, or shows the dialog. Connects at once if server and code
        are given."""
        options = self._options
        if options.plan is not None:
            self._begin_desk(options.plan)
            return
        self._show_dialog(options.server, options.code)
        if options.server and options.code and self.dialog is not None:
            self.dialog.submit()

    def _show_dialog(self, server: str, code: str) -> None:
        saved = self._remembered.preferences
        trusted = saved.trusted if self._options.trust is None else None
        self._form = JoinForm(*(seat_url, saved.servers, server, code or saved.code, trusted))
        self.dialog = JoinDialog(self._form, self._theme, self._texts, remember=bool(saved.code))
        self.dialog.tried.connect(self._try)
        self.dialog.cancelled.connect(self._give_up)
        self.dialog.serverless.connect(self._choose_directories)
        self.dialog.serverless_button.setVisible(self._make_desk is not None)
        self._found.connect(self.dialog.show_found)
        if not server:
            self._look_for_servers()
        self.dialog.show()
        self.dialog.activateWindow()

    def _look_for_servers(self) -> None:
        """Starts to search the network, unless the search has begun. If the person names a server
        that answers, the network is never searched."""
        if self._finder is None and self.dialog is not None:
            self._finder = self._make_finder(self._found.emit)
            self._finder.start()
            self._patience.start(SEARCH_PATIENCE)
            self.dialog.search(True)

    def _report_none_found(self) -> None:
        if self.dialog is not None:
            self.dialog.search(False)

    def _close_dialog(self) -> None:
        self._patience.stop()
        if self._finder is not None:
            self._finder.stop()
            self._finder = None
        if self.dialog is not None:
            self._found.disconnect(self.dialog.show_found)
            self.dialog.hide()
            self.dialog.deleteLater()
            self.dialog = None

    # A talk without a server

    @Slot()
    def _choose_directories(self) -> None:
        """Asks for the communications directories, and begins a talk without a server. A judge
        who chooses no directory for the right practises with one partner."""
        role = self._options.role
        chosen: list[Path] = []
        asked = ("join.choose_left", "join.choose_right")
        for caption in asked if role == "judge" else ("join.choose_own",):
            if found := QFileDialog.getExistingDirectory(self.dialog, self._texts(caption)):
                chosen.append(Path(found))
            if not chosen:
                return
        try:
            self._begin_desk(DeskPlan.of(role, chosen))
        except SameDirectory:
            self._show_problem(self._texts("join.choose_two"))
        except UserError as exc:
            self._show_problem(str(exc))

    def _begin_desk(self, plan: DeskPlan) -> None:
        assert self._make_desk is not None
        self._desk = self._make_desk(plan, self._texts)
        self._begin_try(Session(self._desk.seat, end=self._desk.end))

    def _show_problem(self, reason: str) -> None:
        """Shows in the dialog why a talk without a server can't begin."""
        if self._form is not None and self.dialog is not None:
            self._form.problem = FormProblem("all", "errors.no_talk", {"reason": reason})
            self.dialog.show_form()

    # Attempts to connect

    @Slot()
    def _try(self) -> None:
        attempt = self._form.attempt if self._form is not None else None
        if attempt is None:
            return
        self._give_up()
        folder = folder_of(self._seats, attempt.code)
        trust = self._options.trust
        if attempt.fingerprint:
            trust = Trust(fingerprint=attempt.fingerprint)

        def seat() -> SeatClient:
            return SeatClient(
                attempt.url,
                attempt.code,
                client=f"loebner {_version()}".strip(),
                take_over=attempt.take_over,
                trust=trust,
                acknowledge=False,
                memory=KeyMemory(folder),
            )

        self._begin_try(Session(seat, Drafts(folder)))

    def _begin_try(self, session: Session) -> None:
        self._tried = session
        session.changed.connect(self._follow_try)
        session.start()

    @Slot()
    def _give_up(self) -> None:
        """Abandons the attempt to connect, if there is one, without waiting for its end."""
        tried, self._tried = self._tried, None
        if tried is not None:
            tried.changed.disconnect(self._follow_try)
            tried.leave()
            self._left.append(tried)
            self._leave_desk()

    def _leave_desk(self) -> None:
        desk, self._desk = self._desk, None
        if desk is not None:
            desk.leave()
            self._left.append(desk)

    @Slot()
    def _follow_try(self) -> None:
        session = self._tried
        if session is None:
            return
        if session.window_state.welcome is not None:
            session.changed.disconnect(self._follow_try)
            self._tried = None
            self._seated(session)
        elif session.window_state.ended is not None or session.window_state.trouble:
            serverless = self._desk is not None
            self._give_up()
            self._failed(session, serverless)

    def _failed(self, session: Session, serverless: bool) -> None:
        self.seat_failed = self.window is None
        dialog, form = self.dialog, self._form
        window_state, ended = session.window_state, session.window_state.ended
        if dialog is None or form is None:
            # A talk without a server, requested on the command line, can't begin.
            print(f"loebner: {ended or window_state.trouble}", file=sys.stderr, flush=True)
            self.ended.emit()
            return
        if serverless:
            self._show_problem(str(ended or window_state.trouble))
            return
        kind: str = window_state.kind
        if ended is not None:
            kind = "refused" if isinstance(ended, UserError | EnvironmentProblem) else "internal"
        if isinstance(ended, SeatRefused):
            kind = ended.code
        form.failed(kind, str(ended or window_state.trouble or ""), window_state.fingerprint)
        dialog.show_form()
        if form.problem is not None and form.problem.about == "server":
            self._look_for_servers()

    # The window

    def _seated(self, session: Session) -> None:
        self.seat_failed = False
        self._remember()
        self._session = session
        self.window = ConsoleWindow(
            session, self._theme, self._texts, full_screen=self._options.full_screen
        )
        self.window.rejoin.connect(self._rejoin)
        self.window.show()
        self._close_dialog()
        self.window.activateWindow()

    @Slot()
    def _rejoin(self) -> None:
        """The seat is lost for good, and the person wants to take a seat again."""
        attempt = self._form.attempt if self._form is not None else None
        window, self.window = self.window, None
        if window is None:
            return
        server, code = ("", "") if attempt is None else (attempt.server, attempt.code)
        self._show_dialog(server, code)
        self._leave_session(0.0)
        window.hide()
        window.deleteLater()

    def _leave_session(self, saving: float) -> None:
        session, self._session = self._session, None
        if session is not None:
            session.close(saving)
            session.deleteLater()
            self._leave_desk()

    # Preferences

    def _remember(self) -> None:
        attempt = self._form.attempt if self._form is not None else None
        if attempt is None:
            return
        self._remembered.refresh()
        wanted = self.dialog is not None and self.dialog.remember.isChecked()
        saved = self._remembered.preferences
        servers, trusted = remember(attempt, saved.servers, saved.trusted)
        code = attempt.code if wanted else ""
        self._remembered.change(servers=servers, trusted=trusted, code=code)

    # The end

    @Slot()
    def leave(self) -> None:
        """Leaves the seat because the program was told to end: sends the rest without asking."""
        self._leave_session(SAVE_TIMEOUT)
        self.ended.emit()

    def close(self) -> None:
        """Cleans up, after the loop has ended."""
        if self._closed:
            return
        self._closed = True
        self._appearance_saver.deleteLater()
        self._close_dialog()
        self._give_up()
        if self.window is not None:
            self._leave_session(SAVE_TIMEOUT)
            self.window.hide()
            self.window.deleteLater()
            self.window = None
        for left in self._left:
            left.close()
            if isinstance(left, Session):
                left.deleteLater()


def run(options: LaunchOptions, desk: Callable[[DeskPlan, Texts], Desk] | None = None) -> int:
    """Runs the console until the person leaves it. Call it once per process.

    Arguments:
        options: the options of the command line.
        desk: creates the contest of a talk without a server.

    Returns:
        The exit code: 0 if the person left or the program was told to end; 1 if nobody could take a
        seat. Without a display, the process exits here with 1 and a line on standard error.
    """
    remembered = PreferencesFile(preferences_path())
    saved = remembered.preferences
    app = application()
    with localized(app, options.language) as texts:
        theme = Theme(app, options.theme or saved.theme, options.text_size or saved.text_size)
        seats = platformdirs.user_state_path("loebner") / "seats"
        console = Console(options, remembered, theme, texts, seats, Discovery, desk)
        interrupts = TerminationSignals()
        interrupts.asked.connect(console.leave)
        console.ended.connect(app.exit)
        try:
            console.begin()
            app.exec()
        finally:
            console.close()
            interrupts.close()
            # Qt must delete its objects before the interpreter ends.
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    return NO_WINDOW if console.seat_failed else 0


def _version() -> str:
    """The installed version; empty if the program was packaged without metadata."""
    try:
        return importlib.metadata.version("loebner")
    except importlib.metadata.PackageNotFoundError:
        return ""
