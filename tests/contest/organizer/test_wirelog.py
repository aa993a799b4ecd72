"""The wire log of an entry: its own talks, whole, and nobody else's."""

from __future__ import annotations

import csv
import io

from contest.organizer.wirelog import COLUMNS, as_csv, as_text
from contest.record import bodies
from contest.state.incidents import WITHHELD
from lpp.names import MARK
from tests.contest.build import Builder, contest, small


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def side(talk: str) -> bodies.Place:
    return "left" if talk.endswith("left") else "right"


def test_it_has_all_keys_of_the_own_talks_and_no_others() -> None:
    b = contest()
    table = rows(as_csv(b.read(), "E2"))
    own = {e.talk for e in b.events if e.kind == "talk-opened" and e.body["entity"] == "E2"}
    keys = [e for e in b.events if e.talk in own and e.kind == "key"]
    assert len(table) == len(keys) > 50
    assert list(table[0]) == list(COLUMNS)
    assert {row["author"] for row in table} == {"judge", "entry"}
    assert sorted(row["raw_name"] for row in table if row["author"] == "entry") == sorted(
        e.body["raw"] or "" for e in keys if e.body["author"] == "entity"
    )
    assert sorted(row["time"] for row in table)[0] == min(row["time"] for row in table)


def test_what_was_broken_and_what_was_not_shown_is_told() -> None:
    def talk(b: Builder, talks: dict[str, str]) -> None:
        key = bodies.Key("entity", side(talks["E1"]), "a", 1, "x.a.other", ["2.A.a/unique"])
        b.write(key, talks["E1"], actor="E1")
        b.key(talks["E1"], "entity", "E1", "b", out_of_phase="3/waits")
        b.write(bodies.Breach("E1", "2.B/only", "0001.H.judge", "was removed by somebody"))

    b = small(talk)
    table = rows(as_csv(b.read(), "E1"))
    assert (table[0]["raw_name"], table[0]["rules_broken"]) == ("x.a.other", "2.A.a/unique")
    assert table[1]["not_shown"] == "3/waits"
    text = as_text(b.read(), "E1")
    assert "x.a.other  breaks 2.A.a/unique" in text
    assert "not shown: 3/waits" in text
    assert "was removed by somebody" in text


def test_a_talk_that_somebody_withholds_is_left_out_and_said_to_be() -> None:
    def talk(b: Builder, talks: dict[str, str]) -> None:
        b.write(bodies.ConsentGiven("J1", False, 1), actor="J1")
        b.type(talks["E1"], "judge", "J1", "hello")

    view = small(talk).read()
    assert rows(as_csv(view, "E1")) == []
    assert WITHHELD in as_text(view, "E1")
    assert "hello" not in as_text(view, "E1")


def test_a_judges_key_has_the_name_that_stood_in_the_directory() -> None:
    def talk(b: Builder, talks: dict[str, str]) -> None:
        for key in ("Shift_L", "\u212a", "\u200b"):
            b.key(talks["E1"], "judge", "J1", key)

    view = small(talk).read()
    assert [row["key"] for row in rows(as_csv(view, "E1"))] == ["Shift_L", "K", MARK]
    assert as_text(view, "E1").count("not shown: types nothing") == 1


def test_names_steer_no_terminal() -> None:
    def talk(b: Builder, talks: dict[str, str]) -> None:
        b.write(
            bodies.Key("entity", side(talks["E1"]), "\x1b[2J", 1, "1.\x1b[2J.other"),
            talks["E1"],
            actor="E1",
        )

    assert "\x1b" not in as_text(small(talk).read(), "E1")


def test_an_entry_that_met_nobody_has_an_empty_log() -> None:
    assert rows(as_csv(contest().read(), "E99")) == []
    assert as_text(contest().read(), "E99").startswith("Wire log of E99")
