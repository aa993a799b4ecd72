"""What the judge's side does: one short script an act.

A script types, waits and listens; it judges nothing. It returns whether the entry still answered
at its end, or None where nothing was asked.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from lpp.conformance import texts
from lpp.conformance.log import DIRECTORY, FILE, FULL, Kind, Log, came_back, line_of_act
from lpp.conformance.talk import BRISK, FEW, QUICK, Talk
from lpp.names import BACKSPACE, BACKSPACE_CHAR, NAMES, RETURN, keys_of

Act: TypeAlias = Callable[[Talk, bool], Awaitable[bool | None]]

#: Things that are nobody's key press, put beside the talk.
FOREIGN = (("notes", DIRECTORY), ("pictures", FULL), ("Thumbs.db", FILE))


async def waits(talk: Talk, last: bool) -> None:
    """Watches whether the entry types unasked: longer if it was found slow to load."""
    await talk.stage.wait(lambda: not talk.stage.alive, talk.measures.still + min(15.0, talk.load))
    talk.stage.note(Kind.WATCHED, "")


async def greet(talk: Talk, last: bool) -> bool:
    """The first line of a talk."""
    first = talk.measures.first
    answered = await talk.ask(texts.GREETING, patience=first / 2, whole=True)
    if not answered and talk.stage.alive:
        begun = talk.stage.log.acts("greet")[-1].number
        removed = any(e.kind is Kind.GONE for e in talk.stage.log.events[begun:])
        if removed:
            answered = await talk.listen(first / 2, whole=True)
        else:
            # It was loading, perhaps, and passes over what it found at its start: once more.
            answered = await talk.ask(texts.GREETING, patience=first / 2, whole=True)
    talk.note_load()
    if not (answered and talk.learn_echo("greet")):
        talk.echoes = False
    return answered


async def probe(talk: Talk, last: bool) -> bool | None:
    """A line that nobody would say by himself: who says it back, echoes."""
    if talk.echoes is not None:
        return None
    answered = await talk.ask(texts.PROBE, whole=True)
    talk.echoes = answered and talk.learn_echo("greet", "probe")
    return answered


async def spelling(talk: Talk, last: bool) -> bool | None:
    """All the marks of the appendix in a phrase."""
    return await talk.ask(texts.SPELLING, gap=BRISK, whole=True) if talk.echoes else None


async def backspace(talk: Talk, last: bool) -> bool | None:
    """A line with two mistakes, mended."""
    if not talk.echoes:
        return None
    typed = f"ask me{BACKSPACE_CHAR * 2}the aold{BACKSPACE_CHAR * 4}old one"
    await talk.type([BACKSPACE if c == BACKSPACE_CHAR else _key(c) for c in typed], BRISK)
    return await _again(talk, await talk.end_line("ask the old one", whole=True))


async def unknown(talk: Talk, last: bool) -> bool | None:
    """A line with unknown names within it."""
    if not talk.echoes:
        return None
    words = ["plain", " words", " only"]
    for word, name in zip(words, texts.UNKNOWN, strict=True):
        await talk.type([*keys_of(word), name], BRISK)
    return await _again(talk, await talk.end_line("".join(words), whole=True))


async def keys(talk: Talk, last: bool) -> bool:
    """Every name of the appendix, every letter and digit, one beyond ASCII, and unknown names, in
    one line."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    names = [name for name in NAMES if name not in (RETURN, BACKSPACE)]
    pressed = [*"0123456789", *letters, *letters.upper(), *names, BACKSPACE]
    pressed += [texts.BEYOND_ASCII, *texts.UNKNOWN]
    await talk.type(pressed, QUICK, at_once=FEW)
    return await talk.end_line("(all keys)") or await _prove(talk)


async def burst(talk: Talk, last: bool) -> bool:
    """200 keys at once, Return among them."""
    answered = await talk.ask(texts.BURST, gap=0, whole=talk.echoes or None)
    return await _again(talk, answered, gap=QUICK)


async def slow(talk: Talk, last: bool) -> bool:
    """A line at one key a second."""
    text = (texts.SLOW + " my good friend")[: talk.measures.slow_keys]
    return await _again(talk, await talk.ask(text, gap=1.0, whole=talk.echoes or None))


async def silence(talk: Talk, last: bool) -> bool | None:
    """Silence on both sides, and then a line, unless the next act is one."""
    if not talk.answers:
        return None
    if not talk.stage.log.typed(life=talk.stage.log.life):
        # A silence before anything was said is none in a talk.
        await _prove(talk)
    await talk.quiet()
    # Both sides have been silent since the last key, in which it was seen that the answer is whole.
    left = talk.measures.silence - (talk.stage.now() - talk.last_key())
    await talk.stage.wait(lambda: not talk.stage.alive, left)
    return await _prove(talk) if last or not talk.slow_typist else None


async def empties(talk: Talk, last: bool) -> bool | None:
    """Three empty lines, and then a line, unless the next act is one."""
    await talk.type([RETURN] * 3, talk.measures.gap * 2)
    await talk.stage.wait(lambda: not talk.stage.alive, 0.4)
    return await _prove(talk) if last or not talk.slow_typist else None


async def long(talk: Talk, last: bool) -> bool:
    """A line of 500 characters."""
    await talk.type(keys_of(texts.LONG), QUICK, at_once=FEW)
    return await talk.end_line(texts.LONG, whole=False if last else None) or await _prove(talk)


async def leftovers(talk: Talk, last: bool) -> None:
    """Watches what is done with `.judge` directories that the start found."""
    seconds = talk.measures.leftovers + min(15.0, talk.load)
    await talk.stage.wait(lambda: not talk.stage.alive, seconds)


async def while_typing(talk: Talk, last: bool) -> bool | None:
    """A line, and keys at 10 a second from the moment at which its answer begins."""
    if not talk.answers:
        return None
    if not await talk.ask(texts.STORY, whole=False):
        return False
    await talk.type(keys_of(texts.MEANWHILE), 0.1)
    return await talk.end_line(texts.MEANWHILE)


async def alone(talk: Talk, last: bool) -> bool:
    """Unknown names, one at a time, where nothing else is typed."""
    stage = talk.stage
    for name in texts.UNKNOWN:
        if not stage.alive or talk.still_typing:
            break
        stage.press(name)
        stage.note(Kind.ALONE, name)
        since = len(stage.log.events)
        await stage.wait(
            lambda since=since: bool(stage.log.typed(since)) or not stage.alive,  # type: ignore[misc]
            talk.measures.alone + min(2.0, talk.latency or 0.0),
        )
        await talk.quiet()
        stage.note(Kind.WATCHED, name)
    # One that hangs is to be started anew before the next act.
    return await _prove(talk)


async def restart(talk: Talk, last: bool) -> bool:
    """A line after a restart: to see its numbers."""
    return await _prove(talk)


async def beside(talk: Talk, last: bool) -> bool:
    """A line beside things that are nobody's key press: to see what is removed."""
    return await _prove(talk)


def spared(act: str, log: Log) -> bool:
    """Whether an act can be left out, as others have shown already what it is to show."""
    if act == "restart":
        return log.life < 2 or any(seen.event.life > 1 for seen in log.typed())
    if act == "beside":
        planted = log.of(Kind.PLANTED)
        return bool(planted) and bool(
            log.of(Kind.ASKED, where=lambda e: e.number > planted[0].number)
        )
    return False


async def _again(talk: Talk, answered: bool, *, gap: float | None = None) -> bool:
    """Types the act's line once more, plainly, if it did not come back as typed (or was not
    answered, where the entry does not echo): is it the way of typing, or the line?

    Arguments:
        answered: whether the line was answered.
        gap: seconds between keys; a person's if left out.

    Returns:
        Whether the entry still answers.
    """
    answered = answered or await _prove(talk)
    line, _ = line_of_act(talk.stage.log, talk.stage.log.act)
    if line is None or not answered or talk.still_typing:
        return answered
    right = came_back(talk.stage.log, line) if talk.echoes else line.answered
    early = not talk.echoes and talk.stage.log.typed(
        talk.stage.log.acts(talk.stage.log.act)[-1].number, line.event.number
    )
    if right or early:
        return True
    return await talk.ask(line.told, gap=gap, whole=talk.echoes or None)


async def _prove(talk: Talk) -> bool:
    # One that has never answered is not asked again and again.
    return talk.answers and await talk.prove()


def _key(char: str) -> str:
    return keys_of(char)[0]


ACTS: dict[str, Act] = {
    "waits-empty": waits,
    "greet": greet,
    "probe": probe,
    "spelling": spelling,
    "backspace": backspace,
    "unknown": unknown,
    "silence": silence,
    "burst": burst,
    "waits-beside": waits,
    "beside": beside,
    "empties": empties,
    "keys": keys,
    "long": long,
    "leftovers": leftovers,
    "slow": slow,
    "while-typing": while_typing,
    "alone": alone,
    "restart": restart,
}
