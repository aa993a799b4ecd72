"""The frames between server and seats: there and back, and what is refused."""

from __future__ import annotations

import json
import types
from collections.abc import Callable
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lpp import wire

TO_SERVER: tuple[type[msgspec.Struct], ...] = get_args(wire.ToServer)
TO_SEAT: tuple[type[msgspec.Struct], ...] = get_args(wire.ToSeat)
Decode = Callable[[str | bytes], wire.ToServer | wire.ToSeat]

CASES: list[tuple[type[msgspec.Struct], Decode]] = [
    *((frame, wire.decode_to_server) for frame in TO_SERVER),
    *((frame, wire.decode_to_seat) for frame in TO_SEAT),
]
each_frame = pytest.mark.parametrize(
    ("frame", "decode"), CASES, ids=[frame.__name__ for frame, _ in CASES]
)


def values(kind: Any) -> st.SearchStrategy[Any]:
    """Values of a field's type that JSON carries."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Annotated:
        [meta] = kind.__metadata__
        return st.integers(meta.ge, meta.le)
    if origin is Literal:
        return st.sampled_from(inner)
    if origin in (Union, types.UnionType):
        return st.one_of(*map(values, inner))
    if origin is list:
        return st.lists(values(inner[0]), max_size=4)
    if origin is dict:
        return st.dictionaries(values(inner[0]), values(inner[1]), max_size=4)
    if origin is tuple:
        if inner[1:] == (...,):
            return st.lists(values(inner[0]), max_size=4).map(tuple)
        return st.tuples(*map(values, inner))
    plain: dict[Any, st.SearchStrategy[Any]] = {
        bool: st.booleans(),
        int: st.integers(-(2**53), 2**53),
        float: st.floats(allow_nan=False, allow_infinity=False),
        str: st.text(max_size=12),
        type(None): st.none(),
    }
    return plain[kind]


def frames(frame: type[msgspec.Struct]) -> st.SearchStrategy[Any]:
    """Any frame of a type."""
    hints = get_type_hints(frame, include_extras=True)
    return st.builds(frame, **{name: values(hints[name]) for name in frame.__struct_fields__})


def tag(frame: type[msgspec.Struct]) -> str:
    found = frame.__struct_config__.tag
    assert isinstance(found, str)
    return found


def example(frame: type[msgspec.Struct]) -> dict[str, Any]:
    """A frame of a type with its required fields, as JSON has it."""
    made: dict[str, Any] = json.loads(EXAMPLES[tag(frame)])
    return made


#: The least that each type needs, as somebody else's console would write it.
EXAMPLES = {
    "hello": '{"type":"hello","code":"abc"}',
    "press": '{"type":"press","round":1,"attempt":1,"place":"left","n":1,"key":"H"}',
    "shown": '{"type":"shown","round":1,"attempt":1,"place":"only","author":"judge","n":7}',
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


@each_frame
@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_each_frame_there_and_back(
    frame: type[msgspec.Struct], decode: Decode, data: st.DataObject
) -> None:
    sent = data.draw(frames(frame))
    text = wire.encode(sent)
    assert decode(text) == sent
    assert decode(text.encode()) == sent
    assert json.loads(text)["type"] == tag(frame)


@each_frame
def test_each_frame_as_it_is_documented(frame: type[msgspec.Struct], decode: Decode) -> None:
    assert type(decode(EXAMPLES[tag(frame)])) is frame


def test_every_frame_has_an_example() -> None:
    assert {tag(frame) for frame, _ in CASES} == set(EXAMPLES)


@each_frame
def test_an_unknown_field_is_refused_by_name(frame: type[msgspec.Struct], decode: Decode) -> None:
    with pytest.raises(wire.WireError, match="colour"):
        decode(json.dumps(example(frame) | {"colour": "red"}))


@each_frame
def test_a_missing_field_is_refused_by_name(frame: type[msgspec.Struct], decode: Decode) -> None:
    required = [name for name in example(frame) if name != "type"]
    for name in required:
        with pytest.raises(wire.WireError, match=name):
            decode(json.dumps({k: v for k, v in example(frame).items() if k != name}))


@each_frame
def test_a_field_of_another_type_is_refused_by_name(
    frame: type[msgspec.Struct], decode: Decode
) -> None:
    for name in example(frame):
        if name != "type":
            with pytest.raises(wire.WireError, match=name):
                decode(json.dumps(example(frame) | {name: {"a": {"b": None}}}))


@each_frame
def test_a_frame_for_the_other_direction_is_refused(
    frame: type[msgspec.Struct], decode: Decode
) -> None:
    other = wire.decode_to_seat if decode is wire.decode_to_server else wire.decode_to_server
    with pytest.raises(wire.WireError, match=tag(frame)):
        other(EXAMPLES[tag(frame)])


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
def test_what_is_no_frame_is_refused(decode: Decode, text: str | bytes) -> None:
    with pytest.raises(wire.WireError):
        decode(text)


@pytest.mark.parametrize(
    "place", ["Left", "middle", "", None, 1, "left ", ["left"]], ids=lambda value: repr(value)
)
def test_a_place_is_left_right_or_only(place: object) -> None:
    with pytest.raises(wire.WireError, match="place"):
        wire.decode_to_server(json.dumps(json.loads(EXAMPLES["press"]) | {"place": place}))


def test_too_long_a_frame_is_refused() -> None:
    fits = "x" * (wire.FRAME_LIMIT - len('{"type":"hello","code":""}'))
    assert wire.decode_to_server(f'{{"type":"hello","code":"{fits}"}}') == wire.Hello(fits)
    with pytest.raises(wire.WireError, match="more than 65536"):
        wire.decode_to_server(f'{{"type":"hello","code":"{fits}x"}}')


def test_a_whole_talk_fits_what_a_seat_takes() -> None:
    """Two hundred thousand keys, twenty times the busiest desk of 2012."""
    talk = wire.Talk(1, 1, "left", [("judge", "a")] * 200_000)
    text = wire.encode(talk)
    assert len(text) <= wire.SNAPSHOT_LIMIT
    assert wire.decode_to_seat(text) == talk
    with pytest.raises(wire.WireError, match="more than"):
        wire.decode_to_seat(" " * (wire.SNAPSHOT_LIMIT + 1))


def test_nothing_for_a_judge_names_who_sits_where() -> None:
    """Rule: no name, number or path that a judge meets tells who is a program."""
    # The judge's own: how this judge is called, and what this judge has said.
    own = {(wire.Welcome, "name"), (wire.Agreement, "name"), (wire.Saved, "human")}
    told = {
        name for frame in TO_SEAT for name in frame.__struct_fields__ if (frame, name) not in own
    }
    assert not told & {"entry", "entity", "confederate", "program", "human", "name"}


@pytest.mark.parametrize(
    "text",
    [
        '{"a":' + "[" * 30_000,
        "\ud800",
        '{"type":"hello","code":"\ud800"}',
        b'{"type":"hello","code":"\xff"}',
        "é" * 40_000,  # fewer characters than the limit, and more bytes
    ],
)
def test_hostile_frames_are_refused_in_words(text: str | bytes) -> None:
    with pytest.raises(wire.WireError):
        wire.decode_to_server(text)
