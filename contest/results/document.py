"""The results of a contest as JSON: contest, schedule with its proof, tally in words and numbers,
prizes, silver medal with its evidence, and each talk with verdict, timing and transcript.

`loebner export --format json` writes it beside the record; `contest.results.page` shows it as a
page. docs/reference/results.md explains it to people outside.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import scheduler
from contest.history.tallying import of_view, schedule_of, tally_of
from contest.history.transcript import Line, Typing, offset_ms, transcribe
from contest.history.views import ContestView, Person, TalkView
from contest.results.finality import is_settled, state_in_words
from contest.setup.winning import prizes_in
from contest.state.model import Attempt

#: Version of the form, in the document.
FORMAT = 1


def results_json(view: ContestView, *, typed: bool = True) -> dict[str, Any]:
    """The results as a JSON document.

    Arguments:
        view: a contest; one that is not finished gives what is known so far, and says so.
        typed: whether what was typed is wanted: without it the document is small, for talks have
            neither keys nor lines.

    Returns:
        Plain values for `json.dumps`; docs/reference/results.md has their meaning.

    Raises:
        RecordTrouble: if the record's schedule is none, or its verdicts and ballots contradict it.
    """
    tally = tally_of(view)
    is_final = is_settled(view, tally)
    prizes = prizes_in(view.settings)
    awards = scheduler.awards(tally.entries, tally.silver, prizes) if is_final else ()
    return {
        "format": FORMAT,
        "contest": _contest(view),
        "people": [
            {"id": p.id, "role": p.role, "name": p.name, "withheld": p.withheld}
            | ({"entrant": p.entrant} if p.entrant else {})
            | _before(p)
            for p in view.people.values()
        ],
        "schedule": _schedule(view),
        "rounds": [_round(view, each) for each in view.rounds],
        "tally": tally.as_json(),
        "stopped": None
        if view.stopped is None
        else {
            "after_round": view.stopped[0],
            "not_played": list(view.not_played),
            "reason": view.stopped[1],
        },
        "final": is_final,
        "words": {
            "state": state_in_words(view, tally),
            "rules": scheduler.explain_rules(tally.rules),
            "places": scheduler.explain_places(tally),
            "silver": scheduler.explain_silver(tally, prizes),
            "prizes": scheduler.explain_prizes(tally, prizes) if is_final else [],
        },
        "rules": tally.rules.as_json() | {"prizes": prizes.as_json()},
        "prizes": [_award(award) for award in awards],
        "silver": _silver(view, tally),
        "rankings": _rankings(view),
        "talks": [talk_json(view, talk) if typed else _brief(view, talk) for talk in view.talks],
        "incidents": [
            {"seq": i.seq, "at": view.wall_text(i.mono_ns), "kind": i.kind}
            | {"who": i.who, "what": i.what, "count": i.count}
            for i in view.incidents
        ],
        "record": {"events": view.events, "head": view.head},
    }


def results_text(view: ContestView) -> str:
    """`results.json`: the document of `results_json` as text, for people to read as well."""
    return "".join(results_stream(view))


def results_stream(view: ContestView) -> Iterator[str]:
    """The same text in parts no larger than a talk.

    Raises:
        RecordTrouble: as `results_json`.
    """
    for at, (name, value) in enumerate(results_json(view, typed=False).items()):
        yield f"{',' if at else '{'}\n  {json.dumps(name)}: "
        if name == "talks" and view.talks:
            for nth, talk in enumerate(view.talks):
                yield f"{',' if nth else '['}\n    {_indented(talk_json(view, talk), 2)}"
            yield "\n  ]"
        else:
            yield _indented(value, 1)
    yield "\n}\n"


def _indented(value: Any, depth: int) -> str:
    """A value as `json.dumps` writes it within others. No text in it holds a line end."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    return text.replace("\n", "\n" + "  " * depth)


def _before(person: Person) -> dict[str, Any]:
    """Who sat at somebody's seat before, if anybody did."""
    if not person.before:
        return {}
    return {"before": [{"name": each.name, "withheld": each.withheld} for each in person.before]}


def _contest(view: ContestView) -> dict[str, Any]:
    table = view.settings.get("contest")
    settings = table if isinstance(table, dict) else {}
    return {
        "name": str(settings.get("name") or "A contest"),
        "venue": str(settings.get("venue") or ""),
        "date": str(settings.get("date") or ""),
        "start": str(settings.get("start") or ""),
        "program": view.program,
        "speed": view.speed / 1000,
        "opened_at": view.first_at,
        "closed": view.is_closed,
        "sides_revealed": view.revealed,
    }


def _schedule(view: ContestView) -> dict[str, Any]:
    schedule = schedule_of(view)
    report = scheduler.check(schedule)
    return {
        "rounds": scheduler.rounds_json(schedule),
        "check": report.as_json(),
        "words": scheduler.explain_report(report),
    }


def _round(view: ContestView, each: Attempt) -> dict[str, Any]:
    return {
        "round": each.number,
        "attempt": each.attempt,
        "counts": each.counts,
        "started_at": None if each.started_ns is None else view.wall_text(each.started_ns),
        "ended_at": None if each.ended_ns is None else view.wall_text(each.ended_ns),
        "seconds": each.seconds,
        "end_reason": each.end_reason,
        "pauses": [
            {
                "from": view.wall_text(since),
                "to": None if to is None else view.wall_text(to),
                "reason": reason,
            }
            for since, to, reason in each.pauses
        ],
        "extensions": [
            {"at": view.wall_text(at), "seconds": seconds, "reason": reason}
            for at, seconds, reason in each.extensions
        ],
        "voided": each.voided,
    }


def _award(award: scheduler.Award) -> dict[str, Any]:
    return {
        "entry": award.entry,
        "money": _exact(award.money),
        "at_announcement": award.at_announcement,
        "still_due": _exact(award.still_due),
        "bronze": award.bronze,
        "silver": award.silver,
    }


def _silver(view: ContestView, tally: scheduler.Tally) -> list[dict[str, Any]]:
    _, verdicts, _ = of_view(view)
    return [
        medal.as_json()
        | {
            "verdicts": [
                {"round": p.round, "judge": p.judge, "confederate": p.confederate}
                for p in sorted(verdict.pairing for verdict in verdicts if _fooled(verdict, medal))
            ]
        }
        for medal in tally.silver
    ]


def _fooled(verdict: scheduler.Verdict, medal: scheduler.Silver) -> bool:
    return verdict.choice is scheduler.Choice.ENTRY and verdict.pairing.entry == medal.entry


def _rankings(view: ContestView) -> list[dict[str, Any]]:
    _, _, ballots = of_view(view)
    versions = {each.judge: each.version for each in view.rankings}
    return [
        {
            "judge": ballot.judge,
            "version": versions[ballot.judge],
            "status": "excluded" if ballot.excluded else "counted",
            "reason": ballot.excluded,
            "ranks": {rank.participant: _exact(rank.value) for rank in ballot.ranks},
        }
        for ballot in ballots
    ]


def talk_json(view: ContestView, talk: TalkView) -> dict[str, Any]:
    """A talk as it stands among the `talks` of the document."""
    written = transcribe(talk)
    return _brief(view, talk) | {
        "keys": None if talk.withheld else len(talk.keys),
        "length_ms": _length_ms(talk),
        "typing": None
        if talk.withheld
        else {"judge": _typing(written.judge), "entity": _typing(written.entity)},
        "lines": [_line(line) for line in written.lines],
    }


def _brief(view: ContestView, talk: TalkView) -> dict[str, Any]:
    verdict = next(
        (
            v
            for v in view.verdicts
            if (v.round, v.attempt, v.judge) == (talk.round, talk.attempt, talk.judge)
        ),
        None,
    )
    return {
        "talk": talk.id,
        "round": talk.round,
        "attempt": talk.attempt,
        "counts": talk.counts,
        "voided": talk.voided,
        "judge": talk.judge,
        "entity": talk.entity,
        "role": "entry" if view.is_entry(talk.entity) else "confederate",
        "side": talk.side,
        "verdict": None
        if verdict is None
        else {
            "taken_for_human": verdict.human == talk.side,
            "confidence": verdict.confidence,
            "reason": verdict.reason,
        },
        "withheld": talk.withheld,
    }


def _length_ms(talk: TalkView) -> int | None:
    """How long the interaction lasted: until its end, or the last key of one that has none."""
    if talk.started_ns is None:
        return None
    last = talk.keys[-1].mono_ns if talk.keys else talk.started_ns
    return max(0, offset_ms(talk, last if talk.ended_ns is None else talk.ended_ns))


def _typing(typing: Typing) -> dict[str, Any]:
    return {
        "keys": typing.keys,
        "backspaces": typing.backspaces,
        "returns": typing.returns,
        "characters": typing.characters,
        "first_ms": typing.first_ms,
        "median_gap_ms": typing.median_gap_ms,
        "out_of_phase": typing.out_of_phase,
    }


def _line(line: Line) -> dict[str, Any]:
    said: dict[str, Any] = {
        "author": line.author,
        "offset_ms": line.offset_ms,
        "end_ms": line.end_ms,
        "text": line.text,
        "finished": line.finished,
    }
    return said | ({"typed": line.typed} if line.corrected else {})


def _exact(value: Fraction) -> str:
    """An exact number as text: whole, or as a fraction such as 13/4."""
    return str(value)
