"""Tests the checker with real programs: a correct bot, a few mutants, a bundled bot; with `soak`,
all of them."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from bots.registry import BOTS
from lpp.conformance.acts import Durations
from lpp.conformance.cases import CASES, Case, CheckResult, choose
from lpp.conformance.check import Setup, check
from lpp.errors import EnvironmentProblem
from lpp.program import CantStart
from tests.mutants.mutant import FAULTS

MUTANT = str(Path(__file__).parent / "mutant.py")
#: A hasty judge, for `make test`: what is tested here doesn't depend on how long it waits.
HASTY = Durations(still=1.2, silence=0.8, slow_keys=2, leftovers=0.5, alone=0.3, gap=0.01)
#: The cases that compare a text with what comes back.
TEXT_CASES = {"2.A.e/spelling", "2.B/keys", "2.B/backspace", "2.B/burst", "2.B/slow"}


def program(fault: str) -> tuple[str, ...]:
    return sys.executable, MUTANT, fault, "{dir}"


def bot(name: str, speed: float) -> tuple[str, ...]:
    return "loebner", "bot", name, "--dir", "{dir}", "--speed", f"{speed:g}"


async def checked(words: tuple[str, ...], cases: tuple[Case, ...]) -> CheckResult:
    return await check(Setup(words, cases=cases, measures=HASTY))


def faults(result: CheckResult) -> dict[str, str]:
    return {found.case.id: found.outcome.value for found in result.cases if found.is_faulty}


def explain(result: CheckResult) -> str:
    told = [f"{o.case.id}: {o.observed} | {o.cause}" for o in result.cases if o.is_faulty]
    return "\n".join([*told, result.log.trouble, result.output])


async def test_some_programs_in_a_hurry() -> None:
    names = choose(("2.A.a", "2.A.d"))
    wanted: list[tuple[tuple[str, ...], tuple[Case, ...]]] = [
        (program("ends-at-once"), CASES),
        (program("none"), choose(("2.A", "2.B/only", "3/restart"))),
        ((*bot("therapist", 20), "--seed", "1"), choose(("2.A", "2.B/removes", "3/answers"))),
        (program("falling"), names),
        (program("full-directories"), names),
    ]
    begun = time.monotonic()
    results = await asyncio.gather(*(checked(words, cases) for words, cases in wanted))
    for (words, _), result in zip(wanted, results, strict=True):
        declared = FAULTS[words[2]] if words[1] == MUTANT else {}
        chosen = {outcome.case.id for outcome in result.cases}
        expected = {case: word for case, word in declared.items() if case in chosen}
        assert faults(result) == expected, f"{words}: {explain(result)}"
    ended = results[0]
    assert ended.log.trouble.startswith("the program ended by itself before")
    assert "exit code 3" in ended.log.trouble
    assert "died of its fault" in ended.output
    assert time.monotonic() - begun < 60


async def test_a_program_that_runs_is_checked_in_its_directory(tmp_path: Path) -> None:
    (tmp_path / "0000000001.x.other").mkdir()
    running = await asyncio.create_subprocess_exec(
        sys.executable, MUTANT, "none", str(tmp_path), stderr=asyncio.subprocess.DEVNULL
    )
    try:
        cases = choose(("2.A.a", "2.B/only", "3/waits", "3/restart"))
        result = await check(Setup(directory=tmp_path, cases=cases, measures=HASTY))
    finally:
        running.kill()
        await running.wait()
    assert not faults(result), explain(result)
    untold = {o.case.id for o in result.cases if o.outcome.value == "not-tested"}
    assert untold == {"3/restart"}
    assert [entry.name for entry in tmp_path.iterdir()] == ["0000000001.x.other"]


async def test_a_check_that_is_interrupted_leaves_nothing_running(
    tmp_path: Path, until: Callable[..., Awaitable[None]]
) -> None:
    pid_file = tmp_path / "pid"
    code = (
        "import os, pathlib, signal, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        f"pathlib.Path({str(pid_file)!r}).write_text(str(os.getpid()))\n"
        "time.sleep(3600)\n"
    )
    checking = asyncio.create_task(checked((sys.executable, "-c", code), CASES))
    await until(lambda: pid_file.exists() and pid_file.read_text())
    for _ in range(2):  # a second Ctrl-C cuts the orderly end short
        checking.cancel()
        await asyncio.sleep(0.1)
    await asyncio.wait({checking})
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid_file.read_text()), 0)


async def test_a_removed_directory_is_reported_and_the_program_is_stopped() -> None:
    code = "import os, sys, time; os.rmdir(sys.argv[1]); time.sleep(60)"
    with pytest.raises(EnvironmentProblem, match="can't create"):
        await checked((sys.executable, "-c", code, "{dir}"), choose(("3/answers",)))


@pytest.mark.skipif(os.name != "posix", reason="only POSIX has `#!` lines and permissions")
async def test_what_cant_be_started_is_reported_with_its_remedy(tmp_path: Path) -> None:
    closed, elsewhere = tmp_path / "a bot.py", tmp_path / "bot"
    closed.write_text("print()")
    elsewhere.write_text("#!/there/is/none\n")
    elsewhere.chmod(0o755)
    for word, remedy in (
        ("./no", r"'\./no' was not found"),
        (str(closed), "give the command that runs it, such as python bot.py"),
        (str(elsewhere), "names a program that doesn't exist here"),
    ):
        with pytest.raises(CantStart, match=remedy):
            await checked((word, "{dir}"), choose(("3/answers",)))


@pytest.mark.soak
@pytest.mark.timeout(200)
@pytest.mark.parametrize("fault", FAULTS)
async def test_every_mutant_as_a_program(fault: str) -> None:
    begun = time.monotonic()
    result = await check(Setup(program(fault)))
    assert time.monotonic() - begun <= (60 if fault == "none" else 150)
    found = {found.case.id: found.outcome.value for found in result.cases}
    declared = FAULTS[fault]
    assert {case: found[case] for case in declared} == declared, explain(result)
    # Keys that a busy machine reads late come in the order of their names. With wrong numbers that
    # is not the order in which they were typed, so texts differ.
    follow = TEXT_CASES if "2.A.a/unique" in declared or "2.A.a/numeric" in declared else set()
    assert set(faults(result)) <= declared.keys() | follow, explain(result)


@pytest.mark.soak
@pytest.mark.timeout(200)
@pytest.mark.parametrize("speed", [1.0, 10.0])
@pytest.mark.parametrize("name", BOTS)
async def test_the_bundled_bots_keep_every_must_and_should(name: str, speed: float) -> None:
    result = await check(Setup(bot(name, speed)))
    assert not faults(result), explain(result)
    untold = {o.case.id for o in result.cases if o.outcome.value == "not-tested"}
    assert untold == {"2/browse", "2.A.e/spelling", "2.B/backspace"}
    assert result.seconds <= 150
