"""Prompts as files: those that come along, in versions, and those of users, with what each may hold.

A text holds placeholders, ``{name}``, of two kinds. *Settings* stand for what a pack says, and are filled in
once. *Fields* are the data of a request; a text that has any of them has all that each request needs, and is
then sent as one message, filled in. A text without fields is the system message, and the fields follow it.
Filling is one pass of plain replacement: nothing in a file or in data is evaluated. :class:`PromptForm` says
what a prompt may hold, and shipped files are held against it by tests.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from ...domains.errors import InputError, clip, did_you_mean
from ...domains.files import read_text

MAX_BYTES = 400_000
"""Most bytes of a prompt of a user: about 100,000 tokens."""
_HOLE = re.compile(r"\{([A-Za-z0-9](?:[A-Za-z0-9 _-]{0,38}[A-Za-z0-9])?)\}")
"""A placeholder. Braces with blanks inside, quotes or commas are text like any other."""


@dataclass(frozen=True, slots=True)
class OwnPrompt:
    """A prompt of a user in place of one that comes along. ``sha256`` begins the hash of its text."""

    name: str
    sha256: str
    text: str = field(repr=False)


def version(text: str) -> str:
    """Return the first characters of a text's SHA-256."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def placeholders(text: str) -> tuple[str, ...]:
    """Return the names of the placeholders in a text, each once, in order."""
    return tuple(dict.fromkeys(map(_spaced, _HOLE.findall(text))))


def fill(text: str, values: Mapping[str, str]) -> str:
    """Return a text with the placeholders that have a value filled in, in one pass."""
    return _HOLE.sub(lambda hole: values.get(_spaced(hole[1]), hole[0]), text)


def _spaced(name: str) -> str:
    """Return a name as fields have it: ``base_location`` of a template is the field ``base location``."""
    return name.replace("_", " ")


@dataclass(frozen=True, slots=True)
class PromptForm:
    """A prompt by name: its files in a package, and what its text may hold.

    ``must`` and ``may`` are settings. A text has all ``fields`` or none; ``optional`` ones are not in every
    request, and follow the text where it does not place them. ``sections`` are headings (``## name``) that it
    has. ``file`` is the name of its files where that is another one; with the ``default`` 0 there is but one.
    ``declines`` is the section of the prompt ``declining`` that it is told of, if any.
    """

    name: str
    package: str
    about: str
    fields: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    must: tuple[str, ...] = ()
    may: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    file: str = ""
    default: int = 1
    declines: str = ""

    @property
    def holds(self) -> tuple[str, ...]:
        """All placeholders that a text may have."""
        return (*self.must, *self.may, *self.fields, *self.optional)

    @property
    def versions(self) -> tuple[int, ...]:
        """The versions that come along."""
        return _versions(self.package, self.file or self.name)

    def text(self, own: Sequence[OwnPrompt] = (), version: int | None = None) -> str:
        """Return the text: the one of a user, if there is one, or a version that comes along."""
        mine = next((one.text for one in own if one.name == self.name), None)
        return shipped(self.package, self.file_of(version)) if mine is None else mine

    def file_of(self, version: int | None = None) -> str:
        """Return the name of a file that comes along, without its ending."""
        number = self.default if version is None else version
        return f"{self.file or self.name}-{number}" if number else self.file or self.name

    def own(self, path: Path) -> OwnPrompt:
        """Read a user's file. Raises :class:`InputError` for one that the prompt cannot be."""
        text = read_text(path, MAX_BYTES)
        self.check(text, f"prompt {self.name} in {clip(str(path), 200)}")
        return OwnPrompt(self.name, version(text), text)

    def check(self, text: str, where: str) -> None:
        """Raise :class:`InputError` for a text with an unknown placeholder, or without one that it needs."""
        if not text.strip():
            raise InputError(where, "a text", "an empty one")
        placed = placeholders(text)
        for name in _HOLE.findall(text):
            if _spaced(name) not in self.holds:
                listed = ", ".join(f"{{{one}}}" for one in self.holds) or "none"
                hint = did_you_mean(name, self.holds) or "braces that are text have blanks inside: { word }"
                raise InputError(where, f"its placeholders ({listed})", f"{{{name}}}", hint)
        needed = [*self.must]
        if any(name in placed for name in (*self.fields, *self.optional)):
            needed += self.fields
        for name in needed:
            if name not in placed:
                raise InputError(where, f"a text with {{{name}}}", "none", self._hint(name))
        for name in self.sections:
            if f"\n## {name}\n" not in f"\n{text}":
                raise InputError(where, f"a section ## {name}", "none")

    def _hint(self, name: str) -> str:
        """Return what to do where a placeholder is missing."""
        if name in self.must:
            return "it is filled in with what the domain pack says"
        return "place all fields, or none: then they follow the text in a message of their own"


@cache
def forms_of(package: str) -> Mapping[str, PromptForm]:
    """Return the prompts of a package by name, as ``prompts/forms.toml`` has them."""
    rows = tomllib.loads(files(package).joinpath("prompts", "forms.toml").read_text(encoding="utf-8"))
    forms: dict[str, PromptForm] = {}
    for name, row in rows.items():
        given: dict[str, Any] = {key: tuple(v) if isinstance(v, list) else v for key, v in row.items()}
        forms[name] = PromptForm(name, package, **given)
    return forms


def sections(text: str) -> Mapping[str, str]:
    """Return the parts of a prompt with several stages: each by its heading, the first by none."""
    first, *others = text.split("\n## ")
    parts = (part.partition("\n") for part in others)
    return {"": first.strip(), **{head.strip(): body.strip() for head, _, body in parts}}


@cache
def shipped(package: str, name: str) -> str:
    """Return the text of a prompt file of a package."""
    return files(package).joinpath("prompts", f"{name}.md").read_text(encoding="utf-8")


@cache
def _versions(package: str, start: str) -> tuple[int, ...]:
    names = (f.name.removesuffix(".md") for f in files(package).joinpath("prompts").iterdir())
    ends = (name.removeprefix(f"{start}-") for name in names if name.startswith(f"{start}-"))
    return tuple(sorted(int(end) for end in ends if end.isdigit()))
