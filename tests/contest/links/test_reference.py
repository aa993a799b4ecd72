"""docs/reference/link.md against the code: its examples, fields, limits and codes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, get_args

import pytest

from contest.links import link, linkwire
from contest.links.client import FATAL
from contest.net.limits import Limits
from tests.frames import defaults, defaults_said

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/reference/link.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^### ([a-z-]+)\n(.*?)(?=^##|\Z)", PAGE, re.MULTILINE | re.DOTALL)
TO_SERVER = {frame.__struct_config__.tag: frame for frame in get_args(linkwire.ToServer)}
TO_LINK = {frame.__struct_config__.tag: frame for frame in get_args(linkwire.ToLink)}
CODES = dict(re.findall(r"^\| `([a-z-]+)` \|.*\| (yes|no) \|$", PAGE, re.MULTILINE))


def test_each_frame_has_its_section_on_its_side() -> None:
    before, after = PAGE.split("## From the server")
    assert re.findall(r"^### ([a-z-]+)$", before, re.MULTILINE) == list(TO_SERVER)
    assert re.findall(r"^### ([a-z-]+)$", after, re.MULTILINE) == list(TO_LINK)


@pytest.mark.parametrize(("tag", "section"), EXAMPLES, ids=[tag for tag, _ in EXAMPLES])
def test_examples_are_frames(tag: str, section: str) -> None:
    [text] = re.findall(r"^```json\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    example: dict[str, Any] = json.loads(text)
    assert example["type"] == tag
    kind = (TO_SERVER | TO_LINK)[tag]
    decode = linkwire.decode_to_server if tag in TO_SERVER else linkwire.decode_to_link
    frame = decode(text)
    # What goes out again is the example, but for what has its default.
    assert json.loads(linkwire.encode(frame)).items() <= example.items()
    for field in kind.__struct_fields__:
        assert f"`{field}`" in section or f'"{field}"' in section, f"{field} is not told of"
    assert defaults_said(section) == defaults(kind)
    # A numbered frame is called so, and no other is.
    assert ("Numbered." in section) == (kind in get_args(linkwire.Numbered))
    with pytest.raises(linkwire.WireError, match="unknown field"):
        decode(json.dumps(example | {"admin": True}))


def test_what_is_said_of_limits() -> None:
    assert f"at most {linkwire.FRAME_LIMIT:,} bytes" in PAGE
    assert f"At most {linkwire.WINDOW:,} numbered frames" in PAGE
    assert f"at most {linkwire.AHEAD:,} of them" in PAGE
    assert f"pings for {link.PING_LIMIT:g} seconds is lost" in PAGE
    assert f"within {Limits().hello:g} seconds" in PAGE
    assert f"From {link.UNREAD:g} seconds on" in PAGE
    assert link.PING_EVERY == 1


def test_each_code_of_the_server_is_in_the_table() -> None:
    source = "".join(
        path.read_text(encoding="utf-8")
        for path in (
            *sorted((ROOT / "contest/links").glob("*.py")),
            ROOT / "contest/net/sockets.py",
            ROOT / "contest/net/web.py",
        )
    )
    said = set(re.findall(r"(?:Refused|Refusal|refused|NotTaken)\(\s*\"([a-z-]+)\"", source))
    assert said == set(CODES)
    assert {code for code, again in CODES.items() if again == "no"} == FATAL


def test_a_frame_that_is_too_long() -> None:
    text = linkwire.encode(linkwire.Trouble(1, "x" * linkwire.FRAME_LIMIT))
    for decode in (linkwire.decode_to_server, linkwire.decode_to_link):
        with pytest.raises(linkwire.WireError, match="more than 65536 bytes"):
            decode(text)
