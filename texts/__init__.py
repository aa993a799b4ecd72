"""All that seats and the audience's page say to people, for translation. Part of loebner.

    texts = load("system", ["de-AT"])
    texts("verdict.left")
    texts("clock.minutes", n=5)

A language is one TOML file beside this one. Its sections are the screens; a text that depends on
a number is a small table with the forms of the language, as Babel knows them: `one` and `other`.
There is no Qt in here.
"""

from __future__ import annotations

import tomllib
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Final

from babel import Locale

#: The languages that there is a file for. The first one is what is left where none fits.
LANGUAGES: Final = ("en", "de")

_FIRST_STRONG_ISOLATE, _POP_ISOLATE = "\u2068", "\u2069"
_RIGHT_TO_LEFT = frozenset({"R", "AL", "AN", "RLE", "RLO", "RLI"})


class Texts:
    """The texts of one language.

    Arguments:
        language: "en" or "de".
        entries: key to the text's forms; a text that depends on no number has only "other".
    """

    def __init__(self, language: str, entries: Mapping[str, Mapping[str, str]]) -> None:
        self.language = language
        self._locale = Locale(language)
        self._entries = dict(entries)

    def __call__(self, key: str, /, **fields: object) -> str:
        """A text with its fields filled in.

        Arguments:
            key: section and name, with dots between: "verdict.left". A KeyError if there is none.
            fields: what stands for {…} in the text, by name; the whole number `n` chooses the form.
                What a person or a program wrote stays text, braces and all, and keeps its direction
                to itself. A KeyError if one is missing.
        """
        return _filled(self._form(key, fields), fields)

    def plain(self, key: str, /, **fields: object) -> str:
        """The same for a page, without the marks of letters; see `without_mnemonics`."""
        return _filled(without_mnemonics(self._form(key, fields)), fields)

    def _form(self, key: str, fields: Mapping[str, object]) -> str:
        forms, n = self._entries[key], fields.get("n")
        form = self._locale.plural_form(n) if isinstance(n, int) else "other"
        return forms.get(form, forms["other"])

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __contains__(self, key: object) -> bool:
        return key in self._entries

    def forms(self, key: str) -> Mapping[str, str]:
        """A text as the file has it, by its forms."""
        return self._entries[key]


def load(language: str = "system", preferred: Sequence[str] = ()) -> Texts:
    """The texts of a language.

    Arguments:
        language: one of `LANGUAGES`, or "system" for the person's own.
        preferred: with "system", the person's languages in their order, as "de-AT" or
            "de_AT.UTF-8".

    Returns:
        The texts; English where the person's languages have no file.
    """
    known = [name.replace("_", "-").partition("-")[0].lower() for name in preferred]
    wanted = known if language == "system" else [language]
    return _read(next((name for name in wanted if name in LANGUAGES), LANGUAGES[0]))


@cache
def _read(language: str) -> Texts:
    source = files(__name__).joinpath(f"{language}.toml").read_text("utf-8")
    return Texts(language, dict(_flat(tomllib.loads(source), "")))


def _flat(table: Mapping[str, object], prefix: str) -> Iterator[tuple[str, Mapping[str, str]]]:
    for name, value in table.items():
        if isinstance(value, str):
            yield f"{prefix}{name}", {"other": value}
        elif isinstance(value, dict) and "other" in value:
            yield f"{prefix}{name}", value
        elif isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")


def without_mnemonics(text: str) -> str:
    """A text of a menu or button without the marks of its letter: `&Save && leave` is `Save &
    leave`."""
    return text.replace("&&", "\0").replace("&", "").replace("\0", "&")


def _filled(text: str, fields: Mapping[str, object]) -> str:
    return text.format_map({name: _isolated(str(field)) for name, field in fields.items()})


def _isolated(value: str) -> str:
    """A value that can't turn the direction of the text around it."""
    if any(unicodedata.bidirectional(char) in _RIGHT_TO_LEFT for char in value):
        return f"{_FIRST_STRONG_ISOLATE}{value}{_POP_ISOLATE}"
    return value
