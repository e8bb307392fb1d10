"""Where a model is and how it is asked: profiles from flags, the environment or a TOML file.

A key belongs to the host of its profile and goes nowhere else: ``OPENAI_API_KEY`` is sent to OpenAI's own
host only, or to the host that ``OPENAI_BASE_URL`` names, and so are ``OPENAI_ORG_ID`` and
``OPENAI_PROJECT_ID``. A key is wrapped so that printing a profile, an error or a record cannot show it.
"""

from __future__ import annotations

import html
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import quote, urlsplit

from .... import __version__
from ....domains.errors import InputError, clip, did_you_mean
from .escapes import blotted
from .model import Form
from .profiles import table_of
from .settings import FLAGS, settings

OPENAI_URL = "https://api.openai.com/v1"

SHORTEST = 8
"""Characters of the shortest key that is a secret; ``none``, ``EMPTY`` and the like are placeholders."""


class Secret:
    """A text that is only shown to who asks for it by name."""

    __slots__ = ("_forms", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._forms = _written(text) if len(text) >= SHORTEST else ()

    def reveal(self) -> str:
        return self._text

    def redact(self, text: str) -> str:
        """A text with the secret blotted out, also where all of it is escaped in a usual way."""
        for form in self._forms:
            text = text.replace(form, "[key]")
        return text

    def redact_answer(self, text: str) -> str:
        """A text that will be read as JSON, with the secret blotted out, whichever of it is escaped."""
        return blotted(self.redact(text), self._text, "[key]") if self._forms else text

    def begun(self, text: str) -> int:
        """How many characters at the end of a text could be the beginning of the secret."""
        longest = min(max(map(len, self._forms), default=1) - 1, len(text))
        ends = (n for n in range(longest, 0, -1) if any(f.startswith(text[-n:]) for f in self._forms))
        return next(ends, 0)

    def __repr__(self) -> str:
        return "Secret(…)"

    def __bool__(self) -> bool:
        return bool(self._text)


def _written(text: str) -> tuple[str, ...]:
    """How a text may be written in JSON, Python, HTML and addresses; longest first."""
    plain = text.replace("\\", "\\\\")
    quoted = (plain.replace("'", "\\'"), plain.replace('"', '\\"'), json.dumps(text)[1:-1], repr(text)[1:-1])
    forms = dict.fromkeys((text, plain, *quoted, html.escape(text), quote(text), quote(text, safe="")))
    return tuple(sorted(forms, key=len, reverse=True))


@dataclass(frozen=True, slots=True)
class Profile:
    """One model on one server. ``form`` pins how answers are constrained; ``None`` finds out.

    ``timeout`` is the seconds that one answer may take. ``account`` are headers that go along with the key.
    ``temperature`` and ``seed`` are not sent where they are ``None``; ``max_tokens`` counts in place of what
    a request allows. Raises :class:`InputError`.
    """

    model: str
    base_url: str = OPENAI_URL
    key: Secret = field(default_factory=lambda: Secret(""), compare=False)
    account: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)
    temperature: float | None = 0.0
    seed: int | None = 0
    form: Form | None = None
    api: str = "chat"
    timeout: float = 120.0
    max_tokens: int | None = None

    def __post_init__(self) -> None:
        _check_url(self.base_url)
        if not 0 < len(self.model) <= 200 or not self.model.isprintable():
            raise InputError("model", "a printable name of at most 200 characters", "another text")
        settings({name: getattr(self, name) for name in FLAGS if name != "seed" or self.api == "chat"})

    @property
    def host(self) -> str:
        """The host that the key belongs to."""
        return origin(self.base_url)

    @property
    def settings(self) -> dict[str, object]:
        """What shapes an answer beside the request itself: part of a recording's key."""
        seed = self.seed if self.api == "chat" else None  # the responses API has none
        given = {"temperature": self.temperature, "seed": seed, "form": self.form, "api": self.api}
        return {**given, **({} if self.max_tokens is None else {"max_tokens": self.max_tokens})}

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
        raise InputError("base URL", expected, "another kind of address" if url else "an empty one")


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
    table = table_of(file, model) if file is not None else {}
    at = f"{clip(str(file), 200)}: models.{clip(model)}." if file is not None else ""
    texts = {name: value for name, value in table.items() if isinstance(value, str)}
    table_url, key_env = texts.get("base_url"), texts.get("key_env")
    url = base_url if base_url is not None else table_url or env.get("OPENAI_BASE_URL") or OPENAI_URL
    key, account = Secret(""), {}
    if key_env is not None:
        # The table's key goes to the table's host only, whatever --base-url says.
        if origin(url) == origin(table_url or OPENAI_URL):
            key = _secret(env, key_env, f"{at}key_env")
            if not key:
                hint = did_you_mean(key_env, env) if len(key_env) <= 40 else ""
                raise InputError(f"{at}key_env", "a variable of the environment that is set", "none", hint)
    elif origin(url) == origin(env.get("OPENAI_BASE_URL") or OPENAI_URL):
        key = _secret(env, "OPENAI_API_KEY")
        named = {"OpenAI-Organization": "OPENAI_ORG_ID", "OpenAI-Project": "OPENAI_PROJECT_ID"}
        found_ids = {header: _secret(env, name).reveal() for header, name in named.items()}
        account = {header: value for header, value in found_ids.items() if value}
    found = Profile(texts.get("model", model), url, key, account)
    listed = {name: table[name] for name in FLAGS if name in table}
    flags = {name: value for name, value in changes.items() if value is not None}
    values = settings(listed, at) | settings(flags)
    return replace(found, **settings(values))  # type: ignore[arg-type]


def _secret(env: Mapping[str, str], name: str, where: str = "") -> Secret:
    """A variable whose value can be a header. Raises :class:`InputError` without showing it."""
    found = Secret(env.get(name, "").strip())
    if not (found.reveal().isascii() and found.reveal().isprintable() and " " not in found.reveal()):
        raise InputError(where or name, "printable ASCII without spaces", "something else")
    return found


OPENAI_HOST = origin(OPENAI_URL)
