"""Papers: made from a seed, with so many questions a set, written, read, checked, joined."""

from __future__ import annotations

import datetime as dt
import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contest.errors import BadOrder
from contest.screening import paper as papers
from contest.screening.answers import wanted_at
from contest.screening.paper import RULES, SETS, Facts, Paper, Question
from contest.screening.questions import SEED_LIMIT, Counts, make
from contest.setup.settings import ScreeningTable

SEEDS = st.integers(0, SEED_LIMIT - 1)
SMALL = st.integers(0, 9)


def test_the_same_seed_gives_the_same_paper_whatever_the_hash_seed_is() -> None:
    script = (
        "from contest.screening import paper, questions as q;"
        "print(paper.write(q.make(41, q.Counts(9, 9, 9, 9))), end='')"
    )
    made = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONUTF8": "1"},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    here = papers.write(make(41, Counts(9, 9, 9, 9))).encode()
    assert made == {here}


def test_another_seed_gives_another_paper() -> None:
    assert len({papers.write(make(seed)).split("\n", 1)[1] for seed in range(50)}) == 50


def test_one_set_does_not_change_another() -> None:
    few, many = make(5, Counts(4, 4, 4, 0)), make(5, Counts(4, 9, 4, 0))
    for name in ("time", "relations"):
        assert [each.text for each in few.questions if each.set == name] == [
            each.text for each in many.questions if each.set == name
        ]


@settings(max_examples=60, deadline=None)
@given(seed=SEEDS, time=SMALL, things=SMALL, relations=SMALL, memory=SMALL)
def test_as_many_a_set_as_wanted(
    seed: int, time: int, things: int, relations: int, memory: int
) -> None:
    paper = make(seed, Counts(time, things, relations, memory))
    assert [each.set for each in paper.questions] == [
        *["time"] * time,
        *["things"] * things,
        *["relations"] * relations,
        *["memory"] * memory,
    ]
    assert len({each.id for each in paper.questions}) == len(paper.questions)
    assert len({each.text for each in paper.questions}) == len(paper.questions)
    for line in paper.lines():
        assert line.isprintable()
        assert line == line.strip()
        assert len(line) < 200


@settings(max_examples=60, deadline=None)
@given(seed=SEEDS, others=SMALL, memory=st.integers(1, 9), between=st.integers(0, 12))
def test_so_many_items_stand_between_a_statement_and_the_questions_on_it(
    seed: int, others: int, memory: int, between: int
) -> None:
    paper = make(seed, Counts(0, others, 0, memory, between))
    lines = list(paper.lines())
    about: dict[str, int] = {}
    for question in paper.questions:
        if question.set == "memory":
            told, asked = lines.index(question.about), lines.index(question.text)
            about[question.about] = min(about.get(question.about, 10**6), asked - told - 1)
    assert about
    assert min(about.values()) >= between
    if len(about) == 1:
        # With one statement there is nothing that could make it more.
        assert min(about.values()) == between


def test_what_is_told_once_is_told_of_nothing_else() -> None:
    for seed in range(60):
        paper = make(seed, Counts(0, 0, 0, 24))
        told = [line for question in paper.questions for line in question.tells]
        statements = [line for line in told if any(line == each.about for each in paper.questions)]
        assert len(statements) == len(set(statements))
        for question in paper.questions:
            for word in question.words[0].split(" ... "):
                assert word in question.about or word == "store"


def test_a_hundred_of_each_set() -> None:
    paper = make(3, Counts(100, 100, 100, 100))
    assert len({each.text for each in paper.questions}) == 400


@pytest.mark.parametrize(
    ("seed", "counts", "said"),
    [
        (-1, Counts(), "the seed: -1"),
        (2**63, Counts(), "the seed: 9223372036854775808"),
        (0, Counts(time=-2), "of the set time: -2"),
        (0, Counts(memory=-1), "of the set memory: -1"),
        (0, Counts(between=51), "its questions: 51"),
        (0, Counts(time=9999), "no more than"),
        (0, Counts(memory=9999), "no more than"),
    ],
)
def test_a_paper_that_can_not_be_made_is_refused(seed: int, counts: Counts, said: str) -> None:
    with pytest.raises(BadOrder, match=said):
        make(seed, counts)


@settings(max_examples=30, deadline=None)
@given(seed=SEEDS)
def test_a_written_paper_is_read_as_it_was(
    seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.mktemp("paper") / "paper.toml"
    facts = Facts(dt.datetime(2011, 1, 2, 14, 5), 3, 25, 1)
    paper = make(seed, Counts(7, 7, 7, 7), facts)
    text = papers.write(paper, file)
    assert papers.read(file) == paper
    assert papers.write(papers.read(file)) == text
    assert papers.check(file) == []


def test_only_its_owner_reads_a_written_paper(tmp_path: Path) -> None:
    file = tmp_path / "paper.toml"
    papers.write(make(1), file)
    if os.name != "nt":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


@settings(max_examples=60, deadline=None)
@given(
    text=st.text(st.characters(categories=["L", "N", "P", "S"]), min_size=1, max_size=40),
    why=st.text(st.characters(codec="utf-8"), max_size=40),
)
def test_any_text_is_only_text_in_a_file(
    text: str, why: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.mktemp("own") / "own.toml"
    question = Question("own-1", "things", text, ("Told.",), words=("a word",), explanation=why)
    papers.write(Paper(None, (question,)), file)
    assert papers.read(file).questions == (question,)


def test_facts_are_those_of_the_settings() -> None:
    table = ScreeningTable(dt.datetime(2012, 5, 6, 7, 8, tzinfo=dt.UTC), 4, 20, 1)
    assert Facts.of(table) == Facts(dt.datetime(2012, 5, 6, 7, 8), 4, 20, 1)
    assert Facts.of(ScreeningTable()) == Facts()


GOOD = '[[question]]\nid = "x-1"\nset = "things"\ntext = "What is a spoon for?"\nwords = ["eat"]\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no question is in it"),
        ("question = 3", "no question is in it"),
        ("[[question", "not a paper in TOML"),
        ("sed = 3\n" + GOOD, "unknown option 'sed'"),
        ('seed = "x"\n' + GOOD, "seed is 'x'"),
        ("[facts]\nrounds = 0\n" + GOOD, "rounds is 0"),
        ("[facts]\nclock_minutes = 99\n" + GOOD, "clock_minutes is 99"),
        ('[facts]\nstart = "x"\n' + GOOD, "[facts]: "),
        (GOOD.replace('"things"', '"stuff"'), "question 1 (x-1): Invalid enum value 'stuff'"),
        (
            GOOD.replace("text =", "txet ="),
            "question 1 (x-1): Object contains unknown field `txet`",
        ),
        (GOOD.replace('"x-1"', '"x 1"'), "question 1 (x 1): id: "),
        (GOOD + "\n" + GOOD, "question 2 (x-1): id: another question has it"),
        (GOOD.replace('["eat"]', '["eat", "?"]'), "question 1 (x-1): words: a pattern has no word"),
        (GOOD.replace('["eat"]', "[]"), "question 1 (x-1): words: write the answers"),
        (GOOD + 'rule = "clock"\n', "question 1 (x-1): words: write the answers"),
        (GOOD.replace('words = ["eat"]', 'rule = "clok"'), "question 1 (x-1): rule: 'clok'"),
        (GOOD + "number = 3\n", "question 1 (x-1): number"),
        (GOOD.replace("What is", "What\\tis"), "question 1 (x-1): text: give one line"),
        (GOOD.replace("What", "W" * 600), "question 1 (x-1): text: give one line"),
        (GOOD + 'tells = [" "]\n', "question 1 (x-1): tells: give one line"),
        (GOOD.replace("spoon", "carburetor"), "question x-1: 'carburetor' is outside"),
        (GOOD + 'tells = ["It is ubiquitous."]\n', "question x-1: 'ubiquitous' is outside"),
        (
            GOOD.replace("things", "memory") + 'about = "I have a dog."\n',
            "question x-1: about: it is not told before the question",
        ),
    ],
)
def test_each_fault_of_a_file_is_named_with_its_question(
    text: str, said: str, tmp_path: Path
) -> None:
    file = tmp_path / "own.toml"
    file.write_text(text)
    faults = papers.check(file)
    assert any(said in fault for fault in faults), faults
    assert all(fault.startswith(str(file)) for fault in faults)
    if said.startswith("question x-1"):
        # Words and order are for people to judge: the file can be used.
        assert len(papers.read(file).questions) == 1
    else:
        with pytest.raises(BadOrder, match=r"own\.toml"):
            papers.read(file)


def test_the_example_of_the_reference_is_right(tmp_path: Path) -> None:
    page = Path(__file__).parents[3] / "docs" / "reference" / "screening.md"
    (example,) = re.findall(r"```toml\n(seed.+?)```", page.read_text("utf-8"), re.DOTALL)
    file = tmp_path / "example.toml"
    file.write_text(example, "utf-8")
    assert papers.check(file) == []
    assert len(papers.read(file).questions) == 3


def test_the_reference_names_every_rule() -> None:
    page = Path(__file__).parents[3] / "docs" / "reference" / "screening.md"
    text = page.read_text("utf-8")
    assert [rule for rule in RULES if f"`{rule}`" not in text] == []
    for rule in RULES:
        assert str(wanted_at(rule, 1, Facts().start, Facts()))


@pytest.mark.parametrize(
    ("rule", "number", "words"),
    [
        ("clock", 0, "the time of the day when it is asked"),
        ("clock", -20, "the time of the day, 20 minutes before it is asked"),
        ("day", 1, "the day of the week, 1 day after it is asked"),
        ("year", 1, "the year, 1 year after it is asked"),
        ("rounds", 0, "how many rounds the contest has"),
        ("opens", 2, "the time at which round 2 starts, or the one before it ends"),
    ],
)
def test_what_a_rule_asks_for_in_words(rule: str, number: int, words: str) -> None:
    assert Question("q", "time", "?", rule=rule, number=number).key == words


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BadOrder, match="can't be read"):
        papers.read(tmp_path / "none.toml")
    with pytest.raises(BadOrder, match="can't be written"):
        papers.write(make(1), tmp_path / "no" / "paper.toml")


def test_own_questions_stand_behind_those_of_their_set(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text(GOOD)
    paper = papers.joined(make(2, Counts(2, 2, 2, 2)), papers.read(file).questions)
    assert [each.id for each in paper.questions] == [
        *("time-1", "time-2", "things-1", "things-2", "x-1"),
        *("relations-1", "relations-2", "memory-1", "memory-2"),
    ]
    with pytest.raises(BadOrder, match="two questions have the id 'x-1'"):
        papers.joined(paper, papers.read(file).questions)
    found = paper.find("x-1")
    assert found is not None
    assert found.text == "What is a spoon for?"
    assert {each.set for each in paper.questions} == set(SETS)
