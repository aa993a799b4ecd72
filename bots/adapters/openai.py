"""A chat endpoint that speaks as OpenAI's does, as an entry with a persona.

`POST {endpoint}/chat/completions` with the model, the persona as system message and the talk so
far; what is said is the text of the first choice. Many servers speak so, local ones too.

The key is read from an environment variable and sent to the endpoint only: never over a plain
connection to another machine, never after a redirect. No message of ours holds it, nor what a
library says of a request, which may show its headers.
"""

from __future__ import annotations

import ipaddress
import json
import os
import re
import ssl
import threading
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import httpx

from bots.adapters import base
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

#: Characters of a persona; bytes of a response; characters of a server's own words in a message.
PERSONA = 100_000
ANSWER = 1_000_000
SHOWN = 200

# Time-out, too early, too many requests: what may be better next time, as are the server's errors.
_AGAIN = (408, 425, 429)
# What models that think aloud put before their answer.
_THOUGHT = re.compile(r"<think>.*?(</think>|\Z)", re.DOTALL)
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)")


class Trouble(Exception):
    """There is no answer, and asking again would change nothing. The text says why, in a line."""


class NoAnswer(Trouble):
    """There is no answer this time; asking again may help.

    Attributes:
        after: seconds that the server asked to wait for at least.
    """

    def __init__(self, text: str, after: float = 0.0) -> None:
        super().__init__(text)
        self.after = after


class Endpoint:
    """A chat endpoint.

    Arguments:
        url: where requests go, as `address` gives it.
        key: sent as a bearer token, or "".
    """

    def __init__(self, url: str, key: str = "") -> None:
        self._url = httpx.URL(url)
        self._key = key
        # The certificates that are trusted take a while to load. A plain connection trusts none.
        self._trusted = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        if self._url.scheme == "https":
            self._trusted = httpx.create_ssl_context()

    def ask(self, document: Mapping[str, Any], seconds: float) -> str:
        """The text that `complete` gives."""
        return self.complete(document, seconds)[0]

    def complete(self, document: Mapping[str, Any], seconds: float) -> tuple[str, int | None]:
        """Asks once.

        Arguments:
            document: the request.
            seconds: how long it may take, all in all.

        Returns:
            The text of the first choice, "" if it is empty; and the tokens of the request and the
            answer together, None if the server does not say.

        Raises:
            NoAnswer: if asking again may help.
            Trouble: if it won't.
        """
        host = self._url.host
        given_up = threading.Event()
        try:
            return base.within(seconds, lambda: self._post(document, seconds, given_up))
        except (TimeoutError, httpx.TimeoutException):
            raise NoAnswer(f"{host} did not answer within {seconds:.3g} seconds") from None
        except httpx.TransportError as error:
            raise NoAnswer(f"no connection to {host}: {type(error).__name__}") from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise Trouble(f"{host} can't be asked: {type(error).__name__}") from None
        finally:
            given_up.set()

    def _post(
        self, document: Mapping[str, Any], seconds: float, given_up: threading.Event
    ) -> tuple[str, int | None]:
        headers = {"Accept-Encoding": "identity"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        with (
            # The surroundings' proxies are no way to this machine itself.
            httpx.Client(
                timeout=seconds, trust_env=not _is_here(self._url.host), verify=self._trusted
            ) as client,
            client.stream("POST", self._url, json=document, headers=headers) as response,
        ):
            data = b""
            for chunk in response.iter_raw():
                data += chunk
                if given_up.is_set():
                    break
                if len(data) > ANSWER:
                    raise Trouble(f"{self._url.host} sent more than {ANSWER:,} bytes")
            return self._completion(response, data)

    def _completion(self, response: httpx.Response, data: bytes) -> tuple[str, int | None]:
        code, host = response.status_code, self._url.host
        if response.is_redirect:
            raise Trouble(f"{host} redirects (HTTP {code}); give the right address as --endpoint")
        if code in (401, 403):
            # Servers repeat parts of a wrong key in their words.
            raise Trouble(f"{host} refused the key (HTTP {code}); see --key-from")
        if code in _AGAIN or code >= 500:
            # Seconds, or a date, which counts as none (RFC 9110, 10.2.3).
            after = response.headers.get("retry-after", "").strip()
            seconds = float(after[:9]) if after.isascii() and after.isdigit() else 0.0
            raise NoAnswer(f"{host} is not ready (HTTP {code})", seconds)
        try:
            answer = json.loads(data)
        except (ValueError, RecursionError):
            answer = None
        if code != 200:
            error = answer.get("error") if isinstance(answer, dict) else None
            words = str(error.get("message", "")) if isinstance(error, dict) else str(error or "")
            words = words.replace(self._key, "***") if self._key else words
            words = "".join(char for char in words if char.isprintable())[:SHOWN]
            raise Trouble(f"{host} refused (HTTP {code}){': ' if words else ''}{words}")
        try:
            content = answer["choices"][0]["message"]["content"]
            if isinstance(content, list):
                content = "".join(
                    part["text"] for part in content if isinstance(part, dict) and "text" in part
                )
            # JSON can hold halves of characters, which nothing could send on.
            text = str.encode(content, "utf-8", "replace").decode("utf-8")
        except (TypeError, LookupError):
            raise Trouble(f"{host} sent no answer in the form of chat completions") from None
        usage = answer.get("usage")
        tokens = usage.get("total_tokens") if isinstance(usage, dict) else None
        return text, tokens if type(tokens) is int and 0 <= tokens < 2**53 else None


def address(endpoint: str, with_key: bool) -> str:
    """Where requests go.

    Arguments:
        endpoint: an http or https address; a plain one only without a key or on this machine.
        with_key: whether a key is sent.

    Returns:
        The address with `/chat/completions` behind it.

    Raises:
        BadSetting: if it is not one that can be used.
    """
    try:
        url = httpx.URL(endpoint.strip())
    except (httpx.InvalidURL, ValueError):
        raise base.BadSetting(
            "--endpoint is not an address; give one such as https://HOST/v1"
        ) from None
    if url.scheme not in ("http", "https") or not url.host:
        raise base.BadSetting("--endpoint is not an http or https address such as https://HOST/v1")
    if url.userinfo or url.query or url.fragment:
        raise base.BadSetting("--endpoint has more than an address; give a key with --key-from")
    if with_key and url.scheme == "http" and not _is_here(url.host):
        raise base.BadSetting(
            "--endpoint is a plain http address of another machine, over which the key could be "
            "read; use https, or send no key: --key-from ''"
        )
    return str(url).rstrip("/").removesuffix("/chat/completions") + "/chat/completions"


def _is_here(host: str) -> bool:
    """Whether a host is this machine."""
    try:
        return host.lower() == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class OpenAIBot(base.AdapterBot):
    """A persona, played by a model at an endpoint.

    Arguments:
        context, fallback, log: as for `AdapterBot`.
        endpoint: who is asked.
        model: the model's name there.
        persona: the system message.
        timeout: seconds that an answer may take in all.
        longest: characters of an answer.
        wait: pauses for seconds and tells whether the bot was closed meanwhile.
        clock: monotonic seconds.
    """

    name = "openai"

    def __init__(
        self,
        context: Context,
        endpoint: Endpoint,
        model: str,
        persona: str,
        *,
        timeout: float = TIMEOUT,
        longest: int = LONGEST,
        fallback: str = "",
        log: Callable[[str], None] | None = None,
        wait: Callable[[float], bool] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(context, fallback=fallback, log=log)
        self._endpoint, self._model, self._persona = endpoint, model, persona
        self._timeout, self._longest = timeout, longest
        self._closed = threading.Event()
        self._wait = wait if wait is not None else self._closed.wait
        self._clock = clock
        self._talk: list[tuple[str, str]] = []

    def begin(self) -> None:
        """Forgets the talk."""
        self._talk.clear()

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
        talk = [("system", self._persona), *self._talk]
        messages = [{"role": role, "content": text} for role, text in talk]
        document = {"model": self._model, "messages": messages}
        deadline = self._clock() + self._timeout
        pause = PAUSE
        for count in range(1, TRIES + 1):
            left = deadline - self._clock()
            try:
                # Half of what is left: one request that hangs leaves time for another.
                text = self._endpoint.ask(document, left / 2 if count < TRIES else left)
                return shortened(_THOUGHT.sub("", text), self._longest)
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
    """A text in one line, of at most this many characters: cut behind a sentence, else a word."""
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
        persona: a file with the system message, in UTF-8.
        key_from: the environment variable that holds the key, "" for no key; if left out,
            `KEY_FROM`, which may be empty for a plain http address.
        model, longest, timeout, fallback: as for `OpenAIBot`.
        environment: where the variable stands.

    Raises:
        BadSetting: if one of them can't be used.
    """
    variable = KEY_FROM if key_from is None else key_from
    key = environment.get(variable, "").strip() if variable else ""
    if key_from and not key:
        raise base.BadSetting(f"--key-from {key_from}: this environment variable has no key")
    if any(not "!" <= char <= "~" for char in key):
        raise base.BadSetting(f"the key in {variable} has characters that no key can have")
    if not model.strip():
        raise base.BadSetting("--model is empty")
    if longest < 1:
        raise base.BadSetting(f"--longest {longest}: give a number of characters above 0")
    url = address(endpoint, with_key=key != "")
    text, seconds = _persona(persona), base.seconds("--timeout", timeout)
    if not key and url.startswith("https:") and key_from is None:
        raise base.BadSetting(
            f"there is no key in {KEY_FROM}; set it, name another variable with --key-from, or "
            "send none: --key-from ''"
        )
    return partial(
        OpenAIBot,
        endpoint=Endpoint(url, key),
        model=model,
        persona=text,
        timeout=seconds,
        longest=longest,
        fallback=fallback,
    )


def _persona(file: Path) -> str:
    try:
        with file.open(encoding="utf-8-sig") as opened:
            text = opened.read(PERSONA + 1)
    except OSError as error:
        raise base.BadSetting(f"--persona {file}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise base.BadSetting(f"--persona {file}: is not a text in UTF-8") from None
    if not text.strip() or len(text) > PERSONA:
        raise base.BadSetting(
            f"--persona {file}: give a text that is not empty, of at most {PERSONA:,} characters"
        )
    return text.strip()
