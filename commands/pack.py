"""`groundplan pack`: check a domain pack of one's own, and begin a new one that plans at once.

The findings are those of ``domains.findings.review``; the new pack is a copy of ``domains/template``.
"""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from shlex import quote

import click

from ..compiler.certificates.rules import pack_rule
from ..compiler.goals.goal import GoalSyntaxError, parse_goal
from ..domains.errors import InputError
from ..domains.findings.review import PackFinding, mapping_place, review
from ..domains.formula import ANYTHING, TypedVar, Var, substitute
from ..domains.mapping import ROOM
from ..domains.pack import Pack, load_pack, template_texts
from ..domains.wording import FILE as WORDING
from ..simulator.belief import breach_of, ground
from ..simulator.scene import NODE_TYPES, RELATIONS, Scene
from .console.escape import json_text
from .console.losses import losses_json
from .console.terminal import BAD, GOOD, HEAD, NAME, QUIET, UNSURE, Screen
from .options import FOLDER, item_option, open_world, timeout_option
from .output.folder import check_folder, write_folder

GOAL = "(forall (?v - vial) (measured ?v))"
"""A goal about the scene of the template."""


@click.group(name="pack")
def command() -> None:
    """Show or check a domain pack, or begin a new one."""


@command.command(name="show")
@click.argument("name", metavar="NAME_OR_DIR")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def show(name: str, as_json: bool) -> None:
    """Show what goals of a pack may say: each predicate with its types, its words and what changes it."""
    pack = load_pack(name)
    facts = [_fact(pack, predicate) for predicate in pack.public_predicates()]
    if as_json:
        types = {kind: pack.domain.types[kind] for kind in pack.domain.types}
        shown = {"pack": pack.name, "hash": pack.hash, "types": types, "predicates": facts}
        click.echo(json_text(shown | {"rules": list(pack.mapping.operator_rules)}))
        return
    screen = Screen()
    screen.heading(pack.name, "what a goal may say; groundplan explain CODE says why a goal may not")
    for fact in facts:
        screen.line((str(fact["form"]), NAME), "  ", str(fact["says"]))
        if not fact["added_by"] and not fact["derived"]:
            screen.line(("no action or event brings it about", QUIET), prefix=["    "])
        for key, words in (("added_by", "by"), ("deleted_by", "undone by"), ("needs", "needs")):
            listed = fact[key]
            if isinstance(listed, list) and listed:
                screen.line((f"{words} ", QUIET), ", ".join(map(str, listed)), prefix=["    "])
    if pack.mapping.operator_rules:
        screen.heading("rules", "what every run keeps, whatever its goal")
        for rule in pack.mapping.operator_rules:
            screen.line((rule, NAME))


def _fact(pack: Pack, predicate: str) -> dict[str, object]:
    """Return what there is to know of a predicate of goals, as JSON."""
    if predicate in pack.mapping.derived:
        kinds = {"thing": ANYTHING, "room": "room"} if pack.mapping.derived[predicate] == ROOM else {}
        parameters = kinds or {"place": ANYTHING}
    else:
        parameters = {one.name: one.type for one in pack.domain.predicates[predicate].parameters}
    names = tuple(f"?{name}" for name in parameters)
    holes = {hole: Var(name) for hole, name in zip("xyz", parameters, strict=False)}
    listed = " ".join(map(str, itertools.starmap(TypedVar, parameters.items())))
    return {
        "predicate": predicate,
        "form": f"({predicate} {listed})" if listed else f"({predicate})",
        "parameters": [{"name": f"?{name}", "type": kind} for name, kind in parameters.items()],
        "says": pack.words(predicate, names, True),
        "denied": pack.words(predicate, names, False),
        "derived": predicate in pack.mapping.derived,
        "added_by": sorted({action.name for action, _ in pack.adders.get(predicate, ())}),
        "deleted_by": sorted({action.name for action, _ in pack.deleters.get(predicate, ())}),
        "needs": [str(substitute(atom, holes)) for atom in pack.mapping.requires.get(predicate, ())],
    }


@command.command(name="check")
@click.argument("name", metavar="NAME_OR_DIR")
@timeout_option()
@click.option("--scene", metavar="NAME_OR_FILE", help="Compare the pack with this scene, too.")
@item_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def check(name: str, scene: str | None, item: str, as_json: bool) -> None:
    """Check what a pack's files say: findings with file and line.

    Exit code 0 without findings, 1 with some, 2 where the pack cannot be loaded.
    """
    pack = load_pack(name)
    findings = [*review(pack, NODE_TYPES, RELATIONS), *_of_examples(pack), *_of_rules(pack)]
    for variant in pack.mapping.variants:
        load_pack(name, variant)
    compared = open_world(scene, None, item)[0] if scene is not None or item else None
    if compared is not None:
        findings += _in_scene(pack, compared)
    if as_json:
        summary = {"pack": pack.name, "hash": pack.hash, "findings": [f.as_json() for f in findings]}
        losses = {"losses": losses_json(compared)} if compared is not None else {}
        click.echo(json_text(summary | losses))
    else:
        _show(Screen(), pack, findings)
    raise click.exceptions.Exit(1 if findings else 0)


def _of_examples(pack: Pack) -> list[PackFinding]:
    """Return a finding for each example of the wording whose goal is no formula."""
    findings = []
    for number, example in enumerate(pack.language.examples if pack.language is not None else (), 1):
        try:
            parse_goal(example.goal)
        except GoalSyntaxError as error:
            message = f"prompt.examples, number {number}: {error.diagnostic}"
            findings.append(PackFinding("example", f"{pack.where}/{WORDING}", message))
    return findings


def _of_rules(pack: Pack) -> list[PackFinding]:
    """Return a finding for each rule that does not fit every scene."""
    findings = []
    for number in range(len(pack.mapping.operator_rules)):
        try:
            pack_rule(pack, number)
        except InputError as error:
            place = mapping_place(pack, "operator", "rules")
            findings.append(PackFinding("operator-rule", place or pack.where, str(error)))
    return findings


def _in_scene(pack: Pack, scene: Scene) -> list[PackFinding]:
    """Return a finding for each exclusive group that a scene breaks, and each name that nothing in it has.

    Raises :class:`SceneError`.
    """
    belief = ground(scene, pack)
    findings = []
    for group, patterns in pack.mapping.exclusive.items():
        if (both := breach_of(patterns, belief.facts)) is not None:
            message = f"exclusive.{group}: {both[0]} and {both[1]} both hold in this scene"
            findings.append(PackFinding("scene-breaks-group", belief.scene.name, message))
    for one in (name for name in belief.unused.names if name.table != "predicates"):  # those are findings
        place = mapping_place(pack, one.table, one.name) or pack.domain.place("type", one.name)
        findings.append(PackFinding("unused-name", place or belief.scene.name, one.message))
    return findings


def _show(screen: Screen, pack: Pack, findings: list[PackFinding]) -> None:
    for one in findings:
        screen.line((one.where, NAME), ": ", (f"[{one.code}] ", UNSURE), one.message)
    domain, groups = pack.domain, pack.invariants.groups
    counts = f"{len(domain.predicates)} predicates, {len(domain.actions)} actions"
    screen.line((pack.name, HEAD), f": {counts}, {len(pack.events)} of them events")
    if groups:
        screen.line("shown to be exclusive: ", (", ".join(groups), QUIET))
    number = len(findings)
    text = "no findings" if not number else "1 finding" if number == 1 else f"{number} findings"
    screen.line((text, BAD if findings else GOOD))


@command.command(name="new")
@click.argument("folder", metavar="DIR", type=FOLDER)
def new(folder: Path) -> None:
    """Begin a pack in DIR: commented files and a small scene, to be changed piece by piece."""
    check_folder(folder, None)
    texts = template_texts()
    title = json.dumps(folder.resolve().name, ensure_ascii=False)
    texts["mapping.toml"] = texts["mapping.toml"].replace('name = "laboratory"', f"name = {title}", 1)
    write_folder(folder, texts, None)
    screen = Screen()
    screen.line(("written: ", GOOD), (", ".join(texts), NAME), " in ", (str(folder), NAME))
    place, scene = quote(str(folder)), quote(str(folder / "scene.json"))
    screen.line("plan:  ", f"groundplan plan --scene {scene} --pack {place} --goal {quote(GOAL)}")
    screen.line("check: ", f"groundplan pack check {place} --scene {scene}")
