"""Pictures as small PNG files: a window has few colours, so one byte per pixel is enough."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from PySide6.QtGui import QImage

#: The maximum number of colours with one byte per pixel.
COLOURS = 256
#: Every such pixel is counted: a third of a window has all its colours.
COUNTED = 3
#: Qt's "quality" of a PNG is how little it is compressed. 0 would make a file smaller by half a
#: percent, and take twice as long.
QUALITY = 10


def save_png(image: QImage, file: Path) -> None:
    """Writes a PNG with a palette.

    If there are more than 256 colours, the most frequent stay, and each other one is replaced by
    the nearest of them. In pictures of windows the others are shades at the edges of letters.

    Arguments:
        image: the picture; transparent parts become opaque.
        file: the file to write.

    Raises:
        OSError: if it can't be written.
    """
    plain = image.convertToFormat(QImage.Format.Format_RGB32)
    # Rows of RGB32 have no padding, because each pixel has four bytes and rows are aligned to four.
    counted = Counter(memoryview(plain.constBits()).cast("I")[::COUNTED])
    palette = [colour for colour, _ in counted.most_common(COLOURS)]
    indexed = plain.convertToFormat(QImage.Format.Format_Indexed8, palette)
    if not indexed.save(str(file), "PNG", QUALITY):  # type: ignore[call-overload]  # as in make_icon.py
        raise OSError(f"{file}: the picture can't be written")
