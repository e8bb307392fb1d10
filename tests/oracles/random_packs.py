"""Random packs by seed: the household with a few more predicates and actions, drawn without any sense.

Actions ask for facts that nobody adds, bind parameters by nothing but their types, mean one thing twice, add
what they delete, and undo each other. A pack may be refused when it is loaded; one that is accepted must not
lead to a false proof.
"""

from __future__ import annotations

import random
from pathlib import Path

from groundplan.domains.pack import Pack, load_pack
from groundplan.simulator.belief import ground
from oracles.random_worlds import KINDS, GoalDrawer, RandomGoal, RandomWorld, SceneBuilder

HEAD = """format = "groundplan-pack"
version = 1
name = "drawn"
extends = "household"
domain = "domain.pddl"
"""


def random_pack(rng: random.Random, folder: Path) -> Pack:
    """Write the files of a random pack into a folder and load it. Raises :class:`PackError` if refused."""
    drawn = _Drawn(rng)
    folder.joinpath("domain.pddl").write_text(drawn.domain(), encoding="utf-8")
    folder.joinpath("mapping.toml").write_text(drawn.mapping(), encoding="utf-8")
    return load_pack(str(folder))


class _Drawn:
    """The predicates and actions of a pack."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.predicates = {f"p{i}": rng.choice(("item", "item", "object")) for i in range(rng.randint(2, 4))}
        self.pairs = {f"q{i}": "item" for i in range(rng.randint(0, 1))}
        self.marks = {f"m{i}": "item" for i in range(rng.randint(0, 2))}
        self.wild = rng.random() < 0.3
        """True if actions also change the household's facts, whatever becomes of its exclusive groups."""
        self.rides = rng.random() < 0.15
        """True if the robot can also be carried from one place to another."""
        self.names = [f"act{i}" for i in range(rng.randint(2, 4))]
        self.events = {n for n in self.names if rng.random() < 0.15}
        self.parameters = {n: self._parameters() for n in self.names}
        self.bodies = [self._action(n) for n in self.names]

    def _parameters(self) -> list[tuple[str, str]]:
        kinds = [("a", "item"), ("x", "object"), ("b", "item")]
        return kinds[: self.rng.choice((1, 2, 2, 3, 3))]

    def _atom(self, name: str, own_only: bool) -> str:
        """An atom over the parameters of an action, of a fitting type."""
        items = [f"?{p}" for p, kind in self.parameters[name] if kind == "item"]
        every = [f"?{p}" for p, _ in self.parameters[name]]
        options = [
            f"({p} {self.rng.choice(items if k == 'item' else every)})" for p, k in self.predicates.items()
        ]
        options += [f"({q} {self.rng.choice(items)} {self.rng.choice(items)})" for q in self.pairs]
        if own_only:
            return self.rng.choice(options)
        options += [f"({m} {self.rng.choice(items)})" for m in self.marks]
        options += [f"(holding {self.rng.choice(items)})", "(hand_free)"]
        options += [
            f"({r} {self.rng.choice(items)} {self.rng.choice(every)})" for r in ("ontop_of", "inside_of")
        ]
        if "?x" in every:
            options += [
                f"(ontop_of {self.rng.choice(items)} ?x)",
                "(open ?x)",
                "(closed ?x)",
                "(turned_on ?x)",
            ]
        return self.rng.choice(options)

    def _action(self, name: str) -> str:
        every = [f"?{p}" for p, _ in self.parameters[name]]
        needs = [self._atom(name, False) for _ in range(self.rng.choice((0, 1, 1, 2)))]
        if "?x" in every and self.rng.random() < 0.7:
            needs.append("(stands_at ?x)")
        elif self.rng.random() < 0.3:
            needs.append("(hand_free)")
        if name in self.events:  # which asks something of each parameter
            while not all(p in " ".join(needs).replace(")", " ").split() for p in every):
                needs.append(self._atom(name, False))
        adds = [self._atom(name, True) for _ in range(self.rng.choice((1, 1, 2)))]
        event = name in self.events
        deletes = [] if event else [self._atom(name, True) for _ in range(self.rng.choice((0, 1, 1, 2)))]
        if not event and self.rng.random() < 0.15 and any("holding" in n for n in needs):
            held = next(n for n in needs if "holding" in n)
            adds.append("(hand_free)")  # a thing is used up: it is nowhere afterwards
            deletes.append(held)
        if self.wild and self.rng.random() < 0.6:
            adds.append(self._household(name))
        if self.wild and not event and self.rng.random() < 0.6:
            deletes.append(self._household(name))
        cost = "" if event else f" (increase (total-cost) {self.rng.choice((0, 50, 100, 700))})"
        effects = " ".join([*dict.fromkeys(adds), *(f"(not {d})" for d in dict.fromkeys(deletes))])
        types = " ".join(f"?{p} - {kind}" for p, kind in self.parameters[name])
        return (
            f"  (:action {name}\n    :parameters ({types})\n"
            f"    :precondition (and {' '.join(dict.fromkeys(needs))})\n"
            f"    :effect (and {effects}{cost}))"
        )

    def _household(self, name: str) -> str:
        """A fact of the household over the parameters of an action."""
        items = [f"?{p}" for p, kind in self.parameters[name] if kind == "item"]
        thing, other = self.rng.choice(items), self.rng.choice([f"?{p}" for p, _ in self.parameters[name]])
        options = ["(hand_free)", f"(holding {thing})", f"(open {other})", f"(closed {other})"]
        options += [f"({r} {thing} {other})" for r in ("ontop_of", "inside_of")]
        return self.rng.choice([*options, f"(clean {thing})", f"(turned_on {other})"])

    def _ride(self) -> str:
        condition = self.rng.choice(("", " (hand_free)"))
        return (
            "  (:action ride\n    :parameters (?x - asset ?y - asset)\n"
            f"    :precondition (and (stands_at ?x){condition})\n"
            "    :effect (and (stands_at ?y) (not (stands_at ?x)) (increase (total-cost) 300)))"
        )

    def domain(self) -> str:
        unary = "".join(f" ({p} ?i - {kind})" for p, kind in {**self.predicates, **self.marks}.items())
        binary = "".join(f" ({q} ?i - item ?j - item)" for q in self.pairs)
        head = "(define (domain drawn)\n  (:requirements :strips :typing :action-costs)"
        bodies = [*self.bodies, *([self._ride()] if self.rides else [])]
        return "\n".join([head, f"  (:predicates{unary}{binary})", *bodies, ")"])

    def mapping(self) -> str:
        goal = ", ".join(f'"{p}"' for p in (*self.predicates, *self.pairs))
        tables = [HEAD, f"[goal]\npredicates = [{goal}]", "[states]"]
        tables += [f'{p} = ["({p} ?x)"]' for p in self.predicates]
        tables += [
            "[classes]",
            *(f'{c} = ["({m} ?x)"]' for m, c in zip(self.marks, ("crate", "apple"), strict=False)),
        ]
        for name in self.names:
            if name in self.events:
                tables.append(f"[actions.{name}]\nevent = true")
            else:
                printed = ", ".join(f"?{p}" for p, _ in self.parameters[name])
                tables.append(
                    f'[actions.{name}]\nstep = "{name}({printed})"\nskill = "{name}"\nverb = "{name}"'
                )
        if self.rides:
            tables.append('[actions.ride]\nstep = "ride(?x, ?y)"\nskill = "ride"\nverb = "ride to {y}"')
        if self.rng.random() < 0.4:
            groups = self.rng.sample(list(self.predicates), 2)
            tables.append("[exclusive]\ndrawn = [" + ", ".join(f'"({p} ?x)"' for p in groups) + "]")
        if self.rng.random() < 0.3:
            predicate = self.rng.choice(list(self.predicates))
            needed = self.rng.choice([*self.marks, "can_pickup"])
            tables.append(f'[requires]\n{predicate} = ["({needed} ?x)"]')
        if self.rng.random() < 0.2:
            tables.append("")
            tables[0] = "distinct_arguments = true\n" + tables[0]
        return "\n".join(tables) + "\n"


def random_pack_world(seed: int, folder: Path, goals: int = 5) -> RandomWorld:
    """Return a world of a pack drawn for a seed, whose files are written into a folder.

    Raises :class:`PackError` where the pack is refused.
    """
    rng = random.Random(f"pack {seed}")
    pack = random_pack(rng, folder)
    scene = SceneBuilder(rng, "household").scene(seed)
    own = [p for p in pack.mapping.goal_predicates if p[0] == "p" and p[1:].isdigit()]
    changes: dict[str, dict[str, object]] = {}
    for node in scene.nodes.values():
        kinds = ("item", "object") if node.type == "object" else ("object",) if node.type == "asset" else ()
        fitting = [p for p in own if pack.domain.predicates[p].parameters[0].type in kinds]
        words = [p for p in fitting if rng.random() < 0.15]
        if words:
            changes[node.id] = {"state": (*node.state, *words[:1])}
    belief = ground(scene.changed(change=changes), pack)
    draw = _OwnGoals(rng, belief)
    kinds = rng.sample(list(KINDS), min(goals, len(KINDS)))
    drawn = tuple(RandomGoal(k, draw.fresh(k)) for k in kinds)
    if len(belief.exclusive) < len(pack.mapping.exclusive):  # a thing may be in two places, the robot too
        drawn = tuple(g for g in drawn if "in_room" not in str(g) and "robot_at" not in str(g))
    return RandomWorld(seed, "drawn", belief, drawn)


class _OwnGoals(GoalDrawer):
    """Goals of all kinds, most of them about the predicates that were drawn."""

    def _own(self, kinds: tuple[str, ...], name: str) -> list[str]:
        pack = self.belief.pack
        atoms = []
        for predicate in pack.mapping.goal_predicates:
            parameters = pack.domain.predicates[predicate].parameters
            if predicate[1:].isdigit() and parameters[0].type in kinds:
                others = [self.one(self.things) for _ in parameters[1:]]
                atoms.append(f"({' '.join([predicate, name, *others])})")
        return atoms

    def about(self, thing: str) -> str:
        own = self._own(("item", "object"), thing)
        return self.one(own) if own and self.rng.random() < 0.75 else super().about(thing)

    def of_asset(self, asset: str) -> str:
        own = self._own(("object",), asset)
        return self.one(own) if own and self.rng.random() < 0.6 else super().of_asset(asset)
