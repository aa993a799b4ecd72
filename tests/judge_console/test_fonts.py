"""The bundled font: it is there, it may be given away, and its characters can be told apart."""

from __future__ import annotations

import unicodedata
from importlib.resources import files
from itertools import combinations

import pytest
from PySide6.QtGui import QColor, QFont, QImage, QPainter, QRawFont
from PySide6.QtWidgets import QApplication

from judge_console.look.resources import FEATURES, FILES, base_font, load_fonts

ASSETS = files("judge_console.look.assets")


def drawn(text: str, font: QFont) -> bytes:
    """The pixels of a text."""
    image = QImage(300, 100, QImage.Format.Format_Grayscale8)
    image.fill(QColor("white"))
    painter = QPainter(image)
    painter.setFont(font)
    painter.drawText(20, 70, text)
    painter.end()
    return bytes(image.constBits())


@pytest.mark.parametrize("name", FILES)
def test_font_covers_latin_greek_and_cyrillic(qapp: QApplication, name: str) -> None:
    font = QRawFont(ASSETS.joinpath(name).read_bytes(), 12.0)
    letters = [
        chr(code)
        for first, last in ((0x20, 0x7E), (0xA0, 0x17F), (0x391, 0x3CE), (0x400, 0x45F))
        for code in range(first, last + 1)
        if unicodedata.category(chr(code))[0] in "LNPSZ"
        # The letter for n after an apostrophe: Unicode itself advises against it.
        and chr(code) != "\u0149"
    ]
    letters += "“”„‘’–—…•→←✓€"
    assert len(letters) > 450
    assert [letter for letter in letters if not font.supportsCharacter(ord(letter))] == []


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("bold", [False, True])
def test_what_is_easily_taken_for_another_looks_different(bold: bool) -> None:
    font = base_font(12.0)
    font.setBold(bold)
    for group in ("Il1|!", "O0Q", "5S", "8B", "2Z", "’'`´"):
        for one, other in combinations(group, 2):
            before, after = drawn(one, font), drawn(other, font)
            differing = sum(abs(a - b) > 64 for a, b in zip(before, after, strict=True))
            assert differing >= 4, f"{one} and {other}"


@pytest.mark.usefixtures("qapp")
def test_the_zero_has_its_stroke_and_letters_stay_apart() -> None:
    font = base_font(24.0)
    plain = QFont(load_fonts())
    plain.setPointSizeF(24.0)
    for feature, value in FEATURES.items():
        # Said, because what is not said is taken from the application's font.
        plain.setFeature(QFont.Tag(feature), 1 - value)
    assert set(FEATURES) == {"zero", "liga"}
    assert drawn("0", font) != drawn("0", plain)
    assert drawn("O", font) == drawn("O", plain)
    assert drawn("fi", font) != drawn("fi", plain)
