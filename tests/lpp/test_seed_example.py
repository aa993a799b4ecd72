"""Tests the example in the rules of 2010 (section 2.A): 24 names that make two lines, in both
directions."""

from __future__ import annotations

import tempfile
from pathlib import Path

from lpp.channel import DirectoryChannel
from lpp.directory import communications_root
from lpp.keypress import Side, parse
from lpp.lines import Pane
from lpp.numbers import MemoryNumbers

LISTING = """
0000000123.H.other
0000000235.e.other
0000000456.l.other
0000000789.l.other
0000000888.o.other
0000001234.comma.other
0000002222.space.other
0000002345.J.other
0000004567.i.other
0000006789.m.other
0000007777.period.other
0000008123.Return.other
0000010000.H.other
0000010001.o.other
0000010002.w.other
0000010005.space.other
0000020000.a.other
0000020001.r.other
0000020005.e.other
0000030000.space.other
0000030001.y.other
0000040000.o.other
0000050000.u.other
0000050010.question.other
"""
NAMES = LISTING.split()
TEXT = "Hello, Jim.\nHow are you?"
NUMBERS = [int(name.partition(".")[0]) for name in NAMES]


def test_the_names_type_the_text() -> None:
    presses = []
    for name in NAMES:
        parsed = parse(name)
        assert parsed is not None
        press, broken = parsed
        assert broken == ()
        assert press.side is Side.OTHER
        presses.append(press)
    assert Pane(press.key for press in presses).text == TEXT
    assert sorted(presses) == presses


async def test_the_text_produces_the_names_in_a_directory() -> None:
    with tempfile.TemporaryDirectory(dir=communications_root()) as room:
        for name in reversed(NAMES):
            Path(room, name).mkdir()
        numbers = MemoryNumbers()
        async with DirectoryChannel(room, side=Side.JUDGE, numbers=numbers) as channel:
            received = [await anext(channel) for _ in NAMES]
        assert list(Path(room).iterdir()) == []
    assert [item.press.raw for item in received] == NAMES
    assert all(item.violations == () for item in received)
    assert Pane(item.press.key for item in received).text == TEXT
