"""Checks the examples, limits and codes in docs/reference/link.md against the code."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, get_args

import pytest

from contest.links import link, linkwire
from contest.links.client import FATAL
from contest.net.limits import Limits
from lpp.wire import Decoder, Frame

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/reference/link.md").read_text(encoding="utf-8")
ROWS = dict(re.findall(r"^\| (yes|no) \| (.*) \|$", PAGE, re.MULTILINE))
CODES = {
    code: again
    for again, row in ROWS.items()
    for code in re.findall(r"`([a-z-]+)`", re.sub(r"\(.*?\)", "", row))
}


@pytest.mark.parametrize(
    ("arrow", "frames", "decode"),
    [
        ("→", linkwire.ToServer, linkwire.decode_to_server),
        ("←", linkwire.ToLink, linkwire.decode_to_link),
    ],
)
def test_page_has_an_example_of_each_frame(arrow: str, frames: Any, decode: Decoder[Frame]) -> None:
    examples = re.findall(rf"^{arrow} (.*)$", PAGE, re.MULTILINE)
    for text in examples:
        example = json.loads(text)
        assert json.loads(linkwire.encode(decode(text))) == example
        with pytest.raises(linkwire.WireError, match="unknown field"):
            decode(json.dumps(example | {"admin": True}))
    tags = {json.loads(text)["type"] for text in examples}
    assert tags == {frame.__struct_config__.tag for frame in get_args(frames)}


def test_docstrings_say_which_frames_are_numbered() -> None:
    for frame in get_args(linkwire.ToServer):
        numbered = frame in get_args(linkwire.Numbered)
        assert str(frame.__doc__).startswith("Numbered. ") == numbered


def test_documented_limits() -> None:
    assert f"at most {linkwire.FRAME_LIMIT:,} bytes" in PAGE
    assert f"At most {linkwire.WINDOW:,} numbered frames" in PAGE
    assert f"at most {linkwire.AHEAD:,} of them" in PAGE
    assert f"pings for {link.PING_LIMIT:g} seconds is lost" in PAGE
    assert f"within {Limits().hello:g} seconds" in str(linkwire.Hello.__doc__)
    assert f"After {link.UNREAD:g} seconds the" in " ".join(str(linkwire.Standing.__doc__).split())
    assert link.PING_EVERY == 1


def test_every_refusal_code_is_documented() -> None:
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


def test_too_long_frame_is_refused() -> None:
    text = linkwire.encode(linkwire.Trouble(1, "x" * linkwire.FRAME_LIMIT))
    for decode in (linkwire.decode_to_server, linkwire.decode_to_link):
        with pytest.raises(linkwire.WireError, match="more than 65536 bytes"):
            decode(text)
