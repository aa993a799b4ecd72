"""English in a page for a German reader."""

from __future__ import annotations

import html
import re

#: English words that aren't German ones. Nearly every English sentence has one of them.
WORDS = (
    *("the", "and", "is", "are", "were", "has", "have", "had", "been", "not", "of", "to", "with"),
    *("for", "from", "it", "its", "this", "that", "these", "there", "by", "at", "on", "or", "if"),
    *("when", "which", "who", "whose", "any", "more", "than", "then", "can", "could", "must"),
    *("nobody", "yet", "only", "already", "before", "after", "again", "because", "but"),
    *("as", "your", "you", "they", "their", "may"),
)
_ENGLISH = re.compile(rf"(?<![\w-])(?:{'|'.join(WORDS)})(?![\w-])", re.IGNORECASE)
#: Quoted commands, settings and sentences, and elements that say that they are in English.
_QUOTED = re.compile(r"`[^`]*`|„[^“]*“|“[^”]*”|\[\w+\] \w+")
_IN_ENGLISH = re.compile(r'<(\w+)[^>]* lang="en"[^>]*>.*?</\1>', re.DOTALL)
_SCRIPTS = re.compile(r"<(script|style|head|svg|textarea).*?</\1>", re.DOTALL)
_SAID = re.compile(r"(?:aria-label|title|placeholder|alt|data-says)=\"([^\"]*)\"")


def english_in(page: str) -> list[str]:
    """The texts and labels of a page, or a text, that are English outside of quotes and of elements
    that are marked as English."""
    return [text for text in _texts(page) if _ENGLISH.search(text)]


def _texts(page: str) -> list[str]:
    body = re.sub("<html[^>]*>", "", page)  # its language is that of the whole page
    shown = _IN_ENGLISH.sub(" ", _SCRIPTS.sub(" ", body))
    texts = [*re.split(r"<[^>]+>", shown), *_SAID.findall(shown)]
    return [" ".join(_QUOTED.sub(" ", html.unescape(text)).split()) for text in texts]
