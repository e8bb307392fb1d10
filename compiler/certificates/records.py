"""Rechecking the record of a run: field by field, from the scene, the pack and the goal alone.

The steps of a plan are carried out by the simulator, a certificate goes through the checker, and a bound is
compared with the least cost over all states of the facts that the plan mentions. Each field of a record gets
a :class:`Finding`: one of three statuses, which programs compare, and the reason in words. A field that
nothing here looks at, or looks at in part, is *not checked*. Every key that is added to
records and can be rechecked belongs here.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ...domains.action import Action
from ...domains.deadline import LimitReached, share_of_time
from ...domains.errors import InputError, clip, counted
from ...domains.formula import Atom, Formula, GroundAtom, as_ground, conjuncts, is_ground_atom, walk
from ...domains.storage.json_record import JsonRecord
from ...simulator.belief import Belief
from ...simulator.partial_state import PartialArgs
from ...simulator.step import DONE, Step, read_step
from ...simulator.verification import Verification, verify_plan
from ..goals.unplaced import unplaced_in
from .cases import Cases
from .certificate import Certificate, Refused, certificate_from_json
from .checker import MAX_CASES, MAX_STATES, check_certificate, most_steps
from .constraints import rules_hash
from .induction import Binding, Induction
from .states import Projection

MAX_FACTS = 120
"""Most facts over whose states a bound is rechecked."""
BOUND_STEPS = 20
"""How many times the steps of a certificate that may take; where they do not suffice, it is not checked."""

CLAIMS = ("optimal", "bound", "order_bound")
"""What a record says of its plan beyond that the plan works."""


Status = Literal["rechecked", "not checked", "refused"]


@dataclass(frozen=True, slots=True)
class Finding(JsonRecord):
    """The result of rechecking one field of a record, and the reason in words."""

    status: Status
    detail: str = ""


NOT_CHECKED = Finding("not checked")


def millimetres(metres: object) -> int | None:
    """Return a length of a record in whole millimetres, ``None`` for what is no finite length."""
    if not isinstance(metres, int | float) or isinstance(metres, bool) or not abs(metres) < 1e9:
        return None
    return round(metres * 1000)


def recheck(
    record: Mapping[str, object],
    belief: Belief,
    goal: Formula,
    certificate: object = None,
    where: str = "record",
) -> dict[str, Finding]:
    """Recheck a record against a scene and a pack; return a finding for each of its fields, in their order.

    ``certificate`` is the JSON of one that lies beside the record. Raises :class:`InputError` where the
    hashes of the record or of its certificate are not those of the scene, the pack and the goal.
    """
    same_world(record, belief, where)
    findings = dict.fromkeys(record, NOT_CHECKED)
    findings["hashes"] = Finding("rechecked", "the scene and the pack are those of the run")
    outcome = record.get("outcome")
    if "added" in record:
        findings["added"] = _added(record["added"], belief, goal, record.get("reader") is not None)
    if "unplaced" in record and not record.get("observations"):
        findings["unplaced"] = _unplaced(record["unplaced"], belief, goal)
    if record.get("observations"):
        findings["outcome"] = Finding("not checked", "the robot's scene was changed by what it observed")
    elif outcome == "unsolvable" or (outcome == "goal-error" and record.get("certificate") is not None):
        _unsolvable(record, belief, goal, certificate, where, findings)
    elif outcome == "verified":
        _verified(record, belief, goal, where, findings)
    else:
        findings["outcome"] = Finding("not checked", "only a verified plan or a certificate can be")
    if findings["outcome"].status == "rechecked":
        findings["goal"] = Finding("rechecked", "what the outcome was rechecked of")
    return findings


def unchecked_claims(record: Mapping[str, object], findings: Mapping[str, Finding]) -> tuple[str, ...]:
    """Return the keys under which a record says how good its plan is, where that was not rechecked.

    A bound of zero and ``optimal: false`` say nothing.
    """
    return tuple(key for key in CLAIMS if record.get(key) and findings[key].status == "not checked")


def same_world(record: Mapping[str, object], belief: Belief, where: str = "record") -> None:
    """Check that a record is of a scene and a pack. Raises :class:`InputError` where a hash differs."""
    hashes = record.get("hashes")
    if not isinstance(hashes, dict):
        raise InputError(
            f"{where}: hashes", "the hashes of a scene and a pack", "none", "is it a record of plan?"
        )
    _same(f"{where}: hash of the scene", hashes.get("belief_before"), belief.scene.hash, "is this the scene?")
    _same(f"{where}: hash of the pack", hashes.get("pack_before"), belief.pack.hash, "is this the pack?")
    if (rules := rules_hash(belief.rules)) != hashes.get("rules_before"):
        got = "others" if rules is not None else "none"
        raise InputError(f"{where}: hash of the rules", "the rules of the run", got, "give them with --rules")


def read_certificate(
    record: Mapping[str, object], belief: Belief, goal: Formula, beside: object, where: str
) -> Certificate:
    """Return the certificate of a record. Raises :class:`InputError` for none or another's."""
    entry = record.get("certificate")
    if not isinstance(entry, dict):
        raise InputError(f"{where}: certificate", "a certificate", "none", "the run proved nothing")
    content = beside if beside is not None else entry.get("content")
    if content is None:
        hint = "give it with --certificate FILE"
        raise InputError(f"{where}: certificate", "its content, or a file beside the record", "neither", hint)
    certificate = certificate_from_json(content, belief)
    _same(
        "certificate: hash", entry.get("hash"), certificate.hash, "it is not the certificate of this record"
    )
    _same("certificate: scene", certificate.scene, belief.scene.hash, "the certificate is of another scene")
    _same("certificate: pack", certificate.pack, belief.pack.hash, "the certificate is of another pack")
    _same("certificate: goal", certificate.goal, str(goal), "the certificate is of another goal")
    return certificate


def _same(at: str, stored: object, computed: str, hint: str) -> None:
    if stored != computed:
        got = stored if isinstance(stored, str) else "no text"
        raise InputError(at, clip(computed), clip(got), hint)


def _unsolvable(
    record: Mapping[str, object],
    belief: Belief,
    goal: Formula,
    beside: object,
    where: str,
    findings: dict[str, Finding],
) -> None:
    certificate = read_certificate(record, belief, goal, beside, where)
    try:
        finding = Finding("rechecked", f"{certificate.kind}: {check_certificate(certificate, belief, goal)}")
    except Refused as refused:
        finding = Finding("refused", str(refused))
    findings["certificate"] = finding
    shown = finding.status == "rechecked"
    why = "no plan reaches the goal" if shown else "it is not shown that no plan reaches the goal"
    findings["outcome"] = Finding(finding.status, why)


def _carried_out(steps: Sequence[Step], run: Verification) -> str:
    """Say how many steps were carried out, and how many follow the end of the plan."""
    words = counted(len(steps) - len(run.ignored), "step")
    if run.ignored:
        words += f"; what follows {DONE} is not carried out: {counted(len(run.ignored), 'step')}"
    return words


def _verified(
    record: Mapping[str, object], belief: Belief, goal: Formula, where: str, findings: dict[str, Finding]
) -> None:
    printed = record.get("plan")
    if not isinstance(printed, list) or not all(isinstance(step, str) for step in printed):
        raise InputError(f"{where}: plan", "a list of printed steps", "something else")
    steps = [read_step(step, f"{where}: step {i}") for i, step in enumerate(printed)]
    run = verify_plan(steps, belief, goal)
    unmet = "; ".join(run.feedback()) or "the goal does not hold at the end"
    refused = Finding("refused", clip(unmet, 300))
    fate = Finding("rechecked", _carried_out(steps, run)) if run.verified else refused
    for key in ("outcome", "plan", "executable", "verified"):
        claimed = record.get(key) or key == "plan"
        findings[key] = fate if claimed else Finding("refused", "the outcome says it is so")
    if run.rules:
        same = record.get("rules") == _rules_of_run(record, steps, run, belief, where)
        findings["rules"] = fate if same else Finding("refused", "the rules were kept otherwise")
    schemas = belief.pack.domain.actions
    cost = run.length_mm + sum(schemas[a.name].cost or 0 for a in run.actions)
    for key, value in (("cost", cost), ("metres", run.length_mm)):
        same = millimetres(record.get(key)) == value
        findings[key] = Finding("rechecked") if same else Finding("refused", f"it is {value / 1000} m")
    bound = record.get("bound")
    if bound is not None and run.verified:
        findings["bound"] = _bound(millimetres(bound), cost, belief, goal, run)
    if record.get("optimal"):
        same = bound is not None and bound == record.get("cost")
        why = "a plan is the cheapest only where its cost is the bound"
        findings["optimal"] = findings["bound"] if same else Finding("refused", why)
    if record.get("order_bound") is not None:
        findings |= _order(record)


def _rules_of_run(
    record: Mapping[str, object], steps: Sequence[Step], run: Verification, belief: Belief, where: str
) -> list[dict[str, object]]:
    """Return how the rules stood: on what a record says was done, where that is not the plan."""
    executed = record.get("executed")
    texts = executed if isinstance(executed, list) else []
    done = [read_step(str(text), f"{where}: executed") for text in texts]
    on = run if not done or done == steps else verify_plan(done, belief)
    return [one.as_json() for one in on.rules]


def _order(record: Mapping[str, object]) -> dict[str, Finding]:
    """Compare what a record says of the order of its errands with itself: that is all that is looked at."""
    cost, bound = (millimetres(record.get(key)) for key in ("order_cost", "order_bound"))
    if cost is None or bound is None or not 0 <= bound <= cost:
        return {"order_bound": Finding("refused", "it is no length up to order_cost")}
    gap = round(cost / bound - 1, 4) if bound else float(cost > 0)
    return {} if record.get("order_gap") == gap else {"order_gap": Finding("refused", f"it is {gap}")}


def _action_cost(belief: Belief, name: str, args: Sequence[str]) -> int:
    """Return the cost of an action in millimetres. Raises :class:`NoRoute` for a drive without a route."""
    cost = belief.pack.domain.actions[name].cost
    return belief.routes.distance(args[0], args[1]) if cost is None else cost


def _added(listed: object, belief: Belief, goal: Formula, read: bool) -> Finding:
    """Check that what no reader wrote is a part of the goal and was so before anything was done.

    To a goal that was not ``read`` but given, only an empty hand is added.
    """
    texts = listed if isinstance(listed, list) else [listed]
    parts = {str(c): c for c in conjuncts(goal)}
    for text in texts:
        part = parts.get(text) if isinstance(text, str) else None
        if part is None or not is_ground_atom(part):
            return Finding("refused", f"{clip(text)} is no conjunct of the goal")
        if not belief.facts.holds(part.predicate, part.args):
            return Finding("refused", f"{part} does not hold before anything is done")
    hand = belief.pack.mapping.robot_free.predicate
    for text, part in parts.items():
        if text in texts or not isinstance(part, Atom) or not (read or part.predicate == hand):
            continue
        if belief.facts.holds(part.predicate, as_ground(part).args):
            return Finding("not checked", f"{part} holds before anything is done, and may have been added")
    return Finding("rechecked", "all conjuncts of the goal that hold before anything is done")


def _unplaced(listed: object, belief: Belief, goal: Formula) -> Finding:
    """Check that a record lists all things without a known place of which its goal speaks, and no others."""
    names = frozenset(str(name) for name in listed) if isinstance(listed, list) else frozenset()
    if placed := sorted(names - frozenset(belief.scene.unplaced)):
        return Finding("refused", f"{clip(placed[0])} is no thing whose place is not known")
    missing = [name for name in unplaced_in(goal, belief) if name not in names]
    if missing:
        return Finding("refused", f"the goal mentions {clip(missing[0])} too, whose place is not known")
    return Finding("rechecked", "the goal mentions no other things whose place is not known")


class _Unlisted(Induction):
    """Facts that no action adds, asked for one by one where no certificate lists them."""

    asking = False

    def limited(self, predicate: str, args: PartialArgs) -> bool:
        if super().limited(predicate, args) or None in args or self.asking:
            return super().limited(predicate, args)
        self.asking = True
        if self.added_by(predicate, args) is None:
            self.added.setdefault(predicate, {})[args] = None
        self.asking = False
        return super().limited(predicate, args)


def _bound(bound: int | None, cost: int, belief: Belief, goal: Formula, run: Verification) -> Finding:
    """Compare a bound with the plan's cost, and with the least over the states of the facts it mentions."""
    if bound is None:
        return Finding("refused", "no length in metres")
    if bound > cost:
        return Finding("refused", f"this plan costs no more than {cost / 1000} m")
    if unplaced := list(belief.scene.unplaced):
        return Finding("not checked", f"the place of {clip(unplaced[0])} is not known, and may be any")
    induction = _Unlisted(belief, BOUND_STEPS * most_steps(belief))
    cases = Cases(induction, goal, belief.exclusive, MAX_CASES)
    kept = dict.fromkeys(itertools.islice(_facts(induction, goal, run), MAX_FACTS + 1))
    if len(kept) > MAX_FACTS:
        return Finding("not checked", f"the robot's ways alone take more than {MAX_FACTS} facts")
    states = Projection(induction, belief.exclusive, tuple(kept))
    states.whole = frozenset([belief.pack.at])

    def price(action: Action, binding: Binding) -> int:
        """Return the cost of an action in millimetres, 0 for a drive from or to any other place."""
        ends = [binding[p.name] for p in action.parameters[:2] if p.name in binding]
        priced = action.cost is not None or len(ends) == 2
        return _action_cost(belief, action.name, ends) if priced else 0

    def possible(values: Mapping[GroundAtom, bool]) -> bool:
        cases.count = 0
        return not cases.refuted(values)

    try:
        with share_of_time(0.5):
            least = next((c for c, values in states.by_cost(MAX_STATES, price) if possible(values)), None)
    except (Refused, LimitReached) as reached:
        return Finding("not checked", str(reached))
    if least is None or least >= bound:
        return Finding("rechecked", f"no plan is cheaper, over {counted(states.count, 'state')}")
    return Finding("not checked", f"{counted(states.count, 'state')} showed no more than {least / 1000} m")


def _facts(induction: Induction, goal: Formula, run: Verification) -> Iterator[GroundAtom]:
    """Yield the changing facts of a plan's actions and of the goal, and where the robot may be."""
    belief, pack = induction.belief, induction.pack
    for step in run.actions:
        action = pack.domain.actions[step.name].ground(step.args)
        for atom in (*action.precondition, *action.add, *action.delete):
            if atom.predicate in pack.fluents:
                yield atom
    for node in walk(goal):
        if is_ground_atom(node) and node.predicate in pack.fluents:
            yield node

    def may_be(predicate: str, args: tuple[str, ...]) -> bool:
        return belief.facts.holds(predicate, args) or induction.added_by(predicate, args) is not None

    # A way from anywhere to anywhere costs nothing unless the places, and the things reached into, are known.
    stands = [n for n in belief.scene.nodes if may_be(pack.at, (n,))]
    yield from (Atom(pack.at, (n,)) for n in stands)
    for thing in (n for n in stands if belief.scene.nodes[n].type == "object"):
        for predicate, end in itertools.product(pack.locations, belief.scene.nodes):
            if may_be(predicate, (thing, end)):
                yield Atom(predicate, (thing, end))
