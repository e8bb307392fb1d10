"""Goals as JSON, which models write unasked, read back as text of the goal language.

The text is parsed as any other answer, so that there is one place that judges a goal: what a keyword takes is
not looked at here. JSON of another shape gets an error that names the place in it; messages may be improved.
One object is one bracket, and its first key is the word after the bracket::

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
from .templates import CONSTRUCTS, DASH, MISSING, RUNS

ANSWER, HOLDS, OF = "answer", "holds", "of"
_VARIABLE = re.compile(r'\?[^\s()";?]+\Z')
_KEYWORDS = frozenset(keyword for form in (*CONSTRUCTS.values(), *RUNS) for keyword in form.keywords)
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
    if _VARIABLE.match(head):
        _refuse_others(raw, [head], at)
        return f"({_term(value, at, variable=False)} {head})"
    keys = [OF] if OF in raw else [key_of(i) for i in range(1, len(raw))]
    keys = [head] if value is True or isinstance(value, list) else [head, *keys]
    _refuse_others(raw, keys, at)
    values = [] if value is True else [raw[key] for key in keys]
    if head in _KEYWORDS:
        return f"({' '.join([head, *(_part(v, at, depth) for v in values)])})"
    return f"({' '.join([quote(head), *(_term(v, at) for v in values)])})"


def _refuse_others(raw: Mapping[str, object], keys: Iterable[str], at: str) -> None:
    """Refuse keys that say nothing here: what a model meant by them would be lost."""
    others = [k for k in raw if k not in frozenset(keys)]
    if others:
        raise _error(f"{at}: {clip(others[0], 40)}", "no such key here", raw)


def _part(raw: object, at: str, depth: int) -> str:
    """Return what stands behind a keyword: formulas, a declaration with its formula, a number or a term."""
    if isinstance(raw, list):
        return " ".join(_formula(one, f"{at}[{i}]", depth + 1) for i, one in enumerate(raw))
    if isinstance(raw, Mapping):
        return _bound(raw, at, depth) if HOLDS in raw else _formula(raw, at, depth + 1)
    return str(raw) if isinstance(raw, int) and not isinstance(raw, bool) else _term(raw, at)


def _bound(raw: Mapping[str, object], at: str, depth: int) -> str:
    """Return a declaration and the formula below it."""
    variables = [key for key in raw if key != HOLDS]
    if len(variables) != 1 or not _VARIABLE.match(str(variables[0])):
        raise _error(at, f'one variable and "{HOLDS}"', raw)
    body = _formula(raw[HOLDS], f"{at}.{HOLDS}", depth + 1)
    return f"({variables[0]} {DASH} {_term(raw[variables[0]], at, variable=False)}) {body}"


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
