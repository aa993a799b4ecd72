"""Makes the icon's files from assets/icon.svg: a PNG for each size, and icon.ico for Windows.

Run it after changing the drawing: `.venv/bin/python scripts/make_icon.py`. The files are in the
repository, so that neither the windows nor their build need to draw them.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

from judge_console.look.resources import SIZES, icon_name

LOOK = Path(__file__).resolve().parent.parent / "judge_console" / "look"


def main() -> None:
    """Writes the files."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    app = QGuiApplication([])
    renderer = QSvgRenderer(str(LOOK / "assets" / "icon.svg"))
    if not renderer.isValid():
        raise SystemExit("icon.svg can't be drawn")
    pictures = {size: png(renderer, size) for size in SIZES}
    for size, picture in pictures.items():
        (LOOK / "assets" / icon_name(size)).write_bytes(picture)
    (LOOK / "icon.ico").write_bytes(ico(pictures))
    app.shutdown()


def png(renderer: QSvgRenderer, size: int) -> bytes:
    """The drawing as a square PNG of the given size in pixels."""
    image = QImage(size, size, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    renderer.render(painter)
    painter.end()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]  # the stubs say str instead of bytes
    return bytes(buffer.data().data())


def ico(pictures: Mapping[int, bytes]) -> bytes:
    """A Windows icon of several sizes, each stored as PNG (Windows Vista and later).

    Arguments:
        pictures: size in pixels, up to 256, to PNG.
    """
    header = struct.pack("<3H", 0, 1, len(pictures))
    offset = len(header) + 16 * len(pictures)
    entries, bodies = b"", b""
    for size, picture in sorted(pictures.items()):
        # Width and height are a byte each, and 0 means 256; no colour table, 1 plane, 32 bits.
        side = size % 256
        entries += struct.pack("<4B2H2I", side, side, 0, 0, 1, 32, len(picture), offset)
        bodies += picture
        offset += len(picture)
    return header + entries + bodies


if __name__ == "__main__":
    main()
