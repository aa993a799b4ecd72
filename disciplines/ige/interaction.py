"""The dialogue in which a developer builds a game with a user (seed 002; disciplines/ige.md, 5).

The developer is any provider of answers. The user is a model, a person, or `scripted`, who says
what the game's script says. A developer that can't answer ends the dialogue: what it built until
then is judged, and the reason is kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from importlib.resources import files
from itertools import pairwise
from typing import TypeAlias

import msgspec

from disciplines.ige.games import Game, Message, methods_of, scripts_of, turn_of
from disciplines.providers import ProviderTable
from disciplines.room import View
from disciplines.run import Answer, Dialogue, ItemFailed, Remembering

#: What the user says first, and the text in a message of the assistant that ends the dialogue.
FIRST, LAST = "[start interactive game development]", "script['Flow']"
#: Bytes of a dialogue; a run takes a little more.
LONGEST = 900_000
#: What a user answers who has said everything.
NOTHING_MORE = "I have told you everything about the game. Please set up the flow."

#: How what the scripted user says of a phase begins.
PHASE = "The phase"
#: Who plays a part in a dialogue: gives the next message, from all messages so far.
Speaker: TypeAlias = Callable[[Sequence[Message]], Answer]


class Developed(msgspec.Struct, frozen=True):
    """A dialogue that came to its end.

    Attributes:
        history: its messages; the first is the user's.
        ended: why it ended before the flow was set, in words; empty if it was.
    """

    history: tuple[Message, ...]
    ended: str = ""


def bundled(name: str) -> str:
    """A bundled text: the instructions for a model that acts as user, developer or rater."""
    return (files("disciplines.ige") / "bundled" / f"{name}.txt").read_text("utf-8")


#: Hears of a new message: all messages so far, and the tokens of the last one, if they are counted.
Heard: TypeAlias = Callable[[Sequence[Message], int | None], None]


def develop(
    developer: Speaker,
    user: Speaker,
    turns: int,
    before: Sequence[Message] = (),
    heard: Heard = lambda history, tokens: None,
) -> tuple[Developed, int | None]:
    """Holds a dialogue.

    Arguments:
        developer, user: who speaks.
        turns: of the developer, at most.
        before: the messages so far of a dialogue that was stopped, without the user's first one.
        heard: called after each new message but the first.

    Returns:
        The dialogue, and the tokens of the developer's new answers as far as they are counted.

    Raises:
        ItemFailed: if the user can't answer.
        EnvironmentProblem: if one of them can't be reached.
    """
    history, tokens = [Message("user", FIRST), *before], None
    while True:
        turn, last = sum(each.role == "assistant" for each in history), history[-1]
        if last.role == "assistant":
            if LAST in last.content:
                return Developed(tuple(history)), tokens
            if turn == turns:
                return Developed(tuple(history), f"no flow after {turns} turns"), tokens
            answer = user(history)
        else:
            try:
                answer = developer(history)
            except ItemFailed as exc:
                return Developed(tuple(history), f"turn {turn + 1}: {exc}"), tokens
            if answer.tokens is not None:
                tokens = (tokens or 0) + answer.tokens
        said = answer.text.encode("utf-8", "replace").decode()
        history.append(Message("user" if last.role == "assistant" else "assistant", said))
        if last.role == "user" and len(msgspec.json.encode(history)) > LONGEST:
            trouble = f"turn {turn + 1}: the dialogue is too long"
            return Developed(tuple(history[:-1]), trouble), tokens
        heard(history, answer.tokens)


def speaker(dialogue: Dialogue, item: str, role: str, table: ProviderTable) -> Speaker:
    """One who answers through a provider.

    Arguments:
        dialogue: with the provider.
        item: the dialogue's id; stored answers are found by it and the number of the turn.
        role: whom it plays.
        table: its settings. A program that remembers nothing gets all messages, as a JSON list of
            role and content.
    """
    is_plain = bool(table.command) and "{dir}" not in table.command
    is_begun = False

    def speak(history: Sequence[Message]) -> Answer:
        nonlocal is_begun
        number = sum(each.role == role for each in history) + (role == "assistant")
        pairs = [(a.content, b.content) for a, b in pairwise(history) if b.role == role]
        if pairs and not is_begun and isinstance(dialogue, Remembering):
            dialogue.resume(pairs)
        is_begun = True
        text = history[-1].content
        if is_plain:
            system = {"role": "system", "content": table.system}
            text = msgspec.json.encode([system, *history]).decode()
        return dialogue.ask(text, f"{item}_{number}")

    return speak


# A user at a seat

#: What a seat calls the two who speak, and the panels of the requested game and of the last
#: dialogue.
YOU, DEVELOPER = "You", "Developer"
WANTED, EARLIER = "The game that you want", "The last dialogue, which is over"


def view_of(
    title: str, game: Game, history: Sequence[Message], earlier: Sequence[Message] = ()
) -> View:
    """What a user at a seat sees: of the developer's messages the words, and beside the dialogue
    the requested game, and the script after each turn, the last one first.

    Arguments:
        title: the dialogue's.
        game: the requested game.
        history: the messages so far.
        earlier: the messages of the dialogue before this one, to read them again.
    """
    turns = [turn_of(each.content) for each in history if each.role == "assistant"]
    panels = [(WANTED, game.script.splitlines())]
    for number, script in reversed([*enumerate(scripts_of(turns), 1)]):
        methods = ", ".join(methods_of(turns[number - 1].code)) or "none"
        lines = [*script.text.splitlines(), *script.faults, f"Methods of this turn: {methods}"]
        panels.append((f"Script after turn {number}", lines))
    if earlier:
        lines = [f"{who}: {line}" for who, text in _seen(earlier) for line in text.splitlines()]
        panels.append((EARLIER, lines))
    return View(title, _seen(history), panels, waits_for="the developer")


def _seen(history: Sequence[Message]) -> list[tuple[str, str]]:
    return [
        (YOU, each.content)
        if each.role == "user"
        else (DEVELOPER, turn_of(each.content).utter or "(no words)")
        for each in history
    ]


# The scripted user


def scripted(game: Game) -> Speaker:
    """A user who says what a game's script says, a message for each of its parts, in the script's
    order. A phase that the developer's question names comes before the other phases; the flow comes
    last, for it ends the dialogue."""
    parts = facts(game.script)

    def speak(history: Sequence[Message]) -> Answer:
        said = {each.content for each in history if each.role == "user"}
        left = [name for name, text in parts.items() if text not in said]
        if not left:
            return Answer(NOTHING_MORE)
        sentences = re.findall(r"[^.!?]+[.!?]?", turn_of(history[-1].content).utter)
        question = " ".join(each for each in sentences if each.endswith("?"))
        named = [each for each in left if re.search(rf"\b{re.escape(each)}\b", question)]
        phases = [each for each in named if parts[each].startswith(PHASE)]
        next_one = left[0]
        if phases and parts[next_one].startswith(PHASE):
            next_one = phases[0]
        return Answer(parts[next_one])

    return speak


def facts(script: str) -> dict[str, str]:
    """What a user can say about a game, by name, in the script's order: the number of players with
    the bets, each other value, each phase, and the flow."""
    config, found = script.partition("Phase:")[0], {}
    for line in script.splitlines():
        name, _, text = (each.strip() for each in line.partition(":"))
        if not text:
            continue
        if name == "Flow":
            found["Flow"] = f"The flow should be {text}."
        elif f"{name}:" not in config:
            found[name] = f"{PHASE} {name}: {text}"
        elif name in ("Min bet", "Max bet") and (first := "Number of players") in found:
            found[first] += f" {name}: {text}."
        else:
            found[name] = f"{name}: {text}."
    flow = found.pop("Flow", "")
    return {**found, "Flow": flow} if flow else found
