"""Tests the judgements on wire logs written by hand: what each case accepts and rejects."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lpp.conformance import judging, texts
from lpp.conformance.cases import Outcome, choose
from lpp.conformance.judging import Finding
from lpp.conformance.log import Kind, Log
from lpp.names import keys_of
from tests.lpp.conformance.writing import Writer

Judge = Callable[[Log], Finding]


def names(*made: str) -> Writer:
    return Writer().start().act("greet").made(*made)


NAMES: list[tuple[Judge, list[str], bool | None]] = [
    (judging.unique, [], None),
    (judging.unique, ["01.a.other", "02.a.other"], True),
    (judging.unique, ["01.a.other", "01.b.other"], False),
    (judging.unique, ["01.a.other", "1.b.other"], False),
    (judging.unique, ["01.a.other", "01.a.other"], False),
    (judging.unique, ["x1.a.other", "x1.b.other"], False),
    (judging.numeric, ["01.a.other", "02.a.other", "10.c.other"], True),
    (judging.numeric, ["02.a.other", "01.a.other"], False),
    (judging.numeric, ["02.a.other", "02.b.other"], True),  # judged by `unique`
    (judging.numeric, ["x1.a.other"], False),
    (judging.numeric, ["9.a.other", "10.a.other"], True),
    (judging.lexical, ["9.a.other", "10.a.other"], False),
    (judging.lexical, ["09.a.other", "10.a.other"], True),
    (judging.lexical, ["10.b.other", "10.a.other"], True),
    (judging.width, ["09.a.other", "10.a.other"], True),
    (judging.width, ["9.a.other", "10.a.other"], False),
    (judging.width, ["x1.a.other"], False),
    (judging.name, ["01.a.other", "02.7.other", "03.space.other"], True),
    (judging.name, ["01.é.other"], True),
    (judging.name, ["01.quotedble.other"], False),
    (judging.name, ["01. .other"], False),
    (judging.name, ["01..other"], False),
    (judging.name, ["01...other"], False),
    (judging.name, ["01.apostrophe.other"], False),
    (judging.name, ["01.ab.other"], False),
    (judging.name, ["a.other"], False),
    (judging.name, ["my log.txt"], None),
    (judging.extension, ["01.a.other"], True),
    (judging.extension, ["01.a.Other"], False),
    (judging.extension, ["01.a.judge"], False),
    (judging.extension, ["01.a.entry"], False),
]


@pytest.mark.parametrize(("judge_it", "made", "good"), NAMES)
def test_names(judge_it: Judge, made: list[str], good: bool | None) -> None:
    finding = judge_it(names(*made).log)
    assert finding.good is good
    if good is False:
        assert finding.observed
        assert finding.evidence


def test_numbers_are_judged_per_life_except_by_restart() -> None:
    log = names("05.a.other", "06.b.other").start().act("keys").made("01.a.other").log
    assert judging.unique(log).good
    assert judging.numeric(log).good
    assert judging.lexical(log).good
    assert judging.restart(log).good is False
    assert judging.restart(names("05.a.other").log).good is None
    assert judging.restart(names("05.a.other").start().made("06.a.other").log).good


def echoing() -> Writer:
    writer = Writer().start().act("waits-empty").wait(3.5).add(Kind.WATCHED)
    writer.act("greet").ask(texts.GREETING, texts.GREETING)
    return writer.act("probe").ask(texts.PROBE, f"You said: {texts.PROBE}")


def other() -> Writer:
    writer = Writer().start().act("greet").ask(texts.GREETING, "Hello, Jim. My name is Sam.")
    return writer.act("probe").ask(texts.PROBE, "Tell me more about that blue umbrella.")


def test_an_echo_is_found_by_edit_distance() -> None:
    assert echoing().log.echoes()
    assert not other().log.echoes()


SPELLINGS = texts.SPELLING


@pytest.mark.parametrize(
    ("answer", "good", "cause"),
    [
        (SPELLINGS, True, ""),
        (f"You said: {SPELLINGS} Indeed.", True, ""),
        (SPELLINGS.replace("-", "minus"), False, "`minus` was inserted as a word"),
        (SPELLINGS.replace("'", "Quoteright"), False, "read it as an apostrophe"),
        (SPELLINGS.replace("%", ""), False, "'%' did not come back"),
        (SPELLINGS.replace("\t", " "), False, "'\\t' came back as ' '"),
        ("".join(char * 2 for char in SPELLINGS), False, "each key came twice"),
        (SPELLINGS.replace("e/f", "e/xf"), False, "'x' was added"),
    ],
)
def test_spelling(answer: str, good: bool, cause: str) -> None:
    finding = judging.spelling(echoing().act("spelling").ask(SPELLINGS, answer).log)
    assert finding.good is good
    assert cause in finding.cause


@pytest.mark.parametrize(
    ("answer", "good", "cause"),
    [
        ("plain words only", True, ""),
        ("plainS wordsC onlyX", False, "ignore names"),
        ("plainShift_L words only", False, "ignore names"),
        (None, False, ""),
    ],
)
def test_unknown_names_leave_the_line_unchanged(answer: str | None, good: bool, cause: str) -> None:
    line = "plain words only"
    writer = echoing().act("unknown").ask(line, answer).ask(texts.PLAIN, texts.PLAIN)
    finding = judging.keys(writer.ask(line, line).act("keys").ask("(all keys)", "abc").log)
    assert finding.good is good
    assert cause in finding.cause


HALF = texts.BURST[:120]


@pytest.mark.parametrize(
    ("answer", "good", "told"),
    [
        (HALF, None, "still typing"),
        (f"You said: {HALF}", None, "still typing"),
        ("You sai", None, "still typing"),
        (f"{HALF}zx", None, "still typing"),  # a slip, not yet corrected
        (f"Good.\n{HALF}", None, "still typing"),
        (HALF.replace("brown", "bown"), False, "'r' did not come back"),
        ("".join(char * 2 for char in HALF), False, ""),
        (f"{texts.BURST.replace('brown', 'bown')}\n", False, "'r' did not come back"),
        (f"{texts.BURST}\nAnd y", True, ""),
    ],
)
def test_an_unfinished_echo_is_judged_by_what_was_received(
    answer: str, good: bool | None, told: str
) -> None:
    writer = echoing().act("burst").press(keys_of(texts.BURST + "\n"))
    # First as if the whole check had ended, then as if it had to continue.
    writer.add(Kind.ASKED, detail=texts.BURST).says(answer)
    for ended in ("", "still typing"):
        if ended:
            writer.add(Kind.HEARD, detail=ended)
        finding = judging.burst(writer.log)
        assert finding.good is good, finding
        assert told in f"{finding.observed} {finding.cause}"
        assert "snowy" not in finding.cause


@pytest.mark.parametrize(
    ("answer", "again", "good"),
    [
        ("Why so", None, True),
        ("Why  so", "Why so", False),
        ("Why  so", "Why  so", None),  # the line is the cause, not the way of typing
        ("Why  so", None, None),  # time was up
        ("You say: Why  so", "You say: Why  so", None),
        (None, "Why so", False),
        (None, "Why so\nWhy so", True),  # the first came late
    ],
)
def test_a_fault_needs_the_same_line_to_be_right_when_typed_plainly(
    answer: str | None, again: str | None, good: bool | None
) -> None:
    writer = echoing().act("slow").ask(texts.SLOW, answer).ask(texts.PLAIN, texts.PLAIN)
    if again is not None:
        writer.ask(texts.SLOW, again)
    assert judging.slow(writer.log).good is good


@pytest.mark.parametrize("judge_it", [judging.burst, judging.slow])
def test_a_line_counts_as_read_if_it_is_answered_or_echoed_as_typed(judge_it: Judge) -> None:
    act = judge_it.__name__
    assert judge_it(other().log).good is None
    assert judge_it(other().act(act).ask("one two", "Three.").log).good
    unanswered = other().act(act).ask("one two").ask(texts.PLAIN, "Yes")
    assert judge_it(unanswered.ask("one two", "Three.").log).good is False
    assert judge_it(other().act(act).ask("one two").ask(texts.PLAIN).log).good is False  # it hangs
    assert judge_it(echoing().act(act).ask("one two", "one two").log).good
    lost = judge_it(echoing().act(act).ask("one two", "one wo").ask("one two", "one two").log)
    assert lost.good is False
    assert "'t' did not come back" in lost.observed
    assert judge_it(other().act(act).press("ab").ends().log).good is False


@pytest.mark.parametrize(
    ("name", "good"),
    [("Shift_L", True), ("é", True), ("!", True), ("period", False), ("7", False), ("a", False)],
)
def test_only_keys_defined_by_the_rules_must_be_removed(name: str, good: bool) -> None:
    """One name is left in the directory; the names before and after it are removed."""
    writer = Writer().start().act("greet").press("ab").press([name], removed_after=None)
    writer.wait(9.0).press("c")
    assert judging.removes(writer.log).good is good


def typing_for(keys: int, removed_after: float, *, slow: float = 0.0) -> Writer:
    """An entry types ten keys a second, and so does the judge."""
    writer = other().act("silence").press("a" * 10, removed_after=slow).act("while-typing")
    writer.press("x").add(Kind.ASKED, detail="x")
    names = []
    for index in range(20):
        writer.says("a" if index < keys else "").wait(0.09)
        writer.ours += 1
        names.append(f"{writer.ours:010d}.b.judge")
        writer.add(Kind.PRESSED, names[-1])
    writer.wait(removed_after)
    for name in names:
        writer.add(Kind.GONE, name)
    return writer.add(Kind.ASKED, detail="b")


@pytest.mark.parametrize(
    ("writer", "good"),
    [
        (typing_for(20, 9.0), False),
        (typing_for(20, 9.0, slow=3.0), None),  # also late at other times
        (typing_for(1, 9.0), None),  # the answer was complete before the keys came
        (other(), None),
        (other().act("while-typing").ask("x"), None),
        (other().act("while-typing").ask("x", "Yes").press("a" * 20), True),
        (other().act("while-typing").ask("x", "Yes").ends(), False),
    ],
)
def test_keys_are_removed_while_the_entry_types(writer: Writer, good: bool | None) -> None:
    finding = judging.while_typing(writer.log)
    assert finding.good is good, finding
    # Keys that were removed only after the answer count as removed.
    assert judging.removes(writer.log).good


@pytest.mark.parametrize(("late", "good"), [(0, True), (1, True), (2, False), (20, False)])
def test_nineteen_of_twenty_removals_are_prompt(late: int, good: bool) -> None:
    writer = Writer().start().act("greet").press("x")
    writer.press("a" * (20 - late)).press("b" * late, removed_after=1.2)
    finding = judging.prompt(writer.log)
    assert finding.good is good
    assert "95 %" in finding.observed


def test_the_level_determines_the_outcome() -> None:
    log = other().act("slow").ask("x").ask(texts.PLAIN, "y").ask("x", "y").log
    slow, browse, rhythm = (choose((id_,))[0] for id_ in ("2.B/slow", "2/browse", "3/rhythm"))
    assert slow.judge(log).outcome is Outcome.NON_STRICT
    assert slow.judge(log, strict=True).outcome is Outcome.FAIL
    assert browse.judge(log).outcome is Outcome.NOT_TESTED
    log.attested = frozenset({"browse"})
    assert browse.judge(log).outcome is Outcome.PASS
    assert rhythm.judge(log, strict=True).outcome is Outcome.INFO


def leftovers_log() -> Writer:
    """A log with leftovers that the program read."""
    writer = echoing()
    writer.log.act = "leftovers"
    return writer.act("leftovers").press(keys_of(texts.LEFT_OVER + "\n")).act("slow")


@pytest.mark.parametrize(
    ("answer", "good", "told"),
    [
        (f"{texts.LEFT_OVER}\n{texts.SLOW}", True, ""),
        (f"ine\n{texts.SLOW}", True, ""),
        (texts.LEFT_OVER, False, "was not answered; the keys received answer an earlier line"),
        (f"{texts.LEFT_OVER}\nWh so", False, "'Why so' came back as 'Wh so'"),
    ],
)
def test_a_late_answer_belongs_to_its_own_line(answer: str, good: bool, told: str) -> None:
    plainly = leftovers_log().ask(texts.SLOW, answer).ask(texts.SLOW, texts.SLOW)
    finding = judging.slow(plainly.log)
    assert finding.good is good
    assert told in finding.observed


def test_an_answer_after_the_next_line_counts() -> None:
    late = leftovers_log().ask(texts.SLOW).ask(texts.PLAIN, f"{texts.SLOW}\n{texts.PLAIN}")
    assert judging.slow(late.log).good
    never = leftovers_log().ask(texts.SLOW).ask(texts.PLAIN, texts.PLAIN)
    assert judging.slow(never.ask(texts.SLOW, texts.SLOW).log).good is False


def test_an_answer_before_return_shows_that_a_slow_line_was_read() -> None:
    writer = other().act("slow").press("ab").says("Yes?\n").ask("c")
    assert judging.slow(writer.log).good


def test_an_entry_that_never_answers_must_remove_the_keys() -> None:
    silent = Writer().start().act("greet").ask(texts.GREETING)
    assert judging.burst(silent.act("burst").ask("one two").log).good
    silent.act("slow").press("ab", removed_after=None).wait(3.0)
    assert judging.slow(silent.ask("c").log).good is False


@pytest.mark.parametrize(("seconds", "good"), [(0.0, True), (29.0, True), (31.0, False)])
def test_the_first_answer_begins_within_thirty_seconds(seconds: float, good: bool) -> None:
    writer = Writer().start().act("greet").ask(texts.GREETING).wait(seconds).says("Hi")
    assert judging.answers(writer.log).good is good


def test_missing_returns_and_very_fast_typing_are_reported() -> None:
    good = other()
    assert "Return" not in judging.rhythm(good.log).observed
    assert "Return" not in judging.answers(good.log).observed
    bare = Writer().start().act("greet").press("Hi", removed_after=0.0)
    bare.add(Kind.ASKED, detail="Hi").says("Hello").add(Kind.HEARD, detail="answered")
    assert "with no Return: 'Hello'" in judging.answers(bare.log).observed
    assert "it never pressed Return" in judging.rhythm(bare.log).observed
    # One key every 10 ms, the writer's pace.
    assert "no program of 2012 typed this fast" in judging.rhythm(bare.log).observed
    cut = Writer().start().act("greet").press("Hi", removed_after=0.0)
    cut.add(Kind.ASKED, detail="Hi").says("Hello").add(Kind.HEARD, detail="still typing")
    assert "Return" not in judging.rhythm(cut.log).observed
