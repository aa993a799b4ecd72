"""The colours of the windows, by what they are for.

The tests hold every palette to the contrast of WCAG 2.2 (tests/judge_console/colours.py names every
foreground with every background that the style sheet and the views put it on). Nothing is told by
colour alone: each of these meanings has a text or a shape beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

PaletteName: TypeAlias = Literal["light", "dark", "high-contrast"]


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours as #rrggbb.

    Attributes:
        name: which palette.
        dark: whether light stands on dark.
        window: the ground of a window.
        surface: the ground of panes, lists and lines to type in.
        text: what is read on both grounds.
        muted: hints, and what is beside the point.
        own: what the person at this console types.
        other: what the other side types.
        accent: focus, and the ground of what is chosen.
        accent_text: text on `accent`.
        pane_active: the frame of the pane that has the keyboard.
        pane_inactive: the frame of a pane that has not, and of whatever else has one.
        calm, soon, last: the remaining time, by how little it is.
        error: what did not work.
        ok: what is saved.
        button, button_text, button_frame: a button.
        button_hover: the ground of a button under the mouse.
        disabled: text and frames of what can't be used now.
        selection, selection_text: marked text.
    """

    name: PaletteName
    dark: bool
    window: str
    surface: str
    text: str
    muted: str
    own: str
    other: str
    accent: str
    accent_text: str
    pane_active: str
    pane_inactive: str
    calm: str
    soon: str
    last: str
    error: str
    ok: str
    button: str
    button_text: str
    button_frame: str
    button_hover: str
    disabled: str
    selection: str
    selection_text: str


#: Each colour in the palettes light, dark and high contrast.
_COLOURS: Final = {
    "window": ("#eef0f3", "#16181c", "#000000"),
    "surface": ("#ffffff", "#1f2227", "#000000"),
    "text": ("#15181c", "#eceef1", "#ffffff"),
    "muted": ("#4b535d", "#b3bac4", "#ffffff"),
    "own": ("#0a4595", "#9cc4ff", "#7dffff"),
    "other": ("#15181c", "#eceef1", "#ffffff"),
    "accent": ("#0b57d0", "#8ab8ff", "#ffff00"),
    "accent_text": ("#ffffff", "#0c1420", "#000000"),
    "pane_active": ("#0b57d0", "#8ab8ff", "#ffff00"),
    "pane_inactive": ("#727a85", "#848c97", "#ffffff"),
    "calm": ("#15181c", "#eceef1", "#ffffff"),
    "soon": ("#8a4500", "#ffbe63", "#ffc94d"),
    "last": ("#b3161b", "#ff9a94", "#ffa8a3"),
    "error": ("#b3161b", "#ff9a94", "#ffa8a3"),
    "ok": ("#146c2e", "#7fd99a", "#8cff9e"),
    "button": ("#ffffff", "#2a2e35", "#000000"),
    "button_text": ("#15181c", "#eceef1", "#ffffff"),
    "button_frame": ("#5c646f", "#98a0ab", "#ffffff"),
    "button_hover": ("#e3eaf6", "#383e48", "#3a3a3a"),
    "disabled": ("#7a828c", "#7f8791", "#a6a6a6"),
    "selection": ("#0b57d0", "#8ab8ff", "#ffff00"),
    "selection_text": ("#ffffff", "#0c1420", "#000000"),
}
LIGHT, DARK, HIGH_CONTRAST = (
    Palette(name, name != "light", *(colours[number] for colours in _COLOURS.values()))
    for number, name in enumerate(get_args(PaletteName))
)
PALETTES: Final = {palette.name: palette for palette in (LIGHT, DARK, HIGH_CONTRAST)}
