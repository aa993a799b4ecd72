"""Local servers for the tests: an HTTP server and a ChatScript server."""

from __future__ import annotations

import contextlib
import json
import socketserver
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Reply:
    """A reply of a chat endpoint.

    Attributes:
        code: the HTTP status code.
        body: the body.
        headers: headers in addition to the length.
        hang: if given, nothing is sent until this event is set.
        trickle: whether the body arrives byte by byte, without end until `hang` is set.
    """

    code: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    hang: threading.Event | None = None
    trickle: bool = False


def said(text: object) -> Reply:
    """A chat completion."""
    document = {"choices": [{"message": {"role": "assistant", "content": text}}]}
    return Reply(body=json.dumps(document).encode())


@dataclass
class Asked:
    """A request to a chat endpoint."""

    path: str
    headers: dict[str, str]
    document: dict[str, Any]


class ChatEndpoint:
    """A chat endpoint that sends its replies in turn, and then repeats the last one.

    Attributes:
        replies: the replies that it sends.
        asked: the requests that it received.
        url: its address.
    """

    def __init__(self, *replies: Reply) -> None:
        self.replies = list(replies)
        self.asked: list[Asked] = []
        self.url = ""

    @property
    def messages(self) -> list[dict[str, str]]:
        """The messages of the last request."""
        found: list[dict[str, str]] = self.asked[-1].document["messages"]
        return found


@contextlib.contextmanager
def chat_endpoint(*replies: Reply) -> Iterator[ChatEndpoint]:
    """Runs a chat endpoint."""
    endpoint = ChatEndpoint(*replies)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            document = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            headers = {key.lower(): value for key, value in self.headers.items()}
            endpoint.asked.append(Asked(self.path, headers, document))
            reply = endpoint.replies[min(len(endpoint.asked), len(endpoint.replies)) - 1]
            with contextlib.suppress(OSError):
                self._send(reply)

        def do_GET(self) -> None:
            endpoint.asked.append(Asked(self.path, dict(self.headers.items()), {}))
            self.send_error(405)

        def _send(self, reply: Reply) -> None:
            self.close_connection = True
            if reply.hang is not None and not reply.trickle:
                reply.hang.wait(20)
            self.send_response(reply.code)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            if not reply.trickle:
                self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body)
            while reply.trickle and reply.hang is not None and not reply.hang.wait(0.005):
                self.wfile.write(b" ")

        def log_message(self, format: str, *args: object) -> None:
            return

    with _serving(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as port:
        endpoint.url = f"http://127.0.0.1:{port}/v1"
        yield endpoint


class ChatScript:
    """A server that speaks ChatScript's protocol.

    Attributes:
        answer: a function from (user, bot, message) to the bytes to send.
        heard: the messages that it received, as fields.
        port: the port on which it listens.
    """

    def __init__(self, answer: Callable[[str, str, str], bytes]) -> None:
        self.answer = answer
        self.heard: list[tuple[str, str, str]] = []
        self.port = 0


@contextlib.contextmanager
def chatscript(answer: Callable[[str, str, str], bytes]) -> Iterator[ChatScript]:
    """Runs a ChatScript server."""
    server = ChatScript(answer)

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            data = b""
            while data.count(b"\0") < 3 and (chunk := self.request.recv(4096)):
                data += chunk
            user, bot, message, rest = data.decode().split("\0")
            assert rest == ""
            server.heard.append((user, bot, message))
            with contextlib.suppress(OSError):
                self.request.sendall(server.answer(user, bot, message))

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = False

    with _serving(Server(("127.0.0.1", 0), Handler)) as port:
        server.port = port
        yield server


@contextlib.contextmanager
def _serving(server: socketserver.TCPServer) -> Iterator[int]:
    with server:
        thread = threading.Thread(target=server.serve_forever, args=(0.005,))
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()
