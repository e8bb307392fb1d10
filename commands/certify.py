"""`groundplan certify`: recheck the record of a run from the scene, the pack and the goal alone.

The work is done by ``compiler.certificates``; here are the options, reading the files and what is printed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from ..compiler.certificates.certificate import MAX_BYTES
from ..compiler.certificates.records import Finding, recheck, same_world
from ..compiler.certificates.replies import recheck_answer
from ..domains.errors import InputError, clip
from ..domains.files import mapping, parse_json
from ..robot.conformity import nonconformity
from .case import Case
from .console.escape import json_text
from .console.losses import losses_json
from .console.terminal import BAD, GOOD, NAME, QUIET, Screen
from .derived import recheck_derived, recheck_files, recheck_reply, unchecked_keys
from .options import Given, checked_goal, read_text, timeout_option, world_options
from .output.seals import KEY, REASON, RECORD, differences
from .pictures.picture import picture_of
from .pictures.svg import svg_of
from .plan_files import PICTURE
from .schema import output_schema

LISTS = ("added", "left", "unplaced", "errands", "losses")
"""Lists that say something also where they are empty; one that a record lacks counts as an empty one."""


@click.command(name="certify")
@click.argument("record")
@timeout_option()
@world_options
@click.option(
    "--strict", is_flag=True, help="Exit code 1 as well where something that it claims was not rechecked."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    record: str,
    given: Given,
    strict: bool,
    as_json: bool,
) -> None:
    """Recheck the RECORD of a run: record.json, a folder that `plan --out` wrote, or - for standard input.

    The plan of a verified record is carried out step by step, the certificate of an unsolvable one goes
    through a checker that shares nothing with the planner, the query of a question is asked again. Every
    field is said to be rechecked, refused or not checked, and the last line names what the record says of
    scene, goal or plan that was not rechecked. Exit code 0 if the outcome was rechecked and nothing refused
    (with --strict, and no such thing is left unchecked), 1 otherwise, 2 where scene, pack, goal or
    certificate are not those of the run, or the run ended with no plan, query or proof.
    """
    raw, name, where = _read_record(record)
    case = given.case()
    same_world(raw, case.belief, where)
    files: Mapping[str, str] = {}
    if raw["outcome"] == "answered":
        findings = recheck_answer(raw, case.belief, where) | recheck_reply(raw, case.belief)
    else:
        findings, files = _of_goal(raw, case, name, where)
    files = {**files, PICTURE: svg_of(picture_of(raw, case.belief))}
    findings |= _of_other_types(raw)
    differing: Mapping[str, str] | None = None
    if record != "-":
        pack = Path(given.pack or case.belief.pack.name, "domain.pddl").resolve()
        differing = differences(Path(name), raw.get(KEY, {}), given=pack)
        findings |= _of_files(differing, raw, name, files)
    certified = findings["outcome"].status == "rechecked"
    certified = certified and all(f.status != "refused" for f in findings.values())
    unchecked = [k for k in unchecked_keys(raw, findings) if k != KEY or differing is not None]
    if as_json:
        fields = {key: finding.as_json() for key, finding in findings.items()}
        answer = {"outcome": raw["outcome"], "certified": certified, "unchecked": unchecked, "fields": fields}
        click.echo(json_text(answer | {"losses": losses_json(case.belief.scene)}))
    else:
        _show(Screen(), raw["outcome"], findings, certified, unchecked)
    raise click.exceptions.Exit(0 if certified and not (strict and unchecked) else 1)


def _read_record(record: str) -> tuple[dict[str, Any], str, str]:
    """Return a record that has something to recheck, its file, and how messages call it."""
    name = str(Path(record) / RECORD) if record != "-" and Path(record).is_dir() else record
    where = "standard input" if record == "-" else name
    raw = parse_json(read_text(name), where, unique=True)
    if not isinstance(raw, dict) or not isinstance(raw.get("outcome"), str):
        raise InputError(where, "the record of a run, as plan --json prints it", "something else")
    raw = {**{key: [] for key in LISTS}, **raw}
    if raw.get("hashes") == {} and not raw.get("plan") and raw.get("certificate") is None:
        hint = "it is the record of a search or of a run that was cut short"
        got = f"none (the run ended as {clip(raw['outcome'])})"
        raise InputError(where, "a plan, a query or a proof to recheck", got, hint)
    return raw, name, where


def _of_goal(
    raw: Mapping[str, object], case: Case, name: str, where: str
) -> tuple[dict[str, Finding], Mapping[str, str]]:
    """Recheck the record of a run that had a goal; return also the files that follow from it."""
    text = raw.get("goal")
    if not isinstance(text, str):
        raise InputError(f"{where}: goal", "a goal", "none", "the run ended before there was one")
    goal = checked_goal(text, f"{where}: goal", case)
    beside = _named(raw, name)
    content = parse_json(read_text(beside, MAX_BYTES), beside) if beside is not None else None
    findings = recheck(raw, case.belief, goal.formula, content, where)
    if raw.get("observations"):  # what was done follows from a world that is not here
        return findings, {}
    derived, files = recheck_derived(raw, case.belief, goal, findings)
    return findings | derived, files


def _of_other_types(raw: Mapping[str, object]) -> dict[str, Finding]:
    """Return the fields of a record that are not of the types of its schema."""
    schema = output_schema("record")
    fields = schema["properties"]
    assert isinstance(fields, dict)
    wrong = {
        k: nonconformity(value, fields[k], schema, lenient=True) for k, value in raw.items() if k in fields
    }
    return {key: Finding("refused", clip(str(why), 300)) for key, why in wrong.items() if why}


def _of_files(
    differing: Mapping[str, str] | None, raw: Mapping[str, object], name: str, files: Mapping[str, str]
) -> dict[str, Finding]:
    """Say whether the files beside a record are those that it lists, and what follows from it."""
    if KEY not in raw:  # without a list, what lies beside is not of its run
        if not differing:
            return {}
        if Path(name).name != RECORD:
            detail = f"it lists none, and beside it are {', '.join(differing)}"
            return {KEY: Finding("not checked", detail)}
    if differing is None:
        return {KEY: Finding("not checked", "none of them is beside the record")}
    if differing:
        words = "; ".join(f"{clip(name)} {word}" for name, word in differing.items())
        return {KEY: Finding("refused", f"{clip(words, 300)}; {REASON}")}
    listed, folder, proof = raw[KEY], Path(name).parent, _named(raw, name)
    assert isinstance(listed, dict)
    own = Path(proof).name if proof is not None else None
    unlike = recheck_files(listed, lambda file: read_text(str(folder / file), MAX_BYTES), files, own)
    return {KEY: unlike or Finding("rechecked", "those beside the record are of the same run")}


def _named(record: Mapping[str, object], name: str) -> str | None:
    """Return the file beside a record that its certificate names, if there is one."""
    file = mapping(record.get("certificate")).get("file")
    if not isinstance(file, str) or Path(file).name != file or name == "-":
        return None
    return str(Path(name).parent / file)


def _show(
    screen: Screen,
    outcome: str,
    findings: Mapping[str, Finding],
    certified: bool,
    unchecked: Sequence[str],
) -> None:
    screen.heading(f"Record: {clip(outcome)}")
    marks = {"rechecked": ("✓ ", GOOD), "refused": ("✗ ", BAD)}
    for key, finding in findings.items():
        if finding.status in marks or finding.detail:
            detail = f": {finding.detail}" if finding.detail else ""
            mark = marks.get(finding.status, "  ")
            screen.line((f"{clip(key)} {finding.status}{detail}", NAME), prefix=["  ", mark])
    rest = [clip(key) for key, f in findings.items() if f.status == "not checked" and not f.detail]
    if rest:
        screen.line((f"not checked: {', '.join(rest)}", QUIET), prefix=["    "])
    screen.line()
    if not certified:
        screen.line(("not certified", BAD))
    elif unchecked:
        screen.line(("certified", GOOD), f", but not what it says of {', '.join(unchecked)}")
    else:
        screen.line(("certified", GOOD))
