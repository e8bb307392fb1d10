"""Wrappings of goals, taken off: fences, labels, quotes, prose, ``(:goal ..)``, a whole PDDL problem.

A text that is a goal as it stands is never touched. Of any other, the bracketed parts are read, and it counts
where exactly one goal is among them (said twice is one) and all around it introduces an answer. Nothing is
guessed or completed: a missing bracket, two goals, and any other word or sign beside one are errors with a
place, since no list has all that takes a goal back. A fence or a tag round the answer sets it apart from
prose. All places are those of the text as it was written. What marks an answer (``_MARK``) and the words
that say nothing about one (``_INTRODUCING``) can be added to.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ...domains.deadline import check_time
from ...domains.errors import clip
from ...domains.formula import MAX_DEPTH, Atom, Formula
from .other_forms import CONNECTIVES
from .syntax import GoalSyntaxError, Source, brackets
from .tree import Missing, Part, Place

Known = Callable[[str, int], bool]
"""Whether a fact may begin with a name, with so many arguments: tells formulas from other brackets."""

_FENCE = "```"
_MARK = re.compile(r"```(?:[^\n`(){}]*\n)?|<([\w:-]*(?:answer|goal|output|result|solution))>|\\boxed\{", re.I)
"""Beginning of a part of a text that is marked as the answer."""

_WRITTEN = re.compile(
    r'"(?:[^"\\]|\\.)*"'
    r"|\\u(?P<code>[0-9a-fA-F]{4})"
    r"|\\(?P<escaped>[!-/:-@\[-`{-~])"
    "|(?P<unseen>[\u00ad\u200b\u2060\ufeff])"
    "|(?P<wide>[\uff01-\uff5e])",
    re.S,
)
"""A quoted name, and what stands for another character outside of one."""

_OF_JSON = re.compile(r'"|\\(?!u)[^u]')
"""The quotes of the strings of JSON, and characters that they escape; others are read like Markdown's."""
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "b": " ", "f": " "}

_HEAD = re.compile(r"\(\s*([^\s()\";]*)")
_FACT = re.compile(r"\(\s*[\w-]+\s+[\w?\"]")
_COMMENT = re.compile(r"(?:^|(?<=\)))[ \t]*;[^\n]*", re.M)
_CALLED = re.compile(r"[\w-]*[^\W_]\Z")
"""Name just before a bracket, as in ``goto(fridge)``: that is a call and no formula."""
MAX_CALLED, MAX_ARGUMENTS = 60, 4
"""Characters of a name that is called, and numbers of arguments that facts are known by."""
_WRAPPERS = ("define", ":goal")
_KEYWORDS = (*CONNECTIVES.split(", "), "at-end", *_WRAPPERS)

_INTRODUCING = """
    a again an answer answers are args argument arguments as assistant below block boxed br call calls
    certainly class clj clojure code common complete condition corresponding div do done em expression fact
    final following follows for form format formula function goal goals hence here i id in input inst
    instruction is it json jsonc language lisp logic logical markdown model name notation objective of ok okay
    our output p parameter parameters pddl plain plaintext pre predicate python requested response result
    results robot scheme set sexp so solution span state strong sure syntax target task text that the there
    therefore this thus to tool true txt type value we xml yaml yes you your
"""
"""Words that introduce an answer, name its form or its markup, and say nothing about whether it is meant."""
_NEUTRAL = re.compile(
    r"(?:[<\[]/|/>|(?<=\w)!(?=\s|\Z)|^\#{1,6}[ \t]+(?=\w)|^~~~|\d+[.)]?|\\[nrt](?![^\W\d_])"
    r"|[\s.,:;*_`\"'\u2018-\u201f\u00ab\u00bb>|$=\[\]{}<\\-]"
    rf"|(?<![^\W\d_])(?:{'|'.join(_INTRODUCING.split())})(?![^\W\d_]))*+",
    re.I | re.M,
)
_OTHER = re.compile(r"[^\W_]+|.", re.S)


@dataclass(frozen=True, slots=True)
class Unwrapped:
    """A piece of a text: its characters as they are read, and where each, and the end, is in the text."""

    text: str
    places: tuple[int, ...]

    @classmethod
    def whole(cls, text: str) -> Unwrapped:
        return cls(text, tuple(range(len(text) + 1)))

    def part(self, start: int, end: int) -> Unwrapped:
        """Return the part between two characters, without the space around it."""
        while start < end and self.text[start].isspace():
            start += 1
        while end > start and self.text[end - 1].isspace():
            end -= 1
        last = self.places[end - 1] + 1 if end > start else self.places[end]
        return Unwrapped(self.text[start:end], (*self.places[start:end], last))

    def source(self, original: str, where: str) -> Source:
        """Return the piece as a source whose places are those of the original text."""
        return Source(self.text, where, original, self.places)


def unwrapped(
    text: str, where: str = "goal", is_fact: Known | None = None, part: Place | None = None
) -> Unwrapped:
    """Return the one goal of a text, or ``(missing "words")``, without what it is wrapped in.

    ``part`` is the place of what is looked at, all of the text where none is given.
    Raises :class:`GoalSyntaxError` with line and column where there is none, or more than one.

    >>> unwrapped("The goal:\\n**(closed fridge)**").text
    '(closed fridge)'
    >>> unwrapped("(:goal (and (closed fridge)))").text
    '(closed fridge)'
    """
    whole = Unwrapped.whole(text)
    answer = whole.part(*part) if part is not None else whole
    try:
        answer.source(text, where).read("start")
        return answer
    except GoalSyntaxError as error:
        if error.diagnostic.code in ("too-long", "too-deep", "too-many"):
            raise
        return _Reading(text, where, is_fact, error).goal_of(_marked(answer))


def marked(text: str) -> str:
    """Return what a text marks as its answer, by one fence or one tag; the text itself where nothing is."""
    return _marked(Unwrapped.whole(text)).text


def _marked(piece: Unwrapped) -> Unwrapped:
    """Return the content of the one mark of a piece, of marks inside of that too."""
    while True:
        text = piece.text
        mark = _MARK.search(text)
        if mark is not None and _introduction(mark[0]) < len(mark[0]):  # of a thought, or a wrong answer
            return piece.part(0, len(text))
        closing = "}" if mark is None or not mark[0].startswith(_FENCE) else _FENCE
        if mark is not None and mark[1]:
            closing = f"</{mark[1]}>"
        end = text.find(closing, mark.end()) if mark is not None else -1
        if mark is None or end < 0 or _MARK.search(text, end + len(closing)):
            return piece.part(0, len(text))
        piece = piece.part(mark.end(), end)


def _introduction(text: str) -> int:
    """Return where that ends in a text which introduces an answer; what comes next may take it back."""
    match = _NEUTRAL.match(text)
    return match.end() if match is not None else 0


def _as_read(piece: Unwrapped) -> Unwrapped:
    """Return a piece with escapes of Markdown and JSON, wide and unseen characters read, outside of names."""
    if _is_json(piece.text):
        piece = _replaced(piece, _OF_JSON, lambda m: _LETTERS.get(m[0][1:2], m[0][1:]) or " ")
    return _replaced(piece, _WRITTEN, _character)


def _is_json(text: str) -> bool:
    if not text.startswith(("{", "[", '"')):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _character(match: re.Match[str]) -> str:
    """Return what a character that is written in another way stands for; a quoted name as it is."""
    if match["code"]:
        return chr(int(match["code"], 16))
    if match["wide"]:
        return unicodedata.normalize("NFKC", match["wide"])
    return match["escaped"] or ("" if match["unseen"] else match[0])


def _replaced(piece: Unwrapped, pattern: re.Pattern[str], new: Callable[[re.Match[str]], str]) -> Unwrapped:
    """Return a piece with what a pattern finds replaced; each new character is where the old ones began."""
    texts: list[str] = []
    places: list[int] = []
    end = 0
    for match in pattern.finditer(piece.text):
        if (written := new(match)) == match[0]:
            continue
        texts += (piece.text[end : match.start()], written)
        places += piece.places[end : match.start()]
        places += [piece.places[match.start()]] * len(written)
        end = match.end()
    return Unwrapped("".join((*texts, piece.text[end:])), (*places, *piece.places[end:]))


@dataclass(frozen=True, slots=True)
class _Reading:
    """The search of one text for its goal; ``error`` is about the text as it stands."""

    text: str
    where: str
    is_fact: Known | None
    error: GoalSyntaxError

    def goal_of(self, answer: Unwrapped) -> Unwrapped:
        """Return the one goal of a piece. Raises :class:`GoalSyntaxError`."""
        if answer.text.count(_FENCE) % 2:
            at = answer.text.rfind(_FENCE)
            raise self._error(answer, (at, at + 3), "a fence that is closed", "a fence that is not")
        answer = _without_comments(_as_read(answer))
        groups = list(self._groups(answer))
        goals = self._formulas([goal for group in groups for goal in self._goals(group)])
        if not goals:
            raise self.error
        (first, meaning), others = goals[0], goals[1:]
        other = next((piece for piece, formula in others if formula != meaning), None)
        if other is not None:
            got, hint = f"a second one: {clip(other.text)}", "join them with (and ..), or give one"
            raise self._error(other, (0, len(other.text)), "one goal", got, hint)
        self._refuse_prose(answer, groups, [piece for piece, _ in goals])
        return first

    def _groups(self, answer: Unwrapped) -> Iterator[Unwrapped]:
        """Yield the outermost brackets of a piece but for those of calls."""
        text, at, open_ones = answer.text, 0, 0
        while (start := text.find("(", at)) >= 0:
            self._refuse_closing(answer, at, start)
            end = _closed(text, start)
            if end is None:
                self._refuse_unclosed(answer.part(start, len(text)))
                open_ones, at = open_ones + 1, start + 1
                if open_ones > MAX_DEPTH:
                    raise self.error
                continue
            if (name := _CALLED.search(text, max(0, start - MAX_CALLED), start)) is None:
                yield answer.part(start, end)
            elif self._is_formula(f"({name[0]} "):
                written = " ".join([name[0], *text[start + 1 : end - 1].replace(",", " ").split()])
                got = clip(f"{name[0]}{text[start:end]}")
                raise self._error(answer, (name.start(), end), clip(f"a formula such as ({written})"), got)
            at = end
        self._refuse_closing(answer, at, len(text))

    def _refuse_unclosed(self, rest: Unwrapped) -> None:
        """Refuse a formula that is not closed; a bracket of prose is none."""
        if not self._is_formula(rest.text):
            return
        if _word(rest) in _WRAPPERS:
            raise self._error(rest, (0, 1), "a bracket that is closed", "one that is not")
        rest.source(self.text, self.where).read("start")

    def _refuse_closing(self, answer: Unwrapped, start: int, end: int) -> None:
        """Refuse a bracket that follows a formula and closes nothing: one that opens may be missing."""
        rest = answer.text[start:end]
        if start and answer.text[start - 1] == ")" and rest.lstrip().startswith(")"):
            at = start + len(rest) - len(rest.lstrip())
            hint = "it is one too many, or one is missing before it"
            raise self._error(answer, (at, at + 1), "the end", ")", hint)

    def _goals(self, group: Unwrapped) -> Iterator[Unwrapped]:
        """Yield the goals of a bracket: itself, or what stands in ``(:goal ..)`` or in a bracket alone."""
        word, inner = _word(group), _inner(group)
        if word == "define":
            for section in (group.part(*place) for place in inner):
                if _word(section) == ":goal":
                    yield from self._goals(section)
                elif _word(section) == ":constraints":
                    got = "(:constraints ..), which would be left out"
                    raise self._error(section, (0, len(section.text)), "a problem with a goal alone", got)
        elif word in (":goal", "goal", "and", "") and len(inner) == 1 and _alone(group, *inner[0]):
            yield from self._goals(group.part(*inner[0]))
        elif word == ":goal":
            raise self._error(group, (0, len(group.text)), "one formula in (:goal ..)", clip(group.text))
        elif not word.startswith(":"):
            yield group

    def _formulas(self, pieces: list[Unwrapped]) -> list[tuple[Unwrapped, Formula | Missing]]:
        """Return the pieces that are formulas: those whose facts are known, or else all that could be one.

        Raises :class:`GoalSyntaxError` for one that only looks like a formula.
        """
        read: list[tuple[Unwrapped, Formula | Missing]] = []
        broken: GoalSyntaxError | None = None
        for piece in pieces:
            check_time("reading the goal")
            try:
                root: Part | Missing = piece.source(self.text, self.where).read("start")
            except GoalSyntaxError as error:
                if self._is_formula(piece.text):
                    broken = broken or error
                continue
            read.append((piece, root.formula if isinstance(root, Part) else root))
        if broken is not None:
            raise broken
        sure = [(piece, formula) for piece, formula in read if self._is_known(formula)]
        alone = len(read) == 1 and self.is_fact is None
        return sure or [one for one in read if alone or not _is_word(one[1])]

    def _is_formula(self, text: str) -> bool:
        """Return whether a bracket begins as a formula does."""
        head = _HEAD.match(text)
        word = head[1] if head is not None else ""
        if word.lower() in _KEYWORDS:
            return True
        if self.is_fact is None:
            return _FACT.match(text) is not None
        return any(self.is_fact(word, number) for number in range(MAX_ARGUMENTS))

    def _is_known(self, formula: Formula | Missing) -> bool:
        if not isinstance(formula, Atom):
            return True
        if self.is_fact is None:
            return bool(formula.args)
        return self.is_fact(formula.predicate, len(formula.args))

    def _refuse_prose(self, answer: Unwrapped, groups: list[Unwrapped], goals: list[Unwrapped]) -> None:
        """Refuse a goal beside words or signs that do not introduce it: they may take it back."""
        begins = {goal.places[0] for goal in goals}
        inside = {
            place
            for group in groups
            if _word(group).startswith((":", "define")) or not begins.isdisjoint(group.places)
            for place in group.places[:-1]
        }
        prose = "".join(
            " " if place in inside else c for c, place in zip(answer.text, answer.places, strict=False)
        )
        if (other := _OTHER.match(prose, _introduction(prose))) is not None:
            hint = "write the formula alone, or in a fence"
            got = f"other words beside it ({clip(other[0], 40)})"
            raise self._error(answer, other.span(), "a goal that is meant as it stands", got, hint)

    def _error(
        self, piece: Unwrapped, place: Place, expected: str, got: str, hint: str = ""
    ) -> GoalSyntaxError:
        return piece.source(self.text, self.where).error(place, "syntax", expected, got, hint)


def _word(group: Unwrapped) -> str:
    """Return the word that a bracket begins with, in lower case; none where another bracket does."""
    head = _HEAD.match(group.text)
    return head[1].lower() if head is not None else ""


def _closed(text: str, start: int) -> int | None:
    """Return the end of a bracket; ``None`` where nothing closes it."""
    return next((end for first, end, _ in brackets(text, start) if first == start), None)


def _inner(group: Unwrapped) -> list[Place]:
    """Return the places of the brackets directly inside of one."""
    return [(start, end) for start, end, depth in brackets(group.text) if depth == 2]


def _alone(group: Unwrapped, start: int, end: int) -> bool:
    """Return whether a bracket has nothing in it but its first word and one other bracket."""
    beside = group.text[1:start] + group.text[end:-1]
    return len(re.sub(r";[^\n]*", "", beside).split()) == bool(_word(group))


def _without_comments(piece: Unwrapped) -> Unwrapped:
    """Return a piece with spaces for the comments in lines of their own, and after formulas."""
    text = _COMMENT.sub(lambda match: " " * len(match[0]), piece.text)
    return Unwrapped(text, piece.places)


def _is_word(formula: Formula | Missing) -> bool:
    return isinstance(formula, Atom) and not formula.args
