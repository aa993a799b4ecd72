"""The window in which a recorded talk is played again."""

from __future__ import annotations

from pathlib import PurePath

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QFileDialog, QInputDialog, QMainWindow, QMessageBox, QWidget

from judge_console.look.theme import Theme
from judge_console.texts import Texts
from judge_console.views.replay import ReplayView
from judge_console.views.viewmenu import ViewMenu, add_action
from judge_console.window import FRAME
from lpp.errors import YoursToFix
from lpp.recording import NoSuchTalk, Recording, load

#: How large the window is when it opens, in pixels, where the screen has so much.
SIZE = QSize(1100, 800)


class ReplayWindow(QMainWindow):
    """A window around a `ReplayView`.

    Arguments:
        recording: what to play.
        theme: colours and sizes, which the window's menu sets.
        texts: the words.
        language: what is chosen now, as judge_console.texts has it; None where there is no choice.

    Signals:
        language_chosen: the person wants another language from the next start on.

    Attributes:
        view: what is played now; another one after another recording was opened.
    """

    language_chosen = Signal(str)

    def __init__(
        self,
        recording: Recording,
        theme: Theme,
        texts: Texts,
        parent: QWidget | None = None,
        language: str | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._texts = texts
        self._make_menus(language)
        self.show_recording(recording)
        self.resize(SIZE.boundedTo(self.screen().availableSize() - FRAME))

    def show_recording(self, recording: Recording) -> None:
        """Shows another recording, at its beginning."""
        self.view = ReplayView(recording, self._theme, self._texts, self)
        before = self.takeCentralWidget()
        if before is not None:
            before.hide()
            before.deleteLater()
        self.setCentralWidget(self.view)
        self.view.show()  # now, and not with the next turn: it is about to get the keyboard
        self.view.setFocus()
        # A file's name is only ever text; what can't be shown in a title is left out.
        file = "".join(char for char in PurePath(recording.name).name if char.isprintable())
        self.setWindowTitle(self._texts("window.replay", file=file))

    # Menus

    def _make_menus(self, language: str | None) -> None:
        texts, bar, standard = self._texts, self.menuBar(), QKeySequence.StandardKey
        talk = bar.addMenu(texts("menu.talk"))
        add_action(talk, texts("replay.open"), self.open, QKeySequence(standard.Open))
        add_action(talk, texts("menu.quit"), self.close, QKeySequence(standard.Quit))
        self._view_menu = ViewMenu(self, self._theme, texts, language)
        self._view_menu.language_chosen.connect(self.language_chosen)
        bar.addMenu(self._view_menu)
        leave = QAction(self)
        leave.setShortcut(Qt.Key.Key_Escape)
        leave.triggered.connect(self.leave_full_screen)
        self.addAction(leave)

    # What the person does

    @Slot()
    def leave_full_screen(self) -> None:
        """Gives the screen back, where the window has taken it."""
        if self.isFullScreen():
            self._view_menu.toggle_full_screen()

    @Slot()
    def open(self) -> None:
        """Asks for another recording, and shows it."""
        recording = choose_recording(self._texts, self)
        if recording is not None:
            self.show_recording(recording)


def choose_recording(texts: Texts, parent: QWidget | None = None) -> Recording | None:
    """Asks the person for a recording: a file, and where a record holds several talks, which one.

    Arguments:
        texts: the words.
        parent: the window that asks.

    Returns:
        It, or None if the person leaves it, or has been told that the file is no recording.
    """
    kinds = f"{texts('replay.file_kinds')} (*.log *.jsonl);;{texts('replay.all_files')} (*)"
    path, _ = QFileDialog.getOpenFileName(parent, texts("replay.open_title"), "", kinds)
    if not path:
        return None
    try:
        try:
            return load(path)
        except NoSuchTalk as exc:
            if not exc.talks:
                raise
            talk = _choose_talk(exc.talks, texts, parent)
            return None if talk is None else load(path, talk)
    except YoursToFix as exc:
        name = PurePath(path).name
        said = QMessageBox(parent)
        said.setTextFormat(Qt.TextFormat.PlainText)
        said.setText(texts("errors.not_a_log", file=name, reason=exc))
        said.exec()
        return None


def _choose_talk(talks: tuple[str, ...], texts: Texts, parent: QWidget | None) -> str | None:
    asked = QInputDialog(parent)
    asked.setWindowTitle(texts("replay.open_title"))
    asked.setLabelText(texts("replay.choose_talk"))
    asked.setComboBoxItems(list(talks))
    if asked.exec() != QInputDialog.DialogCode.Accepted:
        return None
    return asked.textValue()
