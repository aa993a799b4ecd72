"""Tests both ends of a link together: no key is lost or doubled if a process is killed or the
connection is cut."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from functools import partial

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from contest.errors import Refusal
from contest.links import linkwire
from contest.links.ends import NAMES, EntryEnd, Item, LinkRefused, SavedState, ServerEnd
from contest.links.linkwire import AHEAD, UNDER_WAY, WINDOW
from lpp.keypress import Rule

#: The steps that carry keys in both directions.
STEPS = (
    *("link_looks", "link_sends", "server_receives", "record_is_written", "server_sends"),
    *("link_receives", "link_empties", "link_makes", "link_removes"),
)


class LinkMachine(RuleBasedStateMachine):
    """An entry, its directory, the link's process with its file, the cable, and the server with its
    record."""

    @initialize()
    def begin(self) -> None:
        self.number = 0
        self.typed: list[str] = []
        self.directory: set[str] = set()
        self.released: set[str] = set()
        self.judge_typed: list[str] = []
        self.entry_got: list[str] = []
        self.saved_state = SavedState()
        self.lives = 0
        self.up: deque[str] = deque()
        self.down: deque[str] = deque()
        self.cabled = False
        self.recorded: list[str] = []
        self.writing: deque[Item] = deque()
        self.server = ServerEnd("E1", "Contest", "c1")
        self.talks: list[list[str]] = []
        self.left: set[str] = set()
        self.start()

    def start(self) -> None:
        self.lives += 1
        self.link = EntryEnd("code", f"life {self.lives}", "test", self.saved_state)
        self.seen: set[str] = set()

    # The entry

    @rule(count=st.integers(1, 3))
    def entry_types(self, count: int) -> None:
        for _ in range(count):
            self.number += 1
            raw = f"{self.number:010d}.a.other"
            self.typed.append(raw)
            self.directory.add(raw)

    # The link's process

    def link_looks(self) -> None:
        for raw in sorted(self.directory - self.seen):
            self.seen.add(raw)
            self.link.key(raw)

    @rule()
    def link_removes(self) -> None:
        self.directory -= self.released
        self.released.clear()
        self.link.listing(self.directory)

    def link_empties(self) -> None:
        if self.link.to_empty is not None:
            names = sorted(self.directory - self.released)
            self.seen |= self.directory
            self.directory.clear()
            self.link.emptied(names)
            self.saved_state = SavedState(self.link.contest, self.link.talk, 0)

    def link_makes(self) -> None:
        if self.link.presses:
            n, key = self.link.presses[0]
            self.entry_got.append(key)
            self.link.made(n)
            self.saved_state = SavedState(self.link.contest, self.link.talk, n)

    @rule(left_out=st.sets(st.sampled_from(STEPS), max_size=3))
    def link_dies(self, left_out: set[str]) -> None:
        self.cut(left_out)
        self.released.clear()
        self.start()

    # The cable

    @rule(left_out=st.sets(st.sampled_from(STEPS), max_size=3))
    def cut(self, left_out: set[str]) -> None:
        self.goes_on(left_out)
        self.cabled = False
        self.up.clear()
        self.down.clear()
        self.link.lost()
        self.server.lost()

    def connect(self) -> None:
        self.cabled = True
        self.up.append(linkwire.encode(self.link.hello()))

    def link_sends(self) -> None:
        if self.cabled:
            self.up += map(linkwire.encode, self.link.outgoing())

    def server_sends(self) -> None:
        if self.cabled:
            self.down += map(linkwire.encode, self.server.outgoing())

    def link_receives(self) -> None:
        if self.down:
            self.released |= set(self.link.take(linkwire.decode_to_link(self.down.popleft())))

    def server_receives(self) -> None:
        if self.up:
            frame = linkwire.decode_to_server(self.up.popleft())
            if isinstance(frame, linkwire.Hello):
                self.server.hello(frame)
                return
            self.server.take(frame)
            while (item := self.server.to_record()) is not None:
                self.writing.append(item)

    @rule(left_out=st.sets(st.sampled_from(STEPS), max_size=3))
    def goes_on(self, left_out: set[str]) -> None:
        """Restores the connection, and takes all steps except those left out."""
        if not self.cabled:
            self.connect()
            for step in ("server_receives", "server_sends", *["link_receives"] * 25):
                getattr(self, step)()
        for step in STEPS:
            for _ in range(0 if step in left_out else 25):
                getattr(self, step)()

    # The contest

    def record_is_written(self) -> None:
        if self.writing:
            item = self.writing.popleft()
            if isinstance(item.frame, linkwire.Key):
                self.recorded.append(item.frame.raw)
            elif isinstance(item.frame, linkwire.LeftOvers):
                self.left |= set(item.frame.names)
            self.server.durable(item)

    @precondition(lambda self: self.server.prepared and self.server.talk)
    @rule(key=st.sampled_from("xyz"))
    def judge_types(self, key: str) -> None:
        self.server.press(key)
        self.judge_typed.append(key)

    @precondition(lambda self: len(self.talks) < 3 and not self.server.waiting)
    @rule()
    def next_talk(self) -> None:
        self.talks.append([])
        self.server.prepare()

    @rule(left_out=st.sets(st.sampled_from(STEPS), max_size=3))
    def server_is_taken_up_from_its_record(self, left_out: set[str]) -> None:
        """A new server process continues the contest; it knows only what is durable."""
        self.cut(left_out)
        while self.writing:
            self.writing.pop()  # was never durable
        talk, keys = self.server.talk, list(self.server._keys)
        self.server = ServerEnd("E1", "Contest", "c1", talk, self.recorded)
        for key in keys:
            self.server.press(key)

    @invariant()
    def nothing_is_doubled(self) -> None:
        if hasattr(self, "typed"):
            assert len(self.recorded) == len(set(self.recorded))
            assert not set(self.recorded) & self.left
            assert self.recorded == sorted(self.recorded)
            assert self.entry_got == self.judge_typed[: len(self.entry_got)]

    def teardown(self) -> None:
        """Restores everything; then all keys arrive."""
        if not hasattr(self, "typed"):
            return
        for _ in range(10):
            self.goes_on(set())
        self.nothing_is_doubled()
        assert self.entry_got == self.judge_typed
        assert self.server.waiting == 0
        assert self.directory == set()
        # Left-overs were reported, unless the link died while it emptied the directory.
        if self.lives == 1:
            assert set(self.typed) == set(self.recorded) | self.left
        elif not self.talks:
            assert self.typed == self.recorded


TestLink = LinkMachine.TestCase
TestLink.settings = settings(max_examples=50, stateful_step_count=40, deadline=None)


def linked() -> tuple[EntryEnd, ServerEnd]:
    """Two connected ends."""
    link, server = EntryEnd("code", "life", "test", SavedState()), ServerEnd("E1", "Contest", "c1")
    server.hello(link.hello())
    for frame in server.outgoing():
        link.take(frame)
    return link, server


def taken(server: ServerEnd, frames: Iterable[linkwire.ToServer]) -> list[Item]:
    """The items that a server gives to the record after receiving frames."""
    for frame in frames:
        server.take(frame)
    return list(iter(partial(server.to_record, everything=True), None))


def prepared() -> tuple[EntryEnd, ServerEnd]:
    """Two connected ends, with the directory emptied for the first talk."""
    link, server = linked()
    server.prepare()
    for frame in server.outgoing():
        link.take(frame)
    link.emptied([])
    return link, server


def test_too_many_unconfirmed_frames_are_refused() -> None:
    _, server = linked()
    items = taken(server, [linkwire.Key(n, 0, f"{n}.a.other") for n in range(1, WINDOW + 1)])
    with pytest.raises(Refusal, match="before they are taken") as refused:
        server.take(linkwire.Key(WINDOW + 1, 0, "x.a.other"))
    assert refused.value.code == "flood"
    for item in items:
        server.durable(item)
    assert server.outgoing() == [linkwire.Taken(WINDOW)]


def test_both_ends_limit_the_frames_under_way() -> None:
    link, server = linked()
    for n in range(UNDER_WAY + 10):
        link.key(f"{n}.a.other")
    frames = link.outgoing()
    assert len(frames) == UNDER_WAY
    for item in taken(server, frames):
        server.durable(item)
    [answer] = server.outgoing()
    assert answer == linkwire.Taken(UNDER_WAY)
    assert len(link.take(answer)) == UNDER_WAY
    assert len(link.outgoing()) == 10
    for n in range(UNDER_WAY + 1, 3 * UNDER_WAY):
        server.take(linkwire.Key(n, 0, f"{n}.b.other"))
    given = list(iter(server.to_record, None))
    assert len(given) == UNDER_WAY
    server.durable(given[0])
    assert server.to_record() is not None
    assert server.to_record() is None


def test_judges_keys_are_sent_up_to_the_limit_ahead() -> None:
    link, server = prepared()
    taken(server, link.outgoing())
    for _ in range(AHEAD + 5):
        server.press("a")
    frames = server.outgoing()
    assert len(frames) == AHEAD
    for frame in frames:
        link.take(frame)
    for n in range(1, AHEAD + 1):
        link.made(n)
    [made] = link.outgoing()
    assert made == linkwire.Made(1, AHEAD)
    server.take(made)
    assert len(server.outgoing()) == 5
    assert server.waiting == 5


def test_many_left_overs_are_split_into_frames() -> None:
    link, server = linked()
    server.prepare()
    for frame in server.outgoing():
        link.take(frame)
    names = [f"{n:010d}." + "\\xff" * 60 + ".judge" for n in range(3000)]
    link.emptied(names)
    frames = link.outgoing()
    told = [frame for frame in frames if isinstance(frame, linkwire.LeftOvers)]
    assert [name for frame in told for name in frame.names] == names
    assert all(len(linkwire.encode(frame)) < NAMES + 200 for frame in told)
    assert frames[-1] == linkwire.Prepared(len(frames), 1)


def test_same_name_twice_from_one_process_is_two_keys() -> None:
    link, server = linked()
    link.key("1.a.other")
    link.key("1.a.other", [Rule.UNIQUE])
    items = taken(server, link.outgoing())
    assert len(items) == 2
    link = EntryEnd("code", "another life", "test", SavedState())
    link.key("1.a.other")
    server.hello(link.hello())
    link.take(server.outgoing()[0])
    assert taken(server, link.outgoing()) == []
    assert server.outgoing() == []  # not before it is durable
    for item in items:
        server.durable(item)
    assert server.outgoing() == [linkwire.Taken(1)]


def test_removed_name_can_be_used_for_another_key() -> None:
    link, server = linked()
    link.key("1.a.other")
    for item in taken(server, link.outgoing()):
        server.durable(item)
    for answer in server.outgoing():
        assert link.take(answer) == ["1.a.other"]
    link.listing(["1.a.other"])
    assert link.outgoing() == []
    link.listing([])
    assert taken(server, link.outgoing()) == []
    again = EntryEnd("code", "another life", "test", SavedState())
    again.key("1.a.other")
    server.hello(again.hello())
    again.take(server.outgoing()[0])
    assert len(taken(server, again.outgoing())) == 1


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        (linkwire.Hello("code", "life", 1), "hello"),
        (linkwire.Key(2, 0, "1.a.other"), "gap"),
        (linkwire.Made(0, 1), "made"),
    ],
)
def test_server_refuses_frames_that_break_the_rules(frame: linkwire.ToServer, code: str) -> None:
    _, server = linked()
    with pytest.raises(Refusal) as refused:
        server.take(frame)
    assert refused.value.code == code


def test_link_reports_refusals_and_misplaced_frames() -> None:
    link = EntryEnd("code", "life", "test", SavedState())
    with pytest.raises(LinkRefused) as refused:
        link.take(linkwire.Refused("bad-code", "no"))
    assert refused.value.code == "bad-code"
    with pytest.raises(linkwire.WireError, match="before it welcomed"):
        link.take(linkwire.Taken(1))
    link, _ = linked()
    with pytest.raises(linkwire.WireError, match="never sent"):
        link.take(linkwire.Taken(1))
    with pytest.raises(linkwire.WireError, match="twice"):
        link.take(linkwire.Welcome("E1", "Contest", "c1", 0))


def test_frame_taken_just_after_a_reconnect_is_not_sent_again() -> None:
    link, server = linked()
    link.key("1.a.other")
    link.key("2.a.other")
    first, second = link.outgoing()
    [item] = taken(server, [first])
    server.hello(link.hello())
    for frame in server.outgoing():
        link.take(frame)
    server.durable(item)
    for frame in server.outgoing():
        assert link.take(frame) == ["1.a.other"]
    assert link.outgoing() == [second]


def test_repeated_prepared_makes_a_new_server_forget_no_keys() -> None:
    link, server = prepared()
    link.key("1.a.other")
    assert len(taken(server, link.outgoing())) == 2
    again = ServerEnd("E1", "Contest", "c1", 1, ["1.a.other"])
    again.hello(link.hello())
    for frame in again.outgoing():
        link.take(frame)
    [item] = taken(again, link.outgoing())
    assert isinstance(item.frame, linkwire.Prepared)
