"""Where a model is and how it is asked: profiles from flags, the environment or a TOML file.

A key belongs to the host of its profile and goes nowhere else: ``OPENAI_API_KEY`` is sent to OpenAI's own
host only, or to the host that ``OPENAI_BASE_URL`` names. A key is wrapped so that printing a profile, an
error or a record cannot show it.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlsplit

from ..domains.errors import InputError, clip, did_you_mean
from .chat import FORMS, Form

OPENAI_URL = "https://api.openai.com/v1"
KEYS = ("base_url", "model", "key_env", "temperature", "seed", "form", "api", "timeout", "max_tokens")


class Secret:
    """A text that is only shown to who asks for it by name."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        return self._text

    def redact(self, text: str) -> str:
        """A text with the secret blotted out."""
        return text.replace(self._text, "[key]") if self._text else text

    def __repr__(self) -> str:
        return "Secret(…)"

    def __bool__(self) -> bool:
        return bool(self._text)


@dataclass(frozen=True, slots=True)
class Profile:
    """One model on one server. ``form`` pins how answers are constrained; ``None`` finds out.

    ``timeout`` is the seconds that one answer may take.
    """

    model: str
    base_url: str = OPENAI_URL
    key: Secret = field(default_factory=lambda: Secret(""), compare=False)
    temperature: float = 0.0
    seed: int | None = 0
    form: Form | None = None
    api: str = "chat"
    timeout: float = 120.0
    max_tokens: int = 1024

    def __post_init__(self) -> None:
        parts = urlsplit(self.base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InputError("base URL", "http://HOST/v1 or https://HOST/v1", clip(self.base_url))
        if parts.username or parts.password:
            hint = "put the key into an environment variable and name it with key_env"
            raise InputError("base URL", "an address without user and password", "one with", hint)
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


def origin(url: str) -> str:
    """Scheme, host and port of an address."""
    parts = urlsplit(url)
    port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    return f"{parts.scheme}://{parts.hostname}:{port}"


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
    key = ""
    key_env = _text(table, "key_env", file)
    table_url = _text(table, "base_url", file)
    if key_env is not None:
        # The table's key goes to the table's host only, whatever --base-url says.
        if origin(url) == origin(table_url or OPENAI_URL):
            key = env.get(key_env, "")
    elif origin(url) == origin(env.get("OPENAI_BASE_URL") or OPENAI_URL):
        key = env.get("OPENAI_API_KEY", "")
    found = Profile(_text(table, "model", file) or model, url, Secret(key.strip()))
    values = {k: table[k] for k in KEYS[3:] if k in table} | {
        k: v for k, v in changes.items() if v is not None
    }
    try:
        return replace(found, **values)  # type: ignore[arg-type]
    except TypeError as error:
        raise InputError("profile", "numbers and words of the right kind", clip(str(error))) from None


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
