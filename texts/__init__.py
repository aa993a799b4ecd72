"""The texts of the console, of seats in the browser, of the audience's page and of the organizer's
board, in all languages. Part of loebner.

    texts = load("system", ["de-AT"])
    texts("verdict.left")
    texts("clock.minutes", n=5)

Each language has a TOML file in this folder, with a section for each screen. A text that depends on
a number is a table with the plural forms of the language, by their names in Babel: `one` and
`other`. A language's section `scheduler` has the templates of the package `scheduler`, which knows
English only. This package doesn't need Qt.
"""

from __future__ import annotations

import tomllib
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Final

#: The languages with a file. The first one is used if no other fits.
LANGUAGES: Final = ("en", "de")

_FIRST_STRONG_ISOLATE, _POP_ISOLATE = "\u2068", "\u2069"
_RIGHT_TO_LEFT = frozenset({"R", "AL", "AN", "RLE", "RLO", "RLI"})


class Texts:
    """The texts of one language.

    Arguments:
        language: "en" or "de".
        entries: key to the text's forms; a text that doesn't depend on a number has only "other".
        templates: English template to the template in this language; see `said`.
    """

    def __init__(
        self,
        language: str,
        entries: Mapping[str, Mapping[str, str]],
        templates: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        # Imported late, because `Sentence` is also used where Babel is not installed.
        from babel import Locale

        self.language = language
        self.templates = templates
        self._locale = Locale(language)
        self._entries = dict(entries)

    def __call__(self, key: str, /, **fields: object) -> str:
        """A text with its fields filled in.

        Arguments:
            key: section and name, joined by dots, such as "verdict.left".
            fields: the values for {…} in the text, by name; the whole number `n` chooses the form.
                Values are inserted unchanged, even with braces, and their writing direction doesn't
                affect the text around them. A sentence is inserted in this language.

        Raises:
            KeyError: if there is no such text, or a field is missing.
        """
        return _filled(self._form(key, fields), self._said(fields))

    def plain(self, key: str, /, **fields: object) -> str:
        """The same for a page, without the & before letters; see `without_mnemonics`."""
        return _filled(without_mnemonics(self._form(key, fields)), self._said(fields))

    def bare(self, key: str, /, **fields: object) -> str:
        """Like `plain`, but without direction marks around the values: for files, and for pages
        that show control characters."""
        return without_mnemonics(self._form(key, fields)).format_map(self._said(fields))

    def _said(self, fields: Mapping[str, object]) -> dict[str, str]:
        return {name: said(value, self) for name, value in fields.items()}

    def _form(self, key: str, fields: Mapping[str, object]) -> str:
        forms, n = self._entries[key], fields.get("n")
        form = self._locale.plural_form(n) if isinstance(n, int) else "other"
        return forms.get(form, forms["other"])

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __contains__(self, key: object) -> bool:
        return key in self._entries

    def forms(self, key: str) -> Mapping[str, str]:
        """The forms of a text, unchanged from the file."""
        return self._entries[key]


class Sentence(str):
    """A text of the English catalogue, such as a refusal, that can be said in other languages.

    Arguments:
        key, fields: as for `Texts`; a field can be a sentence, too.
    """

    def __new__(cls, key: str, /, **fields: object) -> Sentence:
        made = super().__new__(cls, load("en").bare(key, **fields))
        made._key, made._fields = key, fields
        return made

    _key: str
    _fields: Mapping[str, object]

    def __getnewargs_ex__(self) -> tuple[tuple[str], Mapping[str, object]]:
        return (self._key,), self._fields

    def said(self, texts: Texts, **others: object) -> str:
        """The sentence in a language; `others` replace fields."""
        return texts.bare(self._key, **{**self._fields, **others})


def said(value: object, texts: Texts, **others: object) -> str:
    """Any value as text in a language.

    Arguments:
        value: a `Sentence`, or a text with an English `template` and its `fields`, as the package
            `scheduler` makes them; an exception with one; or any other value, which is the same in
            all languages.
        texts: the texts of the language.
        others: replace fields of a sentence.
    """
    if isinstance(value, Exception):
        value = value.args[0] if value.args else ""
    if isinstance(value, Sentence):
        return value.said(texts, **others)
    # Not `isinstance` with a protocol, which is slow: windows and pages say texts all the time.
    template: str | None = getattr(value, "template", None)
    if template is not None:
        given: Mapping[str, object] = getattr(value, "fields", {})
        fields = {name: said(field, texts) for name, field in given.items()}
        return texts.templates.get(template, template).format_map(fields)
    return str(value)


def in_english(value: object) -> str:
    """Converts a text that can be said in other languages to an ordinary one, for records and
    documents: the `enc_hook` of msgspec, which refuses subclasses of `str`."""
    if isinstance(value, str):
        return str(value)
    raise NotImplementedError


def load(language: str = "system", preferred: Sequence[str] = ()) -> Texts:
    """The texts of a language.

    Arguments:
        language: one of `LANGUAGES`, or "system" for the person's own.
        preferred: with "system", the person's languages in order of preference, such as "de-AT" or
            "de_AT.UTF-8".

    Returns:
        The texts; English if none of the person's languages has a file.
    """
    known = [name.replace("_", "-").partition("-")[0].lower() for name in preferred]
    wanted = known if language == "system" else [language]
    return _read(next((name for name in wanted if name in LANGUAGES), LANGUAGES[0]))


@cache
def _read(language: str) -> Texts:
    source = files(__name__).joinpath(f"{language}.toml").read_text("utf-8")
    table = tomllib.loads(source)
    templates = table.pop("scheduler", {})
    return Texts(language, dict(_flat(table, "")), templates)


def _flat(table: Mapping[str, object], prefix: str) -> Iterator[tuple[str, Mapping[str, str]]]:
    for name, value in table.items():
        if isinstance(value, str):
            yield f"{prefix}{name}", {"other": value}
        elif isinstance(value, dict) and "other" in value:
            yield f"{prefix}{name}", value
        elif isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")


def without_mnemonics(text: str) -> str:
    """The text of a menu or button without the & before its letter: `&Save && leave` becomes `Save
    & leave`."""
    return text.replace("&&", "\0").replace("&", "").replace("\0", "&")


def _filled(text: str, fields: Mapping[str, object]) -> str:
    return text.format_map({name: _isolated(str(field)) for name, field in fields.items()})


def _isolated(value: str) -> str:
    """A value whose writing direction doesn't affect the text around it."""
    if any(unicodedata.bidirectional(char) in _RIGHT_TO_LEFT for char in value):
        return f"{_FIRST_STRONG_ISOLATE}{value}{_POP_ISOLATE}"
    return value
