"""Tests papers: made from a seed, written, read and joined; the vocabulary; and the templates' keys
against independent computations."""

from __future__ import annotations

import datetime as dt
import itertools
import os
import re
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contest.errors import BadOrder
from contest.screening import paper as papers
from contest.screening.answers import wanted_at
from contest.screening.paper import RULES, SETS, Facts, Paper, Question, SetName
from contest.screening.questions import (
    Counts,
    data,
    irregular,
    make,
    words,
    words_outside_vocabulary,
)
from contest.setup.settings import ScreeningTable
from scheduler.errors import BadInput

SEEDS = st.integers(0, 2**63 - 1)
SMALL = st.integers(0, 9)
REFERENCE = Path(__file__).parents[3] / "docs" / "reference" / "screening.md"


def lines_in(paper: Paper) -> Iterator[str]:
    """All lines that the judge types, in order."""
    for question in paper.questions:
        yield from (*question.tells, question.text)


def test_the_same_seed_gives_the_same_paper_with_any_hash_seed() -> None:
    script = (
        "from contest.screening import paper, questions as q;"
        "print(paper.dumps(q.make(41, q.Counts(9, 9, 9, 9))), end='')"
    )
    env = {**os.environ, "PYTHONHASHSEED": "1", "PYTHONUTF8": "1"}
    ran = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, check=True)
    assert ran.stdout.decode() == papers.dumps(make(41, Counts(9, 9, 9, 9)))
    assert len({tuple(lines_in(make(seed))) for seed in range(50)}) == 50
    # Sets don't affect each other.
    few, many = make(5, Counts(4, 4, 4, 0)), make(5, Counts(4, 9, 4, 0))
    texts = [
        [each.text for each in p.questions if each.set != "things"] for p in (few, many)
    ]  # fmt: skip
    assert texts[0] == texts[1]


@settings(max_examples=60, deadline=None)
@given(seed=SEEDS, counts=st.builds(Counts, SMALL, SMALL, SMALL, SMALL, st.integers(0, 12)))
def test_any_counts_of_questions_and_lines_between(seed: int, counts: Counts) -> None:
    paper = make(seed, counts)
    wanted = [name for name in SETS for _ in range(getattr(counts, name))]
    assert [each.set for each in paper.questions] == wanted
    assert len({each.id for each in paper.questions}) == len(paper.questions)
    assert len({each.text for each in paper.questions}) == len(paper.questions)
    lines = list(lines_in(paper))
    assert all(line.isprintable() and line == line.strip() for line in lines)
    for question in paper.questions:
        if question.set == "memory":
            told, asked = lines.index(question.about), lines.index(question.text)
            assert asked - told - 1 >= counts.between
            # The answer was in an earlier statement.
            assert all(
                word in question.about or word == "store"
                for word in question.words[0].split(" ... ")
            )


def test_a_hundred_questions_of_each_set_but_not_more_than_exist() -> None:
    paper = make(3, Counts(100, 100, 100, 100))
    assert len({each.text for each in paper.questions}) == 400
    for counts in (Counts(time=9999), Counts(memory=9999)):
        with pytest.raises(BadOrder, match="have only"):
            make(0, counts)


# Files


@settings(max_examples=40, deadline=None)
@given(
    seed=SEEDS,
    text=st.text(st.characters(categories=["L", "N", "P", "S"]), min_size=1, max_size=40),
    why=st.text(st.characters(codec="utf-8"), max_size=40),
)
def test_a_written_paper_can_be_read_back(
    seed: int, text: str, why: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.mktemp("paper") / "paper.toml"
    own = Question("own-1", "things", text, ("Told.",), words=("a word",), explanation=why)
    facts = Facts(dt.datetime(2011, 1, 2, 14, 5), 3, 25, 1)
    paper = papers.joined(make(seed, Counts(3, 3, 3, 3), facts), (own,))
    papers.write(paper, file)
    assert papers.read(file) == paper
    assert os.name == "nt" or stat.S_IMODE(file.stat().st_mode) == 0o600


def test_facts_come_from_the_settings() -> None:
    table = ScreeningTable(dt.datetime(2012, 5, 6, 7, 8, tzinfo=dt.UTC), 4, 20, 1)
    assert Facts.of(table) == Facts(dt.datetime(2012, 5, 6, 7, 8), 4, 20, 1)
    with pytest.raises(BadOrder, match=r"\[screening\] rounds is 0"):
        Facts.of(ScreeningTable(rounds=0))


GOOD = '[[question]]\nid = "x-1"\nset = "things"\ntext = "What is a spoon for?"\nwords = ["eat"]\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# nothing", "it has no questions"),
        ("question = 3", "Expected `array`"),
        ("[[question", "not a paper in TOML"),
        ("sed = 3\n" + GOOD, "unknown field `sed`"),
        ('seed = "x"\n' + GOOD, "Expected `int | null`"),
        ("[facts]\nrounds = 0\n" + GOOD, "rounds is 0"),
        ("[facts]\nclock_minutes = 99\n" + GOOD, "clock_minutes is 99"),
        (GOOD.replace('"things"', '"stuff"'), "Invalid enum value 'stuff' - at `$.question[0]"),
        (GOOD.replace("text =", "txet ="), "unknown field `txet` - at `$.question[0]"),
        (GOOD.replace('"x-1"', '"x 1"'), "id: give up to 40"),
        (GOOD + "\n" + GOOD, "two questions have the id 'x-1'"),
        (GOOD.replace('["eat"]', '["eat", "?"]'), "a pattern has no word - at `$.question[0]"),
        (GOOD.replace('["eat"]', "[]"), "give either the words"),
        (GOOD + 'rule = "clock"\n', "give either the words"),
        (GOOD.replace('words = ["eat"]', 'rule = "clok"'), "rule: 'clok' is unknown"),
        (GOOD + "number = 3\n", "together with a rule"),
        (GOOD.replace("What is", "What\\tis"), "text, tells: give lines"),
        (GOOD.replace("What", "W" * 600), "text, tells: give lines"),
        (GOOD + 'tells = [" "]\n', "text, tells: give lines"),
    ],
)
def test_a_faulty_paper_is_refused_with_the_place(text: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text(text)
    with pytest.raises(BadOrder, match=r"own\.toml") as caught:
        papers.read(file)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_unreadable_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no such file"):
        papers.read(tmp_path / "none.toml")
    with pytest.raises(BadOrder, match="can't be written"):
        papers.write(make(1), tmp_path / "no" / "paper.toml")
    (tmp_path / "latin.toml").write_bytes(b"# \xe9\n")
    with pytest.raises(BadInput, match="save the file as UTF-8"):
        papers.read(tmp_path / "latin.toml")


def test_own_questions_come_after_those_of_their_set() -> None:
    own = papers.parse(GOOD, "own").questions
    paper = papers.joined(make(2, Counts(2, 2, 2, 2)), own)
    assert [each.id for each in paper.questions] == [
        *("time-1", "time-2", "things-1", "things-2", "x-1"),
        *("relations-1", "relations-2", "memory-1", "memory-2"),
    ]
    with pytest.raises(BadOrder, match="two questions have the id 'x-1'"):
        papers.joined(paper, own)


def test_the_example_in_the_docs_is_correct() -> None:
    text = REFERENCE.read_text("utf-8")
    (example,) = re.findall(r"```toml\n(seed.+?)```", text, re.DOTALL)
    assert len(papers.parse(example, "the example").questions) == 3
    for rule in RULES:
        assert str(wanted_at(rule, 1, Facts().start, Facts()))


@pytest.mark.parametrize(
    ("rule", "number", "said"),
    [
        ("clock", 0, "the time of day when the question is asked"),
        ("clock", -20, "the time of day, 20 minutes before the question is asked"),
        ("day", 1, "the day of the week, 1 day after the question is asked"),
        ("opens", 2, "the time at which round 2 starts, or at which the previous round ends"),
    ],
)
def test_a_key_describes_its_rule(rule: str, number: int, said: str) -> None:
    assert Question("q", "time", "?", rule=rule, number=number).key == said


# The vocabulary


def test_the_word_lists_are_complete_and_ours_adds_only_missing_words() -> None:
    folder = Path(papers.__file__).parent / "data"
    listed = [
        [word for line in text.splitlines() if not line.startswith("#") for word in line.split()]
        for text in ((folder / f"{name}.txt").read_text("utf-8") for name in ("ogden", "dolch"))
    ]
    # Ogden's 850 words; Dolch's 220 service words and his 95 nouns except Santa Claus.
    assert [len(set(each)) for each in listed] == [850, 220 + 94]
    known = {word.lower() for each in listed for word in each} | set(irregular())
    added = [word for group in data("own")["group"] for word in group["words"].split()]
    assert all(len(group["why"].split()) > 3 for group in data("own")["group"])
    assert len(added) == len(set(added))
    assert known.isdisjoint(added)
    assert set(irregular().values()) <= words()


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("The dogs' noses are running, and the babies cried.", []),
        ("Harry's boxes stopped us. He tries, he's trying, we've hopped; knives, leaves.", []),
        ("Don't go; it isn't far, and I can't see what she'll do. I\u2019m here.", []),
        ("It is 9:30 AM on 23 October 2010. A, B and C", []),
        ("What is a carburetor, and what a CARBURETOR?", ["carburetor", "CARBURETOR"]),
        ("Explain photosynthesis to Wolfgang", ["Explain", "photosynthesis", "Wolfgang"]),
        ("a naïve idea of harry", ["naïve", "harry"]),
    ],
)
def test_words_outside_the_vocabulary_are_listed_once(text: str, named: list[str]) -> None:
    assert words_outside_vocabulary(text) == named


def test_every_word_of_the_templates_is_in_the_vocabulary() -> None:
    lines = [line for seed in range(40) for line in lines_in(make(seed, Counts(6, 6, 6, 6)))]
    # Words that the papers may not contain.
    for name in ("time", "things", "relations"):
        for family in data(name)["family"].values():
            lines += [row[0] for key in ("asked", "rows") for row in family.get(key, ())]
            table = family.get("table", {})
            lines += table if isinstance(table, dict) else data(name)[table]
    lines += [text for told, *asks in data("memory")["statements"] for text in (told, *dict(asks))]
    assert {
        word
        for line in [*lines, *data("memory")["between"]]
        for word in words_outside_vocabulary(line)
    } == set()


# The keys of the templates: orders by all permutations, rows by their order, kinds by lists


def rows(set_: SetName, *families: str) -> list[tuple[str, list[str], list[str]]]:
    """Texts of families with their right and wrong answers."""
    return [tuple(row) for name in families for row in data(set_)["family"][name]["rows"]]


ENDS = {
    ("older", "younger"): ("oldest", "youngest"),
    ("taller", "shorter"): ("tallest", "shortest"),
    ("faster", "slower"): ("fastest", "slowest"),
    ("stronger", "weaker"): ("strongest", "weakest"),
    ("heavier", "lighter"): ("heaviest", "lightest"),
    ("richer", "poorer"): ("richest", "poorest"),
}


def test_orderings_have_one_solution() -> None:
    for text, right, wrong in rows("relations", "chain"):
        more, less = next(pair for pair in ENDS if f" {pair[0]} " in text or f" {pair[1]} " in text)
        most, least = ENDS[more, less]
        told = re.findall(rf"(\w+) is ({more}|{less}) than (\w+)", text)
        names = sorted({name for one, _, other in told for name in (one, other)})
        question, answers = re.split(r"\. ", text)[-1], set()
        for order in itertools.permutations(names):
            if any((order.index(a) < order.index(b)) != (w == more) for a, w, b in told):
                continue
            two = re.search(rf"Who is ({more}|{less}), (\w+) or (\w+)\?", question)
            if two:
                first, second = sorted(two.groups()[1:], key=order.index)
                answers.add(first if two[1] == more else second)
            else:
                assert most in question or least in question or len(order) == 3
                at = 0 if most in question else -1 if least in question else 1
                answers.add(order[at])
        # The statements determine the answer, and it equals the key.
        assert answers == set(right), text
        assert set(wrong) == set(names) - answers


# In cm, km/h, g, years, degrees C, cm and s; the differences are obvious.
FIGURES = {
    "larger bigger smaller": """
        ant 0.5 bee 1.5 grape 2 mouse 8 egg 6 spoon 17 potato 9 cat 45 shoe 30 hat 32 rabbit
        40 dog 75 chair 90 goat 120 horse 240 cow 230 bed 200 table 160 elephant 600 car 430
        bus 1200 house 1300 plane 4000 church 4500 mountain 3e5 town 5e5 island 3e6 moon 3.5e8
        sun 1.4e11
    """,
    "faster quicker slower": """
        snail 0.01 worm 0.03 turtle 0.4 baby 1.2 ant 0.6 man 5.5 cow 5 duck 4 bicycle 20 boy
        20 car 100 train 150 bus 80 plane 900 rocket 28000
    """,
    "heavier lighter": """
        feather 0.1 leaf 0.5 hair 0.001 egg 60 pencil 7 key 15 apple 180 shirt 250 mouse 25
        brick 3000 cat 4500 big 2500 chair 6000 dog 20000 bicycle 14000 man 80000 pig 1.5e5
        horse 5e5 cow 7e5 piano 4e5 car 1.4e6 elephant 5e6 truck 1e7 ship 5e10 train 5e8 house
        2e8
    """,
    "older younger": """
        baby 1 boy 10 girl 10 father 38 mother 36 teacher 40 grandfather 70 grandmother 68
    """,
    "hotter warmer colder": """
        ice -5 snow -3 cold 8 warm 40 boiling 100 hot 220 fire 900 sun 5500
    """,
    "taller higher lower": """
        mouse 4 flower 30 egg 6 cat 28 chair 90 dog 60 man 178 door 205 horse 165 house 800
        tree 1500 church 5000 mountain 2e5
    """,
    "longer shorter": """
        second 1 minute 60 hour 3600 day 86400 week 604800 month 2.6e6 year 3.2e7
    """,
}
LESS = {"smaller", "slower", "lighter", "younger", "colder", "lower", "shorter"}


def test_comparisons_match_real_figures() -> None:
    for text, right, wrong in rows("relations", "size", "speed", "age", "comparison"):
        match = re.fullmatch(
            r"(?:Which|Who) is (\w+), (?:an? |the )?(.+) or (?:an? |the )?(.+)\?", text
        )
        assert match, text
        words = next(of for of in FIGURES if match[1] in of.split()), *match.groups()[1:]
        figures = dict(zip(*[iter(FIGURES[words[0]].split())] * 2, strict=True))
        one, other = (float(figures[name.split()[0]]) for name in words[1:])
        assert one != other
        order = words[1:] if (one > other) == (match[1] not in LESS) else words[:0:-1]
        assert (order[0].startswith(right[0]), order[1].startswith(wrong[0])) == (True, True), text


WEEK = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
ROWS = {
    "day": [*WEEK, *WEEK],
    "month": [dt.date(2010, 1 + n % 12, 1).strftime("%B") for n in range(24)],
    "season": ["winter", "spring", "summer", "fall", "winter", "spring", "summer", "fall"],
    "meal": ["breakfast", "lunch", "dinner"],
    "part": ["morning", "noon", "afternoon", "evening"],
}


def test_what_comes_next_matches_its_row() -> None:
    for text, right, _ in rows("time", "next"):
        match = re.fullmatch(
            r"\w+ (\w+)(?: of the day)? comes (?:right )?(after|before) (\w+)\?", text
        )
        assert match, text
        row = ROWS[match[1]] if match[2] == "after" else ROWS[match[1]][::-1]
        assert (match[3], right[0]) in set(itertools.pairwise(row)), text


KINDS = {
    "is a fruit": ["apple", "orange", "banana", "pear", "grape"],
    "do you wear": ["shirt", "coat", "hat", "sock", "skirt"],
    "do you work with": ["hammer", "saw", "spade", "shovel"],
    "is an animal": ["dog", "cat", "sheep", "cow", "rabbit"],
    "furniture": ["table", "chair", "bed", "shelf"],
    "can take you to another town": ["car", "bus", "train", "ship"],
    "do you eat with": ["knife", "fork", "spoon"],
}


def test_exactly_one_thing_does_not_belong() -> None:
    for text, right, wrong in rows("things", "odd", "which"):
        kinds = {it: next(k for k, of in KINDS.items() if it in of) for it in (*right, *wrong)}
        alone = [it for it in kinds if list(kinds.values()).count(kinds[it]) == 1]
        if text.startswith("Which of these"):
            assert kinds[right[0]] == next(sign for sign in KINDS if sign in text)
            assert len(alone) == 3
        else:
            assert alone == right
