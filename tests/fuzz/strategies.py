"""The material for attacks: texts, JSON, and our own frames and orders with faults."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import msgspec
from hypothesis import strategies as st

from contest.links import linkwire
from lpp import wire
from lpp.keypress import Rule

#: Texts that often cause bugs.
NASTY = [
    "",
    "\x00",
    "../../../etc/passwd",
    "..\\..\\contest.toml",
    "%2e%2e%2f",
    "%00",
    "%ff",
    "'; DROP TABLE events; --",
    "<script>alert(1)</script>",
    "{{ 7 * 7 }}",
    "${jndi:ldap://x}",
    "\u202eevil",
    "\ufeff",
    "\U0001f600",
    "a" * 5000,
    "-1",
    "1e999",
    "NaN",
    "9" * 400,
    "None",
    "J1",
    "organizer",
    "\r\nSet-Cookie: x=y",
]


def _nasty(n: int) -> str:
    return NASTY[n]


# By index, because hypothesis would otherwise print the whole list in each representation.
text = st.integers(0, len(NASTY) - 1).map(_nasty) | st.text(max_size=60)
number = st.sampled_from([0, 1, -1, 2, 2**31, 2**53, 2**63, -(2**63) - 1, 10**30]) | st.integers()
scalar = st.none() | st.booleans() | number | st.floats(allow_nan=False) | text
json_value = st.recursive(
    scalar,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4),
    max_leaves=12,
)

place = st.sampled_from(["left", "right", "only"])
small = st.integers(0, 3)
key = st.sampled_from(["a", "space", "BackSpace", "Return", "é", "nonsense", ""]) | text


def _builds(kind: type[msgspec.Struct], **fields: st.SearchStrategy[Any]) -> Any:
    return st.builds(kind, **fields).map(lambda frame: json.loads(msgspec.json.encode(frame)))


_CONSOLE = st.one_of(
    _builds(wire.Press, round=small, attempt=small, place=place, n=st.integers(1, 40), key=key),
    _builds(
        wire.Shown,
        round=small,
        attempt=small,
        place=place,
        author=st.sampled_from(["judge", "entity"]),
        n=st.integers(0, 50),
    ),
    _builds(
        wire.Verdict,
        round=small,
        attempt=small,
        human=st.sampled_from(["left", "right"]),
        confidence=st.none() | number.filter(lambda n: abs(n) < 2**63),
        reason=text,
    ),
    _builds(wire.Ranks, ranks=st.dictionaries(text, st.integers(-5, 20), max_size=4)),
    _builds(wire.Consent, publish=st.booleans(), pseudonym=text),
    _builds(wire.Read, round=small, attempt=small, place=place),
    _builds(wire.Hello, code=text, take_over=st.booleans()),
)

_raw = st.sampled_from(
    ["0000000001.a.other", "0000000002.space.other", "1.a.judge", "x", "9" * 300 + ".a.other"]
)

_LINK = st.one_of(
    _builds(
        linkwire.Key,
        n=st.integers(1, 40),
        talk=small,
        raw=_raw | text,
        rules=st.lists(st.sampled_from(list(Rule)), max_size=3),
    ),
    _builds(
        linkwire.Breach,
        n=st.integers(1, 40),
        rule=st.sampled_from(list(Rule)),
        name=text,
        detail=text,
    ),
    _builds(linkwire.Trouble, n=st.integers(1, 40), what=text),
    _builds(linkwire.Started, n=st.integers(1, 40), command=st.lists(text, max_size=3)),
    _builds(linkwire.Exited, n=st.integers(1, 40), code=st.integers(-(2**31), 2**32 - 1)),
    _builds(linkwire.LeftOvers, n=st.integers(1, 40), talk=small, names=st.lists(text, max_size=3)),
    _builds(linkwire.Prepared, n=st.integers(1, 40), talk=small),
    _builds(linkwire.Made, talk=small, upto=st.integers(0, 40)),
    _builds(linkwire.Gone, upto=st.integers(0, 2**53 - 1)),
    _builds(linkwire.Standing, count=st.integers(0, 2**53 - 1), oldest_ms=st.integers(0, 10**9)),
    _builds(linkwire.Pong, n=st.integers(1, 2**53 - 1)),
    _builds(linkwire.Hello, code=text, life=text, next=st.integers(1, 5)),
)


# Functions, because hypothesis would otherwise print all of the above in each representation.


@st.composite
def console_frame(draw: st.DrawFn) -> dict[str, Any]:
    """A well-formed frame of a console as JSON; sometimes it belongs to the current round."""
    return draw(_CONSOLE)


@st.composite
def link_frame(draw: st.DrawFn) -> dict[str, Any]:
    """A frame of a link."""
    return draw(_LINK)


@st.composite
def spoilt(draw: st.DrawFn, documents: st.SearchStrategy[dict[str, Any]]) -> str:
    """The JSON text of a document, usually with a fault."""
    document: Mapping[str, Any] = draw(documents)
    plain = dict(document)
    for _ in range(draw(st.integers(0, 2))):
        names = st.sampled_from(sorted(plain)) if plain else st.just("type")
        match draw(st.sampled_from(["drop", "add", "change", "nest"])):
            case "drop":
                plain.pop(draw(names), None)
            case "add":
                plain[draw(text)] = draw(json_value)
            case "change":
                plain[draw(names)] = draw(json_value)
            case "nest":
                name = draw(names)
                plain[name] = [plain.get(name)]
    written = json.dumps(plain, ensure_ascii=draw(st.booleans()))
    match draw(st.sampled_from(["whole", "whole", "whole", "cut", "twice", "insert"])):
        case "cut":
            return written[: draw(st.integers(0, len(written)))]
        case "twice":
            return written + written
        case "insert":
            at = draw(st.integers(0, len(written)))
            return written[:at] + draw(text) + written[at:]
    return written


@st.composite
def message(draw: st.DrawFn, documents: st.SearchStrategy[dict[str, Any]]) -> str | bytes:
    """A WebSocket message: a valid or a spoilt frame, JSON, text or bytes."""
    match draw(st.integers(0, 7)):
        case 0 | 1:
            return json.dumps(draw(documents))
        case 2 | 3 | 4:
            return draw(spoilt(documents))
        case 5:
            return json.dumps(draw(json_value))
        case 6:
            return draw(text)
    return draw(st.binary(max_size=60))
