"""Goals as JSON, which models write unasked, read back as text of the goal language.

The text is parsed as any other answer, so that there is one place that judges a goal. JSON that is no goal
gets an error that names the place in it; messages may be improved. One object is one bracket, and its first
key is the word after the bracket::

    {"answer": {"and": [{"closed": "fridge"}, {"inside_of": "apple1", "arg2": "fridge"}]}}
    {"answer": {"exists": {"?item1": "apple", "holds": {"inside_of": "?item1", "arg2": "fridge"}}}}
    {"answer": {"exactly": 2, "of": {"?item1": "apple", "holds": {"?item1": "rotten"}}}}
    {"answer": {"missing": "a red apple"}}
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping

from ...domains.diagnostic import Diagnostic
from ...domains.errors import clip
from ...domains.formula import MAX_DEPTH, quote
from ..goals.goal import GoalSyntaxError, Missing
from .templates import CONSTRUCTS, DASH, MANY, MISSING

ANSWER, HOLDS, OF = "answer", "holds", "of"
_VARIABLE = re.compile(r'\?[^\s()";?]+\Z')
_LATER = re.compile(rf"({HOLDS}|{OF}|arg[2-9])\Z")


def key_of(index: int) -> str:
    """Return the key of an argument or part after the first."""
    return f"arg{index + 1}"


def goal_from_json(raw: object, where: str = ANSWER) -> str:
    """Return an answer in JSON as text for :func:`~groundplan.compiler.goals.goal.parse_answer`.

    Raises :class:`GoalSyntaxError` with the place in the value.
    """
    if isinstance(raw, Mapping) and set(raw) == {ANSWER}:
        raw = raw[ANSWER]
    missing = MISSING.keywords[0]
    if isinstance(raw, Mapping) and set(raw) == {missing} and isinstance(raw[missing], str):
        return str(Missing(raw[missing]))
    return _formula(raw, where, 1)


def _formula(raw: object, at: str, depth: int) -> str:
    if depth > MAX_DEPTH:
        raise _error(at, f"formulas at most {MAX_DEPTH} deep", "more")
    if not isinstance(raw, Mapping) or not all(isinstance(k, str) for k in raw):
        raise _error(at, 'an object such as {"closed": "fridge"}', raw)
    heads = [k for k in raw if not _LATER.match(k)]
    if len(heads) != 1:
        raise _error(at, "one word that says what holds", ", ".join(map(str, raw)) or "none")
    head, value = heads[0], raw[heads[0]]
    at = f"{at}.{clip(head, 40)}"
    construct = next((c for c in CONSTRUCTS.values() if head in c.keywords), None)
    if construct is None:
        return _atom(head, raw, at)
    if "variables" in construct.parts:
        counted = "NUMBER" in construct.parts
        _refuse_others(raw, [head, OF] if counted else [head], at)
        if not counted:
            return f"({head} {_bound(value, at, depth)})"
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise _error(at, "a number", value)
        return f"({head} {value} {_bound(raw.get(OF), at, depth)})"
    later = [key_of(i) for i in range(1, len(construct.parts))]
    _refuse_others(raw, [head, *later], at)
    if construct.parts == (MANY,):
        if not isinstance(value, list):
            raise _error(at, "a list of formulas", value)
        inner = [_formula(v, f"{at}[{i}]", depth + 1) for i, v in enumerate(value)]
        return f"({' '.join([head, *inner])})"
    parts = [value, *map(raw.get, later)]
    if construct.parts[0] == "term":
        return f"({' '.join([head, *(_term(p, at) for p in parts)])})"
    return f"({' '.join([head, *(_formula(p, at, depth + 1) for p in parts)])})"


def _refuse_others(raw: Mapping[str, object], keys: Iterable[str], at: str) -> None:
    """Refuse keys that say nothing here: what a model meant by them would be lost."""
    others = [k for k in raw if k not in frozenset(keys)]
    if others:
        raise _error(f"{at}: {clip(others[0], 40)}", "no such key here", raw)


def _bound(raw: object, at: str, depth: int) -> str:
    """Return a declaration and the formula below it."""
    variables = [k for k in raw if isinstance(k, str) and k != HOLDS] if isinstance(raw, Mapping) else []
    if not isinstance(raw, Mapping) or len(variables) != 1 or not _VARIABLE.match(variables[0]):
        raise _error(at, f'one variable and "{HOLDS}"', raw)
    body = _formula(raw.get(HOLDS), f"{at}.{HOLDS}", depth + 1)
    return f"({variables[0]} {DASH} {_term(raw[variables[0]], at, variable=False)}) {body}"


def _atom(head: str, raw: Mapping[str, object], at: str) -> str:
    value = raw[head]
    if _VARIABLE.match(head):
        _refuse_others(raw, [head], at)
        return f"({_term(value, at, variable=False)} {head})"
    later = [key_of(i) for i in range(1, 1 if value is True else len(raw))]
    _refuse_others(raw, [head, *later], at)
    values = [] if value is True else [value, *(raw[key] for key in later)]
    return f"({' '.join([quote(head), *(_term(v, at) for v in values)])})"


def _term(raw: object, at: str, variable: bool = True) -> str:
    if not isinstance(raw, str) or not raw:
        raise _error(at, "a name", raw)
    if raw.startswith("?"):
        if not variable or not _VARIABLE.match(raw):
            raise _error(at, "a name, or a variable such as ?item1", raw)
        return raw
    if not raw.startswith('"'):
        return quote(raw)
    try:
        name = json.loads(raw)
    except ValueError:
        name = None
    if not isinstance(name, str) or not name:
        raise _error(at, "a name in double quotes", raw)
    return quote(name)


def _error(at: str, expected: str, got: object) -> GoalSyntaxError:
    shown = clip(got if isinstance(got, str) else json.dumps(got, default=str))
    diagnostic = Diagnostic("syntax", "error", f"{at}: expected {expected}, got {shown}")
    return GoalSyntaxError(at, diagnostic, expected, shown)
