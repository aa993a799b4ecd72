"""The results of a contest as JSON: contest, schedule with its proof, tally in words and numbers,
prizes, silver medal with its evidence, and each talk with verdict, timing and transcript.

`loebner export --format json` writes it beside the record; `contest.results.page` shows it as a
page. docs/reference/results.md explains it to people outside.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from functools import cached_property
from typing import Any

import scheduler
from contest.history.tallying import of_view, tally_of
from contest.history.transcript import Line, offset_ms, transcribe
from contest.history.views import ContestView, Person, TalkView
from contest.results.finality import is_settled, state_in_words
from contest.setup.settings import prizes_in
from contest.state.model import Attempt
from contest.statistics.summary import Counted, Statistics, statistics_of

#: Version of the form, in the document.
FORMAT = 1


class Results:
    """What a record gives: each part is computed once, when it is first asked for, and handed to
    pages, exports, pictures and statistics.

    Arguments:
        view: a contest; one that is not finished gives what is known so far, and says so.

    Everything but `view` raises RecordTrouble if the record's schedule can't be used, or its
    verdicts and ballots contradict it.
    """

    def __init__(self, view: ContestView) -> None:
        self.view = view

    @cached_property
    def counted(self) -> Counted:
        """The schedule, verdicts and ballots that count."""
        return of_view(self.view)

    @cached_property
    def tally(self) -> scheduler.Tally:
        """The tally by the contest's own rules."""
        return tally_of(self.view)

    @cached_property
    def prizes(self) -> scheduler.Prizes:
        """What there is to win."""
        return prizes_in(self.view.settings)

    @cached_property
    def statistics(self) -> Statistics:
        """What the numbers say beside the official result."""
        return statistics_of(self.view, self.counted)

    @cached_property
    def is_final(self) -> bool:
        """Whether the result is final."""
        return is_settled(self.view, self.tally)

    @cached_property
    def document(self) -> dict[str, Any]:
        """The JSON document without what was typed: its talks have neither keys nor lines."""
        view, tally, prizes = self.view, self.tally, self.prizes
        awards = scheduler.awards(tally.entries, tally.silver, prizes) if self.is_final else ()
        return {
            "format": FORMAT,
            "contest": _contest(view),
            "people": [_person(each) for each in view.people.values()],
            "schedule": self._schedule(),
            "rounds": [_round(view, each) for each in view.rounds],
            "tally": tally.as_json(),
            "stopped": None
            if view.stopped is None
            else {
                "after_round": view.stopped[0],
                "not_played": list(view.not_played),
                "reason": view.stopped[1],
            },
            "final": self.is_final,
            "words": {
                "state": state_in_words(view, tally),
                "rules": scheduler.explain_rules(tally.rules),
                "places": scheduler.explain_places(tally),
                "silver": scheduler.explain_silver(tally, prizes),
                "prizes": scheduler.explain_prizes(tally, prizes) if self.is_final else [],
            },
            "rules": tally.rules.as_json() | {"prizes": prizes.as_json()},
            "prizes": [_award(award) for award in awards],
            "silver": self._silver(),
            "rankings": self._rankings(),
            "talks": [_brief(view, talk) for talk in view.talks],
            "incidents": [
                {"seq": i.seq, "at": view.wall_text(i.mono_ns), "kind": i.kind}
                | {"who": i.who, "what": i.what, "count": i.count}
                for i in view.incidents
            ],
            "record": {"events": view.events, "head": view.head},
        }

    def as_json(self) -> dict[str, Any]:
        """The whole document, for `json.dumps`; docs/reference/results.md has its meaning."""
        return self.document | {"talks": [talk_json(self.view, talk) for talk in self.view.talks]}

    def stream(self) -> Iterator[str]:
        """`results.json`: the whole document as text, for people to read as well, in parts no
        larger than a talk."""
        for at, (name, value) in enumerate(self.document.items()):
            yield f"{',' if at else '{'}\n  {json.dumps(name)}: "
            if name == "talks" and self.view.talks:
                for nth, talk in enumerate(self.view.talks):
                    yield f"{',' if nth else '['}\n    {_indented(talk_json(self.view, talk), 2)}"
                yield "\n  ]"
            else:
                yield _indented(value, 1)
        yield "\n}\n"

    def _schedule(self) -> dict[str, Any]:
        schedule, _, _ = self.counted
        report = scheduler.check(schedule)
        return {
            "rounds": scheduler.rounds_json(schedule),
            "check": report.as_json(),
            "words": scheduler.explain_report(report),
        }

    def _silver(self) -> list[dict[str, Any]]:
        _, verdicts, _ = self.counted
        fooled = sorted(v.pairing for v in verdicts if v.choice is scheduler.Choice.ENTRY)
        return [
            medal.as_json()
            | {
                "verdicts": [
                    {"round": p.round, "judge": p.judge, "confederate": p.confederate}
                    for p in fooled
                    if p.entry == medal.entry
                ]
            }
            for medal in self.tally.silver
        ]

    def _rankings(self) -> list[dict[str, Any]]:
        _, _, ballots = self.counted
        versions = {each.judge: each.version for each in self.view.rankings}
        return [
            {
                "judge": ballot.judge,
                "version": versions[ballot.judge],
                "status": "excluded" if ballot.excluded else "counted",
                "reason": ballot.excluded,
                # Exact: whole, or as a fraction such as 13/4.
                "ranks": {rank.participant: str(rank.value) for rank in ballot.ranks},
            }
            for ballot in ballots
        ]


def _indented(value: Any, depth: int) -> str:
    """A value as `json.dumps` writes it within others. No text in it holds a line end."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    return text.replace("\n", "\n" + "  " * depth)


def _person(person: Person) -> dict[str, Any]:
    found: dict[str, Any] = {
        "id": person.id,
        "role": person.role,
        "name": person.name,
        "withheld": person.withheld,
    }
    if person.entrant:
        found["entrant"] = person.entrant
    if person.before:
        # Who had the seat before.
        found["before"] = [{"name": p.name, "withheld": p.withheld} for p in person.before]
    return found


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
    return asdict(award) | {"money": str(award.money), "still_due": str(award.still_due)}


def talk_json(view: ContestView, talk: TalkView) -> dict[str, Any]:
    """A talk as it stands among the `talks` of the document."""
    written = transcribe(talk)
    return _brief(view, talk) | {
        "keys": None if talk.withheld else len(talk.keys),
        "length_ms": _length_ms(talk),
        "typing": None
        if talk.withheld
        else {"judge": asdict(written.judge), "entity": asdict(written.entity)},
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


def _line(line: Line) -> dict[str, Any]:
    said: dict[str, Any] = {
        "author": line.author,
        "offset_ms": line.offset_ms,
        "end_ms": line.end_ms,
        "text": line.text,
        "finished": line.finished,
    }
    return said | ({"typed": line.typed} if line.corrected else {})
