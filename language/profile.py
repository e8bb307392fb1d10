"""Where a model is and how it is asked: profiles from flags, the environment or a TOML file.

A key belongs to the host of its profile and goes nowhere else: ``OPENAI_API_KEY`` is sent to OpenAI's own
host only, or to the host that ``OPENAI_BASE_URL`` names, and so are ``OPENAI_ORG_ID`` and
``OPENAI_PROJECT_ID``. A key is wrapped so that printing a profile, an error or a record cannot show it.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlsplit

from .. import __version__
from ..domains.errors import InputError, clip, did_you_mean
from .chat import FORMS, Form

OPENAI_URL = "https://api.openai.com/v1"
KEYS = ("base_url", "model", "key_env", "temperature", "seed", "form", "api", "timeout", "max_tokens")

SHORTEST = 8
"""Characters of the shortest key that is a secret; ``none``, ``EMPTY`` and the like are placeholders."""


class Secret:
    """A text that is only shown to who asks for it by name."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        return self._text

    def redact(self, text: str) -> str:
        """A text with the secret blotted out."""
        return text.replace(self._text, "[key]") if len(self._text) >= SHORTEST else text

    def begun(self, text: str) -> int:
        """How many characters at the end of a text could be the beginning of the secret."""
        longest = min(len(self._text) - 1, len(text)) if len(self._text) >= SHORTEST else 0
        return next((n for n in range(longest, 0, -1) if text.endswith(self._text[:n])), 0)

    def __repr__(self) -> str:
        return "Secret(…)"

    def __bool__(self) -> bool:
        return bool(self._text)


@dataclass(frozen=True, slots=True)
class Profile:
    """One model on one server. ``form`` pins how answers are constrained; ``None`` finds out.

    ``timeout`` is the seconds that one answer may take. ``account`` are headers that go along with the key.
    """

    model: str
    base_url: str = OPENAI_URL
    key: Secret = field(default_factory=lambda: Secret(""), compare=False)
    account: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)
    temperature: float = 0.0
    seed: int | None = 0
    form: Form | None = None
    api: str = "chat"
    timeout: float = 120.0
    max_tokens: int = 1024

    def __post_init__(self) -> None:
        _check_url(self.base_url)
        if self.form is not None and self.form not in FORMS:
            raise InputError("form", f"one of {', '.join(FORMS)}", clip(self.form))
        if self.api not in ("chat", "responses"):
            raise InputError("api", "chat or responses", clip(self.api))
        if (
            not 0 < self.timeout <= 3600
            or not 0 <= self.temperature <= 2
            or not 1 <= self.max_tokens <= 32768
        ):
            expected = "timeout up to 3600 s, temperature 0 to 2, max_tokens up to 32768"
            raise InputError("profile", expected, "a value outside")

    @property
    def host(self) -> str:
        """The host that the key belongs to."""
        return origin(self.base_url)

    @property
    def settings(self) -> dict[str, object]:
        """What shapes an answer beside the request itself: part of a recording's key."""
        return {"temperature": self.temperature, "seed": self.seed, "form": self.form, "api": self.api}

    def headers(self) -> dict[str, str]:
        """What goes out with every request and to nobody else."""
        key = {"Authorization": f"Bearer {self.key.reveal()}", **self.account} if self.key else {}
        return {"User-Agent": f"groundplan/{__version__}", **key}


def origin(url: str) -> str:
    """Scheme, host and port of an address. Raises :class:`InputError`."""
    _check_url(url)
    parts = urlsplit(url)
    port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return f"{parts.scheme}://{host}:{port}"


def _check_url(url: str) -> None:
    """Whether an address can be a server's. What may hold a secret is never shown."""
    expected = "http://HOST/v1 or https://HOST/v1"
    try:
        parts = urlsplit(url)
        known = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is no number, half an IPv6 address
        raise InputError("base URL", expected, "another kind of address") from None
    if parts.username or parts.password or parts.query or parts.fragment:
        hint = "put the key into an environment variable and name it with key_env"
        raise InputError("base URL", "an address without user, password and query", "one with", hint)
    if not known or not url.isprintable() or " " in url:
        raise InputError("base URL", expected, clip(url))


def profile(
    model: str,
    base_url: str | None = None,
    file: Path | None = None,
    environment: Mapping[str, str] | None = None,
    **changes: object,
) -> Profile:
    """Put a profile together: flags first, then the file's table for the model, then the environment.

    Raises :class:`InputError` naming file, table and key.
    """
    env = os.environ if environment is None else environment
    table = _table(file, model) if file is not None else {}
    url = base_url or _text(table, "base_url", file) or env.get("OPENAI_BASE_URL") or OPENAI_URL
    key_env, table_url = _text(table, "key_env", file), _text(table, "base_url", file)
    key, account = Secret(""), {}
    if key_env is not None:
        # The table's key goes to the table's host only, whatever --base-url says.
        if origin(url) == origin(table_url or OPENAI_URL):
            key = _secret(env, key_env)
    elif origin(url) == origin(env.get("OPENAI_BASE_URL") or OPENAI_URL):
        key = _secret(env, "OPENAI_API_KEY")
        named = {"OpenAI-Organization": "OPENAI_ORG_ID", "OpenAI-Project": "OPENAI_PROJECT_ID"}
        found_ids = {header: _secret(env, name).reveal() for header, name in named.items()}
        account = {header: value for header, value in found_ids.items() if value}
    found = Profile(_text(table, "model", file) or model, url, key, account)
    values = {k: table[k] for k in KEYS[3:] if k in table} | {
        k: v for k, v in changes.items() if v is not None
    }
    try:
        return replace(found, **values)  # type: ignore[arg-type]
    except TypeError as error:
        raise InputError("profile", "numbers and words of the right kind", clip(str(error))) from None


def _secret(env: Mapping[str, str], name: str) -> Secret:
    """A variable whose value can be a header. Raises :class:`InputError` without showing it."""
    found = Secret(env.get(name, "").strip())
    if not (found.reveal().isascii() and found.reveal().isprintable() and " " not in found.reveal()):
        raise InputError(name, "printable ASCII without spaces", "something else")
    return found


def _table(file: Path, name: str) -> Mapping[str, object]:
    try:
        raw = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(str(file), "a readable TOML file", clip(str(error))) from error
    models = raw.get("models", {})
    if not isinstance(models, dict):
        raise InputError(f"{file}: models", "tables [models.NAME]", type(models).__name__)
    table = models.get(name, {})
    if not isinstance(table, dict):
        raise InputError(f"{file}: models.{clip(name)}", "a table", type(table).__name__)
    for key in table:
        if key not in KEYS:
            hint = did_you_mean(key, KEYS)
            if key in ("key", "api_key", "token"):
                hint = "name the environment variable that holds the key with key_env"
            raise InputError(
                f"{file}: models.{clip(name)}.{clip(key)}", f"one of {', '.join(KEYS)}", "another", hint
            )
    return table


def _text(table: Mapping[str, object], key: str, file: Path | None) -> str | None:
    value = table.get(key)
    if value is not None and not isinstance(value, str):
        raise InputError(f"{file}: {key}", "a string", clip(value))
    return value
