"""A scripted confederate: waits until the judge begins, reads, answers, and types."""

from __future__ import annotations

from contest.scripted.characters import Character, Repertoire, facts, matching
from contest.scripted.person import LOOK, PAUSE, Person, Turn
from contest.scripted.words import STOP, is_question, tokens

#: Of the lines that have piled up, this many are answered: the last ones.
ANSWERED_AT_ONCE = 2


class ScriptedConfederate(Person):
    """A confederate.

    Arguments:
        character: who this is.
        seed: the same seed gives the same person.
    """

    def __init__(self, character: Character, seed: int = 0) -> None:
        self.character = character
        super().__init__(character.name, character.pace, "entity", seed)

    async def talk(self, turn: Turn) -> None:
        """Answers the judge until the round ends."""
        [place] = turn.seat.places
        repertoire = Repertoire(self.character, turn.rng)
        answered = 0
        silent_from = turn.clock.now()
        while True:
            await turn.look(LOOK)
            now, transcript = turn.clock.now(), turn.read(place)
            lines = transcript.by("judge")
            if len(lines) > answered:
                unread, answered = lines[answered:][-ANSWERED_AT_ONCE:], len(lines)
                for line in unread:
                    await turn.type(place, answer(line, repertoire, turn.seat.round) + "\n")
            elif not answered or transcript.silence("judge", now) < PAUSE:
                silent_from = now  # the judge begins (rules 2010, section 3), and may be typing
            elif now - silent_from >= self.character.patience:
                if nudge := repertoire.pick(self.character.lines["nudge"]):
                    await turn.type(place, nudge + "\n")
                silent_from = turn.clock.now()


def answer(line: str, repertoire: Repertoire, round_: int) -> str:
    """What a confederate answers to a line of the judge.

    Arguments:
        line: the line as finished, not blank.
        repertoire: what the confederate may still say in this talk.
        round_: the number of the round.
    """
    character, say = repertoire.character, repertoire.say
    lines, topics = character.lines, matching(line, character.topic)
    content = [word for word in tokens(line) if word not in STOP and 3 < len(word) < 20]
    slots = {"round": str(round_)} | ({"word": content[-1]} if content else {})
    if known := matching(line, facts()):
        return say(lines["fact"], answer=known[0][0])
    if is_question(line):
        return say(*topics, lines["unknown"], lines["ask"], lines["statement"], **slots)
    return say(*topics, lines["statement"], lines["ask"], lines["statement"], **slots)
