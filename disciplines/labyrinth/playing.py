"""Plays the games of a contest: the seats, and the driver that asks them in turn."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import structs, to_builtins

from contest.errors import BadSettings
from disciplines.events import GameBegan, GameEnded, GameEvent, GameSaid, GameTurn
from disciplines.folders import bundled
from disciplines.labyrinth.game import (
    ACTION_SECONDS,
    FAILURE,
    GOES_ON,
    HARD_MS,
    LIMIT_MS,
    OVER,
    SUCCESS,
    LiveGame,
    called_lines,
)
from disciplines.labyrinth.gameplay import MANAGER, Situation, read_situation
from disciplines.labyrinth.manager import (
    ASKED,
    INSTRUCTION,
    RESULT,
    EndpointManager,
    call_text,
    decide,
    manager_view,
    parse_call,
)
from disciplines.labyrinth.rating import NAME, STAGES, GameTable, SeatTable, Settings
from disciplines.labyrinth.survey import player_parts, scene_parts, spaced
from disciplines.providers import ChatEndpoint, provider, shortest
from disciplines.room import Call, Room, Rooms, Seat, Turn, View
from disciplines.run import Dialogue, ItemFailed, Run, TooLate, load, plain, recordable, write_file

#: The most characters of a message.
LONGEST = 20_000
#: The speaker of the message with a game's result.
THE_END = "The end"
#: The parts of a scene that players see.
SHOWN = ("Chapter", "Scene", "Scene Summary", "Environment", "Action Scene")

# Seats of programs


class ScriptSeat:
    """A seat that answers with the texts of a script, in order.

    Arguments:
        name: the player's name, or the manager's.
        script: the texts.
    """

    def __init__(self, name: str, script: Sequence[str]) -> None:
        self._name, self._script = name, script

    def show(self, view: View) -> None:
        """Does nothing."""

    def ask(self, view: View, seconds: float | None = None) -> Turn | None:
        """The next text of the script; raises ItemFailed if the script has run out."""
        number = _own(view, self._name)
        if number >= len(self._script):
            raise ItemFailed(f"the script has run out after {len(self._script)} texts")
        return self._script[number]


class ProviderSeat:
    """A seat at which a provider answers.

    Arguments:
        dialogue: the dialogue with the provider.
        game: the game's name. The item of answer N is `GAME_NAME_N`.
        name: the player's name, or the manager's.
        told: the instructions for the provider.
        remembers: whether it remembers earlier texts.
    """

    def __init__(
        self, dialogue: Dialogue, game: str, name: str, told: str, remembers: bool
    ) -> None:
        self._dialogue, self._game, self._name = dialogue, game, name
        self._told, self._remembers = told, remembers
        #: The number of messages that it was sent, and the panels; None before the first turn.
        self._sent: tuple[int, tuple[Any, ...]] | None = None

    def show(self, view: View) -> None:
        """Does nothing, because a provider gets the view when it is asked."""

    def ask(self, view: View, seconds: float | None = None) -> Turn | None:
        """Its answer to the parts of the view that it hasn't seen; None if it takes too long."""
        first = self._sent is None or not self._remembers
        lines = [self._told, *_how_to_call(view.functions)] if first else []
        seen, panels = (0, ()) if first or self._sent is None else self._sent
        lines += [
            f"{label}: {'; '.join(x)}" for label, x in view.panels if (label, x) not in panels
        ]
        for who, text in view.messages[seen:]:
            if who != self._name or first:
                lines.append(f"[{spaced(who)}] {text}")
        text = "\n".join([*(line for line in lines if line), "It is your turn."])
        item = f"{self._game}_{self._name}_{_own(view, self._name) + 1}"
        self._sent = len(view.messages), tuple(view.panels)
        try:
            return self._dialogue.ask(text, item, seconds).text
        except TooLate:
            return None


def _own(view: View, name: str) -> int:
    """The number of messages in a view by this speaker."""
    return sum(who == name for who, _ in view.messages)


def _how_to_call(functions: Sequence[Mapping[str, Any]]) -> list[str]:
    if not functions:
        return []
    shown = call_text("add_object", {"object_name": "door", "object_desc": "Shut."})
    lines = [f"To call a function, write nothing but a line such as {shown} The functions:"]
    for each in (tool["function"] for tool in functions):
        names = ", ".join(
            f"{name}: {kind['type']}" + " (optional)" * (name not in each["parameters"]["required"])
            for name, kind in each["parameters"]["properties"].items()
        )
        lines.append(f"{each['name']}({names}): {each['description']}")
    return lines


# Seats of people


class ReadableSeat:
    """A person's seat, which shows names, calls and states in a readable form.

    Arguments:
        seat: the seat.
        name: the player's name, or the manager's.
        told: the instructions for the person.
    """

    def __init__(self, seat: Seat, name: str, told: str) -> None:
        self._seat, self._name, self._told = seat, name, told

    def show(self, view: View) -> None:
        """See Seat."""
        self._seat.show(self._readable(view))

    def ask(self, view: View, seconds: float | None = None) -> Turn | None:
        """See Seat."""
        return self._seat.ask(self._readable(view), seconds)

    def _readable(self, view: View) -> View:
        messages = []
        for who, text in view.messages:
            call = parse_call(text) if who == MANAGER else None
            if call is not None and isinstance(call.arguments, dict):
                given = ", ".join(f"{spaced(key)}: {x}" for key, x in call.arguments.items())
                text = f"[{spaced(call.name)}{': ' * bool(given)}{given}]"
            messages.append((spaced(who) + " (you)" * (who == self._name), text))
        panels: dict[str, list[str]] = {}
        for label, lines in view.panels:
            of, _, part = label.rpartition(": ")
            held = panels.setdefault(of or "The scene", [])
            indented = [f"    {line}" for line in lines]
            held += [f"{part}: {lines[0]}"] if len(lines) == 1 else [f"{part}:", *indented]
        panels["Your part"] = self._told.splitlines()
        title = f"{view.title}: you are {spaced(self._name)}"
        return view._replace(title=title, messages=messages, panels=list(panels.items()))


@contextmanager
def seats_of(table: GameTable, folder: Path, room: Room | None) -> Iterator[dict[str, Seat]]:
    """The seats of a game by name, as its settings describe them; those of people are in a room.

    Raises:
        BadSettings: if a provider can't be used.
    """
    assert table.manager is not None
    with ExitStack() as stack:
        tables: dict[str, SeatTable] = {MANAGER: table.manager}
        tables |= {each.name: each for each in table.player}
        yield {name: _seat(stack, table, folder, room, name, own) for name, own in tables.items()}


def _seat(
    stack: ExitStack, game: GameTable, folder: Path, room: Room | None, name: str, own: SeatTable
) -> Seat:
    if own.script:
        return ScriptSeat(name, own.script)
    if own.endpoint and name == MANAGER:
        endpoint = ChatEndpoint(own)
        stack.callback(endpoint.close)
        return EndpointManager(endpoint, game.name)
    told = own.system or (
        INSTRUCTION
        if name == MANAGER
        else f"{bundled(NAME, 'player').strip()}\nYour character is {spaced(name)}."
    )
    if own.person is not None:
        if room is None:
            raise BadSettings(
                f"game {game.name}: this run has no seat for a person as {spaced(name)}"
            )
        return ReadableSeat(room.seat(own.person), name, told)
    source = provider(structs.replace(own, system=told), folder)
    stack.callback(source.close)
    dialogue = stack.enter_context(source.dialogue(f"{game.name}_{name}"))
    remembers = bool(own.endpoint) or own.is_entry
    return ProviderSeat(dialogue, game.name, name, "" if own.endpoint else told, remembers)


def player_view(game: LiveGame, name: str) -> View:
    """A player's view."""
    state = game.state
    panels = [part for part in scene_parts(state.scene) if part[0] in SHOWN]
    panels += [(f"{spaced(name)}: {label}", x) for label, x in player_parts(state.players[name])]
    return View(state.scene.scene, game.said, panels)


# The driver


class Driver:
    """Plays a game to its end, from where it was stopped.

    Arguments:
        name: the game's name.
        game: the game so far.
        seats: the seats by name.
        take: records an event and applies it to the game.
        clock: returns monotonic seconds.
    """

    def __init__(
        self,
        name: str,
        game: LiveGame,
        seats: Mapping[str, Seat],
        take: Callable[[GameEvent], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._name, self._game, self._seats, self._take = name, game, seats, take
        self._clock, self._began = clock, clock() - game.ms / 1000
        #: The messages of the current call for the manager's view.
        self._aside: list[tuple[str, str]] = []

    def play(self) -> None:
        """Plays; raises EnvironmentProblem if a seat can't be reached now."""
        self._show()
        while self._game.ended is None:
            try:
                event = self._next()
            except ItemFailed as exc:
                who = spaced(self._game.next or MANAGER)
                event = self._end("aborted", f"{who}: {_clean(str(exc))}")
            self._aside = []
            self._take(event)
            self._show()

    def _show(self) -> None:
        """Shows the game to all seats that don't have the turn."""
        for name, seat in self._seats.items():
            if name != self._game.next:
                waits_for = spaced(self._game.next or MANAGER)
                seat.show(self._view(name)._replace(waits_for=waits_for))

    def _next(self) -> GameEvent:
        game = self._game
        if self._ms() >= HARD_MS:
            return self._time_out()
        if not game.next:
            return self._turn()
        said = self._ask(game.next)
        if game.next != MANAGER:
            text = said if isinstance(said, str) else ""
            return GameSaid(self._name, self._ms(), game.next, text)
        if said is None and self._ms() >= LIMIT_MS:
            return self._time_out()
        if said is None:
            raise ItemFailed("no answer in time")
        call = said if isinstance(said, Call) else parse_call(said)
        if call is not None:
            return self._call(call)
        assert isinstance(said, str)
        return GameSaid(self._name, self._ms(), MANAGER, said)

    def _turn(self) -> GameEvent:
        """Begins the next turn, or ends the game."""
        game, scene, over = self._game, self._game.state.scene, GOES_ON
        if game.turn:
            over = self._decide(game.over_question, OVER)
        if over in (SUCCESS, FAILURE):
            met = scene.success_condition if over == SUCCESS else scene.failure_condition
            return self._end(over, met)
        if self._ms() >= LIMIT_MS:
            return self._time_out()
        return GameTurn(self._name, self._ms(), game.order())

    def _call(self, call: Call) -> GameEvent:
        if not self._game.may_call:
            raise ItemFailed("it called a function when it had to send a message")
        # The arguments in their form on record.
        arguments = json.loads(_clean(json.dumps(call.arguments, ensure_ascii=False)))
        parts = _clean(call.name), arguments, _clean(call.words)
        self._aside = called_lines(*parts)
        return structs.replace(self._game.called(*parts, self._decide), ms=self._ms())

    def _decide(self, question: str, answers: Sequence[str]) -> str:
        view = self._view(MANAGER)
        view = view._replace(messages=[*view.messages, *self._aside])
        answer = decide(self._seats[MANAGER], view, question, answers, self._left)
        self._aside += [(ASKED, question), (MANAGER, answer)]
        return answer

    def _ask(self, name: str) -> Turn | None:
        limit = None
        if name != MANAGER and self._game.state.scene.is_action_scene:
            limit = float(ACTION_SECONDS)
        said = self._seats[name].ask(self._view(name), shortest(limit, self._left()))
        if isinstance(said, str):
            said = _clean(said).strip()
        if name == MANAGER and said == "":
            raise ItemFailed("the message is empty")
        return said

    def _view(self, name: str) -> View:
        game = self._game
        if name == MANAGER:
            view = manager_view(game.state, game.seen, game.may_call)
        else:
            view = player_view(game, name)
        if game.ended is not None:
            end = (THE_END, f"{game.ended.game_result}. {game.ended.condition}")
            view = view._replace(messages=[*view.messages, end])
        return view

    def _time_out(self) -> GameEnded:
        return self._end("timeout", f"The {LIMIT_MS // 60_000} minutes are over.")

    def _end(self, result: str, condition: str) -> GameEnded:
        return GameEnded(self._name, self._ms(), result, condition)

    def _ms(self) -> int:
        return max(self._game.ms, round(1000 * (self._clock() - self._began)))

    def _left(self) -> float:
        """Seconds until the game ends even during a turn."""
        return max(0, HARD_MS - self._ms()) / 1000


def _clean(text: str) -> str:
    """A text in a form that can be recorded; raises ItemFailed if it is too long."""
    if len(text) > LONGEST:
        raise ItemFailed(
            f"the message has {len(text):,} characters; at most {LONGEST:,} are allowed"
        )
    return recordable(text)


# The games of a contest


def play(
    folder: Path,
    only: str = "",
    repeat_from: str = "",
    on_event: Callable[[GameEvent], None] = lambda event: None,
    rooms: Rooms | None = None,
) -> list[dict[str, Any]]:
    """Plays the games of a contest to their ends, from where they were stopped, and writes their
    gameplay records.

    Arguments:
        folder: the contest's folder.
        only: the name of the only game to play; empty for all.
        repeat_from: the first stage to repeat if the settings have changed; games aren't repeated.
        on_event: called after each new event.
        rooms: opens a room; needed if people sit at seats. A game begins when everybody is there.

    Returns:
        The name, result, condition, number of turns and file of each game. The file is None if the
            manager sent no message.

    Raises:
        BadSettings, BadInput: if the settings or a scene can't be used.
        EnvironmentProblem: if a seat or the disk can't be used now; call it again to continue.
    """
    settings = load(folder, NAME, Settings)
    tables = [each for each in settings.game if each.scene and only in ("", each.name)]
    if not tables:
        which = f"named {only!r} " if only else ""
        raise BadSettings(f"there is no game {which}to play; set its scene in contest.toml")
    starts = [read_situation(folder / each.scene) for each in tables]
    for table, start in zip(tables, starts, strict=True):
        _check_names(table, [each.name for each in start.players])
    with Run(folder, NAME, plain(settings), STAGES, repeat_from) as run, ExitStack() as stack:
        room, games = None, [LiveGame(run.state.games.get(each.name, ())) for each in tables]
        people = {
            name
            for table, game in zip(tables, games, strict=True)
            for name in table.people
            if game.ended is None
        }
        if people and rooms is not None:
            room = stack.enter_context(rooms(sorted(people), settings.contest.names))
        return [
            _play_one(run, settings.contest.seed, *each, on_event, room)
            for each in zip(tables, starts, games, strict=True)
        ]


def _play_one(
    run: Run,
    seed: int,
    table: GameTable,
    start: Situation,
    game: LiveGame,
    on_event: Callable[[GameEvent], None],
    room: Room | None,
) -> dict[str, Any]:
    name, file = table.name, run.folder / table.file
    take = partial(_take, run, game, on_event)
    if name not in run.state.games:
        if file.exists():
            raise BadSettings(
                f"{file}: this file exists, but the game was not played here; move it, or choose "
                "another file for the game"
            )
        assert table.manager is not None
        prompt = [table.manager.system or INSTRUCTION]
        parts = to_builtins(start.scene), to_builtins(start.players), prompt
        take(GameBegan(name, 0, *parts, seed))
    if game.ended is None:
        _check_names(table, list(game.state.players))
        with seats_of(table, run.folder, room) as seats:
            if room is not None:
                room.gather(table.people)
            Driver(name, game, seats, take).play()
    played = game.gameplay()
    if played.targets:
        write_file(file, played.as_json().encode())
    return {
        "game": name,
        "result": played.ending.game_result,
        "condition": played.ending.condition,
        "turns": game.turn,
        "file": str(file) if played.targets else None,
    }


def _check_names(table: GameTable, players: list[str]) -> None:
    given = [each.name for each in table.player]
    if sorted(given) != sorted(players) or {MANAGER, ASKED, RESULT} & {*players}:
        raise BadSettings(
            f"game {table.name}: give exactly one [[game.player]] for each player of its scene: "
            f"{', '.join(players)}; {MANAGER}, {ASKED} and {RESULT} can't be names of players"
        )


def _take(
    run: Run, game: LiveGame, on_event: Callable[[GameEvent], None], event: GameEvent
) -> None:
    run.write(event)
    # Apply the event as the record returns it, including the order of an object's names.
    event = run.state.games[event.game][-1]
    game.apply(event)
    on_event(event)
