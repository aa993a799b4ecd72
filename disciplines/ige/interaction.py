"""The dialogue in which a developer builds a game with a user (docs/reference/ige.md).

The developer is any provider of answers. The user is a model, a person, or `scripted`, who quotes
the game's script. If the developer can't answer, the dialogue ends, with the reason; the game as
developed so far is judged.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TypeAlias

import msgspec

from disciplines.ige.games import Game, Message, methods_of, scripts_of, turn_of
from disciplines.providers import ProviderTable
from disciplines.room import View
from disciplines.run import Answer, Dialogue, ItemFailed, ResumableDialogue, recordable

#: The user's first message. The dialogue ends with the assistant's message that contains
#: `END_MARK`.
FIRST, END_MARK = "[start interactive game development]", "script['Flow']"
#: The most bytes in a dialogue; a run accepts slightly longer answers.
LONGEST = 900_000
#: The scripted user's answer once it has stated all the facts.
NOTHING_MORE = "I have told you everything about the game. Please set up the flow."

#: The beginning of the scripted user's message about a phase.
PHASE = "The phase"
#: A participant of a dialogue: takes all messages so far, and returns the next one.
Speaker: TypeAlias = Callable[[Sequence[Message]], Answer]


class Developed(msgspec.Struct, frozen=True):
    """A finished dialogue.

    Attributes:
        history: its messages; the first is the user's.
        ended: why it ended before the flow was set, in words; empty if the flow was set.
    """

    history: tuple[Message, ...]
    ended: str = ""


#: Called after a new message, with all messages so far, and the tokens of the last one if the
#: provider counts them.
OnMessage: TypeAlias = Callable[[Sequence[Message], int | None], None]


def develop(
    developer: Speaker,
    user: Speaker,
    turns: int,
    before: Sequence[Message] = (),
    on_message: OnMessage = lambda history, tokens: None,
) -> tuple[Developed, int | None]:
    """Holds a dialogue.

    Arguments:
        developer, user: the two participants.
        turns: the most turns of the developer.
        before: the messages so far of a dialogue that was stopped, without the user's first one.
        on_message: called after each new message except the first.

    Returns:
        The dialogue, and the tokens of the developer's new answers if the provider counts them.

    Raises:
        ItemFailed: if the user can't answer.
        EnvironmentProblem: if one of them can't be reached.
    """
    history, tokens = [Message("user", FIRST), *before], None
    while True:
        turn, last = sum(each.role == "assistant" for each in history), history[-1]
        if last.role == "assistant":
            if END_MARK in last.content:
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
        said = recordable(answer.text)
        history.append(Message("user" if last.role == "assistant" else "assistant", said))
        if last.role == "user" and len(msgspec.json.encode(history)) > LONGEST:
            trouble = f"turn {turn + 1}: the dialogue is too long"
            return Developed(tuple(history[:-1]), trouble), tokens
        on_message(history, answer.tokens)


def speaker(dialogue: Dialogue, item: str, role: str, table: ProviderTable) -> Speaker:
    """A speaker that gets its messages from a provider.

    Arguments:
        dialogue: the dialogue with the provider.
        item: the dialogue's id; stored answers are found by it and the number of the turn.
        role: the role that the provider plays.
        table: the provider's settings. A program without memory gets all messages, as a JSON list
            of role and content.
    """
    is_plain = bool(table.command) and not table.is_entry
    is_begun = False

    def speak(history: Sequence[Message]) -> Answer:
        nonlocal is_begun
        number = sum(each.role == role for each in history) + (role == "assistant")
        pairs = [(a.content, b.content) for a, b in pairwise(history) if b.role == role]
        if pairs and not is_begun and isinstance(dialogue, ResumableDialogue):
            dialogue.resume(pairs)
        is_begun = True
        text = history[-1].content
        if is_plain:
            system = {"role": "system", "content": table.system}
            text = msgspec.json.encode([system, *history]).decode()
        return dialogue.ask(text, f"{item}_{number}")

    return speak


# A user at a seat

#: The names of the two speakers at a user's seat, and the titles of the panels with the requested
#: game and the previous dialogue.
YOU, DEVELOPER = "You", "Developer"
WANTED, EARLIER = "The game that you want", "The previous dialogue"


def view_of(
    title: str, game: Game, history: Sequence[Message], earlier: Sequence[Message] = ()
) -> View:
    """The view of a user at a seat: the dialogue, with only the words of the developer's messages;
    and beside it the requested game, and the script after each turn, the latest first.

    Arguments:
        title: the dialogue's title.
        game: the requested game.
        history: the messages so far.
        earlier: the messages of the previous dialogue, so that the user can reread them.
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
    """A user who quotes a game's script, with one message for each part, in the script's order. A
    phase that the developer's question names comes before the other phases. The flow comes last,
    because it ends the dialogue."""
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
    """The user's sentences about a game, by name, in the script's order: the number of players with
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
