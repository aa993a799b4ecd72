"""The icon's files say what the drawing says, and can be told at the smallest size."""

from __future__ import annotations

import importlib.util
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray, QSize
from PySide6.QtGui import QImage, QImageReader
from PySide6.QtSvg import QSvgRenderer

import judge_console.look
from judge_console.look.resources import SIZES, app_icon, icon_name
from tests.judge_console.colours import contrast

LOOK = Path(judge_console.look.__file__).parent
SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "make_icon.py"


def script_function(name: str) -> Callable[..., bytes]:
    spec = importlib.util.spec_from_file_location("make_icon", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    function: Callable[..., bytes] = getattr(module, name)
    return function


@pytest.mark.usefixtures("qapp")
def test_icon_has_a_picture_of_its_own_for_each_size() -> None:
    icon = app_icon()
    assert {size.width() for size in icon.availableSizes()} == set(SIZES)
    for size in SIZES:
        pixmap = icon.pixmap(QSize(size, size), 1.0)
        assert (pixmap.width(), pixmap.height()) == (size, size)


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("size", SIZES)
def test_pictures_are_made_from_the_drawing_as_it_stands(size: int) -> None:
    renderer = QSvgRenderer(str(LOOK / "assets" / "icon.svg"))
    now = QImage.fromData(script_function("png")(renderer, size))
    kept = QImage(str(LOOK / "assets" / icon_name(size)))
    assert kept.convertedTo(now.format()) == now


def test_windows_icon_holds_the_same_pictures() -> None:
    raw = (LOOK / "icon.ico").read_bytes()
    zero, kind, count = struct.unpack_from("<3H", raw)
    assert (zero, kind, count) == (0, 1, len(SIZES))
    ends = [6 + 16 * count]
    for number, size in enumerate(SIZES):
        width, height, _, _, planes, bits, length, offset = struct.unpack_from(
            "<4B2H2I", raw, 6 + 16 * number
        )
        assert (width or 256, height or 256, planes, bits) == (size, size, 1, 32)
        assert offset == ends[-1]
        ends.append(offset + length)
        picture = (LOOK / "assets" / icon_name(size)).read_bytes()
        assert raw[offset : offset + length] == picture
    assert ends[-1] == len(raw)


@pytest.mark.usefixtures("qapp")
def test_windows_icon_is_read_by_a_reader_that_is_not_ours() -> None:
    reader = QImageReader(str(LOOK / "icon.ico"), QByteArray(b"ico"))
    widths = []
    for number in range(reader.imageCount()):
        reader.jumpToImage(number)
        widths.append(reader.read().width())
    assert tuple(widths) == SIZES


@pytest.mark.usefixtures("qapp")
def test_both_panes_and_the_caret_are_seen_at_16_pixels() -> None:
    image = QImage(str(LOOK / "assets" / icon_name(16)))
    row = [image.pixelColor(x, 6).name() for x in range(16)]
    ground, left, caret, right = row[0], row[2], row[3], row[12]
    assert left != right
    for one, other in ((ground, left), (left, caret), (ground, right)):
        assert contrast(one, other) >= 4.5
    assert row[7] == row[8] == ground, "the gap between the panes"
