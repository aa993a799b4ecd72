"""Tests the session without I/O: what it finds in listings, by example and against a model of a
writer and a directory."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from lpp import session as session_module
from lpp.keypress import Rule, Side, Violation
from lpp.session import Received, Session


def scan(
    session: Session, first: Iterable[str], second: Iterable[str] | None = None
) -> tuple[list[Received], list[Violation]]:
    """One whole scan with two listings, or with the same one twice."""
    first = list(first)
    current = session.scan()
    current.first(first)
    if current.needs_second():
        current.second(first if second is None else second)
    return list(current.take()), current.strays


def raws(received: Iterable[Received]) -> list[str]:
    return [item.press.raw for item in received]


def rules(received: Iterable[Received]) -> list[list[Rule]]:
    return [[violation.rule for violation in item.violations] for item in received]


# Reading, by example: listing after listing, and what is new in each

READING: list[tuple[str, list[list[str]], list[list[str]]]] = [
    ("an empty directory", [[]], [[]]),
    ("one key", [["0000000000.H.other"]], [["0000000000.H.other"]]),
    (
        "any order of the listing",
        [["0000000002.c.other", "0000000000.a.other", "0000000001.b.other"]],
        [["0000000000.a.other", "0000000001.b.other", "0000000002.c.other"]],
    ),
    (
        "a name listed twice",
        [["0000000000.a.other", "0000000000.a.other", "0000000001.b.other", "0000000000.a.other"]],
        [["0000000000.a.other", "0000000001.b.other"]],
    ),
    (
        "a name is taken once, until its removal is confirmed",
        [["0000000000.a.other"], ["0000000000.a.other"], ["0000000000.a.other"]],
        [["0000000000.a.other"], [], []],
    ),
    ("own key presses are ignored", [["0000000000.a.judge", "0000000001.b.JUDGE"]], [[]]),
    (
        "equal numbers, by their text",
        [["0000000001.b.other", "0000000001.a.other", "0000000001.B.other"]],
        [["0000000001.B.other", "0000000001.a.other", "0000000001.b.other"]],
    ),
    (
        "late numbers are delivered anyway",
        [["0000000007.a.other"], ["0000000003.b.other"], ["0000000004.c.other"]],
        [["0000000007.a.other"], ["0000000003.b.other"], ["0000000004.c.other"]],
    ),
    (
        "names that only resemble strict ones",
        [
            ["0000000000.a.other"],
            ["00000000x1.a.other", "٠٠٠٠٠٠٠٠٠٢.a.other", "1234567890 .a.other"],
        ],
        [["0000000000.a.other"], []],
    ),
    (
        "names that are not key presses",
        [[".DS_Store", "Thumbs.db", "a.b.other", "1.a.other ", "1.a", "1.a.others", "٣.a.other"]],
        [[]],
    ),
]


@pytest.mark.parametrize(
    ("listings", "expected"), [row[1:] for row in READING], ids=[row[0] for row in READING]
)
def test_reading(listings: list[list[str]], expected: list[list[str]]) -> None:
    session = Session(Side.JUDGE)
    assert [raws(scan(session, listing)[0]) for listing in listings] == expected


VIOLATIONS: list[tuple[list[str], list[list[Rule]]]] = [
    (["0000000000.a.other", "0000000001.b.other"], [[], []]),
    (["0000000005.a.other", "0000000009.b.other"], [[], []]),
    (["0000000001.a.other", "0000000001.b.other"], [[], [Rule.UNIQUE]]),
    (["0000000002.a.other", "0000000001.b.other"], [[], [Rule.NUMERIC]]),
    (
        ["0000000009.a.other", "0000000000.b.other", "0000000001.c.other"],
        [[], [Rule.NUMERIC], []],
    ),
    (["9.a.other", "10.b.other"], [[Rule.WIDTH], [Rule.WIDTH, Rule.LEXICAL]]),
    (["0000000000.minuss.other", "0000000001.minuss.other"], [[Rule.NAME], [Rule.NAME]]),
    (["0000000000.a.Other"], [[Rule.EXTENSION]]),
    (["013370740040391417.H.other"], [[]]),
]


@pytest.mark.parametrize(("names", "expected"), VIOLATIONS)
def test_violations_come_with_the_key(names: list[str], expected: list[list[Rule]]) -> None:
    session = Session(Side.JUDGE)
    received = [item for name in names for item in scan(session, [name])[0]]
    assert rules(received) == expected


# Gaps

KEYS = [f"{number:010d}.a.other" for number in range(20)]


@pytest.mark.parametrize(
    ("last", "listed", "wanted"),
    [
        (-1, [], False),
        (-1, [0], False),
        (-1, [0, 1, 2], False),
        (4, [5, 6], False),
        (-1, [1], True),
        (-1, [0, 2], True),
        (4, [6], True),
        (4, [5, 7], True),
        (4, [3], True),
        (4, [3, 6], True),  # the right number of names, but not the right ones
    ],
)
def test_a_second_listing_is_needed_if_the_first_may_have_gaps(
    last: int, listed: list[int], wanted: bool
) -> None:
    session = Session(Side.JUDGE)
    if last >= 0:
        scan(session, [KEYS[last]])
    current = session.scan()
    current.first([KEYS[number] for number in listed])
    assert current.needs_second() is wanted


# A flood


@pytest.mark.parametrize("order", ["rising", "falling", "by hash"])
@pytest.mark.parametrize("step", [1, 300], ids=["gapless", "far apart"])
@pytest.mark.parametrize("form", ["{:010d}.a.other", "0000000001.{:06d}.other", "{:018d}.a.other"])
def test_a_scan_gathers_the_lowest_numbers(
    form: str, step: int, order: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_module, "GATHER_LIMIT", 60)
    names = [form.format(number * step) for number in range(400)]
    listed = {
        "rising": names,
        "falling": names[::-1],
        "by hash": sorted(names, key=lambda name: hash((name, 1))),
    }[order]
    session = Session(Side.JUDGE)
    taken: list[str] = []
    while len(taken) < len(names):
        received = scan(session, [name for name in listed for _ in range(2)])[0]
        assert 0 < len(received) <= 2 * session_module.GATHER_LIMIT
        taken += raws(received)
    assert taken == names


# The model

#: Chance from one number: `st.randoms` would draw each of its numbers by itself.
CHANCE = st.integers(0, 2**32).map(random.Random)


def shuffled(names: Iterable[str], rng: random.Random) -> list[str]:
    """A listing of these names: any order, some twice."""
    listing = list(names)
    listing += [name for name in listing if rng.random() < 0.1]
    rng.shuffle(listing)
    return listing


class WriterAndReader(RuleBasedStateMachine):
    """A sequential writer that is sometimes restarted, and a reader. Its listings contain all names
    that existed before they began, and any of the names made or removed while they ran."""

    def __init__(self) -> None:
        super().__init__()
        self.session = Session(Side.JUDGE)
        self.next = 0
        self.made: list[str] = []
        self.existing: list[str] = []
        self.delivered: list[str] = []
        self.unconfirmed: list[str] = []

    def write(self, count: int) -> None:
        for _ in range(count):
            name = f"{self.next:010d}.{'abc'[self.next % 3]}.other"
            self.next += 1
            self.made.append(name)
            self.existing.append(name)

    def remove(self, count: int, rng: random.Random) -> None:
        removable = [name for name in self.existing if name in self.session.awaiting_removal]
        for name in rng.sample(removable, min(count, len(removable))):
            self.existing.remove(name)
            self.unconfirmed.append(name)

    def listing(self, meanwhile: int, rng: random.Random) -> list[str]:
        before = list(self.existing)
        self.write(rng.randint(0, meanwhile))
        self.remove(rng.randint(0, 2), rng)
        self.write(rng.randint(0, meanwhile))
        surely = [name for name in before if name in self.existing]
        perhaps = set(self.existing).symmetric_difference(before)
        return shuffled([*surely, *(name for name in perhaps if rng.random() < 0.5)], rng)

    @rule(count=st.integers(1, 5))
    def writes(self, count: int) -> None:
        self.write(count)

    @rule(gap=st.integers(0, 20_000))
    def starts_again(self, gap: int) -> None:
        self.next += gap

    @rule(
        meanwhile=st.integers(0, 4),
        given_up_after=st.none() | st.integers(0, 6),
        rng=CHANCE,
    )
    def scans(self, meanwhile: int, given_up_after: int | None, rng: random.Random) -> None:
        current = self.session.scan()
        self.tell(current.first, self.listing(meanwhile, rng), rng)
        if current.needs_second():
            self.write(rng.randint(0, meanwhile))
            self.tell(current.second, self.listing(meanwhile, rng), rng)
        for number, received in enumerate(current.take(), 1):
            assert received.violations == ()
            self.delivered.append(received.press.raw)
            if number == given_up_after:
                break
        assert current.strays == []

    @staticmethod
    def tell(to: object, listing: Sequence[str], rng: random.Random) -> None:
        """Passes on a listing in one or two batches."""
        assert callable(to)
        cut = rng.randint(0, len(listing))
        to(listing[:cut])
        to(listing[cut:])

    @rule(count=st.integers(1, 5), rng=CHANCE)
    def removals(self, count: int, rng: random.Random) -> None:
        self.remove(count, rng)

    @rule(count=st.integers(1, 5), rng=CHANCE)
    def confirmations(self, count: int, rng: random.Random) -> None:
        names = rng.sample(self.unconfirmed, min(count, len(self.unconfirmed)))
        self.session.awaiting_removal.difference_update(names)
        self.unconfirmed = [name for name in self.unconfirmed if name not in names]

    @invariant()
    def once_and_in_order(self) -> None:
        assert self.delivered == self.made[: len(self.delivered)]

    def teardown(self) -> None:
        self.delivered += raws(scan(self.session, self.existing)[0])
        assert self.delivered == self.made


WriterAndReader.TestCase.settings = settings(
    max_examples=25, stateful_step_count=30, deadline=None, print_blob=True
)
test_against_the_model = WriterAndReader.TestCase


def test_the_second_listing_fills_gaps_and_adds_no_higher_numbers() -> None:
    session = Session(Side.JUDGE)
    # Keys 0, 1, 2 were made while the first listing ran, 3, 4 and 5 during the second.
    received, _ = scan(session, [KEYS[2], KEYS[0]], [KEYS[0], KEYS[1], KEYS[2], KEYS[5]])
    assert raws(received) == KEYS[:3]
    received, _ = scan(session, KEYS[:6])
    assert raws(received) == KEYS[3:6]
