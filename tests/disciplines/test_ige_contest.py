"""A whole contest: dialogues, ratings, tables, page, verification and failures."""

from __future__ import annotations

import contextlib
import csv
import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner

from contest.errors import BadSettings, ContestError
from contest.results.statistics import ScienceMissing
from disciplines import agreement as agreements
from disciplines.events import Measured, Spoke
from disciplines.folders import prepare
from disciplines.ige.games import Game, Message, read_games, turns_of
from disciplines.ige.interaction import (
    EARLIER,
    FIRST,
    NOTHING_MORE,
    WANTED,
    develop,
    facts,
    scripted,
)
from disciplines.ige.judge import CORRECT, JudgedGame, JudgedTurn, Metrics, Verdict
from disciplines.ige.ratings import KEYS, agreement, quality, read_rating, table_3
from disciplines.ige.run import opened, play, questionnaire
from disciplines.raters import COMMENT
from disciplines.room import PersonSeat, Said, View
from disciplines.run import Answer, ItemFailed
from disciplines.verify import discipline_of, verify
from loebner.cli import cli
from scheduler.errors import BadInput
from tests.disciplines.ige_games import CODE
from tests.disciplines.test_ige_judge import confines
from tests.disciplines.test_providers import Server, said
from tests.disciplines.test_providers import server as server
from tests.disciplines.test_room import Page
from tests.disciplines.verifying import red

# Who speaks


SCRIPT = """\
Config:
    Number of players: 3
    Min bet: 2
    Max bet: 9
    Suit: ['A']

Phase:
    start: Begin.
    blind: Two bet.
    flopx: Turn x cards.

Flow: ['start', 'blind', 'show']"""


def says(*texts: str) -> Any:
    """A speaker of fixed messages, which fails after them."""
    left = list(texts)

    def speak(_: Sequence[Message]) -> Answer:
        if not left:
            raise ItemFailed("gone")
        return Answer(left.pop(0), 5)

    return speak


def test_the_scripted_user_says_the_script_in_its_order_and_the_flow_last() -> None:
    assert list(facts(SCRIPT)) == ["Number of players", "Suit", "start", "blind", "flopx", "Flow"]
    speak = scripted(Game(SCRIPT, ""))
    history = [Message("user", FIRST)]
    for question in ("What?", "And blind?", "Now flopx, please?", "More?", "More?", "More?", "?"):
        history.append(Message("assistant", f"<utter>{question}</utter>"))
        history.append(Message("user", speak(history).text))
    told = [each.content for each in history[2::2]]
    assert "3" in told[0]
    assert "9" in told[0]
    assert "flopx" in told[2]
    assert "start" in told[3]
    assert "['start', 'blind', 'show']" in told[5]
    assert told[6] == NOTHING_MORE


@pytest.mark.parametrize(
    ("developer", "messages", "ended"),
    [
        (says("a", "script['Flow'] = []", "c"), 4, ""),
        (says("a", "b", "c", "d"), 6, "no flow after 3 turns"),
        (says("a"), 3, "turn 2: gone"),
        (says("a", "x" * 1_000_000), 3, "turn 2: the dialogue is too long"),
        (says(), 1, "turn 1: gone"),
        (says("\ud800", "script['Flow']"), 4, ""),
    ],
)
def test_a_dialogue_ends_with_the_flow_or_a_reason(
    developer: Any, messages: int, ended: str
) -> None:
    made, _ = develop(developer, says("1", "2", "3"), 3)
    assert (len(made.history), made.ended) == (messages, ended)
    assert made.history[0].content == FIRST


def test_the_dialogue_fails_if_the_user_cant_answer() -> None:
    with pytest.raises(ItemFailed):
        develop(says("a", "b"), says(), 3)


# Ratings and tables


def rating(*scores: Any) -> str:
    return json.dumps({key: {"comment": "", "score": s} for key, s in zip(KEYS, scores)})  # noqa: B905


def test_a_rating_is_read_with_text_around_it() -> None:
    text = f"Here:\n```json\n{rating(1, 2, 3, 4, 4, 4)}\n```"
    assert list(read_rating(text).values()) == [1, 2, 3, 4, 4, 4]


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "[]", "no", "{}", rating(1, 2, 3, 4, 4), rating(1, 2, 3, 4, 4, 5)),
        *(rating(1, 2, 3, 4, 4, True), rating(1, 2, 3, 4, 4, 2.5), rating(0, 1, 1, 1, 1, 1)),
        *('{"guidance": 4}', "{" * 100_000 + "}"),
    ],
)
def test_answers_without_a_complete_rating_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        read_rating(text)


#: As published, in percent; each is the mean of five ratings of ten dialogues.
PUBLISHED = """\
94.5 96.5 100 99 96.5 98
89 87 97.5 87.5 92 89
98.5 98 100 100 99 99
97.5 98 100 99.5 99 98.5
98.5 99 100 99.5 99 100
98 97 100 99 96.5 98.5
96.5 96 100 98 96.5 98
96.5 97.5 100 99 96 98.5
92.5 96.5 99.5 96 92.5 95
85.5 90.5 99.5 96.5 90 91.5"""


@pytest.mark.parametrize("row", PUBLISHED.splitlines())
def test_five_ratings_of_ten_dialogues_give_the_published_scores(row: str) -> None:
    expected = dict(zip(KEYS, map(float, row.split()), strict=True))
    games = [str(number) for number in range(10)]
    ratings: dict[str, dict[str, dict[str, int]]] = {}
    for key, value in expected.items():
        lost = round((100 - value) * 2)  # of 200 points
        for cell in range(50):
            off = min(3, max(0, lost - 3 * cell))
            ratings.setdefault(f"r{cell % 5}", {}).setdefault(games[cell // 5], {})[key] = 4 - off
    assert quality(ratings, games) == expected


@pytest.mark.parametrize(
    ("right", "of", "expected"), [(10, 11, 99.09), (15, 17, 98.82), (9, 11, 98.18), (1, 2, 95.0)]
)
def test_published_shares_are_means_over_the_games(right: int, of: int, expected: float) -> None:
    wrong = JudgedTurn("def blind(self): 1", Verdict(True, False))
    well = JudgedTurn("def blind(self): 1", CORRECT)
    games = [JudgedGame([well], CORRECT)] * 9
    games += [JudgedGame([well] * right + [wrong] * (of - right), wrong.verdict)]
    row = table_3({"x": Metrics.of(games)}, {"x": {}})["x"]
    assert row == {"ESR": 100.0, "Acc": 90.0, "F-ESR": 100.0, "F-Acc": expected}


def test_raters_without_ratings_dont_count_and_equal_scores_have_no_agreement() -> None:
    same = dict.fromkeys(KEYS, 4)
    assert quality({"a": {"x": same}, "b": {"other": same}}, ["x"])["logic"] == 100.0
    assert quality({}, ["x"])["logic"] is None
    assert agreement({"a": {"x": same}, "b": {"x": same}}, ["x"])["logic"] is None
    low = dict.fromkeys(KEYS, 1)
    both = {"x": same, "y": low}
    assert agreement({"a": both, "b": both}, ["x", "y"])["logic"] == pytest.approx(1.0)


# A whole contest

pytestmark = pytest.mark.skipif(not confines(), reason="no sandbox on this machine")

SETTINGS = """\
discipline = "ige"
[contest]
name = "A <b>contest</b>"
seeds = 2
[[developer]]
name = "good"
folder = "answers"
[[developer]]
name = "bad"
folder = "answers"
[rating]
who = "model"
repetitions = 2
tries = 2
folder = "ratings"
"""


#: Settings with people as raters; their names go into the list.
PEOPLE = SETTINGS.partition("[rating]")[0] + '[rating]\nwho = "people"\nraters = [{}]\n'


def contest(folder: Path, settings: str = SETTINGS) -> Path:
    """A contest of one game and two developers. The bad one breaks it, writes markup, and stops."""
    folder.mkdir(exist_ok=True)
    (folder / "contest.toml").write_text(settings)
    (folder / "games.jsonl").write_text(json.dumps({"script": SCRIPT, "code": CODE}) + "\n")
    good = f"<code>\n{CODE}\n</code><script>\nscript['Flow'] = 1\n</script>"
    bad = "<code>\nimport os\nos._exit(0)\n</code><script>x</script><utter><b>\udfff?</utter>"
    texts = {
        "answers/good_0_1": good,
        "answers/bad_0_1": bad.replace("\udfff", "?"),
        "ratings/good_0_model-1_1": "no JSON",
        "ratings/good_0_model-1_2": rating(4, 4, 4, 4, 4, 4),
        "ratings/good_0_model-2_1": rating(3, 4, 4, 4, 4, 4),
        "ratings/bad_0_model-1_1": rating(1, 1, 1, 1, 1, 1),
        "ratings/bad_0_model-2_1": "no JSON",
        "ratings/bad_0_model-2_2": "no JSON",
    }
    for name, text in texts.items():
        file = folder / f"{name}.txt"
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    return folder


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A contest that was played. Tests must not change it."""
    folder = contest(tmp_path_factory.mktemp("ige") / "contest")
    play(folder)
    return folder


def test_the_tables_have_ratings_and_metrics(played: Path) -> None:
    document = json.loads((played / "result" / "results.json").read_text())
    good, bad = document["table_3"]["good"], document["table_3"]["bad"]
    assert (good["guidance"], good["logic"], good["ESR"], good["F-Acc"]) == (87.5, 100, 100, 100)
    assert (bad["guidance"], bad["ESR"], bad["F-ESR"], bad["F-Acc"]) == (25, 0, 0, 0)
    assert any("bad_0_model-2" in each for each in document["notices"])
    (broken,) = [each for each in document["dialogues"] if each["developer"] == "bad"]
    assert broken["ended"].startswith("turn 2:")
    with (played / "result" / "turns.csv").open() as file:
        rows = {row["dialogue"]: row for row in csv.DictReader(file) if row["turn"] == "1"}
    assert (rows["good_0"]["correct"], rows["bad_0"]["executed"]) == ("True", "False")
    assert rows["bad_0"]["first_seed"] == "0"
    (recomputed,) = read_games(played / "result" / "dialogues-good.jsonl")
    assert turns_of(recomputed)[0].code == CODE.strip("\n")


def test_the_page_shows_text_as_text(played: Path) -> None:
    page = (played / "result" / "results.html").read_text("utf-8")
    assert "A &lt;b&gt;contest&lt;/b&gt;" in page
    assert "<script" not in page
    assert "os._exit(0)" in page
    assert '<p class="bad">line 1' in page


def test_verify_recomputes_the_result_and_names_every_change(played: Path, tmp_path: Path) -> None:
    assert discipline_of(played) == "ige"
    assert red(played) == set()
    copy = tmp_path / "copy"
    shutil.copytree(played, copy)
    run, _ = opened(copy)
    with run:
        value = json.loads(json.dumps(run.state.values["measure"]["bad_0"]))
        value["turns"][0] |= {"executed": True, "correct": True}
        assert run.state.result is not None
        run.write(Measured("bad_0", "measure", value), run.state.result)
    (copy / "result" / "table-3.csv").write_text("changed")
    assert red(copy) == {"measure", "result", "published"}


@pytest.mark.parametrize(
    ("stage", "item", "value"),
    [
        *(("plan", "0", 5), ("plan", "0", {"script": 1, "code": []})),
        *(("measure", "bad_0", {"turns": [], "whole": {}}), ("rate", "bad_0_model-1", "no")),
    ],
)
def test_verify_survives_any_record(
    played: Path, tmp_path: Path, stage: str, item: str, value: Any
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(played, copy)
    with opened(copy)[0] as run:
        assert run.state.result is not None
        run.write(Measured(item, stage, value), run.state.result)
    assert red(copy)


def test_without_the_extra_science_the_rest_is_verified(
    played: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> None:
        raise ScienceMissing(name)

    monkeypatch.setattr(agreements, "import_science", missing)
    report = verify(played)
    assert report.ok
    assert [each.name for each in report.checks if each.notes] == ["result"]


def test_playing_again_changes_nothing_and_changed_games_are_refused(
    played: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(played, copy)
    with opened(copy)[0] as run:
        head = run.head
    document, again = play(copy)
    assert again == head
    assert play(copy, "rate")[0] == document
    (copy / "games.jsonl").write_text(json.dumps({"script": "", "code": CODE}) + "\n")
    with pytest.raises(BadSettings, match="--from plan"):
        play(copy)


def test_a_game_that_doesnt_run_is_refused(tmp_path: Path) -> None:
    folder = contest(tmp_path / "contest")
    (folder / "games.jsonl").write_text(json.dumps({"script": "", "code": "x = 1"}) + "\n")
    with pytest.raises(BadInput, match="game 0"):
        play(folder)


@pytest.mark.parametrize(
    "settings",
    [
        SETTINGS.replace('"bad"', '"good"'),
        SETTINGS.replace('"bad"', '"../bad"'),
        SETTINGS.replace('who = "model"', 'who = "people"'),
        SETTINGS.replace("tries = 2", 'raters = ["Ann"]'),
        PEOPLE.format('"Ann", "ann"'),
        PEOPLE.format('"server"'),
        PEOPLE.format('"model-1"'),
        SETTINGS.replace("seeds = 2", "seeds = 0"),
        SETTINGS + '[user]\nwho = "model"',
        SETTINGS + '[user]\nwho = "person"',
        SETTINGS.replace('[[developer]]\nname = "good"\nfolder = "answers"\n', "[[developer]]\n"),
    ],
)
def test_unusable_settings_are_refused(tmp_path: Path, settings: str) -> None:
    with pytest.raises(ContestError):
        play(contest(tmp_path / "contest", settings))


DEVELOPER = """\
import json, sys
told = json.load(sys.stdin)
roles = [each["role"] for each in told]
assert roles[:2] == ["system", "user"], roles
if len(roles) < 4:
    print("<code></code><utter>And?</utter>")
else:
    assert told[3]["content"] == "a Number of players: 3", told
    print("<script>script['Flow'] = 1</script>")
"""
USER = """\
import json, sys
told = json.load(sys.stdin)
assert "Number of players: 3" in told[0]["content"], told
print("a Number of players: 3", end="")
"""


def test_programs_get_all_messages_and_people_rate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The developer and the user have no memory. Ratings come from a file, and from a person on the
    pages; they count once they are complete."""
    (tmp_path / "developer.py").write_text(DEVELOPER)
    (tmp_path / "user.py").write_text(USER)
    python = json.dumps(sys.executable)[1:-1]
    settings = f"""\
discipline = "ige"
[contest]
name = "x"
seeds = 1
[[developer]]
name = "one"
command = '"{python}" "{tmp_path.as_posix()}/developer.py"'
[user]
who = "model"
command = '"{python}" "{tmp_path.as_posix()}/user.py"'
[rating]
who = "people"
raters = ["Bob"]
"""
    folder = contest(tmp_path / "contest", settings)
    document = play(folder)[0]
    assert document["dialogues"][0]["ended"] == ""
    assert document["table_3"]["one"]["overall"] is None
    ratings = tmp_path / "ratings.csv"
    ratings.write_text(f"rater,dialogue,{','.join(KEYS)}\nAnn,one_0,1,2,3,4,4,4\n")
    runner = CliRunner()
    taken = runner.invoke(cli, ["ige", "rate", str(folder), "--in", str(ratings)])
    assert taken.exit_code == 0, taken.output
    with (opening := opened(folder))[0]:
        asked = questionnaire(*opening)
        asked.save("Bob", "one_0", dict.fromkeys(KEYS[1:], "3") | {f"overall{COMMENT}": "=so"})
        assert asked.left("Bob") == [1]
    document = play(folder)[0]
    assert document["table_3"]["one"]["guidance"] == 25.0
    assert "1 rating missing" in document["notices"]
    with (opening := opened(folder))[0]:
        questionnaire(*opening).save("Bob", "one_0", {"guidance": "3"})
    report = verify(folder)
    assert report.ok, "ratings after a result belong to the next one"
    assert report.checks[-1].summary.endswith("1 event since, not in this result")
    document = play(folder)[0]
    assert document["raters"] == ["Ann", "Bob"]
    assert document["table_3"]["one"]["guidance"] == 50.0
    assert (folder / "result/comments.csv").read_text().splitlines()[1] == "one_0,Bob,'=so"
    assert "says: =so" in (folder / "result/results.html").read_text()
    assert red(folder) == set()
    for row, fault in (
        ("Ann,two_0,1,2,3,4,4,4", "there is no dialogue 'two_0'"),
        (",one_0,1,2,3,4,4,4", "'' can't be the name of a rater"),
        ("Ann,one_0,1,2,3,4,4,5", f"{KEYS[-1]}: scores are whole numbers from 1 to 4"),
    ):
        ratings.write_text(f"rater,dialogue,{','.join(KEYS)}\n{row}\n")
        refused = runner.invoke(cli, ["ige", "rate", str(folder), "--in", str(ratings)])
        assert isinstance(refused.exception, BadInput)
        assert str(refused.exception) == f"{ratings}, line 2: {fault}"


@pytest.mark.parametrize("seeds", ["0-999999999", "3-2", "x", "0-10000"])
def test_too_many_seeds_are_refused(seeds: str) -> None:
    words = ["ige", "states", "games.jsonl", "--game", "0", "--seeds", seeds]
    refused = CliRunner().invoke(cli, words)
    assert (refused.exit_code, "range of up to 10,000 seeds" in refused.output) == (2, True)


def test_raters_can_be_added_during_a_contest(tmp_path: Path) -> None:
    """Also to a contest whose first settings had no names of raters and hosts."""
    folder = contest(tmp_path / "contest", PEOPLE.format(""))
    with opened(folder)[0] as run:
        recorded = run.state.settings
        assert "raters" not in recorded["rating"]
        assert "names" not in recorded["contest"]
    more = PEOPLE.format('"Ann"').replace("seeds = 2", 'seeds = 2\nnames = ["rate.example"]')
    (folder / "contest.toml").write_text(more)
    with (opening := opened(folder))[0]:
        assert list(questionnaire(*opening).raters) == ["Ann"]
    (folder / "contest.toml").write_text(more.replace("seeds = 2", "seeds = 3"))
    with pytest.raises(BadSettings, match="--from"):
        opened(folder)


class Killed(BaseException):
    """Stands for a kill."""


class Person:
    """A person's seat that answers each turn through a page, and keeps its views. The run is killed
    in the turns with these numbers."""

    def __init__(self, kills: Sequence[int]) -> None:
        self.seen: list[View] = []
        self._kills = kills
        self._seat = PersonSeat(lambda act: act())
        Page(self._seat, lambda frame: Said(frame.turn, f"answer {len(frame.messages)} <b>"))

    def ask(self, view: View, seconds: float | None = None) -> str:
        self.seen.append(view)
        if len(self.seen) in self._kills:
            raise Killed
        return str(self._seat.ask(view, seconds))

    def show(self, view: View) -> None:
        self.seen.append(view)


class FakeRoom(NamedTuple):
    """A room with one seat, without a server."""

    one: Person

    def seat(self, name: str) -> Person:
        assert name == "user"
        return self.one

    def gather(self, names: Sequence[str]) -> None:
        pass

    def stop(self, over: bool = False) -> None:
        pass


def test_a_person_as_user_never_has_to_repeat_a_message(tmp_path: Path) -> None:
    kills = (2, 3, 5, 10)
    settings = SETTINGS.partition("[rating]")[0] + '[user]\nwho = "person"\n'
    folder = contest(tmp_path / "contest", settings)
    for name, last in (("good", "script['Flow'] = 1"), ("bad", "x")):
        (folder / "answers" / f"{name}_0_3.txt").write_text(f"<script>{last}</script>")
        for number in (1, 2):
            text = f"<script>script['Config']['Step'] = {number}</script><utter>More?</utter>"
            (folder / "answers" / f"{name}_0_{number}.txt").write_text(text)
    user = Person(kills)
    room: Any = FakeRoom(user)
    for _ in kills:
        with contextlib.suppress(Killed):
            play(folder, rooms=lambda *_: contextlib.nullcontext(room))
    play(folder, rooms=lambda *_: contextlib.nullcontext(room))
    for name in ("good", "bad"):
        (game,) = read_games(folder / "result" / f"dialogues-{name}.jsonl")
        told = [each.content for each in game.history if each.role == "user"]
        assert told == [FIRST, "answer 2 <b>", "answer 4 <b>", *["answer 6 <b>"] * (name == "bad")]
    texts = repr([(each.title, each.messages, each.panels) for each in user.seen])
    assert "good" not in texts
    assert "bad" not in texts
    panels = dict(user.seen[-1].panels)
    assert panels[WANTED] == SCRIPT.splitlines()
    assert "    Step: 2" in panels["Script after turn 2"]
    assert "    Step: 1" in panels["Script after turn 1"]
    assert EARLIER in panels
    assert red(folder) == set()
    with opened(folder)[0] as run:
        run.write(Spoke("bad_0", "user", "something else"))
    assert red(folder) == {"dialogues"}


def test_endpoints_as_developer_user_and_rater(tmp_path: Path, server: Server) -> None:
    way = f'endpoint = "http://127.0.0.1:{server.server_port}/v1"\nmodel = "m"\nkey_from = ""\n'
    settings = f"""\
discipline = "ige"
[contest]
name = "x"
seeds = 1
[[developer]]
name = "one"
{way}
[user]
who = "model"
{way}
[rating]
who = "model"
repetitions = 1
{way}
"""
    last = f"<code>{CODE}</code><script>script['Flow'] = 1</script><utter>Done</utter>"
    texts = ("<utter>How many?</utter>", "three", last, "what?", rating(4, 4, 4, 4, 4, 2))
    server.replies = [said(text) for text in texts]
    document, _ = play(contest(tmp_path / "contest", settings))
    assert document["table_3"]["one"]["overall"] == 50.0
    assert document["table_3"]["one"]["Acc"] == 100.0
    assert document["dialogues"][0]["tokens"] == 10
    developer, user, recomputed, *raters = (each["messages"] for each in server.requests)
    assert [each["role"] for each in developer] == ["system", "user"]
    assert user[0]["content"].endswith(SCRIPT)
    assert [each["content"] for each in recomputed[-2:]] == [texts[0], "three"]
    assert server.requests[1]["temperature"] == 0
    assert len(raters) == 2
    assert "Done" in raters[0][-1]["content"]
    assert CODE not in raters[0][-1]["content"]


@pytest.mark.soak
def test_the_demo_and_a_new_contest(tmp_path: Path) -> None:
    runner = CliRunner()
    shown = runner.invoke(cli, ["ige", "demo", "--out", str(tmp_path / "demo"), "--json"])
    assert shown.exit_code == 0, shown.output
    table = json.loads(shown.stdout)["table_3"]
    assert (table["careful"]["Acc"], table["careful"]["F-Acc"]) == (100, 100)
    assert (table["careless"]["Acc"], table["careless"]["ESR"]) == (0, 50)
    assert red(tmp_path / "demo") == set()
    prepare("ige", tmp_path / "demo", "demo")
    assert runner.invoke(cli, ["ige", "new", str(tmp_path / "new")]).exit_code == 0
    (tmp_path / "new" / "answers").mkdir()
    assert play(tmp_path / "new")[0]["table_3"]["first"]["ESR"] == 0
