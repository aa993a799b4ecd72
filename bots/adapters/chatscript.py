"""A ChatScript server as an entry.

Its protocol (ChatScript's manual for clients and servers): one connection for each message; the
client sends user, bot and message, each ended by a NUL; the server sends its answer and closes.
An empty message starts a conversation, which has to come first with a new user. Servers may send
something of their own behind a NUL, and words for the client in brackets before the answer.

A new user for each talk, so that nothing of the last judge is remembered; what the server says
at the start is dropped, as an entry "must wait until the judge starts the interaction" (rules
2010, 3).
"""

from __future__ import annotations

import re
import socket
import time
import uuid
from collections.abc import Callable
from functools import partial

from bots.adapters import base
from bots.bot import Context

#: Where a ChatScript server listens by default.
HOST = "127.0.0.1"
PORT = 1024

#: Bytes of an answer; a server's own limit is lower.
ANSWER = 256 * 1024

# A word behind a colon is a command to the server, some of which end it. Brackets at the start
# hold words for the server's script. Nothing that a judge types may be either.
_COMMAND = re.compile(r":(?=[^\W\d_])")
_MARKS = " \t:["
# Words for the client, which may hold brackets themselves.
_FOR_CLIENT = re.compile(r"\[(?:[^\[\]]|\[[^\[\]]*\])*\]\s*")


class ChatScriptBot(base.AdapterBot):
    """A bot on a ChatScript server.

    Arguments:
        context, fallback, log: as for `AdapterBot`.
        host, port: where the server listens.
        bot: the bot's name there; "" for its default one.
        timeout: seconds that an answer may take.
        new_user: gives a user's name that the server has never heard.
    """

    name = "chatscript"

    def __init__(
        self,
        context: Context,
        *,
        host: str = HOST,
        port: int = PORT,
        bot: str = "",
        timeout: float = base.TIMEOUT,
        fallback: str = "",
        log: Callable[[str], None] | None = None,
        new_user: Callable[[], str] | None = None,
    ) -> None:
        super().__init__(context, fallback=fallback, log=log)
        self._address, self._bot, self._timeout = (host, port), bot, timeout
        self._new_user = new_user if new_user is not None else _new_user
        self._user = self._new_user()
        self._met = False

    def begin(self) -> None:
        """Becomes another user; the server hears of it with the next line."""
        self._user = self._new_user()
        self._met = False

    def reply(self, line: str) -> str:
        """What the server says, or a fallback line."""
        message = plain(line)
        deadline = time.monotonic() + self._timeout
        try:
            if not self._met:
                self._ask("", deadline)
                self._met = True
            return spoken(self._ask(message, deadline))
        except OSError as error:
            host, port = self._address
            return self.fall_back(f"{host}:{port}: {error.strerror or error}")

    def _ask(self, message: str, deadline: float) -> bytes:
        left = deadline - time.monotonic()
        return base.within(left, partial(self._exchange, message, max(left, 0.001)))

    def _exchange(self, message: str, seconds: float) -> bytes:
        fields = (self._user, self._bot, message)
        deadline = time.monotonic() + seconds
        data = b""
        with socket.create_connection(self._address, timeout=seconds) as connection:
            connection.sendall("".join(f"{field}\0" for field in fields).encode("utf-8", "replace"))
            while b"\0" not in data and (chunk := connection.recv(8192)):
                data += chunk
                if len(data) > ANSWER:
                    raise OSError(f"sent more than {ANSWER:,} bytes")
                if time.monotonic() > deadline:
                    raise TimeoutError("did not close the connection in time")
        return data


def plain(line: str) -> str:
    """A judge's line as text that is not a command to a server.

    Arguments:
        line: not blank.

    Returns:
        The line; without marks that would make it a command or words for the script. Never empty,
        for an empty message starts a conversation.
    """
    text = _COMMAND.sub(": ", line.translate({0: " ", 10: " "})).lstrip(_MARKS)
    return text.strip() or "."


def spoken(data: bytes) -> str:
    """What of a server's answer is said.

    Arguments:
        data: the answer, up to the connection's end.

    Returns:
        Its text up to the first NUL, without leading words for the client in brackets.
    """
    text = data.partition(b"\0")[0].decode("utf-8", "replace").strip()
    while (words := _FOR_CLIENT.match(text)) is not None:
        text = text[words.end() :]
    return text


def prepare(
    host: str = HOST,
    port: int = PORT,
    bot: str = "",
    timeout: float = base.TIMEOUT,
    fallback: str = "",
) -> base.MakeBot:
    """What makes a `ChatScriptBot`; the server is not asked before a judge is there.

    Arguments:
        host, port, bot, timeout, fallback: as for `ChatScriptBot`.

    Raises:
        BadSetting: if one of them can't be used.
    """
    if not host.strip():
        raise base.BadSetting("--host is empty")
    if not 0 < port < 65536:
        raise base.BadSetting(f"--port {port}: give a number from 1 to 65535")
    if not bot.isprintable():
        raise base.BadSetting("--bot has a character that no name can have")
    return partial(
        ChatScriptBot,
        host=host,
        port=port,
        bot=bot,
        timeout=base.seconds("--timeout", timeout),
        fallback=fallback,
    )


def _new_user() -> str:
    # Letters and digits only, for a server makes a file of the name.
    return f"judge{uuid.uuid4().hex[:16]}"
