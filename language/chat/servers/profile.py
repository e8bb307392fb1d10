"""Profiles: a model, its server, its key and how it is asked, from options, a TOML file and the environment.

A key belongs to the host of its profile and goes nowhere else: ``OPENAI_API_KEY`` is sent to OpenAI's own
host only, or to the host that ``OPENAI_BASE_URL`` names, and so are ``OPENAI_ORG_ID`` and
``OPENAI_PROJECT_ID``. The same settings come from a file and from options, so a message names both; it never
shows a text that stood where a setting should be, since keys get pasted into the wrong line. A new setting
needs a line in ``FLAGS`` and ``EXPECTED``, a field of :class:`Profile` and a place in ``requests.py``.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, get_args
from urllib.parse import urlsplit

import httpx2

from .... import __version__
from ....domains.errors import InputError, UnsupportedInput, clip, did_you_mean, nearest
from ....domains.files import check_keys, read_text
from .model import FORMS, AnswerForm
from .secret import Secret

OPENAI_URL = "https://api.openai.com/v1"
MAX_FILE_BYTES = 1024 * 1024
MAX_URL = 2000
"""Most characters of an address; the client takes 65,536 with its own part."""

APIS = ("chat", "responses")
GoalForm = Literal["pddl", "sentences"]
"""Form in which a model writes goals: formulas, or sentences of the pack."""
UNSENT = "default"
"""As a temperature: none is sent, and the server uses its own."""

FLAGS: Mapping[str, str] = {
    "temperature": "--temperature",
    "seed": "--seed",
    "form": "--form",
    "api": "--api",
    "timeout": "--answer-timeout",
    "goal": "--goal-form",
    "max_tokens": "--max-answer-tokens",
}
"""The settings, each with its option."""

WORDS: Mapping[str, tuple[str, ...]] = {
    "form": FORMS,
    "api": APIS,
    "goal": get_args(GoalForm),
}
"""The settings that are one of several words."""

MOST_TOKENS = 32_768
"""Most tokens that one answer may be allowed."""

EXPECTED: Mapping[str, str] = {
    "temperature": f"a number from 0 to 2, or {UNSENT}",
    "seed": "a whole number of at most 63 bits",
    "form": f"one of {', '.join(FORMS)}",
    "api": " or ".join(APIS),
    "timeout": "seconds above 0, at most 3600",
    "goal": " or ".join(WORDS["goal"]),
    "max_tokens": f"a whole number from 1 to {MOST_TOKENS}",
}

TEXTS = ("base_url", "model", "key_env")
KEYS = (*TEXTS, *FLAGS)
"""Keys of a table ``[models.NAME]``."""

_WORD = re.compile(r"[A-Za-z_]{1,20}")
_PLACE = re.compile(r"\(at [a-z0-9, ]+\)")


@dataclass(frozen=True, slots=True)
class Profile:
    """One model on one server. ``form`` pins how answers are constrained; ``None`` tries the strongest first.

    ``timeout`` is the seconds that one answer may take. ``account`` are headers that go along with the key.
    ``temperature`` and ``seed`` are not sent where they are ``None``; ``max_tokens`` counts in place of what
    a request allows; ``goal`` is the form of goals, ``None`` for the usual one. Raises :class:`InputError`.
    """

    model: str
    base_url: str = OPENAI_URL
    key: Secret = field(default_factory=lambda: Secret(""), compare=False)
    account: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)
    temperature: float | None = 0.0
    seed: int | None = 0
    form: AnswerForm | None = None
    api: str = "chat"
    timeout: float = 120.0
    max_tokens: int | None = None
    goal: GoalForm | None = None

    def __post_init__(self) -> None:
        _check_url(self.base_url)
        if not 0 < len(self.model) <= 200 or not self.model.isprintable():
            raise InputError("model", "a printable name of at most 200 characters", "another text")
        checked({name: getattr(self, name) for name in FLAGS if name != "seed" or self.api == "chat"})

    @property
    def host(self) -> str:
        """The host that the key belongs to."""
        return origin(self.base_url)

    @property
    def settings(self) -> dict[str, object]:
        """Settings that shape an answer beside the request itself: part of a recording's key."""
        seed = self.seed if self.api == "chat" else None  # the responses API has none
        given = {"temperature": self.temperature, "seed": seed, "form": self.form, "api": self.api}
        return {**given, **({} if self.max_tokens is None else {"max_tokens": self.max_tokens})}

    def headers(self) -> dict[str, str]:
        """Return the headers of every request; they go to nobody else."""
        key = {"Authorization": f"Bearer {self.key.reveal()}", **self.account} if self.key else {}
        return {"User-Agent": f"groundplan/{__version__}", **key}


def origin(url: str) -> str:
    """Return scheme, host and port of an address. Raises :class:`InputError`."""
    _check_url(url)
    parts = urlsplit(url)
    port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return f"{parts.scheme}://{host}:{port}"


def _check_url(url: str) -> None:
    """Refuse an address that no server can have. What may hold a secret is never shown."""
    expected = "http://HOST/v1 or https://HOST/v1"
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is not a number, half an IPv6 address
        raise InputError("base URL", expected, "another kind of address") from None
    if parts.username or parts.password or parts.fragment or not _is_version(parts.query):
        hint = "put the key into an environment variable and name it with key_env"
        raise InputError("base URL", "an address without user, password and query", "one with", hint)
    if len(url) > MAX_URL:
        raise InputError("base URL", f"an address of at most {MAX_URL} characters", "a longer one")
    if not usable or not url.isprintable() or " " in url or not _can_be_asked(url):
        raise InputError("base URL", expected, "another kind of address" if url else "an empty one")


def _is_version(query: str) -> bool:
    """Return whether a query is none, or the version of an API as Azure wants it: all else may be a key."""
    return not query or re.fullmatch(r"api-version=[a-z0-9.-]{1,24}", query) is not None


def _can_be_asked(url: str) -> bool:
    """Return whether the client takes an address: letters of other scripts in its host are converted."""
    try:
        httpx2.URL(url).raw_host.decode("ascii").encode("idna")
    except (httpx2.InvalidURL, UnicodeError):  # a sign that no host has, a part that is empty or too long
        return False
    return True


def profile(
    model: str,
    base_url: str | None = None,
    file: Path | None = None,
    environment: Mapping[str, str] | None = None,
    **options: object,
) -> Profile:
    """Put a profile together: options first, then the file's table for the model, then the environment.

    Raises :class:`InputError` naming file, table and key.
    """
    env = os.environ if environment is None else environment
    table = _table(file, model) if file is not None else {}
    at = f"{clip(str(file), 200)}: models.{clip(model)}." if file is not None else ""
    texts = {name: value for name, value in table.items() if isinstance(value, str)}
    table_url, key_env = texts.get("base_url"), texts.get("key_env")
    url = base_url if base_url is not None else table_url or env.get("OPENAI_BASE_URL") or OPENAI_URL
    key, account = Secret(""), {}
    if key_env is not None:
        # The table's key goes to the table's host only, whatever --base-url says.
        if origin(url) == origin(table_url or OPENAI_URL):
            key = _header(env, key_env, f"{at}key_env")
            if not key:
                hint = did_you_mean(key_env, env) if len(key_env) <= 40 else ""
                raise InputError(f"{at}key_env", "a variable of the environment that is set", "none", hint)
    elif origin(url) == origin(env.get("OPENAI_BASE_URL") or OPENAI_URL):
        key = _header(env, "OPENAI_API_KEY")
        variables = {"OpenAI-Organization": "OPENAI_ORG_ID", "OpenAI-Project": "OPENAI_PROJECT_ID"}
        headers = {header: _header(env, name).reveal() for header, name in variables.items()}
        account = {header: value for header, value in headers.items() if value}
    of_file = checked({name: table[name] for name in FLAGS if name in table}, at)
    of_options = checked({name: value for name, value in options.items() if value is not None})
    settings = checked(of_file | of_options)
    return replace(Profile(texts.get("model", model), url, key, account), **settings)  # type: ignore[arg-type]


def _header(env: Mapping[str, str], name: str, where: str = "") -> Secret:
    """Return a variable whose value can be a header. Raises :class:`InputError` without showing it."""
    value = env.get(name, "").strip()
    if not (value.isascii() and value.isprintable() and " " not in value):
        raise InputError(where or name, "printable ASCII without spaces", "something else")
    return Secret(value)


def checked(settings: Mapping[str, object], where: str = "") -> dict[str, object]:
    """Check settings; a temperature that is not to be sent becomes ``None``, and what is ``None`` stays so.

    ``where`` goes before the name of a setting in messages. Raises :class:`InputError`.
    """
    for name, value in settings.items():
        if value is not None and not _fits(name, value):
            hint = did_you_mean(value, WORDS.get(name, ())) if isinstance(value, str) else ""
            raise InputError(where + _label(name), EXPECTED[name], _kind(value), hint)
    if settings.get("api") == "responses" and settings.get("seed") is not None:
        hint = "leave it out, or use the API chat"
        raise UnsupportedInput(where + _label("seed"), "the responses API does not support a seed", hint)
    return {name: None if value == UNSENT else value for name, value in settings.items()}


def _label(name: str) -> str:
    return f"{name} ({FLAGS[name]})"


def _fits(name: str, value: object) -> bool:
    if name in WORDS:
        return value in WORDS[name]
    if name == "temperature" and value == UNSENT:
        return True
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    match name:
        case "temperature":
            return 0 <= value <= 2
        case "timeout":
            return 0 < value <= 3600
        case "seed":
            return isinstance(value, int) and -(2**63) <= value < 2**63
    return isinstance(value, int) and 1 <= value <= MOST_TOKENS


def _kind(value: object) -> str:
    """Describe a wrong value: numbers as they are, of all else only the kind."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return clip(value)
    kinds = ((str, "another text"), (list, "a list"), (dict, "a table"))
    return next((words for kind, words in kinds if isinstance(value, kind)), "something else")


# Profile files


def _table(file: Path, name: str) -> Mapping[str, object]:
    """Return the table of a model; its texts are texts, its settings are unchecked."""
    where = clip(str(file), 200)
    raw = _read(file, where)
    for key in raw:
        if key != "models":
            got, hint = _misspelt(key, ("models",))
            raise InputError(where, "tables [models.NAME] and nothing else", got, hint)
    models = raw.get("models", {})
    if not isinstance(models, dict):
        raise InputError(f"{where}: models", "tables [models.NAME]", _kind(models))
    if name not in models:
        near = [m for m in nearest(name, models) if len(m) <= 40]
        raise InputError(where, f"a table [models.{clip(name)}]", "none", did_you_mean(name, near))
    table, at = models[name], f"{where}: models.{clip(name)}"
    if not isinstance(table, dict):
        raise InputError(at, "a table", _kind(table))
    for key, value in table.items():
        if key not in KEYS:
            got, hint = _misspelt(key, KEYS)
            if key in ("key", "api_key", "token"):
                hint = "name the environment variable that holds the key with key_env"
            raise InputError(at, f"one of {', '.join(KEYS)}", got, hint)
        if key in TEXTS and (not isinstance(value, str) or not value):
            raise InputError(f"{at}.{key}", "a text", "an empty one" if value == "" else _kind(value))
    return table


def _read(file: Path, where: str) -> Mapping[str, object]:
    """Return the tables of a file. Its text may hold a key and is not repeated in an error."""
    expected = "a readable TOML file"
    text = read_text(file, MAX_FILE_BYTES, expected=expected)
    check_keys(text, where)
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise InputError(where, expected, "one that is nested too deeply") from None
    except tomllib.TOMLDecodeError as error:
        # Its message begins with plain words and ends with the place; what is between quotes the file.
        words, place = re.match(r"[A-Za-z ,]*", str(error)), _PLACE.search(str(error))
        problem = f"{words.group().strip() if words else ''} {place.group() if place else ''}".strip()
        raise InputError(where, expected, problem or "another text") from None
    except ValueError:  # a number of too many digits, a date that does not exist
        raise InputError(where, expected, "a value that cannot be read") from None


def _misspelt(key: str, keys: Iterable[str]) -> tuple[str, str]:
    """Return a wrong key as a message may show it, only where it is a slip of another one; and a hint."""
    near = nearest(key, keys) if _WORD.fullmatch(key) else ()
    return (clip(key), did_you_mean(key, near)) if near else ("another", "")


OPENAI_HOST = origin(OPENAI_URL)
