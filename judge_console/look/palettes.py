"""The colours of the windows, by what they are for, and how far they must stand apart.

Contrast is that of WCAG 2.2. `PAIRS` names every foreground with every background that the style
sheet and the views put it on; the tests hold every palette to it. Nothing is told by colour
alone: each of these meanings has a text or a shape beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias

#: What a pair is: running text, a shape (frames, focus, marks, text from 18 pt, which need less),
#: or something that can't be used now.
Kind: TypeAlias = Literal["text", "shape", "disabled"]

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

    def least(self, kind: Kind) -> float:
        """The least contrast of a pair: WCAG 2.2 level AA (1.4.3, 1.4.11); level AAA (1.4.6)
        where the person has asked for high contrast. WCAG asks nothing of what is disabled."""
        if self.name == "high-contrast":
            return 4.5 if kind == "disabled" else 7.0
        return 4.5 if kind == "text" else 3.0


class Pair(NamedTuple):
    """A foreground on a background, by their names in `Palette`."""

    foreground: str
    background: str
    kind: Kind


#: Every pair that the windows use.
PAIRS: Final = (
    *(
        Pair(foreground, ground, "text")
        for ground in ("window", "surface")
        for foreground in ("text", "muted", "calm", "soon", "last", "error", "ok")
    ),
    Pair("own", "surface", "text"),
    Pair("other", "surface", "text"),
    Pair("accent_text", "accent", "text"),
    Pair("window", "soon", "text"),
    Pair("window", "last", "text"),
    Pair("surface", "pane_active", "text"),
    Pair("button_text", "button", "text"),
    Pair("button_text", "button_hover", "text"),
    Pair("selection_text", "selection", "text"),
    *(
        Pair(shape, ground, "shape")
        for ground in ("window", "surface")
        for shape in ("accent", "pane_active", "pane_inactive", "button_frame")
    ),
    Pair("accent", "button", "shape"),
    Pair("accent", "button_hover", "shape"),
    Pair("selection", "surface", "shape"),
    *(Pair("disabled", ground, "disabled") for ground in ("window", "surface", "button")),
)

LIGHT: Final = Palette(
    name="light",
    dark=False,
    window="#eef0f3",
    surface="#ffffff",
    text="#15181c",
    muted="#4b535d",
    own="#0a4595",
    other="#15181c",
    accent="#0b57d0",
    accent_text="#ffffff",
    pane_active="#0b57d0",
    pane_inactive="#727a85",
    calm="#15181c",
    soon="#8a4500",
    last="#b3161b",
    error="#b3161b",
    ok="#146c2e",
    button="#ffffff",
    button_text="#15181c",
    button_frame="#5c646f",
    button_hover="#e3eaf6",
    disabled="#7a828c",
    selection="#0b57d0",
    selection_text="#ffffff",
)

DARK: Final = Palette(
    name="dark",
    dark=True,
    window="#16181c",
    surface="#1f2227",
    text="#eceef1",
    muted="#b3bac4",
    own="#9cc4ff",
    other="#eceef1",
    accent="#8ab8ff",
    accent_text="#0c1420",
    pane_active="#8ab8ff",
    pane_inactive="#848c97",
    calm="#eceef1",
    soon="#ffbe63",
    last="#ff9a94",
    error="#ff9a94",
    ok="#7fd99a",
    button="#2a2e35",
    button_text="#eceef1",
    button_frame="#98a0ab",
    button_hover="#383e48",
    disabled="#7f8791",
    selection="#8ab8ff",
    selection_text="#0c1420",
)

HIGH_CONTRAST: Final = Palette(
    name="high-contrast",
    dark=True,
    window="#000000",
    surface="#000000",
    text="#ffffff",
    muted="#ffffff",
    own="#7dffff",
    other="#ffffff",
    accent="#ffff00",
    accent_text="#000000",
    pane_active="#ffff00",
    pane_inactive="#ffffff",
    calm="#ffffff",
    soon="#ffc94d",
    last="#ffa8a3",
    error="#ffa8a3",
    ok="#8cff9e",
    button="#000000",
    button_text="#ffffff",
    button_frame="#ffffff",
    button_hover="#3a3a3a",
    disabled="#a6a6a6",
    selection="#ffff00",
    selection_text="#000000",
)

PALETTES: Final = {palette.name: palette for palette in (LIGHT, DARK, HIGH_CONTRAST)}


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours, as WCAG 2.2 defines it.

    Arguments:
        one, other: colours as #rrggbb.

    Returns:
        From 1, for the same colour twice, to 21, for black and white; the order does not matter.

    Raises:
        ValueError: if a colour is not of this form.
    """
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    """The relative luminance of a colour, as WCAG 2.2 defines it: 0 for black, 1 for white.

    Arguments:
        colour: as #rrggbb.

    Raises:
        ValueError: if it is not of this form.
    """
    if len(colour) != 7 or colour[0] != "#":
        raise ValueError(f"{colour!r} is no colour of the form #rrggbb")
    red, green, blue = (_linear(value) for value in bytes.fromhex(colour[1:]))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(value: int) -> float:
    part = value / 255
    return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
