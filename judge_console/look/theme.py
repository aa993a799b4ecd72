"""How the windows look: colours, font and text size, applied to the whole application.

`Theme` applies the person's choice, or else follows the system. It stores nothing: its creator
passes the stored choice, and listens to `changed`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QColor, QKeySequence, QPalette, QStyleHints
from PySide6.QtWidgets import QApplication, QWidget

from judge_console.look.resources import base_font
from judge_console.look.style import (
    BASE_POINTS,
    DARK,
    HIGH_CONTRAST,
    LIGHT,
    PALETTES,
    Palette,
    style_sheet,
)

#: The choices of colours.
CHOICES: Final = ("system", "light", "dark", "high-contrast")
#: The text sizes that the keys step through, in percent.
ZOOMS: Final = (70, 80, 90, 100, 110, 125, 150, 175, 200, 250, 300)
NORMAL_ZOOM: Final = 100

_LARGER = ("Ctrl++", "Ctrl+=")
_SMALLER = ("Ctrl+-",)
_NORMAL = ("Ctrl+0",)


class Theme(QObject):
    """The look of all windows of an application.

    Arguments:
        app: the application.
        choice: one of `CHOICES`; anything else, for example from an old settings file, means
            "system".
        zoom: the text size in percent; the nearest of `ZOOMS` is used.

    Attributes:
        choice: what the person has chosen: one of `CHOICES`.
        zoom: the text size in percent.
        palette: the current colours.

    Signals:
        changed: the colours or the text size have changed, and have been applied. Widgets that
            paint themselves, or colour text by its format, must draw it again with `palette`.
    """

    changed = Signal()

    def __init__(self, app: QApplication, choice: str = "system", zoom: int = NORMAL_ZOOM) -> None:
        super().__init__(app)
        self._app = app
        self.choice = choice if choice in CHOICES else "system"
        self.zoom = nearest_zoom(zoom)
        self.palette = LIGHT
        app.setStyle("Fusion")
        self._tell_system()
        self._apply()
        hints = app.styleHints()
        hints.colorSchemeChanged.connect(self._system_changed)
        if hasattr(hints, "accessibility"):  # from Qt 6.10 on
            hints.accessibility().contrastPreferenceChanged.connect(self._system_changed)

    @property
    def points(self) -> float:
        """The size of running text, in points."""
        return BASE_POINTS * self.zoom / 100

    def choose(self, choice: str) -> None:
        """Changes the colours.

        Arguments:
            choice: one of `CHOICES`.

        Raises:
            ValueError: if it is not one of them.
        """
        if choice not in CHOICES:
            raise ValueError(f"{choice!r} is not one of {', '.join(CHOICES)}")
        if choice != self.choice:
            self.choice = choice
            self._tell_system()
            self._apply_and_tell()

    def set_zoom(self, percent: int) -> None:
        """Changes the text size to the nearest of `ZOOMS`, in percent."""
        zoom = nearest_zoom(percent)
        if zoom != self.zoom:
            self.zoom = zoom
            self._apply_and_tell()

    def larger(self) -> None:
        """Chooses the next larger text size, up to the largest."""
        self.set_zoom(min((zoom for zoom in ZOOMS if zoom > self.zoom), default=self.zoom))

    def smaller(self) -> None:
        """Chooses the next smaller text size, down to the smallest."""
        self.set_zoom(max((zoom for zoom in ZOOMS if zoom < self.zoom), default=self.zoom))

    def normal(self) -> None:
        """Chooses the normal text size."""
        self.set_zoom(NORMAL_ZOOM)

    def zoom_actions(self, window: QWidget) -> tuple[QAction, QAction, QAction]:
        """Makes the shortcuts for the text size in a window: Ctrl with plus, minus or 0.

        Arguments:
            window: the window; the actions are its children.

        Returns:
            The actions for larger, smaller and normal text. A menu sets their texts.
        """

        def action(keys: tuple[str, ...], act: Callable[[], None]) -> QAction:
            made = QAction(window)
            made.setShortcuts([QKeySequence(key) for key in keys])
            made.triggered.connect(act)
            window.addAction(made)
            return made

        return (
            action(_LARGER, self.larger),
            action(_SMALLER, self.smaller),
            action(_NORMAL, self.normal),
        )

    def _system_changed(self) -> None:
        wanted = palette_for(self.choice, self._app.styleHints())
        if self.choice == "system" and wanted is not self.palette:
            self._apply_and_tell()

    def _tell_system(self) -> None:
        """Lets the system draw its own parts, such as a window's title, in matching colours."""
        hints = self._app.styleHints()
        if self.choice == "system":
            hints.unsetColorScheme()
        else:
            dark = palette_for(self.choice, hints).dark
            hints.setColorScheme(Qt.ColorScheme.Dark if dark else Qt.ColorScheme.Light)

    def _apply_and_tell(self) -> None:
        self._apply()
        self.changed.emit()

    def _apply(self) -> None:
        self.palette = palette_for(self.choice, self._app.styleHints())
        self._app.setPalette(qt_palette(self.palette))
        self._app.setFont(base_font(self.points))
        self._app.setStyleSheet(style_sheet(self.palette, self.zoom))


def palette_for(choice: str, hints: QStyleHints) -> Palette:
    """The palette of a choice.

    Arguments:
        choice: one of `CHOICES`.
        hints: the system's preferences, for "system": high contrast (since Qt 6.10), else dark or
            light; light if it has none.
    """
    if choice in PALETTES:
        return PALETTES[choice]
    if (
        hasattr(hints, "accessibility")
        and hints.accessibility().contrastPreference() == Qt.ContrastPreference.HighContrast
    ):
        return HIGH_CONTRAST
    return DARK if hints.colorScheme() == Qt.ColorScheme.Dark else LIGHT


def nearest_zoom(percent: int) -> int:
    """The text size in `ZOOMS` that is nearest to this percentage."""
    return min(ZOOMS, key=lambda zoom: abs(zoom - percent))


def qt_palette(palette: Palette) -> QPalette:
    """Qt's palette with the same colours, for everything that the style sheet does not draw."""
    role = QPalette.ColorRole
    made = QPalette()
    for roles, colour in (
        ((role.Window, role.AlternateBase), palette.window),
        ((role.Base, role.ToolTipBase), palette.surface),
        ((role.WindowText, role.Text, role.ToolTipText), palette.text),
        ((role.PlaceholderText,), palette.muted),
        ((role.Button,), palette.button),
        ((role.ButtonText,), palette.button_text),
        ((role.BrightText,), palette.error),
        ((role.Highlight,), palette.selection),
        ((role.HighlightedText,), palette.selection_text),
        ((role.Accent, role.Link, role.LinkVisited), palette.accent),
        ((role.Light, role.Midlight), palette.button_hover),
        ((role.Mid, role.Dark, role.Shadow), palette.pane_inactive),
    ):
        for each in roles:
            made.setColor(each, QColor(colour))
    for each in (role.WindowText, role.Text, role.ButtonText):
        made.setColor(QPalette.ColorGroup.Disabled, each, QColor(palette.disabled))
    return made


def set_style_property(widget: QWidget, name: str, value: bool | str) -> None:
    """Sets a property that the style sheet uses (style.py), with immediate effect.

    Arguments:
        widget: the widget.
        name: the property: "active", "level", "tone" and so on.
        value: its value. Does nothing if the property has this value already, so it may be called
            at each tick.
    """
    if widget.property(name) == value:
        return
    widget.setProperty(name, value)
    style = widget.style()
    style.unpolish(widget)
    style.polish(widget)
