"""Tests requests to a chat endpoint: addresses, requested pauses, formats of answers."""

from __future__ import annotations

import json
import threading

import pytest

from bots.adapters.base import BadSetting
from bots.adapters.openai import Endpoint, RequestFailed, TemporaryFailure, address
from tests.bots.adapters.servers import Reply, chat_endpoint, said

KEY = "sk-secret-0123456789"


@pytest.mark.parametrize(
    ("endpoint", "url"),
    [
        ("https://host.example/v1", "https://host.example/v1/chat/completions"),
        ("https://host.example/v1/", "https://host.example/v1/chat/completions"),
        ("https://host.example/v1/chat/completions", "https://host.example/v1/chat/completions"),
        ("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1/chat/completions"),
        ("http://[::1]:8080", "http://[::1]:8080/chat/completions"),
        ("http://localhost:11434/v1", "http://localhost:11434/v1/chat/completions"),
    ],
)
def test_addresses(endpoint: str, url: str) -> None:
    assert address(endpoint, with_key=True) == url


@pytest.mark.parametrize(
    ("endpoint", "complaint"),
    [
        ("", "not an http or https address"),
        ("host.example/v1", "not an http or https address"),
        ("ftp://host.example", "not an http or https address"),
        ("https://", "not an http or https address"),
        ("https://host:port/v1", "not an address"),
        (f"https://user:{KEY}@host.example/v1", "must not contain a password"),
        (f"https://host.example/v1?key={KEY}", "must not contain a password"),
        ("http://host.example/v1", "plain http address of another machine"),
        ("http://127.0.0.1.host.example/v1", "plain http address of another machine"),
    ],
)
def test_invalid_addresses_are_refused(endpoint: str, complaint: str) -> None:
    with pytest.raises(BadSetting, match=complaint) as caught:
        address(endpoint, with_key=True)
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("Hi.", "Hi."),
        ("", ""),
        ([{"type": "text", "text": "Hi "}, {"type": "x"}, 3, {"text": "there."}], "Hi there."),
        ("half \ud83d", "half ?"),
    ],
)
def test_the_text_of_the_first_choice(content: object, text: str) -> None:
    with chat_endpoint(said(content)) as endpoint:
        url = address(endpoint.url, with_key=False)
        assert Endpoint(url).complete({"model": "m"}, 20.0).text == text
    (asked,) = endpoint.asked
    assert asked.path == "/v1/chat/completions"
    assert asked.document == {"model": "m"}
    assert "authorization" not in asked.headers


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"\xff\xfe",
        b"[" * 100_000,
        b"null",
        b"{}",
        b'{"choices": []}',
        b'{"choices": {"0": 1}}',
        b'{"choices": [null]}',
        b'{"choices": [{"message": null}]}',
        b'{"choices": [{"message": {"content": null}}]}',
        b'{"choices": [{"message": {"content": 3}}]}',
    ],
)
def test_an_unreadable_answer_is_an_error(body: bytes) -> None:
    with (
        chat_endpoint(Reply(body=body)) as endpoint,
        pytest.raises(RequestFailed, match="didn't answer in the format") as caught,
    ):
        Endpoint(endpoint.url).complete({}, 20.0)
    assert not isinstance(caught.value, TemporaryFailure)


@pytest.mark.parametrize("code", [400, 401, 403, 404, 422])
def test_permanent_errors_are_not_retried_and_never_show_the_key(code: int) -> None:
    body = json.dumps({"error": {"message": f"wrong:\n{KEY} and {KEY[-4:]}"}}).encode()
    with (
        chat_endpoint(Reply(code, body)) as endpoint,
        pytest.raises(RequestFailed, match=f"HTTP {code}") as caught,
    ):
        Endpoint(endpoint.url, KEY).complete({}, 20.0)
    assert not isinstance(caught.value, TemporaryFailure)
    assert KEY not in str(caught.value)
    assert "\n" not in str(caught.value)
    if code in (401, 403):
        assert KEY[-4:] not in str(caught.value)
    else:
        assert "wrong" in str(caught.value)


@pytest.mark.parametrize("code", [301, 302, 307, 308])
def test_a_redirect_is_not_followed(code: int) -> None:
    with chat_endpoint(said("stolen")) as elsewhere:
        redirect = Reply(code, headers={"Location": f"{elsewhere.url}/chat/completions"})
        with chat_endpoint(redirect) as endpoint, pytest.raises(RequestFailed, match="redirects"):
            Endpoint(endpoint.url, KEY).complete({}, 20.0)
    assert elsewhere.asked == []


@pytest.mark.parametrize("trickle", [False, True])
def test_a_hanging_or_trickling_server_times_out(trickle: bool) -> None:
    go_on = threading.Event()
    with chat_endpoint(Reply(hang=go_on, trickle=trickle)) as endpoint:
        with pytest.raises(TemporaryFailure, match=r"did not answer within 0\.1 seconds"):
            Endpoint(endpoint.url).complete({}, 0.1)
        go_on.set()
