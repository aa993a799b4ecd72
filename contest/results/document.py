"""The results of a contest as JSON: contest, schedule with its proof, tally in words and numbers,
prizes, silver medal with its evidence, and each talk with verdict, timing and transcript.

`loebner export --format json` writes this document beside the record; `contest.results.page` shows
it as a page. Its reference is docs/reference/results.md.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from functools import cached_property
from typing import Any

import scheduler
from contest.results.contest import Contest
from contest.results.statistics import statistics_of
from contest.results.transcript import transcribe
from contest.state.incidents import in_words
from contest.state.model import Attempt, Talk

#: Version of the document's format, which the document contains.
FORMAT = 1


class Results:
    """The data that pages, exports and pictures show of a contest; each part is computed once, on
    first use.

    Arguments:
        contest: for an unfinished contest, the results are interim and say so.

    Everything except `contest` raises RecordTrouble if the record's schedule can't be used, or its
    verdicts and ballots contradict the schedule.
    """

    def __init__(self, contest: Contest) -> None:
        self.contest = contest

    @cached_property
    def statistics(self) -> dict[str, Any]:
        """The document `statistics.json`; see `contest.results.statistics`."""
        return statistics_of(self.contest)

    @cached_property
    def document(self) -> dict[str, Any]:
        """The JSON document without the typed text: its talks have neither keys nor lines."""
        contest, state, tally = self.contest, self.contest.state, self.contest.tally
        schedule, verdicts, ballots = contest.counted
        report = scheduler.check(schedule)
        fooled = sorted(v.pairing for v in verdicts if v.choice is scheduler.Choice.ENTRY)
        final, prizes = contest.is_final, contest.prizes
        awards = scheduler.awards(tally.entries, tally.silver, prizes) if final else ()
        return {
            "format": FORMAT,
            "contest": self._contest(),
            "people": [self._person(who) for who in contest.people],
            "schedule": {
                "rounds": scheduler.rounds_json(schedule),
                "check": report.as_json(),
                "words": scheduler.explain_report(report),
            },
            "rounds": [self._round(each) for each in contest.attempts],
            "tally": tally.as_json(),
            "stopped": None
            if state.stopped is None
            else {
                "after_round": state.stopped[0],
                "not_played": list(contest.not_played),
                "reason": state.stopped[1],
            },
            "final": final,
            "words": {
                "state": contest.state_in_words(),
                "rules": scheduler.explain_rules(tally.rules),
                "places": scheduler.explain_places(tally),
                "silver": scheduler.explain_silver(tally, prizes),
                "prizes": scheduler.explain_prizes(tally, prizes) if final else [],
            },
            "rules": tally.rules.as_json() | {"prizes": prizes.as_json()},
            "prizes": [
                asdict(award) | {"money": str(award.money), "still_due": str(award.still_due)}
                for award in awards
            ],
            "silver": [
                medal.as_json()
                | {
                    "verdicts": [
                        {"round": p.round, "judge": p.judge, "confederate": p.confederate}
                        for p in fooled
                        if p.entry == medal.entry
                    ]
                }
                for medal in tally.silver
            ],
            "rankings": [
                {
                    "judge": ballot.judge,
                    "version": state.rankings[ballot.judge].body.version,
                    "status": "excluded" if ballot.excluded else "counted",
                    "reason": ballot.excluded,
                    # Exact: whole, or as a fraction such as 13/4.
                    "ranks": {rank.participant: str(rank.value) for rank in ballot.ranks},
                }
                for ballot in ballots
            ],
            "talks": [self.brief(talk) for talk in contest.talks],
            "incidents": [
                {"seq": i.event.seq, "at": contest.wall_text(i.event.mono_ns)}
                | {"kind": i.event.kind, "who": i.who}
                | {"what": in_words(i.event, i.count), "count": i.count}
                for i in contest.incidents
            ],
            "record": {"events": contest.log.count(), "head": contest.head},
        }

    def stream(self) -> Iterator[str]:
        """`results.json`: the whole document as indented text, in chunks no larger than a talk."""
        for at, (name, value) in enumerate(self.document.items()):
            yield f"{',' if at else '{'}\n  {json.dumps(name)}: "
            if name == "talks" and self.contest.talks:
                for nth, talk in enumerate(self.contest.talks):
                    yield f"{',' if nth else '['}\n    {_indented(self.talk(talk), 2)}"
                yield "\n  ]"
            else:
                yield _indented(value, 1)
        yield "\n}\n"

    def talk(self, talk: Talk) -> dict[str, Any]:
        """A talk as an item of the document's `talks`."""
        contest, withheld = self.contest, self.contest.withheld(talk)
        lines, typing = transcribe(contest, talk)
        return self.brief(talk) | {
            "keys": None if withheld else len(contest.keys(talk.id)),
            "length_ms": contest.length_ms(talk),
            "typing": None if withheld else typing,
            "lines": lines,
        }

    def brief(self, talk: Talk) -> dict[str, Any]:
        """`talk` without the typed text."""
        contest, verdict = self.contest, self.contest.verdict(talk)
        return {
            **contest.row(talk),
            "counts": contest.counts(talk),
            "voided": contest.voided(talk),
            "verdict": None
            if verdict is None
            else {
                "taken_for_human": verdict.body.human == talk.side,
                "confidence": verdict.body.confidence,
                "reason": None if verdict.redacted else verdict.body.reason,
            },
            "withheld": contest.withheld(talk),
        }

    def _contest(self) -> dict[str, Any]:
        contest, opened = self.contest, self.contest.state.opened
        table = contest.settings.get("contest")
        settings = table if isinstance(table, dict) else {}
        return {
            "name": str(settings.get("name") or "A contest"),
            **{name: str(settings.get(name) or "") for name in ("venue", "date", "start")},
            "program": "" if opened is None else opened.program,
            "speed": contest.speed / 1000,
            "opened_at": contest.state.first_at,
            "closed": contest.state.closed,
            "sides_revealed": contest.state.revealed,
        }

    def _person(self, who: str) -> dict[str, Any]:
        *before, (name, withheld) = self.contest.names(who)
        found = {
            "id": who,
            "role": self.contest.people[who]["role"],
            "name": name,
            "withheld": withheld,
        }
        if entrant := self.contest.people[who].get("entrant"):
            found["entrant"] = str(entrant)
        if before:
            found["before"] = [{"name": name, "withheld": withheld} for name, withheld in before]
        return found

    def _round(self, each: Attempt) -> dict[str, Any]:
        def wall(mono_ns: int | None) -> str | None:
            return None if mono_ns is None else self.contest.wall_text(mono_ns)

        return {
            "round": each.number,
            "attempt": each.attempt,
            "counts": each.counts,
            "started_at": wall(each.started_ns),
            "ended_at": wall(each.ended_ns),
            "seconds": each.seconds,
            "end_reason": each.end_reason,
            "pauses": [
                {"from": wall(since), "to": wall(to), "reason": reason}
                for since, to, reason, *_ in each.pauses
            ],
            "extensions": [
                {"at": wall(at), "seconds": seconds, "reason": reason}
                for at, seconds, reason in each.extensions
            ],
            "voided": each.voided,
        }


def _indented(value: Any, depth: int) -> str:
    """A value as `json.dumps` writes it at a depth; JSON strings contain no line ends."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    return text.replace("\n", "\n" + "  " * depth)
