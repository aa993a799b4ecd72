"""Finds English text on a page for German readers."""

from __future__ import annotations

import html
import re
from functools import cache

from texts import load


def english_in(page: str) -> dict[str, str]:
    """The English texts of two or more words that a page shows outside elements marked as English:
    key in the catalogue to the text found."""
    shown = re.sub(r'<(\w+)[^>]* lang="en"[^>]*>.*?</\1>', " ", page, flags=re.DOTALL)
    shown = re.sub(r"<(script|style).*?</\1>", " ", shown, flags=re.DOTALL)
    shown = " ".join(html.unescape(re.sub(r"<[^>]+>", " ", shown)).split())
    found = {key: pattern.search(shown) for key, pattern in _patterns().items()}
    return {key: match[0] for key, match in found.items() if match is not None}


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    english, german = load("en"), load("de")
    return {
        f"{key}.{form}": re.compile(rf"(?<!\w){_fields_open(text)}(?!\w)")
        for key in english
        for form, text in english.forms(key).items()
        if text not in german.forms(key).values()
        if len(re.findall(r"[a-z]{2,}", re.sub(r"\{\w+\}", "", text))) > 1
    }


def _fields_open(text: str) -> str:
    return re.sub(r"\\\{\w+\\\}", r"\\S.{0,80}?", re.escape(text))
