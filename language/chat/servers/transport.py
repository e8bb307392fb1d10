"""Network under the model client, with bounds on what is sent and on the time and size of an answer.

The ``openai`` client has time limits for single reads only, so a server that sends one byte a second passes
them, be it in the headers or in the body. This transport ends the connection when the time of an answer is
up, counts what arrives, and sends none of the headers that the client takes from the environment. Answers
must come uncompressed: a bound on bytes is none where half a megabyte unpacks to gigabytes. Only a header
that is needed may be added to ``SENT`` or ``KEPT``: all others may carry secrets of the environment.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, suppress

import httpx2

MAX_BYTES = 8 * 1024 * 1024

SENT = frozenset(("accept", "connection", "content-length", "content-type", "host", "transfer-encoding"))
"""Headers of the client that go out; all others are left out."""

KEPT = frozenset(("content-type", "retry-after"))
"""Headers of an answer that are kept; others, and the words beside the status, may repeat the key."""


class TooLarge(httpx2.TransportError):
    """An answer of more bytes than are accepted."""


class Compressed(httpx2.TransportError):
    """An answer in a content encoding, though none was accepted."""


class TooSlow(httpx2.ReadTimeout):
    """An answer that was still coming when its time was up."""


class NoThread(httpx2.TransportError):
    """No thread could be started to end an answer in time."""


class BoundedTransport(httpx2.HTTPTransport):
    """Transport with a time limit; ``remaining`` returns the seconds that an answer may still take.

    ``headers`` are added to every request: the key, where the host is its own.
    """

    def __init__(self, remaining: Callable[[], float], headers: Mapping[str, str]) -> None:
        super().__init__()
        self._remaining, self._headers = remaining, dict(headers)
        self._socket: socket.socket | None = None

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        sent = {k: v for k, v in request.headers.items() if k.lower() in SENT}
        request.headers = httpx2.Headers({**sent, "Accept-Encoding": "identity", **self._headers})
        request.extensions = {**request.extensions, "trace": self._trace}
        alarm = threading.Timer(max(0.0, self._remaining()), self._hang_up)
        alarm.daemon = True
        try:
            alarm.start()
        except RuntimeError as error:  # the limit of processes, or of memory
            raise NoThread(str(error), request=request) from error
        with ExitStack() as undo:
            undo.callback(alarm.cancel)
            try:
                response = super().handle_request(request)
            except httpx2.TransportError as error:
                if self._remaining() <= 0:
                    raise TooSlow("the answer took too long", request=request) from error
                raise
            undo.pop_all()
        stream = response.stream
        assert isinstance(stream, httpx2.SyncByteStream)
        encoding = response.headers.get("content-encoding", "identity").strip().lower()
        if encoding not in ("", "identity"):
            alarm.cancel()
            stream.close()
            raise Compressed(f"a compressed answer ({encoding})", request=request)
        return httpx2.Response(
            status_code=response.status_code,
            headers={k: v for k, v in response.headers.items() if k.lower() in KEPT},
            stream=_Bounded(stream, request, self._remaining, alarm.cancel),
            extensions={k: v for k, v in response.extensions.items() if k != "reason_phrase"},
        )

    def _trace(self, event: str, info: Mapping[str, object]) -> None:
        """Remember the connection in use; requests come one after the other."""
        if event in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            connection = info["return_value"].get_extra_info("socket")  # type: ignore[attr-defined]
            self._socket = connection if isinstance(connection, socket.socket) else None
            if self._remaining() <= 0:  # its time ended while there was no connection to end
                self._hang_up()

    def _hang_up(self) -> None:
        """End the connection under whoever reads from it. The plain call: a TLS socket would say goodbye."""
        if self._socket is not None:
            with suppress(OSError):
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)


class _Bounded(httpx2.SyncByteStream):
    """Body of an answer, bounded in bytes and seconds; ``done`` is called when it is closed."""

    def __init__(
        self,
        inner: httpx2.SyncByteStream,
        request: httpx2.Request,
        remaining: Callable[[], float],
        done: Callable[[], None],
    ) -> None:
        self._inner, self._request = inner, request
        self._remaining, self._done = remaining, done

    def __iter__(self) -> Iterator[bytes]:
        total = 0
        try:
            for piece in self._inner:
                total += len(piece)
                if total > MAX_BYTES:
                    raise TooLarge(f"more than {MAX_BYTES} bytes", request=self._request)
                self._in_time()
                yield piece
        except httpx2.TransportError:
            self._in_time()
            raise
        self._in_time()  # a connection that was ended may read like the end of an answer

    def _in_time(self) -> None:
        if self._remaining() <= 0:
            raise TooSlow("the answer took too long", request=self._request)

    def close(self) -> None:
        self._done()
        self._inner.close()


def deadline(seconds: float) -> Callable[[], float]:
    """Return a function that gives the seconds left of a span that starts now."""
    end = time.monotonic() + seconds
    return lambda: end - time.monotonic()
