"""Limits of strict structured outputs, and what of them a JSON schema takes up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Size:
    """Quantities that strict mode limits; ``characters`` has names of properties, definitions, enum values.

    ``depth`` counts objects and arrays inside each other, references followed until one comes back;
    ``largest_enum`` the characters of the largest enum with more than 250 values.
    """

    properties: int
    depth: int
    enum_values: int
    characters: int
    largest_enum: int

    def within(self, limits: Size) -> bool:
        """Return whether nothing exceeds the limits."""
        return all(getattr(self, f) <= getattr(limits, f) for f in Size.__slots__)


STRICT = Size(properties=5000, depth=10, enum_values=1000, characters=120_000, largest_enum=15_000)
"""The limits of OpenAI's structured outputs; Azure documents 100, 5, 500, 15,000 and 7,500."""


def measure(schema: Mapping[str, object]) -> Size:
    """Count the quantities that strict mode limits."""
    defs = schema.get("$defs")
    assert isinstance(defs, dict)
    properties = enum_values = largest = 0
    characters = sum(map(len, defs))
    for node in _walk(schema):
        inner, values = node.get("properties"), node.get("enum")
        if isinstance(inner, dict):
            properties += len(inner)
            characters += sum(map(len, inner))
        if isinstance(values, list):
            long = sum(len(v) for v in values if isinstance(v, str))
            enum_values += len(values)
            characters += long
            largest = max(largest, long if len(values) > 250 else 0)
    return Size(properties, _depth(schema, defs, frozenset()), enum_values, characters, largest)


def _walk(node: object) -> Iterator[Mapping[str, object]]:
    if isinstance(node, Mapping):
        yield node
        for value in node.values():
            yield from _walk(value)
    elif isinstance(node, list):
        for value in node:
            yield from _walk(value)


def _depth(node: object, defs: Mapping[str, object], seen: frozenset[str]) -> int:
    if not isinstance(node, Mapping):
        return 0
    target = node.get("$ref")
    if isinstance(target, str):
        name = target.rpartition("/")[2]
        return 0 if name in seen else _depth(defs[name], defs, seen | {name})
    inner, choices = node.get("properties"), node.get("anyOf")
    below = list(inner.values()) if isinstance(inner, Mapping) else []
    below += [node["items"]] if "items" in node else []
    deepest = max((_depth(n, defs, seen) for n in choices), default=0) if isinstance(choices, list) else 0
    return max(deepest, 1 + max((_depth(n, defs, seen) for n in below), default=0) if below else 0)
