"""Parts of a record and its folder that follow from goal and steps: computed again, and compared.

Words for people, commands for a robot and problems for engines follow from scene, pack, goal and steps. Each
is made here as the run made it; one that is another's is refused, whatever the hashes say. A key that follows
from nothing that is here (what a reader searched, how long it took) is left to be *not checked*. Every key
and file that a run derives belongs here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from ..compiler.certificates.findings import Finding
from ..compiler.goals.checker import check
from ..compiler.goals.goal import Goal
from ..compiler.pddl import compile_goal
from ..compiler.problem import Unsupported
from ..domains.action import PlanAction
from ..domains.deadline import LimitReached
from ..domains.ending import Ending
from ..domains.errors import GoalError, clip
from ..language.questions.answering import Answer, ask
from ..language.sentences.saying import say
from ..planners.online.carried import carried_out
from ..planners.proofs.search import Prover
from ..planners.record import AS_READ
from ..planners.result import PlanResult
from ..robot.program import translate
from ..simulator.belief import Belief
from ..simulator.printing import steps_with_sources
from ..simulator.step import read_step
from ..simulator.verification import verify_plan
from ..simulator.world import Refusal, World
from .console.escape import json_text, without_key
from .console.losses import losses_json
from .console.pretty import pretty

Findings = dict[str, Finding]

NOTHING: Mapping[str, object] = {
    **{key: [] for key in ("plan", "actions", "violations", "errands")},
    **dict.fromkeys(("cost", "bound", "order_cost", "order_bound", "order_gap", "order_evidence", "program")),
    **dict.fromkeys(("optimal", "executable", "verified"), False),
    "metres": 0.0,
}
"""What a record says of its plan where it has none."""
NO_PROOF: Mapping[str, object] = {"violations": [], "exhausted": [], "proof": None, "certificate": None}
"""What a verified record says of faults and proofs."""
AGAIN = Finding("rechecked", "computed again")


def recheck_derived(
    raw: Mapping[str, object], belief: Belief, goal: Goal, findings: Findings
) -> tuple[Findings, Mapping[str, str]]:
    """Recheck the keys of a record that follow from its goal and its steps; return also the files that do."""
    derived: Findings = {}
    files = {"goal.txt": pretty(str(goal)) + "\n"}
    if "says" in raw:
        derived["says"] = _same(raw["says"], say(goal.formula, belief))
    if raw.get("reader") is None and not raw.get("added") and "diagnostics" in raw:
        derived["diagnostics"] = _diagnostics(raw["diagnostics"], belief, goal)
    if isinstance(hashes := raw.get("hashes"), dict):
        of = {"pack": belief.pack.hash, "belief": belief.scene.hash}
        if any(of.get(name.partition("_")[0], value) != value for name, value in hashes.items()):
            derived["hashes"] = Finding("refused", "the scene and the pack after the run are others")
    derived["why"] = _why(raw)
    if "losses" in raw:
        derived["losses"] = _same(raw["losses"], losses_json(belief.scene))
    if raw.get("outcome") != "verified":
        derived |= {k: _same(raw[k], v) for k, v in NOTHING.items() if k in raw and not raw.get("attempts")}
        if raw.get("outcome") == "unsolvable" and findings["outcome"].status == "rechecked":
            derived |= _explanation(raw, belief, goal)
    else:
        derived |= {key: _same(raw[key], value) for key, value in NO_PROOF.items() if key in raw}
        if raw.get("executed", []) in ([], raw.get("plan")):  # else the last plan begins on the way
            derived |= _plan(raw, belief, goal, files)
    with suppress(Unsupported, GoalError, LimitReached):
        text = compile_goal(goal.formula, belief)
        files |= replace(text, domain=without_key(text.domain), problem=without_key(text.problem)).files()
    return {key: finding for key, finding in derived.items() if key in raw}, files


def recheck_reply(raw: Mapping[str, object], belief: Belief) -> Findings:
    """Compare the words of an answer with those that its sentence gets, where that is read as its query."""
    sentence = raw.get("instruction")
    reply = ask(sentence, belief) if isinstance(sentence, str) else None
    planned = {k: _same(raw[k], v) for k, v in NOTHING.items() if k in raw}
    if not isinstance(reply, Answer) or reply.query != raw.get("query"):
        return planned
    words = {"reply": reply.words, "notes": list(reply.notes)}
    return planned | {k: _same(raw[k], v) for k, v in words.items() if k in raw}


def recheck_files(
    listed: Mapping[str, object], read: Callable[[str], str], files: Mapping[str, str]
) -> Finding | None:
    """Compare the files that a record lists with those that follow from it; ``None`` where all are the same.

    ``read`` returns the text of a file beside the record.
    """
    unlike = [name for name in sorted(listed) if name in files and read(name) != without_key(files[name])]
    if unlike:
        return Finding("refused", f"{', '.join(unlike)} is not what this record's goal and steps give")
    rest = [clip(name) for name in sorted(listed) if name not in files and name != "certificate.json"]
    return Finding("not checked", f"{', '.join(rest)}: not rechecked") if rest else None


def _same(recorded: object, computed: object) -> Finding:
    """Compare a value of a record with what it was computed to be."""
    text = json_text(computed)
    if json.loads(text) == recorded and isinstance(recorded, bool) == isinstance(computed, bool):
        return AGAIN
    return Finding("refused", f"computed again it is {clip(text, 300)}")


def _diagnostics(recorded: object, belief: Belief, goal: Goal) -> Finding:
    """Compare the findings of the check by code and words: places are those of the text that was given."""
    keys = ("code", "severity", "message")
    computed = [[d.as_json()[key] for key in keys] for d in check(goal, belief).diagnostics]
    listed = recorded if isinstance(recorded, list) else []
    return _same([[d.get(key) for key in keys] for d in listed if isinstance(d, dict)], computed)


def _why(raw: Mapping[str, object]) -> Finding:
    """Check that what is said in words of an order is what the numbers say."""
    why, exact = str(raw.get("why")), "their order is exact"
    if "their order is" not in why:
        return Finding("not checked")
    if raw.get("order_bound") is None or (exact in why) != (raw.get("order_cost") == raw.get("order_bound")):
        return Finding("refused", "it says of the order what order_cost and order_bound do not")
    return Finding("not checked")


def _explanation(raw: Mapping[str, object], belief: Belief, goal: Goal) -> Findings:
    """Compare the reasons for which there is no plan with those of the same certificate, if it is found."""
    certificate, proof = raw.get("certificate"), Prover(goal.formula, belief).quick()
    stored = certificate.get("hash") if isinstance(certificate, dict) else None
    if proof is None or stored != proof.certificate.hash:
        return {}
    read = (AS_READ,) if None not in (raw.get("reader"), raw.get("instruction")) else ()
    return {
        "proof": _same(raw.get("proof"), str(proof)),
        "reasons": _same(raw.get("reasons"), [*proof.reasons, *read]),
    }


def _plan(raw: Mapping[str, object], belief: Belief, goal: Goal, files: dict[str, str]) -> Findings:
    """Recheck the actions behind the steps and the program for a robot; add the files that hold them."""
    printed = [str(step) for step in raw["plan"]] if isinstance(raw["plan"], list) else []
    steps = [read_step(text, "plan") for text in printed]
    files["plan.txt"] = "".join(f"{step}\n" for step in printed)
    wrong = Finding("refused", "these are not the actions that the steps stand for")
    result = _of_actions(raw.get("actions"), belief, goal)
    if result is None or [str(s) for s in result.steps] != printed:
        result = carried_out(steps, belief, goal.formula)  # as steps of other planners are taken
        if _same(raw.get("actions"), _as_json(result.plan or ())) != AGAIN:
            return {"actions": wrong, "program": wrong}
    if raw.get("executed"):
        result = carried_out(steps, belief, goal.formula)
        files["executed.txt"] = files["plan.txt"]
    if not result.verified:
        return {}
    program = translate(result, belief, goal).as_json()
    files["program.json"] = json_text(program) + "\n"
    return {"actions": AGAIN, "program": _same(raw.get("program"), program)}


def _of_actions(listed: object, belief: Belief, goal: Goal) -> PlanResult | None:
    """Return the plan of listed actions, each done in turn; ``None`` where they are not what happens then."""
    schemas, world = belief.pack.domain.actions, World(belief)
    actions: list[PlanAction] = []
    for one in listed if isinstance(listed, list) else ():
        match one:
            case {"name": str(name), "args": list(args), "event": bool(event)} if name in schemas:
                actions.append(PlanAction(name, tuple(map(str, args)), event))
            case _:
                return None
        if len(schemas[name].parameters) != len(args) or not all(
            a in belief.scene.nodes for a in actions[-1].args
        ):
            return None
    done: list[PlanAction] = []
    for action in (a for a in actions if not a.event):
        effect = world.perform(action)
        if isinstance(effect, Refusal):
            return None
        done += effect.actions
    if done != actions:
        return None
    printed = tuple(steps_with_sources(actions, belief))
    verification = verify_plan([step for _, step in printed], belief, goal.formula)
    return PlanResult(Ending.SOLVED, tuple(actions), printed=printed, verification=verification)


def _as_json(plan: Sequence[PlanAction]) -> list[dict[str, object]]:
    return [{"name": a.name, "args": list(a.args), "event": a.event} for a in plan]
