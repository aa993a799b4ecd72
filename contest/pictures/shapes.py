"""Pictures as lists of shapes, and how they become SVG and PNG.

    inline(picture)       # SVG in a page, in the page's own colours, light or dark
    svg_file(picture)     # SVG as a file of its own
    png_file(picture)     # drawn by matplotlib: needs the extra `science`

Lengths are in pixels of a screen, from the upper left. Colours go by names, for a page has a light
and a dark look; `FIXED` are those of files, the same as in the page's own style. Only the tints of
the square are colours themselves, with `ON_TINT` on them. Nothing in an SVG runs or comes from
elsewhere, and all names and words in it are text. Why the SVG is not matplotlib's:
docs/explanation/choices.md.
"""

from __future__ import annotations

import colorsys
import io
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

from markupsafe import Markup, escape

from contest.statistics import import_science
from scheduler.texts import plain

#: Names of colours.
Colour: TypeAlias = Literal[
    "paper", "sheet", "ink", "soft", "line", "judge", "entity", "hit", "on-tint"
]
Anchor: TypeAlias = Literal["start", "middle", "end"]

ON_TINT = "#1c1b19"
#: The colours of files.
FIXED: Mapping[str, str] = MappingProxyType(
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
_FONT = "system-ui, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', 'Liberation Sans', sans-serif"
#: Pixels of a screen to an inch, and how many times finer the file is.
_INCH, _FINER = 96, 2
#: Points to a pixel.
_POINTS = 72 / _INCH


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


# SVG


def inline(picture: Picture) -> Markup:
    """A picture within a page, whose style has the colours: classes `f-NAME` fill, `s-NAME`
    stroke."""
    return Markup("\n").join(_lines(picture, picture.shapes))


def svg_file(picture: Picture) -> bytes:
    """A picture as a file, on paper of its own and with its own style."""
    paper = Rect(0, 0, picture.width, picture.height, "sheet")
    rules = [f"text {{ font-family: {_FONT}; }}"]
    for name, value in FIXED.items():
        rules += [f".f-{name} {{ fill: {value}; }}", f".s-{name} {{ stroke: {value}; }}"]
    lines = _lines(
        picture,
        (paper, *picture.shapes),
        Markup(' xmlns="http://www.w3.org/2000/svg"'),
        Markup(f"<style>{' '.join(rules)}</style>"),
    )
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', *lines, ""]).encode()


def _lines(
    picture: Picture, shapes: Iterable[Shape], form: str = "", style: str = ""
) -> Iterator[Markup]:
    name = picture.name
    yield Markup(
        '<svg{} class="picture" viewBox="0 0 {} {}" width="{}" height="{}" role="img" '
        'aria-labelledby="t-{} d-{}">'
    ).format(form, *map(_short, (picture.width, picture.height) * 2), name, name)
    yield Markup('<title id="t-{}">{}</title>').format(name, plain(picture.title))
    yield Markup('<desc id="d-{}">{}</desc>').format(name, plain(picture.words))
    if style:
        yield Markup(style)
    yield from map(_shape, shapes)
    yield Markup("</svg>")


def _shape(shape: Shape) -> Markup:
    match shape:
        case Rect():
            named = not shape.fill.startswith("#")
            return Markup('<rect x="{}" y="{}" width="{}" height="{}" {}="{}{}"/>').format(
                *map(_short, (shape.x, shape.y, shape.width, shape.height)),
                *("class" if named else "fill", "f-" if named else "", shape.fill),
            )
        case Stroke():
            path = f"M{_short(shape.x1)} {_short(shape.y1)}L{_short(shape.x2)} {_short(shape.y2)}"
            return _path(path, shape.colour, shape.width)
        case Ticks():
            ends = f"{_short(shape.top)}V{_short(shape.bottom)}"
            path = "".join(f"M{_short(at)} {ends}" for at in shape.at)
            return _path(path, shape.colour, shape.width)
        case Dot():
            return Markup('<circle cx="{}" cy="{}" r="{}" class="f-{}"/>').format(
                *map(_short, (shape.x, shape.y, shape.radius)), shape.fill
            )
        case Label():
            return Markup(
                '<text x="{}" y="{}" font-size="{}" text-anchor="{}"{} class="f-{}">{}</text>'
            ).format(
                *(_short(shape.x), _short(shape.y), shape.size, shape.anchor),
                Markup(' font-weight="700"') if shape.bold else "",
                shape.colour,
                escape(plain(shape.text)),
            )


def _path(path: str, colour: str, width: float) -> Markup:
    return Markup('<path d="{}" fill="none" stroke-width="{}" class="s-{}"/>').format(
        path, _short(width), colour
    )


def _short(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


# PNG


def png_file(picture: Picture) -> bytes:
    """A picture as a file.

    Raises:
        ScienceMissing: without matplotlib.
    """
    figure = import_science("matplotlib.figure").Figure(
        figsize=(picture.width / _INCH, picture.height / _INCH), facecolor=FIXED["sheet"]
    )
    import_science("matplotlib.backends.backend_agg").FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, picture.width), ylim=(picture.height, 0))
    axes.set_axis_off()
    for order, shape in enumerate(picture.shapes):
        axes.add_artist(_artist(shape, order))
    out = io.BytesIO()
    with warnings.catch_warnings():
        # A name in a script that the font lacks is drawn as boxes; the SVG has it as text.
        warnings.filterwarnings("ignore", "Glyph .* missing from font", UserWarning)
        figure.savefig(
            out,
            format="png",
            dpi=_INCH * _FINER,
            facecolor=FIXED["sheet"],
            metadata={"Title": plain(picture.title), "Software": None},
        )
    return out.getvalue()


def _artist(shape: Shape, order: int) -> Any:
    patches = import_science("matplotlib.patches")
    match shape:
        case Rect():
            return patches.Rectangle(
                (shape.x, shape.y),
                *(shape.width, shape.height),
                facecolor=_colour(shape.fill),
                linewidth=0,
                zorder=order,
            )
        case Dot():
            return patches.Circle(
                (shape.x, shape.y),
                shape.radius,
                facecolor=_colour(shape.fill),
                linewidth=0,
                zorder=order,
            )
        case Stroke() | Ticks():
            ends = (
                [((shape.x1, shape.y1), (shape.x2, shape.y2))]
                if isinstance(shape, Stroke)
                else [((x, shape.top), (x, shape.bottom)) for x in shape.at]
            )
            return import_science("matplotlib.collections").LineCollection(
                ends,
                colors=_colour(shape.colour),
                linewidths=shape.width * _POINTS,
                zorder=order,
            )
        case Label():
            return import_science("matplotlib.text").Text(
                *(shape.x, shape.y, plain(shape.text)),
                color=_colour(shape.colour),
                fontsize=shape.size * _POINTS,
                fontfamily="DejaVu Sans",
                fontweight="bold" if shape.bold else "normal",
                horizontalalignment={"start": "left", "middle": "center", "end": "right"}[
                    shape.anchor
                ],
                verticalalignment="baseline",
                # Text is text: a dollar begins no formula.
                parse_math=False,
                zorder=order,
            )


def _colour(name: str) -> str:
    """A colour of files by its name; a tint is one itself."""
    return FIXED.get(name, name)
