"""Pictures as PNG, drawn by matplotlib; twice as fine as a screen, for print."""

from __future__ import annotations

import io
import warnings
from typing import Any

from contest.pictures.shapes import (
    FIXED,
    Dot,
    Label,
    Picture,
    Rect,
    Shape,
    Stroke,
    Ticks,
)
from contest.statistics.needs import module
from scheduler.texts import plain

#: Pixels of a screen to an inch, and how many times finer the file is.
_INCH, _FINER = 96, 2
#: Points to a pixel.
_POINTS = 72 / _INCH


def png_file(picture: Picture) -> bytes:
    """A picture as a file.

    Raises:
        ScienceMissing: without matplotlib.
    """
    figure = module("matplotlib.figure").Figure(
        figsize=(picture.width / _INCH, picture.height / _INCH), facecolor=FIXED["sheet"]
    )
    module("matplotlib.backends.backend_agg").FigureCanvasAgg(figure)
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
    patches = module("matplotlib.patches")
    match shape:
        case Rect():
            where, fill = (shape.x, shape.y), _colour(shape.fill)
            return patches.Rectangle(
                where, shape.width, shape.height, facecolor=fill, linewidth=0, zorder=order
            )
        case Stroke():
            ends = ((shape.x1, shape.y1), (shape.x2, shape.y2))
            return _lines([ends], shape, order)
        case Ticks():
            return _lines([((x, shape.top), (x, shape.bottom)) for x in shape.at], shape, order)
        case Dot():
            return patches.Circle(
                (shape.x, shape.y),
                shape.radius,
                facecolor=_colour(shape.fill),
                linewidth=0,
                zorder=order,
            )
        case Label():
            return module("matplotlib.text").Text(
                shape.x,
                shape.y,
                plain(shape.text),
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


def _lines(ends: list[Any], shape: Stroke | Ticks, order: int) -> Any:
    return module("matplotlib.collections").LineCollection(
        ends, colors=_colour(shape.colour), linewidths=shape.width * _POINTS, zorder=order
    )


def _colour(name: str) -> str:
    return next((value for known, value in FIXED.items() if known == name), name)
