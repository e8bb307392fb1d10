"""Label spaces: the words for the numbers of a segmentation network, from a file beside a scene graph.

A file is what Hydra has in its configuration, as YAML with ``label_names: [{label: 3, name: table}, ...]`` in
either style of YAML, or as CSV with the columns ``name`` and ``id``; or JSON: the pairs that a graph has in
``metadata.labelspaces``, or the words in order. Only these forms are read, and nothing else of YAML. A file
with an entry of another form, or with two words for a number, is refused whole.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

from ....domains.errors import SceneError, clip
from ..content import Content

MAX_LABELS = 100_000
_LABEL = r"label:[ ]{0,9}(?P<number%d>\d{1,9})"
_NAME = r"""name:[ ]{0,9}(?P<name%d>'[^'\n]{0,200}'|"[^"\n]{0,200}"|[^\n,{}'"#]{1,200})"""
_YAML = re.compile(
    r"(?:^[ ]{0,20}-[ ]{0,9}\{?|\{)[ ]{0,9}(?:"
    + r"[ ]{0,9}[,\n][ ]{0,20}".join((_LABEL % 1, _NAME % 1))
    + "|"
    + r"[ ]{0,9}[,\n][ ]{0,20}".join((_NAME % 2, _LABEL % 2))
    + ")",
    re.MULTILINE,
)
_ENTRY = re.compile(r"(?:^|[-{,])[ ]{0,20}label:[ ]{0,9}", re.MULTILINE)
"""What begins as a label, read or not."""


def read_labels(path: Path) -> Mapping[int, str]:
    """Read the label space of a file. Raises :class:`SceneError` naming the place."""
    content = Content(path)
    where = content.where
    if isinstance(content.json_or_none, dict | list):
        pairs = _of_json(content.json_or_none, where)
    else:
        text = content.text
        head = [word.strip() for word in text.split("\n", 1)[0].split(",")]
        pairs = _of_csv(text, head, where) if {"name", "id"} <= set(head) else _of_yaml(text, where)
    labels: dict[int, str] = {}
    for number, word in islice(pairs, MAX_LABELS + 1):
        if labels.setdefault(number, word) != word:
            got = f"{clip(labels[number])} and {clip(word)}"
            raise SceneError(f"{where}: label {number}", "one word for a number", got)
    if not labels:
        hint = "it is Hydra's `label_names: [{label: 3, name: table}]`, CSV with name and id, or JSON"
        raise SceneError(where, "a label space", "a file without labels", hint)
    if len(labels) > MAX_LABELS:
        raise SceneError(where, f"at most {MAX_LABELS} labels", "more")
    return labels


def _of_yaml(text: str, where: str) -> Iterator[tuple[int, str]]:
    matches = list(_YAML.finditer(text))
    read = {match.start(name) for match in matches for name in ("number1", "number2")}
    for entry in _ENTRY.finditer(text):
        if entry.end() not in read:
            line = text.count("\n", 0, entry.end()) + 1
            got = clip(text[entry.start() : entry.end() + 60].strip())
            raise SceneError(f"{where}:{line}", "an entry such as `{label: 3, name: table}`", got)
    for match in matches:
        one = "1" if match["number1"] is not None else "2"
        yield int(match[f"number{one}"]), match[f"name{one}"].strip().strip("'\"")


def _of_csv(text: str, head: list[str], where: str) -> Iterator[tuple[int, str]]:
    name, number = head.index("name"), head.index("id")
    for line, row in enumerate(csv.reader(text.splitlines()[1:]), 2):
        if not row:
            continue
        if len(row) <= max(name, number) or not row[number].strip().isdecimal():
            raise SceneError(f"{where}:{line}", "a name and a number", clip(",".join(row)))
        yield int(row[number].strip()[:9]), row[name].strip()


def _of_json(raw: object, where: str) -> Iterator[tuple[int, str]]:
    pairs: list[object] = []
    if isinstance(raw, dict):
        pairs = [[int(k) if k.isdecimal() and len(k) < 10 else k, word] for k, word in raw.items()]
    elif isinstance(raw, list):
        words = all(isinstance(word, str) for word in raw)
        pairs = [[number, word] for number, word in enumerate(raw)] if words else raw
    for index, pair in enumerate(pairs):
        match pair:
            case [int(number), str(word)] if not isinstance(number, bool):
                yield number, word
            case _:
                raise SceneError(f"{where}: [{index}]", "a number and a word", clip(pair))
