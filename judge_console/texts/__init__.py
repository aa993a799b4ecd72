"""All that the console's windows say, in one place for translation.

    texts = load("system")
    texts("verdict.left")
    texts("clock.minutes", n=5)

A language is one TOML file beside this one. Its sections are the screens; a text that depends on
a number is a small table with the forms `one` and `other`. There is no Qt in here.
"""

from judge_console.texts.catalogue import (
    LANGUAGES,
    Texts,
    TextsError,
    load,
    spoken_here,
)

__all__ = ["LANGUAGES", "Texts", "TextsError", "load", "spoken_here"]
