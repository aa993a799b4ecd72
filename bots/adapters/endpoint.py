"""Requests to a chat endpoint: one POST, one answer, and all that can go wrong with it in words.

No message holds the key, nor what a library says of a request: that may show its headers.
"""

from __future__ import annotations

import datetime
import email.utils
import ipaddress
import json
import ssl
import threading
from collections.abc import Mapping
from typing import Any

import httpx

from bots.adapters.base import BadSetting, within

#: Bytes of an answer that are read; a long one has a few thousand.
ANSWER = 1_000_000

#: Characters of a server's own words that are shown.
SHOWN = 200

# Too many requests, too early, time-outs, and errors that are the server's.
_AGAIN = frozenset({408, 425, 429})


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


def address(endpoint: str, with_key: bool) -> str:
    """Where requests go.

    Arguments:
        endpoint: an http or https address; a plain one only without a key or on this machine.
        with_key: whether a key is sent.

    Returns:
        The address with `/chat/completions` behind it.

    Raises:
        BadSetting: if it is none that can be used.
    """
    try:
        url = httpx.URL(endpoint.strip())
    except (httpx.InvalidURL, ValueError):
        raise BadSetting("--endpoint is no address; give one such as https://HOST/v1") from None
    if url.scheme not in ("http", "https") or not url.host:
        raise BadSetting("--endpoint is no http or https address such as https://HOST/v1")
    if url.userinfo or url.query or url.fragment:
        raise BadSetting("--endpoint holds more than an address; a key comes from --key-from")
    if with_key and url.scheme == "http" and not is_here(url.host):
        raise BadSetting(
            "--endpoint is a plain http address of another machine, over which the key could be "
            "read; use https, or send no key: --key-from ''"
        )
    return str(url).rstrip("/").removesuffix("/chat/completions") + "/chat/completions"


def is_here(host: str) -> bool:
    """Whether a host is this machine."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


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
        self._trusted = (
            httpx.create_ssl_context()
            if self._url.scheme == "https"
            else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        )

    def ask(self, document: Mapping[str, Any], seconds: float) -> str:
        """Asks once.

        Arguments:
            document: the request.
            seconds: how long it may take, all in all.

        Returns:
            The text of the first choice; "" if it is empty.

        Raises:
            NoAnswer: if asking again may help.
            Trouble: if it won't.
        """
        given_up = threading.Event()
        try:
            return within(seconds, lambda: self._post(document, seconds, given_up))
        except (TimeoutError, httpx.TimeoutException):
            raise NoAnswer(
                f"{self._url.host} did not answer within {seconds:.3g} seconds"
            ) from None
        except httpx.TransportError as error:
            # The library's own text may hold what was sent.
            raise NoAnswer(f"no connection to {self._url.host}: {type(error).__name__}") from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise Trouble(f"{self._url.host} can't be asked: {type(error).__name__}") from None
        finally:
            given_up.set()

    def _post(self, document: Mapping[str, Any], seconds: float, given_up: threading.Event) -> str:
        headers = {"Accept-Encoding": "identity"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        with (
            # The surroundings' proxies are no way to this machine itself.
            httpx.Client(
                timeout=seconds,
                follow_redirects=False,
                trust_env=not is_here(self._url.host),
                verify=self._trusted,
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
            return self._text(response, data)

    def _text(self, response: httpx.Response, data: bytes) -> str:
        code, host = response.status_code, self._url.host
        if response.is_redirect:
            raise Trouble(f"{host} redirects (HTTP {code}); give the right address as --endpoint")
        if code in (401, 403):
            # Servers repeat parts of a wrong key in their words.
            raise Trouble(f"{host} refused the key (HTTP {code}); see --key-from")
        if code in _AGAIN or code >= 500:
            raise NoAnswer(f"{host} is not ready (HTTP {code})", retry_after(response.headers))
        try:
            answer = json.loads(data)
        except (ValueError, RecursionError):
            answer = None
        if code != 200:
            raise Trouble(f"{host} refused (HTTP {code}){self._reason(answer)}")
        text = _first_choice(answer)
        if text is None:
            raise Trouble(f"{host} sent no answer in the form of chat completions")
        return text

    def _reason(self, answer: object) -> str:
        error = answer.get("error") if isinstance(answer, dict) else None
        words = error.get("message") if isinstance(error, dict) else error
        if not isinstance(words, str):
            return ""
        if self._key:
            words = words.replace(self._key, "***")
        return ": " + "".join(char for char in words if char.isprintable())[:SHOWN]


def retry_after(headers: Mapping[str, str]) -> float:
    """The seconds that a server asks to wait for: a number or a date (RFC 9110, 10.2.3).

    Arguments:
        headers: of its answer; a date counts from the answer's own.

    Returns:
        Seconds, 0 if it asks for none or in no known form.
    """
    asked = headers.get("retry-after", "").strip()
    if asked.isascii() and asked.isdigit():
        return float(asked[:9])
    try:
        moment = email.utils.parsedate_to_datetime(asked)
    except ValueError:
        return 0.0
    try:
        now = email.utils.parsedate_to_datetime(headers.get("date", ""))
    except ValueError:
        now = datetime.datetime.now(datetime.UTC)
    try:
        return max(0.0, (moment - now).total_seconds())
    except TypeError:  # one of the two has no zone
        return 0.0


def _first_choice(answer: object) -> str | None:
    """The text of a chat completion's first choice, None if it has no such form."""
    choices = answer.get("choices") if isinstance(answer, dict) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        content = "".join(part for part in parts if isinstance(part, str))
    if not isinstance(content, str):
        return None
    # JSON can hold halves of characters, which nothing could send on.
    return content.encode("utf-8", "replace").decode("utf-8")
