"""Tests the checks after a rehearsal, which compare screens with the record."""

from __future__ import annotations

from typing import TypeAlias

from hypothesis import given
from hypothesis import strategies as st

from contest.rehearse.report import differs
from lpp.wire import Author

Recorded: TypeAlias = dict[Author, list[tuple[str, bool]]]

#: Only three keys, so that keys that were not shown often equal the next ones.
keys = st.sampled_from("abR")
one_author = st.lists(st.tuples(keys, st.booleans()), max_size=12)
talks = st.fixed_dictionaries({"judge": one_author, "entity": one_author})
owns: st.SearchStrategy[Author] = st.sampled_from(("judge", "entity"))


def screen(recorded: Recorded, own: Author, keep: list[bool]) -> list[tuple[Author, str]]:
    """A valid screen: it may include some of the person's own keys that were not shown to
    others."""
    shown: list[tuple[Author, str]] = []
    for author, pressed in recorded.items():
        for n, (key, visible) in enumerate(pressed):
            if visible or (author == own and keep[n % len(keep)]):
                shown.append((author, key))
    return shown


@given(talks, owns, st.lists(st.booleans(), min_size=1))
def test_valid_screen_does_not_differ(recorded: Recorded, own: Author, keep: list[bool]) -> None:
    assert differs(screen(recorded, own, keep), own, recorded) == ""


def all_shown(recorded: Recorded) -> Recorded:
    return {author: [(key, True) for key, _ in pressed] for author, pressed in recorded.items()}


@given(talks, owns, st.data())
def test_lost_or_doubled_key_is_found(recorded: Recorded, own: Author, data: st.DataObject) -> None:
    recorded = all_shown(recorded)
    right = screen(recorded, own, [True])
    if not right:
        return
    at = data.draw(st.integers(0, len(right) - 1))
    assert differs(right[:at] + right[at + 1 :], own, recorded)
    assert differs([*right[: at + 1], right[at], *right[at + 1 :]], own, recorded)


def test_differing_key_is_named() -> None:
    recorded: Recorded = {"judge": [("H", True), ("i", True)], "entity": [("x", False)]}
    assert differs([("judge", "H")], "judge", recorded) == "the judge's key 2 is none, not i"
