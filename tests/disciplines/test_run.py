"""Tests a run: its record, continuing after a stop, and the effects of an item's failure."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contest.errors import BadSettings, EnvironmentProblem, NotAContest
from disciplines.events import Rated
from disciplines.run import LONGEST, Answer, Dialogue, ItemFailed, Run, load, plain

STAGES = {"collect": "1", "count": "1", "rate": "1"}
ITEMS = [f"item {number}" for number in range(8)]


class Stopped(Exception):
    """Stands for a kill."""


class Speaks:
    """A provider that answers with the item, in as many threads as it is told."""

    def __init__(self, answer: Callable[[str], str] = str.upper, at_once: int = 1) -> None:
        self.answer, self.at_once = answer, at_once
        self.asked: list[str] = []
        self._lock = threading.Lock()

    @contextmanager
    def dialogue(self, item: str) -> Iterator[Dialogue]:
        yield self

    def ask(self, text: str, item: str, seconds: float | None = None) -> Answer:
        with self._lock:
            self.asked.append(item)
        return Answer(self.answer(text), 7)

    def close(self) -> None:
        pass


def ask(item: str, dialogue: Dialogue) -> Answer:
    return dialogue.ask(item, item)


def opened(folder: Path, repeat_from: str = "", **changed: str) -> Run:
    stages = STAGES | {k: v for k, v in changed.items() if k in STAGES}
    own = {k: v for k, v in changed.items() if k not in STAGES}
    return Run(folder, "test", {"name": "a contest", **own}, stages, repeat_from)


def counted(item: str) -> int:
    if item == "item 3":
        raise ItemFailed("three is missing")
    return int(item[-1])


def test_values_and_failures_survive_reopening(tmp_path: Path) -> None:
    with opened(tmp_path) as run:
        run.each("count", ITEMS, counted)
        first = run.state
    with opened(tmp_path) as run:
        assert run.state == first
        assert run.state.values["count"] == {f"item {n}": n for n in range(8) if n != 3}
        assert run.state.failures["count"] == {"item 3": "three is missing"}
        run.each("count", ITEMS, lambda _: pytest.fail("nothing is left to do"))


@settings(
    max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.integers(0, 8), max_size=4), st.booleans())
def test_a_run_killed_anywhere_ends_with_the_same_state(
    tmp_path_factory: pytest.TempPathFactory, kills: list[int], lost: bool
) -> None:
    folder = tmp_path_factory.mktemp("run")
    for kill in kills:
        left = iter(range(kill))

        def dies(item: str, left: Iterator[int] = left) -> int:
            if next(left, None) is None:
                raise Stopped
            return counted(item)

        run = opened(folder)
        try:
            run.each("count", ITEMS, dies)
        except Stopped:
            if lost:
                run._waiting.clear()  # as a kill does
        finally:
            run.__exit__()
    with opened(folder) as run:
        run.each("count", ITEMS, counted)
        assert run.state.values["count"] == {f"item {n}": n for n in range(8) if n != 3}
        assert run.state.failures["count"] == {"item 3": "three is missing"}


def test_a_stage_and_all_later_ones_are_repeated(tmp_path: Path) -> None:
    with opened(tmp_path) as run:
        run.collect(ITEMS, Speaks(), ask)
        run.each("count", ITEMS, counted)
        run.each("rate", ITEMS, counted)
    with opened(tmp_path, repeat_from="count") as run:
        assert len(run.state.answers) == len(ITEMS)
        assert run.pending("count", ITEMS) == run.pending("rate", ITEMS) == ITEMS
    with pytest.raises(BadSettings, match="'cuont'"):
        opened(tmp_path, repeat_from="cuont")


def test_ratings_by_people_survive_a_repetition_unless_the_answer_changes(
    tmp_path: Path,
) -> None:
    with opened(tmp_path) as run:
        run.collect(ITEMS[:2], Speaks(), ask)
        run.write(*(Rated(item, "wit", "3") for item in ITEMS[:2]), actor="Ann")
    with opened(tmp_path, repeat_from="rate") as run:
        assert {actor for _, actor, _ in run.state.ratings} == {"Ann"}
    with opened(tmp_path, repeat_from="collect") as run:
        run.collect(ITEMS[:2], Speaks(lambda text: text.upper().replace("1", "one")), ask)
        assert set(run.state.ratings) == {("item 0", "Ann", "wit")}
        state = run.state
    with opened(tmp_path) as run:
        assert run.state == state


def test_failed_items_can_be_repeated_alone(tmp_path: Path) -> None:
    with opened(tmp_path) as run:
        run.collect(ITEMS, Speaks(lambda t: "x" * LONGEST * (1 + (t == "item 1"))), ask)
        run.each("count", ITEMS, counted)
    with Run(tmp_path, "test", {"name": "a contest"}, STAGES, "collect", failed=True) as run:
        assert run.pending("collect", ITEMS) == ["item 1"]
        assert run.pending("count", ITEMS) == ["item 3"]
    with pytest.raises(BadSettings, match="--from"):
        Run(tmp_path, "test", {"name": "another"}, STAGES, "collect", failed=True)


def test_changed_settings_need_a_first_stage_to_repeat(tmp_path: Path) -> None:
    with opened(tmp_path) as run:
        run.each("count", ITEMS, counted)
    with pytest.raises(BadSettings, match="--from"):
        opened(tmp_path, name="another")
    with opened(tmp_path, repeat_from="rate", name="another") as run:
        assert run.state.settings["name"] == "another"
        assert not run.pending("count", ITEMS)


def test_a_new_version_of_a_stage_recomputes_its_values(tmp_path: Path) -> None:
    with opened(tmp_path) as run:
        run.each("count", ITEMS, counted)
        run.each("rate", ITEMS, counted)
    with opened(tmp_path, rate="2") as run:
        assert not run.pending("count", ITEMS)
        assert run.pending("rate", ITEMS) == ITEMS


@pytest.mark.parametrize("at_once", [1, 3])
def test_answers_come_from_several_threads(tmp_path: Path, at_once: int) -> None:
    speaks = Speaks(at_once=at_once)
    with opened(tmp_path) as run:
        run.collect(ITEMS, speaks, ask)
        assert {k: (v.answer, v.tokens) for k, v in run.state.answers.items()} == {
            item: (item.upper(), 7) for item in ITEMS
        }
        run.collect(ITEMS, speaks, ask)
    assert sorted(speaks.asked) == ITEMS


def test_an_unreachable_provider_stops_the_run_which_can_continue_later(tmp_path: Path) -> None:
    def gone(text: str) -> str:
        if text == "item 5":
            raise EnvironmentProblem("no connection")
        return text

    with opened(tmp_path) as run, pytest.raises(EnvironmentProblem):
        run.collect(ITEMS, Speaks(gone), ask)
    speaks = Speaks()
    with opened(tmp_path) as run:
        assert run.pending("collect", ITEMS) == ITEMS[5:]
        run.collect(ITEMS, speaks, ask)
    assert speaks.asked == ITEMS[5:]


def test_an_answer_that_is_too_long_fails_alone(tmp_path: Path) -> None:
    with opened(tmp_path) as run:
        run.collect(ITEMS, Speaks(lambda t: "x" * (LONGEST + (t == "item 1"))), ask)
        assert list(run.state.failures["collect"]) == ["item 1"]
        assert len(run.state.answers) == 7


def test_an_answer_may_be_any_text(tmp_path: Path) -> None:
    with opened(tmp_path) as run:
        run.collect(ITEMS[:1], Speaks(lambda _: "\x00 half \ud800 <b>"), ask)
    with opened(tmp_path) as run:
        assert run.state.answers["item 0"].answer == "\x00 half ? <b>"


def test_a_value_doesnt_change_when_it_is_read_back(tmp_path: Path) -> None:
    with opened(tmp_path) as run:
        run.each("count", ["x"], lambda _: {"b": (1, 2), "a": {"d": 1, "c": 2}})
        first = run.state.values["count"]["x"]
    with opened(tmp_path) as run:
        assert repr(run.state.values["count"]["x"]) == repr(first)


def test_a_result_is_recorded_once(tmp_path: Path) -> None:
    for _ in range(2):
        with opened(tmp_path) as run:
            run.finish({"winner": "A"}, {"result/a.txt": b"A"})
            events = run._record.count()
    assert events == 2
    assert (tmp_path / "result" / "a.txt").read_bytes() == b"A"


class Inner(msgspec.Struct, forbid_unknown_fields=True):
    size: float = 1


class Outer(msgspec.Struct, forbid_unknown_fields=True):
    inner: Inner
    many: list[Inner] = []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('discipline = "test"\n[inner]\nsise = 2', "sise"),
        ('discipline = "test"\n[inner]\nsize = "2"', "size"),
        ('discipline = "test"\n[inner]\n[[many]]\n[[many]]\nsise = 1', "sise"),
        ('discipline = "test"\n[inner]\n[many]\nsize = 1', r"\[\[many\]\]"),
        ('discipline = "other"\n[inner]', "discipline"),
        ("[contest]\nname = 'an LPP contest'", "discipline"),
        ("discipline = ", "can't be read"),
    ],
)
def test_unusable_settings_are_refused(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "contest.toml").write_text(text)
    with pytest.raises(BadSettings, match=said):
        load(tmp_path, "test", Outer)


def test_usable_settings_are_read(tmp_path: Path) -> None:
    with pytest.raises(NotAContest):
        load(tmp_path, "test", Outer)
    (tmp_path / "contest.toml").write_text('discipline = "test"\n[inner]\nsize = 0.5')
    assert plain(load(tmp_path, "test", Outer)) == {"inner": {"size": "0.5"}, "many": []}
