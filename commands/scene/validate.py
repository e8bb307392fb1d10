"""`groundplan scene validate`: what a scene's file had and the scene has not, and what its scene lacks.

A report has a line for each kind of finding; `--verbose` and `--json` have all of them. Nothing in it makes a
scene invalid: a file that is no scene is refused in reading. A new kind of finding is a line in
:meth:`SceneReport.lines` and a key in :meth:`SceneReport.as_json`; keys stay, texts may be changed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import click

from ...domains.errors import clip, did_you_mean
from ...simulator.belief import Belief
from ...simulator.scene import DOUBT, THINGS
from ...simulator.view import counts
from ..console.escape import json_text
from ..console.losses import doubts, few, losses_by_kind, losses_json
from ..console.terminal import GOOD, HEAD, NAME, QUIET, UNSURE, Screen, number_of
from ..console.tree import sizes
from ..options import Given, timeout_option, world_options
from .convert import form_option

PLACED = ("room", "pose", *THINGS)
"""The types of nodes that are expected to have a position."""


@click.command(name="validate")
@click.argument("name", metavar="[NAME_OR_FILE]", required=False)
@timeout_option()
@world_options
@form_option
@click.option("--verbose", is_flag=True, help="A line for each loss, warning and class.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def validate(
    name: str | None,
    given: Given,
    form: str | None,
    verbose: bool,
    as_json: bool,
) -> None:
    """Check a scene file of any format: its hierarchy, its states, and what the robot cannot reach.

    A line for each kind says what of the file is not in the scene, whose place or position is not known,
    which classes of things have no affordance, and what means nothing to the pack; --verbose lists all.
    """
    chosen = one_name(name, given.scene)
    if form is not None and chosen is None:
        raise click.UsageError("--from is for a file: name one, as an argument or with --scene")
    report = SceneReport(replace(given, scene=chosen).case(form or "").belief)
    if as_json:
        click.echo(json_text(report.as_json()))
        return
    screen = Screen()
    if verbose:
        report.show_all(screen)
    else:
        for loss in losses_by_kind(report.belief.scene.losses):
            screen.line(("lost", UNSURE), f": {loss}")
        show_warnings(screen, report)
    screen.line(("valid", GOOD), f": {report.belief.scene.name}, {sizes(report.belief.scene)}")


def one_name(argument: str | None, option: str | None) -> str | None:
    """Return the scene that is named by an argument or by ``--scene``. Raises :class:`click.UsageError`."""
    if argument is not None and option is not None and argument != option:
        raise click.UsageError("name one scene, as an argument or with --scene")
    return argument if argument is not None else option


@dataclass(frozen=True)
class SceneReport:
    """The findings about a valid scene under a pack."""

    belief: Belief

    @cached_property
    def unknown(self) -> Mapping[str, list[str]]:
        """The affordances that mean nothing to the pack, with the nodes that have them."""
        nodes_with: dict[str, list[str]] = {}
        for node in self.belief.scene.nodes.values():
            for word in node.affordances:
                if word not in self.belief.pack.mapping.affordances:
                    nodes_with.setdefault(word, []).append(node.id)
        return nodes_with

    @cached_property
    def cut_off(self) -> tuple[str, ...]:
        """The rooms without a way to them."""
        rooms, routes = self.belief.scene.by_type.get("room", ()), self.belief.routes
        return tuple(r for r in rooms if not routes.connected(self.belief.start, r))

    @cached_property
    def without_position(self) -> Mapping[str, list[str]]:
        """The nodes without a position, by their type."""
        missing: dict[str, list[str]] = {}
        for kind in PLACED:
            ids = self.belief.scene.by_type.get(kind, ())
            if without := [i for i in ids if self.belief.scene.nodes[i].position is None]:
                missing[kind] = without
        return missing

    @cached_property
    def coverage(self) -> Mapping[str, tuple[int, int, Counter[str]]]:
        """By the first class of things: their number, that of those with affordances, and these."""
        usable = self.belief.pack.mapping.affordances
        classes: dict[str, tuple[int, int, Counter[str]]] = {}
        for kind in THINGS:
            for node_id in self.belief.scene.by_type.get(kind, ()):
                node = self.belief.scene.nodes[node_id]
                words = [word for word in node.affordances if word in usable]
                number, able, uses = classes.get(next(iter(node.classes), ""), (0, 0, Counter()))
                uses.update(words)
                classes[next(iter(node.classes), "")] = (number + 1, able + bool(words), uses)
        return classes

    def warnings(self) -> list[str]:
        """Return every oddity in a line of its own: unknown words, rooms without a way to them, doubts."""
        ways = (f"no way from {self.belief.start} to {room}" for room in self.cut_off)
        return [*self._unknown_words(), *ways, *doubts(self.belief.scene.losses)]

    def _unknown_words(self) -> Iterator[str]:
        affordances, name = self.belief.pack.mapping.affordances, self.belief.pack.name
        for word, nodes in self.unknown.items():
            others = f" and {len(nodes) - 1} more" if len(nodes) > 1 else ""
            hint = did_you_mean(word, affordances) or f"it knows {', '.join(affordances)}"
            problem = f"the pack {name} knows no affordance {clip(word)!r}"
            yield f"node {clip(nodes[0])}{others}: {problem}, so it is left out; {hint}"

    def kinds(self) -> Iterator[str]:
        """Yield a line for each kind of warning; one that stands alone is given in full."""
        if len(self.unknown) > 1:
            words = few((word, len(nodes)) for word, nodes in self.unknown.items())
            number = number_of(len(self.unknown), "affordance")
            yield f"{number} mean nothing to the pack {self.belief.pack.name} and are left out: {words}"
        else:
            yield from self._unknown_words()
        if len(self.cut_off) > 1:
            rooms = few((room, 1) for room in self.cut_off)
            yield f"no way from {self.belief.start} to {len(self.cut_off)} rooms: {rooms}"
        else:
            yield from (f"no way from {self.belief.start} to {room}" for room in self.cut_off)
        yield from doubts(self.belief.scene.losses)

    def lines(self) -> Iterator[str]:
        """Yield a line for each kind of thing that the scene lacks, then for each kind of warning."""
        scene = self.belief.scene
        if scene.unplaced:
            things = number_of(len(scene.unplaced), "thing")
            yield f"place not known: {things}: {few((name, 1) for name in scene.unplaced)}"
        if self.without_position:
            counted = (
                f"{len(ids)} of {number_of(len(scene.by_type[kind]), kind)}"
                for kind, ids in self.without_position.items()
            )
            yield f"no position: {', '.join(counted)}"
        if unused := [(name, number) for name, (number, able, _) in self.coverage.items() if not able]:
            classes = f"{len(unused)} of {len(self.coverage)} classes of things"
            yield f"no affordance that the pack knows: {classes}: {few(unused)}"
        yield from self.kinds()

    def show_all(self, screen: Screen) -> None:
        """Print every loss, warning and class."""
        scene = self.belief.scene
        for loss in (loss for loss in scene.losses if loss.kind != DOUBT):
            number = f" ({loss.count})" if loss.count > 1 else ""
            screen.line(("lost", UNSURE), f": {loss.kind} {loss.id}{number}: {loss.reason}")
        for name in scene.unplaced:
            screen.line(("warning", UNSURE), f": place not known: {name}")
        for kind, ids in self.without_position.items():
            screen.line(("warning", UNSURE), f": no position, {kind}: {', '.join(ids)}")
        for warning in self.warnings():
            screen.line(("warning", UNSURE), f": {warning}")
        screen.heading("Affordances by class", "things, those with any that the pack knows, which")
        screen.rows(
            (
                (name, HEAD),
                f"{number:>5}",
                (f"{able:>5}", NAME if able else UNSURE),
                (", ".join(f"{word} {n}" for word, n in uses.most_common()), QUIET),
            )
            for name, (number, able, uses) in self.coverage.items()
        )

    def as_json(self) -> dict[str, object]:
        """The JSON of ``scene validate --json``."""
        scene = self.belief.scene
        return {
            "valid": True,
            "scene": scene.name,
            "warnings": self.warnings(),
            "counts": counts(scene),
            "losses": losses_json(scene),
            "unplaced": list(scene.unplaced),
            "without_position": {kind: list(ids) for kind, ids in self.without_position.items()},
            "coverage": [
                {"class": name, "nodes": number, "with_affordances": able, "affordances": dict(uses)}
                for name, (number, able, uses) in self.coverage.items()
            ],
        }


def show_warnings(screen: Screen, report: SceneReport) -> None:
    """Print a line for each kind of warning."""
    for warning in report.lines():
        screen.line(("warning", UNSURE), f": {warning}")
