"""Questions recognised by patterns: a pattern beside the function that answers what it matches."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Generic, TypeAlias, TypeVar

T = TypeVar("T")

Match: TypeAlias = "re.Match[str]"
Handler: TypeAlias = Callable[[Match, T], "str | None"]


class Rules(Generic[T]):
    """Patterns with their handlers, tried in the order in which they were written.

    A handler gets the match and whatever `answer` was given beside the text, and may decline by
    returning None: then the patterns after it are tried.
    """

    def __init__(self) -> None:
        self._rules: list[tuple[re.Pattern[str], Handler[T]]] = []

    def on(self, *patterns: str) -> Callable[[Handler[T]], Handler[T]]:
        """Decorates a handler with the patterns that it answers, each searched for anywhere.

        Arguments:
            patterns: regular expressions for lower case text.
        """

        def register(handler: Handler[T]) -> Handler[T]:
            for pattern in patterns:
                self._rules.append((re.compile(pattern), handler))
            return handler

        return register

    def answer(self, text: str, given: T) -> str | None:
        """The first answer that a handler gives, or None.

        Arguments:
            text: lower case, single spaces.
            given: what the handlers need beside it.
        """
        for pattern, handler in self._rules:
            match = pattern.search(text)
            if match is not None:
                answer = handler(match, given)
                if answer is not None:
                    return answer
        return None


def question_text(question: str) -> str:
    """A question as patterns want it: lower case, words and a few marks, single spaces."""
    text = re.sub(r"[^\w:,'\- ]+", " ", question.lower())
    return " ".join(text.replace(" ,", ",").split())
