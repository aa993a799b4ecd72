"""A contest of IGE: plan, collect, rate, measure, report.

A dialogue's id is its developer's name and the game's number in the file, such as `careful_0`. The
value of each stage for a dialogue goes on record (`disciplines.run`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, structs

from contest.errors import BadSettings, EnvironmentProblem
from contest.record.events import Json
from contest.verify.findings import Check, Fault, quoted
from disciplines import page
from disciplines.events import Spoke
from disciplines.folders import bundled
from disciplines.ige import report
from disciplines.ige.games import Game, Message, read_games
from disciplines.ige.interaction import (
    FIRST,
    Speaker,
    develop,
    scripted,
    speaker,
    view_of,
)
from disciplines.ige.judge import MOST_SEEDS, Judge, in_words, judge_dialogues
from disciplines.ige.ratings import CRITERIA, MODEL, dialogue_text, read_rating
from disciplines.invitations import Name, check_names
from disciplines.providers import ProviderTable, provider, seed_of
from disciplines.raters import ItemView, Questionnaire
from disciplines.room import Rooms, Seat, View
from disciplines.run import (
    Answer,
    Dialogue,
    ItemFailed,
    Progress,
    Provider,
    Run,
    SettingsTable,
    State,
    load,
    plain,
    recordable,
)
from disciplines.verify import Step, compare
from scheduler.errors import BadInput
from scheduler.texts import counted

NAME = "ige"
#: The name of the seat of a person who plays the user.
PERSON = "user"
#: The stages in order, each with its version. If the version changes, its values are recomputed.
STAGES = dict.fromkeys(("plan", "collect", "rate", "measure", "report"), "1")

# Settings


class ContestTable(SettingsTable, frozen=True):
    """`[contest]`: its name, further host names of the server, the file of games, the number of
    seeds with which code is judged, and the most turns in a dialogue."""

    name: str
    names: tuple[str, ...] = ()
    games: str = "games.jsonl"
    seeds: Annotated[int, Meta(ge=1, le=MOST_SEEDS)] = 40
    turns: Annotated[int, Meta(ge=1, le=200)] = 20


class DeveloperTable(ProviderTable, frozen=True, kw_only=True):
    """`[[developer]]`: a model that develops games, or a substitute for one."""

    name: Annotated[str, Meta(pattern="^[A-Za-z0-9][A-Za-z0-9.-]{0,39}$")]


class _Part(ProviderTable, frozen=True):
    who: str = ""

    def __post_init__(self) -> None:
        if self.who == "model":
            super().__post_init__()
        elif self.ways:
            raise ValueError(f'{self.ways[0]} needs who = "model"')


class UserTable(_Part, frozen=True):
    """`[user]`: who plays the user. The user describes the requested game."""

    who: Literal["script", "person", "model"] = "script"
    options: dict[str, Any] = msgspec.field(default_factory=lambda: {"temperature": 0})


class RatingTable(_Part, frozen=True):
    """`[rating]`: who rates the dialogues; the names of the people; how many times a model rates
    each dialogue, and the maximum number of times that it is asked for an answer that can be
    read."""

    who: Literal["nobody", "people", "model"] = "nobody"
    raters: tuple[Name, ...] = ()
    repetitions: Annotated[int, Meta(ge=1, le=100)] = 5
    tries: Annotated[int, Meta(ge=1, le=20)] = 5

    def __post_init__(self) -> None:
        super().__post_init__()
        check_names(self.raters, "raters")
        if self.raters and self.who != "people":
            raise ValueError('raters need who = "people"')


class Settings(SettingsTable, frozen=True):
    """A whole contest.toml of this discipline."""

    contest: ContestTable
    developer: list[DeveloperTable]
    user: UserTable = UserTable()
    rating: RatingTable = RatingTable()

    def __post_init__(self) -> None:
        names = [each.name for each in self.developer]
        if not names or len({each.lower() for each in names}) < len(names):
            raise ValueError("give [[developer]] at least once, each with a different name")


# The contest


def opened(
    folder: Path, repeat_from: str = "", progress: Progress = lambda stage, done, of: None
) -> tuple[Run, Settings]:
    """A contest's run, which is a context manager, and its settings; see `play`."""
    settings = load(folder, NAME, Settings)
    recorded = plain(settings)
    # Raters can be added at any time. The record names those who have rated.
    del recorded["rating"]["raters"]
    return Run(folder, NAME, recorded, STAGES, repeat_from, progress), settings


def play(
    folder: Path,
    repeat_from: str = "",
    progress: Progress = lambda stage, done, of: None,
    *,
    rooms: Rooms | None = None,
    unprotected: bool = False,
) -> tuple[dict[str, Any], str]:
    """Runs a contest to its end, from where an earlier run stopped.

    Arguments:
        folder: the contest's folder.
        repeat_from: the first stage to repeat, with all stages after it; empty to continue.
        progress: called after each item.
        rooms: opens a room; needed if a person plays the user.
        unprotected: whether to run code even if this machine can't confine it.

    Returns:
        The result as a document, and the record's head.

    Raises:
        BadSettings, BadInput: if the settings or the games can't be used.
        EnvironmentProblem: if a provider, the sandbox or the disk can't be used; call it again to
            continue.
    """
    run, settings = opened(folder, repeat_from, progress)
    with run:
        contest = _Contest(run, settings, unprotected)
        contest.plan()
        contest.collect(rooms)
        contest.rate()
        contest.measure()
        document, made = report.results(run.state)
        run.finish(report.recorded(document), made)
        return document, run.head


class _Contest:
    def __init__(self, run: Run, settings: Settings, unprotected: bool) -> None:
        self._run, self._settings, self._unprotected = run, settings, unprotected
        self._seeds = range(settings.contest.seeds)
        self._developers = {
            each.name: structs.replace(each, system=each.system or bundled(NAME, "developer"))
            for each in settings.developer
        }

    def plan(self) -> None:
        """Records the games, each of which must run."""
        run, file = self._run, self._run.folder / self._settings.contest.games
        games = [structs.replace(game, history=()) for game in read_games(file)]

        def one(item: str) -> Json:
            judge = Judge(games[int(item)], self._seeds, unprotected=self._unprotected)
            verdict = asyncio.run(judge.of_snippet(""))
            if not verdict.correct:
                raise BadInput(f"game {item} {in_words(verdict)}", source=str(file))
            return {"script": games[int(item)].script, "code": games[int(item)].code}

        run.each("plan", map(str, range(len(games))), one)
        if report.games_of(run.state) != games:
            raise BadSettings(
                f"{file}: the games have changed since they were planned; restore them, or make a "
                "new plan with --from plan"
            )

    def collect(self, rooms: Rooms | None) -> None:
        """Holds the dialogues, one developer after the other. If a person plays the user, the order
        reveals nothing about the developers."""
        run, items = self._run, report.items_of(self._run.state)
        if self._settings.user.who == "person":
            items.sort(key=lambda each: seed_of(0, f"{PERSON} {each.id}"))
            self._collect_with_person(rooms, [each.id for each in items])
            return
        for name, table in self._developers.items():
            mine = [each.id for each in items if each.developer == name]
            # If nothing is left to ask, the provider need not be available.
            if run.pending("collect", mine):
                run.collect(mine, provider(table, run.folder), self._hold)

    def _hold(self, item: str, dialogue: Dialogue) -> Answer:
        own, game = self._settings.user, self._game(item)
        with ExitStack() as stack:
            user = scripted(game)
            if own.who == "model":
                system = f"{own.system or bundled(NAME, 'user')}\n{game.script}"
                own = structs.replace(own, system=system)
                users = provider(own, self._run.folder)
                stack.callback(users.close)
                other = stack.enter_context(users.dialogue(item))
                user = speaker(other, f"{item}_user", "user", own)
            made, tokens = develop(
                self._developer(item, dialogue), user, self._settings.contest.turns
            )
        return Answer(msgspec.json.encode(made).decode(), tokens)

    def _collect_with_person(self, rooms: Rooms | None, items: list[str]) -> None:
        run = self._run
        if not run.pending("collect", items):
            return
        if rooms is None:
            raise BadSettings("[user] who: this run has no seat for a person")
        with rooms([PERSON], self._settings.contest.names) as room:
            developers = {
                name: provider(table, run.folder) for name, table in self._developers.items()
            }
            room.gather([PERSON])
            seat = room.seat(PERSON)
            run.collect(items, _Developers(developers, room.stop), partial(self._talk, seat, items))

    def _talk(self, seat: Seat, items: list[str], item: str, dialogue: Dialogue) -> Answer:
        """Holds a dialogue with the user at a seat. Each message goes on record before it is shown,
        so that a dialogue that was stopped continues."""
        run, game, number = self._run, self._game(item), items.index(item)
        title = f"{self._settings.contest.name}: dialogue {number + 1} of {len(items)}"
        earlier = _messages(run.state, items[number - 1]) if number else []
        before = _messages(run.state, item)

        def seen(history: Sequence[Message]) -> View:
            return view_of(title, game, history, earlier)

        def on_message(history: Sequence[Message], tokens: int | None) -> None:
            last = history[-1]
            run.write(Spoke(item, last.role, last.content, tokens))
            seat.show(seen(history))

        def user(history: Sequence[Message]) -> Answer:
            said = seat.ask(seen(history))
            assert isinstance(said, str), "the view has no functions and no time limit"
            return Answer(said)

        seat.show(seen([Message("user", FIRST), *before]))
        developer, turns = self._developer(item, dialogue), self._settings.contest.turns
        made, _ = develop(developer, user, turns, before, on_message)
        counted = [
            each.tokens for each in run.state.spoken.get(item, ()) if each.tokens is not None
        ]
        return Answer(msgspec.json.encode(made).decode(), sum(counted) if counted else None)

    def _game(self, item: str) -> Game:
        return report.games_of(self._run.state)[int(item.rpartition("_")[2])]

    def _developer(self, item: str, dialogue: Dialogue) -> Speaker:
        return speaker(dialogue, item, "assistant", self._developers[item.rpartition("_")[0]])

    def rate(self) -> None:
        """Has the model of the settings, if there is one, rate the dialogues."""
        run, table = self._run, self._settings.rating
        items = {
            f"{each.id}_{MODEL}{number}": each
            for each in report.items_of(run.state)
            for number in range(1, table.repetitions + 1)
            if each.id in run.state.answers
        }
        if table.who != "model" or not run.pending("rate", items):
            return
        rater = provider(table, run.folder)
        keys = "\n".join(f"- {x.question[0].lower()}{x.question[1:]}" for x in CRITERIA)
        told = bundled(NAME, "rater").replace("KEYS", keys, 1)

        def one(item: str) -> str:
            text = dialogue_text(report.developed(run.state, items[item]).history)
            wrong = ""
            for name in (f"{item}_{number + 1}" for number in range(table.tries)):
                with rater.dialogue(name) as asked:
                    answer = asked.ask(f"{told}\n{text}\n", name).text
                try:
                    read_rating(answer)
                except ValueError as exc:
                    wrong = str(exc)
                else:
                    return recordable(answer)
            raise ItemFailed(f"no rating in {counted(table.tries, 'answer')}: {wrong}")

        with ExitStack() as stack:
            stack.callback(rater.close)
            run.each("rate", items, one)

    def measure(self) -> None:
        """Judges each turn of each dialogue, and its finished game."""
        state, judge = self._run.state, partial(measured, self._seeds, self._unprotected)
        held = {each.id: each for each in report.items_of(state) if each.id in state.answers}
        self._run.each("measure", held, lambda item: judge(report.developed(state, held[item])))


class _Developers:
    """All developers as one provider, for a person who doesn't know which of them answers.

    Arguments:
        providers: the developers' providers, by name.
        stop: also called by `close`.
    """

    at_once = 1

    def __init__(self, providers: Mapping[str, Provider], stop: Callable[[], None]) -> None:
        self._providers, self._stop = providers, stop

    def dialogue(self, item: str) -> AbstractContextManager[Dialogue]:
        return self._providers[item.rpartition("_")[0]].dialogue(item)

    def close(self) -> None:
        self._stop()
        for each in self._providers.values():
            each.close()


def _messages(state: State, item: str) -> list[Message]:
    """The messages that went on record one by one, without the user's first one."""
    said = state.spoken.get(item, ())
    return [Message("user" if x.who == "user" else "assistant", x.text) for x in said]


def measured(seeds: range, unprotected: bool, game: Game) -> Json:
    """The verdicts on a dialogue, in their form on record."""
    (judged,) = asyncio.run(judge_dialogues([game], seeds, unprotected=unprotected))
    turns = [turn.verdict._asdict() for turn in judged.turns]
    return {"turns": turns, "whole": judged.whole._asdict()}


def questionnaire(run: Run, settings: Settings) -> Questionnaire:
    """The questionnaire of an open contest: each rater gets all dialogues, in a different order."""
    held = {each.id: each for each in report.items_of(run.state) if each.id in run.state.answers}

    def show(item: str) -> ItemView:
        history = report.developed(run.state, held[item]).history
        return ItemView(
            "An assistant leads a user through the development of a poker game. You see the same "
            "text as the user, without the assistant's code.",
            *((), (), ("The dialogue", dialogue_text(history))),
        )

    orders = {
        rater: sorted(held, key=lambda item: seed_of(0, f"{rater} {item}"))
        for rater in settings.rating.raters
    }
    own = settings.contest
    return Questionnaire(run, own.name, "dialogue", CRITERIA, orders, show, hosts=own.names)


# Verification


def _users_again(check: Check, state: State, _folder: Path) -> str:
    items = [each for each in report.items_of(state) if each.id in state.answers]
    for item in items:
        history = report.developed(state, item).history
        speak = scripted(report.games_of(state)[item.game])
        for at, message in enumerate(history if state.settings["user"]["who"] == "script" else ()):
            if message.role == "user" and at and speak(history[:at]).text != message.content:
                check.tell(f"{quoted(item.id)}: the scripted user says something else")
        if item.id in state.spoken and _messages(state, item.id) != list(history[1:]):
            check.tell(f"{quoted(item.id)}: differs from the messages on record")
    return f"{counted(len(items), 'dialogue')}, the same as the messages on record"


def _verdicts_again(check: Check, state: State, _folder: Path) -> str:
    held, seeds = state.values.get("measure", {}), range(int(state.settings["contest"]["seeds"]))
    for item in (each for each in report.items_of(state) if each.id in held):
        try:
            recomputed = measured(seeds, False, report.developed(state, item))
        except EnvironmentProblem as exc:
            check.notes.append(Fault(f"verdicts aren't checked: {exc}"))
            break
        if _decided(recomputed) != _decided(held[item.id]):
            check.tell(f"{quoted(item.id)}: the verdict is different when judged again")
    return f"verdicts on {counted(len(held), 'dialogue')}, the same when judged again"


def _result_again(check: Check, state: State, _folder: Path) -> str:
    if state.result is None:
        return "none yet"
    document, made = report.results(state)
    recomputed, held, without = report.recorded(document), state.result.value, {page.PAGE}
    if bool(recomputed["agreement"]) != bool(held["agreement"]):
        check.notes.append(
            Fault("agreement isn't checked: it needs the extra science, both here and in the run")
        )
        recomputed["agreement"] = held["agreement"]
        without.add(page.DOCUMENT)
    compare(check, state, recomputed, made, without)
    return "tables and files, recomputed without differences"


def _decided(value: Json) -> list[Any]:
    """The part of verdicts that is the same each time; an error's text may contain an address."""
    names = ("executed", "correct", "first_seed", "first_field")
    return [[each[name] for name in names] for each in (*value["turns"], value["whole"])]


#: The checks of `loebner verify`, in order.
CHECKS: dict[str, Step] = {
    "dialogues": _users_again,
    "measure": _verdicts_again,
    "result": _result_again,
}
