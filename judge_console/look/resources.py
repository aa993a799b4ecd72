"""The windows' icon and font, so that windows look the same on every computer.

The icon shows two talks side by side, and the caret in one of them. The original is
assets/icon.svg; scripts/make_icon.py makes the other files from it. icon.ico is for building a
Windows program, and the PNG files are for Qt.

IBM Plex Sans (SIL Open Font License, assets/OFL.txt) has clearly different shapes for I, l
and 1, and with its feature `zero` also for O and 0, so that people read seat codes and the spelling
of a program correctly. It covers Latin, Greek and Cyrillic; for any other character, Qt falls back
to the system's fonts.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Final

from PySide6.QtCore import QByteArray
from PySide6.QtGui import QFont, QFontDatabase, QIcon, QPixmap

#: The sizes of the PNG files, in pixels: those that Windows and the desktops of Linux ask for.
SIZES: Final = (16, 20, 24, 32, 40, 48, 64, 128, 256)
FILES: Final = ("IBMPlexSans-Regular.ttf", "IBMPlexSans-Bold.ttf")
#: OpenType features: a zero with a stroke, and no ligatures, because each key must appear as a
#: separate character.
FEATURES: Final = {"zero": 1, "liga": 0}


def _read(name: str) -> QByteArray:
    return QByteArray(files("judge_console.look.assets").joinpath(name).read_bytes())


def icon_name(size: int) -> str:
    """The file's name for a size in pixels."""
    return f"icon-{size}.png"


def app_icon() -> QIcon:
    """The icon in all sizes; needs a QGuiApplication."""
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
