"""Tests that every export respects what people agreed to: pseudonyms, and what is withheld.

In these contests each author of each talk types a unique sign, and each verdict's reason has one,
so that any sign in an export can be traced to its author.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from contest.live.hub import Hub
from contest.record import bodies
from contest.record.bodies import Author
from contest.record.events import Event, canonical, event_from_json
from contest.record.store import Record
from contest.results.contest import Contest
from contest.results.document import Results
from contest.results.exports import FORMATS, export
from contest.state.incidents import WITHHELD
from contest.state.phases import Phase
from contest.state.schedules import change
from contest.verify.verify import verify, verify_rows
from lpp.log2012 import read as read_log
from scheduler import Pairing, Schedule
from tests.contest.build import (
    SECONDS,
    Builder,
    brief,
    contest,
    exported,
    publishable,
    reforge,
    results_json,
    rows,
    save,
)
from tests.contest.conftest import ManualClock
from tests.contest.journals import InlineJournal

PEOPLE = ("J1", "J2", "J3", "C1", "C2", "C3")
NAMES = {
    "J1": "Quentin Featherstone",
    "J2": "Ottoline Marchbanks",
    "J3": "Peregrine Took",
    "C1": "Drusilla Blackwood",
    "C2": "Ignatius Pell",
    "C3": "Hester Vane",
}
#: The person who takes the seat of J2 before the ranking, and one who was proposed for it but never
#: took it.
NEW, NEVER = "Rosalind Ash", "Cornelius Fudge"
SCHEDULE = Schedule.of(
    Pairing(*each)
    for each in (
        *((1, "J1", "E1", "C1"), (1, "J2", "E2", "C2"), (1, "J3", "E3", "C3")),
        *((2, "J1", "E2", "C3"), (2, "J2", "E3", "C1"), (2, "J3", "E1", "C2")),
    )
)


@dataclass(frozen=True)
class ConsentAnswer:
    """A person's answer: to publish, to withhold or none; and the pseudonym."""

    publish: bool | None = None
    pseudonym: str = ""


@dataclass
class SignedContest:
    """A contest in which each author types a different character: `signs` by (talk, author), and
    `reasons` by (verdict's round, judge)."""

    b: Builder = field(default_factory=Builder)
    signs: dict[tuple[str, str], str] = field(default_factory=dict)
    entities: dict[str, tuple[str, str]] = field(default_factory=dict)
    reasons: dict[tuple[int, str], str] = field(default_factory=dict)


def play(answers: Mapping[str, ConsentAnswer], default: str | None = "withhold") -> SignedContest:
    """Plays two rounds. People answer after the first one; some had answered differently before."""
    played = SignedContest()
    b = played.b
    fresh = (chr(code) for code in itertools.count(0x4E00))
    own: dict[str, Any] = {
        "contest": {"name": "A contest of tests", "date": "2010-10-23"},
        "record": {"database": "", "copy_to": ""},
        "judge": [{"id": who, "name": NAMES[who]} for who in PEOPLE if who[0] == "J"],
        "entry": [{"id": f"E{n}", "name": f"Program {n}"} for n in (1, 2, 3)],
        "confederate": [{"id": who, "name": NAMES[who]} for who in PEOPLE if who[0] == "C"],
    }
    if default is not None:
        own["publication"] = {"text": "", "default": default}
    b.open(SCHEDULE, own)
    versions = dict.fromkeys(PEOPLE, 0)

    def say(who: str, publish: bool, pseudonym: str) -> None:
        versions[who] += 1
        body = bodies.ConsentGiven(who, publish, versions[who], pseudonym)
        b.write(body, actor=who)

    for who in ("J1", "C2"):
        if answers.get(who, ConsentAnswer()).publish is not None:
            say(who, True, f"Earlier {who}")
    for number, pairings in enumerate(SCHEDULE.rounds, 1):
        _round(played, number, pairings, fresh)
        if number == 1:
            for who, answer in answers.items():
                if answer.publish is not None:
                    say(who, answer.publish, answer.pseudonym)
            b.write(change(SCHEDULE, 2, f"{NAMES['C1']} is late"), actor="organizer")
    _replace(b, default)
    for judge in ("J2", "J3"):
        ranks = {"1 left": 2, "1 right": 4}
        b.write(bodies.RankingGiven(judge, 1, ranks, _labels(judge)), actor=judge)
    b.write(bodies.BallotExcluded("J3", f"J3 knows {NAMES['C1']}"), actor="organizer")
    b.reveal()
    b.write(b.read().result())
    b.write(bodies.Revealed("names"), actor="organizer")
    b.write(bodies.DeclaredFinal(f"{NAMES['J1']} agrees"), actor="organizer")
    b.write(bodies.ContestClosed(b.chains.heads()))
    return played


def _replace(b: Builder, default: str | None) -> None:
    """Another person takes the seat of J2 before the ranking, by an order that two persons gave.
    With the default `withhold`, a third person was proposed first."""
    reason = f"{NAMES['J2']} and {NAMES['C1']} felt unwell"
    for number, name in ((1, NEVER), (2, NEW)):
        if name == NEW or default == "withhold":
            order = {"action": "replace", "seat": "J2", "name": name}
            b.write(bodies.OrderProposed(number, order, reason, 2, 1, "closed"), actor="organizer")
    if default == "withhold":
        b.write(bodies.OrderDropped(1, f"{NEVER} is not {NAMES['J1']}"), actor="witness")
        b.write(bodies.WrongCodes("192.168.1.77", 3))
    b.write(bodies.OrderDropped(3), actor="organizer")
    b.write(bodies.OrderConfirmed(2), actor="witness")
    b.write(bodies.PersonReplaced("J2", NEW, reason), actor="organizer")


def _labels(judge: str) -> dict[str, list[str]]:
    return {f"1 {side}": [f"1.1.{judge}.{side}"] for side in ("left", "right")}


def _round(
    played: SignedContest, number: int, pairings: tuple[Pairing, ...], fresh: Iterator[str]
) -> None:
    b = played.b
    b.write(bodies.RoundOpened(number, 1))
    talks = []
    for pairing in pairings:
        b.write(
            bodies.LeftOvers(pairing.entry, [f"0000000001.{_unread(played, pairing.entry)}.judge"])
        )
        for entity, talk in b.seat(number, 1, pairing).items():
            played.entities[talk] = (pairing.judge, entity)
            talks.append(talk)
    b.write(bodies.RoundStarted(number, 1, SECONDS))
    ends = b.now_ns + SECONDS * 10**9
    for talk in talks:
        judge, entity = played.entities[talk]
        for author, actor in (("judge", judge), ("entity", entity)):
            played.signs[talk, author] = sign = next(fresh)
            who: Author = "judge" if author == "judge" else "entity"
            keys = b.type(talk, who, actor, f"{sign}{sign}\n")
            b.write(bodies.Times([[key.seq, key.mono_ns, key.mono_ns + 1] for key in keys]), talk)
        if entity.startswith("E"):
            name = f"x.{played.signs[talk, 'judge']}.other"
            b.write(bodies.Breach(entity, "2.A.b/name", name, f"no key: {name}"), actor=entity)
    reason = f"{NAMES['J2']} and {NAMES['C1']} felt unwell"
    b.write(bodies.RoundPaused(number, 1, reason), actor="organizer")
    b.write(bodies.RoundExtended(number, 1, 1, reason), actor="organizer")
    b.write(bodies.RoundResumed(number, 1), actor="organizer")
    b.now_ns = max(b.now_ns, ends) + 2 * 10**9
    b.write(bodies.RoundEnded(number, 1, "time"))
    for pairing in pairings:
        played.reasons[number, pairing.judge] = sign = next(fresh)
        body = bodies.VerdictGiven(number, 1, pairing.judge, "left", 1, 77, f"it said {sign}")
        b.write(body, actor=pairing.judge)
    b.write(bodies.DelaysDiffer(number, 1, "J1", "entity", 12, 240))
    b.write(bodies.ServerStalled(10_204))
    b.write(bodies.ScoringClosed(number, 1, f"{NAMES['J1']} has to leave"), actor="organizer")
    b.close_round(number, 1, talks)
    b.write(bodies.RoundAgain(number, 1, reason), actor="organizer")
    b.write(bodies.EntryRestarted("E1", reason), actor="organizer")
    b.write(bodies.RoundsStopped(reason), actor="organizer")
    b.write(bodies.Voided(number, 1, reason, talks[0]), actor="organizer")


def _unread(played: SignedContest, entry: str) -> str:
    """A key that the previous judge pressed for this entry."""
    before = [talk for talk, (_, entity) in played.entities.items() if entity == entry]
    return played.signs[before[-1], "judge"] if before else "a"


#: A format that contains no text of the talks.
PICTURES = "pictures"


def files_of(b: Builder) -> dict[str, bytes]:
    """All files of all formats except pictures."""
    results = Results(b.read())
    return {
        f"{form}/{name}": b"".join(content)
        for form, made in FORMATS.items()
        if form != PICTURES
        for name, content in made(results)
    }


def holds(content: bytes, text: str) -> bool:
    """Whether a file contains a text, in any JSON spelling."""
    escaped = json.dumps(text)[1:-1].encode()
    return text.encode() in content or escaped in content or escaped.lower() in content


@functools.cache
def answered() -> SignedContest:
    """The contest in which people gave `ANSWERS`; tests must not change it."""
    return play(ANSWERS)


ANSWERS = {
    "J1": ConsentAnswer(True, "Grey Heron"),
    "C1": ConsentAnswer(True, "Barn Owl"),
    "J2": ConsentAnswer(False),
    "C2": ConsentAnswer(False, "Night Jar"),
    "J3": ConsentAnswer(True),
    "C3": ConsentAnswer(True),
}


def test_no_export_contains_withheld_text_or_names_replaced_by_pseudonyms(tmp_path: Path) -> None:
    played = answered()
    folder = save(tmp_path / "c", played.b)
    found = {
        f"{form}/{file.name}": file.read_bytes()
        for form in FORMATS
        if form != PICTURES
        for file in export(folder, form, tmp_path / form)
    }
    hidden = [NAMES[who] for who in ("J1", "C1", "J2", "C2")]
    hidden += ["Earlier J1", "Earlier C2", "Night Jar", NEW, NEVER]
    for talk, (judge, entity) in played.entities.items():
        if {judge, entity} & {"J2", "C2"}:
            hidden += [played.signs[talk, "judge"], played.signs[talk, "entity"]]
    # The reasons of J2, and that of J3 about a talk with C2.
    hidden += [played.reasons[place] for place in ((1, "J2"), (2, "J2"), (2, "J3"))]
    assert len(hidden) == 9 + 2 * 5 + 3
    for text in hidden:
        assert [name for name, content in found.items() if holds(content, text)] == []
    for text in ("Grey Heron", "Barn Owl", NAMES["J3"], NAMES["C3"], played.reasons[1, "J3"]):
        assert holds(found["json/results.json"], text)


answers = st.one_of(
    st.just(ConsentAnswer()),
    st.just(ConsentAnswer(False)),
    st.just(ConsentAnswer(True)),
    st.sampled_from(["Wren", "Kite", "Rook"]).map(lambda name: ConsentAnswer(True, name)),
)


@settings(max_examples=4, deadline=None)
@given(
    st.fixed_dictionaries(dict.fromkeys(PEOPLE, answers)),
    st.sampled_from(["publish", "withhold", None]),
)
def test_each_export_contains_exactly_the_talks_that_may_be_published(
    given_: dict[str, ConsentAnswer], default: str | None
) -> None:
    played = play(given_, default)
    withheld = {
        who
        for who, answer in given_.items()
        if answer.publish is False or (answer.publish is None and default == "withhold")
    }
    found = files_of(played.b)
    by_form = {
        form: b"".join(content for name, content in found.items() if name.startswith(f"{form}/"))
        for form in FORMATS
        if form != PICTURES
    }
    for (talk, _), sign in played.signs.items():
        published = not withheld & {*played.entities[talk]}
        for form, content in by_form.items():
            assert holds(content, sign) == published, (form, talk)
    for (number, judge), sign in played.reasons.items():
        pairing = next(p for p in SCHEDULE.pairings if (p.round, p.judge) == (number, judge))
        published = not withheld & {judge, pairing.confederate}
        for form in ("html", "json"):
            assert holds(by_form[form], sign) == published, (form, number, judge)
    for who in PEOPLE:
        named = who not in withheld and not given_[who].pseudonym
        assert holds(by_form["json"], NAMES[who]) == named, who
        if not named:
            assert not any(holds(content, NAMES[who]) for content in found.values())


def test_publishing_a_published_record_changes_nothing() -> None:
    once = publishable(answered().b.events)
    assert publishable(once) == once
    # In a record without consents, only the programs' commands are left out.
    published = publishable(contest().events)
    assert {event.kind for event in published if event.redacted} == {"entry-started"}
    assert [e for e in published if not e.redacted] == [
        e for e in contest().events if e.kind != "entry-started"
    ]


def test_withholding_does_not_change_tables_and_places() -> None:
    whole = play({}, "publish").b.read()
    left = play({}, "withhold").b.read()
    of_whole, of_left = (json.loads("".join(Results(view).stream())) for view in (whole, left))
    for results in (of_whole, of_left):
        # Names are removed from the organizer's reasons.
        warnings = results["tally"]["warnings"]
        results["tally"]["warnings"] = [
            each.partition(" was voided: ")[0].partition(" does not count: ")[0]
            for each in warnings
        ]
        del results["words"]["state"]
        for ballot in (*results["tally"]["ballots"], *results["rankings"]):
            del ballot["reason"]
    for part in ("tally", "rankings", "schedule", "prizes", "words"):
        assert of_whole[part] == of_left[part]
    assert {person["name"] for person in of_left["people"]} >= set(PEOPLE)
    assert [p["id"] for p in of_left["people"] if p["withheld"]] == [
        *("J1", "J2", "J3", "C1", "C2", "C3")
    ]


def test_log_with_one_withheld_side_can_be_read() -> None:
    played = answered()
    log = read_log(exported(played.b.log(), "lpp2012")["round2-attempt1-J3-E1.log"])
    human = played.b.sides[2, 1, "J3"][0]
    program = "right" if human == "left" else "left"
    assert log.losses == ()
    assert {entry.side for entry in log.entries} == {program}
    assert log.notice.endswith(f"({human}: {WITHHELD})")


# The chain of a published record


def write(file: Path, events: list[Event]) -> Path:
    file.write_bytes(b"".join(canonical(event.as_json()) + b"\n" for event in events))
    return file


def test_published_record_verifies_and_redactions_are_counted(tmp_path: Path) -> None:
    played = answered()
    folder = save(tmp_path / "c", played.b)
    out = tmp_path / "out"
    export(folder, "json", out)
    lines = (out / "events.jsonl").read_bytes().splitlines()
    redacted = sum(event_from_json(line).redacted for line in lines)
    assert redacted > 30
    head = played.b.chains.head(None)
    for where in (out, out / "events.jsonl"):
        report = verify(where, head)
        assert [str(f) for check in report.checks for f in check.faults] == []
        assert (report.redacted, report.events, report.finished) == (redacted, len(lines), True)
        assert f"({redacted} redacted" in report.checks[0].summary
    whole = verify(folder)
    assert whole.ok
    assert whole.redacted == 0


# Commands of entries, which contain paths of a private machine

HOME = "/home/iris/entries/teapot"


def started(format_: int) -> Builder:
    """A contest in this format, with commands and directories in its settings."""
    drafts = []
    for draft in brief().drafts:
        body = dict(draft.body)
        if draft.kind == "contest-opened":
            entries = [
                {**entry, "command": f"{HOME}/bot --dir {{dir}}", "directory": f"{HOME}/{n}"}
                for n, entry in enumerate(body["settings"]["entry"])
            ]
            body |= {"format": format_, "settings": {**body["settings"], "entry": entries}}
        elif draft.kind == "entry-started":
            body["command"] = [f"{HOME}/bot", "--dir", f"{HOME}/1"]
        if format_ > 1 and draft.kind in bodies.SALTED:
            body["salt"] = "5a" * 16
        drafts.append(replace(draft, body=body))
    return reforge(drafts)


@pytest.mark.parametrize("format_", range(1, bodies.FORMAT + 1))
def test_record_of_any_format_verifies_and_so_does_its_published_form(
    tmp_path: Path, format_: int
) -> None:
    b = started(format_)
    head = b.chains.head(None)
    whole = verify(save(tmp_path / "c", b), head)
    assert (whole.ok, whole.redacted) == (True, 0)
    # Exports of format 1 were not redacted: commands were published.
    before = write(tmp_path / "before.jsonl", b.events)
    file = write(tmp_path / "events.jsonl", publishable(b.events))
    for published, redacted in ((before, 0), (file, 3)):
        report = verify(published, head)
        assert [str(fault) for check in report.checks for fault in check.faults] == []
        assert report.redacted == redacted
    opened, first, *_ = map(event_from_json, file.read_bytes().splitlines())
    assert [entry["command"] for entry in opened.body["settings"]["entry"]] == [""] * 4
    assert opened.body["settings"]["entry"][0]["name"] == "Teapot"
    assert (first.body, first.redacted) == ({"entry": "E1", "command": []}, True)


@pytest.mark.parametrize(
    ("what", "left"),
    [
        (
            "[Errno 28] No space left on device: '/dev/shm/a b/E1'",
            "[Errno 28] No space left on device: …",
        ),
        ('can\'t start "C:\\Users\\iris\\bot.exe" here', "can't start … here"),
        (f"{HOME}/x: the directory is gone", "… the directory is gone"),
        ("3 keys of the judge stand unread", "3 keys of the judge stand unread"),
    ],
)
def test_paths_are_removed_from_published_troubles(what: str, left: str) -> None:
    b = Builder()
    b.open(SCHEDULE)
    b.write(bodies.Trouble("directory of E1", what))
    last = publishable(b.events)[-1]
    assert last.body == {"where": "directory of E1", "what": left}
    assert last.redacted == (what != left)


async def test_commands_and_troubles_are_salted(journal: InlineJournal) -> None:
    for body in (bodies.EntryStarted("E1", ["bot", "--dir", "x"]), bodies.Trouble("E1", "/x")):
        event = await journal.write_and_wait(None, "server", body)
        assert len(event.body["salt"]) == 32


def test_changed_published_event_fails_verification(tmp_path: Path) -> None:
    events = publishable(answered().b.events)
    at = next(at for at, e in enumerate(events) if e.kind == "key" and not e.redacted)
    changed = {**events[at].as_json(), "body": {**events[at].body, "key": "Z"}}
    file = write(tmp_path / "events.jsonl", [*events[:at], Event(**changed), *events[at + 1 :]])
    assert not verify(file).ok


def test_redacted_events_in_the_organizers_record_fail_verification() -> None:
    b = answered().b
    published = publishable(b.events)
    forged = [
        row._replace(body=canonical(event.body).decode())
        for row, event in zip(rows(b), published, strict=True)
    ]
    report = verify_rows(forged)
    assert any("its hash is not that" in str(fault) for fault in report.checks[0].faults)


# Hashes that reveal nothing


async def test_hash_does_not_reveal_a_key(
    journal: InlineJournal, clock: ManualClock, record: Record
) -> None:
    hub = Hub(journal, lambda: Phase.INTERACTION)
    talk = hub.open_talk(1, 1, "J1", "C1", "left")
    for n in (1, 2):
        hub.press(talk, "judge", "J1", "a", n)
    events = list(record.events(kind="key"))
    assert len({event.body["salt"] for event in events}) == 2
    for event in events:
        assert len(event.body["salt"]) == 32
        known = {**event.as_json(), "body": {k: v for k, v in event.body.items() if k != "salt"}}
        del known["hash"]
        assert hashlib.sha256(canonical(known)).hexdigest() != event.hash


def test_withheld_talk_does_not_reveal_its_rhythm() -> None:
    played = answered()
    opened = {e.talk: e for e in played.b.events if e.kind == "talk-opened"}
    for event in publishable(played.b.events):
        if event.redacted and event.talk is not None:
            assert event.body == {}
            assert event.actor == "withheld"
            assert (event.at, event.mono_ns) == (
                opened[event.talk].at,
                opened[event.talk].mono_ns,
            )


def test_addresses_of_record_and_copy_are_never_published() -> None:
    played = play({}, "publish")
    own = {**played.b.events[0].body["settings"]}
    own["record"] = {
        "database": "postgresql://me:hunter2@host/db",
        "copy_to": "/media/organizers-stick/copy.db",
    }
    first = played.b.drafts[0]
    drafts = [
        replace(first, body={**first.body, "settings": own}),
        *played.b.drafts[1:],
    ]
    for content in files_of(reforge(drafts)).values():
        assert b"hunter2" not in content
        assert b"organizers-stick" not in content


# Several persons at one seat, one after the other


def in_turn(first: ConsentAnswer, second: ConsentAnswer, default: str) -> tuple[Contest, Builder]:
    """A contest of two rounds. Another person, Walter, is J1 in the second one; each answers after
    their own round."""
    b = Builder()
    own: dict[str, Any] = {
        "publication": {"text": "", "default": default},
        "judge": [{"id": "J1", "name": "Harriet"}],
        "entry": [{"id": "E1", "name": "Program 1"}],
        "confederate": [{"id": "C1", "name": "Ben"}],
    }
    pairings = [Pairing(number, "J1", "E1", "C1") for number in (1, 2)]
    b.open(Schedule.of(pairings), own)
    b.write(bodies.ConsentGiven("C1", True, 1), actor="C1")
    version = 0
    for number, answer in ((1, first), (2, second)):
        if number == 2:
            b.write(bodies.PersonReplaced("J1", "Walter", "Harriet is ill"), actor="organizer")
        b.write(bodies.RoundOpened(number, 1))
        talks = b.seat(number, 1, pairings[number - 1])
        b.write(bodies.RoundStarted(number, 1, SECONDS))
        for talk in talks.values():
            b.type(talk, "judge", "J1", f"{number}\n")
        b.now_ns += SECONDS * 10**9
        b.write(bodies.RoundEnded(number, 1, "time"))
        b.write(bodies.VerdictGiven(number, 1, "J1", "left", 1, 50, f"why {number}"), actor="J1")
        b.close_round(number, 1, talks.values())
        if answer.publish is not None:
            version += 1
            body = bodies.ConsentGiven("J1", answer.publish, version, answer.pseudonym)
            b.write(body, actor="J1")
    return b.read(), b


@settings(max_examples=15, deadline=None)
@given(answers, answers, st.sampled_from(["publish", "withhold"]))
def test_consent_covers_only_the_persons_own_turn_at_the_seat(
    first: ConsentAnswer, second: ConsentAnswer, default: str
) -> None:
    view, b = in_turn(first, second, default)
    for number, answer, name in ((1, first, "Harriet"), (2, second, "Walter")):
        public = default == "publish" if answer.publish is None else answer.publish
        talks = [talk for talk in view.talks if talk.round == number]
        assert [view.withheld(talk) for talk in talks] == [not public] * 2
        assert [bool(view.keys(talk.id)) for talk in talks] == [public] * 2
        called = (answer.pseudonym or name) if public else "J1"
        assert {view.name_in(talk, "J1") for talk in talks} == {called}
        (verdict,) = (each for each in view.verdicts if each.body.round == number)
        assert verdict.body.reason == (f"why {number}" if public else "")
        published = b"".join(canonical(event.as_json()) for event in publishable(b.events))
        assert (name.encode() in published) == (public and not answer.pseudonym)
    name, withheld = view.names("J1")[0]
    assert name == view.name_in(view.talks[0], "J1")
    told = {person["id"]: person for person in results_json(view)["people"]}
    assert told["J1"]["before"] == [{"name": name, "withheld": withheld}]
    assert "before" not in told["C1"]
