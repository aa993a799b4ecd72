"""The windows' icon and font, so that windows look the same on every computer.

The icon shows two talks side by side, and the caret in one of them. It is drawn in
assets/icon.svg; scripts/make_icon.py makes the other files from it. icon.ico is for the build of a
Windows program, the sizes as PNG are for Qt.

IBM Plex Sans (SIL Open Font License, assets/OFL.txt) tells I, l and 1 apart, and
with its feature `zero` also O and 0, which matters where seat codes and a machine's spelling are
read. It covers Latin, Greek and Cyrillic; all else comes from the system's fonts, which Qt falls
back to character by character.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Final

from PySide6.QtCore import QByteArray
from PySide6.QtGui import QFont, QFontDatabase, QIcon, QPixmap

#: The sizes that there is a file for, in pixels: what Windows and the desktops of Linux ask for.
SIZES: Final = (16, 20, 24, 32, 40, 48, 64, 128, 256)
FILES: Final = ("IBMPlexSans-Regular.ttf", "IBMPlexSans-Bold.ttf")
#: OpenType features: a zero with a stroke, and no ligatures, for a key that is pressed must show
#: as a character of its own.
FEATURES: Final = {"zero": 1, "liga": 0}


def _read(name: str) -> QByteArray:
    return QByteArray(files("judge_console.look.assets").joinpath(name).read_bytes())


def icon_name(size: int) -> str:
    """The file's name for a size in pixels."""
    return f"icon-{size}.png"


def app_icon() -> QIcon:
    """The icon in all its sizes; needs a QGuiApplication."""
    icon = QIcon()
    for size in SIZES:
        pixmap = QPixmap()
        pixmap.loadFromData(_read(icon_name(size)))
        icon.addPixmap(pixmap)
    return icon


@cache
def load_fonts() -> str:
    """Loads the bundled fonts into the running QGuiApplication, once; returns their family."""
    families: set[str] = set()
    for name in FILES:
        number = QFontDatabase.addApplicationFontFromData(_read(name))
        families.update(QFontDatabase.applicationFontFamilies(number))
    (family,) = families
    return family


def base_font(points: float) -> QFont:
    """The windows' font at a size in points."""
    font = QFont(load_fonts())
    font.setPointSizeF(points)
    for feature, value in FEATURES.items():
        font.setFeature(QFont.Tag(feature), value)
    return font
