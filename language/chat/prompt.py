"""Prompts: the static texts from ``prompts/*.md``, what a pack adds to them, and the data beside them.

Data travels as JSON strings in the user message, so that a name cannot end its field. Characters that
chat templates give a meaning (``<|``, ``[INST``) are written as JSON escapes, so that a name cannot forge a
role either. Each system text has a version, its hash, which goes into records. Another text or another way
to write the data makes recorded answers (cassettes) unusable, as they are found by the request. A predicate
belongs in the pack's ``language.toml`` and not in the texts here: they are for every pack.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from ...domains.mapping import ROOM
from ...domains.pack import Pack
from .prompt_form import OwnPrompt, fill, forms_of, placeholders, shipped, version
from .servers.model import Message

__all__ = [
    "MAX_LINE",
    "PROMPTS",
    "READER_PROMPTS",
    "WHOLE_RUN",
    "as_data",
    "asks_of_run",
    "messages",
    "prompts",
    "static",
    "version",
]

READER_PROMPTS = forms_of(__package__ or "")
"""The prompts of the reader that asks a chat model, by name."""
PROMPTS = {"search": "search", "goal": "goal-2", "repair": "repair-3"}
"""The files of the system texts; a changed text is another file, since results belong to one."""

WHOLE_RUN = "whole-run-2"
"""The file of the text on forms about the whole run, behind the prompt ``goal``.

Most tasks ask for an end alone, and these forms would only be in the way of a small model. So they are told,
and admitted by a grammar, where :func:`asks_of_run` says so.
"""

MAX_LINE = 160
"""Most characters in a line of facts."""


_VERSION = re.compile(r"-\d+$")
_OF_RUN = re.compile(
    r"\b(?:not|never|no|nobody|nothing|without|avoid|avoiding|always|keep|stay|stays|only|once|first"
    r"|before|after|until|till|while|during|on the way|on your way)\b|n['’]t\b",
    re.I,
)


def static(name: str, own: Sequence[OwnPrompt] = ()) -> str:
    """Return the text of a prompt file, or that of a user in its place, whatever the version."""
    plain = _VERSION.sub("", name)
    mine = next((one.text for one in own if one.name == plain), None)
    return shipped(__package__ or "", name) if mine is None else mine


def asks_of_run(instruction: str) -> bool:
    """Return whether an instruction has a word that forbids, keeps or orders something.

    >>> asks_of_run("Wash the mug before you put it away."), asks_of_run("Heat the kebab.")
    (True, False)
    """
    return bool(_OF_RUN.search(instruction))


def prompts(pack: Pack, own: Sequence[OwnPrompt] = ()) -> dict[str, str]:
    """Return every system text as it is for a pack: its facts, notes and examples in the text of ``goal``."""
    wording = pack.language
    notes = "".join(f"- {note}\n" for note in (wording.notes if wording is not None else ()))
    examples = "".join(
        f'\nExample. Task: "{e.task}" Scene: {e.scene}\n{e.goal}'
        for e in (wording.examples if wording is not None else ())
    )
    texts = {name: static(file, own) for name, file in PROMPTS.items()}
    texts["goal"] = fill(texts["goal"], {"facts": _facts(pack), "notes": notes, "examples": examples})
    return texts


def _facts(pack: Pack) -> str:
    """Return the facts that goals may name: those with words of the pack, the others, then meanings."""
    public = pack.public_predicates()
    worded = pack.language.facts if pack.language is not None else {}
    omitted = pack.language.omit if pack.language is not None else ()
    meanings = pack.language.meanings if pack.language is not None else {}
    lines = ["Facts:"]
    for predicate, words in worded.items():
        fact = f"({' '.join([predicate, *words])})"
        if len(lines[-1]) + 1 + len(fact) > MAX_LINE:
            lines.append(fact)
        else:
            lines[-1] += f" {fact}"
    for predicate in public:
        if predicate not in worded and predicate not in omitted:
            words = _types(pack, predicate)
            lines.append(f"({' '.join([predicate, *words])}): {pack.words(predicate, words, True)}")
    lines += (f"{predicate}: {meaning}" for predicate, meaning in meanings.items())
    return "\n".join(lines)


def _types(pack: Pack, predicate: str) -> tuple[str, ...]:
    """Return a word for each argument of a predicate: its type, numbered where several have the same."""
    if predicate in pack.mapping.derived:
        return ("thing", "room") if pack.mapping.derived[predicate] == ROOM else ("place",)
    types = [p.type for p in pack.domain.predicates[predicate].parameters]
    return tuple(f"{t}{types[: i + 1].count(t)}" if types.count(t) > 1 else t for i, t in enumerate(types))


def as_data(value: object) -> str:
    """Return compact JSON in which no string can look like a role marker, a fence or a tag."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=dict)
    return _TEXT.sub(lambda m: _string(json.loads(m[0])), text) if _SUSPICIOUS.search(text) else text


_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')
"""A string of JSON; nearly all scenes have none that is to be looked at."""
_SUSPICIOUS = re.compile(r"""[^][<>{}A-Za-z0-9_ .,:;()'"?!-]|<(?!->)|(?<!<-)>|\[[/A-Z]""")
"""A character that JSON of plain strings does not contain: only then its strings are looked at one by one."""
_PLAIN = re.compile(r"(?:[A-Za-z0-9_ .,:;()'?!-]|<->)*")
"""Plain strings: names, words, and the arrow of the paper's links."""
_DANGEROUS = re.compile(r"<(?!->)|\|>|>>|\[/?[A-Z]{2,}|```|##|^\s*# |\n", re.M)


def _string(text: str) -> str:
    """Return a JSON string; ASCII where a character could not be seen, escaped where it could mean more."""
    if _PLAIN.fullmatch(text):
        return f'"{text}"'
    plain = json.dumps(text, ensure_ascii=not text.isprintable())
    if not _DANGEROUS.search(text):
        return plain
    return re.sub(r"[<>\[\]|`#]", lambda m: f"\\u{ord(m.group()):04x}", plain)


def messages(system: str, data: Mapping[str, object]) -> tuple[Message, ...]:
    """Return a system message and a user message of data, one field a line.

    A text that places fields is one message, filled in, and the others follow it.
    """
    shown = {key: as_data(value) for key, value in data.items() if value not in ("", [], ())}
    placed = {key: shown.get(key, "") for key in placeholders(system) if key in data}
    rest = "\n".join(f"{key}: {value}" for key, value in shown.items() if key not in placed)
    if not placed:
        return Message("system", system), Message("user", rest)
    return (Message("user", "\n".join(filter(None, (fill(system, placed), rest)))),)
