"""Behavior trees for BehaviorTree.CPP 4: XML of a plan, and the plan read back from it.

``sequence`` is the plan as it is, with memory: ticked again after a failure it goes on where it failed.
``reactive`` looks at the facts: it does the last step whose kernel holds (``robot.kernels``), so what holds
already is skipped, a condition that was broken leads back to the step that mends it, and where no step fits
``Replan`` asks for a new plan. Only the facts of the goal make it succeed. A step is an implicit sequence
(Colledanchise and Ogren, "Behavior Trees in Robotics and AI", 2018, section 3.2): what it needs and does not
change is looked at all the time, what it changes before it begins, what it brings about when it is done.

Each skill is a node with the printed step as its instance name, from which the plan is read back; ``check``
holds every attribute to what the steps say.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from ...domains.errors import InputError, clip
from ...domains.files import Element, XmlFault, read_xml
from ...domains.formula import Formula
from ...domains.pack import Pack
from ...simulator.step import Step, read_step
from ..kernels import Kernel, changes, kernels_of
from ..skill import Skill, Waiting, atom_of
from .markup import write_xml
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

TreeForm = Literal["sequence", "reactive"]
TREE_FORMS: tuple[TreeForm, ...] = ("sequence", "reactive")


def write_tree(source: ExportSource, form: TreeForm = "sequence") -> str:
    """Return the XML of a tree with the model of its nodes.

    Raises :class:`InputError` for names that XML or the library's ports cannot hold, for a reactive tree
    without a goal, and for one that is too large.
    """
    nodes = pack_nodes(source.pack)
    body = _sequence(source) if form == "sequence" else _reactive(source)
    tree = _element(BEHAVIOR_TREE, [body], ID=PLAN)
    used = {element.tag for element in tree.walk()}
    model = _element("TreeNodesModel", [_modelled(n, node) for n, node in nodes.items() if n in used])
    attributes = {"BTCPP_format": "4", "main_tree_to_execute": PLAN}
    root = _element("root", [tree, *([model] if model.children else [])], **attributes)
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
    form: TreeForm = "reactive" if body.tag == "ReactiveFallback" else "sequence"
    skills = [e for e in body.walk() if not e.children and e.tag not in (*BUILT_IN_NODES, *OWN_NODES)]
    steps = []
    for element in skills:
        name = element.attributes.get("name")
        if name is None:
            raise XmlFault(where, element.line, "the printed step of a skill as its name", "none")
        steps.append(read_step(name, f"{where}:{element.line}"))
    return form, tuple(steps if form == "sequence" else reversed(steps))


def check_tree_of(text: str, source: ExportSource, where: str = "tree") -> None:
    """Hold every element of a tree to what its own steps say; comments and spaces may differ.

    Raises :class:`InputError` with the line of the first element that is otherwise.
    """
    form, _ = read_tree(text, where)
    own = read_xml(write_tree(source, form), "btcpp")
    got = read_xml(text, where)
    pairs = [(got, own)]
    while pairs:
        one, other = pairs.pop()
        for name in dict.fromkeys((*other.attributes, *one.attributes)):
            expected, value = other.attributes.get(name), one.attributes.get(name)
            if value != expected:
                shown = clip(expected) if expected is not None else "nothing"
                raise XmlFault(where, one.line, f"{name} to be {shown}", clip(value or "nothing"))
        tags, expected_tags = [c.tag for c in one.children], [c.tag for c in other.children]
        if (one.tag, one.text, tags) != (other.tag, other.text, expected_tags):
            raise XmlFault(where, one.line, _said(other), _said(one))
        pairs += zip(reversed(one.children), reversed(other.children), strict=True)


def _said(element: Element) -> str:
    """Say what an element is, with its text and its children."""
    below = f" with {', '.join(c.tag for c in element.children)}" if element.children else ""
    return clip(f"<{element.tag}> {element.text}".strip() + below, 200)


def _sequence(source: ExportSource) -> Element:
    nodes: list[Element] = []
    for command, pose in zip(source.program.commands, poses(source), strict=True):
        nodes.append(_skill(source, command, pose))
        nodes += [_wait(w, source.pack) for w in command.waits_for if w.needed]
    goal = f"for {_goal(source)}" if source.goal is not None else "plan"
    return _element("SequenceWithMemory", nodes or [_element("AlwaysSuccess")], name=goal)


def _reactive(source: ExportSource) -> Element:
    if source.goal is None:
        hint = "give the goal with --goal, or export a sequence"
        raise InputError("btcpp", "a goal: a reactive tree succeeds where it holds", "none", hint)
    if source.belief.rules:
        hint = "export a sequence, which keeps the rules as long as its steps go as planned"
        raise InputError("btcpp", "no rules: a reactive tree chooses its steps by facts", "some", hint)
    kernels, pack = kernels_of(source.program), source.pack
    where = poses(source)
    reached = [_holds(fact, pack) for fact in kernels.goal] or [_element("AlwaysSuccess")]
    branches = [_branch(source, kernel, where) for kernel in reversed(kernels.steps)]
    replan = _element(REPLAN, name="no step fits: plan again", goal=_goal(source))
    return _element("ReactiveFallback", [_row(reached, "the goal holds"), *branches, replan], name=PLAN)


def _goal(source: ExportSource) -> str:
    assert source.goal is not None
    return str(source.goal.formula)


def _branch(source: ExportSource, kernel: Kernel, where: Sequence[CommandPose]) -> Element:
    """Return a step with what it needs, running on while other steps are left."""
    doing, pack = kernel.doing, source.pack
    if isinstance(doing, Skill):
        name, does = doing.printed, _skill(source, doing, where[doing.step])
    else:
        name, does = f"wait: {_words(doing)}", _wait(doing, pack)
    own = changes(kernel)
    kept = [_holds(fact, pack) for fact in kernel.before if atom_of(fact) not in own]
    first = [_holds(fact, pack) for fact in kernel.before if atom_of(fact) in own]
    brought = [_holds(fact, pack) for fact in kernel.brings]
    does_it = _row([*first, does, *brought], f"do {name}")
    guarded = _element("ReactiveSequence", [*kept, does_it], name=f"if {name} fits") if kept else does_it
    return _element("KeepRunningUntilFailure", [guarded], name=name)


def _row(nodes: Sequence[Element], name: str) -> Element:
    return _element("Sequence", list(nodes), name=name)


def _skill(source: ExportSource, command: Skill, pose: CommandPose) -> Element:
    """Return the node of a command, tried as often as the pack says."""
    skill = source.skill(command)
    texts = {port: repr(v) if isinstance(v, float) else v for port, v in pose.ports().items()}
    texts = {**arguments_of(command, skill), **texts}
    ports = {port: _value(port, text, command.printed) for port, text in texts.items()}
    node = _element(node_name(skill.name), (), **{"name": command.printed}, **ports)
    if not skill.retries:
        return node
    return _element("RetryUntilSuccessful", [node], num_attempts=str(skill.retries + 1))


def _value(port: str, value: str, where: str) -> str:
    """Return the value of a port. Raises :class:`InputError` for one that the library takes for a key."""
    bare = value.strip(" ")
    if value == "=" or (len(bare) > 2 and bare[0] == "{" and bare[-1] == "}"):
        hint = "in a behavior tree that is an entry of the blackboard: give the node another id"
        raise InputError(where, f"a name for {port} that stands for itself", clip(value), hint)
    return value


def _holds(fact: Formula, pack: Pack) -> Element:
    return _element(HOLDS, fact=str(fact))


def _wait(waiting: Waiting, pack: Pack) -> Element:
    waits = [_element(WAIT_FOR, name=_words(waiting), fact=str(fact)) for fact in waiting.facts]
    return waits[0] if len(waits) == 1 else _row(waits, _words(waiting))


def _words(waiting: Waiting) -> str:
    """Return the pack's words for what is waited for, on one line."""
    return clip(" and ".join(waiting.words) or waiting.event, 200)


def _modelled(name: str, node: NodeModel) -> Element:
    """Return the entry of a node in the model, which editors need."""
    ports = []
    for port, about in node.ports.items():
        default = {"default": about.default} if about.default is not None else {}
        element = _element(about.direction, (), **{"name": port, "type": about.type}, **default)
        element.text = about.words
        ports.append(element)
    return _element(node.kind, ports, ID=name)


def _element(tag: str, children: Iterable[Element] = (), /, **attributes: str) -> Element:
    return Element(tag, attributes, 0, list(children))
