"""Parts of a record and its folder that follow from goal and steps: computed again, and compared.

Words for people, commands for a robot and problems for engines follow from scene, pack, goal and steps. Each
is made here as the run made it; one that is another's is refused, whatever the hashes say. A key that follows
from nothing that is here (what a reader searched, how long it took) is left to be *not checked*. Every key
and file that a run derives belongs here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from ..acting.carried import carried_out
from ..compiler.certificates.certificate import Refused
from ..compiler.certificates.checker import check_certificate
from ..compiler.certificates.constraints import avoiding, rules_hash
from ..compiler.certificates.records import (
    NOT_CHECKED,
    Finding,
    millimetres,
    read_certificate,
    unchecked_claims,
)
from ..compiler.goals.checker import check
from ..compiler.goals.goal import Goal, GoalSyntaxError, parse_goal
from ..compiler.normal import expanded
from ..compiler.pddl import compile_goal
from ..compiler.problem import Unsupported
from ..compiler.shown_part import beyond_search, compiled_from
from ..domains.action import PlanAction
from ..domains.deadline import LimitReached, share_of_time
from ..domains.ending import Ending
from ..domains.errors import GoalError, InputError, clip
from ..domains.files import items, mapping, objects, texts
from ..domains.formula import Exists, Forall, Formula, Or, conjunction, conjuncts
from ..engines.result import PlanResult, Why, order_in_words
from ..language.questions.answering import Answer, ask, position
from ..language.sentences.saying import say
from ..pipeline.record import AS_READ
from ..planners.proofs.finding import excluded_by_rules
from ..planners.proofs.search import Prover
from ..planners.tidy import end_of, unsaid
from ..robot.exports.btcpp import TREE_FORMS
from ..robot.exports.formats import EXPORT_FORMATS
from ..robot.exports.source import ExportSource
from ..robot.program import translate
from ..simulator.belief import Belief
from ..simulator.printing import steps_with_sources
from ..simulator.step import read_step
from ..simulator.verification import verify_plan
from ..simulator.world import Refusal, World
from .console.escape import json_text, without_key
from .console.losses import losses_json
from .console.pretty import pretty
from .output.seals import KEY, as_bytes, digest

Findings = dict[str, Finding]

NOTHING: Mapping[str, object] = {
    **{key: [] for key in ("plan", "actions", "violations", "errands")},
    **dict.fromkeys(("cost", "bound", "order_cost", "order_bound", "order_gap", "program")),
    **dict.fromkeys(("optimal", "executable", "verified"), False),
    **{"metres": 0.0, "mode": "", "why": ""},
}
"""What a record says of its plan where it has none."""
NO_PROOF: Mapping[str, object] = {"violations": [], "exhausted": [], "proof": None, "certificate": None}
"""What a verified record says of faults and proofs."""
AGAIN = Finding("rechecked", "computed again")
HISTORY = frozenset(
    (
        "engine engine_options statistics solver reader usage reproducible cut_off method timings"
        " compile_form"
    ).split()
)
"""What tells of the programs that ran and of their work; all else that was not rechecked is named as such."""


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
        of = {"pack": belief.pack.hash, "belief": belief.scene.hash, "rules": rules_hash(belief.rules)}
        if any(of.get(name.partition("_")[0]) != value for name, value in hashes.items()):
            derived["hashes"] = Finding("refused", "the scene and the pack after the run are others")
    if not raw.get("observations"):  # else the proofs are of the scene as it was seen
        derived["dropped_as_impossible"] = _dropped(raw.get("dropped_as_impossible"), belief)
    if raw.get("beyond_search") is not None and not raw.get("attempts") and not raw.get("observations"):
        derived["beyond_search"] = _beyond(raw, belief)
    derived["losses"] = _same(raw.get("losses"), losses_json(belief.scene))
    if raw.get("outcome") != "verified":
        derived |= _each(raw, NOTHING) if not raw.get("attempts") else {}
        if raw.get("outcome") == "unsolvable" and findings["outcome"].status == "rechecked":
            derived |= _explanation(raw, belief, goal)
        if raw.get("outcome") == "goal-error" and findings["outcome"].status == "rechecked":
            derived |= _exclusion(raw, belief, goal)
    else:
        derived |= _each(raw, NO_PROOF)
        derived |= _why(raw)
        if raw.get("executed", []) in ([], raw.get("plan")):  # else the last plan begins on the way
            derived |= _plan(raw, belief, goal, files)
    with suppress(Unsupported, GoalError, LimitReached):
        form = raw.get("compile_form")
        text = compile_goal(goal.formula, compiled_from(belief, str(form), texts(raw.get("shown"))))
        files |= replace(text, domain=without_key(text.domain), problem=without_key(text.problem)).files()
    return {key: finding for key, finding in derived.items() if key in raw}, files


def _beyond(raw: Mapping[str, object], belief: Belief) -> Finding:
    """Compare the nodes of a plan that no search has shown with those that its actions name."""
    names = [name for one in objects(raw.get("actions")) for name in texts(one.get("args"))]
    return _same(raw["beyond_search"], list(beyond_search(names, belief.scene, texts(raw.get("shown")))))


def unchecked_keys(raw: Mapping[str, object], findings: Findings) -> list[str]:
    """Return the keys under which a record says something of scene, goal or plan that was not rechecked.

    Those on how good the plan is come first. What is null, empty, zero or false says nothing, but for the
    lists ``added`` and ``left``: an empty one says that there is no such fact.
    """
    said = (
        key
        for key, finding in findings.items()
        if (raw.get(key) or (key in ("added", "left", "files") and finding.detail))
        and finding.status == "not checked"
        and key not in HISTORY
    )
    return list(dict.fromkeys((*unchecked_claims(raw, findings), *said)))


def recheck_reply(raw: Mapping[str, object], belief: Belief) -> Findings:
    """Compare the words of an answer with those that its sentence gets, where that is read as its query."""
    sentence = raw.get("instruction")
    ids = [str(one.get("id")) for one in objects(raw.get("answers"))]
    places = [position(i, belief).as_json() for i in ids if i in belief.scene.nodes]
    again: dict[str, object] = {**NOTHING, "losses": losses_json(belief.scene), "answers": places}
    reply = ask(sentence, belief) if isinstance(sentence, str) else None
    if isinstance(reply, Answer) and reply.query == raw.get("query"):
        again |= {"instruction": sentence, "query": reply.query, "reply": reply.words}
        again |= {"notes": list(reply.notes), "answer": reply.value}
    return _each(raw, again)


def recheck_files(
    listed: Mapping[str, object], read: Callable[[str], str], files: Mapping[str, str], proof: str | None
) -> Finding | None:
    """Compare the files that a record lists with those that follow from it; ``None`` where all are the same.

    ``read`` returns the text of a file beside the record; that of its ``proof`` is rechecked elsewhere.
    """
    unlike = [name for name in sorted(listed) if name in files and read(name) != without_key(files[name])]
    if unlike:
        return Finding("refused", f"{', '.join(unlike)} is not what this record's goal and steps give")
    rest = [clip(name) for name in sorted(listed) if name not in files and name != proof]
    return Finding("not checked", f"{', '.join(rest)}: not rechecked") if rest else None


def _same(recorded: object, computed: object) -> Finding:
    """Compare a value of a record with what it was computed to be."""
    text = json_text(computed)
    if json.loads(text) == recorded and isinstance(recorded, bool) == isinstance(computed, bool):
        return AGAIN
    return Finding("refused", f"computed again it is {clip(text, 300)}")


def _each(raw: Mapping[str, object], computed: Mapping[str, object]) -> Findings:
    """Compare several keys of a record with what they were computed to be."""
    return {key: _same(raw[key], value) for key, value in computed.items() if key in raw}


def _dropped(listed: object, belief: Belief) -> Finding:
    """Recheck the certificates of the parts that a goal leaves out as impossible."""
    entries = objects(listed)
    for entry in entries:
        formulas, parts = (entry.get(key) for key in ("set", "parts"))
        if not isinstance(formulas, list) or not isinstance(parts, list):
            return Finding("refused", "the set and the parts that were left out are no lists")
        try:
            disproved, gone = ([parse_goal(str(text)).formula for text in some] for some in (formulas, parts))
            if not all(part in disproved or _is_disproved(part, disproved) for part in gone):
                return Finding("refused", "the parts that were left out are not in the set")
            if entry.get("certificate") is None:
                continue
            formula = conjunction(disproved)
            certificate = read_certificate(entry, belief, formula, None, "dropped_as_impossible")
            check_certificate(certificate, belief, formula)
        except (InputError, GoalSyntaxError, Refused) as error:
            return Finding("refused", str(error))
    if any(entry.get("certificate") is None for entry in entries):
        return NOT_CHECKED
    return Finding("rechecked", "each set has a certificate" if entries else "")


def _is_disproved(part: Formula, disproved: Sequence[Formula]) -> bool:
    """Return whether a part is a ``forall`` that has no instance, or one of several such instances."""
    match disproved:
        case [Exists(variables, body)]:
            return part == Forall(variables, body)
        case [Or(choices)]:
            return part in choices
    return False


def _diagnostics(recorded: object, belief: Belief, goal: Goal) -> Finding:
    """Compare the findings of the check by code and words: places are those of the text that was given."""
    keys = ("code", "severity", "message")
    findings = check(goal, belief).diagnostics
    if (excluded := excluded_by_rules(goal, belief)) is not None:
        findings = (*findings, excluded[0])
    computed = [[d.as_json()[key] for key in keys] for d in findings]
    return _same([[d.get(key) for key in keys] for d in objects(recorded)], computed)


def _why(raw: Mapping[str, object]) -> Findings:
    """Check that the reason for the mode is in the words of a run, and of an order as its numbers say."""
    why = str(raw.get("why"))
    cost, bound = (millimetres(raw.get(key)) for key in ("order_cost", "order_bound"))
    order = order_in_words(cost, bound) if cost is not None and bound is not None else ""
    if "the order of these plans is" in why and (not order or order not in why):
        return {"why": Finding("refused", "it says of the order what order_cost and order_bound do not")}
    if not Why.joined(why.removesuffix(order)):
        return {}
    apart = (Why.LEFT in why or Why.PARTS.partition("}")[2] in why) and Why.CHEAPER not in why
    fits = Finding("rechecked", "in the words of a run, and of an order as its numbers say")
    return {"why": fits, "mode": _same(raw.get("mode"), "split" if apart else "joint")}


def _left(raw: Mapping[str, object], result: PlanResult, belief: Belief, goal: Goal) -> Finding:
    """Check that a record lists what its plan leaves otherwise than found; why it does is not checked."""
    actions, end = result.verification.actions, end_of(result, belief)
    facts = list(map(str, unsaid(goal.formula, actions, end, raw.get("reader") is not None)))
    listed = [e.get("fact") for e in objects(raw.get("left"))]
    if wrong := [one for one in listed if one not in facts]:
        return Finding("refused", f"{clip(str(wrong[0]))} is as it was found, or the goal mentions it")
    if missing := [one for one in facts if one not in listed]:
        return Finding("not checked", f"{missing[0]} was found so, and is not so at the end")
    return NOT_CHECKED if listed else Finding("rechecked", "all is as found of which the goal says nothing")


def _errands(listed: object, why: object, result: PlanResult, belief: Belief, goal: Goal) -> Finding:
    """Check that the parts that were planned for are of the goal, or hold after the plan."""
    number = len(items(listed))
    planned = re.match(r"(\d+) parts", str(why)) if Why.CHEAPER not in str(why) else None
    if (result.plan and not number) or (planned is not None and number != int(planned[1])):
        return Finding("refused", "these are not all parts that the plan was made for")
    form = expanded(goal.formula, belief).form
    clipped = {clip(str(part), 200) for part in (form, *conjuncts(form))}
    whole = [text for text in map(str, items(listed)) if text not in clipped]
    try:
        others = Goal.of(conjunction([parse_goal(text).formula for text in whole]))
    except GoalSyntaxError:  # another one that is too long to be listed whole
        return NOT_CHECKED
    if check(others, belief).ok and verify_plan(result.steps, belief, others.formula).verified:
        return Finding("rechecked", "parts of the goal, or what holds after the plan")
    return Finding("not checked", "they do not all hold after the plan")


def _explanation(raw: Mapping[str, object], belief: Belief, goal: Goal) -> Findings:
    """Compare the reasons for which there is no plan with those of the same certificate, if it is found."""
    proof = None
    with suppress(LimitReached), share_of_time(0.5):
        proof = Prover(goal.formula, belief).thorough()
    stored = mapping(raw.get("certificate")).get("hash")
    if proof is None or stored != proof.certificate.hash:
        return {}
    read = (AS_READ,) if None not in (raw.get("reader"), raw.get("instruction")) else ()
    return {
        "proof": _same(raw.get("proof"), str(proof)),
        "reasons": _same(raw.get("reasons"), [*proof.reasons, *read]),
    }


def _exclusion(raw: Mapping[str, object], belief: Belief, goal: Goal) -> Findings:
    """Compare what a record says of the rule that excludes its goal: places are those of the given text."""
    if (excluded := excluded_by_rules(goal, belief)) is None:
        return {}
    finding, proof = excluded
    reasons = [re.sub(r"^\d+:\d+: ", "", text) for text in texts(raw.get("reasons"))]
    return {
        "proof": _same(raw.get("proof"), str(proof)),
        "reasons": _same(reasons, [str(replace(finding, span=None))]),
    }


def _plan(raw: Mapping[str, object], belief: Belief, goal: Goal, files: dict[str, str]) -> Findings:
    """Recheck the actions behind the steps and the program for a robot; add the files that hold them."""
    printed = [str(step) for step in items(raw["plan"])]
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
    made = translate(result, belief, goal)
    program = made.as_json()
    files["program.json"] = json_text(program) + "\n"
    files |= _exported(raw.get(KEY), ExportSource(made, result, belief, goal))
    return {
        "left": _left(raw, result, belief, goal),
        "actions": AGAIN,
        "program": _same(raw.get("program"), program),
        "errands": _errands(raw.get("errands"), raw.get("why"), result, belief, goal),
    }


def _exported(listed: object, source: ExportSource) -> dict[str, str]:
    """Return the files of the formats that a record lists, of the forms of a tree the one that it lists."""
    files: dict[str, str] = {}
    names = mapping(listed)
    for entry in EXPORT_FORMATS.values():
        if not all(entry.in_run(name) in names for name in entry.files):
            continue
        for form in TREE_FORMS:
            with suppress(InputError):
                made = {entry.in_run(n): text for n, text in entry.write(source, form).items()}
                same = all(digest(as_bytes(without_key(text))) == names[name] for name, text in made.items())
                files |= made if same or form == TREE_FORMS[0] else {}
    return files


def _of_actions(listed: object, belief: Belief, goal: Goal) -> PlanResult | None:
    """Return the plan of listed actions, each done in turn; ``None`` where they are not what happens then."""
    schemas, world = belief.pack.domain.actions, World(belief)
    actions: list[PlanAction] = []
    for one in items(listed):
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
    printed = tuple(steps_with_sources(actions, avoiding(goal.formula, belief)))
    verification = verify_plan([step for _, step in printed], belief, goal.formula)
    return PlanResult(Ending.SOLVED, tuple(actions), printed=printed, verification=verification)


def _as_json(plan: Sequence[PlanAction]) -> list[dict[str, object]]:
    return [{"name": a.name, "args": list(a.args), "event": a.event} for a in plan]
