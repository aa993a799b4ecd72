"""Line-oriented programs as entries: real ones, of a few lines each."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bots.adapters.base import FALLBACKS, BadSetting
from bots.adapters.command import HUNG, LINES, CommandBot, prepare, split
from tests.bots.adapters.programs import ECHO, OBEDIENT, script
from tests.bots.talking import context

#: Quick, but long enough for a loaded machine where something has to arrive.
QUICK: dict[str, Any] = {"timeout": 20.0, "quiet": 0.1, "greeting": 0.05, "grace": 0.5}


def replace(settings: dict[str, Any], **changes: object) -> dict[str, Any]:
    return {**settings, **changes}


Record = list[str]


@contextlib.contextmanager
def talking(settings: dict[str, Any], record: Record | None = None) -> Iterator[CommandBot]:
    """A bot at the beginning of a talk; closed in the end."""
    log = record.append if record is not None else lambda text: None
    bot = CommandBot(context(), log=log, **settings)
    try:
        bot.begin()
        yield bot
    finally:
        bot.close()


def obedient(tmp_path: Path, **changes: object) -> dict[str, Any]:
    return replace(QUICK, words=script(tmp_path, OBEDIENT), **changes)


def order(write: str = "", **more: object) -> str:
    return json.dumps({"write": write, **more})


def gone(pid: int) -> bool:
    """Whether there is no such process, not even a zombie."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def pids(capfd: pytest.CaptureFixture[str]) -> list[int]:
    """What `OBEDIENT` has said of itself on standard error, which is passed on."""
    return [int(line.split()[1]) for line in capfd.readouterr().err.splitlines()]


def test_a_line_in_a_line_out(tmp_path: Path) -> None:
    with talking(replace(QUICK, words=script(tmp_path, ECHO))) as bot:
        assert bot.reply("Hello, Jim.") == "You said: Hello, Jim."
        assert bot.reply("Grüße, 你好 😀") == "You said: Grüße, 你好 😀"


def test_text_is_only_text(tmp_path: Path) -> None:
    hostile = "; rm -rf ~ && $(touch x) `touch x` | > x %PATH% \\n"
    with talking(replace(QUICK, words=script(tmp_path, ECHO))) as bot:
        assert bot.reply(hostile) == f"You said: {hostile}"
        assert bot.reply("two\nlines") == "You said: two lines"


def test_arguments_reach_the_program_untouched(tmp_path: Path) -> None:
    words = script(tmp_path, "import sys\ninput()\nprint(sys.argv[1:])")
    with talking(replace(QUICK, words=(*words, "$HOME", "a b", "*"))) as bot:
        assert bot.reply("Hello.") == "['$HOME', 'a b', '*']"


def test_it_runs_through_the_whole_talk_and_afresh_in_the_next(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with talking(obedient(tmp_path)) as bot:
        assert [bot.reply(order("COUNT\n")) for _ in range(3)] == ["1", "2", "3"]
        bot.begin()
        assert bot.reply(order("COUNT\n")) == "1"
    started = pids(capfd)
    assert len(started) == 2
    assert all(map(gone, started))


def test_begin_takes_the_one_that_has_loaded(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with talking(obedient(tmp_path)) as bot:
        bot.begin()
        assert bot.reply(order("COUNT\n")) == "1"
    assert len(pids(capfd)) == 1


def test_several_lines_are_one_answer_until_it_is_quiet(tmp_path: Path) -> None:
    with talking(obedient(tmp_path)) as bot:
        assert bot.reply(order("one\ntwo\n\nthree\n")) == "one\ntwo\n\nthree"


def test_without_a_quiet_time_an_answer_is_one_line(tmp_path: Path) -> None:
    record: Record = []
    with talking(obedient(tmp_path, quiet=0.0), record) as bot:
        # The second line comes in one piece with the first, and is never said.
        assert bot.reply(order("one\ntwo\n")) == "one"
        assert bot.reply(order("three\n")) == "three"
    assert record == ["command: not said, for nobody asked: two"]


def test_an_empty_line_is_an_answer(tmp_path: Path) -> None:
    with talking(obedient(tmp_path)) as bot:
        assert bot.reply(order("\n")) == ""


def test_a_flood_is_cut_and_does_not_reach_the_next_answer(tmp_path: Path) -> None:
    with talking(obedient(tmp_path)) as bot:
        answer = bot.reply(order("x\n" * 1000))
        assert answer == "\n".join("x" * LINES)
        assert bot.reply(order("y\n")) == "y"


def test_a_prompt_is_no_part_of_the_next_answer(tmp_path: Path) -> None:
    # What `input("> ")` does in a program of a few lines.
    words = script(tmp_path, 'while True:\n    print("You said", input("> "))')
    with talking(replace(QUICK, words=words)) as bot:
        # The first prompt comes when the program has loaded: perhaps not before the first line.
        assert bot.reply("a") in ("You said a", "> You said a")
        assert bot.reply("b") == "You said b"
        assert bot.reply("c") == "You said c"


def test_a_greeting_is_not_said(tmp_path: Path) -> None:
    words = script(tmp_path, 'print("Welcome!")\nprint("Bot 1.0")\n' + ECHO)
    record: Record = []
    settings = replace(QUICK, words=words, greeting=20.0)
    with talking(settings, record) as bot:
        bot.reply("x")
        bot.begin()
        assert bot.reply("Hello.") == "You said: Hello."
    assert record[-2:] == [
        "command: not said, for nobody asked: Welcome!",
        "command: not said, for nobody asked: Bot 1.0",
    ]


def test_no_line_in_time(tmp_path: Path) -> None:
    record: Record = []
    settings = obedient(tmp_path, timeout=0.05, fallback="Pardon?")
    with talking(settings, record) as bot:
        assert bot.reply(order("")) == "Pardon?"
    assert "no line within 0.05 seconds" in record[0]


def test_a_line_without_its_end_is_better_than_nothing(tmp_path: Path) -> None:
    settings = obedient(tmp_path)
    with talking(settings) as bot:
        assert bot.reply(order("loaded\n")) == "loaded"
        bot._timeout = 0.3
        assert bot.reply(order("no end")) == "no end"


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX's way to start and wait")
def test_an_answer_that_comes_too_late_is_none_to_the_next_line(tmp_path: Path) -> None:
    flag = tmp_path / "flag"
    late = f"""
import os, sys, time
for line in sys.stdin:
    if line == "late\\n":
        while not os.path.exists({str(flag)!r}):
            time.sleep(0.002)
    print("to", line.strip())
    if line == "late\\n":
        open({str(tmp_path / "said")!r}, "w").close()
"""
    record: Record = []
    settings = replace(QUICK, words=script(tmp_path, late))
    with talking(settings, record) as bot:
        assert bot.reply("first") == "to first"
        bot._timeout = 0.01
        assert bot.reply("late") == FALLBACKS[0]
        flag.touch()
        deadline = time.monotonic() + 20
        while not (tmp_path / "said").exists() and time.monotonic() < deadline:
            os.sched_yield()
        bot._timeout = 20.0
        # The reading thread has it a moment later.
        assert bot._process is not None
        bot._process.line(20)
        assert bot.reply("next") == "to next"


def test_a_program_that_hangs_is_started_again(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    record: Record = []
    settings = obedient(tmp_path, grace=0.2)
    with talking(settings, record) as bot:
        assert bot.reply(order("COUNT\n")) == "1"
        bot._timeout = 0.01
        assert [bot.reply(order("")) for _ in range(HUNG)] == list(FALLBACKS[:HUNG])
        bot._timeout = 20.0
        assert bot.reply(order("COUNT\n")) == "1"
    assert "started again" in record[HUNG - 1]
    assert all(map(gone, pids(capfd)))


def test_a_program_that_died_between_lines_is_started_again(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    record: Record = []
    with talking(obedient(tmp_path), record) as bot:
        assert bot.reply(order("bye\n", exit=3)) == "bye"
        assert bot.reply(order("COUNT\n")) == "1"
    assert record == ["command: the program ended (exit code 3); it is started again"]
    assert all(map(gone, pids(capfd)))


def test_a_program_that_dies_of_a_line_is_not_given_it_again(tmp_path: Path) -> None:
    record: Record = []
    with talking(obedient(tmp_path), record) as bot:
        assert bot.reply(order("", exit=7)) == FALLBACKS[0]
        assert bot.reply(order("COUNT\n")) == "1"
    assert record == ["command: the program ended (exit code 7) and did not answer"]


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_program_that_is_killed(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    record: Record = []
    with talking(obedient(tmp_path), record) as bot:
        assert bot.reply(order("COUNT\n")) == "1"
        (pid,) = pids(capfd)
        os.kill(pid, 9)
        # Whether that is noticed before the line is written or after is chance.
        assert bot.reply(order("COUNT\n")) in ("1", FALLBACKS[0])
        assert bot.reply(order("COUNT\n")) in ("1", "2")
    assert "killed by SIGKILL" in record[0]


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX's way to start and wait")
def test_a_program_that_is_gone_when_it_has_to_start_again(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text(f"#!{sys.executable}\ninput()\nprint(1)\n", encoding="utf-8")
    program.chmod(0o755)
    record: Record = []
    with talking(replace(QUICK, words=(str(program),)), record) as bot:
        assert bot.reply("a") == "1"
        program.unlink()
        assert bot.reply("b") == FALLBACKS[0]
        bot.begin()
        assert bot.reply("c") == FALLBACKS[1]
    assert any("can't be started: No such file" in line for line in record)


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_program_that_will_not_end_is_ended_with_what_it_started(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    stubborn = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = os.fork()
print("pid", os.getpid(), file=sys.stderr)
if child:
    print("ready")
time.sleep(3600)
"""
    settings = replace(QUICK, words=script(tmp_path, stubborn), grace=0.05)
    with talking(settings) as bot:
        assert bot.reply("x") == "ready"
    both = pids(capfd)
    assert len(both) == 2
    deadline = time.monotonic() + 20
    # The child is the system's to bury.
    while not all(map(_dead, both)) and time.monotonic() < deadline:
        os.sched_yield()
    assert all(map(_dead, both))


def _dead(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return True
    return state == "Z"


def test_a_program_that_never_reads_holds_nobody_up(tmp_path: Path) -> None:
    deaf = script(tmp_path, "import time\nprint('x', flush=True)\ntime.sleep(3600)")
    settings = replace(QUICK, words=deaf, timeout=0.01, grace=0.05)
    with talking(settings) as bot:
        for _ in range(2):
            bot.reply("x" * 1_000_000)


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    with talking(obedient(tmp_path)) as bot:
        assert bot.reply(order(raw=[0x48, 0xFF, 0x0A])) == "H\ufffd"


def test_overheard_lines_are_put_before_the_next(tmp_path: Path) -> None:
    with talking(replace(QUICK, words=script(tmp_path, ECHO))) as bot:
        bot.overhear("My name is Jim.")
        assert bot.reply("And yours?") == "You said: My name is Jim. And yours?"
        bot.overhear("Forget it.")
        bot.begin()
        assert bot.reply("Hello.") == "You said: Hello."


def test_after_closing_nothing_is_started(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with talking(obedient(tmp_path)) as bot:
        assert bot.reply(order("COUNT\n")) == "1"
        bot.close()
        assert bot.reply(order("COUNT\n")) in FALLBACKS
        bot.close()
    assert len(pids(capfd)) == 1


# prepare


def test_a_command_is_made_ready(tmp_path: Path) -> None:
    command = " ".join(f"'{word}'" for word in script(tmp_path, ECHO))
    bot = prepare(command, quiet=0.05)(context())
    try:
        bot.begin()
        assert bot.reply("Hello.") == "You said: Hello."
    finally:
        bot.close()


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        ("no-such-program-at-all -x", "there is no program 'no-such-program-at-all'"),
        ("", "--command is empty"),
        ("'x", "no closing quotation"),
    ],
)
def test_what_can_not_be_run(command: str, complaint: str) -> None:
    with pytest.raises(BadSetting, match=complaint):
        prepare(command)


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX's way to start and wait")
def test_what_is_no_program_is_told_when_it_is_started(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text("#!/nowhere/at/all\n", encoding="utf-8")
    program.chmod(0o755)
    with pytest.raises(BadSetting, match="can't be started"):
        prepare(str(program))(context())


def test_times_are_checked() -> None:
    with pytest.raises(BadSetting, match="--quiet -1"):
        prepare(sys.executable, quiet=-1.0)
    with pytest.raises(BadSetting, match="--timeout 0"):
        prepare(sys.executable, timeout=0.0)


# The words of a command


def test_words_go_by_the_platform() -> None:
    command = "bot \"C:\\my bots\\a\" 'a b'"
    assert split(command, "linux") == ["bot", r"C:\my bots\a", "a b"]
    assert split(command, "win32") == ["bot", r"C:\my bots\a", "'a", "b'"]


@pytest.mark.parametrize("platform", ["linux", "win32"])
@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        ("", "is empty"),
        ("   ", "is empty"),
        ('""', "is empty"),
        ('bot "a', "no closing quotation"),
        ("bot \0", "no program's name"),
    ],
)
def test_what_is_no_command(platform: str, command: str, complaint: str) -> None:
    with pytest.raises(BadSetting, match=complaint) as caught:
        split(command, platform)
    assert "\n" not in str(caught.value)
