"""The settings of a contest: its contest.toml, combined with the rules of its edition."""

from __future__ import annotations

import dataclasses
from string import ascii_uppercase
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from contest.setup.filenames import safe_name
from disciplines.chatgpt4pcg.editions import EDITIONS, Edition
from disciplines.providers import ProviderTable
from disciplines.run import SettingsTable
from disciplines.standing import Status


class ContestTable(SettingsTable, frozen=True):
    """`[contest]`: its name, edition, and folder of prompts; its letters and the number of trials
    for each, by default the edition's."""

    name: str
    edition: Literal["2023", "2024", "2025"]
    prompts: str = "prompts"
    letters: str = ""
    trials: Annotated[int, Meta(ge=0, le=1000)] = 0

    def __post_init__(self) -> None:
        if set(self.letters) - set(ascii_uppercase) or len(set(self.letters)) < len(self.letters):
            raise ValueError("letters must be capital letters, each once, such as AEIOU")


class EntryTable(SettingsTable, frozen=True):
    """`[[entry]]`: the status of a prompt that isn't an ordinary entry."""

    name: str
    status: Status
    reason: str = ""


class AnswersTable(ProviderTable, frozen=True):
    """`[[answers]]`: a language model, or a substitute for one."""

    name: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.name and safe_name(self.name) != self.name:
            raise ValueError("the name can't be used as a folder's name; choose another")

    def with_defaults(self, edition: Edition) -> AnswersTable:
        """These settings, with the edition's options and master seed as defaults."""
        master = edition.master_seed if self.master_seed is None else self.master_seed
        options = {**edition.options, **self.options}
        return msgspec.structs.replace(self, options=options, master_seed=master)


class MeasureTable(SettingsTable, frozen=True):
    """`[measure]`: the physics engine (by default the first one that is installed), the classifier,
    stored values to use instead, and a model's directory."""

    physics: Literal["", "box2d", "pymunk", "stored"] = ""
    similarity: Literal["built-in", "model", "stored"] = "built-in"
    stored: str = ""
    model: str = ""

    def __post_init__(self) -> None:
        for way in ("stored", "model"):
            if (way in (self.physics, self.similarity)) != bool(getattr(self, way)):
                raise ValueError(
                    f'set {way} if physics or similarity is "{way}"; otherwise leave it out'
                )


class Settings(SettingsTable, frozen=True):
    """A whole contest.toml of this discipline."""

    contest: ContestTable
    answers: list[AnswersTable]
    measure: MeasureTable = MeasureTable()
    entry: list[EntryTable] = msgspec.field(default_factory=list)

    def __post_init__(self) -> None:
        names = [each.name for each in self.answers]
        if not names or len(set(names)) < len(names) or ("" in names and len(names) > 1):
            raise ValueError("give [[answers]] once, or several times with different names")
        entries = [each.name for each in self.entry]
        if len(set(entries)) < len(entries):
            raise ValueError("give [[entry]] once for each name")

    @property
    def edition(self) -> Edition:
        """The edition's rules, with this contest's letters, trials and models."""
        rules, own = EDITIONS[self.contest.edition], self.contest
        return dataclasses.replace(
            rules,
            letters=own.letters or rules.letters,
            trials=own.trials or rules.trials,
            models=tuple(each.name for each in self.answers),
        )
