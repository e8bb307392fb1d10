"""`groundplan schema`: JSON schemas (2020-12) of everything that groundplan prints or writes as JSON.

A schema is a file ``schemas/NAME.schema.json``; those of robot programs and traces belong to ``robot``. They
refer to each other by file name. To add one, put the file there, its name and output into ``outputs.json``,
and an example into the test; a new key of an output is written into its schema. Schemas allow keys that they
do not name, since keys may be added, and a test holds that no output has one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from importlib.resources import files

import click

from ..domains.errors import InputError, clip, did_you_mean
from ..robot.program import program_schema
from ..robot.trace_lines import trace_schema
from .console.escape import json_text
from .console.terminal import NAME, Screen

_FILES = files(__package__).joinpath("schemas")
SCHEMAS: Mapping[str, str] = json.loads(_FILES.joinpath("outputs.json").read_text(encoding="utf-8"))
"""The schemas by name, with the output that each describes."""

ENDING = ".schema.json"


@click.command(name="schema")
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print the list as JSON; a schema is JSON anyway.")
def command(name: str | None, as_json: bool) -> None:
    """Print the JSON schema NAME of an output; without one, list them.

    A printed schema is whole: those that it refers to are among its definitions.
    """
    if name is not None:
        click.echo(json_text(output_schema(name)))
    elif as_json:
        click.echo(json_text([{"name": one, "output": output} for one, output in SCHEMAS.items()]))
    else:
        Screen().rows(((one, NAME), output) for one, output in SCHEMAS.items())


def output_schema(name: str) -> dict[str, object]:
    """Return a schema with those that it refers to. Raises :class:`InputError` for another name.

    >>> from groundplan.commands.schema import output_schema
    >>> output_schema("plan")["title"]
    'The printed steps of a plan'
    """
    if name not in SCHEMAS:
        hint = did_you_mean(name, SCHEMAS) or "`groundplan schema` lists all"
        raise InputError("schema", "the name of a schema", clip(name), hint)
    schema = _read(name)
    needed: dict[str, dict[str, object]] = {}
    todo = list(_referred(schema))
    while todo:
        other = todo.pop(0)
        if other not in needed and other != name:
            needed[other] = _read(other)
            todo += _referred(needed[other])
    if not needed:
        return schema
    own = schema.get("$defs", {})
    assert isinstance(own, dict)
    return {**schema, "$defs": {**own, **{f"{one}{ENDING}": needed[one] for one in sorted(needed)}}}


def _read(name: str) -> dict[str, object]:
    if name == "program":
        return {"$id": f"program{ENDING}", **program_schema()}
    if name == "trace":
        return trace_schema()
    text = _FILES.joinpath(f"{name}{ENDING}").read_text(encoding="utf-8")
    schema: dict[str, object] = json.loads(text)
    return schema


def _referred(value: object) -> Iterator[str]:
    """Yield the names of the other schemas that a schema refers to."""
    if isinstance(value, dict):
        target = value.get("$ref")
        if isinstance(target, str) and not target.startswith("#"):
            yield target.partition("#")[0].removesuffix(ENDING)
        for part in value.values():
            yield from _referred(part)
    elif isinstance(value, list):
        for part in value:
            yield from _referred(part)
