"""Tests the frames between server and seats: encoding, decoding, and refusals."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, get_args

import msgspec
import pytest

from lpp import wire

TO_SERVER: tuple[type[msgspec.Struct], ...] = get_args(wire.ToServer)
TO_SEAT: tuple[type[msgspec.Struct], ...] = get_args(wire.ToSeat)
Decode = Callable[[str | bytes], wire.ToServer | wire.ToSeat]

CASES: list[tuple[type[msgspec.Struct], Decode]] = [
    *((frame, wire.decode_to_server) for frame in TO_SERVER),
    *((frame, wire.decode_to_seat) for frame in TO_SEAT),
]


def tag(frame: type[msgspec.Struct]) -> str:
    found = frame.__struct_config__.tag
    assert isinstance(found, str)
    return found


def example(frame: type[msgspec.Struct]) -> dict[str, Any]:
    """A frame of a type, with only its required fields, as JSON."""
    made: dict[str, Any] = json.loads(EXAMPLES[tag(frame)])
    return made


#: The required fields of each type, as another program's console would write them.
EXAMPLES = {
    "hello": '{"type":"hello","code":"abc"}',
    "press": '{"type":"press","round":1,"attempt":1,"place":"left","n":1,"key":"H"}',
    "shown": '{"type":"shown","round":1,"attempt":1,"place":"only","author":"judge","n":7}',
    "pasted": '{"type":"pasted","round":1,"attempt":1,"place":"left","characters":48}',
    "verdict": '{"type":"verdict","round":1,"attempt":1,"human":"right"}',
    "ranks": '{"type":"ranks","ranks":{"A":2,"B":5,"C":5}}',
    "consent": '{"type":"consent","publish":true}',
    "read": '{"type":"read","round":1,"attempt":1,"place":"left"}',
    "welcome": '{"type":"welcome","seat":"J1","role":"judge","contest":"x","rounds":4}',
    "state": '{"type":"state","phase":"waiting"}',
    "talk": '{"type":"talk","round":1,"attempt":1,"place":"left","keys":[["judge","H"]]}',
    "key": '{"type":"key","round":1,"attempt":1,"place":"left","author":"entity","n":1,"key":"é"}',
    "taken": '{"type":"taken","round":1,"attempt":1,"place":"left","n":3}',
    "saved": '{"type":"saved","what":"verdict","version":1,"at":"2010-10-23T17:00:00.000000Z"}',
    "agreement": '{"type":"agreement","text":"All is recorded."}',
    "rank-these": '{"type":"rank-these","participants":{"A":[[1,1,"left"],[2,1,"right"]]}}',
    "past": '{"type":"past","round":1,"attempt":1,"place":"left","keys":[[0,"judge","H"]]}',
    "refused": '{"type":"refused","code":"full","message":"no"}',
}


each_frame = pytest.mark.parametrize(
    ("frame", "decode"), CASES, ids=[frame.__name__ for frame, _ in CASES]
)


@each_frame
def test_each_frame_is_decoded_as_documented(frame: type[msgspec.Struct], decode: Decode) -> None:
    assert type(decode(EXAMPLES[tag(frame)])) is frame


def test_every_frame_has_an_example() -> None:
    assert {tag(frame) for frame, _ in CASES} == set(EXAMPLES)


@each_frame
def test_an_unknown_field_is_refused_by_name(frame: type[msgspec.Struct], decode: Decode) -> None:
    with pytest.raises(wire.WireError, match="colour"):
        decode(json.dumps(example(frame) | {"colour": "red"}))


@pytest.mark.parametrize("decode", [wire.decode_to_server, wire.decode_to_seat])
@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        "null",
        "1",
        "[]",
        "{}",
        '{"type": null}',
        '{"type": "no-such"}',
        '{"type": 7}',
        '{"code": "x"}',
        '{"type":"hello","code":"abc"} {}',
        "[" * 30_000,
        "\udc80",
        b"\xff\xfe",
        b'{"type":"hello","code":"\xff"}',
    ],
)
def test_invalid_frames_are_refused(decode: Decode, text: str | bytes) -> None:
    with pytest.raises(wire.WireError):
        decode(text)
