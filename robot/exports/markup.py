"""XML written, with a line for each element; what XML cannot hold (most control characters) is refused."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ...domains.errors import InputError, clip
from ...domains.files import Element

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
_ESCAPES |= {c: f"&#{ord(c)};" for c in "\t\n\r"}
_SPECIAL = re.compile('[&<>"\t\n\r]')


def element(tag: str, children: Iterable[Element] = (), /, **attributes: str) -> Element:
    """Return an element that is to be written."""
    return Element(tag, attributes, 0, list(children))


def attribute(value: str, where: str) -> str:
    """Spell a value as XML has it between quotes. Raises :class:`InputError` for what XML cannot hold."""
    if (wrong := _NOT_XML.search(value)) is not None:
        got = f"U+{ord(wrong[0]):04X} in {clip(value)}"
        raise InputError(where, "characters that XML can hold", got, "give the node another id")
    return _SPECIAL.sub(lambda match: _ESCAPES[match[0]], value)


def write_xml(root: Element, where: str) -> str:
    """Return an element as XML text, indented, with a line for each element."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    waiting: list[tuple[Element | str, str]] = [(root, "")]
    while waiting:
        element, indent = waiting.pop()
        if isinstance(element, str):
            lines.append(element)
            continue
        named = (f' {name}="{attribute(value, where)}"' for name, value in element.attributes.items())
        head = f"{indent}<{element.tag}{''.join(named)}"
        if element.children:
            lines.append(f"{head}>")
            waiting.append((f"{indent}</{element.tag}>", ""))
            waiting += [(child, f"{indent}  ") for child in reversed(element.children)]
        elif element.text:
            lines.append(f"{head}>{attribute(element.text, where)}</{element.tag}>")
        else:
            lines.append(f"{head}/>")
    return "\n".join(lines) + "\n"
