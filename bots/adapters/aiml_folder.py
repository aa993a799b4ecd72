"""Runs a folder of AIML 1.0 files as an entry, with the kernel of python-aiml.

Some elements don't suit an entry. They are replaced in a copy of each file, which the kernel reads
(`_adapted`):

* `<random>` uses the global module `random`. It becomes a `<condition>` on a number that we draw
  from the bot's own generator, so that a talk can be repeated, and each item is used once before
  any is repeated.
* `<date>` gives the machine's time in the format of asctime. It becomes a `<get>` of the contest's
  time, as people say it.
* `<system>` runs a shell command, and `<learn>` opens any file. A judge must not be able to trigger
  either, so both are left out.

The kernel's other traps:

* It ignores files that it can't read. Here a file without categories is an error.
* The matcher recurses once per word, and tries each split of a line at each star, so a line of
  thousands of words would raise a RecursionError. `WORDS` limits the length.
* `<star/>` counts words by spaces but matches words without punctuation, so "rock'n'roll" shifts
  it. Here lines are reduced to words.
* `loadSubs` calls a method of configparser that was removed in Python 3.12; it is not used.
"""

from __future__ import annotations

import glob
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import aiml

from bots.adapters import base
from bots.bot import Context
from bots.english import WORD, expand, sentences

#: The most words of a sentence that are matched; the rest is dropped.
WORDS = 40
#: The maximum number of sentences of a line that are answered: the last ones.
SENTENCES = 2
#: A category sets this predicate if its answer would fit anything.
VAGUE = "vague"
#: The bot's default name: many sets of categories use the name in their answers.
NAME = "Alex"
#: Our own predicates: the item drawn for a `<random>`, whether it was used, and the time.
_DRAWN, _USED, _DATE = "our drawn", "our used", "our date"
#: The namespace of AIML in files that name it, in any version.
_NAMESPACE = "{http://alicebot.org/"


class AimlFolderBot(base.AdapterBot):
    """Answers with the categories of an entrant's AIML files.

    Arguments:
        context, fallback: as for `AdapterBot`.
        files: the AIML files, in the order of learning; later ones take precedence.
        bot: its name.

    Raises:
        BadSetting: if a file can't be read, or contains no valid categories.
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
        self._kernel = aiml.Kernel()
        self._kernel.verbose(False)
        self._kernel.setBotPredicate("name", bot)
        # The number of items of each `<random>`.
        self._items: list[int] = []
        for file in files:
            before = self.categories
            with tempfile.TemporaryDirectory() as place:
                copy = Path(place) / file.name
                try:
                    copy.write_bytes(_adapted(file, self._items))
                except (OSError, ElementTree.ParseError) as error:
                    raise base.BadSetting(f"--folder: {file}: {error}") from None
                self._kernel.learn(glob.escape(str(copy)))
            if self.categories == before:
                raise base.BadSetting(f"--folder: {file}: contains no readable AIML categories")
        self._talks = 0
        self.begin()

    @property
    def categories(self) -> int:
        """How many categories it has."""
        return int(self._kernel.numCategories())

    def begin(self) -> None:
        """Forgets the last judge."""
        self._talks += 1
        # The items of each `<random>` that are drawn and not used yet.
        self._unused: list[list[int]] = [[] for _ in self._items]

    def reply(self, line: str) -> str:
        """Answers the last sentences of a line, one after the other, each with the category that
        fits best."""
        answers: list[str] = []
        vague = ""
        for sentence in sentences(expand(line))[-SENTENCES:]:
            words = " ".join(WORD.findall(sentence.text)[:WORDS]).replace("'", "")
            answer = self._respond(words) if words else ""
            if self._get(VAGUE):
                # It fits anything, so use it only if nothing fits better.
                self._set(VAGUE, "")
                vague = answer
            elif answer and answer not in answers:
                answers.append(answer)
        return " ".join(answers) or vague or self.fall_back(f"no category for: {line[:200]}")

    def _respond(self, words: str) -> str:
        now = self.context.now()
        self._set(_DATE, f"{now:%A, %B} {now.day}, {now:%I:%M %p}".replace(" 0", " "))
        for index, (items, unused) in enumerate(zip(self._items, self._unused, strict=True)):
            if not unused:
                unused.extend(self.context.rng.sample(range(items), items))
            self._set(f"{_DRAWN} {index}", str(unused[-1]))
        answer = " ".join(str(self._kernel.respond(words, self._talk)).split())
        for index, unused in enumerate(self._unused):
            if self._get(f"{_USED} {index}"):
                unused.pop()
                self._set(f"{_USED} {index}", "")
        return answer

    # Each talk has its own predicates and history.

    @property
    def _talk(self) -> str:
        return f"talk {self._talks}"

    def _get(self, name: str) -> str:
        return str(self._kernel.getPredicate(name, self._talk))

    def _set(self, name: str, value: str) -> None:
        self._kernel.setPredicate(name, value, self._talk)


def _adapted(file: Path, randoms: list[int]) -> bytes:
    """A copy of an AIML file with some elements replaced; see the module's docstring. The number of
    items of each `<random>` is added to `randoms`."""
    root = ElementTree.parse(file).getroot()
    for element in list(root.iter()):
        element.tag = element.tag.rpartition("}")[2] if _NAMESPACE in element.tag else element.tag
        if element.tag == "random" and (items := element.findall("{*}li")):
            for number, item in enumerate(items):
                item.set("value", str(number))
                used = ElementTree.SubElement(ElementTree.SubElement(item, "think"), "set")
                used.set("name", f"{_USED} {len(randoms)}")
                used.text = "yes"
            element.tag, element.attrib = "condition", {"name": f"{_DRAWN} {len(randoms)}"}
            randoms.append(len(items))
        elif element.tag == "date":
            element.tag, element.attrib = "get", {"name": _DATE}
        elif element.tag in ("system", "learn"):
            element.tag, element.attrib, element.text = "think", {}, None
            del element[:]
    return bytes(ElementTree.tostring(root, "utf-8"))


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
