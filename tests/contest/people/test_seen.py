"""Lines out of timed keys, and keys out of what a screen shows."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from contest.people.seen import PAUSE, Seen, TimedKey, lines_of
from lpp.names import keys_of
from lpp.wire import Author


def timed(text: str, author: Author, start: float = 0.0, gap: float = 0.1) -> list[TimedKey]:
    return [(start + gap * index, author, key) for index, key in enumerate(keys_of(text))]


def test_a_line_knows_its_times_keys_and_corrections() -> None:
    keys = [(float(i) / 10, "entity", k) for i, k in enumerate("Hx")]
    keys += [(0.2, "entity", "BackSpace"), (0.3, "entity", "i"), (0.4, "entity", "Return")]
    [line] = lines_of(keys)  # type: ignore[arg-type]
    assert (line.text, line.began, line.ended) == ("Hi", 0.0, 0.4)
    assert (line.keys, line.corrections, line.returned) == (5, 1, True)


def test_without_a_return_a_pause_ends_the_line() -> None:
    keys = timed("one", "entity") + timed("two", "entity", 1.0 + PAUSE)
    lines = lines_of(keys)
    assert [(line.text, line.returned) for line in lines] == [("one", False), ("two", False)]


def test_both_authors_type_at_once() -> None:
    keys = sorted(timed("how are you\n", "judge") + timed("fine\n", "entity", 0.05))
    assert [(line.author, line.text) for line in lines_of(keys)] == [
        ("entity", "fine"),
        ("judge", "how are you"),
    ]


def test_keys_that_type_nothing_and_backspace_at_the_begin_do_no_harm() -> None:
    names = ["Shift_L", "BackSpace", "a", "", "weird name", "Return", "Return"]
    lines = lines_of((float(i) / 10, "entity", name) for i, name in enumerate(names))
    assert [line.text for line in lines] == ["a", ""]


def test_last_key_and_unsent() -> None:
    seen = Seen()
    assert seen.last_key("judge") is None
    for each in timed("hi\n", "judge") + timed("we", "judge", 1.0):
        seen.see(*each)
    assert seen.unsent("judge") == "we"
    assert seen.last_key("judge") == 1.1
    assert seen.last_key("entity") is None
    seen.close("entity")
    seen.close("judge")
    assert [line.text for line in seen.by("judge")] == ["hi", "we"]
    assert seen.last_key("judge") == 1.1


SHOWN = st.lists(st.tuples(st.sampled_from(["judge", "entity"]), st.sampled_from("ab\n")))


@given(SHOWN, st.integers(0, 30))
def test_a_snapshot_keeps_the_times_of_what_was_seen(
    shown: list[tuple[Author, str]], known: int
) -> None:
    seen = Seen()
    for index, (author, key) in enumerate(shown[:known]):
        seen.see(float(index), author, key)
    before = list(seen.keys)
    seen.catch_up(shown, 1000.0, replaced=True)
    assert [(author, key) for _, author, key in seen.keys] == shown
    assert seen.keys[: len(before)] == before
    assert all(at == 1000.0 for at, _, _ in seen.keys[len(before) :])
    assert seen.lines == Seen(seen.keys).lines


def test_a_snapshot_in_another_order_keeps_each_authors_times() -> None:
    seen = Seen([(1.0, "judge", "a"), (2.0, "judge", "b"), (3.0, "entity", "x")])
    seen.catch_up([("judge", "a"), ("entity", "x"), ("judge", "b")], 9.0, replaced=True)
    # The times have to run on: what stands later on the screen is not seen earlier.
    assert seen.keys == [(1.0, "judge", "a"), (3.0, "entity", "x"), (3.0, "judge", "b")]


def test_what_is_new_at_the_end_is_seen_now() -> None:
    seen = Seen([(1.0, "judge", "a")])
    seen.catch_up([("judge", "a"), ("entity", "x")], 2.0, replaced=False)
    assert seen.keys[-1] == (2.0, "entity", "x")
