"""Rules of an operator: constraints on every run in a scene, whatever its goal.

They are read from a file of formulas or from the pack, checked like goals, and become a part of the belief.
So every plan keeps them, and no reader, model or repair can touch them. Only constraints on the run are
rules: what is to be so at the end, a goal has to say.
"""

from __future__ import annotations

from ...domains.errors import InputError, clip
from ...domains.formula import TRUE, And, Forall, Formula, TrajectoryConstraint, names
from ...domains.pack import Pack
from ...simulator.belief import Belief, ground
from ...simulator.scene import PLACE_UNKNOWN, Node, Scene
from ..goals.checker import check
from ..goals.goal import MAX_CHARACTERS, Goal
from ..goals.syntax import Source
from .constraints import with_rules

_BEFORE, _BEHIND = "(and ", "\n)"
_BARE = (
    Node("the building", "building"),
    Node("the floor", "floor", parent="the building"),
    Node("the room", "room", parent="the floor"),
    Node("the pose", "pose"),
    Node("the asset", "asset", parent="the room"),
    Node("the object", "object", relation=PLACE_UNKNOWN),
    Node("the robot", "agent", at="the room"),
)
"""A scene with a node of each type, in which a rule is checked that has to fit all scenes."""
MAX_RULES = 100
"""Most rules of a file."""
ASKED_OF_RUN = "a rule about the whole run: always, never, at-most-once, sometime-after or sometime-before"


def read_rules(text: str | None, belief: Belief, where: str = "rules") -> Belief:
    """Return a belief whose runs keep the rules of its pack, and those of a text if there is one.

    A text has formulas, one after the other, with comments. Raises :class:`InputError` for a text without
    rules or with too many, :class:`GoalError` for a rule that is no formula or does not fit the scene, with
    line and column.

    >>> from groundplan import ground, load_pack, load_scene
    >>> office = ground(load_scene("office"), load_pack())
    >>> ruled = read_rules("(never (robot_at lobby)) ; guests\\n(never (do open fridge))", office)
    >>> print(*ruled.rules, sep="\\n")
    (always (not (robot_at lobby)))
    (never (do open fridge))
    """
    sources = _sources(text, belief.pack, where)
    for source, goal in sources.items():
        check(goal, belief).raise_errors(source, "rules that fit the scene")
    return with_rules(belief, rules_of(text, belief.pack, where)) if sources else belief


def rules_of(text: str | None, pack: Pack, where: str = "rules") -> tuple[Formula, ...]:
    """Return the rules of a pack and of a text, each once, whatever the scene. Raises as `read_rules`."""
    goals = _sources(text, pack, where).values()
    return tuple(dict.fromkeys(part for goal in goals for part in _parts(goal)))


def _sources(text: str | None, pack: Pack, where: str) -> dict[str, Goal]:
    """Return the rules of a pack, and of a text if there is one, by the places of their texts."""
    sources = dict(pack_rule(pack, number) for number in range(len(pack.mapping.operator_rules)))
    return sources if text is None else sources | {where: parse_rules(text, where)}


def pack_rule(pack: Pack, number: int) -> tuple[str, Goal]:
    """Return a rule of a pack after its place, such as ``DIR/mapping.toml: operator.rules[0]``.

    It holds in every scene, so it may name no node and no class. Raises :class:`GroundplanError`.
    """
    where = f"{pack.where}/mapping.toml: operator.rules[{number}]"
    goal = parse_rules(pack.mapping.operator_rules[number], where)
    if named := names(goal.formula):
        raise InputError(where, "no names of nodes, since a pack has no scene", clip(named[0]))
    check(goal, ground(Scene(pack.name, {node.id: node for node in _BARE}, ()), pack)).raise_errors(where)
    return where, goal


def parse_rules(text: str, where: str = "rules") -> Goal:
    """Return the rules of a text, in one conjunction, whatever the scene. Raises as :func:`read_rules`."""
    if len(text) > MAX_CHARACTERS:
        raise InputError(where, f"rules of at most {MAX_CHARACTERS} characters", f"{len(text)} characters")
    places = [*[0] * len(_BEFORE), *range(len(text)), *[len(text) - 1] * (len(_BEHIND) + 1)]
    source = Source(f"{_BEFORE}{text}{_BEHIND}", where, text, places)
    root = source.read("start")
    goal = Goal(root.formula, text, source.spans(root))
    rules = _parts(goal)
    if not 0 < len(rules) <= MAX_RULES:
        raise InputError(where, f"from 1 to {MAX_RULES} rules", str(len(rules)))
    for number, rule in enumerate(rules):
        if not _of_run(rule):
            at = goal.spans[number,]
            raise InputError(f"{where}:{at.line}", ASKED_OF_RUN, clip(str(rule)))
    return goal


def _parts(goal: Goal) -> tuple[Formula, ...]:
    return goal.formula.parts if isinstance(goal.formula, And) else ()


def _of_run(formula: Formula) -> bool:
    match formula:
        case TrajectoryConstraint():
            return True
        case And(parts):
            return formula != TRUE and all(map(_of_run, parts))
        case Forall(_, body):
            return _of_run(body)
    return False
