"""A game that is played here, folded from its events, without I/O (docs/reference/labyrinth.md).

The manager opens the scene. In a turn, each player sends a message, in a random order; then the
manager sends messages and calls functions, until it sends a message without a call. Order and dice
follow from the seed, so that a stopped game continues as if it had not been stopped.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from random import Random
from typing import Any

import msgspec

from disciplines.events import (
    GameBegan,
    GameCalled,
    GameEnded,
    GameEvent,
    GameSaid,
    GameTurn,
)
from disciplines.labyrinth.functions import Decide, Executor, GameState, state_of
from disciplines.labyrinth.gameplay import (
    MANAGER,
    Completion,
    Ending,
    FunctionResult,
    Gameplay,
    Message,
    Player,
    Scene,
    Situation,
)
from disciplines.labyrinth.manager import ASKED, RESULT, call_text

#: Milliseconds after which no new turn begins, and after which a game ends even during a turn.
LIMIT_MS, HARD_MS = 20 * 60_000, 22 * 60_000
#: The time limit of a player's turn in an action scene, in seconds.
ACTION_SECONDS = 10
#: The most calls and the most refused calls in a turn; after that the manager must speak.
CALLS, REFUSED = 20, 5
#: The possible answers to the question whether a game is over.
GOES_ON, SUCCESS, FAILURE = OVER = ("no", "success", "failure")


class LiveGame:
    """A game so far.

    Arguments:
        events: the game's events, in order.

    Attributes:
        state: the scene and the players.
        ms: how long it has been played, in milliseconds.
        next: who has the turn: a player or `MANAGER`; empty if the next turn or the end is due.
        turn: the number of the turn; 0 while the manager opens the scene.
        seen: the messages of the manager's view; see `manager`.
        may_call: whether the manager may call functions now.
        ended: the result, or None.

    Raises:
        ValueError: if an event can't follow those before it.
    """

    def __init__(self, events: Iterable[GameEvent] = ()) -> None:
        self.state: GameState
        self.ms = self.turn = 0
        self.next = ""
        self.seen: list[tuple[str, str]] = []
        self.ended: Ending | None = None
        self._began: GameBegan | None = None
        self._waiting: list[str] = []
        self._calls = self._calls_of_turn = self._refused = 0
        self._completions: list[Completion] = []
        self._past: list[Message] = []
        self._now: list[Message] = []
        for event in events:
            self.apply(event)

    def apply(self, event: GameEvent) -> None:
        """Takes the next event; raises ValueError if it can't follow."""
        if (self._began is None) != isinstance(event, GameBegan) or self.ended is not None:
            raise ValueError("the event precedes the beginning of its game, or follows its end")
        if event.ms < self.ms:
            raise ValueError("the game's time runs backwards")
        self.ms = event.ms
        match event:
            case GameBegan():
                found = {"scene": event.scene, "players": event.players}
                self.state = state_of(msgspec.convert(found, Situation))
                self._began, self.next = event, MANAGER
            case GameTurn():
                self._begin_turn(event)
            case GameSaid():
                self._say(event)
            case GameCalled():
                self._call(event)
            case GameEnded():
                self.ended, self.next = msgspec.convert(_ending(event), Ending), ""

    def _expect(self, who: str) -> None:
        if self.next != who:
            raise ValueError(f"it is the turn of {self.next or 'nobody'}, not of {who or 'nobody'}")

    def _begin_turn(self, event: GameTurn) -> None:
        self._expect("")
        if sorted(event.order) != sorted(self.state.players):
            raise ValueError("a turn must name each player once")
        if self.turn:
            self.seen += [(ASKED, self.over_question), (MANAGER, GOES_ON)]
        roles = ("user", "assistant")
        self._past += [each for each in self._now if each.content and each.role in roles]
        self._now, self._waiting = [], list(event.order)
        self._calls_of_turn = self._refused = 0
        self.turn, self.next = self.turn + 1, event.order[0]

    def _say(self, event: GameSaid) -> None:
        self._expect(event.who)
        if event.who == MANAGER:
            message = Message("assistant", MANAGER, event.text, function_call=False)
            self._complete(message)
            self.next = ""
        else:
            message = Message("user", event.who, event.text)
            self._waiting.remove(event.who)
            self.next = self._waiting[0] if self._waiting else MANAGER
        if event.text:
            self._now.append(message)
            self.seen.append((event.who, event.text))

    def _call(self, event: GameCalled) -> None:
        self._expect(MANAGER)
        arguments = json.loads(event.arguments)
        words = event.words or None
        message = Message("assistant", words and MANAGER, words, function_call=True)
        result = Message("function", event.function, event.text)
        named = arguments if isinstance(arguments, dict) else {"arguments": arguments}
        self._complete(message, [FunctionResult(result, named, event.asked or None)])
        self._now += [message, result]
        self.seen += called_lines(event.function, arguments, event.words)
        for question, answer in event.asked.items():
            self.seen += [(ASKED, question), (MANAGER, answer)]
        self.seen.append((RESULT, event.text))
        self._calls += 1
        self._calls_of_turn += 1
        self._refused += not event.done
        scene = msgspec.convert(event.changed.get("scene", self.state.scene), Scene)
        players = msgspec.convert(event.changed.get("players", {}), dict[str, Player])
        self.state = GameState(scene, self.state.players | players)

    def _complete(self, message: Message, results: list[FunctionResult] | None = None) -> None:
        assert self._began is not None
        self._completions.append(
            Completion(
                self.state.scene,
                [*self.state.players.values()],
                past_history=[*self._past],
                current_queries=[*self._now],
                actual_prompt=self._began.prompt,
                generated=message,
                function_results=results,
            )
        )

    @property
    def said(self) -> list[tuple[str, str]]:
        """The messages of the players and the manager: the speaker, and the text."""
        held = [*self._past, *self._now]
        return [(str(x.name), x.content) for x in held if x.content and x.role != "function"]

    @property
    def may_call(self) -> bool:
        """Whether the manager may call functions now."""
        return self._calls_of_turn < CALLS and self._refused < REFUSED

    @property
    def over_question(self) -> str:
        """The question to the manager after each turn."""
        scene = self.state.scene
        ends = f"{SUCCESS}: {scene.success_condition} {FAILURE}: {scene.failure_condition}"
        return f"Is one of these conditions met now? {ends}"

    def order(self) -> list[str]:
        """The order of the players in the next turn."""
        names = list(self.state.players)
        self._random(f"turn {self.turn + 1}").shuffle(names)
        return names

    def called(self, name: str, arguments: Any, words: str, decide: Decide) -> GameCalled:
        """The result of a call, as an event.

        Arguments:
            name: the function's name.
            arguments: any JSON.
            words: the text that the manager says with the call.
            decide: decides questions that the rules leave open.
        """
        assert self._began is not None
        executor = Executor(self.state, self._random(f"call {self._calls + 1}"), decide)
        found = executor.call(name, arguments)
        after, changed = executor.state, dict[str, Any]()
        if after.scene != self.state.scene:
            changed["scene"] = msgspec.to_builtins(after.scene)
        players = {k: v for k, v in after.players.items() if v != self.state.players[k]}
        if players:
            changed["players"] = msgspec.to_builtins(players)
        text = json.dumps(arguments, ensure_ascii=False)
        call = (self._began.game, self.ms, name, text, words)
        return GameCalled(*call, found.asked, found.text, found.done, changed)

    def _random(self, what: str) -> Random:
        assert self._began is not None
        return Random(f"{self._began.seed} {self._began.game} {what}")

    def gameplay(self) -> Gameplay:
        """The record of a game that has ended."""
        assert self.ended is not None
        return Gameplay(self._completions, self.ended)


def called_lines(name: str, arguments: Any, words: str) -> list[tuple[str, str]]:
    """A call, as messages of the manager's view."""
    return [(MANAGER, words)] * bool(words) + [(MANAGER, call_text(name, arguments))]


def _answered(asked: Mapping[str, str], question: str, _answers: Sequence[str]) -> str:
    return asked.get(question, "")


def _ending(event: GameEnded) -> dict[str, str]:
    return {"game_result": event.result, "condition": event.condition}


def faults_of(events: Iterable[GameEvent]) -> Iterator[str]:
    """The faults in a game's events: each event that doesn't follow from the rules and the seed.

    Raises:
        ValueError: if an event can't follow those before it.
    """
    game = LiveGame()
    for number, event in enumerate(events, 1):
        if isinstance(event, GameTurn) and event.order != game.order():
            yield f"event {number}: the order of the players is wrong"
        if isinstance(event, GameTurn) and event.ms >= LIMIT_MS:
            yield f"event {number}: a turn began after the time limit"
        if isinstance(event, GameCalled):
            call = event.function, json.loads(event.arguments), event.words
            recomputed = game.called(*call, partial(_answered, event.asked))
            if msgspec.structs.replace(recomputed, ms=event.ms) != event:
                yield f"event {number}: the recomputed result of {event.function} is different"
        if isinstance(event, GameEnded) and event.result == "timeout" and event.ms < LIMIT_MS:
            yield f"event {number}: a timeout before the time limit"
        game.apply(event)
