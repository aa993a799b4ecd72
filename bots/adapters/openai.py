"""Runs an OpenAI-compatible chat endpoint as an entry, with a persona.

It sends `POST {endpoint}/chat/completions` with the model, the persona as system message and the
talk so far; the answer is the text of the first choice. Many servers support this, including local
ones.

The key is read from an environment variable and sent only to the endpoint: never over a plain
connection to another machine, and never after a redirect. No message contains it; messages also
omit a library's description of a request, which may show its headers.
"""

from __future__ import annotations

import ipaddress
import json
import os
import re
import ssl
import threading
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import httpx

from bots.adapters import base
from bots.bot import Context
from bots.typable import typable

#: The environment variable that holds the key, unless another is named.
KEY_FROM = "OPENAI_API_KEY"

#: Seconds that an answer may take in total, including all tries and pauses.
TIMEOUT = 30.0

#: Tries for an answer, and the pause before the second, in seconds; the pause doubles each time.
TRIES = 4
PAUSE = 1.0

#: The most characters of an answer: judges notice three sentences if one would be enough.
LONGEST = 300

#: How much of a talk is sent: the latest messages, limited in number and in characters.
MESSAGES = 60
CHARACTERS = 16_000

#: The most characters of a persona, bytes of a response (a million characters, all of them escaped,
#: and what is around them), and characters quoted from a server.
PERSONA_LIMIT = 100_000
ANSWER_LIMIT = 13_000_000
QUOTED = 200

# Timeout, too early, too many requests: a retry may succeed, as with server errors (5xx).
_RETRYABLE = (408, 425, 429)
# The thoughts that some models write before their answer, or only end: their template begins them.
_THOUGHT = re.compile(r"<think>.*?(</think>|\Z)", re.DOTALL)
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)")


class RequestFailed(Exception):
    """The request failed, and a retry won't help. The message says why in one line."""


class TemporaryFailure(RequestFailed):
    """The request failed, but a retry may help.

    Attributes:
        after: the minimum number of seconds to wait, as requested by the server.
    """

    def __init__(self, text: str, after: float = 0.0) -> None:
        super().__init__(text)
        self.after = after


class Unreachable(TemporaryFailure):
    """There is no connection to the endpoint."""


class Completed(NamedTuple):
    """An endpoint's answer.

    Attributes:
        text: the text of the first choice, "" if it is empty.
        tokens: those of the request and the answer together, None if the server does not say.
        calls: the calls of tools that came with the text, or instead of it, as the server sent
            them.
    """

    text: str
    tokens: int | None = None
    calls: tuple[Any, ...] = ()


class Endpoint:
    """A chat endpoint.

    Arguments:
        url: the address for requests, as `address` returns it.
        key: sent as a bearer token; "" for none.
    """

    def __init__(self, url: str, key: str = "") -> None:
        self._url = httpx.URL(url)
        self._key = key
        # Loading the trusted certificates takes a while; a plain connection needs none.
        self._trusted = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        if self._url.scheme == "https":
            self._trusted = httpx.create_ssl_context()

    def complete(self, document: Mapping[str, Any], seconds: float) -> Completed:
        """Sends one request.

        Arguments:
            document: the request.
            seconds: how long it may take in total.

        Raises:
            TemporaryFailure: if a retry may help.
            RequestFailed: if it won't.
        """
        host = self._url.host
        given_up = threading.Event()
        try:
            return base.run_with_timeout(seconds, lambda: self._post(document, seconds, given_up))
        except (TimeoutError, httpx.TimeoutException):
            raise TemporaryFailure(f"{host} did not answer within {seconds:.3g} seconds") from None
        except httpx.TransportError as error:
            raise Unreachable(f"no connection to {host}: {type(error).__name__}") from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise RequestFailed(f"the request to {host} failed: {type(error).__name__}") from None
        finally:
            given_up.set()

    def _post(
        self, document: Mapping[str, Any], seconds: float, given_up: threading.Event
    ) -> Completed:
        headers = {"Accept-Encoding": "identity"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        with (
            # Don't use proxies from the environment to reach this machine itself.
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
                if len(data) > ANSWER_LIMIT:
                    raise RequestFailed(f"{self._url.host} sent more than {ANSWER_LIMIT:,} bytes")
            return self._completion(response, data)

    def _completion(self, response: httpx.Response, data: bytes) -> Completed:
        code, host = response.status_code, self._url.host
        if response.is_redirect:
            raise RequestFailed(f"{host} redirects (HTTP {code}); give the endpoint's new address")
        if code in (401, 403):
            # Don't quote the server: servers repeat parts of a wrong key.
            raise RequestFailed(f"{host} refused access (HTTP {code}); check the key")
        if code in _RETRYABLE or code >= 500:
            # Retry-After may also contain a date, which we ignore (RFC 9110, 10.2.3).
            after = response.headers.get("retry-after", "").strip()
            seconds = float(after[:9]) if after.isascii() and after.isdigit() else 0.0
            raise TemporaryFailure(f"{host} is not ready (HTTP {code})", seconds)
        try:
            answer = json.loads(data)
        except (ValueError, RecursionError):
            answer = None
        if code != 200:
            error = answer.get("error") if isinstance(answer, dict) else None
            words = str(error.get("message", "")) if isinstance(error, dict) else str(error or "")
            words = words.replace(self._key, "***") if self._key else words
            words = "".join(char for char in words if char.isprintable())[:QUOTED]
            raise RequestFailed(f"{host} refused (HTTP {code}){': ' if words else ''}{words}")
        try:
            message = answer["choices"][0]["message"]
            calls = tuple(message.get("tool_calls") or ())
            content = message.get("content") or "" if calls else message["content"]
            if isinstance(content, list):
                content = "".join(
                    part["text"] for part in content if isinstance(part, dict) and "text" in part
                )
            # JSON can contain lone surrogates, which can't be encoded.
            text = str.encode(content, "utf-8", "replace").decode("utf-8")
        except (AttributeError, TypeError, LookupError):
            raise RequestFailed(f"{host} didn't answer in the format of chat completions") from None
        usage = answer.get("usage")
        tokens = usage.get("total_tokens") if isinstance(usage, dict) else None
        counted = tokens if type(tokens) is int and 0 <= tokens < 2**53 else None
        return Completed(text, counted, calls)


def address(endpoint: str, with_key: bool) -> str:
    """The address for requests.

    Arguments:
        endpoint: an http or https address; http only without a key or on this machine.
        with_key: whether a key is sent.

    Returns:
        The address with `/chat/completions` at its end.

    Raises:
        BadSetting: if the address can't be used.
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
        raise base.BadSetting(
            "--endpoint must not contain a password, query or fragment; give a key with --key-from"
        )
    if with_key and url.scheme == "http" and not _is_here(url.host):
        raise base.BadSetting(
            "--endpoint is a plain http address of another machine, so others could read the key; "
            "use https, or send no key: --key-from ''"
        )
    return str(url).rstrip("/").removesuffix("/chat/completions") + "/chat/completions"


def _is_here(host: str) -> bool:
    """Whether a host is this machine."""
    try:
        return host.lower() == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class OpenAIBot(base.AdapterBot):
    """A persona played by a model at an endpoint.

    Arguments:
        context, fallback: as for `AdapterBot`.
        endpoint: the endpoint to ask.
        model: the model's name there.
        persona: the system message.
        timeout: seconds that an answer may take in total.
        longest: the most characters of an answer.
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
    ) -> None:
        super().__init__(context, fallback=fallback)
        self._endpoint, self._model, self._persona = endpoint, model, persona
        self._timeout, self._longest = timeout, longest
        self._closed = threading.Event()
        self._talk: list[tuple[str, str]] = []

    def begin(self) -> None:
        """Forgets the talk."""
        self._talk.clear()

    def reply(self, line: str) -> str:
        """Returns the model's answer, or a fallback line."""
        self._add("user", line)
        try:
            answer = self._ask()
        except RequestFailed as trouble:
            answer = self.fall_back(str(trouble))
        # The model must know the fallback line, too, because it was said.
        self._add("assistant", answer)
        return answer

    def close(self) -> None:
        """Ends a pause, if there is one; a request ends by its own timeout."""
        self._closed.set()

    def pause(self, seconds: float) -> bool:
        """Waits before another try; returns whether the bot was closed in the meantime."""
        return self._closed.wait(seconds)

    def _add(self, role: str, text: str) -> None:
        # The templates of some models refuse two successive messages with the same role.
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
        deadline = time.monotonic() + self._timeout
        pause = PAUSE
        for count in range(1, TRIES + 1):
            left = deadline - time.monotonic()
            try:
                # Allow all the remaining time: a slow model that is asked again starts over.
                text = _THOUGHT.sub("", self._endpoint.complete(document, left).text)
                text = typable(text.rpartition("</think>")[2])
                if answer := shortened(text, self._longest):
                    return answer
                raise RequestFailed(f"{self._model} gave an empty answer, or only its thoughts")
            except TemporaryFailure as trouble:
                due = max(pause, trouble.after)
                if count == TRIES or time.monotonic() + due >= deadline:
                    raise RequestFailed(
                        f"{trouble}; gave up after {count} of {TRIES} tries"
                    ) from None
                self.record(f"{trouble}; trying again in {due:g} seconds")
                if self.pause(due):
                    raise RequestFailed("closed while waiting to ask again") from None
                pause *= 2
        raise AssertionError("the last try returns or raises")


def shortened(text: str, longest: int) -> str:
    """A text in one line, cut to this many characters after a sentence, or else after a word."""
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
) -> base.MakeBot:
    """Returns a function that creates an `OpenAIBot`.

    Arguments:
        endpoint: the address to which `/chat/completions` is added.
        persona: a UTF-8 file with the system message.
        key_from: the environment variable that holds the key; "" for no key. If None, `KEY_FROM`,
            which may be unset for a plain http address.
        model, longest, timeout, fallback: as for `OpenAIBot`.

    Raises:
        BadSetting: if an argument can't be used.
    """
    variable = KEY_FROM if key_from is None else key_from
    key = os.environ.get(variable, "").strip() if variable else ""
    if key_from and not key:
        raise base.BadSetting(f"--key-from {key_from}: this environment variable is empty")
    if any(not "!" <= char <= "~" for char in key):
        raise base.BadSetting(f"the key in {variable} contains characters that a key can't contain")
    if not model.strip():
        raise base.BadSetting("--model is empty")
    if longest < 1:
        raise base.BadSetting(f"--longest {longest}: give a number of characters above 0")
    url = address(endpoint, with_key=key != "")
    text, seconds = _persona(persona), base.check_seconds("--timeout", timeout)
    if not key and url.startswith("https:") and key_from is None:
        raise base.BadSetting(
            f"{KEY_FROM} contains no key; set it, give another variable with --key-from, or send "
            "no key: --key-from ''"
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
            text = opened.read(PERSONA_LIMIT + 1)
    except OSError as error:
        raise base.BadSetting(f"--persona {file}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise base.BadSetting(f"--persona {file}: not a UTF-8 text") from None
    if not text.strip() or len(text) > PERSONA_LIMIT:
        raise base.BadSetting(
            f"--persona {file}: the text must have between 1 and {PERSONA_LIMIT:,} characters"
        )
    return text.strip()
