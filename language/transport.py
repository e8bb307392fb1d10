"""The network under the model client: every answer bounded in bytes and in time.

The ``openai`` client has time limits for single reads only. A server that sends one byte a second, or fifty
megabytes, passes those. This transport counts what arrives and looks at the clock at every piece.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import httpx2

MAX_BYTES = 8 * 1024 * 1024


class TooLarge(httpx2.TransportError):
    """An answer of more bytes than are accepted."""


class TooSlow(httpx2.ReadTimeout):
    """An answer that was still coming when its time was up."""


class BoundedTransport(httpx2.BaseTransport):
    """Wraps a transport; ``remaining`` tells the seconds that an answer may still take."""

    def __init__(
        self,
        remaining: Callable[[], float],
        max_bytes: int = MAX_BYTES,
        inner: httpx2.BaseTransport | None = None,
    ) -> None:
        self._inner = inner or httpx2.HTTPTransport()
        self._remaining, self._max_bytes = remaining, max_bytes

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        response = self._inner.handle_request(request)
        stream = response.stream
        assert isinstance(stream, httpx2.SyncByteStream)
        bounded = _Bounded(stream, request, self._remaining, self._max_bytes)
        return httpx2.Response(
            status_code=response.status_code,
            headers=response.headers,
            stream=bounded,
            extensions=response.extensions,
        )

    def close(self) -> None:
        self._inner.close()


class _Bounded(httpx2.SyncByteStream):
    def __init__(
        self,
        inner: httpx2.SyncByteStream,
        request: httpx2.Request,
        remaining: Callable[[], float],
        max_bytes: int,
    ) -> None:
        self._inner, self._request = inner, request
        self._remaining, self._max_bytes = remaining, max_bytes

    def __iter__(self) -> Iterator[bytes]:
        total = 0
        for piece in self._inner:
            total += len(piece)
            if total > self._max_bytes:
                raise TooLarge(f"more than {self._max_bytes} bytes", request=self._request)
            if self._remaining() <= 0:
                raise TooSlow("the answer took too long", request=self._request)
            yield piece

    def close(self) -> None:
        self._inner.close()


def deadline(seconds: float, clock: Callable[[], float] = time.monotonic) -> Callable[[], float]:
    """How many seconds are left of a span that starts now."""
    end = clock() + seconds
    return lambda: end - clock()
