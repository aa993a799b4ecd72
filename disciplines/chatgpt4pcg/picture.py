"""Pictures of levels: silhouettes for the classifier, and drawings for a report."""

from __future__ import annotations

import io
import math
from collections.abc import Collection, Sequence

from PIL import Image, ImageDraw, ImageFont

from disciplines.chatgpt4pcg.level import GROUND
from disciplines.chatgpt4pcg.physics import COLLIDERS, MOVED, Pose, Stability

#: Pixels: the classifier's picture, and the margin around the structure.
SIZE, MARGIN = 1024, 100
#: The width and height of a drawing for people, in pixels, and the margin in it.
DRAWN, EDGE = 512, 42
#: Width and height of a drawn block, in units: larger than the colliders, so that gaps close.
SPRITES = {"RectSmall": (0.72, 0.24), "SquareTiny": (0.24, 0.23)}

#: Colours of the wood, the grain, and the outline and number: of a block, and of a moved block.
_WOOD, _MOVED = ("#d9a95f", "#c4924a", "#5a3c14"), ("#eb9086", "#d97468", "#7d150d")
_GROUND = "#dfe5d8"

Corners = list[tuple[float, float]]
Frame = tuple[float, float, float, float]


def corners(pose: Pose, sizes: dict[str, tuple[float, float]]) -> Corners:
    """The corners of a block, in units.

    Arguments:
        pose: the block's position.
        sizes: the width and height of each type: COLLIDERS or SPRITES.
    """
    width, height = sizes[pose.kind]
    cos, sin = math.cos(pose.angle), math.sin(pose.angle)
    return [
        (pose.x + dx * cos - dy * sin, pose.y + dx * sin + dy * cos)
        for dx, dy in (
            (-width / 2, -height / 2),
            (width / 2, -height / 2),
            (width / 2, height / 2),
            (-width / 2, height / 2),
        )
    ]


def frame_of(poses: Sequence[Pose]) -> Frame:
    """The box around all blocks: left, bottom, right, top, in units."""
    points = [point for pose in poses for point in corners(pose, COLLIDERS)] or [
        (-10, -10),
        (10, 10),
    ]
    xs, ys = zip(*points, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def silhouette(poses: Sequence[Pose]) -> Image.Image:
    """The picture for the classifier: black blocks on white, without grey.

    Arguments:
        poses: the blocks at the end of the simulation; without any, the picture is white.

    Returns:
        A picture of 1024 x 1024 pixels, mode "L", with only the values 0 and 255. The longer side
            of the structure extends from margin to margin.
    """
    image = Image.new("L", (SIZE, SIZE), 255)
    inner = Image.new("L", (SIZE - 2 * MARGIN, SIZE - 2 * MARGIN), 255)
    left, bottom, right, top = frame_of(poses)
    scale = inner.width / max(right - left, top - bottom)
    corner = (left + right - inner.width / scale) / 2, (bottom + top + inner.height / scale) / 2
    for pose in poses:
        _fill(inner, _pixels(pose, *corner, scale))
    image.paste(inner, (MARGIN, MARGIN))
    return image


def _fill(image: Image.Image, points: Corners) -> None:
    """Blackens the pixels whose centre is inside a convex shape, as a graphics card does. Pillow's
    own polygons are up to a pixel larger."""
    draw = ImageDraw.Draw(image)
    edges = list(zip(points, [*points[1:], points[0]], strict=True))
    ys = [y for _, y in points]
    for row in range(max(0, math.ceil(min(ys) - 0.5)), min(image.height, math.ceil(max(ys) - 0.5))):
        y = row + 0.5
        xs = [
            ax + (bx - ax) * (y - ay) / (by - ay)
            for (ax, ay), (bx, by) in edges
            if (ay <= y) != (by <= y)
        ]
        start, end = math.ceil(min(xs) - 0.5), math.ceil(max(xs) - 0.5) - 1
        if start <= end:
            draw.line((start, row, end, row), fill=0)


def _drawing(
    poses: Sequence[Pose], moved: Collection[int], frame: Frame, title: str
) -> Image.Image:
    """Blocks of wood with their numbers in the order of the drops; those that `moved` are red."""
    left, bottom, right, top = frame
    scale = (DRAWN - 2 * EDGE) / max(right - left, top - bottom)
    image = Image.new("RGB", (DRAWN, DRAWN), "white")
    draw = ImageDraw.Draw(image)
    x0 = (left + right) / 2 - DRAWN / 2 / scale
    y0 = bottom + (DRAWN - EDGE) / scale
    floor = (y0 - float(GROUND)) * scale
    draw.rectangle((0, floor, DRAWN, DRAWN), fill=_GROUND)
    font = ImageFont.load_default(max(8, min(DRAWN / 28, 0.16 * scale)))
    for number, pose in enumerate(poses):
        wood, grain, outline = _MOVED if number in moved else _WOOD
        points = _pixels(pose, x0, y0, scale)
        draw.polygon(points, fill=wood, outline=outline, width=1)
        (ax, ay), (bx, by), (cx, cy), (dx, dy) = points
        for share in (0.3, 0.7):  # two lines of grain along the block
            start = (ax + (dx - ax) * share, ay + (dy - ay) * share)
            draw.line([start, (bx + (cx - bx) * share, by + (cy - by) * share)], fill=grain)
        middle = ((ax + cx) / 2, (ay + cy) / 2)
        draw.text(middle, str(number + 1), fill=outline, font=font, anchor="mm")
    draw.text((EDGE / 3, EDGE / 3), title, fill="black", font=ImageFont.load_default(DRAWN / 28))
    return image


def before_and_after(measured: Stability) -> Image.Image:
    """Two drawings for people side by side, at the same scale: the level at the start and after ten
    seconds. Blocks that moved are red."""
    moved = {i for i, distance in enumerate(measured.distances) if distance >= MOVED}
    frame = frame_of([*measured.before, *measured.after])
    after = f"after 10 s: {measured.moving} of {measured.starting} moved"
    image = Image.new("RGB", (2 * DRAWN, DRAWN), "white")
    for left, poses, title in ((0, measured.before, "before"), (DRAWN, measured.after, after)):
        image.paste(_drawing(poses, moved, frame, title), (left, 0))
    return image


def as_png(image: Image.Image) -> bytes:
    """The picture as the bytes of a PNG file."""
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def _pixels(pose: Pose, x0: float, y0: float, scale: float) -> Corners:
    """A block's corners in pixels; x0 and y0 are the picture's upper left corner, in units."""
    return [((x - x0) * scale, (y0 - y) * scale) for x, y in corners(pose, SPRITES)]
