"""Tests the tools for taking pictures (scripts/pictures): small files, and the clock."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QColor, QImage

from contest.setup.settings import parse
from lpp.lines import Pane
from lpp.names import keys_of
from scripts.pictures.clock import LeapingClock
from scripts.pictures.contest import settings_text
from scripts.pictures.player import after
from scripts.pictures.png import COUNTED, save_png


def picture(*colours: int, width: int = 7) -> QImage:
    """An image from colours, row by row."""
    image = QImage(width, -(-len(colours) // width), QImage.Format.Format_RGB32)
    image.fill(QColor(1, 2, 3))
    for number, colour in enumerate(colours):
        image.setPixel(number % width, number // width, colour)
    return image


def test_a_picture_of_few_colours_is_written_unchanged(tmp_path: Path) -> None:
    image = picture(*(0xFF000000 | n // COUNTED * 0x010307 for n in range(60 * COUNTED)))
    save_png(image, tmp_path / "a.png")
    read = QImage(str(tmp_path / "a.png"))
    assert read.format() == QImage.Format.Format_Indexed8
    assert read.convertToFormat(QImage.Format.Format_RGB32) == image


def test_the_most_frequent_colours_are_kept(tmp_path: Path) -> None:
    rare = [0xFF000000 | n for n in range(300)]
    frequent = 0xFFAABBCC
    image = picture(*rare, *[frequent] * 400, width=70)
    save_png(image, tmp_path / "a.png")
    read = QImage(str(tmp_path / "a.png")).convertToFormat(QImage.Format.Format_RGB32)
    assert read.pixel(69, 9) == frequent
    for number, colour in enumerate(rare):
        assert abs((read.pixel(number % 70, number // 70) & 255) - (colour & 255)) <= 46


def test_an_unwritable_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"nowhere.*can't be written"):
        save_png(picture(0xFF000000), tmp_path / "nowhere" / "a.png")


async def test_a_leap_wakes_sleepers() -> None:
    clock = LeapingClock(1.0)
    sleeping = asyncio.create_task(clock.sleep(1500.0))
    await asyncio.sleep(0.01)
    began, before = clock.now(), clock.monotonic()
    clock.leap(700.0)
    await asyncio.sleep(0.01)
    assert not sleeping.done()
    clock.leap(800.0)
    async with asyncio.timeout(10):
        await sleeping
    assert 1500.0 <= clock.now() - began < 1510.0
    assert 1500.0 <= clock.monotonic() - before < 1510.0
    clock.leap(-5.0)  # never backwards
    assert clock.now() - began >= 1500.0


async def test_without_leaps_the_clock_is_an_ordinary_one() -> None:
    clock = LeapingClock(60.0)
    began = clock.now()
    await clock.sleep(0.6)
    assert 0.6 <= clock.now() - began < 600.0
    await clock.sleep(-1.0)


@given(st.text("ab \b\n", max_size=30))
def test_the_text_after_typing(typed: str) -> None:
    pane = Pane()
    for key in keys_of(typed):
        pane.press(key)
    assert after("", typed) == pane.text


@pytest.mark.parametrize("rounds", [1, 2, 3, 4])
def test_the_settings_are_valid(rounds: int) -> None:
    settings = parse(settings_text(rounds, 20.0, 7))
    assert settings.rules.rounds == rounds
    assert settings.rules.interaction_minutes == 25
    count = max(2, rounds)
    assert len(settings.judge) == len(settings.entry) == len(settings.confederate) == count
    assert all("--seed 7" in entry.command for entry in settings.entry)
