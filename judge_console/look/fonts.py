"""The windows' own font, so that they look the same on every terminal.

IBM Plex Sans (SIL Open Font License, assets/OFL.txt) tells I, l and 1 apart, and
with its feature `zero` also O and 0, which matters where seat codes and a machine's spelling are
read. It covers Latin, Greek and Cyrillic; whatever else a person or a program writes comes from
the system's fonts, which Qt falls back to character by character.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from PySide6.QtCore import QByteArray
from PySide6.QtGui import QFont, QFontDatabase

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
