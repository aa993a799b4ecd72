"""Robin the gardener: AIML categories of our own, on python-aiml's kernel made fit for an entry.

What had to be changed, all by subclassing, nothing in the library:

* `<random>` shuffles by the module `random`; here it draws from the bot's own generator, so that
  a talk can be played again, and says none of its items twice before each was said once.
* `<date>` tells the machine's time in asctime's form; here it is the contest's, as spoken.
* `<system>` runs a shell command and `<learn>` opens any file: nothing that a judge types may
  reach either, so both say nothing here.
* `learn` takes the path for a pattern and says nothing if none matches; here a file that gives no
  categories is an error.
* The matcher recurses once a word and tries each split of a line at each star, so a line of
  thousands of words would end in a RecursionError; `WORDS` bounds it.
* `<star/>` counts words by spaces but matches words without punctuation, so "rock'n'roll" shifts
  it; lines come in here with words only.
* `loadSubs` calls a method of configparser that is gone since Python 3.12; it is not used.
"""

from __future__ import annotations

import datetime
import glob
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import aiml

from bots.bot import Bot, Context
from bots.english import WORD, expand, sentences
from lpp.pace import Pace

#: Words of a sentence that are matched; the rest is dropped.
WORDS = 40

#: Sentences of a line that are answered: the last ones.
SENTENCES = 2


#: The predicate that a category sets whose answer would fit anything.
VAGUE = "vague"


class Kernel(aiml.Kernel):  # type: ignore[misc]  # the library has no types
    """A kernel that loads files surely and answers lines safely.

    Arguments:
        files: AIML files to learn.
        rng: where `<random>` draws from.
        now: the wall clock of `<date/>`.

    Raises:
        ValueError: if a file holds no categories, or such as the library refuses.
    """

    def __init__(
        self,
        files: Sequence[Path],
        rng: random.Random,
        now: Callable[[], datetime.datetime],
    ) -> None:
        super().__init__()
        self._rng = rng
        self._now = now
        self.verbose(False)
        for file in files:
            before = self.numCategories()
            self.learn(glob.escape(str(file)))
            if self.numCategories() == before:
                raise ValueError(f"{file}: no AIML categories could be read from it")
        self._unsaid: dict[int, list[int]] = {}
        self._talks = 0
        self._talk = ""
        self.begin()

    def begin(self) -> None:
        """Begins a talk in which no predicate is set and nothing was said."""
        self._talks += 1
        self._deleteSession(self._talk)
        self._talk = f"talk {self._talks}"

    def answer(self, line: str) -> str:
        """Answers a line: its last sentences, one after the other.

        Arguments:
            line: anything.

        Returns:
            The answers in one line; "" if no category matches.
        """
        answers: list[str] = []
        vague = ""
        for sentence in sentences(expand(line))[-SENTENCES:]:
            words = " ".join(WORD.findall(sentence.text)[:WORDS]).replace("'", "")
            answer = " ".join(str(self.respond(words, self._talk)).split()) if words else ""
            if self.predicate(VAGUE):
                # Fits anything: said only where nothing fits better.
                self.setPredicate(VAGUE, "", self._talk)
                vague = answer
            elif answer and answer not in answers:
                answers.append(answer)
        return " ".join(answers) or vague

    def predicate(self, name: str) -> str:
        """What a predicate of this talk is set to, or ""."""
        return str(self.getPredicate(name, self._talk))

    # The library's element processors, by its naming.

    def _processRandom(self, elem: list[Any], session: str) -> str:
        items = [item for item in elem[2:] if item[0] == "li"]
        if not items:
            return ""
        # Elements live as long as the kernel, so their identity names them.
        unsaid = self._unsaid.setdefault(id(elem), [])
        if not unsaid:
            unsaid.extend(self._rng.sample(range(len(items)), len(items)))
        return str(self._processElement(items[unsaid.pop()], session))

    def _processDate(self, elem: list[Any], session: str) -> str:
        now = self._now()
        return f"{now:%A, %B} {now.day}, {now:%I:%M %p}".replace(" 0", " ")

    def _processSystem(self, elem: list[Any], session: str) -> str:
        return ""

    def _processLearn(self, elem: list[Any], session: str) -> str:
        return ""


#: Said where no category matches at all: a line without a word in it.
SPEECHLESS = ("Hm?", "Sorry, what was that?", "You have lost me there.")


class AimlBot(Bot):
    """Robin, who looks after the gardens of a small town and has a cat."""

    name = "aiml"
    summary = "Robin the gardener, in AIML categories"
    pace = Pace(gap=0.16, spread=0.5, word_pause=0.07, thought=1.6, slips=0.02)

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        files = sorted(Path(__file__).parent.glob("*.aiml"))
        self._kernel = Kernel(files, context.rng, context.now)
        self._kernel.setBotPredicate("name", "Robin")
        self._speechless = 0

    def begin(self) -> None:
        """Forgets the person."""
        self._kernel.begin()

    def reply(self, line: str) -> str:
        """Answers by the category that fits best."""
        answer = self._kernel.answer(line)
        if answer:
            return answer
        self._speechless += 1
        return SPEECHLESS[self._speechless % len(SPEECHLESS)]
