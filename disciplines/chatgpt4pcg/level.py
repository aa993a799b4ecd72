"""Builds levels of Science Birds: drops a program's blocks into a grid, and writes and reads the
level's XML.

The XML is byte for byte that of the official converter. Levels use Unity's coordinates: x to the
right, y up, the ground at -3.5. A cell of the grid is 0.2401 units wide and high.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from decimal import Decimal
from typing import NamedTuple

from disciplines.chatgpt4pcg.editions import Edition
from disciplines.chatgpt4pcg.prompts import WHITE_SPACE
from scheduler.errors import BadInput
from scheduler.texts import counted, shown

#: Cells of the grid.
GRID_WIDTH, GRID_HEIGHT = 20, 16
#: Units: a cell, and where the grid's lower left corner is.
CELL, LEFT, GROUND = Decimal("0.2401"), Decimal(2), Decimal("-3.5")
#: The most blocks in a level: each takes at least one free cell.
BLOCK_LIMIT = GRID_WIDTH * GRID_HEIGHT
#: The largest file that is read, in bytes.
FILE_LIMIT = 2**20
#: How far from the origin a block may be, in units.
FAR = 1000


class Shape(NamedTuple):
    """A block that a program can name: its type in the XML, its rotation in degrees, its cells."""

    kind: str
    rotation: int
    width: int
    height: int


SHAPES = {
    "b11": Shape("SquareTiny", 0, 1, 1),
    "b31": Shape("RectSmall", 0, 3, 1),
    "b13": Shape("RectSmall", 90, 1, 3),
}
#: A number as JavaScript's parseInt reads it, without leading zeros.
_NUMBER = re.compile(r"([+-]?)0*([0-9]+)")
KINDS = frozenset(shape.kind for shape in SHAPES.values())


class Block(NamedTuple):
    """A block of a level: its type, its centre in units, its rotation in degrees."""

    kind: str
    x: Decimal
    y: Decimal
    rotation: Decimal


class Level(NamedTuple):
    """A level: its blocks in the order of the drops, and the width and height, in units, from which
    the camera in the XML is computed as in the official converter."""

    blocks: tuple[Block, ...]
    width: Decimal
    height: Decimal


class BrokenProgram(ValueError):
    """A program that breaks the grid's rules, so that there is no level.

    Attributes:
        message: the official converter's message.
        line: the line of the program, from 1.
    """

    def __init__(self, message: str, line: int, call: str, why: str) -> None:
        self.message = message
        self.line = line
        super().__init__(f"line {line}, {call}: {message} {why}")


def build(program: str, edition: Edition) -> Level:
    """Drops the blocks of a program into the grid and moves them to its left edge.

    Lines that don't begin with the edition's function are ignored.

    Arguments:
        program: from :func:`~disciplines.chatgpt4pcg.extraction.extract`.
        edition: the edition, which names the function.

    Raises:
        BrokenProgram: if a call names an unknown block, or a block leaves the grid.
    """
    prefix = f"{edition.function}("
    rows = [[False] * GRID_WIDTH for _ in range(GRID_HEIGHT)]
    dropped: list[tuple[Shape, int, int]] = []
    for number, line in enumerate(program.lower().split("\n"), 1):
        if not line.startswith(prefix):
            continue
        comma = line.find(",")
        name = line[len(prefix) + 1 : comma - 1] if comma > 0 else ""
        column = _NUMBER.match(line[comma + 1 :].split(")")[0].strip(WHITE_SPACE))
        try:
            shape = SHAPES.get(name)
            if shape is None:
                raise _RuleBroken("BlockType does not exist.", f"There are {', '.join(SHAPES)}.")
            # Nine digits are already too many, so the rest can be dropped.
            x = int(column[1] + column[2][:9]) if column else -1
            dropped.append((shape, x, _drop(rows, shape, x)))
        except _RuleBroken as exc:
            message, why = exc.args
            raise BrokenProgram(message, number, shown(line), why) from None
    columns = [any(row[x] for row in rows) for x in range(GRID_WIDTH)]
    left = columns.index(True) if True in columns else 0
    widest = max(sum(row) for row in rows)
    top = max((y + 1 for y, row in enumerate(rows) if any(row)), default=1)
    return Level(
        tuple(
            Block(
                shape.kind,
                (x - left) * CELL
                + shape.width * CELL / 2
                + LEFT
                - (CELL if shape.width > 1 else 0),
                y * CELL + shape.height * CELL / 2 + GROUND,
                Decimal(shape.rotation),
            )
            for shape, x, y in dropped
        ),
        LEFT + widest * CELL,
        -GROUND + top * CELL,
    )


class _RuleBroken(Exception):
    pass


def _drop(rows: list[list[bool]], shape: Shape, x: int) -> int:
    """Drops a block at a column, marks its cells, and returns the row of its lowest cell."""
    top = GRID_HEIGHT - 1
    if not 0 <= x < GRID_WIDTH:
        why = f"The column must be between 0 and {GRID_WIDTH - 1}."
        raise _RuleBroken("Height boundary is intruded.", why)
    if rows[top][x]:
        raise _RuleBroken("Height boundary is intruded.", f"Column {x} is full.")
    half = shape.width // 2
    sides = [x - half, x + half] if half else []
    if sides and not (sides[0] >= 0 and sides[1] < GRID_WIDTH):
        why = f"The column must be between {half} and {GRID_WIDTH - 1 - half}."
        raise _RuleBroken("Width boundary is intruded.", why)
    y = top
    # As in the official program, a wide block beside full columns stays in the top row, on top of
    # the blocks there.
    while y >= 0 and not any(rows[y][each] for each in (x, *sides)):
        y -= 1
    y = min(y + 1, top)
    if y + shape.height - 1 > top:
        raise _RuleBroken("Height boundary is intruded.", f"Column {x} has no room for it.")
    for each in (x, *sides):
        rows[y][each] = True
    for above in range(y, y + shape.height):
        rows[above][x] = True
    return y


def decimal_text(value: Decimal) -> str:
    """A number without exponent and trailing zeros, as in all official files."""
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def to_xml(level: Level) -> str:
    """The text of the level's file. Save it as UTF-8, although it says utf-16; so do the official
    files."""
    camera = max(Decimal(17), 2 * max(level.height * Decimal("1.6"), level.width))
    near, far = decimal_text(camera), decimal_text(camera + 5)
    lines = [
        '<?xml version="1.0" encoding="utf-16"?>',
        '<Level width="3">',
        f'  <Camera x="2" y="0" minWidth="{near}" maxWidth="{far}" />',
        "  <Birds>",
        '    <Bird type="BirdRed" />',
        "  </Birds>",
        '  <Slingshot x="-9" y="-2.5" />',
        "  <GameObjects>",
        *(
            f'    <Block type="{block.kind}" material="wood" x="{decimal_text(block.x)}" '
            f'y="{decimal_text(block.y)}" rotation="{decimal_text(block.rotation)}" />'
            for block in level.blocks
        ),
        "  </GameObjects>",
        "</Level>",
    ]
    return "\n".join(lines)


def read_xml(data: bytes, source: str) -> tuple[Block, ...]:
    """The blocks of a level's file.

    Arguments:
        data: the file's bytes: UTF-8, whatever encoding the file declares, or UTF-16 with a byte
            order mark.
        source: the file's name, for messages.

    Raises:
        BadInput: if the file is not a level, or has objects other than blocks of wood, or too many
            blocks.
    """
    try:
        text = data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
        if "<!" in text.replace("<!--", ""):
            raise BadInput("has a document type or CDATA; a level has neither", source=source)
        root = ET.fromstring(text)
    except (UnicodeDecodeError, ET.ParseError, ValueError) as exc:
        raise BadInput(f"is not XML ({exc})", source=source) from None
    objects = root.find("GameObjects")
    if root.tag != "Level" or objects is None:
        raise BadInput("is not a level: it has no Level with GameObjects", source=source)
    if len(objects) > BLOCK_LIMIT:
        number = counted(len(objects), "block")
        raise BadInput(f"has {number}; a level has at most {BLOCK_LIMIT:,}", source=source)
    return tuple(_block(each, f"{source}, block {i}") for i, each in enumerate(objects, 1))


def _block(element: ET.Element, source: str) -> Block:
    kind, material = element.get("type", ""), element.get("material", "")
    if element.tag != "Block" or kind not in KINDS:
        what = shown(kind if element.tag == "Block" else element.tag)
        known = " and ".join(sorted(KINDS))
        raise BadInput(f"{what} is unknown; a level has only blocks {known}", source=source)
    if material != "wood":
        raise BadInput(f"the material {shown(material)} is unknown; write wood", source=source)
    numbers = []
    for name in ("x", "y", "rotation"):
        text = element.get(name, "")
        if not re.fullmatch(r"[+-]?[0-9]{1,9}(\.[0-9]{0,30})?", text) or abs(Decimal(text)) > FAR:
            raise BadInput(
                f"{shown(text)} is not a number between -{FAR} and {FAR}", source=source, field=name
            )
        numbers.append(Decimal(text))
    return Block(kind, *numbers)
