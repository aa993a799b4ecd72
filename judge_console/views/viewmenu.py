"""The menu "View": full screen, text size and colours; the same in all windows."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu

from judge_console.look.theme import CHOICES, Theme
from texts import Texts


def add_action(menu: QMenu, text: str, act: Callable[[], object], *keys: QKeySequence) -> QAction:
    """Adds an item to a menu.

    Arguments:
        menu: the menu.
        text: the item's text.
        act: what it does, once even if its key is held down.
        keys: shortcuts in the whole window.
    """
    action = menu.addAction(text)
    action.setShortcuts(keys)
    action.setAutoRepeat(False)
    action.triggered.connect(lambda: act())
    return action


class ViewMenu(QMenu):
    """The menu of a window, which the window puts into its menu bar.

    Arguments:
        window: the menu's owner.
        theme: colours and sizes, which the menu changes.
        texts: the words.

    Signals:
        full_screen_changed: (full) the window has entered or left full screen.
    """

    full_screen_changed = Signal(bool)

    def __init__(self, window: QMainWindow, theme: Theme, texts: Texts) -> None:
        super().__init__(texts("menu.view"), window)
        self._window, self._theme, self._texts = window, theme, texts
        self._full_screen = add_action(
            self, "", self.toggle_full_screen, QKeySequence(Qt.Key.Key_F11)
        )
        self._add_sizes()
        self._add_colours()
        self._say_full_screen()

    @Slot()
    def toggle_full_screen(self) -> None:
        """Enters or leaves full screen."""
        self._window.setWindowState(self._window.windowState() ^ Qt.WindowState.WindowFullScreen)
        self._say_full_screen()
        self.full_screen_changed.emit(self._window.isFullScreen())

    def _say_full_screen(self) -> None:
        word = "menu.leave_full_screen" if self._window.isFullScreen() else "menu.full_screen"
        self._full_screen.setText(self._texts(word))

    def _add_sizes(self) -> None:
        texts = self._texts
        sizes = self.addMenu(texts("settings.text_size"))
        words = ("settings.larger", "settings.smaller", "settings.normal")
        for action, word in zip(self._theme.zoom_actions(self._window), words, strict=True):
            action.setText(texts(word))
            sizes.addAction(action)

    def _add_colours(self) -> None:
        menu = self.addMenu(self._texts("settings.theme"))
        group = QActionGroup(menu)
        for choice in CHOICES:
            name = self._texts(f"settings.theme_{choice.replace('-', '_')}")
            action = add_action(menu, name, partial(self._theme.choose, choice))
            action.setCheckable(True)
            action.setChecked(choice == self._theme.choice)
            group.addAction(action)
