"""Runs a ChatScript server as an entry.

Its protocol (ChatScript's manual for clients and servers) uses one connection for each message. The
client sends user, bot and message, each ended by a NUL; the server sends its answer and closes. An
empty message starts a conversation, and must come first with a new user. Servers may send extra
data after a NUL, and commands for the client in brackets before the answer.

Each talk uses a new user, so that the server remembers nothing about the last judge. The server's
first answer is dropped, because an entry "must wait until the judge starts the interaction" (rules
2010, 3).
"""

from __future__ import annotations

import re
import socket
import time
import uuid
from functools import partial

from bots.adapters import base
from bots.bot import Context

#: Where a ChatScript server listens by default.
HOST = "127.0.0.1"
PORT = 1024

#: The most bytes of an answer; a server's own limit is lower.
ANSWER_LIMIT = 256 * 1024

# A word after a colon is a command to the server; some of these end it. Brackets at the start
# contain words for the server's script. A judge's line must contain neither.
_COMMAND = re.compile(r":(?=[^\W\d_])")
_MARKS = " \t:["
# Commands for the client, which may contain brackets themselves.
_FOR_CLIENT = re.compile(r"\[(?:[^\[\]]|\[[^\[\]]*\])*\]\s*")


class ChatScriptBot(base.AdapterBot):
    """A bot on a ChatScript server.

    Arguments:
        context, fallback: as for `AdapterBot`.
        host, port: the server's address.
        bot: the bot's name there; "" for its default bot.
        timeout: seconds that an answer may take.
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
    ) -> None:
        super().__init__(context, fallback=fallback)
        self._address, self._bot, self._timeout = (host, port), bot, timeout
        self.begin()

    def begin(self) -> None:
        """Becomes a new user; the next line tells the server."""
        # Only letters and digits, because a server uses the name as a file name.
        self._user = f"judge{uuid.uuid4().hex[:16]}"
        self._met = False

    def reply(self, line: str) -> str:
        """Returns the server's answer, or a fallback line."""
        message = without_commands(line)
        deadline = time.monotonic() + self._timeout
        try:
            if not self._met:
                self._ask("", deadline)
                self._met = True
            return answer_text(self._ask(message, deadline))
        except OSError as error:
            host, port = self._address
            return self.fall_back(f"{host}:{port}: {error.strerror or error}")

    def _ask(self, message: str, deadline: float) -> bytes:
        left = deadline - time.monotonic()
        return base.run_with_timeout(left, partial(self._exchange, message, max(left, 0.001)))

    def _exchange(self, message: str, seconds: float) -> bytes:
        fields = (self._user, self._bot, message)
        deadline = time.monotonic() + seconds
        data = b""
        with socket.create_connection(self._address, timeout=seconds) as connection:
            connection.sendall("".join(f"{field}\0" for field in fields).encode("utf-8", "replace"))
            while b"\0" not in data and (chunk := connection.recv(8192)):
                data += chunk
                if len(data) > ANSWER_LIMIT:
                    raise OSError(f"sent more than {ANSWER_LIMIT:,} bytes")
                if time.monotonic() > deadline:
                    raise TimeoutError("did not close the connection in time")
        return data


def without_commands(line: str) -> str:
    """Removes everything from a judge's line that the server could take for a command.

    Arguments:
        line: the line, not blank.

    Returns:
        The line without characters that would make it a command or words for the script. Never
        empty, because an empty message starts a conversation.
    """
    text = _COMMAND.sub(": ", line.translate({0: " ", 10: " "})).lstrip(_MARKS)
    return text.strip() or "."


def answer_text(data: bytes) -> str:
    """The part of a server's answer that the bot says.

    Arguments:
        data: the whole answer.

    Returns:
        Its text up to the first NUL, without leading commands for the client in brackets.
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
    """Returns a function that creates a `ChatScriptBot`, which doesn't contact the server before
    the judge's first line.

    Arguments:
        host, port, bot, timeout, fallback: as for `ChatScriptBot`.

    Raises:
        BadSetting: if an argument can't be used.
    """
    if not host.strip():
        raise base.BadSetting("--host is empty")
    if not 0 < port < 65536:
        raise base.BadSetting(f"--port {port}: give a number from 1 to 65535")
    if not bot.isprintable():
        raise base.BadSetting("--bot contains a character that a name can't contain")
    return partial(
        ChatScriptBot,
        host=host,
        port=port,
        bot=bot,
        timeout=base.check_seconds("--timeout", timeout),
        fallback=fallback,
    )
