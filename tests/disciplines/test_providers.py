"""Tests providers: each kind of provider, with its failures."""

from __future__ import annotations

import json
import shlex
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import msgspec
import pytest

from contest.errors import BadSettings, EnvironmentProblem
from disciplines import providers
from disciplines.providers import ProviderTable, provider, seed_of
from disciplines.run import Answer, ItemFailed, ResumableDialogue
from lpp.blocking import Talk
from lpp.numbers import MemoryNumbers


def one(
    table: ProviderTable, text: str = "Hello", folder: Path = Path(), item: str = "x"
) -> Answer:
    """The answer of a fresh provider."""
    made = provider(table, folder)
    try:
        with made.dialogue(item) as dialogue:
            return dialogue.ask(text, item)
    finally:
        made.close()


def python(script: str, *words: str) -> str:
    return shlex.join([sys.executable, "-I", "-c", script, *words])


@pytest.mark.parametrize(
    "table",
    [
        {},
        {"command": "a", "folder": "b"},
        {"command": "a", "seconds": 0},
        {"command": "a", "at_once": -1},
        {"commmand": "a"},
    ],
)
def test_a_table_needs_exactly_one_source(table: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(table, ProviderTable)


# Commands


def test_a_command_reads_the_text_and_writes_the_answer() -> None:
    script = "import sys; print(sys.stdin.read()[::-1], *sys.argv[1:])"
    command = python(script, "{item}", "{seed}")
    found = one(ProviderTable(command=command, master_seed=1), "grün\nund", item="A_1")
    assert found == Answer(f"dnu\nnürg A_1 {seed_of(1, 'A_1')}\n")


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("import time; time.sleep(60)", "within 1 seconds"),
        ("raise SystemExit(3)", "exit code 3"),
    ],
)
def test_a_command_without_an_answer_fails_the_item(script: str, said: str) -> None:
    with pytest.raises(ItemFailed, match=said):
        one(ProviderTable(command=python(script), seconds=1))


def test_a_command_that_doesnt_read_its_input_still_answers() -> None:
    assert one(ProviderTable(command=python("print(1)")), "x" * 1_000_000).text == "1\n"


def test_the_output_of_an_endless_command_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(providers, "READ", 100_000)
    script = "while True: print('x' * 1000)"
    assert len(one(ProviderTable(command=python(script))).text) == 100_000


def test_a_missing_program_stops_the_run() -> None:
    with pytest.raises(EnvironmentProblem, match="nowhere"):
        one(ProviderTable(command="/nowhere/program"))
    with pytest.raises(BadSettings):
        one(ProviderTable(command="unended 'quote"))


# LPP entries

_ECHO = """
import sys
from lpp.blocking import Talk
with Talk(sys.argv[1]) as talk:
    for line in talk:
        talk.say(f"one: {len(line)}\\ntwu\\bo: {line[:5]}\\n")
"""


def test_an_entry_is_started_and_typed_to(tmp_path: Path) -> None:
    script = tmp_path / "entry.py"
    script.write_text(_ECHO)
    root = Path(__file__).parents[2]
    words = [
        sys.executable,
        "-c",
        f"import sys; sys.path.insert(0, {str(root)!r}); "
        f"sys.argv[1:] = sys.argv[2:]; exec(open({str(script)!r}).read())",
        "-",
        "{dir}",
    ]
    table = ProviderTable(command=shlex.join(words), quiet=1.5, seconds=30)
    assert one(table, "Hello\n\nentry").text == "one: 11\ntwo: Hello\n"


def test_a_running_entry_is_asked_in_its_directory(tmp_path: Path) -> None:
    with Talk(tmp_path, numbers=MemoryNumbers()) as talk:

        def entry() -> None:
            for line in talk:
                talk.say(f"{line}!\nlate")

        thread = threading.Thread(target=entry)
        thread.start()
        table = ProviderTable(directory=".", quiet=0.5, seconds=20)
        assert provider(table, tmp_path).at_once == 1
        assert one(table, "first", tmp_path).text == "first!\nlate"
        talk.say("what nobody asked for\n")
        assert one(table, "second", tmp_path).text == "second!\nlate"
        talk.close()
        thread.join()


def test_an_entry_without_an_answer_fails_the_item() -> None:
    with pytest.raises(ItemFailed, match="ended without"):
        one(ProviderTable(command=python("pass", "{dir}"), quiet=1, seconds=20))
    with pytest.raises(ItemFailed, match="did not answer"):
        one(ProviderTable(command=python("import time; time.sleep(9)", "{dir}"), seconds=1))


_COUNTS = """
import sys
from lpp.blocking import Talk
with Talk(sys.argv[1]) as talk:
    for number, line in enumerate(talk, 1):
        talk.say(f"{number}: {line}\\n")
"""


def test_a_restarted_entry_gets_the_earlier_texts_again(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    command = python(f"import sys; sys.path.insert(0, {str(root)!r}); exec({_COUNTS!r})", "{dir}")
    made = provider(ProviderTable(command=command, quiet=0.5, seconds=30), tmp_path)
    with made.dialogue("x") as dialogue:
        assert isinstance(dialogue, ResumableDialogue)
        dialogue.resume([("first", "1: first"), ("second", "2: second")])
        assert dialogue.ask("third", "x").text == "3: third\n"


# Stored answers


def test_stored_answers_are_found_by_the_item(tmp_path: Path) -> None:
    (tmp_path / "team" / "raw" / "A").mkdir(parents=True)
    (tmp_path / "team" / "intermediate" / "A").mkdir(parents=True)
    (tmp_path / "team" / "intermediate" / "A" / "team_A_1.txt").write_text("a program")
    (tmp_path / "team" / "raw" / "A" / "team_A_1.txt").write_bytes(b"an answer \xff")
    table = ProviderTable(folder=".")
    assert one(table, folder=tmp_path, item="team_A_1").text == "an answer \ufffd"
    with pytest.raises(ItemFailed, match="team_A_2"):
        one(table, folder=tmp_path, item="team_A_2")
    with pytest.raises(BadSettings, match="there is no folder"):
        one(ProviderTable(folder="nowhere"), folder=tmp_path)


# A chat endpoint


class Server(ThreadingHTTPServer):
    """Gives the replies in order, repeats the last one, and keeps the requests."""

    replies: list[tuple[int, Any]]
    requests: list[dict[str, Any]]


class _Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append(request)
        replies = self.server.replies
        code, document = replies.pop(0) if len(replies) > 1 else replies[0]
        data = json.dumps(document).encode()
        self.send_response(code)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


def said(text: str, tokens: int | None = 5) -> tuple[int, Any]:
    usage = {} if tokens is None else {"usage": {"total_tokens": tokens}}
    return 200, {"choices": [{"message": {"content": text}}], **usage}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr(providers, "PAUSE", 0.01)
    monkeypatch.setenv("KEY", "secret")
    with Server(("127.0.0.1", 0), _Handler) as made:
        made.replies, made.requests = [said("fine")], []
        thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield made
        made.shutdown()
        thread.join()


def table_of(server: Server, **more: Any) -> ProviderTable:
    url = f"http://127.0.0.1:{server.server_port}/v1"
    return ProviderTable(endpoint=url, model="m", key_from="KEY", **more)


def test_an_endpoint_gets_all_earlier_messages(server: Server) -> None:
    server.replies = [said("one", 5), said("two", None)]
    table = table_of(server, options={"temperature": 1}, system="Be brief.", master_seed=42)
    made = provider(table, Path())
    with made.dialogue("A_1") as dialogue:
        assert dialogue.ask("first", "A_1") == Answer("one", 5)
        assert dialogue.ask("second", "A_1") == Answer("two", None)
    first, second = server.requests
    assert (first["temperature"], first["seed"]) == (1, seed_of(42, "A_1"))
    assert [each["content"] for each in second["messages"]] == [
        *("Be brief.", "first", "one", "second")
    ]


def test_a_dialogue_with_an_endpoint_continues_after_a_stop(server: Server) -> None:
    made = provider(table_of(server, system="Be brief."), Path())
    with made.dialogue("A_1") as dialogue:
        assert isinstance(dialogue, ResumableDialogue)
        dialogue.resume([("first", "one")])
        dialogue.ask("second", "A_1")
    assert [(each["role"], each["content"]) for each in server.requests[0]["messages"]] == [
        *(("system", "Be brief."), ("user", "first"), ("assistant", "one"), ("user", "second"))
    ]


def test_an_endpoint_that_is_not_ready_is_asked_again(server: Server) -> None:
    server.replies = [(503, {}), (429, {}), said("at last")]
    assert one(table_of(server)).text == "at last"


def test_a_refusal_stops_the_run_at_first_and_later_fails_the_item(server: Server) -> None:
    server.replies = [(404, {"error": {"message": "no such model"}})]
    with pytest.raises(EnvironmentProblem, match="no such model"):
        one(table_of(server))
    server.replies = [said("fine"), (400, {"error": {"message": "too long"}})]
    made = provider(table_of(server), Path())
    with made.dialogue("a") as dialogue:
        dialogue.ask("x", "a")
    with made.dialogue("b") as dialogue, pytest.raises(ItemFailed, match="too long"):
        dialogue.ask("x", "b")


def test_an_unreachable_endpoint_stops_the_run(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(providers, "TRIES", 2)
    server.replies = [(500, {})]
    with pytest.raises(EnvironmentProblem, match="start the run again"):
        one(table_of(server))


def test_an_address_without_a_server_stops_the_run_soon(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(providers, "LONGEST_PAUSE", 0.01)
    server.shutdown()
    server.server_close()
    with pytest.raises(EnvironmentProblem, match="check the address"):
        one(table_of(server))


@pytest.mark.parametrize(
    "table",
    [
        {"endpoint": "https://host/v1", "model": ""},
        {"endpoint": "ftp://host/v1", "model": "m"},
        {"endpoint": "http://elsewhere.example/v1", "model": "m", "key_from": "KEY"},
        {"endpoint": "https://host/v1", "model": "m", "key_from": "MISSING"},
    ],
)
def test_unusable_endpoint_settings_are_refused(
    table: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEY", "secret")
    with pytest.raises(BadSettings):
        provider(ProviderTable(**table), Path())
