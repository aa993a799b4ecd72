"""Checks the examples, limits and codes in docs/reference/wire.md against the code."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, get_args

import pytest

from contest.live import seats as decisions
from contest.state import consents
from contest.state.phases import CORRECTIONS_NS
from judge_console.model.seat import FATAL, REASON_LIMIT
from lpp import wire
from lpp.connection import FIRST_PAUSE, LONGEST_PAUSE
from lpp.wire import Decoder, Frame

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs/reference"
PAGE = (REFERENCE / "wire.md").read_text(encoding="utf-8")
GENERATED = "".join(
    (REFERENCE / "codebook" / f"{part}.md").read_text(encoding="utf-8")
    for part in ("seat_to_server", "server_to_seat")
)


@pytest.mark.parametrize(
    ("arrow", "frames", "decode"),
    [("→", wire.ToServer, wire.decode_to_server), ("←", wire.ToSeat, wire.decode_to_seat)],
)
def test_the_page_has_an_example_of_each_frame(
    arrow: str, frames: Any, decode: Decoder[Frame]
) -> None:
    examples = re.findall(rf"^{arrow} (.*)$", PAGE, re.MULTILINE)
    for example in examples:
        assert json.loads(wire.encode(decode(example))) == json.loads(example)
    tags = {json.loads(example)["type"] for example in examples}
    assert tags == {frame.__struct_config__.tag for frame in get_args(frames)}


def test_the_page_lists_phases_codes_and_limits_of_the_code() -> None:
    for phase in get_args(wire.Phase):
        assert f"`{phase}`" in PAGE
    for code in FATAL | {"gap"}:
        assert re.search(rf"^\|.*`{code}`", PAGE, re.MULTILINE)
    assert f"{wire.FRAME_LIMIT:,} bytes" in PAGE
    assert f"{wire.SNAPSHOT_LIMIT // 2**20} MiB" in PAGE
    assert f"{REASON_LIMIT:,} characters" in GENERATED
    assert decisions.REASON_LIMIT == REASON_LIMIT
    assert f"1 to {consents.LENGTH} printable characters" in GENERATED
    assert f"{CORRECTIONS_NS // 10**9} seconds of contest time after the last ballot" in PAGE
    assert f"from {FIRST_PAUSE:g} to {LONGEST_PAUSE:g} seconds" in PAGE


def test_each_code_of_the_server_is_in_the_table() -> None:
    source = "".join(
        path.read_text(encoding="utf-8")
        for where in ("net", "live")  # the seats' side; the frames of links have their own page
        for path in sorted((ROOT / "contest" / where).rglob("*.py"))
    )
    codes = re.findall(r"(?:Refused|Refusal|refused|NotTaken)\(\s*\"([a-z-]+)\"", source)
    assert {"bad-code", "bad-frame", "no-talk", "bad-consent"} <= set(codes)
    for code in codes:
        assert re.search(rf"^\|.*`{code}`", PAGE, re.MULTILINE), f"{code} is not in wire.md"
