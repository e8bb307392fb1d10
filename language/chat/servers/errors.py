"""Errors of the model client and the network as :class:`ServiceError`: one sentence each, and what to try.

Servers quote requests in their errors, so every text of theirs is clipped and has the key redacted. A cause
that is known by a server's words, whatever its status, is a line in ``CAUSES``.
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

CAUSES: tuple[tuple[str, re.Pattern[str], str, str], ...] = (
    (
        "too-long",
        re.compile(
            r"context[ _-]?(?:length|size|window)|exceed_context|(?:prompt|input) tokens? exceed"
            r"|(?:prompt|request|input)(?: is)? too (?:long|large)",
            re.I,
        ),
        "has no room for the prompt and an answer",
        "give the server a larger context, or show it less of the scene with another --search",
    ),
    (
        "refusal",
        re.compile(r"content[ _-]?(?:filter|management|policy)|responsibleai|moderation", re.I),
        "turned the request down by its content filter",
        "word the instruction in another way, or use another server",
    ),
    (
        "quota",
        re.compile(r"\bquota\b|billing|insufficient[ _](?:funds|credit|balance)|payment required", re.I),
        "has no budget left for this account",
        "see the plan and the bills of the account, or use another server",
    ),
)
"""Causes that a server's words tell: a kind, the words, what to say, and what to try."""

_WEB_PAGE = re.compile(r"\s*<(?:!doctype|html|head|body|\?xml)", re.I)

LONGEST_WAIT = 86_400.0
"""Seconds that a server is taken to ask for at most: a longer wait is cut to a day, and is still a wait."""


def client_error(error: openai.OpenAIError, profile: Profile) -> ServiceError:
    """Translate an error of the client."""
    if isinstance(error, openai.APITimeoutError):
        return network_error(httpx2.ReadTimeout(""), profile)
    if isinstance(error, openai.APIStatusError):
        after = _retry_after(error.response.headers)
        return _classified(error.status_code, error.body, error.response.reason_phrase, profile, after)
    if isinstance(error.__cause__, httpx2.HTTPError):
        return network_error(error.__cause__, profile)
    if isinstance(error, openai.APIError) and error.body is not None:
        return told_error(error.body, profile)
    words = clip(profile.key.redact(str(error)))
    return ServiceError("malformed", f"{profile.host} {NO_COMPLETION}: {words}", retryable=True)


def told_error(body: object, profile: Profile) -> ServiceError:
    """Translate an error that came in place of an answer, with the status of a success."""
    inner = body.get("error", body) if isinstance(body, Mapping) else body
    code = inner.get("code") if isinstance(inner, Mapping) else None
    status = int(str(code)) if re.fullmatch(r"[45]\d\d", str(code)) else 500
    return _classified(status, body, "", profile, None)


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
        return ServiceError(
            "timed-out", message, "is it still loading the model? see --answer-timeout, --timeout"
        )
    if any(word in words.lower() for word in ("certificate", "ssl", "tls")):
        hint = "is it http instead of https?"
        if "certificate" in words.lower():
            hint = "SSL_CERT_FILE names the certificates to trust"
        return ServiceError("tls", f"no secure connection to {host}: {words}", hint)
    if isinstance(error, httpx2.ConnectError):
        return ServiceError("refused", f"no connection to {host}: {words}", "is the server running?")
    return ServiceError("malformed", f"{host} broke off its answer: {words}")


def _classified(
    status: int, body: object, phrase: str, profile: Profile, after: float | None
) -> ServiceError:
    """Return the error of a status and a body: by its words where they tell the cause, else by the status."""
    host = profile.host
    words = clip(profile.key.redact(_message(body) or phrase), 200)
    unquoted = _unquoted(body)
    kind, message, hint, retryable = "bad-request", f"turned the request down ({status}): {words}", "", False
    cause = next((cause for cause in CAUSES if cause[1].search(unquoted)), None)
    if status == 401:
        kind, message = "unauthorized", f"does not accept the key ({status})"
        hint = "set OPENAI_API_KEY for OpenAI's own host, or key_env in the profile of this one"
    elif cause is not None or status == 402:
        kind, _, message, hint = cause if cause is not None else CAUSES[-1]
        message = f"{message} ({status}): {words}"
    elif status == 403:
        kind, message = "forbidden", f"forbids this ({status}): {words}"
    elif status == 404:
        kind, message = "no-such-model", f"has no model {clip(profile.model)} ({status}): {words}"
        hint = "check the model's name and --base-url"
    elif status == 429:
        kind, message, retryable = "rate-limited", f"is busy ({status}): {words}", True
        hint = f"it asks to wait {after:g} s" if after is not None else ""
        hint += " or longer" if after == LONGEST_WAIT else ""
    elif status in (408, 409) or (status >= 500 and status != 501):
        kind, message, retryable = "server-error", f"failed ({status}): {words}", True
    elif 300 <= status < 400:
        kind, message = "redirected", f"redirects elsewhere ({status})"
        hint = "give the address that it redirects to"
    return ServiceError(kind, f"{host} {message}", hint, retryable, status, after, unquoted)


def _unquoted(body: object) -> str:
    """Return the fields of an error but for those in which it quotes the request."""
    quoted = ("input: ", "body: ", "request: ")
    return "; ".join(f for f in _fields(body) if not f.startswith(quoted))[:10_000]


def _message(body: object) -> str:
    """Return the server's own words, wherever it puts them; of a body without a message its fields."""
    if isinstance(body, Mapping):
        inner = body.get("error", body)
        message = inner.get("message") if isinstance(inner, Mapping) else inner
        if message and isinstance(message, str):
            return message
    if isinstance(body, str) and _WEB_PAGE.match(body):
        page = " ".join(re.sub(r"<[^>]*>", " ", body[:10_000]).split())
        return f"a web page ({page}), not a model's answer"
    return "; ".join(_fields(body))


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
