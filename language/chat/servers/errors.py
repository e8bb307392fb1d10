"""Errors of the model client and the network as :class:`ServiceError`: one sentence each, and what to try.

Servers quote requests in their errors, so every text of theirs is clipped and has the key redacted. Words by
which a server names a setting that it does not take can be added to ``NAMED``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx2
import openai

from ....domains.errors import clip
from .model import NO_COMPLETION, ServiceError
from .profile import Profile
from .transport import Compressed, NoThread, TooLarge

NAMED: Mapping[str, re.Pattern[str]] = {
    "stream_options": re.compile(r"\bstream_options\b"),
    "stream": re.compile(r"\bstream(ing|ed)?\b", re.I),
    "temperature": re.compile(r"\btemperature\b", re.I),
    "seed": re.compile(r"\bseed\b", re.I),
}
"""Settings that can be left out of a request, and what servers call them; the first one named goes first."""

LONGEST_WAIT = 86_400.0
"""Seconds that a server is taken to ask for at most: a longer wait is cut to a day, and is still a wait."""


def client_error(error: openai.OpenAIError, profile: Profile) -> ServiceError:
    """Translate an error of the client."""
    if isinstance(error, openai.APITimeoutError):
        return network_error(httpx2.ReadTimeout(""), profile)
    if isinstance(error, openai.APIStatusError):
        return _status_error(error, profile)
    if isinstance(error.__cause__, httpx2.HTTPError):
        return network_error(error.__cause__, profile)
    words = clip(profile.key.redact(str(error)))
    return ServiceError("malformed", f"{profile.host} {NO_COMPLETION}: {words}", retryable=True)


def network_error(error: httpx2.HTTPError, profile: Profile) -> ServiceError:
    """Translate the failure of a connection, or of an answer that broke its bounds."""
    host, words = profile.host, clip(profile.key.redact(str(error)))
    if isinstance(error, TooLarge):
        return ServiceError("too-large", f"{host} sent an answer of {words}")
    if isinstance(error, Compressed):
        return ServiceError("malformed", f"{host} sent {words}, though the request accepts none")
    if isinstance(error, NoThread):
        message = f"no connection to {host}: this system starts no more threads"
        return ServiceError("refused", message, "raise the limit of processes (ulimit -u) or of memory")
    if isinstance(error, httpx2.TimeoutException):
        message = f"{host} did not finish an answer within {profile.timeout:g} s"
        return ServiceError("timed-out", message, "is it still loading the model? see --answer-timeout")
    if any(word in words.lower() for word in ("certificate", "ssl", "tls")):
        hint = "is it http instead of https?"
        if "certificate" in words.lower():
            hint = "SSL_CERT_FILE names the certificates to trust"
        return ServiceError("tls", f"no secure connection to {host}: {words}", hint)
    if isinstance(error, httpx2.ConnectError):
        return ServiceError("refused", f"no connection to {host}: {words}", "is the server running?")
    return ServiceError("malformed", f"{host} broke off its answer: {words}")


def _status_error(error: openai.APIStatusError, profile: Profile) -> ServiceError:
    """Translate a status other than success."""
    host, status = profile.host, error.status_code
    words = clip(profile.key.redact(_message(error)), 200)
    after = _retry_after(error.response.headers)
    kind, message, hint, retryable = "bad-request", f"turned the request down ({status}): {words}", "", False
    if status == 401:
        kind, message = "unauthorized", f"does not accept the key ({status})"
        hint = "set OPENAI_API_KEY for OpenAI's own host, or key_env in the profile of this one"
    elif status == 403:
        kind, message = "forbidden", f"forbids this ({status}): {words}"
    elif status == 404:
        kind, message = "no-such-model", f"has no model {clip(profile.model)} ({status}): {words}"
        hint = "check the model's name and --base-url"
    elif status == 429:
        kind, message, retryable = "rate-limited", f"is busy ({status})", True
        hint = f"it asks to wait {after:g} s" if after is not None else ""
        hint += " or longer" if after == LONGEST_WAIT else ""
    elif status in (408, 409) or status >= 500:
        kind, message, retryable = "server-error", f"failed ({status}): {words}", True
    elif 300 <= status < 400:
        kind, message = "redirected", f"redirects elsewhere ({status})"
        hint = "give the address that it redirects to"
    refused = _refused_settings(error.body) if kind == "bad-request" else ()
    return ServiceError(kind, f"{host} {message}", hint, retryable, status, after, refused)


def _refused_settings(body: object) -> tuple[str, ...]:
    """Return the settings that an error names in its words, not where it quotes the request."""
    quoted = ("input: ", "body: ", "request: ")
    words = "; ".join(f for f in _fields(body) if not f.startswith(quoted))
    return tuple(name for name, pattern in NAMED.items() if pattern.search(words[:10_000]))


def _message(error: openai.APIStatusError) -> str:
    """Return the server's own words, wherever it puts them; of a body without a message its fields."""
    body = error.body
    if isinstance(body, Mapping):
        inner = body.get("error", body)
        message = inner.get("message") if isinstance(inner, Mapping) else inner
        if message and isinstance(message, str):
            return message
    return "; ".join(_fields(body)) or error.response.reason_phrase


def _fields(value: object, name: str = "", depth: int = 5) -> Iterator[str]:
    """Yield the innermost fields of a body, each with its name."""
    if depth and isinstance(value, Mapping):
        for key in list(value)[:8]:
            yield from _fields(value[key], str(key), depth - 1)
    elif depth and isinstance(value, list):
        for item in value[:8]:
            yield from _fields(item, name, depth - 1)
    elif isinstance(value, Mapping | list):
        yield f"{name}: …"
    elif value not in (None, ""):
        yield f"{name}: {value}" if name else str(value)


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a server asks to wait: its header is a number, or a date."""
    header = headers.get("retry-after", "")
    try:
        seconds = float(header)
    except ValueError:
        try:
            seconds = max(0.0, (parsedate_to_datetime(header) - datetime.now(UTC)).total_seconds())
        except (ValueError, TypeError, OverflowError):  # TypeError: a date without a time zone
            return None
    return min(seconds, LONGEST_WAIT) if seconds >= 0 else None
