"""Nodes of behavior trees: those of BehaviorTree.CPP 4.10, and those that skills of a pack become.

The built-in ones are a model in the library's own form (``built_in_nodes.xml``). A skill is an action whose
name is the skill's in CamelCase, by the convention of ROS. Names follow the rules of `src/basic_types.cpp`
(`findForbiddenChar`, `IsReservedAttribute`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal

from ...domains.errors import PackError, clip
from ...domains.files import Element, read_xml
from ...domains.mapping import SkillMapping
from ...domains.pack import Pack

Kind = Literal["Action", "Condition", "Control", "Decorator", "SubTree"]
KINDS: tuple[Kind, ...] = ("Action", "Condition", "Control", "Decorator", "SubTree")
DIRECTIONS = ("input_port", "output_port", "inout_port")
FORBIDDEN = frozenset(" \t\n\r<>&\"'/\\:*?|.")
AFTERWARDS = ("_onHalted", "_onFailure", "_onSuccess", "_post")
CONDITIONS = ("_failureIf", "_successIf", "_skipIf", "_while", *AFTERWARDS)
"""Attributes with a script that every node may have; those at the end run after it."""
RESERVED = ("name", "ID", "_autoremap", *CONDITIONS)
TEXT = "std::string"
BEHAVIOR_TREE = "BehaviorTree"


@dataclass(frozen=True, slots=True)
class Port:
    """A port: its C++ type, its direction, its value where it is left out, and what it is for in words."""

    type: str = TEXT
    direction: str = "input_port"
    default: str | None = None
    words: str = ""


@dataclass(frozen=True, slots=True)
class NodeModel:
    """A kind of node with its ports, and the least and the greatest number of children.

    Where it is not ``strict``, its code may do without ports that have no default: no model can say so.
    """

    kind: Kind
    ports: Mapping[str, Port]
    least: int = 0
    most: int | None = 0
    strict: bool = True


_CHILDREN: Mapping[str, str] = {"Control": "1-", "Decorator": "1"}


def children_of(kind: str, stated: str | None = None) -> tuple[int, int | None]:
    """Return the least and the greatest number of children: by the kind of a node, or as stated, ``2-3``."""
    least, several, most = (stated or _CHILDREN.get(kind, "0")).partition("-")
    return int(least), int(most) if most else None if several else int(least)


def _node(entry: Element) -> NodeModel:
    kind = next(kind for kind in KINDS if kind == entry.tag)
    ports = {
        port.attributes["name"]: Port(
            port.attributes.get("type", TEXT), port.tag, port.attributes.get("default"), port.text
        )
        for port in entry.children
    }
    return NodeModel(kind, ports, *children_of(kind, entry.attributes.get("children")))


_MODELS = read_xml(files(__package__).joinpath("built_in_nodes.xml").read_text(encoding="utf-8"), "nodes")
BUILT_IN_NODES, OWN_NODES = (
    {entry.attributes["ID"]: _node(entry) for entry in model.children} for model in _MODELS.children
)
"""The nodes of the library, and those beside skills that exported trees use."""
HOLDS, WAIT_FOR, REPLAN, PLAN = "Holds", "WaitFor", "Replan", "Plan"

_XML_NAME = re.compile(
    "[A-Z_a-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u3001-\ud7ff]"
    "[-.0-9A-Z_a-z\u00b7\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u037d\u037f-\u1fff\u3001-\ud7ff]*"
)
"""A name of an element or attribute, as far as alphabets go that are in use (XML 1.0, section 2.3)."""


def name_fault(name: str) -> str:
    """Say what is wrong with the name of a tree or node; an empty text for a name that may be used."""
    if not name:
        return "it is empty"
    if name in ("Root", "root"):
        return "it is reserved"
    for character in name:
        if character in FORBIDDEN or ord(character) < 32 or ord(character) == 127:
            return f"{character!r} may not be in it"
    return ""


NO_XML_NAME = "XML has no such name: it begins with a letter and goes on with letters, digits, - and _"


def port_fault(name: str) -> str:
    """Say what is wrong with the name of a port; an empty text for a name that may be used."""
    if name in RESERVED:
        return "it is reserved"
    if not re.match(r"[A-Za-z]", name):
        return "it has to begin with a letter"
    return name_fault(name)


def node_name(skill: str) -> str:
    """Return the name of the node for a skill: ``switch_on`` is ``SwitchOn``."""
    words = re.split(r"[\W_]+", skill)
    return "".join(word[:1].upper() + word[1:] for word in words)


def skill_node(skill: SkillMapping, pack: Pack) -> NodeModel:
    """Return the node for a skill of a pack."""
    frame = pack.mapping.frame
    ports = {port: Port(words=type) for port, type in zip(skill.ports, skill.types, strict=True)}
    for port in skill.pose_ports:
        words = "radians, from the x axis towards y" if port == "yaw" else f"metres in the frame {frame}"
        ports[port] = Port("double", default="nan", words=words)
    if "position_of" in skill.pose_ports:
        words = "the node whose position that rests on; empty where none is known"
        ports["position_of"] = Port(default="", words=words)
    return NodeModel("Action", ports)


def pack_nodes(pack: Pack) -> dict[str, NodeModel]:
    """Return the nodes of a pack's skills, and those that exported trees use beside them, by name.

    Raises :class:`PackError` for a skill or port whose name no node or port can have.
    """
    nodes = dict(OWN_NODES)
    for skill in pack.mapping.skills.values():
        name, at = node_name(skill.name), f"{pack.where}/mapping.toml: skills.{skill.name}"
        if (fault := name_fault(name)) or not _XML_NAME.fullmatch(name):
            raise PackError(at, "a name that a node can have", clip(name), fault or NO_XML_NAME)
        if name in nodes or name in BUILT_IN_NODES or name in (*KINDS, PLAN, BEHAVIOR_TREE):
            hint = "give the skill another name in [actions]"
            raise PackError(at, "a name that no other node has", name, hint)
        for number, port in enumerate(skill.ports):
            fault = port_fault(port) or ("" if _XML_NAME.fullmatch(port) else NO_XML_NAME)
            if fault or port in (*skill.ports[:number], *skill.pose_ports):
                hint = f"name its ports: ports = [..] in [skills.{skill.name}]"
                expected = "a name that a port can have, and no other port of the skill"
                raise PackError(f"{at}.ports", expected, f"{clip(port)}{fault and f': {fault}'}", hint)
        nodes[name] = skill_node(skill, pack)
    return nodes
