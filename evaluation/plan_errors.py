"""Kinds of errors in plans: SayPlan's five (Rana et al. 2023, table 3), found by rules instead of by people.

The plan is carried out step by step on the task's scene. Where a step is refused, the fewest steps are put
before it that make it possible, and what had to be put in, or left out, is the kind of the error:

- ``hallucinated_nodes``: a step names something that the scene does not have;
- ``missing_pose``: only drives had to be put in, so the way to a place was left out;
- ``missing_action``: something else had to be put in: an ``access``, a door, one manipulation;
- ``wrong_action``: nothing that may be put in makes the step possible, and it is left out;
- ``incomplete_search``: the search showed too little of the scene for any plan to reach the gold goal.

A step that was left out may make later steps impossible; what is put in for these fills the gap that it left
and is no further error. A plan may have several kinds (the paper's add up to 110 % for one method).

The paper counts errors of execution alone: ``execution`` is empty for a plan whose every step is accepted.
``kinds`` adds what keeps the gold goal from holding after the plan, mended so, has been carried out:
``wrong_action`` where a plan handles what no plan for the gold needs (:class:`NeededNodes`), puts a thing in
another place or undoes what was so, and ``missing_action`` where something was not done, if nothing above
explains it. The rules stay, since rows hold what follows from them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from ..compiler.forms import literals
from ..compiler.normal import normal_form
from ..compiler.relevance import growing_closure
from ..domains.deadline import LimitReached, check_time
from ..domains.evaluate import evaluate
from ..domains.formula import And, Atom, Cardinality, Formula, Or, Sometime, conjuncts, names
from ..pipeline.record import Record
from ..simulator.belief import Belief
from ..simulator.step import DONE, Step
from ..simulator.verification import verify_plan, watched
from ..simulator.view import View
from ..simulator.world import Effect, World
from .carrying_out import enabling_steps

ErrorKind = Literal[
    "missing_action", "missing_pose", "wrong_action", "incomplete_search", "hallucinated_nodes"
]
ERROR_KINDS: tuple[ErrorKind, ...] = get_args(ErrorKind)
"""The kinds, in the order of the paper's table."""
DRIVES = "drives"
HANDLING = "handling"
MAX_INSERTED = 6
"""Most manipulations that are put into one plan beside what refused steps lack at once."""


@dataclass(frozen=True, slots=True)
class PlanErrors:
    """Kinds of errors of a run, in the order of :data:`ERROR_KINDS`; ``execution`` are the paper's."""

    kinds: tuple[ErrorKind, ...] = ()
    execution: tuple[ErrorKind, ...] = ()


@dataclass
class Course:
    """A plan carried out so far, with its refused steps mended: the state, and what had to be done.

    ``steps`` are those of the plan, with what was put in before them. ``faults`` counts refused steps by
    kind; ``gaps`` counts those that were left out, by whether they were drives, and that nothing put in later
    made up for.
    """

    world: World
    steps: list[Step] = field(default_factory=list)
    faults: Counter[ErrorKind] = field(default_factory=Counter)
    gaps: Counter[str] = field(default_factory=Counter)

    def take(self, step: Step) -> None:
        """Carry out a step; where it is refused put in what it lacks, or leave it out."""
        world = self.world
        family = _family(step, world.belief)
        if isinstance(world.apply(step), Effect):
            self.steps.append(step)
            return
        unknown = any(name not in world.scene.nodes for name in step.args)
        before = None if unknown else enabling_steps(step, world)
        if before is None or _changes_nothing(step, before, world):
            self.faults["hallucinated_nodes" if unknown else "wrong_action"] += 1
            self.gaps[family] += 1
            self.steps.append(step)
            return
        for one in (*before, step):
            world.apply(one)
        self.steps += (*before, step)
        handling = sum(_family(one, world.belief) == HANDLING for one in before)
        if self.fill(HANDLING if handling else DRIVES, handling or 1):
            self.faults["missing_action" if handling else "missing_pose"] += 1

    def fill(self, family: str, count: int) -> int:
        """Fill gaps with steps that were put in; return how many were put in beyond them."""
        filled = min(self.gaps[family], count)
        self.gaps[family] -= filled
        return count - filled


@dataclass(frozen=True)
class Mended:
    """A plan carried out to its end with what it lacks put in; the ``unmet`` conjuncts do not hold there.

    ``late`` is true where something was put in for the goal's sake alone: no step was refused for want of it.
    ``gaps`` count manipulations that were left out, and that nothing made up for.
    """

    world: World
    kinds: frozenset[ErrorKind]
    unmet: tuple[Formula, ...]
    gaps: int
    late: bool


def errors_of(record: Record, belief: Belief, gold: Formula, made_up: Sequence[str] = ()) -> PlanErrors:
    """Return the kinds of errors of a run whose task has the gold goal ``gold``.

    ``made_up`` are the names that the run used last and the scene does not have; they count where there is no
    plan. So does an incomplete search.
    """
    seen = seen_nodes(record, belief)
    unseen = seen is not None and not reachable(normal_form(gold, belief), seen, belief)
    if not record.planned:
        kinds = [("incomplete_search", unseen), ("hallucinated_nodes", bool(made_up))]
        return PlanErrors(_ordered(kind for kind, is_so in kinds if is_so))
    needed = NeededNodes((gold,), belief)
    mended = mended_plan(record.plan, belief, gold, needed)
    accepted = verify_plan(record.plan, belief).executable
    execution: set[str] = set() if accepted else set(mended.kinds)
    all_kinds = mended.kinds | ({"missing_action"} if mended.late else set())
    if mended.unmet:
        all_kinds |= _shortfall(record, belief, mended, needed, unseen)
        if unseen:
            all_kinds |= {"incomplete_search"}
            execution |= set() if accepted else {"incomplete_search"}
    return PlanErrors(_ordered(all_kinds), _ordered(execution))


def _ordered(kinds: Iterable[str]) -> tuple[ErrorKind, ...]:
    chosen = frozenset(kinds)
    return tuple(kind for kind in ERROR_KINDS if kind in chosen)


# Execution


def mended_plan(steps: Sequence[Step], belief: Belief, gold: Formula, needed: Container[str]) -> Mended:
    """Carry out a plan up to ``done()``, mending it with as few steps as make it work.

    A step that is refused gets what it lacks at once (:meth:`Course.take`). What shows only later, such as a
    thing that was never picked up, is put in where most comes right by it: one manipulation at a time, as
    long as each makes up for itself, at most :data:`MAX_INSERTED`. ``needed`` are the nodes that a plan for
    the goal may need.
    """
    start = World(belief, watched(gold, belief))
    course = Course(start.fork())
    for step in steps[: steps.index(DONE)] if DONE in steps else steps:
        check_time("looking for the errors of a plan")
        course.take(step)
    plan, best = course.steps, _ended(course.world, course.faults["wrong_action"], gold)
    early = late = 0
    while best.score > (0, 0) and early + late < MAX_INSERTED:
        found = min(_trials(plan, start, gold, best, needed), key=lambda t: t[2].score, default=None)
        if found is None or not _makes_up(found[2], best):
            break
        index, step, end = found
        early, late = (early + 1, late) if end.refused < best.refused else (early, late + 1)
        plan, best = [*plan[:index], step, *plan[index:]], end
    faults = course.faults
    course.gaps[HANDLING] -= min(course.gaps[HANDLING], faults["wrong_action"] - best.refused)
    faults["wrong_action"] = best.refused
    if course.fill(HANDLING, early):
        faults["missing_action"] += 1
    beyond = course.fill(HANDLING, late)
    return Mended(best.world, frozenset(+faults), best.unmet, course.gaps[HANDLING], beyond > 0)


@dataclass(frozen=True, slots=True)
class _End:
    """The end of a plan whose refused steps were left out, ``refused`` of them about real nodes."""

    world: World
    refused: int
    unmet: tuple[Formula, ...]

    @property
    def score(self) -> tuple[int, int]:
        """The number of things wrong, and of unmet conjuncts among them."""
        return (self.refused + len(self.unmet), len(self.unmet))


def _makes_up(end: _End, best: _End) -> bool:
    """Return whether a step put in makes more right than itself: a conjunct, or two refused steps."""
    return (len(end.unmet) < len(best.unmet) and end.score < best.score) or end.score[0] + 1 < best.score[0]


def _ended(world: World, refused: int, gold: Formula) -> _End:
    return _End(world, refused, tuple(part for part in conjuncts(gold) if not evaluate(part, world)))


def _trials(
    plan: Sequence[Step], start: World, gold: Formula, best: _End, needed: Container[str]
) -> Iterator[tuple[int, Step, _End]]:
    """Yield what single manipulations put into a plan would come to, with the place of each.

    They are about what the robot stands at, what it holds, what is there and is named later or needed for the
    gold goal, and what the next manipulation names; at the end, about all that the plan names. ``access`` is
    tried for the places that the gold goal names.
    """
    belief, scene = start.belief, start.scene
    places = [n for n in names(gold) if n in scene.nodes and scene.nodes[n].type == "asset"]
    things = [n for n, node in scene.nodes.items() if node.type == "object"]
    world, refused = start.fork(), 0
    for index in range(len(plan) + 1):
        check_time("looking for the errors of a plan")
        if index:
            refused += _refused(plan[index - 1], world)
            drove = _family(plan[index - 1], belief) == DRIVES
            if index < len(plan) and drove and not belief.pack.mapping.implied_access:
                continue  # nothing is in reach after a drive
        rest = [s for s in plan[index:] if _family(s, belief) == HANDLING and s.name != "access"]
        about = rest[0].args if rest else handled_nodes(plan, belief)
        state, at = world.state, world.state.stands_at
        held = (args[0] for args in state.facts.all(world.pack.mapping.robot_held.predicate))
        later = (n for s in rest for n in s.args if n in scene.nodes and state.above(n) == at)
        here = (n for n in things if at in state.around(n) and n in needed)
        near = [n for n in dict.fromkeys((at, *held, *about, *later, *here)) if n in scene.nodes]
        single = [Step(verb, (name,)) for verb in _verbs(world) for name in near]
        for step in (*single, *(Step("access", (place,)) for place in places)):
            after = world.fork()
            if isinstance(after.apply(step), Effect):
                end = _tried(plan[index:], after, refused, gold, best)
                if end is not None:
                    yield index, step, end


def _tried(rest: Sequence[Step], world: World, refused: int, gold: Formula, best: _End) -> _End | None:
    """Carry out the rest of a plan; ``None`` as soon as it comes to no less than the best so far."""
    for step in rest:
        refused += _refused(step, world)
        if refused >= best.score[0]:
            return None
    return _ended(world, refused, gold)


def _refused(step: Step, world: World) -> bool:
    """Carry out a step; return whether it is refused, though there is what it names."""
    return not isinstance(world.apply(step), Effect) and all(n in world.scene.nodes for n in step.args)


def _family(step: Step, belief: Belief) -> str:
    return DRIVES if step.name in ("goto", belief.pack.mapping.room_step) else HANDLING


def _verbs(world: World) -> tuple[str, ...]:
    """Return the printed steps of the pack that name one thing and move or switch it."""
    patterns = (world.pack.mapping_of(action.name).step for action in world.pack.manipulations)
    names_one = (p.predicate for p in patterns if p is not None and len(p.args) == 1)
    return tuple(verb for verb in dict.fromkeys(names_one) if verb != "access")


def _changes_nothing(step: Step, before: Sequence[Step], world: World) -> bool:
    """Return whether a step, with what enables it, leaves what it names as it is: it was done already."""
    if step.name == "access" or _family(step, world.belief) == DRIVES:
        return False
    after = world.fork()
    for one in (*before, step):
        after.apply(one)
    return _state(step.args, world) == _state(step.args, after)


def _state(nodes: Sequence[str], world: World) -> tuple[object, ...]:
    """Return where nodes are, and the facts about each alone that actions change."""
    unary = sorted(p for p in world.pack.fluents if world.pack.domain.predicates[p].arity == 1)
    return tuple((world.state.above(n), *(world.state.facts.holds(p, (n,)) for p in unary)) for n in nodes)


# The gold goal


class NeededNodes(Container[str]):
    """The nodes that a plan for some goals may need, found as far as they are asked for.

    These are the nodes of each goal's ground normal form (so every witness of what it leaves open), what they
    are in, and the tools and machines that bring its facts about: the closure of the goal
    (``compiler.relevance``). That may be most of a scene and take minutes, so it is followed until it has the
    node that is asked for. Asking raises :class:`LimitReached` where a limit cuts it off: what it had not
    reached by then is not known, and who asks again has it begin again.
    """

    def __init__(self, goals: Iterable[Formula], belief: Belief) -> None:
        self._goals, self._belief = tuple(dict.fromkeys(goals)), belief
        self._reached: list[Container[str]] = []
        self._left = self._followed()

    def __contains__(self, node: object) -> bool:
        while not any(node in reached for reached in self._reached):
            try:
                further = next(self._left, None)
            except LimitReached:
                self._left = self._followed()
                raise
            if further is None:
                return False
            if not any(further is reached for reached in self._reached):
                self._reached.append(further)
        return True

    def _followed(self) -> Iterator[Container[str]]:
        """Yield containers of nodes; the last one of a goal grows, and is yielded whenever it has grown."""
        for goal in self._goals:
            yield frozenset(names(goal))
            form = tuple(literals(normal_form(goal, self._belief)))
            yield frozenset(n for atom, _ in form for n in atom.args)
            for closure in growing_closure(form, self._belief, self._belief.facts):
                yield closure.names


def wrong_nodes(used: Iterable[str], needed: Container[str], belief: Belief) -> tuple[str, ...]:
    """Return the assets and objects among names that no plan for the gold goal needs, each once, in order."""
    nodes = belief.scene.nodes
    kinds = ("asset", "object", "part")
    return tuple(n for n in dict.fromkeys(used) if n in nodes and nodes[n].type in kinds and n not in needed)


def handled_nodes(steps: Iterable[Step], belief: Belief) -> tuple[str, ...]:
    """Return what the steps of a plan name, drives apart, each once."""
    handling = (step for step in steps if _family(step, belief) == HANDLING)
    return tuple(dict.fromkeys(name for step in handling for name in step.args))


def seen_nodes(record: Record, belief: Belief) -> frozenset[str] | None:
    """Return the nodes that a run's search has shown; ``None`` for a run that did not search."""
    if not (record.opened or record.shown or record.trace):
        return None
    return View.first(belief.scene).ids | frozenset(record.shown)


def reachable(form: Formula, seen: frozenset[str] | None, belief: Belief) -> bool:
    """Return whether a goal in normal form may be reached with nodes that were seen, ``None`` for all."""
    if seen is None:
        return True
    match form:
        case Atom(predicate, args):
            grounded = tuple(map(str, args))
            return all(n in seen or n not in belief.scene.nodes for n in grounded) or belief.facts.holds(
                predicate, grounded
            )
        case And(parts):
            return all(reachable(part, seen, belief) for part in parts)
        case Or(parts):
            return any(reachable(part, seen, belief) for part in parts)
        case Cardinality("at-least" | "exactly", number, parts):
            return sum(reachable(part, seen, belief) for part in parts) >= number
        case Sometime(body):
            return reachable(body, seen, belief)
    return True


def _shortfall(
    record: Record, belief: Belief, mended: Mended, needed: Container[str], unseen: bool
) -> set[ErrorKind]:
    """Return why the gold goal does not hold after a mended plan, other than by an incomplete search.

    What was not done, where the search was incomplete (``unseen``), is put down to that.
    """
    world, start = mended.world, World(belief, mended.world.memory.watched)
    handled = [n for n in handled_nodes(record.plan, belief) if n in belief.scene.nodes]
    wrong = wrong_nodes(handled, needed, belief)
    kinds: set[ErrorKind] = {"wrong_action"} if wrong else set()
    left_out, instead = mended.gaps, len(wrong)
    for part in mended.unmet:
        if left_out:
            left_out -= 1
        elif evaluate(part, start) or _put_elsewhere(normal_form(part, belief), start, world):
            kinds.add("wrong_action")
        elif instead:
            instead -= 1
        elif not unseen:
            kinds.add("missing_action")
    return kinds


def _put_elsewhere(form: Formula, start: World, end: World) -> bool:
    """Return whether a thing whose place a goal is about was moved, and put down elsewhere."""
    held = {args[0] for args in end.state.facts.all(end.pack.mapping.robot_held.predicate)}
    things = {atom.args[0] for atom, positive in literals(form) if positive and len(atom.args) == 2}
    moved = (t for t in things - held if t in end.scene.nodes and start.state.above(t) != end.state.above(t))
    return any(moved)
