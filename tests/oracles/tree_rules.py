"""Rules of BehaviorTree.CPP 4 for the XML of a tree, written from its documentation and sources alone.

Nothing of the package is used here: exported trees have to be valid by somebody else's word.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

CONTROLS = {"Sequence", "SequenceWithMemory", "ReactiveSequence", "ReactiveFallback"}
DECORATORS = {"RetryUntilSuccessful": {"num_attempts"}, "KeepRunningUntilFailure": set()}
NAME = re.compile(r"""[^\s<>&"'/\\:*?|.\x00-\x1f\x7f]+\Z""")
KINDS = {"Action", "Condition", "Control", "Decorator", "SubTree"}
TYPES = {"std::string": r"(?s).*", "double": r"-?\d+(\.\d+)?(e-?\d+)?|nan", "int": r"-?\d+"}


def broken_rules(xml: str) -> list[str]:
    """Return what a tree breaks of the rules; none for a valid one."""
    root = ET.fromstring(xml)
    found: list[str] = []
    if root.tag != "root" or root.get("BTCPP_format") != "4":
        found.append("root")
    models = root.findall("TreeNodesModel")
    if len(models) > 1 or [c.tag for c in root if c.tag not in ("BehaviorTree", "TreeNodesModel")]:
        found.append("children of root")
    declared: dict[str, dict[str, ET.Element]] = {}
    for entry in models[0] if models else ():
        name = entry.get("ID", "")
        if entry.tag not in KINDS or not NAME.match(name) or name in ("Root", "root") or name in declared:
            found.append(f"model of {name}")
        declared[name] = {port.get("name", ""): port for port in entry}
        for port, about in declared[name].items():
            if not re.match(r"[A-Za-z]", port) or not NAME.match(port) or port in ("name", "ID"):
                found.append(f"port {port}")
            if about.tag != "input_port" or about.get("type") not in TYPES:
                found.append(f"type of {port}")
    trees = {tree.get("ID", ""): tree for tree in root.findall("BehaviorTree")}
    if root.get("main_tree_to_execute") not in trees:
        found.append("main tree")
    for name, tree in trees.items():
        if (
            not NAME.match(name)
            or name in declared
            or name in CONTROLS
            or name in DECORATORS
            or len(tree) != 1
        ):
            found.append(f"tree {name}")
        for node in list(tree.iter())[1:]:
            found += _node(node, declared)
    return found


def _node(node: ET.Element, declared: dict[str, dict[str, ET.Element]]) -> list[str]:
    attributes = set(node.attrib) - {"name"}
    if "ID" in attributes:
        return [f"ID on {node.tag}"]
    if node.tag in CONTROLS:
        return [] if len(node) and not attributes else [f"control {node.tag}"]
    if node.tag in DECORATORS:
        return [] if len(node) == 1 and attributes == DECORATORS[node.tag] else [f"decorator {node.tag}"]
    if node.tag == "AlwaysSuccess":
        return [] if not len(node) and not attributes else ["AlwaysSuccess"]
    if node.tag not in declared:
        return [f"unknown node {node.tag}"]
    ports, found = declared[node.tag], []
    if len(node) or attributes - set(ports):
        found.append(f"node {node.tag}")
    found += [f"no {n}" for n, p in ports.items() if n not in attributes and p.get("default") is None]
    for name in attributes & set(ports):
        value = node.attrib[name]
        blackboard = value.strip(" ").startswith("{") and value.strip(" ").endswith("}")
        if blackboard or not re.fullmatch(TYPES[ports[name].get("type", "")], value):
            found.append(f"value of {name}: {value}")
    return found
