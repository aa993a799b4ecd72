"""Tests that each kind of event has a sentence in each language."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from contest.record import bodies
from contest.record.bodies import AnyBody
from contest.record.events import Event
from contest.state.incidents import as_text, in_words
from tests.contest.build import codebook
from texts import LANGUAGES, load


def event(kind: str, body: dict[str, object], *, redacted: bool = False) -> Event:
    return Event(1, None, "2010-10-23T09:00:00.000000Z", 1, "server", kind, body, "", "", redacted)


def events() -> Iterator[Event]:
    """An event for each sentence."""
    for kind in bodies.KINDS:
        yield event(kind, codebook()[kind])
    variants: list[AnyBody] = [
        *(bodies.SeatLeft("J1"), bodies.SeatLeft("J1", "cable"), bodies.WrongCodes("", 3)),
        *(bodies.WrongCodes("10.0.0.7", 1), bodies.PersonReplaced("C1", "", "ill")),
        *(bodies.OrderDropped(1), bodies.OrderDropped(1, "late")),
        *(bodies.DelaysDiffer(1, 1, "J1", to, 3, 9) for to in ("judge", "entity")),
        *(bodies.LeftOvers("E1", ["x"] * n) for n in (0, 1, 9)),
        *(bodies.RoundOpened(2, n) for n in (1, 2)),
        *(bodies.RoundEnded(1, 1, reason) for reason in ("time", "a fire alarm")),
        *(bodies.Voided(1, 1, "noise", talk) for talk in ("", "1.1.J1.left")),
        *(bodies.DeclaredFinal("done", still) for still in ([], ["round 1"])),
        *(bodies.TalkOpened(1, 1, "J1", "E1", side) for side in ("left", "right")),
        *(bodies.VerdictGiven(1, 1, "J1", side, 2, 70, "typing") for side in ("left", "right")),
        *(bodies.ConsentGiven("J1", publish, 1) for publish in (True, False)),
        *(bodies.Key(who, "left", "a", 7, "7.a", ["2.A.a"], "3") for who in ("judge", "entity")),
    ]
    for body in variants:
        yield event(body.kind, bodies.to_json(body))
    yield event("left-overs", {"entry": "E1", "names": []}, redacted=True)
    yield event("breach", codebook()["breach"] | {"name": "", "detail": ""}, redacted=True)
    yield event("key", {}, redacted=True)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_event_has_a_sentence_and_every_sentence_is_used(
    language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts, used = load(language), set[str]()
    form = type(texts)._form

    def noted(self: object, key: str, fields: object) -> str:
        used.add(key)
        return form(texts, key, fields)  # type: ignore[arg-type]

    monkeypatch.setattr(type(texts), "_form", noted)
    for each in events():
        for count in (1, 2, 3):
            said = in_words(each, count, texts)
            assert said
            assert said != as_text(each), each.kind
            assert "{" not in said
    assert {key for key in texts if key.startswith("events.")} <= used


def test_german_sentences_differ_from_english() -> None:
    for each in events():
        if each.kind != "trouble":  # quoted as the server recorded it
            assert in_words(each) != in_words(each, texts=load("de")), each.kind
