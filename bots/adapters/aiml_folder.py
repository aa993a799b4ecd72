"""Runs a folder of AIML 1.0 files as an entry, with an adapted kernel of python-aiml.

The kernel is changed by subclassing only; the library itself is unchanged:

* `<random>` uses the global module `random`. Here it uses the bot's own generator, so that a talk
  can be repeated, and uses each of its items once before repeating any.
* `<date>` gives the machine's time in the format of asctime. Here it gives the contest's time, as
  people say it.
* `<system>` runs a shell command, and `<learn>` opens any file. A judge must not be able to trigger
  either, so both are disabled.
* `learn` treats the path as a pattern, and ignores that nothing matches. Here a file without
  categories is an error.
* The matcher recurses once per word, and tries each split of a line at each star, so a line of
  thousands of words would raise a RecursionError. `WORDS` limits the length.
* `<star/>` counts words by spaces but matches words without punctuation, so "rock'n'roll" shifts
  it. Here lines are reduced to words.
* `loadSubs` calls a method of configparser that was removed in Python 3.12; it is not used.
"""

from __future__ import annotations

import datetime
import glob
import random
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import aiml

from bots.adapters import base
from bots.bot import Context
from bots.english import WORD, expand, sentences

#: The most words of a sentence that are matched; the rest is dropped.
WORDS = 40

#: How many sentences of a line are answered: the last ones.
SENTENCES = 2

#: A category sets this predicate if its answer would fit anything.
VAGUE = "vague"


class Kernel(aiml.Kernel):  # type: ignore[misc]  # the library has no types
    """A kernel that reports files it can't load, and answers lines safely.

    Arguments:
        files: AIML files to learn.
        rng: the source of randomness for `<random>`.
        now: the wall clock for `<date/>`.

    Raises:
        ValueError: if a file contains no valid categories.
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
                raise ValueError(f"{file}: contains no readable AIML categories")
        self._unsaid: dict[int, list[int]] = {}
        self._talks = 0
        self._talk = ""
        self.begin()

    def begin(self) -> None:
        """Begins a talk without predicates or history."""
        self._talks += 1
        self._deleteSession(self._talk)
        self._talk = f"talk {self._talks}"

    def answer(self, line: str) -> str:
        """Answers the last sentences of a line, one after the other.

        Arguments:
            line: any text.

        Returns:
            The answers in one line; "" if no category matches.
        """
        answers: list[str] = []
        vague = ""
        for sentence in sentences(expand(line))[-SENTENCES:]:
            words = " ".join(WORD.findall(sentence.text)[:WORDS]).replace("'", "")
            answer = " ".join(str(self.respond(words, self._talk)).split()) if words else ""
            if self.predicate(VAGUE):
                # It fits anything, so use it only if nothing fits better.
                self.setPredicate(VAGUE, "", self._talk)
                vague = answer
            elif answer and answer not in answers:
                answers.append(answer)
        return " ".join(answers) or vague

    def predicate(self, name: str) -> str:
        """The value of a predicate in this talk, or ""."""
        return str(self.getPredicate(name, self._talk))

    # The library's element processors, with the names that it expects.

    def _processRandom(self, elem: list[Any], session: str) -> str:
        items = [item for item in elem[2:] if item[0] == "li"]
        if not items:
            return ""
        # Elements live as long as the kernel, so their id() identifies them.
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


#: The bot's default name: many sets of categories use the name in their answers.
NAME = "Alex"


class AimlFolderBot(base.AdapterBot):
    """Answers with the categories of an entrant's AIML files.

    Arguments:
        context, fallback: as for `AdapterBot`.
        files: the AIML files, in the order of learning; later ones take precedence.
        bot: its name.

    Raises:
        BadSetting: if a file contains no valid categories.
    """

    name = "aiml-folder"

    def __init__(
        self,
        context: Context,
        files: Sequence[Path],
        *,
        bot: str = NAME,
        fallback: str = "",
    ) -> None:
        super().__init__(context, fallback=fallback)
        try:
            self._kernel = Kernel(files, context.rng, context.now)
        except (ValueError, OSError) as error:
            raise base.BadSetting(f"--folder: {error}") from None
        self._kernel.setBotPredicate("name", bot)

    def begin(self) -> None:
        """Forgets the last judge."""
        self._kernel.begin()

    def reply(self, line: str) -> str:
        """Answers with the category that fits best."""
        return self._kernel.answer(line) or self.fall_back(f"no category for: {line[:200]}")


def prepare(folder: Path, bot: str = NAME, fallback: str = "") -> base.MakeBot:
    """Returns a function that creates an `AimlFolderBot`.

    Arguments:
        folder: a folder with `*.aiml` files, in it or in its subfolders.
        bot, fallback: as for `AimlFolderBot`.

    Raises:
        BadSetting: if it is not a folder, or contains no such file.
    """
    if not folder.is_dir():
        raise base.BadSetting(f"--folder {folder}: there is no such folder")
    files = sorted(
        file for file in folder.rglob("*") if file.suffix.lower() == ".aiml" and file.is_file()
    )
    if not files:
        raise base.BadSetting(f"--folder {folder}: it contains no file whose name ends in .aiml")
    return partial(AimlFolderBot, files=files, bot=bot, fallback=fallback)
