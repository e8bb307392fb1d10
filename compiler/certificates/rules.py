"""Rules of an operator: constraints on every run in a scene, whatever its goal.

They are read from a file of formulas, checked like goals, and become a part of the belief. So every plan
keeps them, and no reader, model or repair can touch them. Only constraints on the run are rules: what is to
be so at the end, a goal has to say.
"""

from __future__ import annotations

from ...domains.diagnostic import has_errors
from ...domains.errors import InputError, clip
from ...domains.formula import TRUE, And, Forall, Formula, TrajectoryConstraint
from ...simulator.belief import Belief
from ..goals.checker import check
from ..goals.goal import MAX_CHARACTERS, Goal
from ..goals.syntax import Source
from .constraints import with_rules

_BEFORE, _BEHIND = "(and ", "\n)"
MAX_RULES = 100
"""Most rules of a file."""
ASKED_OF_RUN = "a rule about the whole run: always, never, at-most-once, sometime-after or sometime-before"


def read_rules(text: str, belief: Belief, where: str = "rules") -> Belief:
    """Return a belief whose runs keep the rules of a text: formulas, one after the other, with comments.

    Raises :class:`InputError` for a text without rules or with too many, :class:`GoalError` for a rule that
    is no formula or does not fit the scene, with line and column.

    >>> from groundplan import ground, load_pack, load_scene
    >>> office = ground(load_scene("office"), load_pack())
    >>> ruled = read_rules("(never (robot_at lobby)) ; guests\\n(never (do open fridge))", office)
    >>> print(*ruled.rules, sep="\\n")
    (always (not (robot_at lobby)))
    (never (do open fridge))
    """
    if not text.strip() or len(text) > MAX_CHARACTERS:
        raise InputError(where, f"rules of at most {MAX_CHARACTERS} characters", f"{len(text)} characters")
    places = [*[0] * len(_BEFORE), *range(len(text)), *[len(text) - 1] * (len(_BEHIND) + 1)]
    source = Source(f"{_BEFORE}{text}{_BEHIND}", where, text, places)
    root = source.read("start")
    goal = Goal(root.formula, text, source.spans(root))
    rules = goal.formula.parts if isinstance(goal.formula, And) else ()
    if not 0 < len(rules) <= MAX_RULES:
        raise InputError(where, f"from 1 to {MAX_RULES} rules", str(len(rules)))
    for number, rule in enumerate(rules):
        if not _of_run(rule):
            at = goal.spans[number,]
            raise InputError(f"{where}:{at.line}", ASKED_OF_RUN, clip(str(rule)))
    report = check(goal, belief)
    if has_errors(report.diagnostics):
        report.raise_errors(where)
    return with_rules(belief, rules)


def _of_run(formula: Formula) -> bool:
    match formula:
        case TrajectoryConstraint():
            return True
        case And(parts):
            return formula != TRUE and all(map(_of_run, parts))
        case Forall(_, body):
            return _of_run(body)
    return False
