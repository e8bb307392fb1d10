"""Check of behavior trees for BehaviorTree.CPP 4, of any origin: what fails when loaded, and what later.

The library accepts what only fails when a node is ticked (a missing port, an entry of the blackboard that
nobody sets) and what only editors need (a model that fits). This check refuses all of it, with the line.
Nodes are those of the library, of the file's own model, of model files and of a pack. Values are compared
with the types of ports as `src/basic_types.cpp` converts them; types that it does not know are not compared.
A port with a default may be left out. Of nodes that model files declare any port may: their code is written
by others, who often read a port with a fallback that no model can name.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from ...domains.deadline import check_time
from ...domains.errors import clip, did_you_mean
from ...domains.files import Element, XmlFault, read_xml
from ...domains.storage.json_record import JsonRecord
from .tree_nodes import (
    AFTERWARDS,
    BEHAVIOR_TREE,
    BUILT_IN_NODES,
    CONDITIONS,
    DIRECTIONS,
    KINDS,
    TEXT,
    NodeModel,
    Port,
    children_of,
    name_fault,
    port_fault,
)
from .tree_scripts import NameUse, ScriptFault, names_in

MODEL = "TreeNodesModel"
MAX_FINDINGS = 1000
"""Findings after which no more are looked for."""
DEPTH = 256
"""Deepest nesting that the library takes."""
_INTEGER, _NUMBER = r"[+-]?\d{1,18}", r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]?(?:nan|inf)"
_VALUES: Mapping[str, tuple[str, str]] = {
    "int": (_INTEGER, "a whole number"),
    "unsigned int": (r"\d{1,10}", "a whole number of 0 or more"),
    "double": (_NUMBER, "a number"),
    "float": (_NUMBER, "a number"),
    "bool": ("0|1|true|TRUE|True|false|FALSE|False", "true or false"),
    "BT::NodeStatus": ("IDLE|RUNNING|SUCCESS|FAILURE|SKIPPED", "SUCCESS, FAILURE, RUNNING, SKIPPED or IDLE"),
}
"""The values of a type as a pattern, and in words."""
_SAME_TYPE = {"string": TEXT, "unsigned": "unsigned int", "NodeStatus": "BT::NodeStatus"}
_SCRIPTS: Mapping[str, str] = {"Script": "code", "ScriptCondition": "code", "Precondition": "if"}
"""The ports that hold a script."""


@dataclass(frozen=True, slots=True)
class TreeFinding(JsonRecord):
    """A fault of a tree: the line, a code, whether it is an error or a warning, and a sentence."""

    line: int
    code: str
    severity: Literal["error", "warning"]
    message: str


def check_tree(
    text: str,
    where: str = "tree",
    pack: Mapping[str, NodeModel] | None = None,
    models: Collection[Element] = (),
    given: Collection[str] = (),
) -> tuple[TreeFinding, ...]:
    """Return what is wrong with a tree, by line.

    ``pack`` are the nodes of a pack, ``models`` the roots of files with models of other nodes, ``given`` the
    entries of the blackboard that whoever runs the tree sets, and the constants of scripts.
    """
    try:
        root = read_xml(text, where)
    except XmlFault as fault:
        got = f"{fault.expected}: {fault.got}" + (f"; {fault.hint}" if fault.hint else "")
        return (TreeFinding(fault.line, "not-xml", "error", f"expected {got}"),)
    check = _Check(root, pack or {}, given)
    with suppress(_Enough):
        check.run(models)
    return tuple(sorted(dict.fromkeys(check.findings), key=lambda finding: finding.line))


def key_of(value: str) -> str | None:
    """Return the entry of the blackboard that a value stands for, ``None`` for one that is itself."""
    bare = value.strip(" ")
    return bare[1:-1] if len(bare) > 2 and bare[0] == "{" and bare[-1] == "}" else None


class _Enough(Exception):
    """More was found than anybody reads."""


@dataclass
class _Check:
    root: Element
    pack: Mapping[str, NodeModel]
    given: Collection[str]
    findings: list[TreeFinding] = field(default_factory=list)
    nodes: dict[str, NodeModel] = field(default_factory=dict)
    subtrees: dict[str, NodeModel] = field(default_factory=dict)
    trees: dict[str, Element] = field(default_factory=dict)
    scripts: dict[int, list[tuple[str, NameUse]]] = field(default_factory=dict)
    """By the identity of an element, the attribute and the use of each name in its scripts."""
    included: bool = False

    @property
    def main(self) -> str:
        """The name of the tree that is run."""
        return self.root.attributes.get("main_tree_to_execute", next(iter(self.trees), ""))

    def error(self, at: Element, code: str, message: str, hint: str = "") -> None:
        self.note(TreeFinding(at.line, code, "error", f"{message}; {hint}" if hint else message))

    def warn(self, at: Element, code: str, message: str) -> None:
        self.note(TreeFinding(at.line, code, "warning", message))

    def note(self, finding: TreeFinding) -> None:
        if len(self.findings) >= MAX_FINDINGS:
            words = f"there are more than {MAX_FINDINGS} findings, and no more were looked for"
            self.findings.append(TreeFinding(finding.line, "too-many", "error", words))
            raise _Enough
        self.findings.append(finding)

    @cached_property
    def calls(self) -> dict[str, list[Element]]:
        """The uses of each tree in others, by its name."""
        table: dict[str, list[Element]] = {}
        for tree in self.trees.values():
            for call in _calls(tree):
                table.setdefault(call.attributes.get("ID", ""), []).append(call)
        return table

    def run(self, models: Collection[Element]) -> None:
        root = self.root
        if root.tag != "root":
            self.error(root, "no-root", f"the outermost element has to be <root>, got <{clip(root.tag)}>")
            return
        format_ = root.attributes.get("BTCPP_format")
        if format_ is None:
            self.error(root, "no-format", '<root> has no BTCPP_format: write BTCPP_format="4"')
        elif format_ != "4":
            self.error(root, "no-format", f'expected BTCPP_format="4", got "{clip(format_)}"')
        self.nodes = dict(BUILT_IN_NODES)
        for model in models:
            self.read_models(model, strict=False)
        own = self.read_models(root)
        self.against_pack(own)
        trees = [child for child in root.children if child.tag == BEHAVIOR_TREE]
        self.name_trees(trees)
        for child in root.children:
            if child.tag == "include":
                self.included = True
                self.warn(child, "not-checked", "what <include> takes in is not checked")
            elif child.tag not in (BEHAVIOR_TREE, MODEL):
                self.error(child, "unknown-element", f"<{clip(child.tag)}> is nothing that <root> holds")
        for tree in trees:
            self.check_tree(tree)
        self.check_main(trees)
        self.check_calls(trees)
        for tree in trees:
            _Blackboard(self, tree).check()

    # The model

    def read_models(self, root: Element, strict: bool = True) -> dict[str, Element]:
        """Take the nodes of the models of a file; return the entries by name."""
        entries: dict[str, Element] = {}
        models = [child for child in root.children if child.tag == MODEL]
        for model in models[1:]:
            self.error(model, "two-models", f"only one <{MODEL}> may be in a file")
        for entry in models[0].children if models else ():
            name = entry.attributes.get("ID")
            kind = next((k for k in KINDS if k == entry.tag), None)
            if kind is None:
                self.error(entry, "wrong-model", f"expected {', '.join(KINDS)}, got <{clip(entry.tag)}>")
            elif name is None:
                self.error(entry, "no-id", f"<{kind}> in the model has no ID")
            elif fault := name_fault(name):
                self.error(entry, "wrong-name", f"{clip(name)!r} is no name of a node: {fault}")
            elif name in entries:
                self.error(entry, "wrong-model", f"{name} is in the model twice")
            else:
                entries[name] = entry
                before = self.nodes.get(name)  # of a model file: the tree's own copy says no more
                strict_too = strict and (before is None or before.strict)
                node = NodeModel(kind, self.read_ports(entry), *children_of(kind), strict_too)
                if kind == "SubTree":
                    self.subtrees[name] = node
                elif name in BUILT_IN_NODES:
                    self.compare(entry, name, node, BUILT_IN_NODES[name], "the library")
                else:
                    self.nodes[name] = node
        return entries

    def read_ports(self, entry: Element) -> dict[str, Port]:
        ports: dict[str, Port] = {}
        for child in entry.children:
            if child.tag not in DIRECTIONS:
                continue  # descriptions, and what editors keep there
            name = child.attributes.get("name", "")
            if fault := port_fault(name):
                self.error(child, "wrong-name", f"{clip(name)!r} is no name of a port: {fault}")
            elif name in ports:
                self.error(child, "wrong-model", f"the port {name} is there twice")
            else:
                type_ = child.attributes.get("type", "BT::AnyTypeAllowed")
                ports[name] = Port(_SAME_TYPE.get(type_, type_), child.tag, child.attributes.get("default"))
        return ports

    def against_pack(self, own: Mapping[str, Element]) -> None:
        """Compare the model with the nodes of the pack, which are those that a robot has."""
        for name, node in self.pack.items():
            if name in own and name in self.nodes:
                self.compare(own[name], name, self.nodes[name], node, "the pack")
            self.nodes[name] = node

    def compare(self, at: Element, name: str, got: NodeModel, reference: NodeModel, whose: str) -> None:
        if got.kind != reference.kind:
            self.error(
                at, "other-model", f"{name} is a {reference.kind} of {whose}, a {got.kind} in the model"
            )
        for port in dict.fromkeys((*reference.ports, *got.ports)):
            one, other = got.ports.get(port), reference.ports.get(port)
            if one is None:
                self.error(at, "other-model", f"{name} of {whose} has a port {port}, the model has not")
            elif other is None:
                self.error(at, "other-model", f"{name} of {whose} has no port {clip(port)}, the model has")
            elif one is not None and (one.type, one.direction) != (other.type, other.direction):
                shown = f"{other.direction} of type {other.type} of {whose}"
                self.error(at, "other-model", f"{port} of {name} is an {shown}, not so in the model")

    # Trees and nodes

    def name_trees(self, trees: Collection[Element]) -> None:
        if not trees:
            self.error(self.root, "no-tree", f"there is no <{BEHAVIOR_TREE}>")
        for tree in trees:
            name = tree.attributes.get("ID")
            if name is None:
                self.error(tree, "no-id", f"<{BEHAVIOR_TREE}> has no ID")
            elif fault := name_fault(name):
                self.error(tree, "wrong-name", f"{clip(name)!r} is no name of a tree: {fault}")
            elif name in self.nodes or name in KINDS:
                self.error(tree, "wrong-name", f"the tree is called {name}, as a node is")
            elif name in self.trees:
                self.error(tree, "wrong-name", f"two trees are called {name}")
            if name is not None:
                self.trees.setdefault(name, tree)
            for attribute in tree.attributes:
                if attribute not in ("ID", "name", "_fullpath", "_description"):
                    self.error(tree, "unknown-port", f"a tree has no attribute {clip(attribute)}")

    def check_main(self, trees: Collection[Element]) -> None:
        main = self.root.attributes.get("main_tree_to_execute")
        if main is None and len(trees) > 1:
            self.error(self.root, "no-main-tree", "main_tree_to_execute has to name one of the trees")
        elif main is not None and main not in self.trees and not self.included:
            hint = did_you_mean(main, self.trees)
            message = f"main_tree_to_execute names {clip(main)!r}, which is no tree of the file"
            self.error(self.root, "no-main-tree", message, hint)

    def check_tree(self, tree: Element) -> None:
        if len(tree.children) != 1:
            message = f"a tree has exactly one child, this one has {len(tree.children)}"
            at = tree.children[1] if len(tree.children) > 1 else tree
            self.error(at, "wrong-children", message)
        waiting = [(child, 1) for child in tree.children]
        while waiting:
            check_time("checking a tree")
            element, depth = waiting.pop()
            if depth > DEPTH:
                self.error(element, "too-deep", f"nodes may be nested {DEPTH} deep")
                return
            if element.text:
                self.error(element, "stray-text", f"text that nobody reads: {clip(element.text, 40)}")
            self.check_node(element)
            waiting += [(child, depth + 1) for child in element.children]

    def check_node(self, element: Element) -> None:
        tag, name = element.tag, element.attributes.get("ID")
        explicit = next((kind for kind in KINDS if kind == tag), None)
        if explicit is None and name is not None:
            self.error(element, "id-on-compact-form", f"<{tag}> is the name of its node: leave out the ID")
        if explicit is not None and name is None:
            self.error(element, "no-id", f"<{tag}> has no ID")
            return
        own = name if explicit is not None and name is not None else tag
        self.check_scripts(element, own)
        if explicit == "SubTree":
            self.check_call(element, own)
            return
        node = self.nodes.get(own)
        if node is None:
            hint = did_you_mean(own, self.nodes)
            fault = name_fault(own)
            message = f"there is no node {clip(own)!r}" + (f": {fault}" if fault else "")
            self.error(element, "unknown-node", message, hint)
            return
        if explicit is not None and explicit != node.kind:
            self.error(element, "wrong-kind", f"{own} is a {node.kind}, not a {explicit}")
        self.check_children(element, own, node)
        self.check_ports(element, own, node)

    def check_children(self, element: Element, name: str, node: NodeModel) -> None:
        count = len(element.children)
        if count < node.least or (node.most is not None and count > node.most):
            least, most = node.least, node.most
            many = "no" if most == 0 else f"{least} or more" if most is None else f"{least}"
            many += f" or {most}" if most not in (None, least) else ""
            word = "child" if many == "1" else "children"
            message = f"{name} takes {many} {word}, here it has {count or 'none'}"
            self.error(element, "wrong-children", message)

    def check_ports(self, element: Element, name: str, node: NodeModel) -> None:
        for port, value in element.attributes.items():
            if port in ("ID", "name", *CONDITIONS):
                if port == "name" and "\x7f" in value:  # XML has no other ones
                    self.error(element, "wrong-name", "a control character is in the name")
            elif port.startswith("_"):
                continue  # what editors keep there; the library passes it over
            elif port not in node.ports:
                hint = did_you_mean(port, node.ports)
                self.error(element, "unknown-port", f"{name} has no port {clip(port)}", hint)
            else:
                self.check_value(element, name, port, value, node.ports[port])
        for port, about in node.ports.items():
            left_out = port not in element.attributes and about.default is None
            if left_out and node.strict and about.direction != "output_port":
                own = name not in BUILT_IN_NODES and name not in self.pack
                hint = "; one that may be left out has a default in the model" if own else ""
                self.error(element, "missing-port", f"{name} lacks its port {port}{hint}")

    def check_scripts(self, element: Element, name: str) -> None:
        for attribute in (*CONDITIONS, _SCRIPTS.get(name, "")):
            script = element.attributes.get(attribute)
            if script is None or (attribute not in CONDITIONS and key_of(script) is not None):
                continue
            try:
                uses = names_in(script)
            except ScriptFault as fault:
                self.error(element, "wrong-script", f"{attribute} of {clip(name)}: {fault}")
            else:
                self.scripts.setdefault(id(element), []).extend((attribute, use) for use in uses)

    def check_value(self, element: Element, name: str, port: str, value: str, about: Port) -> None:
        if key_of(value) is not None or value in ("=", "{=}"):
            return
        if value.strip() == "{}":
            self.error(element, "wrong-value", f"{port} of {name}: {{}} names no entry of the blackboard")
            return
        if about.direction == "output_port":
            message = f"{port} of {name} is an output: write {{key}}, got {clip(value)!r}"
            self.error(element, "wrong-value", message)
            return
        pattern, words = _VALUES.get(about.type, ("", ""))
        if pattern and not re.fullmatch(pattern, value):
            self.error(element, "wrong-value", f"{port} of {name}: expected {words}, got {clip(value)!r}")

    # Trees within trees

    def check_call(self, element: Element, name: str) -> None:
        if element.children:
            self.error(element, "wrong-children", "<SubTree> takes no children")
        if fault := name_fault(name):
            self.error(element, "wrong-name", f"{clip(name)!r} is no name of a tree: {fault}")
        elif name not in self.trees and not self.included:
            hint = did_you_mean(name, self.trees)
            self.error(element, "unknown-tree", f"there is no tree {clip(name)!r}", hint)
        if (model := self.subtrees.get(name)) is None:
            return
        for port in element.attributes:
            if port not in ("ID", "name", *CONDITIONS) and port[0] != "_" and port not in model.ports:
                self.error(element, "unknown-port", f"the tree {name} has no port {clip(port)}")
        for port, about in model.ports.items():
            left_out = port not in element.attributes and element.attributes.get("_autoremap") != "true"
            if left_out and not about.default:
                self.error(element, "missing-port", f"the tree {name} lacks its port {port}")

    def check_calls(self, trees: Collection[Element]) -> None:
        """Find trees that contain themselves, or one that does."""
        import networkx as nx  # 0.1 s

        calls = {name: _calls(tree) for name, tree in self.trees.items()}
        within = nx.DiGraph((c.attributes.get("ID", ""), name) for name, some in calls.items() for c in some)
        rounds = [part for part in nx.strongly_connected_components(within) if len(part) > 1]
        rounds += [{name} for name in nx.nodes_with_selfloops(within)]
        endless = {name for part in rounds for name in part | nx.descendants(within, next(iter(part)))}
        for name in (name for name in self.trees if name in endless):
            inside = next(c for c in calls[name] if c.attributes.get("ID") in endless)
            self.error(inside, "endless-tree", f"the tree {clip(name)} contains itself, or one that does")


def _calls(tree: Element) -> list[Element]:
    return [element for element in tree.walk() if element.tag == "SubTree"]


class _Blackboard:
    """The entries that the nodes of one tree set and read, in the order of the text."""

    def __init__(self, check: _Check, tree: Element) -> None:
        self.check_, self.tree = check, tree
        self.time = 0
        self.set_at: dict[str, int] = {}
        self.read_at: list[tuple[str, Element, str, int]] = []
        self.there: set[str] = set()
        """The entries that the library makes when it loads the tree: those that ports name."""

    def check(self) -> None:
        name = self.tree.attributes.get("ID", "")
        calls = self.check_.calls.get(name, [])
        elsewhere = not calls and name != self.check_.main
        if elsewhere or any(call.attributes.get("_autoremap") == "true" for call in calls):
            return  # what is around the tree may set anything
        if self.check_.included:
            return
        given_keys = {port for call in calls for port in call.attributes}
        given_keys |= set(self.check_.given) | set(self.check_.subtrees.get(name, _NO_TREE).ports)
        self.there = {key for e in self.tree.walk() for key in map(key_of, e.attributes.values()) if key}
        for element in self.tree.walk():
            self.note(element)
        for key, element, port, time in self.read_at:
            if key in given_keys or key.startswith("@"):
                continue
            where = f"{port} of {clip(element.attributes.get('ID', element.tag))}"
            if key not in self.set_at:
                hint = f"--set {clip(key)} says that whoever runs the tree does"
                message = f"nothing sets {{{clip(key)}}}, which {where} reads; {hint}"
                self.check_.error(element, "never-set", message)
            elif self.set_at[key] > time:
                message = f"{{{clip(key)}}}, which {where} reads, is set further down only"
                self.check_.warn(element, "set-later", message)

    def reads(self, key: str, element: Element, port: str) -> None:
        self.time += 1
        self.read_at.append((key, element, port, self.time))

    def sets(self, key: str) -> None:
        self.time += 1
        self.set_at.setdefault(key, self.time)

    def note(self, element: Element) -> None:
        attributes = element.attributes
        name = attributes.get("ID", "") if element.tag in KINDS else element.tag
        self.note_scripts(element, before=True)
        if element.tag == "SubTree":
            # A tree may set what it is given; whether it reads it first is not known without its model.
            for passed in filter(None, map(key_of, attributes.values())):
                self.sets(passed)
            self.note_scripts(element, before=False)
            return
        outputs: list[str] = []
        node = self.check_.nodes.get(name)
        for port, about in node.ports.items() if node is not None else ():
            value = attributes.get(port, about.default or "")
            key = port if value in ("=", "{=}") else key_of(value)
            if key is not None and about.direction == "input_port":
                self.reads(key, element, port)
            elif key is not None or (name == "SetBlackboard" and port == "output_key" and value):
                outputs.append(key or value)
        for output in outputs:
            self.sets(output)
        self.note_scripts(element, before=False)

    def note_scripts(self, element: Element, before: bool) -> None:
        """Note the scripts that run before a node, its own among them, or those after it."""
        for attribute, one in self.check_.scripts.get(id(element), ()):
            if (attribute in AFTERWARDS) == before:
                continue
            if one.use == "create" or (one.use == "set" and one.name in self.there):
                self.sets(one.name)
            else:  # only `:=` makes an entry
                self.reads(one.name, element, attribute)


_NO_TREE = NodeModel("SubTree", {})
