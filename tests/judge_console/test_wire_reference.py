"""docs/reference/wire.md against the code: its examples, fields, limits and codes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, get_args

import pytest

from contest.live import seats as decisions
from contest.net import sockets
from contest.state import consents
from contest.state.phases import CORRECTIONS_NS
from judge_console.model.seat import FATAL, REASON_LIMIT
from lpp import wire
from lpp.connection import FIRST_PAUSE, LONGEST_PAUSE
from tests.frames import defaults, defaults_said

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/reference/wire.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^### ([a-z-]+)\n(.*?)(?=^##)", PAGE, re.MULTILINE | re.DOTALL)
TO_SERVER = {frame.__struct_config__.tag: frame for frame in get_args(wire.ToServer)}
TO_SEAT = {frame.__struct_config__.tag: frame for frame in get_args(wire.ToSeat)}


def blocks(text: str) -> list[dict[str, Any]]:
    found = re.findall(r"^```json\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [json.loads(block) for block in found]


def test_each_frame_has_its_section_on_its_side() -> None:
    before, after = PAGE.split("## From the server")
    assert re.findall(r"^### ([a-z-]+)$", before, re.MULTILINE) == list(TO_SERVER)
    assert re.findall(r"^### ([a-z-]+)$", after, re.MULTILINE) == list(TO_SEAT)


@pytest.mark.parametrize(("tag", "section"), EXAMPLES, ids=[tag for tag, _ in EXAMPLES])
def test_examples_are_frames(tag: str, section: str) -> None:
    [example] = blocks(section)
    assert example["type"] == tag
    text = json.dumps(example)
    frame = wire.decode_to_server(text) if tag in TO_SERVER else wire.decode_to_seat(text)
    # What goes out again is the example, but for what has its default.
    again = json.loads(wire.encode(frame))
    assert again.items() <= example.items()
    kind = (TO_SERVER | TO_SEAT)[tag]
    assert example.keys() - {"type"} <= set(kind.__struct_fields__)
    for field in kind.__struct_fields__:
        assert f"`{field}`" in section or f'"{field}"' in section, f"{field} is not told of"
    assert defaults_said(section) == defaults(kind)


def test_what_is_said_of_phases_codes_and_limits() -> None:
    for phase in get_args(wire.Phase):
        assert f"`{phase}`" in PAGE
    for code in FATAL | {"gap"}:
        assert re.search(rf"^\|.*`{code}`", PAGE, re.MULTILINE)
    assert f"{wire.FRAME_LIMIT:,} bytes" in PAGE
    assert f"{wire.SNAPSHOT_LIMIT // 2**20} MiB" in PAGE
    assert f"{REASON_LIMIT:,} characters" in PAGE
    assert decisions.REASON_LIMIT == REASON_LIMIT
    assert f"1 to {consents.LENGTH} printable characters" in PAGE
    assert f"{CORRECTIONS_NS // 10**9} seconds of contest time after the last ballot" in PAGE
    assert f"({sockets.QUEUE:,} frames behind)" in PAGE
    assert f"from {FIRST_PAUSE:g} to {LONGEST_PAUSE:g} seconds" in PAGE


def test_each_code_of_the_server_is_in_the_table() -> None:
    source = "".join(
        path.read_text(encoding="utf-8")
        for where in ("net", "live")  # the seats' end; what links are told has a page of its own
        for path in sorted((ROOT / "contest" / where).rglob("*.py"))
    )
    codes = re.findall(r"(?:Refused|Refusal|refused|NotTaken)\(\s*\"([a-z-]+)\"", source)
    assert {"bad-code", "bad-frame", "no-talk", "bad-consent"} <= set(codes)
    for code in codes:
        assert re.search(rf"^\|.*`{code}`", PAGE, re.MULTILINE), f"{code} is not in wire.md"
