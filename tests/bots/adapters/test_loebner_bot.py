"""Tests `loebner bot` with adapters: its lists, options and refusals, and a whole entry as a
process."""

from __future__ import annotations

import os
import shlex
import signal
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

import loebner.bot as command
from loebner.cli import main
from lpp.channel import DirectoryChannel
from lpp.keypress import Side
from tests.bots.adapters.programs import ECHO, script
from tests.bots.talking import context
from tests.bots.test_process import ended, running
from tests.peer import ScriptedPeer

Until = Callable[..., Awaitable[None]]


def test_an_adapter_gets_its_options_and_runs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    calls: list[tuple[Any, dict[str, Any]]] = []
    monkeypatch.setattr(command, "run_entry", lambda make, **options: calls.append((make, options)))
    (tmp_path / "a.aiml").write_text(
        "<aiml><category><pattern>HI</pattern><template>Ho.</template></category></aiml>",
        encoding="utf-8",
    )
    words = ["--folder", str(tmp_path), "aiml-folder", "--keys-per-minute", "300", "--dir", "."]
    assert main(["bot", *words]) == 0
    ((make, options),) = calls
    assert make(context()).reply("Hi!") == "Ho."
    assert options["keys_per_minute"] == 300.0
    assert options["directory"] == Path(".")
    assert "folder" not in options


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["openai", "--model", "m"], "openai needs --endpoint URL, --persona FILE"),
        (["aiml-folder"], "aiml-folder needs --folder DIR"),
        (["aiml-folder", "--folder", "/nowhere/at/all"], "there is no such folder"),
        (["command"], 'command needs --command "PROGRAM ARGS"'),
        (["--command", "no-such-program-at-all"], "was not found: give its path"),
        (["--command", ""], "--command is empty"),
        (["--quiet", "1"], "give a bot's name"),
        (["chatscript", "--port", "x"], "'x' is not a valid integer"),
        (["chatscript", "--port", "99999"], "--port 99999"),
        (["chatscript", "--command", "x"], "chatscript has no option --command"),
        (["therapist", "--command", "x"], "therapist has no option --command"),
        (["therapist", "--keys-per-minute", "0"], "0 is out of range"),
        (["therapist", "--keys-per-minute", "nan"], "nan is out of range"),
        (["hal"], "retrieval, command, openai, aiml-folder, chatscript"),
    ],
)
def test_a_usage_error_is_one_line_with_exit_code_2(
    words: list[str], complaint: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["bot", *words, "--dir", str(tmp_path)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert complaint in captured.err
    assert captured.err.count("\n") == 1


def test_a_missing_library_names_its_extra(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for module in ("bots.adapters.openai",):
        monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.setitem(sys.modules, "httpx", None)
    words = ["--endpoint", "http://127.0.0.1:1", "--model", "m", "--persona", str(tmp_path)]
    assert main(["bot", "openai", *words]) == 2
    assert "pip install '.[bots]'" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="ends by signals of POSIX")
async def test_a_program_runs_as_an_entry_and_ends_with_it(
    room: Path, tmp_path: Path, until: Until
) -> None:
    note = tmp_path / "pid"
    program = f"import os\nopen({str(note)!r}, 'w').write(str(os.getpid()))\n{ECHO}"
    line = shlex.join(script(tmp_path, program))
    words = ["-m", "loebner", "bot", "--command", line, "--dir", str(room), "--speed", "50"]
    with running(*words, "--seed", "1") as process:
        async with DirectoryChannel(room, side=Side.JUDGE) as judge:
            peer = ScriptedPeer(judge)
            await peer.say("Hello, Jim.\n")
            assert await peer.line(timeout=20) == "You said: Hello, Jim."
        await until(lambda: note.exists() and note.read_text())
        assert ended(process, signal.SIGTERM) == (0, "")
    with pytest.raises(ProcessLookupError):
        os.kill(int(note.read_text()), 0)
