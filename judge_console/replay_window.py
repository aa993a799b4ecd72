"""The window in which a recorded talk is played again."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import PurePath

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QFileDialog, QInputDialog, QMainWindow, QMenu, QMessageBox, QWidget

from judge_console.look.theme import CHOICES, Theme
from judge_console.texts import Texts
from judge_console.views.replay import ReplayView
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
        parent: as Qt has it.

    Attributes:
        view: what is played now; another one after another recording was opened.
    """

    def __init__(
        self, recording: Recording, theme: Theme, texts: Texts, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._texts = texts
        self._make_menus()
        self.show_recording(recording)
        room = self.screen().availableSize()
        self.resize(SIZE.boundedTo(room))

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

    def _make_menus(self) -> None:
        texts, bar = self._texts, self.menuBar()
        talk = bar.addMenu(texts("menu.talk"))
        self._add(talk, texts("replay.open"), self.open, QKeySequence.StandardKey.Open)
        self._add(talk, texts("menu.quit"), self.close, QKeySequence.StandardKey.Quit)
        view = bar.addMenu(texts("menu.view"))
        words = ("settings.larger", "settings.smaller", "settings.normal")
        for action, word in zip(self._theme.zoom_actions(self), words, strict=True):
            action.setText(texts(word))
            view.addAction(action)
        view.addSeparator()
        colours = view.addMenu(texts("settings.theme"))
        group = QActionGroup(self)
        for choice in CHOICES:
            text = texts(f"settings.theme_{choice.replace('-', '_')}")
            action = self._add(colours, text, partial(self._theme.choose, choice))
            action.setCheckable(True)
            action.setChecked(choice == self._theme.choice)
            group.addAction(action)
        view.addSeparator()
        self._full_screen = self._add(
            view, texts("menu.full_screen"), self.toggle_full_screen, Qt.Key.Key_F11
        )
        leave = QAction(self)
        leave.setShortcut(Qt.Key.Key_Escape)
        leave.triggered.connect(self.leave_full_screen)
        self.addAction(leave)

    def _add(
        self,
        menu: QMenu,
        text: str,
        act: Callable[[], object],
        key: QKeySequence.StandardKey | Qt.Key | None = None,
    ) -> QAction:
        action = menu.addAction(text)
        if key is not None:
            action.setShortcut(QKeySequence(key))
        action.triggered.connect(lambda: act())
        return action

    # What the person does

    @Slot()
    def toggle_full_screen(self) -> None:
        """Takes the whole screen, or gives it back."""
        self.setWindowState(self.windowState() ^ Qt.WindowState.WindowFullScreen)
        word = "menu.leave_full_screen" if self.isFullScreen() else "menu.full_screen"
        self._full_screen.setText(self._texts(word))

    @Slot()
    def leave_full_screen(self) -> None:
        """Gives the screen back, where the window has taken it."""
        if self.isFullScreen():
            self.toggle_full_screen()

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
