"""The rounds of a contest, as pages show them: each attempt with its desks, and each talk with its
transcript and its time line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from contest.history.transcript import clock, in_words, offset_ms, transcribe
from contest.history.views import ContestView, TalkView
from contest.results.document import talk_json
from contest.state.incidents import WITHHELD
from contest.verification.findings import several
from lpp.lines import drawn
from lpp.names import BACKSPACE_CHAR, char_of
from scheduler.texts import plain

#: Steps of a time line: as fine as a wide screen shows.
_WIDTH = 1000
#: Labels under a time line, evenly spaced.
_MARKS = 5
#: Of each lane: top of a Return's mark, top of a key's, the base line, the foot of a BackSpace's.
_LANES = {"judge": (3, 10, 23, 27), "entity": (31, 38, 51, 55)}


def round_parts(view: ContestView) -> Iterator[dict[str, Any]]:
    """All attempts with their desks and talks, as pages show them, one by one: a desk is made when
    a page has come to it.

    Arguments:
        view: the contest.
    """
    numbers = {talk.id: at for at, talk in enumerate(view.talks, 1)}
    for (at, attempt), group in groupby(view.talks, key=lambda talk: (talk.round, talk.attempt)):
        of_round = list(group)
        first = of_round[0]
        again = f", attempt {attempt}" if attempt > 1 or _is_given_up(view, first) else ""
        yield {
            "title": f"Round {at}{again}",
            "remark": _remark(view, first),
            "desks": (
                _desk(view, judge, [(talk, talk_json(view, talk)) for talk in same], numbers)
                for judge, same in groupby(of_round, key=lambda talk: talk.judge)
            ),
        }


def _is_given_up(view: ContestView, talk: TalkView) -> bool:
    return any(each.number == talk.round and each.attempt > talk.attempt for each in view.rounds)


def _remark(view: ContestView, talk: TalkView) -> str:
    said = []
    timing = talk.timing
    if timing is not None and timing.voided is not None:
        said.append(f"This attempt was voided: {plain(timing.voided)}.")
    elif timing is None or not timing.counts:
        given_up = _is_given_up(view, talk)
        said.append("This attempt does not count." if given_up else "Not closed yet.")
    if timing is not None and timing.started_ns is not None:
        said.append(view.wall(timing.started_ns).strftime("Began at %H:%M:%S UTC."))
        for since, to, reason in timing.pauses:
            seconds = "" if to is None else f" for {several((to - since) // 10**9, 'second')}"
            said.append(f"Stopped{seconds}: {plain(reason)}.")
        for _, longer, reason in timing.extensions:
            said.append(f"Made {several(longer, 'second')} longer: {plain(reason)}.")
    return " ".join(said)


def _desk(
    view: ContestView,
    judge: str,
    pairs: Sequence[tuple[TalkView, Mapping[str, Any]]],
    numbers: Mapping[str, int],
) -> dict[str, Any]:
    entities = sorted((talk for talk, _ in pairs), key=lambda talk: not view.is_entry(talk.entity))
    verdict = pairs[0][1]["verdict"]
    said = ""
    if verdict is not None:
        taken = [talk.entity for talk, doc in pairs if doc["verdict"]["taken_for_human"]]
        said = f"{judge} took {' and '.join(taken)} for the human"
        if verdict["confidence"] is not None:
            said += f" (confidence {verdict['confidence']} of 100)"
        if verdict["reason"] is None:
            said += f"; the reason is {WITHHELD}."
        else:
            said += f": “{plain(verdict['reason'])}”" if verdict["reason"] else "."
    for talk in entities:
        if talk.voided is not None and (talk.timing is None or talk.timing.voided is None):
            said += f" The talk with {talk.entity} was voided: {plain(talk.voided)}."
    said = said.strip()
    names = " and ".join(talk.entity for talk in entities)
    return {
        "number": numbers[pairs[0][0].id],
        "title": f"{judge} with {names}",
        "verdict": said,
        "talks": [
            talk_parts(view, talk, doc) | {"number": numbers[talk.id]} for talk, doc in pairs
        ],
    }


def talk_parts(view: ContestView, talk: TalkView, doc: Mapping[str, Any]) -> dict[str, Any]:
    """A talk as `talk.html` shows it.

    Arguments:
        view: the contest.
        talk: one of its talks.
        doc: the same as `talk_json`.
    """
    written = transcribe(talk)
    length = max(1, doc["length_ms"] or 0)
    name = plain(view.name(talk.entity))
    return {
        "judge": talk.judge,
        "entity": talk.entity,
        "name": "" if name == talk.entity else name,
        "role": "program" if view.is_entry(talk.entity) else "human",
        "side": talk.side.capitalize(),
        "taken": doc["verdict"] is not None and doc["verdict"]["taken_for_human"],
        "withheld": WITHHELD.capitalize() + "." if talk.withheld else "",
        "length": clock(length),
        "judge_words": in_words(written.judge),
        "entity_words": in_words(written.entity),
        "marks": [clock(length * mark // (_MARKS - 1)) for mark in range(_MARKS)],
        "ticks": _ticks(talk, length),
        "lines": [
            {
                "clock": clock(line.offset_ms),
                "author": line.author,
                "who": talk.judge if line.author == "judge" else talk.entity,
                "text": line.text,
                "finished": line.finished,
                "runs": _drawn(line.runs) if line.corrected else (),
            }
            for line in written.lines
        ],
    }


def _drawn(runs: Iterable[tuple[str, bool]]) -> list[tuple[str, bool]]:
    """Runs of characters, with no more accents on a letter than are drawn."""
    shown, before = [], ""
    for text, stands in runs:
        shown.append((drawn(text, before), stands))
        before += text
    return shown


def _ticks(talk: TalkView, length_ms: int) -> list[dict[str, str]]:
    """The marks of a time line as SVG paths, one for each kind of key of each author."""
    places: dict[tuple[str, str], set[int]] = {}
    for key in talk.shown():
        char = char_of(key.key)
        kind = {"\n": "return", BACKSPACE_CHAR: "back"}.get(char or "", "key")
        at = round(min(1.0, max(0.0, offset_ms(talk, key.mono_ns) / length_ms)) * _WIDTH)
        places.setdefault((key.author, kind), set()).add(at)
    paths = []
    for (author, kind), marks in sorted(places.items()):
        tall, top, base, foot = _LANES[author]
        begin, end = {"return": (tall, base), "back": (base, foot)}.get(kind, (top, base))
        path = "".join(f"M{at} {begin}V{end}" for at in sorted(marks))
        paths.append({"kind": f"{kind} {author}" if kind != "back" else "back", "path": path})
    return paths
