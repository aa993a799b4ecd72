"""Pictures as small PNG files: a window has few colours, so a byte a pixel is enough."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from PySide6.QtGui import QImage

#: What a byte can name.
COLOURS = 256


def save_png(image: QImage, file: Path) -> None:
    """Writes a PNG with a palette.

    Of more than 256 colours the most frequent stay, and each other one becomes the nearest of
    them: in the picture of a window the others are shades at the edges of letters.

    Arguments:
        image: the picture; what is transparent in it becomes opaque.
        file: where to.

    Raises:
        OSError: if it can't be written.
    """
    plain = image.convertToFormat(QImage.Format.Format_RGB32)
    # Rows of RGB32 have no padding: each pixel has four bytes, and so does the alignment.
    pixels = memoryview(plain.constBits()).cast("I")
    counted = Counter(pixels)
    palette = [colour for colour, _ in counted.most_common(COLOURS)]
    index = {colour: number for number, colour in enumerate(palette)}
    for colour in counted:
        if colour not in index:
            index[colour] = index[nearest(colour, palette)]
    width, height = plain.width(), plain.height()
    data = bytes(map(index.__getitem__, pixels))
    indexed = QImage(data, width, height, width, QImage.Format.Format_Indexed8)
    indexed.setColorTable(palette)
    # Qt's "quality" of a PNG is how little it is compressed.
    if not indexed.save(str(file), "PNG", 0):  # type: ignore[call-overload]  # as in make_icon.py
        raise OSError(f"{file}: the picture can't be written")


def nearest(colour: int, palette: list[int]) -> int:
    """The colour of a palette that is nearest to another; all are 0xAARRGGBB."""

    def distance(other: int) -> int:
        return sum(((colour >> shift & 255) - (other >> shift & 255)) ** 2 for shift in (0, 8, 16))

    return min(palette, key=distance)
