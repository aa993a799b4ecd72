"""Games run as described, and hostile ones disturb nothing."""

from __future__ import annotations

import asyncio
import functools
import json
import shutil
import sys
import time
from pathlib import Path

import psutil
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from contest.errors import EnvironmentProblem
from disciplines.ige import sandbox
from disciplines.ige.games import Game, Message, read_games
from disciplines.ige.judge import Judge, Metrics, Verdict, judge_dialogues
from disciplines.ige.sandbox import Person, play, play_all
from loebner.cli import cli
from loebner.ige import _digest as digest
from tests.disciplines.ige_games import CODE, GAME, MUTATIONS

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data" / "ige"
published = pytest.mark.skipif(not SHARED.is_dir(), reason="the published games are not here")


@functools.cache
def confines() -> bool:
    """Whether this machine can confine a program."""
    try:
        return bool(asyncio.run(play_all(CODE, [0])))
    except EnvironmentProblem:
        return False


pytestmark = pytest.mark.skipif(not confines(), reason="no sandbox on this machine")
SEEDS = range(4)
#: For all tests, because it plays the requested game only once.
JUDGE = Judge(GAME, SEEDS)


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Gives games more time, because the machine may be busy."""
    monkeypatch.setattr(sandbox, "TIME", 60.0)


def judged(snippet: str) -> Verdict:
    return asyncio.run(JUDGE.of_snippet(snippet))


def play_requested_game() -> None:
    """Plays the requested game, unless an earlier test has: it may need more time than a test's
    own limit gives."""
    assert judged("").correct


# As published


@published
@pytest.mark.parametrize("number", range(5))
def test_games_end_in_the_published_states(number: int) -> None:
    golden = json.loads((SHARED / "golden_states.json").read_text())["games"][number]
    game = read_games(SHARED / "games.jsonl")[golden["game"]]
    seeds = [int(seed) for seed in golden["seeds"]]
    played = asyncio.run(play_all(game.code, seeds))
    assert len(played) == len(seeds)
    for each in played:
        expected = golden["seeds"][str(each.seed)]
        assert each.state is not None
        assert digest(each.state) == expected["sha256"]
        assert expected.get("state", each.state) == each.state


@published
def test_snippets_get_the_published_verdicts() -> None:
    judges = [Judge(game, SEEDS) for game in read_games(SHARED / "games.jsonl")]
    for case in json.loads((SHARED / "verdicts.json").read_text())["cases"]:
        verdict = asyncio.run(judges[case["game"]].of_snippet(case["snippet"]))
        expected = (case["exec_success"], case["correct"], case["error"])
        assert (verdict.executed, verdict.correct, verdict.error or "") == expected, case["name"]


@published
@pytest.mark.soak
def test_the_published_dialogues_are_right() -> None:
    metrics = Metrics.of(asyncio.run(judge_dialogues(read_games(SHARED / "dialogues.jsonl"))))
    assert (metrics.esr, metrics.acc, *metrics.turns[:2]) == (1, 1, 1, 1)


# Verdicts


@pytest.mark.parametrize(
    ("snippet", "field"),
    [
        ("def dealx(self, x):\n    self.deck.pop()\n    GameBase.dealx(self, x)", "players"),
        ("def set_flow(self):\n    self.flow = ['start']", "flow"),
    ],
)
def test_the_first_difference_is_named(snippet: str, field: str) -> None:
    verdict = judged(snippet)
    assert (verdict.executed, verdict.correct) == (True, False)
    assert (verdict.first_seed, verdict.first_field) == (0, field)


def test_an_extra_card_is_a_difference_whatever_its_name() -> None:
    """The words for the end of the requested game's cards are this card's name."""
    verdict = judged(
        "def flopx(self, x):\n    GameBase.flopx(self, x)\n    self.community += ['the end']"
    )
    assert (verdict.executed, verdict.correct) == (True, False)
    assert (verdict.first_seed, verdict.first_field) == (0, "community")
    assert verdict.expected == "item 2: the end"
    assert verdict.found == "item 2: the end"


@pytest.mark.parametrize(
    "snippet",
    [
        "def shuffle(self):\n    raise ValueError('no')",
        "def shuffle(self):\n    self.deck = [1, 2]",
        "def shuffle(self):\n    del self.deck",
        "def shuffle(self)\n    pass",
        "x = 1 / 0",
        "def set_flow(self):\n    self.flow = ['dealx']",
        "def play(self, auto=False):\n    raise SystemExit(0)",
        "import os\nos._exit(0)",
        "import ctypes\nctypes.string_at(0)",
        "def shuffle(self):\n    self.shuffle()",
        "a = [9] * 10**10",
        "def shuffle(self):\n    b = bytearray(10 * 2**30)",
        "def shuffle(self):\n    for _ in range(1024):\n        print('x' * 2**20)",
        "import os\nfor _ in range(1024):\n    os.write(1, b'x' * 2**20)",
        "import os\nfor fd in range(3, 9):\n    os.write(fd, b'x' * 2**22)",
        'import os\nfor fd in range(3, 9):\n    os.write(fd, b\'{"seed": 0, "state": {}}\\n\')',
        "import os\nwhile True:\n    os.fork()",
        "import threading\nthreading.Thread(target=print).start()",
        "import subprocess\nsubprocess.run(['true'])",
        "import socket\nsocket.socket()",
        "import os\nos.kill(os.getppid(), 9)",
        "import os\nos.listdir('/')",
        "import resource\nresource.setrlimit(resource.RLIMIT_AS, (2**40, 2**40))",
        "import mmap\nmaps = [mmap.mmap(-1, 2**28) for _ in range(8)]",
        "open('/etc/hostname').read()",
        "open('here', 'w').write('x')",
    ],
)
def test_code_that_fails_or_tries_to_escape_is_a_failed_turn(snippet: str) -> None:
    verdict = judged(snippet)
    assert not verdict.executed
    assert not verdict.correct
    assert verdict.first_seed == 0
    assert verdict.error


def test_an_endless_loop_is_a_failed_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    play_requested_game()
    monkeypatch.setattr(sandbox, "TIME", 0.3)
    verdict = judged("def shuffle(self):\n    while True:\n        pass")
    assert (verdict.executed, verdict.correct) == (False, False)
    assert verdict.error == "no result within the time limit"


def test_all_seeds_together_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    play_requested_game()
    monkeypatch.setattr(sandbox, "FIXED_TIME", 1.0)
    slow = "def shuffle(self):\n    import time\n    time.sleep(0.6)\n    shuffle(self.deck)"
    verdict = judged(slow)
    assert not verdict.executed
    assert verdict.error == "no result within the time limit"


def test_a_game_cant_change_files(tmp_path: Path) -> None:
    file = tmp_path / "precious"
    file.write_text("text")
    tries = f"""\
import os
file = {str(file)!r}
for act, *arguments in (os.remove, file), (os.rename, file, "gone"), (open, file, "w"):
    try:
        act(*arguments)
    except OSError:
        pass"""
    assert judged(tries).correct
    assert file.read_text() == "text"


#: Code that tries to pass a wrong game off as correct.
CHEATS = [
    "",
    "random.seed(0)",
    "import json, sys\njson.dumps = lambda *args, **kw: '{}'",
    "GameBase.state = lambda self: {}",
    "def state(self):\n    return {'flow': [], 'deck': [], 'community': [], 'players': []}",
    "def __eq__(self, other):\n    return True",
    "import sys\nsys.modules['__main__'].run = lambda *args, **kw: {'state': {}}",
    "class Any(str):\n    __eq__ = lambda self, other: True\n    __hash__ = str.__hash__\n",
    "import sys\nmain = sys.modules['__main__']\nmain.SEED = lambda seed: None",
]


@settings(max_examples=10)
@given(st.sampled_from(MUTATIONS), st.sampled_from(CHEATS))
def test_cheating_never_makes_a_wrong_game_correct(mutation: tuple[str, str], cheat: str) -> None:
    assert mutation[0] in CODE
    code = f"{CODE.replace(*mutation)}\n{cheat}"
    assert not asyncio.run(JUDGE.of_program(code)).correct


def test_a_game_that_replaces_play_is_judged_by_its_final_state() -> None:
    assert not judged("def play(self, auto=False):\n    pass").correct
    assert judged("def play(self, auto=False):\n    GameBase.play(self, auto)").correct


def test_a_game_may_print() -> None:
    assert judged("def flopx(self, x):\n    print('flop')\n    GameBase.flopx(self, x)").correct


def test_a_set_of_texts_has_the_same_order_in_all_processes() -> None:
    mix = "def shuffle(self):\n    self.deck = list(set(self.deck))\n    shuffle(self.deck)"
    game = Game("", f"{CODE}\n{mix}")
    assert asyncio.run(Judge(game, SEEDS).of_snippet(mix)).correct


def test_a_game_ends_if_our_process_is_killed(tmp_path: Path) -> None:
    """A killed process can't end a game that loops; the kernel does."""
    file = tmp_path / "game.py"
    file.write_text(f"{CODE}\ndef shuffle(self):\n    while True:\n        pass\n")
    script = (
        "import asyncio, sys; from disciplines.ige.sandbox import play_all;"
        "asyncio.run(play_all(open(sys.argv[1]).read(), [0]))"
    )
    words = [sys.executable, "-c", script, str(file)]
    parent = psutil.Popen(words, cwd=Path(__file__).parents[2])
    try:
        until = time.monotonic() + 60
        # The game has begun once its process uses processor time.
        while not (games := parent.children()) or games[0].cpu_times().user < 0.5:
            assert time.monotonic() < until
            time.sleep(0.05)
    finally:
        parent.kill()
        parent.wait()
    _, alive = psutil.wait_procs(games, timeout=20)
    assert alive == []


@pytest.mark.parametrize("unprotected", [False, True])
def test_without_confinement_only_trusted_code_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unprotected: bool
) -> None:
    """As on Windows, without `resource` and a filter for system calls."""
    child = tmp_path / "child.py"
    shutil.copy(Path(sandbox.__file__).with_name("base.py"), tmp_path)
    text = Path(sandbox.__file__).with_name("child.py").read_text("utf-8")
    pretend = "sys.platform = 'win32'\nsys.modules['resource'] = None\n"
    child.write_text(text.replace("\n#: Modules that", f"\n{pretend}\n#: Modules that", 1))
    monkeypatch.setattr(sandbox, "CHILD", child)
    if unprotected:
        (played,) = asyncio.run(play_all(CODE, [0], unprotected=True))
        assert played.state is not None
    else:
        with pytest.raises(EnvironmentProblem, match="--unprotected"):
            asyncio.run(play_all(CODE, [0]))


# Metrics


def dialogue(*codes: str) -> Game:
    history = [
        Message("assistant", f"<script>\n</script>\n<code>\n{code}\n</code>\n<utter>\nx\n</utter>")
        for code in codes
    ]
    return Game("", CODE, tuple(history))


def test_the_metrics_of_two_dialogues(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "MEMORY", 1 << 27)
    partial = "def config(self):\n    self.n_players = 3"
    wrong = "def dealx(self, x):\n    GameBase.dealx(self, x)"
    fails = "def blind(self):\n    self.hog = [bytearray(2**20) for _ in range(2**14)]"
    games = [dialogue("", CODE), dialogue(partial, wrong, fails, "")]
    judged_games = asyncio.run(judge_dialogues(games, SEEDS))
    errors = [turn.verdict.error for turn in judged_games[1].turns]
    # A game that uses too much memory fails alone.
    assert errors[2:] == ["MemoryError()", None]
    metrics = Metrics.of(judged_games)
    assert (metrics.esr, metrics.acc) == (0.5, 0.5)
    # In the second dialogue the incomplete configuration is left out; the rest is wrong, fails, and
    # has no code.
    assert tuple(metrics.turns) == pytest.approx(((1 + 2 / 3) / 2, (1 + 1 / 3) / 2, 5))
    assert tuple(metrics.with_code) == (0.75, 0.5, 3)
    assert tuple(metrics.methods["dealx"]) == (1, 0.5, 2)
    assert tuple(metrics.methods["config"]) == (1, 1, 1)
    assert tuple(metrics.methods["blind"]) == (0, 0, 1)


def test_nothing_is_correct_for_a_game_that_doesnt_run() -> None:
    judge = Judge(Game("", CODE.replace("self.deck = ", "self.cards = ")), SEEDS)
    for snippet in ("", "def shuffle(self):\n    pass"):
        verdict = asyncio.run(judge.of_snippet(snippet))
        assert (verdict.executed, verdict.correct, verdict.first_seed) == (False, False, 0)


# A person plays


@pytest.mark.parametrize("players", [(), ("p2",)])
def test_a_person_sees_only_what_their_players_see(players: tuple[str, ...]) -> None:
    asked: list[tuple[str, str]] = []
    told: list[str] = []

    def ask(seen: str, who: str) -> str:
        asked.append((seen, who))
        if "switch" in seen:
            return "0, 2"
        return "r 5" if len(asked) == 1 else "nonsense" if len(asked) == 2 else "c"

    async def follow() -> tuple[dict[str, list[str]] | None, str]:
        async for each in play(CODE, [1], person=Person(ask, told.append, players)):
            return each.state, each.error
        raise AssertionError

    state, error = asyncio.run(follow())
    assert error == ""
    assert state is not None
    left = [int(each.split("/")[1]) for each in state["players"]]
    assert 297 <= sum(left) <= 300  # chips that can't be split stay in the pot
    if players:
        assert {who for _, who in asked} == {"p2"}
    else:
        assert [who for _, who in asked[:4]] == ["p1", "p2", "p2", "p3"]
        assert any("nonsense" in line for line in told)
    cards = {who: set(seen.split("cards:")[1].split("\n")[0].split()[1::2]) for seen, who in asked}
    assert all(len(each) == 3 for each in cards.values())
    for seen, who in asked:
        assert not any(
            card in seen.split() for other in set(cards) - {who} for card in cards[other]
        )
    hidden = "\n".join(told).partition("shows")[0]
    assert not any(card in hidden.split() for each in cards.values() for card in each)
    assert any("win" in line for line in told)


def test_the_command_play_ends_with_the_winners(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    file.write_text(json.dumps({"script": "", "code": CODE}))
    words = ["ige", "play", str(file), "--game", "0", "--seed", "1", "--as", "p1"]
    shown = CliRunner().invoke(cli, words, input="c\n" * 3 + "\n" + "c\n" * 9)
    assert shown.exit_code == 0, shown.output
    assert "p1's turn" in shown.output
    assert "p2's turn" not in shown.output
    assert " win" in shown.output
    refused = CliRunner().invoke(cli, [*words[:-1], "p9"])
    assert refused.exit_code == 1
    assert "no player p9; the players are p1, p2, p3" in refused.output
