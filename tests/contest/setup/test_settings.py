"""Tests contest.toml: the settings that are read, and that each error is one line."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys
from pathlib import Path

import pytest

import scheduler
from contest.errors import BadSettings, NotAContest, UserError
from contest.setup import folder, settings

GOOD = folder.template()


#: Several threads use for the first time what a server's threads read from its folder and record.
#: msgspec 0.22 crashes if one of them comes upon a struct that another one is examining.
FIRST_USE = """
import sys, threading
from contest.record import bodies, events
from contest.setup import folder, settings
sys.setswitchinterval(1e-6)
text, together = folder.template(), threading.Barrier(6)
def use():
    together.wait()
    settings.parse(text)
    for kind in bodies.KINDS:
        together.wait()
        try:
            events.read(kind, {}, bodies.KINDS)
        except ValueError:
            pass
threads = [threading.Thread(target=use) for _ in range(6)]
for each in threads: each.start()
for each in threads: each.join()
"""


def test_threads_may_read_their_first_settings_and_events_at_once() -> None:
    subprocess.run([sys.executable, "-c", FIRST_USE], check=True, timeout=60)


def test_the_template_is_the_contest_of_2010() -> None:
    read = settings.parse(GOOD)
    assert (read.contest.date, read.contest.start) == (dt.date(2010, 10, 23), dt.time(9, 30))
    assert (read.rules.rounds, read.rules.interaction_minutes, read.rules.scoring_minutes) == (
        4,
        25,
        5,
    )
    assert [len(read.judge), len(read.entry), len(read.confederate)] == [4, 4, 4]
    assert (read.screening.rounds, read.screening.round_minutes) == (6, 30)


def test_the_template_has_the_rules_and_the_prizes_of_2010() -> None:
    read = settings.parse(GOOD)
    assert scheduler.rules_of(read.rules.tally, read.rules.silver) == scheduler.RULES_2010
    assert read.prizes.prizes() == scheduler.PRIZES_2010
    assert settings.parse("[contest]\nname = 'x'").prizes == read.prizes, (
        "these are also the defaults"
    )


def test_the_template_explains_every_option() -> None:
    for table, (struct, _) in settings._TABLES.items():
        for field in struct.__struct_fields__:
            assert f"{field} = " in GOOD, f"{table}.{field} is not in the template"


def test_recorded_settings_have_only_integers_text_and_literals() -> None:
    def leaves(value: object) -> list[object]:
        if isinstance(value, dict):
            return [leaf for each in value.values() for leaf in leaves(each)]
        if isinstance(value, (list, tuple)):
            return [leaf for each in value for leaf in leaves(each)]
        return [value]

    plain = settings.parse(GOOD.replace("= 25 ", "= 12.5 ")).as_json()
    assert plain["rules"]["interaction_minutes"] == "12.5"
    assert {type(leaf) for leaf in leaves(plain)} <= {str, int, bool, type(None)}


BAD = {
    "unknown option": ("rounds = 4", "ruonds = 4", ["'ruonds'", "[rules]", "'rounds'"]),
    "unknown option in a list": ('id = "J2"', 'id = "J2"\nnane = "x"', ["'nane'", "[[judge]]"]),
    "unknown table": ("[record]", "[recrod]", ["'recrod'", "'record'"]),
    "one bracket": ("[record]", "[[record]]", ["[record]", "one bracket"]),
    "not TOML": ("[record]", "[record", ["not TOML"]),
    "wrong type": ("rounds = 4", 'rounds = "four"', ["[rules]", "rounds", "int"]),
    "wrong type in a list": ('id = "E2"', "id = 2", ["[[entry]] number 2", "id", "str"]),
    "no date": (
        "date = 2010-10-23",
        'date = "23.10.2010"',
        ["[contest], date: this is not a date", "2010-10-23"],
    ),
    "no rounds": ("rounds = 4", "rounds = 0", ["[rules], rounds: expected `int` >= 1"]),
    "no time": ("interaction_minutes = 25", "interaction_minutes = 0", ["interaction_minutes"]),
    "not a time": (
        "interaction_minutes = 25",
        "interaction_minutes = nan",
        ["interaction_minutes"],
    ),
    "an id twice": ('id = "J2"', 'id = "j1"', ["[[judge]] number 2", "'j1'", "number 1"]),
    "an id that is a path": ('id = "J2"', 'id = "../x"', ["'../x'", "can't be used"]),
    "an id that is a device": (
        'id = "E2"',
        'id = "Nul"',
        ["[[entry]] number 2", "'Nul'", "device"],
    ),
    "an id that is a port": (
        'id = "J2"',
        'id = "COM1"',
        ["[[judge]] number 2", "'COM1'", "device"],
    ),
    "an id that the record uses for others": (
        'id = "J2"',
        'id = "Witness"',
        ["[[judge]] number 2", "'Witness'", "something else"],
    ),
    "two persons of no kind": ("two_persons = false", "two_persons = 2", ["two_persons", "bool"]),
    "an id across tables": ('id = "C1"', 'id = "E1"', ["'E1'", "[[entry]] number 1"]),
    "two seats with one name": (
        'name = "Ben"',
        'name = "hARRIET "',
        ["J1", "C1", "same name"],
    ),
    "an individual with two entries": (
        'entrant = "Second Entrant (bundled)"',
        'entrant = "x"\nindividuals = ["first  ENTRANT (bundled)"]',
        ["E1", "E2", "no individual"],
    ),
    "no place for the directory": (
        '"loebner bot aiml --dir {dir}"',
        '"loebner bot aiml"',
        ["E2", "{dir}"],
    ),
    "pasting in another way": ('paste = "refuse"', 'paste = "allow"', ["[rules]", "paste"]),
    "ties of no kind": ("ties = true", 'ties = "yes"', ["[rules]", "ties", "bool"]),
    "neither published nor withheld": (
        'default = "withhold"',
        'default = "ask"',
        ["[publication]", "default"],
    ),
    "an agreement that nobody reads": (
        'text = ""',
        f'text = "{"x" * 20_001}"',
        ["[publication], text", "<= 20000"],
    ),
    "an audience that waits for an hour": (
        "delay_seconds = 30",
        "delay_seconds = 3600",
        ["[spectators], delay_seconds", "<= 600"],
    ),
    "an address with a scheme": (
        "names = []",
        'names = ["https://contest.example"]',
        ["[server], names", "contest.example:8443"],
    ),
    "links that end at once": (
        "minutes_without_server = 10",
        "minutes_without_server = 0",
        ["[links], minutes_without_server", "> 0"],
    ),
    "an audience in the future": (
        "delay_seconds = 30",
        "delay_seconds = -1",
        ["[spectators], delay_seconds", ">= 0"],
    ),
    "a tally by no step": (
        'tally = ["column-sum", "mean-rank"]',
        "tally = []",
        ["[rules] tally", "no step decides the places; give one or more of column-sum"],
    ),
    "a medal by no rule": (
        'silver = "two-judges-two-humans"',
        'silver = "thirds"',
        ["there is no rule 'thirds' for the silver medal"],
    ),
    "a prize below nothing": (
        "places = [3000, 1000",
        "places = [3000, -1000",
        ["[prizes], places", ">= 0"],
    ),
    "a medal without a name": (
        'silver_medal = "silver medal"',
        'silver_medal = ""',
        ["[prizes], silver_medal: write one line of 1 to 60"],
    ),
    "a link of no kind": ('link = "local"', 'link = "near"', ["[[entry]] number 1", "link"]),
}


@pytest.mark.parametrize(("old", "new", "said"), BAD.values(), ids=BAD.keys())
def test_bad_settings_are_refused_in_one_line(old: str, new: str, said: list[str]) -> None:
    assert old in GOOD
    with pytest.raises(BadSettings) as refused:
        settings.parse(GOOD.replace(old, new, 1), "here.toml")
    message = str(refused.value)
    assert message.startswith("here.toml: ")
    assert "\n" not in message
    for words in said:
        assert words in message
    assert refused.value.exit_code == 2


def test_folder_without_a_contest_is_refused(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "none"):
        with pytest.raises(NotAContest, match="loebner new"):
            settings.load(place)


def test_settings_that_are_not_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "contest.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadSettings, match="can't be read"):
        settings.load(tmp_path)


def test_folder_that_is_not_empty_is_refused(tmp_path: Path) -> None:
    folder.make(tmp_path / "new")
    assert settings.load(tmp_path / "new") == settings.parse(GOOD)
    for place in (tmp_path / "new", tmp_path / "new" / "contest.toml"):
        with pytest.raises(UserError, match="new or empty one"):
            folder.make(place)
