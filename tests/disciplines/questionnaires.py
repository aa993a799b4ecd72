"""A questionnaire of each discipline that has one, for two raters, with two items each."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import MappingProxyType

from disciplines.events import Answered, Measured
from disciplines.ige.run import opened as ige_opened
from disciplines.ige.run import questionnaire
from disciplines.labyrinth.rating import opened as labyrinth_opened
from disciplines.raters import Questionnaire
from tests.disciplines.labyrinth_games import RECORD

#: The contest's name, and a text to rate: as given, and as pages must show them.
NAME, SHOWN_NAME = "Rated <b>games</b>", "Rated &lt;b&gt;games&lt;/b&gt;"
TEXT = "You may <b>cross</b> &\n[[PageBreak]]"
SHOWN_TEXT = "You may &lt;b&gt;cross&lt;/b&gt; &amp;<br>[[PageBreak]]"
#: Texts that raters must not see: names of systems, and ids of items.
SECRET = ("secret-system", "game-1", "game-2", "other_0")


@contextmanager
def _labyrinth(folder: Path) -> Iterator[Questionnaire]:
    (folder / "contest.toml").write_text(f"""\
discipline = "labyrinth"
[contest]
name = "{NAME}"
raters = ["R1", "R2"]
raters_per_target = 2
[[game]]
file = "game.json"
system = "secret-system"
""")
    (folder / "game.json").write_text(json.dumps(RECORD))
    with labyrinth_opened(folder) as contest:
        yield contest.questionnaire


@contextmanager
def _ige(folder: Path) -> Iterator[Questionnaire]:
    (folder / "contest.toml").write_text(f"""\
discipline = "ige"
[contest]
name = "{NAME}"
[[developer]]
name = "secret-system"
folder = "answers"
[[developer]]
name = "other"
folder = "answers"
[rating]
who = "people"
raters = ["R1", "R2"]
""")
    opening, settings = ige_opened(folder)
    with opening as run:
        if not run.state.answers:
            said = f"<code>x</code><utter>{TEXT}</utter>"
            history = [{"role": "user", "content": "Go"}, {"role": "assistant", "content": said}]
            made = json.dumps({"history": history, "ended": ""})
            run.write(
                Measured("0", "plan", {"script": "", "code": ""}),
                *(Answered(f"{name}_0", made, 1) for name in ("secret-system", "other")),
            )
        yield questionnaire(run, settings)


#: Discipline to the function that opens its questionnaire; the folder may have an earlier run.
QUESTIONNAIRES: MappingProxyType[str, Callable[[Path], AbstractContextManager[Questionnaire]]] = (
    MappingProxyType({"labyrinth": _labyrinth, "ige": _ige})
)
