"""What stands on the organizer's page at a moment: from the contest's status to parts in HTML."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from contest.organizer import forms as orders
from contest.organizer.now import Picture
from contest.organizer.overview import Overview
from contest.organizer.past import History
from contest.organizer.rows import ROLES, rows
from contest.pages import render

#: The latest incidents on the page itself; the log has them all.
INCIDENTS = 8
#: Bytes on the disk that are little.
LITTLE = 1e9
#: Phases in which the clock runs.
RUNNING = frozenset({"interaction", "scoring", "ranking"})
#: Phases in which somebody who is not here is missed: a round goes on, or the ranking.
MISSED = frozenset({"interaction", "paused", "scoring", "ranking"})
#: Phase to its mark's words and its look.
MARKS: Mapping[str, tuple[str, str]] = {
    "before": ("not begun", ""),
    "waiting": ("people come", "warn"),
    "interaction": ("interaction", "live"),
    "paused": ("paused", "warn"),
    "scoring": ("scoring", "live"),
    "closed": ("between rounds", ""),
    "ranking": ("ranking", "live"),
    "over": ("over", "ok"),
}
PARTS = (
    "now",
    "actions",
    "missing",
    "proposals",
    "checks",
    "desks",
    "entries",
    "incidents",
    "orders",
    "machine",
)

Status = Mapping[str, Any]


class Studio:
    """Makes pictures of a contest.

    Arguments:
        overview: looks at it.
        history: what has happened.
        speed: seconds of contest time in a second.
    """

    def __init__(
        self,
        overview: Overview,
        history: History,
        speed: float,
    ) -> None:
        self._overview = overview
        self._history = history
        self._speed = speed

    def picture(self, form: str = "") -> Picture:
        """The picture as of now.

        Arguments:
            form: the token that the forms bring back; empty in what is sent to pages that have it.
        """
        status = self._overview.status()
        context = self.context(status) | {"form": form}
        parts = {name: render(f"organizer/part_{name}.html", context) for name in PARTS}
        return Picture(parts, status["remaining"], self.running(status))

    def running(self, status: Status) -> float:
        """Seconds of contest time that pass in a second now: 0 while the clock stands."""
        return self._speed if status["phase"] in RUNNING else 0.0

    def context(self, status: Status) -> dict[str, Any]:
        """What the parts are made of."""
        waits = status["waits_for_start"]
        checks = [each.as_json() for each in self._overview.check()] if waits else []
        words, look = MARKS[status["phase"]]
        return {
            "status": status,
            "mark": {"words": words, "look": look},
            "coming": coming(status),
            "checks": checks,
            "lacking": [each for each in checks if not each["ok"]],
            "doubtful": [each for each in checks if each["level"] == "yellow"],
            "desks": rows(status),
            "missing": missing(status),
            "others": others(status),
            "machine": machine(status),
            "incidents": list(reversed(status["incidents"]))[:INCIDENTS],
            "more_incidents": max(0, len(status["incidents"]) - INCIDENTS),
            "why_not": orders.why_not(status),
            "controls": orders.CONTROLS,
            "groups": orders.GROUPS,
            "choices": choices(status, self._history),
            "speed": self._speed,
        }


def missing(status: Status) -> list[dict[str, str]]:
    """Who is needed now and not here, judges first: `id`, `name`, `what` is the matter, what to do
    about it (`remedy`), and the `order` that is for it; empty for none."""
    if status["phase"] not in MISSED:
        return []
    phase = status["phase"]
    # Judges decide at their desks, and then all of them rank.
    roles = ROLES if phase in ("interaction", "paused") else ROLES[:1]
    at_desks = {each[role] for each in status["pairings"] for role in roles}
    wait = "; pause the round meanwhile" if phase == "interaction" else ""
    found = []
    for seat in status["seats"]:
        ranks = phase == "ranking" and seat["role"] == "judge"
        needed = ranks or seat["seat"] in at_desks
        if needed and not seat["here"]:
            found.append(
                {"id": seat["seat"], "name": seat["name"], "role": seat["role"]}
                | {"what": "is not here", "order": "replace"}
                | {"remedy": f"Have the console opened again with the code of this seat{wait}."}
            )
    for entry in status["entries"]:
        if entry["entry"] in at_desks and (not entry["here"] or entry["program"] == "ended"):
            ended = entry["here"]
            how = "Restart it" if ended else "See to its link: the log of the link says why"
            found.append(
                {"id": entry["entry"], "name": entry["name"], "role": "entry"}
                | {"what": "has ended" if ended else "has no link"}
                | {"order": "restart" if ended else "", "remedy": f"{how}{wait}."}
            )
    return sorted(found, key=lambda each: ROLES.index(each["role"]))


def others(status: Status) -> dict[str, list[Any]]:
    """Seats and entries that are at no desk of the round."""
    at_desks = {each[role] for each in status["pairings"] for role in ROLES}
    return {
        "seats": [each for each in status["seats"] if each["seat"] not in at_desks],
        "entries": [each for each in status["entries"] if each["entry"] not in at_desks],
    }


def machine(status: Status) -> list[tuple[str, str]]:
    """How record and server do: (shape, words) each."""
    record, minutes = status["record"], int(status["wall"] // 60)
    said = []
    if record["trouble"]:
        said.append(("late", f"the record: {record['trouble']}"))
    else:
        said.append(("here", "the record is written"))
    match record["copy"]:
        case "kept":
            said.append(("here", "the second copy is kept"))
        case None:
            said.append(("away", "there is no second copy: [record] copy_to names a place for one"))
        case behind:
            said.append(("late", f"the second copy: {behind}"))
    free = record["disk_free"]
    if free is not None:
        said.append(("late" if free < LITTLE else "here", f"{free / 1e9:.1f} GB free on the disk"))
    return [*said, ("here", f"the server runs for {minutes // 60} h {minutes % 60} min")]


def coming(status: Status) -> str:
    """What the next start begins, in words; empty if nothing does."""
    match status["next"]:
        case {"round": round_, "attempt": attempt}:
            return f"round {round_}" + (f", attempt {attempt}" if attempt > 1 else "")
        case "ranking":
            return "the ranking"
    return ""


def choices(status: Status, history: History) -> dict[str, list[tuple[str, str]]]:
    """What can be chosen in the orders' forms: lists of (value, words)."""
    talks = history.talks()
    people = [
        (each["seat"], f"{each['seat']}, {each['role']}, {each['name']}")
        for each in status["seats"]
    ]
    attempts = dict.fromkeys(".".join(talk.split(".")[:2]) for talk in talks)
    return {
        "talks": [
            *((each, f"{_attempt(each)}, all of it") for each in attempts),
            *((talk, talk_in_words(talk)) for talk in talks),
            *_ballots(status),
        ],
        "programs": [
            (each["entry"], f"{each['entry']}, {each['name'] or 'without a name'}")
            for each in status["entries"]
            if each["program"] is not None
        ],
        "people": people,
    }


def _ballots(status: Status) -> list[tuple[str, str]]:
    """The judges' ballots, while some are given."""
    if status["phase"] != "ranking":
        return []
    judges = [each["seat"] for each in status["seats"] if each["role"] == "judge"]
    return [(judge, f"The ballot of {judge}") for judge in judges]


def _attempt(name: str) -> str:
    round_, attempt = name.split(".")[:2]
    return f"Round {round_}" + (f", attempt {attempt}" if attempt != "1" else "")


def talk_in_words(name: str) -> str:
    """A talk's id for a person, without telling who sits there."""
    judge, side = name.split(".")[2:]
    return f"{_attempt(name)}: {judge}, {side}"
