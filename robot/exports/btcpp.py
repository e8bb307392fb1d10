"""Behavior trees for BehaviorTree.CPP 4: XML of a plan, and the plan read back from it.

``sequence`` is the plan as it is, with memory: ticked again after a failure it goes on where it failed.
``reactive`` looks at the facts: it does the last step whose kernel holds (``robot.kernels``), so what holds
already is skipped, a condition that was broken leads back to the step that mends it, and where no step fits
``Replan`` asks for a new plan. Only the facts of the goal make it succeed. Rules are guards of its steps, and
what they remember is looked at before (``tree_rules``). A step is an implicit sequence
(Colledanchise and Ogren, "Behavior Trees in Robotics and AI", 2018, section 3.2): what it needs and does not
change is looked at all the time, what it changes before it begins, what it brings about when it is done.

Each skill is a node with the printed step as its instance name, from which the plan is read back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from ...domains.errors import InputError, clip
from ...domains.files import Element, XmlFault, read_xml
from ...domains.formula import Formula, TrajectoryConstraint
from ...simulator.step import Step, read_step
from ..kernels import Kernel, changes, kernels_of
from ..rules.evidence import atom_of
from ..skill import Skill, Waiting
from .markup import element, write_xml
from .poses import CommandPose, poses
from .source import ExportSource, arguments_of
from .tree_nodes import (
    BEHAVIOR_TREE,
    BUILT_IN_NODES,
    HOLDS,
    OWN_NODES,
    PLAN,
    REPLAN,
    WAIT_FOR,
    NodeModel,
    node_name,
    pack_nodes,
)
from .tree_rules import TreeRules

TreeForm = Literal["sequence", "reactive"]
TREE_FORMS: tuple[TreeForm, ...] = ("sequence", "reactive")


def write_tree(source: ExportSource, form: TreeForm = "sequence") -> str:
    """Return the XML of a tree with the model of its nodes.

    Raises :class:`InputError` for names that XML or the library's ports cannot hold, for a reactive tree
    without a goal, and for one that is too large.
    """
    nodes = pack_nodes(source.pack)
    body = _sequence(source) if form == "sequence" else _reactive(source)
    tree = element(BEHAVIOR_TREE, [body], ID=PLAN)
    used = {node.tag for node in tree.walk()}
    model = element("TreeNodesModel", [_modelled(n, node) for n, node in nodes.items() if n in used])
    attributes = {"BTCPP_format": "4", "main_tree_to_execute": PLAN}
    root = element("root", [tree, *([model] if model.children else [])], **attributes)
    return write_xml(root, "btcpp")


def read_tree(text: str, where: str = "tree") -> tuple[TreeForm, tuple[Step, ...]]:
    """Return the form of an exported tree, and the printed steps that it carries out.

    Raises :class:`InputError` with the line for a tree that is not of one of the two forms.
    """
    root = read_xml(text, where)
    trees = [element for element in root.children if element.tag == BEHAVIOR_TREE]
    if root.tag != "root" or len(trees) != 1 or len(trees[0].children) != 1:
        raise XmlFault(where, root.line, "a tree that `groundplan export` wrote", f"<{clip(root.tag)}>")
    (body,) = trees[0].children
    form: TreeForm = "reactive" if body.tag in ("ReactiveFallback", "ReactiveSequence") else "sequence"
    skills = [e for e in body.walk() if not e.children and e.tag not in (*BUILT_IN_NODES, *OWN_NODES)]
    steps = []
    for node in skills:
        name = node.attributes.get("name")
        if name is None:
            raise XmlFault(where, node.line, "the printed step of a skill as its name", "none")
        steps.append(read_step(name, f"{where}:{node.line}"))
    return form, tuple(steps if form == "sequence" else reversed(steps))


def rules_of_tree(text: str, where: str = "tree") -> tuple[str, ...]:
    """Return the rules of an operator that a tree was written under, in one text."""
    texts = (node.attributes.get("rules", "") for node in read_xml(text, where).walk() if node.tag == REPLAN)
    return tuple(filter(None, texts))


def _sequence(source: ExportSource) -> Element:
    nodes: list[Element] = []
    for command, pose in zip(source.program.commands, poses(source), strict=True):
        nodes.append(_skill(source, command, pose))
        nodes += [_wait(w) for w in command.waits_for if w.needed]
    goal = f"for {_goal(source)}" if source.goal is not None else "plan"
    return element("SequenceWithMemory", nodes or [element("AlwaysSuccess")], name=goal)


def _reactive(source: ExportSource) -> Element:
    if source.goal is None:
        hint = "give the goal with --goal, or export a sequence"
        raise InputError("btcpp", "a goal: a reactive tree succeeds where it holds", "none", hint)
    kernels, rules = kernels_of(source.program), TreeRules(source.program.rules)
    where = poses(source)
    reached = [_holds(fact, rules) for fact in kernels.goal] or [element("AlwaysSuccess")]
    branches = [_branch(source, kernel, where, rules) for kernel in reversed(kernels.steps)]
    written = source.program.operator_rules()
    kept = {"rules": " ".join(written)} if written else {}
    replan = element(REPLAN, name="no step fits: plan again", goal=_goal(source), **kept)
    last = rules.looked_at_before(replan)
    tree = element("ReactiveFallback", [_row(reached, "the goal holds"), *branches, last], name=PLAN)
    return rules.remembering(tree)


def _goal(source: ExportSource) -> str:
    assert source.goal is not None
    return str(source.goal.formula)


def _branch(source: ExportSource, kernel: Kernel, where: Sequence[CommandPose], rules: TreeRules) -> Element:
    """Return a step with what it needs, running on while other steps are left."""
    doing, passed = kernel.doing, [list[Element]()] * 2
    if isinstance(doing, Skill):
        name, does = doing.printed, _skill(source, doing, where[doing.step], _guards(source, doing, rules))
        passed = [rules.passing(doing.guards, shown) for shown in (False, True)]
    else:
        name, does = f"wait: {_words(doing)}", _wait(doing)
    # What has been is asked for once: a step itself may begin what may be but once.
    own = {*changes(kernel), *source.program.rules.constraints()}
    kept = [_holds(fact, rules) for fact in kernel.before if atom_of(fact) not in own]
    first = [_holds(fact, rules) for fact in kernel.before if atom_of(fact) in own]
    brought = [_holds(fact, rules) for fact in kernel.brings]
    does_it = _row([*first, does, *passed[0], *brought, *passed[1]], f"do {name}")
    guarded = element("ReactiveSequence", [*kept, does_it], name=f"if {name} fits") if kept else does_it
    return element("KeepRunningUntilFailure", [guarded], name=name)


def _guards(source: ExportSource, command: Skill, rules: TreeRules) -> list[Element]:
    """Return what keeps a command from breaking a rule, for each time that it is tried again."""
    facts = dict.fromkeys(fact for guard in command.guards for fact in guard.facts)
    clear = (constraint for _, constraint in source.program.rules.named(command.guards))
    return [_holds(fact, rules) for fact in (*facts, *clear)]


def _row(nodes: Sequence[Element], name: str) -> Element:
    return element("Sequence", list(nodes), name=name)


def _skill(
    source: ExportSource, command: Skill, pose: CommandPose, guards: Sequence[Element] = ()
) -> Element:
    """Return the node of a command, tried as often as the pack says, and each time only behind its guards."""
    skill = source.skill(command)
    texts = {port: repr(v) if isinstance(v, float) else v for port, v in pose.ports().items()}
    texts = {**arguments_of(command, skill), **texts}
    ports = {port: _value(port, text, command.printed) for port, text in texts.items()}
    node = element(node_name(skill.name), (), **{"name": command.printed}, **ports)
    if not skill.retries:
        return node
    if guards:
        node = _row([*guards, node], f"try {command.printed}")
    return element("RetryUntilSuccessful", [node], num_attempts=str(skill.retries + 1))


def _value(port: str, value: str, where: str) -> str:
    """Return the value of a port. Raises :class:`InputError` for one that the library takes for a key."""
    bare = value.strip(" ")
    if value == "=" or (len(bare) > 2 and bare[0] == "{" and bare[-1] == "}"):
        hint = "in a behavior tree that is an entry of the blackboard: give the node another id"
        raise InputError(where, f"a name for {port} that stands for itself", clip(value), hint)
    return value


def _holds(fact: Formula, rules: TreeRules) -> Element:
    if isinstance(fact, TrajectoryConstraint):
        return rules.clear(fact)
    return element(HOLDS, fact=str(fact))


def _wait(waiting: Waiting) -> Element:
    waits = [element(WAIT_FOR, name=_words(waiting), fact=str(fact)) for fact in waiting.facts]
    return waits[0] if len(waits) == 1 else _row(waits, _words(waiting))


def _words(waiting: Waiting) -> str:
    """Return the pack's words for what is waited for, on one line."""
    return clip(" and ".join(waiting.words) or waiting.event, 200)


def _modelled(name: str, node: NodeModel) -> Element:
    """Return the entry of a node in the model, which editors need."""
    ports = []
    for port, about in node.ports.items():
        default = {"default": about.default} if about.default is not None else {}
        entry = element(about.direction, (), **{"name": port, "type": about.type}, **default)
        entry.text = about.words
        ports.append(entry)
    return element(node.kind, ports, ID=name)
