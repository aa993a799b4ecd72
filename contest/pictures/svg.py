"""Pictures as SVG: within a page, and as files. Nothing in them runs or comes from elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from markupsafe import Markup, escape

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
from scheduler.texts import plain

_FONT = "system-ui, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', 'Liberation Sans', sans-serif"


def inline(picture: Picture) -> Markup:
    """A picture within a page, whose style has the colours: classes `f-NAME` fill, `s-NAME`
    stroke."""
    return Markup("\n").join(_lines(picture))


def svg_file(picture: Picture) -> bytes:
    """A picture as a file, on paper of its own."""
    paper = Rect(0, 0, picture.width, picture.height, "sheet")
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', *_lines(picture, _as_file(), (paper,)), ""]
    return "\n".join(lines).encode()


def _as_file() -> tuple[Markup, Markup]:
    """What a file has beside: the name of the form, and a style of its own."""
    rules = [f"text {{ font-family: {_FONT}; }}"]
    for name, value in FIXED.items():
        rules += [f".f-{name} {{ fill: {value}; }}", f".s-{name} {{ stroke: {value}; }}"]
    return Markup(' xmlns="http://www.w3.org/2000/svg"'), Markup(
        f"<style>{' '.join(rules)}</style>"
    )


def _lines(
    picture: Picture,
    as_file: tuple[Markup, Markup] = (Markup(""), Markup("")),
    under: Iterable[Shape] = (),
) -> Iterator[Markup]:
    name, (form, style) = picture.name, as_file
    yield Markup(
        '<svg{} class="picture" viewBox="0 0 {} {}" width="{}" height="{}" role="img" '
        'aria-labelledby="t-{} d-{}">'
    ).format(form, *map(_short, (picture.width, picture.height) * 2), name, name)
    yield Markup('<title id="t-{}">{}</title>').format(name, plain(picture.title))
    yield Markup('<desc id="d-{}">{}</desc>').format(name, plain(picture.words))
    if style:
        yield style
    for shape in (*under, *picture.shapes):
        yield _shape(shape)
    yield Markup("</svg>")


def _shape(shape: Shape) -> Markup:
    match shape:
        case Rect():
            fill = _attribute("fill" if shape.fill.startswith("#") else "class", shape.fill)
            return Markup('<rect x="{}" y="{}" width="{}" height="{}" {}/>').format(
                *map(_short, (shape.x, shape.y, shape.width, shape.height)), fill
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


def _attribute(name: str, value: str) -> Markup:
    return Markup('{}="{}{}"').format(name, "f-" if name == "class" else "", value)


def _path(path: str, colour: str, width: float) -> Markup:
    return Markup('<path d="{}" fill="none" stroke-width="{}" class="s-{}"/>').format(
        path, _short(width), colour
    )


def _short(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
