"""A folder of AIML 1.0 files as an entry, on the kernel of the bundled AIML bot.

What that kernel leaves out holds here, too: no system commands, no files learnt in a talk, the
last sentences of a line only (`bots.aiml_bot.bot`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from bots.adapters import base
from bots.aiml_bot.bot import Kernel
from bots.bot import Context

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
