"""The colours of the windows, and their single style sheet, made from a palette and a text size.

Tests check every palette for the contrast that WCAG 2.2 requires (tests/judge_console/colours.py
lists each foreground with each background on which the style sheet and the views draw it). Colour
is never the only sign: each meaning also has a text or a shape.

The rules select widgets by their class and by these dynamic properties, which the views set
(`theme.set_style_property` sets one while a window is open):

* `pane="true"` (QFrame): a pane, which is a talk with its frame.
* `active="true"` (pane or badge): keys go to this side.
* `badge="true"` (QLabel): the words on a pane with the same meaning as its frame.
* `stream="true"` (QPlainTextEdit): is in a pane, and has no frame of its own.
* `role="heading"` (QLabel): the heading of a window or of a part of it.
* `role="side"` (QLabel): LEFT or RIGHT.
* `role="muted"` (QLabel): a hint.
* `role="clock"` (QLabel): the remaining time, with `level`.
* `level="calm"`, `"soon"`, `"last"` (clock): how little time is left.
* `role="notice"` (QLabel): a line of news that never moves, with `tone`.
* `tone="ok"`, `"error"` (notice): saved; something is wrong. Without a tone: news.
* `tone="soon"`, `"last"` (notice): a warning that the end is near.
* `choice="true"` (QRadioButton): one of two large choices.
* `primary="true"` (QPushButton): the main button of a page.
* `talk="true"` (QPlainTextEdit, QLabel): text that is read or written for a long time, larger than
  other text.
* `card="true"` (QFrame): a background for things that belong together.

No rule depends on the pane that a widget is in. So when a pane becomes active or inactive, only the
pane itself is polished again, never its text. No property changes while somebody types. With each
character, Qt draws the background of a styled widget again, so streams have square corners and an
opaque frame: a character takes 0.14 ms with its drawing, compared to 0.25 ms with round corners and
0.11 ms without a style sheet.
"""

from __future__ import annotations

from pathlib import Path
from string import Template
from types import SimpleNamespace
from typing import Final


class Palette(SimpleNamespace):
    """A palette: its `name`, whether it is `dark`, and its colours as #rrggbb, each under its name
    in `_COLOURS`."""


#: Each colour in the palettes light, dark and high contrast.
_COLOURS: Final = {
    # The background of a window.
    "window": ("#eef0f3", "#16181c", "#000000"),
    # The background of panes, lists and input lines.
    "surface": ("#ffffff", "#1f2227", "#000000"),
    # Text on both backgrounds.
    "text": ("#15181c", "#eceef1", "#ffffff"),
    # Hints.
    "muted": ("#4b535d", "#b3bac4", "#ffffff"),
    # The text of the person at this console.
    "own": ("#0a4595", "#9cc4ff", "#7dffff"),
    # The other side's text.
    "other": ("#15181c", "#eceef1", "#ffffff"),
    # Focus, and the background of a selection, with its text.
    "accent": ("#0b57d0", "#8ab8ff", "#ffff00"),
    "accent_text": ("#ffffff", "#0c1420", "#000000"),
    # The frame of the pane with the focus, and of the others.
    "pane_active": ("#0b57d0", "#8ab8ff", "#ffff00"),
    "pane_inactive": ("#727a85", "#848c97", "#ffffff"),
    # The remaining time, when little is left.
    "calm": ("#15181c", "#eceef1", "#ffffff"),
    "soon": ("#8a4500", "#ffbe63", "#ffc94d"),
    "last": ("#b3161b", "#ff9a94", "#ffa8a3"),
    # Errors, and what is saved.
    "error": ("#b3161b", "#ff9a94", "#ffa8a3"),
    "ok": ("#146c2e", "#7fd99a", "#8cff9e"),
    # A button, and its background under the mouse.
    "button": ("#ffffff", "#2a2e35", "#000000"),
    "button_text": ("#15181c", "#eceef1", "#ffffff"),
    "button_frame": ("#5c646f", "#98a0ab", "#ffffff"),
    "button_hover": ("#e3eaf6", "#383e48", "#3a3a3a"),
    # Text and frames of disabled controls.
    "disabled": ("#7a828c", "#7f8791", "#a6a6a6"),
    # Selected text.
    "selection": ("#0b57d0", "#8ab8ff", "#ffff00"),
    "selection_text": ("#ffffff", "#0c1420", "#000000"),
}
LIGHT, DARK, HIGH_CONTRAST = (
    Palette(
        name=name,
        dark=name != "light",
        **{colour: values[number] for colour, values in _COLOURS.items()},
    )
    for number, name in enumerate(("light", "dark", "high-contrast"))
)
PALETTES: Final = {palette.name: palette for palette in (LIGHT, DARK, HIGH_CONTRAST)}

#: The size of running text at 100 %, in points.
BASE_POINTS: Final = 12.0
#: The thickness of a focus indicator at 100 %, in pixels, and the minimum (WCAG 2.4.13 asks for 2).
FOCUS_PIXELS: Final = 2

_IMAGES: Final = Path(__file__).parent / "assets"

SHEET: Final = Template("""
QToolTip { color: $text; background: $surface; border: 1px solid $pane_inactive; padding: ${s}px; }

QFrame[pane="true"] {
    background: $surface; border: ${f}px solid $pane_inactive; border-radius: ${r}px;
    margin: ${ff}px; padding: ${s}px;
}
QFrame[pane="true"][active="true"] { border: ${fff}px solid $pane_active; margin: 0; }
QFrame[card="true"] {
    background: $surface; border: 1px solid $pane_inactive; border-radius: ${r}px;
    padding: ${s}px;
}

QLabel { background: transparent; border: none; }
QLabel[role="heading"] { font-size: ${heading}pt; font-weight: bold; }
QLabel[talk="true"], QPlainTextEdit[talk="true"] { font-size: ${talk}pt; }
QLabel[role="side"] { font-size: ${large}pt; font-weight: bold; }
QLabel[role="muted"] { color: $muted; }
QLabel[role="clock"] {
    font-size: ${clock}pt; font-weight: bold; color: $calm;
    border: ${f}px solid transparent; border-radius: ${r}px; padding: ${s}px ${m}px;
}
QLabel[role="clock"][level="soon"] { color: $soon; border-color: $soon; }
QLabel[role="clock"][level="last"] { color: $window; background: $last; border-color: $last; }
QLabel[role="notice"] {
    color: $text; background: $surface; border: 1px solid $pane_inactive;
    border-left: ${ff}px solid $accent; padding: ${s}px ${m}px;
}
QLabel[role="notice"][tone="ok"] { color: $ok; border-left-color: $ok; }
QLabel[role="notice"][tone="soon"] { color: $soon; border-left-color: $soon; font-weight: bold; }
QLabel[role="notice"][tone="last"] { color: $last; border-color: $last; font-weight: bold; }
QLabel[role="notice"][tone="error"] { color: $error; border-left-color: $error; }
QLabel[badge="true"] {
    color: $muted; border: ${f}px solid transparent; border-radius: ${s}px;
    padding: ${t}px ${st}px;
}
QLabel[badge="true"][active="true"] {
    color: $surface; background: $pane_active; border-color: $pane_active; font-weight: bold;
}

QPlainTextEdit, QLineEdit, QComboBox, QAbstractItemView {
    color: $text; background: $surface;
    placeholder-text-color: $muted;
    border: ${f}px solid $pane_inactive; border-radius: ${s}px; padding: ${s}px;
    selection-color: $selection_text; selection-background-color: $selection;
}
QPlainTextEdit:focus, QLineEdit:focus, QComboBox:focus, QAbstractItemView:focus {
    border: ${ff}px solid $accent; padding: ${sf}px; outline: none;
}
QPlainTextEdit:disabled, QLineEdit:disabled, QComboBox:disabled {
    color: $disabled; border-color: $disabled;
}
QPlainTextEdit[stream="true"] {
    border: ${f}px solid $surface; border-radius: 0; padding: 0;
}
QPlainTextEdit[stream="true"]:focus {
    border: ${f}px solid $accent; padding: 0;
}
QComboBox::drop-down { border: none; width: ${x}px; }
QComboBox::down-arrow { image: url("$images/down-$ink.svg"); width: ${i}px; height: ${i}px; }

QPushButton {
    color: $button_text; background: $button;
    border: ${f}px solid $button_frame; border-radius: ${s}px; padding: ${sff}px ${mff}px;
}
QPushButton:hover, QPushButton:pressed { background: $button_hover; }
QPushButton:disabled { color: $disabled; border-color: $disabled; }
QPushButton:focus {
    border: ${ff}px solid $accent; padding: ${s1}px ${mf}px; outline: none;
}
QPushButton[primary="true"] {
    color: $accent_text; background: $accent; font-weight: bold;
    border: ${fff}px solid $accent; padding: ${s}px ${m}px;
}
QPushButton[primary="true"]:focus { border: ${fff}px double $accent_text; }
QPushButton[primary="true"]:disabled {
    color: $disabled; background: $button; border: ${f}px solid $disabled;
    padding: ${sff}px ${mff}px;
}
QRadioButton, QCheckBox {
    background: transparent; spacing: ${m}px; padding: ${t}px ${s}px;
    border: ${f}px solid transparent; border-radius: ${s}px;
}
QRadioButton:focus, QCheckBox:focus { border: ${f}px solid $accent; outline: none; }
QRadioButton:disabled, QCheckBox:disabled { color: $disabled; }
QRadioButton[choice="true"] { font-size: ${large}pt; font-weight: bold; padding: ${m}px; }
QRadioButton::indicator, QCheckBox::indicator {
    width: ${i}px; height: ${i}px; background: $surface; border: ${f}px solid $button_frame;
}
QRadioButton::indicator { border-radius: ${half}px; }
QRadioButton::indicator:checked {
    border-color: $accent;
    background: qradialgradient(cx: 0.5, cy: 0.5, radius: 0.5, fx: 0.5, fy: 0.5,
        stop: 0 $accent, stop: 0.55 $accent, stop: 0.65 $surface, stop: 1 $surface);
}
QCheckBox::indicator:checked {
    border-color: $accent; background: $accent; image: url("$images/check-$on_accent.svg");
}
QRadioButton::indicator:disabled, QCheckBox::indicator:disabled { border-color: $disabled; }

QScrollBar { background: $surface; border: none; margin: 0; }
QScrollBar:vertical { width: ${b}px; }
QScrollBar:horizontal { height: ${b}px; }
QScrollBar::handle { background: $pane_inactive; border-radius: ${t}px; margin: ${f}px; }
QScrollBar::handle:vertical { min-height: ${x}px; }
QScrollBar::handle:horizontal { min-width: ${x}px; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }

QMenuBar { background: $window; color: $text; }
QMenuBar::item {
    background: transparent; padding: ${s}px ${m}px; border: ${f}px solid transparent;
}
QMenuBar::item:selected { background: $selection; color: $selection_text; }
QMenu { background: $surface; color: $text; border: 1px solid $pane_inactive; padding: ${t}px; }
QMenu::item { padding: ${s}px ${l}px; border: ${f}px solid transparent; }
QMenu::item:selected { background: $selection; color: $selection_text; }
QMenu::item:disabled { color: $disabled; }
QMenu::separator { height: 1px; background: $pane_inactive; margin: ${s}px; }
""")


def talk_points(percent: int) -> float:
    """The size of the text of a talk, in points.

    Arguments:
        percent: the text size. From 200 on, a talk is as large as other text, because panes are
            side by side, and a line must have room for several words.
    """
    growing = min(1.0, max(0.0, (200 - percent) / 100))
    return round((1 + 0.2 * growing) * BASE_POINTS * percent / 100, 2)


def style_sheet(palette: Palette, percent: int) -> str:
    """The style sheet of the whole application.

    Arguments:
        palette: the colours.
        percent: the text size; 100 is normal. Distances and lines grow with it.

    Returns:
        A Qt style sheet.
    """

    def pixels(at_normal_size: float, least: int = 1) -> int:
        return max(least, round(at_normal_size * percent / 100))

    points = BASE_POINTS * percent / 100
    # Large text does not grow as fast: at 200 % the windows still have room for it, and at 300 % it
    # is twice as large as at 100 %.
    growing = min(1.0, max(0.0, (300 - percent) / 200))
    focus = pixels(FOCUS_PIXELS, FOCUS_PIXELS)
    indicator = pixels(16)
    small, medium, wide = pixels(5), pixels(10), pixels(20)
    return SHEET.substitute(
        vars(palette),
        heading=round((1 + 0.35 * growing) * points, 2),
        talk=talk_points(percent),
        clock=round((1 + 0.75 * growing) * points, 2),
        large=round((1 + 0.5 * growing) * points, 2),
        # Frames of one, two and three lines. A frame that becomes thicker with the focus takes the
        # room from its padding, so that nothing moves.
        f=focus,
        ff=2 * focus,
        fff=3 * focus,
        s=small,
        sf=max(0, small - focus),
        s1=small + focus,
        sff=small + 2 * focus,
        st=pixels(7),
        m=medium,
        mf=medium + focus,
        mff=medium + 2 * focus,
        l=wide,
        t=pixels(3),
        r=4 * focus,
        b=pixels(14),
        x=pixels(26),
        i=indicator,
        half=indicator // 2 + focus,
        images=_IMAGES.as_posix(),
        ink="light" if palette.dark else "dark",
        on_accent="dark" if palette.dark else "light",
    )
