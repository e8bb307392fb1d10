"""Office plans under rules as VAL decides them, on PDDL in which each drive is written out leg by leg."""

from __future__ import annotations

import random
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from groundplan.compiler.normal import normal_form
from groundplan.compiler.pddl import RenderedProblem, render
from groundplan.compiler.problem import build
from groundplan.domains.action import PlanAction
from groundplan.domains.formula import TRUE, And, Atom, Formula, Not, Or, TrajectoryConstraint, constraints
from groundplan.simulator.belief import Belief
from groundplan.simulator.verification import watched
from oracles.plans import val_program

RULES = (
    "(never (robot_at pose13))",
    "(never (robot_at pose23))",
    "(never (robot_at lobby))",
    "(never (robot_at kitchen))",
    "(always (imply (robot_at kitchen) (hand_free)))",
    "(forall (?r - office) (at-most-once (robot_at ?r)))",
    "(at-most-once (robot_at pose24))",
    "(at-most-once (not (hand_free)))",
    "(always (closed fridge))",
    "(at-most-once (open fridge))",
    "(sometime-after (open fridge) (closed fridge))",
    "(sometime-before (robot_at kitchen) (robot_at pose14))",
    "(sometime-before (not (hand_free)) (robot_at kitchen))",
    "(never (in_room orange1 cafeteria))",
    "(sometime-after (holding orange1) (robot_at pose18))",
    "(never (do open fridge))",
    "(never (do goto pose14 ?x))",
    "(never (do pickup ?x) :when (in_room ?x kitchen))",
)
GOALS = (
    "(holding orange1)", "(inside_of apple1 fridge)", "(ontop_of banana1 kitchen_bench)", "(robot_at lobby)",
    "(in_room pepsi kitchen)", "(holding banana2)", "(exists (?x - apple) (holding ?x))", "(open microwave)",
    "(and (open fridge) (holding orange1))", "(and (in_room orange1 cafeteria) (robot_at kitchen))",
    "(and (hot noodles) (closed microwave))", "(and (ontop_of apple1 desk7) (open cabinet4))",
)  # fmt: skip


def drawn(draw: random.Random) -> tuple[str, str]:
    """Draw a goal, and one to three rules."""
    return draw.choice(GOALS), "\n".join(draw.sample(RULES, draw.choice((1, 2, 3))))


class OfficeText:
    """The problem of a scene with all of its names and actions, and VAL on plans for it."""

    def __init__(self, belief: Belief, folder: Path) -> None:
        self.belief, self.folder = belief, folder
        names = list(belief.scene.nodes)
        problem = build(TRUE, belief, nearest=None, extra=names, every_action=True)
        self.rendered: RenderedProblem = render(problem, costs=False)

    def keeps(self, rule: Formula, plan: Sequence[PlanAction]) -> bool:
        """Return whether a plan keeps a rule by VAL; each of its drives is one link."""
        table = self.rendered.table
        texts = " ".join(map(self._constraint, watched(rule, self.belief)))
        domain = re.sub(
            r"\(:requirements ",
            "(:requirements :constraints :negative-preconditions :disjunctive-preconditions ",
            self.rendered.domain,
            count=1,
        )
        problem = f"{self.rendered.problem.rstrip()[:-1]} (:constraints (and {texts})))\n"
        lines = [
            f"({' '.join([table.actions[a.name], *(table.objects[n] for n in a.args)])})\n" for a in plan
        ]
        paths = [self.folder / name for name in ("domain.pddl", "problem.pddl", "plan.txt")]
        for path, text in zip(paths, (domain, problem, "".join(lines)), strict=True):
            path.write_text(text, encoding="utf-8")
        ran = subprocess.run([val_program(), "-v", *paths], capture_output=True, text=True, timeout=60)
        assert "Plan executed successfully" in ran.stdout or "Plan failed" in ran.stdout, ran.stdout[-2000:]
        return "Plan valid" in ran.stdout

    def _constraint(self, constraint: Formula) -> str:
        assert isinstance(constraint, TrajectoryConstraint) and constraint.kind != "never-do", constraint
        parts = (self._pddl(normal_form(part, self.belief)) for part in constraint.parts)
        return f"({constraint.kind} {' '.join(parts)})"

    def _pddl(self, formula: Formula) -> str:
        table = self.rendered.table
        if isinstance(formula, Atom):
            names = (table.objects[str(a)] for a in formula.args)
            return f"({' '.join([table.predicates[formula.predicate], *names])})"
        if isinstance(formula, Not):
            return f"(not {self._pddl(formula.part)})"
        assert isinstance(formula, And | Or), formula
        return f"({type(formula).__name__.lower()} {' '.join(map(self._pddl, formula.parts))})"


def in_pddl(rule: Formula) -> bool:
    """Return whether a rule is one of PDDL3, which has no constraints on actions."""
    return all(getattr(one, "kind", "") != "never-do" for one in constraints(rule))
