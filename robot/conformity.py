"""Conformity of JSON to a schema: as much of JSON Schema as the schemas of this package use.

Types, constants, alternatives, bounds of numbers, lengths of lists, items, properties and references. A
keyword that is not looked at lets everything through; whoever uses another one in a schema adds it here. The
package ``jsonschema`` checks all, and takes 0.1 s to load and four packages more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..domains.errors import clip

TYPES: Mapping[str, tuple[tuple[type, ...], str]] = {
    "string": ((str,), "a text"),
    "number": ((int, float), "a number"),
    "integer": ((int,), "a whole number"),
    "boolean": ((bool,), "true or false"),
    "array": ((list,), "a list"),
    "object": ((dict,), "an object"),
    "null": ((type(None),), "null"),
}
"""The types of JSON: as they are read, and in words."""

Schema = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Nonconformity:
    """A value that a schema does not allow: its place, ``a: b[0]``, what was expected, and what there is."""

    at: str
    expected: str
    got: str

    def __str__(self) -> str:
        return f"{self.at and f'{self.at}: '}expected {self.expected}, got {self.got}"


def nonconformity(value: object, schema: Schema, root: Schema, lenient: bool = False) -> Nonconformity | None:
    """Return the first part of a value that does not conform to a schema; ``None`` where all does.

    ``root`` is the document that the schema is of, and holds others under ``$defs``. A ``lenient`` look lets
    keys be missing.
    """
    return next(_Look(root, lenient).faults(value, schema, root, ""), None)


@dataclass(frozen=True)
class _Look:
    root: Schema
    lenient: bool

    def faults(self, value: object, schema: Schema, document: Schema, at: str) -> Iterator[Nonconformity]:
        if isinstance(reference := schema.get("$ref"), str):
            name, _, path = reference.partition("#/")
            document = _child(_child(self.root, "$defs"), name) if name else document
            target = document
            for key in filter(None, path.split("/")):
                target = _child(target, key)
            yield from self.faults(value, target, document, at)
            return
        if (expected := _expected(value, schema)) is not None:
            yield Nonconformity(at, expected, clip(repr(value) if isinstance(value, str) else value))
            return
        if isinstance(ways := schema.get("anyOf"), list):
            tried = [next(self.faults(value, way, document, at), None) for way in ways]
            if all(tried) and (fault := tried[-1]) is not None:
                yield fault
        if isinstance(value, list) and isinstance(items := schema.get("items"), dict):
            for number, one in enumerate(value):
                yield from self.faults(one, items, document, f"{at}[{number}]")
        if isinstance(value, dict) and isinstance(named := schema.get("properties"), dict):
            for key, part in named.items():
                if key in value:
                    yield from self.faults(value[key], part, document, f"{at}: {key}" if at else key)
        missing = [k for k in _required(schema) if k not in value] if isinstance(value, dict) else []
        if missing and not self.lenient:
            words = f"an object with {', '.join(_required(schema))}"
            yield Nonconformity(at, words, f"none of {', '.join(missing)}")


def _required(schema: Schema) -> list[str]:
    required = schema.get("required")
    return required if isinstance(required, list) else []


def _expected(value: object, schema: Schema) -> str | None:
    """Return what a value should be by itself, in words; ``None`` where it is so."""
    kinds = schema.get("type")
    names = (
        [str(kinds)] if isinstance(kinds, str) else list(map(str, kinds)) if isinstance(kinds, list) else []
    )
    choices = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if isinstance(choices, list):
        if any(value == one and isinstance(value, bool) == isinstance(one, bool) for one in choices):
            return None
        return " or ".join(clip(str(one).lower() if isinstance(one, bool) else one) for one in choices[:8])
    least, most = (schema.get(key) for key in ("minimum", "maximum"))
    low, high = (schema.get(key) for key in ("minItems", "maxItems"))
    words = " or ".join(TYPES[name][1] for name in names)
    if isinstance(least, int) and isinstance(most, int):
        words += f" from {least} to {most}"
    elif isinstance(least, int):
        words += f" of {least} or more"
    elif low is not None and low == high:
        words += f" of {low}"
    elif isinstance(high, int):
        words += f" of at most {high}"
    elif names == ["object"] and _required(schema):
        words += f" with {', '.join(_required(schema))}"
    if names and not any(_is(value, name) for name in names):
        return words
    if isinstance(value, int | float) and not isinstance(value, bool):
        over = isinstance(most, int) and not value <= most
        return words if over or (isinstance(least, int) and not value >= least) else None
    if isinstance(value, list):
        short = isinstance(low, int) and len(value) < low
        return words if short or (isinstance(high, int) and len(value) > high) else None
    return None


def _is(value: object, name: str) -> bool:
    return isinstance(value, TYPES[name][0]) and (name == "boolean" or not isinstance(value, bool))


def _child(schema: Schema, key: str) -> Schema:
    nested = schema[key]
    assert isinstance(nested, dict)
    return nested
