"""XML read safely and written: elements with the line that each begins in.

No document type is taken, so there are no entities that grow and none that name other files; the size of a
text and its depth are bounded. What XML cannot hold at all (most control characters) is refused when it is
written. Comments, processing instructions and white space between elements are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from xml.parsers import expat

from ...domains.deadline import check_time
from ...domains.errors import InputError, clip

MAX_CHARACTERS = 32 * 1024 * 1024
MAX_DEPTH = 400
MAX_ELEMENTS = 500_000
MOST_TEXT = 1000
"""Characters of the text of one element that are kept."""
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
_ESCAPES |= {c: f"&#{ord(c)};" for c in "\t\n\r"}
_SPECIAL = re.compile('[&<>"\t\n\r]')


@dataclass(slots=True)
class Element:
    """An element: its name, attributes and children, the line where it begins, and text that is no space."""

    tag: str
    attributes: Mapping[str, str]
    line: int
    children: list[Element] = field(default_factory=list)
    text: str = ""

    def walk(self) -> Iterator[Element]:
        """Yield the element and all below it, in the order of the text."""
        waiting = [self]
        while waiting:
            element = waiting.pop()
            yield element
            waiting += reversed(element.children)


class XmlFault(InputError):
    """A text that is no XML, or none that is read; ``line`` is where."""

    def __init__(self, where: str, line: int, expected: str, got: str, hint: str = "") -> None:
        super().__init__(f"{where}:{line}", expected, got, hint)
        self.line = line


def read_xml(text: str, where: str) -> Element:
    """Return the root element of an XML text. Raises :class:`XmlFault` with the line."""
    if len(text) > MAX_CHARACTERS:
        raise XmlFault(where, 1, f"at most {MAX_CHARACTERS} characters of XML", str(len(text)))
    builder = _Builder(where)
    parser = builder.parser
    try:
        parser.Parse(text.encode("utf-8", "surrogatepass"), True)
    except expat.ExpatError as error:
        got = expat.ErrorString(error.code)
        hint = "write & as &amp; and < as &lt;" if error.code == _INVALID_TOKEN else ""
        raise XmlFault(where, error.lineno, "well-formed XML", got, hint) from error
    assert builder.root is not None, "a well-formed document has a root"
    return builder.root


_INVALID_TOKEN = expat.errors.codes[expat.errors.XML_ERROR_INVALID_TOKEN]


class _Builder:
    def __init__(self, where: str) -> None:
        self.where, self.root, self.count = where, None, 0
        self.open: list[Element] = []
        # The text is UTF-8, whatever its first line says.
        self.parser = expat.ParserCreate("utf-8")
        self.parser.buffer_text = True
        self.parser.StartDoctypeDeclHandler = self.doctype
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.characters

    root: Element | None

    def doctype(self, name: str, *_: object) -> None:
        got = f"<!DOCTYPE {clip(name)}"
        raise XmlFault(self.where, self.parser.CurrentLineNumber, "XML without a document type", got)

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        line = self.parser.CurrentLineNumber
        self.count += 1
        if self.count % 1000 == 0:
            check_time("reading XML")
        if len(self.open) >= MAX_DEPTH:
            raise XmlFault(self.where, line, f"elements at most {MAX_DEPTH} deep", "more")
        if self.count > MAX_ELEMENTS:
            raise XmlFault(self.where, line, f"at most {MAX_ELEMENTS} elements", "more")
        element = Element(tag, attributes, line)
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)

    def end(self, _: str) -> None:
        self.open.pop()

    def characters(self, text: str) -> None:
        element = self.open[-1]
        if len(element.text) < MOST_TEXT:
            element.text += text.strip()[:MOST_TEXT]


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
