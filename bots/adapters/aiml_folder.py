"""A folder of AIML 1.0 files as an entry, on python-aiml's kernel made fit for an entry.

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
from functools import partial
from pathlib import Path
from typing import Any

import aiml

from bots.adapters import base
from bots.bot import Context
from bots.english import WORD, expand, sentences

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


#: What the bot is called unless it is named: many sets of categories use it in their answers.
NAME = "Alex"


class AimlFolderBot(base.AdapterBot):
    """Categories of somebody else's.

    Arguments:
        context, fallback, log: as for `AdapterBot`.
        files: the AIML files, in the order in which they are learnt; later ones win.
        bot: its name.

    Raises:
        BadSetting: if a file holds no categories, or such as the library refuses.
    """

    name = "aiml-folder"

    def __init__(
        self,
        context: Context,
        files: Sequence[Path],
        *,
        bot: str = NAME,
        fallback: str = "",
        log: Callable[[str], None] | None = None,
    ) -> None:
        super().__init__(context, fallback=fallback, log=log)
        try:
            self._kernel = Kernel(files, context.rng, context.now)
        except (ValueError, OSError) as error:
            raise base.BadSetting(f"--folder: {error}") from None
        self._kernel.setBotPredicate("name", bot)

    def begin(self) -> None:
        """Forgets the person."""
        self._kernel.begin()

    def reply(self, line: str) -> str:
        """Answers by the category that fits best."""
        return self._kernel.answer(line) or self.fall_back(f"no category for: {line[:200]}")


def prepare(folder: Path, bot: str = NAME, fallback: str = "") -> base.MakeBot:
    """What makes an `AimlFolderBot`.

    Arguments:
        folder: where `*.aiml` files are, in it or in folders within.
        bot, fallback: as for `AimlFolderBot`.

    Raises:
        BadSetting: if it is not a folder, or holds no such file.
    """
    if not folder.is_dir():
        raise base.BadSetting(f"--folder {folder}: there is no such folder")
    files = sorted(
        file for file in folder.rglob("*") if file.suffix.lower() == ".aiml" and file.is_file()
    )
    if not files:
        raise base.BadSetting(f"--folder {folder}: no file in it has a name that ends in .aiml")
    return partial(AimlFolderBot, files=files, bot=bot, fallback=fallback)
