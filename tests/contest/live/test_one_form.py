"""Names tell a judge nothing: whatever a program writes, a human's console could have caused."""

from __future__ import annotations

import asyncio
import unicodedata

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from contest.record.store import Record
from lpp import wire
from lpp.names import ALIASES, MARK, NAMES, SILENT_KEYS
from tests.contest.conftest import HandClock
from tests.contest.journals import InlineJournal
from tests.contest.live.test_seats import Floor

#: As the programs spell it, and what everybody else is to get; BackSpace at the end takes a mark.
TYPED = {
    "!": "exclam",
    "?": "question",
    "apostrophe": "quoteright",
    "grave": "quoteleft",
    "KP_1": "1",
    "Ctrl_Q": None,
    "Shift_L": None,
    "": None,
    "e\u0301": "é",
    "eacute": "é",
    "\x1b": MARK,
    "\u202e": MARK,
    "\u200d": MARK,
    "\U000e0041": MARK,
    "BackSpace": "BackSpace",
    "a": "a",
    "KP_Enter": "Return",
}


def is_allowed(name: str) -> bool:
    """Whether a name is one that screens are told of, by the words of wire.md."""
    if name in NAMES:
        return True
    if len(name) != 1:
        return False
    if name.isascii():
        return name.isalnum()
    is_unseen = unicodedata.category(name) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
    return not is_unseen and unicodedata.normalize("NFC", name) == name


NAMES_OF_A_PROGRAM = st.lists(
    st.one_of(
        st.sampled_from([*NAMES, *ALIASES, *SILENT_KEYS, *TYPED]),
        st.text(st.characters(codec="utf-8"), max_size=3),
    ),
    max_size=20,
)


@settings(max_examples=60, deadline=None)
@given(NAMES_OF_A_PROGRAM)
def test_whatever_a_program_writes_a_humans_console_could_have_caused(names: list[str]) -> None:
    asyncio.run(_told_alike(names))


async def _told_alike(names: list[str]) -> None:
    clock = HandClock()
    with Record("sqlite://", create=True) as record:
        async with InlineJournal(record, clock) as journal:
            floor = Floor(journal, clock)
            for side in ("left", "right"):
                await floor.say(floor.judge, wire.Press(1, 1, side, 1, "H"))
            before = len(floor.judge_console.frames)
            for n, name in enumerate(names, 1):
                raw = f"{n:010d}.{name}.other"
                floor.hub.press(floor.program, "entity", "E1", name, n, raw=raw)
            await asyncio.sleep(0)
            of_program = floor.judge_console.frames[before:]
            typed = [frame.key for frame in of_program if isinstance(frame, wire.Key)]
            presses = [wire.Press(1, 1, "only", n, key) for n, key in enumerate(typed, 1)]
            await floor.say(floor.confederate, *presses)
            of_human = floor.judge_console.frames[before + len(of_program) :]
            assert of_human == [
                msgspec.structs.replace(frame, place="left")
                for frame in of_program
                if isinstance(frame, wire.Key)
            ]
            assert len(of_human) == len(of_program)
            assert all(is_allowed(name) for name in typed)
