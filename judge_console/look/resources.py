"""The icon of the windows: two talks side by side, and the caret in one of them.

It is drawn in assets/icon.svg; scripts/make_icon.py makes the other files from it. icon.ico is
for the build of a Windows program, the sizes as PNG are for Qt.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Final

from PySide6.QtCore import QByteArray
from PySide6.QtGui import QFont, QFontDatabase, QIcon, QPixmap

#: The sizes that there is a file for, in pixels: what Windows and the desktops of Linux ask for.
SIZES: Final = (16, 20, 24, 32, 40, 48, 64, 128, 256)


class IconTrouble(Exception):
    """A file of the icon can't be used: a mistake in how the program was packed."""


def icon_name(size: int) -> str:
    """The file's name for a size in pixels."""
    return f"icon-{size}.png"


def app_icon() -> QIcon:
    """The icon in all its sizes; a QGuiApplication must be there.

    Raises:
        IconTrouble: if a file is missing or is no picture.
    """
    icon = QIcon()
    for size in SIZES:
        pixmap = QPixmap()
        source = files("judge_console.look.assets").joinpath(icon_name(size))
        if not source.is_file() or not pixmap.loadFromData(QByteArray(source.read_bytes())):
            raise IconTrouble(f"{icon_name(size)} is no picture that can be used here")
        icon.addPixmap(pixmap)
    return icon


FILES = ("IBMPlexSans-Regular.ttf", "IBMPlexSans-Bold.ttf")

#: OpenType features: a zero with a stroke, and no ligatures, for a key that is pressed must show
#: as a character of its own.
FEATURES = {"zero": 1, "liga": 0}


class FontTrouble(Exception):
    """A bundled font can't be used: a mistake in how the program was packed."""


@cache
def load_fonts() -> str:
    """Loads the bundled fonts into the running QGuiApplication, once.

    Returns:
        The family's name.

    Raises:
        FontTrouble: if a file is missing or is no font.
    """
    families: set[str] = set()
    for name in FILES:
        data = files("judge_console.look.assets").joinpath(name).read_bytes()
        number = QFontDatabase.addApplicationFontFromData(QByteArray(data))
        if number < 0:
            raise FontTrouble(f"{name} is no font that can be used here")
        families.update(QFontDatabase.applicationFontFamilies(number))
    (family,) = families
    return family


def base_font(points: float) -> QFont:
    """The windows' font at a size.

    Arguments:
        points: the size in points.
    """
    font = QFont(load_fonts())
    font.setPointSizeF(points)
    for feature, value in FEATURES.items():
        font.setFeature(QFont.Tag(feature), value)
    return font
