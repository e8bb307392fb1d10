"""Model servers that misbehave: what OpenAI-compatible servers send, and sockets that do not keep to it."""

from __future__ import annotations

import json
import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from werkzeug import Request, Response

SSE = "text/event-stream"
DIALOGUE = ("--reader", "openai:m", "--search", "dialogue", "--base-url")
"""Options of a run with a model that searches step by step; the address of its server comes next."""


def chunk(content: str | None = None, finish: str | None = None, **delta: object) -> dict[str, Any]:
    said = dict(delta) if content is None else {"content": content, **delta}
    choice = {"index": 0, "delta": said, "finish_reason": finish}
    return {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


def events(*chunks: object) -> str:
    return "".join(f"data: {json.dumps(c)}\n\n" for c in chunks)


def sse(text: str, finish: str | None = "stop", usage: tuple[int, int] | None = (100, 10)) -> str:
    """A whole streamed answer, in pieces of a few characters, a long one in some 500 pieces."""
    size = max(7, len(text) // 500)
    pieces: list[object] = [chunk(text[i : i + size]) for i in range(0, len(text), size)]
    if finish is not None:
        pieces.append(chunk(finish=finish))
    if usage is not None:
        counts = {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}
        pieces.append({**chunk(), "choices": [], "usage": counts})
    return events(*pieces) + "data: [DONE]\n\n"


def move(command: str, node: str = "") -> str:
    return json.dumps({"move": {"chain_of_thought": "…", "command": command, "node": node}})


KITCHEN = (move("expand", "kitchen"), move("terminate"))


@dataclass
class Script:
    """Answers in order, whatever is asked; the last one again and again. Keeps what it was asked.

    An answer is a text, a status with a body, or a whole response.
    """

    answers: Sequence[str | Response]
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)

    def __call__(self, request: Request) -> Response:
        self.bodies.append(request.get_json())
        self.headers.append({k.lower(): v for k, v in request.headers.items()})
        answer = self.answers[min(len(self.bodies), len(self.answers)) - 1]
        return answer if isinstance(answer, Response) else Response(sse(answer), content_type=SSE)


def error(status: int, message: str = "no", **headers: str) -> Response:
    body = json.dumps({"error": {"message": message, "type": "t", "code": None}})
    return Response(body, status, headers, content_type="application/json")


def said(body: dict[str, Any], role: str = "user") -> str:
    """What a message of a request says."""
    return str(next(m["content"] for m in body["messages"] if m["role"] == role))


Handler = Callable[[socket.socket, bytes], None]


@contextmanager
def raw_server(handle: Handler, tls: ssl.SSLContext | None = None) -> Iterator[tuple[str, list[bytes]]]:
    """A server of plain sockets: gives its base URL and the requests that came, headers and body.

    Requests for the list of models get 404; ``handle`` answers all others and may do what it likes.
    """
    requests: list[bytes] = []
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(0.1)
    stop = threading.Event()

    def talk(connection: socket.socket) -> None:
        with connection, suppress(OSError, ssl.SSLError):
            connection.settimeout(20)
            if tls is not None:
                connection = tls.wrap_socket(connection, server_side=True)
            request = read_request(connection)
            requests.append(request)
            if request.startswith(b"GET"):
                connection.sendall(b"HTTP/1.1 404 no\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            else:
                handle(connection, request)

    def listen() -> None:
        while not stop.is_set():
            with suppress(TimeoutError):
                threading.Thread(target=talk, args=(listener.accept()[0],), daemon=True).start()

    thread = threading.Thread(target=listen, daemon=True)
    thread.start()
    try:
        yield f"{'https' if tls else 'http'}://localhost:{listener.getsockname()[1]}/v1", requests
    finally:
        stop.set()
        thread.join()
        listener.close()


def read_request(connection: socket.socket) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data:
        piece = connection.recv(65536)
        if not piece:
            return data
        data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    length = next((int(x.split(b":")[1]) for x in head.lower().split(b"\r\n") if b"content-length" in x), 0)
    while len(body) < length:
        body += connection.recv(65536)
    return head + b"\r\n\r\n" + body


def respond(body: bytes, kind: str = SSE, length: int | None = None) -> bytes:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nConnection: close\r\n"
    if length is not None:
        head += f"Content-Length: {length}\r\n"
    return f"{head}\r\n".encode() + body
