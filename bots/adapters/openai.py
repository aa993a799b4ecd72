"""A chat endpoint that speaks as OpenAI's does, as an entry with a persona.

`POST {endpoint}/chat/completions` with the model, the persona as system message and the talk so
far; what is said is the text of the first choice. Many servers speak so, local ones too.

The key is read from an environment variable and sent to the endpoint only: never over a plain
connection to another machine, never after a redirect, and it stands in no message of ours.
"""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from bots.adapters import base
from bots.adapters.endpoint import Endpoint, NoAnswer, Trouble, address
from bots.bot import Context

#: The environment variable that holds the key, unless another is named.
KEY_FROM = "OPENAI_API_KEY"

#: Seconds that an answer may take in all, tries and pauses together.
TIMEOUT = 30.0

#: Tries for an answer, and the pause before the second, in seconds; each next pause is twice the
#: one before.
TRIES = 4
PAUSE = 1.0

#: Characters of an answer: judges notice who types three sentences where one would do.
LONGEST = 300

#: What of a talk is sent: so many messages, and so many characters of them; the latest.
MESSAGES = 60
CHARACTERS = 16_000

#: Characters of a persona.
PERSONA = 100_000

# What models that think aloud put before their answer.
_THOUGHT = re.compile(r"<think>.*?(</think>|\Z)", re.DOTALL)
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)")


@dataclass(frozen=True, slots=True)
class Settings:
    """What is asked, and how.

    Attributes:
        url: where requests go, checked.
        model: the model's name there.
        persona: the system message.
        key: sent as a bearer token, or "".
        timeout: seconds that an answer may take in all.
        longest: characters of an answer.
        fallback: what is said when there is no answer; an excuse if "".
    """

    url: str
    model: str
    persona: str
    key: str = field(default="", repr=False)
    timeout: float = TIMEOUT
    longest: int = LONGEST
    fallback: str = ""


class OpenAIBot(base.AdapterBot):
    """A persona, played by a model at an endpoint.

    Arguments:
        context: as for any bot.
        settings: what is asked, and how.
        log: as for `AdapterBot`.
        wait: pauses for seconds and tells whether the bot was closed meanwhile.
        clock: monotonic seconds.
    """

    name = "openai"
    summary = "a chat endpoint that speaks as OpenAI's does, with a persona"

    def __init__(
        self,
        context: Context,
        settings: Settings,
        *,
        log: Callable[[str], None] | None = None,
        wait: Callable[[float], bool] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(context, fallback=settings.fallback, log=log)
        self._settings = settings
        self._endpoint = Endpoint(settings.url, settings.key)
        self._closed = threading.Event()
        self._wait = wait if wait is not None else self._closed.wait
        self._clock = clock
        self._talk: list[tuple[str, str]] = []

    def begin(self) -> None:
        """Forgets the talk."""
        self._talk.clear()

    def overhear(self, line: str) -> None:
        """Lets the model know of the line with the next one."""
        self._add("user", line)

    def reply(self, line: str) -> str:
        """What the model says, or a fallback line."""
        self._add("user", line)
        try:
            answer = self._ask()
        except Trouble as trouble:
            answer = self.fall_back(str(trouble))
        # The fallback line was said, too: the model has to know.
        self._add("assistant", answer)
        return answer

    def close(self) -> None:
        """Ends a pause, if there is one; a request ends by its own time-out."""
        self._closed.set()

    def _add(self, role: str, text: str) -> None:
        # Some models' templates refuse two messages of one role in a row.
        if self._talk and self._talk[-1][0] == role:
            text = f"{self._talk.pop()[1]}\n{text}"
        self._talk.append((role, text[-CHARACTERS:]))
        while len(self._talk) > 1 and (
            len(self._talk) > MESSAGES
            or sum(len(said) for _, said in self._talk) > CHARACTERS
            or self._talk[0][0] != "user"
        ):
            del self._talk[0]

    def _ask(self) -> str:
        settings = self._settings
        document = {
            "model": settings.model,
            "messages": [
                {"role": "system", "content": settings.persona},
                *({"role": role, "content": text} for role, text in self._talk),
            ],
        }
        deadline = self._clock() + settings.timeout
        pause = PAUSE
        for count in range(1, TRIES + 1):
            left = deadline - self._clock()
            try:
                # Half of what is left: one request that hangs leaves time for another.
                text = self._endpoint.ask(document, left / 2 if count < TRIES else left)
                return shortened(_THOUGHT.sub("", text), settings.longest)
            except NoAnswer as trouble:
                due = max(pause, trouble.after)
                if count == TRIES or self._clock() + due >= deadline:
                    raise Trouble(f"{trouble}; given up after {count} of {TRIES} tries") from None
                self.record(f"{trouble}; again in {due:g} seconds")
                if self._wait(due):
                    raise Trouble("closed while waiting to ask again") from None
                pause *= 2
        raise AssertionError("the last try returns or raises")


def shortened(text: str, longest: int) -> str:
    """A text in one line, not longer than that: cut behind a sentence, else behind a word.

    Arguments:
        text: anything.
        longest: characters.
    """
    flat = " ".join(text.split())
    if len(flat) <= longest:
        return flat
    ends = [match.end() for match in _SENTENCE_END.finditer(flat, 0, longest + 1)]
    ends = [end for end in ends if end <= longest]
    if ends:
        return flat[: ends[-1]]
    cut = flat[: longest + 1]
    return (cut.rpartition(" ")[0] or cut[:longest]).rstrip()


def prepare(
    endpoint: str,
    model: str,
    persona: Path,
    key_from: str | None = None,
    longest: int = LONGEST,
    timeout: float = TIMEOUT,
    fallback: str = "",
    environment: Mapping[str, str] = os.environ,
) -> base.MakeBot:
    """What makes an `OpenAIBot`.

    Arguments:
        endpoint: the address to which `/chat/completions` is added.
        model: its name there.
        persona: a file with the system message, in UTF-8.
        key_from: the environment variable that holds the key, "" for no key; if left out,
            `KEY_FROM`, which may be empty for a plain http address.
        longest: characters of an answer.
        timeout: seconds that an answer may take in all.
        fallback: as in `Settings`.
        environment: where the variable stands.

    Raises:
        BadSetting: if one of them can't be used.
    """
    key = _key(key_from, environment)
    if not model.strip():
        raise base.BadSetting("--model is empty")
    if longest < 1:
        raise base.BadSetting(f"--longest {longest}: give a number of characters above 0")
    settings = Settings(
        url=address(endpoint, with_key=key != ""),
        model=model,
        persona=_persona(persona),
        key=key,
        timeout=base.seconds("--timeout", timeout),
        longest=longest,
        fallback=fallback,
    )
    if not key and settings.url.startswith("https:") and key_from is None:
        raise base.BadSetting(
            f"there is no key in {KEY_FROM}; set it, name another variable with --key-from, or "
            "send none: --key-from ''"
        )
    return partial(OpenAIBot, settings=settings)


def _key(key_from: str | None, environment: Mapping[str, str]) -> str:
    variable = KEY_FROM if key_from is None else key_from
    key = environment.get(variable, "").strip() if variable else ""
    if key_from and not key:
        raise base.BadSetting(f"--key-from {key_from}: this environment variable holds no key")
    if any(not "!" <= char <= "~" for char in key):
        raise base.BadSetting(f"the key in {variable} holds characters that no key can hold")
    return key


def _persona(file: Path) -> str:
    try:
        with file.open(encoding="utf-8-sig") as opened:
            text = opened.read(PERSONA + 1)
    except OSError as error:
        raise base.BadSetting(f"--persona {file}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise base.BadSetting(f"--persona {file}: is no text in UTF-8") from None
    if not text.strip() or len(text) > PERSONA:
        raise base.BadSetting(
            f"--persona {file}: give a text that is not empty, of at most {PERSONA:,} characters"
        )
    return text.strip()
