"""All that the console's windows say, in one place for translation.

    texts = load("system", ["de-AT"])
    texts("verdict.left")
    texts("clock.minutes", n=5)

A language is one TOML file beside this one. Its sections are the screens; a text that depends on
a number is a small table with the forms `one` and `other`. There is no Qt in here.
"""

from __future__ import annotations

import string
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Final

#: The languages that there is a file for. The first one is what is left where none fits.
LANGUAGES: Final = ("en", "de")

#: The forms of a text that depends on a number. English and German have these two.
FORMS: Final = frozenset({"one", "other"})
#: The field that chooses the form.
NUMBER: Final = "n"

_FIRST_STRONG_ISOLATE, _POP_ISOLATE = "\u2068", "\u2069"
_RIGHT_TO_LEFT = frozenset({"R", "AL", "AN", "RLE", "RLO", "RLI"})

_Entry = str | Mapping[str, str]


class TextsError(Exception):
    """A text that is not there, or that is given the wrong fields: a mistake of the program's."""


class Texts:
    """The texts of one language.

    Arguments:
        language: "en" or "de".
        entries: key to text, or to the texts of its forms.

    Attributes:
        language: as given.
        fields: key to the names of the fields that a text takes; `n` is among them if it has
            forms.

    Raises:
        TextsError: if a field in a text is no plain name.
    """

    def __init__(self, language: str, entries: Mapping[str, _Entry]) -> None:
        self.language = language
        self._entries = dict(entries)
        self.fields = {key: _fields_of_entry(entry) for key, entry in entries.items()}

    def __call__(self, key: str, /, **fields: object) -> str:
        """A text with its fields filled in.

        Arguments:
            key: section and name, with dots between: "verdict.left".
            fields: what stands for {…} in the text, by name. What a person or a program wrote
                stays text, braces and all, and keeps its direction to itself.

        Returns:
            The text.

        Raises:
            TextsError: if there is no such key, or the fields are not the text's own.
        """
        try:
            entry = self._entries[key]
        except KeyError:
            raise TextsError(f"there is no text {key!r} in {self.language}.toml") from None
        if fields.keys() != self.fields[key]:
            raise TextsError(
                f"the text {key!r} takes the fields {sorted(self.fields[key])},"
                f" and is given {sorted(fields)}"
            )
        if not isinstance(entry, str):
            entry = entry["one" if fields[NUMBER] == 1 else "other"]
        return entry.format_map({name: _isolated(str(value)) for name, value in fields.items()})

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def forms(self, key: str) -> Mapping[str, str]:
        """A text as the file has it, by its forms; one without forms is under "other"."""
        entry = self._entries[key]
        return {"other": entry} if isinstance(entry, str) else dict(entry)


def load(language: str = "system", preferred: Sequence[str] = ()) -> Texts:
    """The texts of a language.

    Arguments:
        language: one of `LANGUAGES`, or "system" for the person's own.
        preferred: with "system", the person's languages in their order, as "de-AT" or
            "de_AT.UTF-8".

    Returns:
        The texts; English where the person's languages have no file.

    Raises:
        TextsError: if the language is none of these.
    """
    if language == "system":
        known = (name.replace("_", "-").partition("-")[0].lower() for name in preferred)
        return _read(next((name for name in known if name in LANGUAGES), LANGUAGES[0]))
    if language not in LANGUAGES:
        raise TextsError(f"there are no texts in {language!r}: {', '.join(LANGUAGES)} or system")
    return _read(language)


def fields_of(text: str) -> frozenset[str]:
    """The names of the {fields} in a text.

    Raises:
        TextsError: if a field is no plain name.
    """
    names = set()
    try:
        for _, name, spec, conversion in string.Formatter().parse(text):
            if name is None:
                continue
            if not name.isidentifier() or spec or conversion:
                raise TextsError(f"{{{name}}} in {text!r} is no plain field")
            names.add(name)
    except ValueError as exc:
        raise TextsError(f"{text!r}: {exc}") from None
    return frozenset(names)


def _fields_of_entry(entry: _Entry) -> frozenset[str]:
    if isinstance(entry, str):
        return fields_of(entry)
    return frozenset({NUMBER}).union(*map(fields_of, entry.values()))


@cache
def _read(language: str) -> Texts:
    source = files(__name__).joinpath(f"{language}.toml").read_text("utf-8")
    return Texts(language, dict(_flat(tomllib.loads(source), "")))


def _flat(table: Mapping[str, object], prefix: str) -> Iterator[tuple[str, _Entry]]:
    for name, value in table.items():
        key = f"{prefix}{name}"
        if isinstance(value, str):
            yield key, value
        elif not isinstance(value, dict):
            raise TextsError(f"{key} is {value!r}, and no text")
        elif value.keys() <= FORMS:
            if value.keys() != FORMS or not all(isinstance(form, str) for form in value.values()):
                raise TextsError(f"{key} needs a text for each of {', '.join(sorted(FORMS))}")
            yield key, value
        else:
            yield from _flat(value, f"{key}.")


def _isolated(value: str) -> str:
    """A value that can't turn the direction of the text around it."""
    if any(unicodedata.bidirectional(char) in _RIGHT_TO_LEFT for char in value):
        return f"{_FIRST_STRONG_ISOLATE}{value}{_POP_ISOLATE}"
    return value
