"""Conformity of JSON to the schemas of ``groundplan schema``: as much of JSON Schema as these use.

Types, constants, alternatives, items, properties and references. A keyword that is not looked at lets
everything through; whoever uses another one in a schema adds it here.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..domains.errors import clip

TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}

Schema = Mapping[str, object]


def nonconformity(value: object, schema: Schema, root: Schema, document: Schema | None = None) -> str:
    """Return why a value does not conform to a schema, empty where it does.

    ``root`` holds the other documents under ``$defs``, and ``document`` is the one that the schema is of.
    """
    document = document or root
    if isinstance(reference := schema.get("$ref"), str):
        name, _, path = reference.partition("#/")
        document = _child(_child(root, "$defs"), name) if name else document
        target = document
        for key in filter(None, path.split("/")):
            target = _child(target, key)
        return nonconformity(value, target, root, document)
    kinds = schema.get("type")
    names = [kinds] if isinstance(kinds, str) else kinds if isinstance(kinds, list) else []
    if names and not any(_is(value, str(name)) for name in names):
        return f"expected {' or '.join(map(str, names))}, got {clip(repr(value))}"
    choices = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if isinstance(choices, list) and value not in choices:
        return f"expected {' or '.join(map(repr, choices[:8]))}, got {clip(repr(value))}"
    if isinstance(ways := schema.get("anyOf"), list):
        reasons = [nonconformity(value, way, root, document) for way in ways]
        if all(reasons):
            return reasons[-1]
    if isinstance(value, list) and isinstance(items := schema.get("items"), dict):
        return next(filter(None, (nonconformity(v, items, root, document) for v in value)), "")
    if isinstance(value, dict):
        named = schema.get("properties", {})
        parts = ((k, p) for k, p in named.items() if k in value) if isinstance(named, dict) else ()
        wrong = ((key, nonconformity(value[key], part, root, document)) for key, part in parts)
        return next((f"{key}: {why}" for key, why in wrong if why), "")
    return ""


def _is(value: object, name: str) -> bool:
    return isinstance(value, TYPES[name]) and (name == "boolean" or not isinstance(value, bool))


def _child(schema: Schema, key: str) -> Schema:
    nested = schema[key]
    assert isinstance(nested, dict)
    return nested
