"""Pieces of the JSON schemas that answers of models are bound to, as strict modes of servers want them.

A schema is a part of recorded answers (cassettes): the order of its keys stays.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

Json = dict[str, object]


def object_schema(named: Mapping[str, object] | None = None, /, **more: object) -> Json:
    """Return the schema of an object with these keys and no others, in this order."""
    properties = {**(named or {}), **more}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def list_of(items: object, most: int, least: int = 1) -> Json:
    """Return the schema of a list of some length."""
    return {"type": "array", "items": items, "minItems": least, "maxItems": most}


def one_of(texts: Iterable[str]) -> Json:
    """Return the schema of one of some texts."""
    return {"type": "string", "enum": list(texts)}
