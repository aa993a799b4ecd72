"""The text that judges and confederates agree to."""

from __future__ import annotations

from importlib import resources

from contest.setup.settings import PublicationTable

_FILE = resources.files("contest.setup") / "agreement.txt"
_TEXT = _FILE.read_text(encoding="utf-8").rstrip("\n")

_SILENCE = {
    "publish": "If you give no answer, what you type is published under your name.",
    "withhold": "If you give no answer, your name and what you type are withheld.",
}


def text_of(publication: PublicationTable) -> str:
    """The text that people are asked to agree to: the organizer's or, by default, ours, which
    explains what this program does."""
    return publication.text.strip() or _TEXT.format(silence=_SILENCE[publication.default])
