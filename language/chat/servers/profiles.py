"""Profile files: TOML with a table ``[models.NAME]`` for each model.

A file may hold what does not belong there, a key above all, so messages say where something is wrong and
what is expected, and show of the file only what is nearly a word that they know.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path

from ....domains.errors import InputError, clip, did_you_mean, nearest
from .settings import FLAGS, shown

TEXTS = ("base_url", "model", "key_env")
KEYS = (*TEXTS, *FLAGS)
MAX_BYTES = 1024 * 1024

_WORD = re.compile(r"[A-Za-z_]{1,20}")
_PLACE = re.compile(r"\(at [a-z0-9, ]+\)")


def table_of(file: Path, name: str) -> Mapping[str, object]:
    """The table of a model; its texts are texts, its settings are unchecked. Raises :class:`InputError`."""
    where = clip(str(file), 200)
    raw = _read(file, where)
    for key in raw:
        if key != "models":
            got, hint = _told(key, ("models",))
            raise InputError(where, "tables [models.NAME] and nothing else", got, hint)
    models = raw.get("models", {})
    if not isinstance(models, dict):
        raise InputError(f"{where}: models", "tables [models.NAME]", shown(models))
    if name not in models:
        near = [m for m in nearest(name, models) if len(m) <= 40]
        raise InputError(where, f"a table [models.{clip(name)}]", "none", did_you_mean(name, near))
    table, at = models[name], f"{where}: models.{clip(name)}"
    if not isinstance(table, dict):
        raise InputError(at, "a table", shown(table))
    for key, value in table.items():
        if key not in KEYS:
            got, hint = _told(key, KEYS)
            if key in ("key", "api_key", "token"):
                hint = "name the environment variable that holds the key with key_env"
            raise InputError(at, f"one of {', '.join(KEYS)}", got, hint)
        if key in TEXTS and (not isinstance(value, str) or not value):
            got = "an empty one" if value == "" else shown(value)
            raise InputError(f"{at}.{key}", "a text", got)
    return table


def _read(file: Path, where: str) -> Mapping[str, object]:
    expected = "a readable TOML file"
    try:
        with file.open("rb") as source:
            data = source.read(MAX_BYTES + 1)
    except OSError as error:
        raise InputError(where, expected, error.strerror or "one that is not") from None
    if len(data) > MAX_BYTES:
        raise InputError(where, f"a TOML file of at most {MAX_BYTES} bytes", "more")
    try:
        return tomllib.loads(data.decode("utf-8"))
    except UnicodeDecodeError:
        raise InputError(where, expected, "text that is no UTF-8") from None
    except RecursionError:
        raise InputError(where, expected, "one that is nested too deeply") from None
    except tomllib.TOMLDecodeError as error:
        # Its message begins with plain words and ends with the place; what is between quotes the file.
        words, place = re.match(r"[A-Za-z ,]*", str(error)), _PLACE.search(str(error))
        told = f"{words.group().strip() if words else ''} {place.group() if place else ''}".strip()
        raise InputError(where, expected, told or "another text") from None
    except ValueError:  # a number of too many digits, a date that is none
        raise InputError(where, expected, "a value that cannot be read") from None


def _told(key: str, known: Iterable[str]) -> tuple[str, str]:
    """A wrong key for a message, shown only where it is a slip of a known one; and a hint."""
    near = nearest(key, known) if _WORD.fullmatch(key) else ()
    return (clip(key), did_you_mean(key, near)) if near else ("another", "")
