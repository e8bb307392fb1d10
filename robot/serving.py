"""The part of the goal that each action of a plan works towards, by what uses its effects.

An action serves the conjunct that comes true with it, or else that of the first action that needs what it
brings about (causal links; McAllester and Rosenblitt 1991): putting a mug into a crate serves the conjunct
that taking it out again does. After an action only the conjuncts are evaluated that it can have changed;
``domains.evaluate`` still defines the truth. Another meaning of ``serves`` belongs into :func:`served`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..domains.action import PlanAction
from ..domains.evaluate import evaluate
from ..domains.formula import Formula, GroundAtom
from ..simulator.belief import Belief
from ..simulator.trajectory import Touched
from ..simulator.verification import watched
from ..simulator.world import Effect, World


@dataclass(slots=True)
class _Link:
    """An action among the others: who brought about what it needs, and who needs what it brings about.

    Facts about things count before those of the robot (its place, its free hand), which every action needs.
    """

    robot_only: bool
    providers: list[int] = field(default_factory=list)
    users: list[int] = field(default_factory=list)
    users_of_robot: list[int] = field(default_factory=list)


def served(plan: Sequence[PlanAction], belief: Belief, parts: Sequence[Formula]) -> list[int | None]:
    """Return for each action the index of the conjunct that it works towards.

    It is that which comes true with the action, for good; else that of the first action which uses what it
    changes on things; else that of the action before it whose thing it goes on with (putting down what is in
    its room already); else the next one to come true. Driving serves what is done at its end. Without
    conjuncts there is ``None`` for each, and for events, which nobody has to do.
    """
    serves: list[int | None] = [None] * len(plan)
    if not parts:
        return serves
    own, links = _run(plan, belief, parts)
    for number in reversed(links):
        users = links[number].users
        serves[number] = own.get(number, serves[users[0]] if users else None)
    following = _following(own, len(plan))
    for number, link in links.items():
        if serves[number] is None and not link.robot_only:
            before = next((serves[p] for p in link.providers if serves[p] is not None), None)
            serves[number] = before if before is not None else following[number]
    for number in reversed(links):
        if serves[number] is None:
            users = links[number].users_of_robot
            serves[number] = serves[users[0]] if users else following[number]
    return serves


def _following(own: dict[int, int], actions: int) -> list[int]:
    """Return for each action the next conjunct to come true, the last one after that."""
    following = own[max(own)] if own else 0
    listed = []
    for number in range(actions - 1, -1, -1):
        following = own.get(number, following)
        listed.append(following)
    return listed[::-1]


def _run(
    plan: Sequence[PlanAction], belief: Belief, parts: Sequence[Formula]
) -> tuple[dict[int, int], dict[int, _Link]]:
    """Carry a plan out; return the conjunct that comes true with an action, and the links of each action."""
    pack = belief.pack
    of_robot = (pack.at, pack.mapping.robot_free.predicate)
    world = World(belief, tuple(dict.fromkeys(w for p in parts for w in watched(p, belief))))
    touched = Touched(parts, pack.mapping.derived)
    truth = [evaluate(p, world) for p in parts]
    last: dict[int, int] = {}
    links: dict[int, _Link] = {}
    provider: dict[GroundAtom, int] = {}
    for number, action in enumerate(plan):
        effect = world.perform(action) if not action.event else None
        if not isinstance(effect, Effect):
            continue
        grounds = [pack.domain.actions[a.name].ground(a.args) for a in effect.actions]
        link = links[number] = _Link(all(f.predicate in of_robot for g in grounds for f in g.add))
        for fact in dict.fromkeys(f for g in grounds for f in g.precondition):
            if (source := provider.get(fact)) is None:
                continue
            if fact.predicate in of_robot:
                links[source].users_of_robot.append(number)
            else:
                links[source].users.append(number)
                link.providers.append(source)
        for ground in grounds:
            for fact in ground.delete:
                provider.pop(fact, None)
            provider |= dict.fromkeys(ground.add, number)
        changed = dict.fromkeys(f for g in grounds for f in (*g.delete, *g.add))
        for index in touched.by(tuple(changed), world.state):
            before, truth[index] = truth[index], evaluate(parts[index], world)
            if truth[index] and not before:
                last[index] = number
    # Of several conjuncts that come true together, the last one gives the action its name.
    return {last[index]: index for index in sorted(last)}, links
