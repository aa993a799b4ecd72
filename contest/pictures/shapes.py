"""What pictures are made of. Lengths are in pixels of a screen, from the upper left.

Colours go by names, for a page has a light and a dark look; `FIXED` are those of files, the same
as in the page's own style. Only the tints of the square are colours themselves, with `ON_TINT` on
them.
"""

from __future__ import annotations

import colorsys
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

#: Names of colours.
Colour: TypeAlias = Literal[
    "paper", "sheet", "ink", "soft", "line", "judge", "entity", "hit", "on-tint"
]
Anchor: TypeAlias = Literal["start", "middle", "end"]

ON_TINT = "#1c1b19"
#: The colours of files.
FIXED: Mapping[Colour, str] = MappingProxyType(
    {
        "paper": "#fbfaf6",
        "sheet": "#ffffff",
        "ink": "#1c1b19",
        "soft": "#5d5a53",
        "line": "#dad5c9",
        "judge": "#1c4f8f",
        "entity": "#93400f",
        "hit": "#0a6339",
        "on-tint": ON_TINT,
    }
)
#: Height of ordinary text, and of small.
TEXT, SMALL = 14, 12


@dataclass(frozen=True, slots=True)
class Rect:
    """A filled rectangle; `fill` is a colour's name, or a tint such as `#aabbcc`."""

    x: float
    y: float
    width: float
    height: float
    fill: str


@dataclass(frozen=True, slots=True)
class Stroke:
    """A straight line."""

    x1: float
    y1: float
    x2: float
    y2: float
    colour: Colour
    width: float = 1


@dataclass(frozen=True, slots=True)
class Ticks:
    """Upright marks, all between the same heights."""

    at: tuple[float, ...]
    top: float
    bottom: float
    colour: Colour
    width: float = 1


@dataclass(frozen=True, slots=True)
class Dot:
    """A filled circle about a point."""

    x: float
    y: float
    radius: float
    fill: Colour


@dataclass(frozen=True, slots=True)
class Label:
    """Text on one line; `y` is its base line."""

    x: float
    y: float
    text: str
    colour: Colour = "ink"
    size: int = TEXT
    anchor: Anchor = "start"
    bold: bool = False


Shape: TypeAlias = Rect | Stroke | Ticks | Dot | Label


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture.

    Attributes:
        name: for addresses and files: letters, digits, hyphens.
        title: what it shows, in a few words.
        words: the same for who does not see it: what can be read off it.
        width, height: of the whole.
        shapes: in the order in which they are drawn.
    """

    name: str
    title: str
    words: str
    width: float
    height: float
    shapes: tuple[Shape, ...]


def tints(count: int, lightness: float = 0.82) -> list[str]:
    """Colours that `ON_TINT` can be read on, as different as so many can be.

    Arguments:
        count: how many.
        lightness: of all of them, 0 to 1.
    """
    found = []
    for at in range(count):
        # Neighbours in a row differ also in strength, for who can't tell the hues apart.
        red, green, blue = colorsys.hls_to_rgb(
            at / count, lightness - 0.08 * (at % 2), 0.35 + 0.4 * (at % 3) / 2
        )
        found.append("#" + "".join(f"{round(255 * part):02x}" for part in (red, green, blue)))
    return found


def length_of(text: str, size: int = TEXT) -> float:
    """About how long a text is, for room to be left: fonts differ."""
    return 0.62 * size * len(text)


def cut(text: str, most: int) -> str:
    """A text of so many characters at most."""
    return text if len(text) <= most else f"{text[: most - 1]}…"
