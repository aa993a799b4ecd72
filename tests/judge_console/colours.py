"""Contrast as defined by WCAG 2.2, and all pairs of colours that the windows use."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias

from judge_console.look.style import Palette

#: What a pair is for: running text; a shape (frames, focus, marks, text from 18 pt, which need less
#: contrast); or a disabled control.
Kind: TypeAlias = Literal["text", "shape", "disabled"]


def least(palette: Palette, kind: Kind) -> float:
    """The least contrast of a pair: WCAG 2.2 level AA (1.4.3, 1.4.11); level AAA (1.4.6)
    where the person has asked for high contrast. Disabled controls have no minimum."""
    if palette.name == "high-contrast":
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
        raise ValueError(f"{colour!r} is not a colour of the form #rrggbb")
    red, green, blue = (_linear(value) for value in bytes.fromhex(colour[1:]))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(value: int) -> float:
    part = value / 255
    return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
