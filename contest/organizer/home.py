"""What stands on the organizer's page at a moment: the data of its parts, from the status."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from contest.organizer.status import STATES

#: The latest incidents on the page itself; the log has them all.
INCIDENTS = 8
#: Phases in which the clock runs.
RUNNING = frozenset({"interaction", "scoring", "ranking"})
#: Phase to the words and the look of its mark.
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
#: The parts of the page.
PARTS = (
    *("now", "actions", "missing", "proposals", "checks"),
    *("desks", "entries", "incidents", "orders", "machine"),
)
ROLES = ("judge", "confederate", "entry")

Status = Mapping[str, Any]


def home(status: Status, checks: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What the parts are made of.

    Arguments:
        status: the contest's, as `Overview.status` gives it.
        checks: what the next round needs, as `Overview.check` gives it.
    """
    incidents = status["incidents"]
    return {
        "mark": MARKS[status["phase"]],
        "coming": coming(status),
        "checks": checks,
        "lacking": [each for each in checks if not each["ok"]],
        "doubtful": [each for each in checks if each["level"] == "yellow"],
        "desks": [_desk(pairing, status) for pairing in status["pairings"]],
        "at_desks": {pairing[role] for pairing in status["pairings"] for role in ROLES},
        "missing": missing(status),
        "incidents": incidents[: -INCIDENTS - 1 : -1],
        "more_incidents": max(0, len(incidents) - INCIDENTS),
    }


def coming(status: Status) -> str:
    """What the next start begins, in words; empty if nothing does."""
    match status["next"]:
        case {"round": number, "attempt": attempt}:
            return f"round {number}" + (f", attempt {attempt}" if attempt > 1 else "")
        case "ranking":
            return "the ranking"
    return ""


def missing(status: Status) -> list[dict[str, str]]:
    """Who is needed now and not here, judges first: `id`, `name`, `role`, `what` is the matter,
    what to do about it (`remedy`), and the `order` that is for it; empty for none."""
    phase = status["phase"]
    # Who sits at a desk is needed there; judges decide, and then all of them rank.
    roles: tuple[str, ...] = ROLES if phase in ("interaction", "paused") else ("judge",)
    if phase not in ("interaction", "paused", "scoring", "ranking"):
        return []
    at_desks = {each[role] for each in status["pairings"] for role in roles}
    wait = "; pause the round meanwhile." if phase == "interaction" else "."
    found = []
    for seat in status["seats"]:
        ranks = phase == "ranking" and seat["role"] == "judge"
        if (ranks or seat["seat"] in at_desks) and not seat["here"]:
            remedy = f"Have the console opened again with the code of this seat{wait}"
            words = {"what": "is not here", "order": "replace", "remedy": remedy}
            found.append({"id": seat["seat"], "name": seat["name"], "role": seat["role"]} | words)
    for entry in status["entries"]:
        if entry["entry"] not in at_desks:
            continue
        if not entry["here"]:
            remedy = f"See to its link: the log of the link says why{wait}"
            words = {"what": "has no link", "order": "", "remedy": remedy}
        elif entry["program"] == "ended":
            words = {"what": "has ended", "order": "restart", "remedy": f"Restart it{wait}"}
        else:
            continue
        found.append({"id": entry["entry"], "name": entry["name"], "role": "entry"} | words)
    return sorted(found, key=lambda each: ROLES.index(each["role"]))


def _desk(pairing: Status, status: Status) -> dict[str, Any]:
    """A row. Where the entry sits, at the left or at the right, is not said: a glance at the
    organizer's phone must not tell a judge. Delays are there only where a judge could notice."""
    names = {each["seat"]: each["name"] for each in status["seats"]}
    names |= {each["entry"]: each["name"] for each in status["entries"]}
    sides = {place: pairing[place] for place in ("left", "right") if pairing[place] is not None}
    parties = []
    for role in ROLES:
        id_, state = pairing[role], pairing["states"][role]
        author = "judge" if role == "judge" else "entity"
        keys = sum(
            s["keys"][author] for s in sides.values() if id_ in (s["entity"], pairing["judge"])
        )
        more = [f"{keys} keys in 10 s"] * bool(keys)
        if role == "entry" and pairing["oldest_unread"] >= 1:
            more.append(f"oldest unread key {pairing['oldest_unread']:.0f} s")
        delay = pairing["delays"][role]
        if delay is not None and pairing["warning"]:
            more.append(f"{'link' if role == 'entry' else 'console'} {delay} ms")
        name = names.get(id_, "")
        parties.append(
            {"id": id_, "name": "" if name == id_ else name, "role": role, "more": more}
            | {"shape": STATES[state["code"]].shape, "words": STATES[state["code"]].few}
        )
    delays = (
        {place: side["to_judge_ms"] for place, side in sides.items()} if pairing["warning"] else {}
    )
    return {
        "judge": pairing["judge"],
        "parties": parties,
        "warning": pairing["warning"],
        "sides": {place: f"{ms} ms" for place, ms in delays.items() if ms is not None},
    }


def choices(status: Status, talks: Sequence[str]) -> dict[str, list[tuple[str, str]]]:
    """What can be chosen in the orders' forms: lists of (value, words).

    Arguments:
        status: the contest's.
        talks: the ids of all talks.
    """
    attempts = dict.fromkeys(".".join(talk.split(".")[:2]) for talk in talks)
    judges = [each["seat"] for each in status["seats"] if each["role"] == "judge"]
    ballots = judges if status["phase"] == "ranking" else []
    return {
        "talks": [
            *((each, f"{_attempt(each)}, all of it") for each in attempts),
            *((talk, talk_in_words(talk)) for talk in talks),
            *((judge, f"The ballot of {judge}") for judge in ballots),
        ],
        "programs": [
            (each["entry"], f"{each['entry']}, {each['name'] or 'without a name'}")
            for each in status["entries"]
            if each["program"] is not None
        ],
        "people": [
            (each["seat"], f"{each['seat']}, {each['role']}, {each['name']}")
            for each in status["seats"]
        ],
    }


def _attempt(name: str) -> str:
    number, attempt = name.split(".")[:2]
    return f"Round {number}" + (f", attempt {attempt}" if attempt != "1" else "")


def talk_in_words(name: str) -> str:
    """A talk's id for a person, without telling who sits there."""
    judge, side = name.split(".")[2:]
    return f"{_attempt(name)}: {judge}, {side}"
