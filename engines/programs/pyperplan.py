"""Pyperplan, inside a forked child of the worker; the only module that imports it.

Pyperplan reads the text, evaluates and searches; `grounding.py` says why grounding is ours. The default
search, "auto", is three of pyperplan's: breadth first up to a fixed amount of work (a single errand ends
there, with the fewest actions there can be), then greedy best-first with FF on helpful actions, then the
complete greedy search. The limits may be tuned, but must be counts, never clocks, so that the same task gives
the same plan. The package must not be imported here, nor pyperplan (GPL) by the package.
"""

from __future__ import annotations

import gc
import importlib
import itertools
import json
import logging
import os
from collections.abc import Callable, Iterable
from typing import Any

from .grounding import Ground, SearchLimit, eliminate_redundant_actions, ground
from .server import DONE, INPUT_ERROR, UNSUPPORTED

BREADTH_LIMIT = 300_000  # tests of an operator in a state before "auto" turns to a heuristic: 30 to 60 ms
HELPFUL_LIMIT = 3000  # states expanded with helpful actions only, which is fast and may miss every plan

EASY_OPERATORS = 2000  # beyond, a task is not easy

PHASES = {"auto": ("bfs", "helpful", "gbfs"), "easy": ("bfs",)}

# Words that pyperplan's reader does not know, and what to call them.
_FEATURES = {
    ":functions": "functions",
    "increase": "action costs",
    ":derived": "derived predicates",
    ":durative-action": "durative actions",
    ":constraints": "constraints",
    "or": "disjunctions",
    "imply": "implications",
    "forall": "quantifiers",
    "exists": "quantifiers",
    "when": "conditional effects",
    "=": "equality or numbers",
}


class ExpansionLimit(Exception):
    """The number of states that may be expanded is used up."""


class Work:
    """States expanded for one text, over all of its searches, and the most that may be."""

    def __init__(self, limit: int | None) -> None:
        self.expanded, self.limit = 0, limit

    def expand(self) -> None:
        """Count a state. Raises :class:`ExpansionLimit` beyond the limit."""
        if self.expanded == self.limit:
            raise ExpansionLimit
        self.expanded += 1


class UnreadablePddl(Exception):
    """A text that pyperplan cannot use: the exit code that says why, and words."""

    def __init__(self, code: int, detail: str) -> None:
        self.code, self.detail = code, detail
        super().__init__(detail)


def preload() -> None:
    logging.disable(logging.CRITICAL)  # pyperplan formats a line for every state
    for name in ("pddl.parser", "task", "search", "heuristics.relaxation"):
        importlib.import_module(f"pyperplan.{name}")


def run(request: dict[str, Any], result: int) -> int:
    """Write one line of JSON for each of the request's texts.

    `{"code": 0, "plan": [[action, argument, ...], ...] or null, "proof", "detail", "expanded": number}`,
    or a code and the detail; or, when only easy tasks are wanted, `{"hard": true}` for one that is not. Where
    `request["expansions"]` states were expanded without an answer, it is `{"stopped": number, "expanded"}`.
    """
    gc.disable()  # the process is short-lived, and search nodes form no cycles
    domains: dict[str, Any] = {}
    with os.fdopen(result, "w") as stream:
        for domain, problem in request["texts"]:
            answer: dict[str, Any]
            try:
                parsed = read(domain, problem, domains)
                answer = {"code": DONE, **solve(parsed, request["search"], request.get("expansions"))}
            except UnreadablePddl as error:
                answer = {"code": error.code, "detail": error.detail}
            except SearchLimit:
                answer = {"hard": True}
            stream.write(json.dumps(answer) + "\n")
            stream.flush()
    return DONE


def read(domain: str, problem: str, domains: dict[str, Any] | None = None) -> Any:
    """Pyperplan's parse; `domains` keeps what it made of a domain for the next problem."""
    parsed = {} if domains is None else domains
    parser = importlib.import_module("pyperplan.pddl.parser").Parser(None)
    syntax = importlib.import_module("pyperplan.pddl.errors").ParseError
    semantics = importlib.import_module("pyperplan.pddl.tree_visitor").SemanticError
    parser.domInput, parser.probInput = domain, problem
    try:
        if domain not in parsed:
            parsed[domain] = parser.parse_domain(False)
        return parser.parse_problem(parsed[domain], False)
    except (syntax, semantics, ValueError, AttributeError, LookupError, TypeError, RuntimeError) as error:
        # Its reader has two exceptions of its own and stumbles with any of Python's.
        detail = f"{type(error).__name__}: {error}"
        if features := _unknown_features(domain, problem):
            detail = f"pyperplan does not know {', '.join(features)} ({detail})"
            raise UnreadablePddl(UNSUPPORTED, detail) from error
        raise UnreadablePddl(INPUT_ERROR, f"pyperplan cannot read the text: {detail}") from error


def _unknown_features(domain: str, problem: str) -> list[str]:
    lines = [line.partition(";")[0] for line in f"{domain}\n{problem}".lower().splitlines()]
    text = " ".join(" ".join(lines).replace("(", " ( ").replace(")", " ) ").split())
    words = dict.fromkeys(text.split())
    features = dict.fromkeys(feature for word, feature in _FEATURES.items() if word in words)
    # From a precondition to its effect, or from the goal to the end; deletions stand in effects only.
    conditions = [part.partition(" :effect ")[0] for part in text.split(" :precondition ")[1:]]
    conditions += text.split("( :goal ")[1:]
    if any("( not " in condition for condition in conditions):
        features["negative conditions"] = None
    return list(features)


def solve(problem: Any, search: str, expansions: int | None = None) -> dict[str, Any]:
    """The plan or the proof, phase by phase; "easy" raises `SearchLimit` instead of a second phase.

    `expansions` limits the states that all phases together expand.
    """
    work = Work(expansions)
    try:
        return {**_solve(problem, search, work), "expanded": work.expanded}
    except ExpansionLimit:
        return {"stopped": expansions, "expanded": work.expanded}


def _solve(problem: Any, search: str, work: Work) -> dict[str, Any]:
    operators, init, goal, proof = ground(problem, EASY_OPERATORS if search == "easy" else None)
    if proof:
        return {"plan": None, "proof": proof, "detail": proof}
    phases = PHASES.get(search, (search,))
    for phase in phases:
        try:
            names = SEARCHES[phase](operators, init, goal, phase == search, work)
        except SearchLimit:
            if phase == phases[-1]:
                raise
            continue
        words = f"{len(operators)} operators, {_WORDS[phase]}"
        if names is not None:
            needed = eliminate_redundant_actions(names, operators, init, goal)
            steps = [name.strip("()").split() for name in needed]
            return {"plan": steps, "detail": f"{words}: {len(steps)} actions"}
        if phase != "helpful":
            return {"plan": None, "proof": "exhausted search", "detail": f"{words}: no state is left"}
    raise AssertionError("the last phase is complete")


Search = Callable[[list[Ground], frozenset[str], frozenset[str], bool, Work], list[str] | None]
"""Operators, initial state, goal, whether no other search follows, and where states are counted."""


def _breadth_first(
    operators: list[Ground], init: frozenset[str], goal: frozenset[str], alone: bool, work: Work
) -> list[str] | None:
    """Pyperplan's breadth-first search over states packed into integers, one bit a fact.

    An operator that deletes nothing can only help, so it is applied as soon as it can be, at no depth of its
    own; `eliminate_redundant_actions` takes out those that were not needed. Household events are of this
    kind.
    """
    facts = dict.fromkeys(sorted(goal) + sorted(init))
    for operator in operators:
        facts.update(dict.fromkeys(operator.pre + operator.add + operator.delete))
    bit = {fact: 1 << number for number, fact in enumerate(facts)}

    def pack(these: Iterable[str]) -> int:
        return sum(bit[fact] for fact in dict.fromkeys(these))

    table = [(pack(o.pre), ~pack(o.delete), pack(o.add), o.name) for o in operators if o.delete]
    goal_mask = pack(goal)
    free = [(pack(o.pre), pack(o.add), o.name) for o in operators if not o.delete]

    def settle(state: int, names: list[str]) -> tuple[list[str], int]:
        before = -1
        while before != state:
            before = state
            for pre, add, name in free:
                if state & pre == pre and state | add != state:
                    state |= add
                    names.append(name)
        return names, state

    class Packed(importlib.import_module("pyperplan.task").Task):  # type: ignore[misc]
        left = -1 if alone else BREADTH_LIMIT // (1 + len(operators))

        def goal_reached(self, state: int) -> bool:
            return state & goal_mask == goal_mask

        def get_successor_states(self, state: int) -> list[tuple[list[str], int]]:
            if not self.left:
                raise SearchLimit
            self.left -= 1
            work.expand()
            return [
                settle(state & keep | add, [name]) for pre, keep, add, name in table if state & pre == pre
            ]

    first, start = settle(pack(init), [])
    task = Packed("", facts, start, goal_mask, operators)
    plan = importlib.import_module("pyperplan.search").breadth_first_search(task)
    return None if plan is None else [*first, *itertools.chain.from_iterable(plan)]


def _heuristic(name: str, heuristic: str, *more: Any, limit: int = 0) -> Search:
    def search(
        operators: list[Ground], init: frozenset[str], goal: frozenset[str], alone: bool, work: Work
    ) -> list[str] | None:
        tasks = importlib.import_module("pyperplan.task")

        class Counted(tasks.Task):  # type: ignore[misc, name-defined]
            left = limit or -1

            def get_successor_states(self, state: frozenset[str]) -> Any:
                if not self.left:
                    raise SearchLimit
                self.left -= 1
                work.expand()
                return super().get_successor_states(state)

        facts = set(goal | init)
        for o in operators:
            facts.update(o.pre + o.add + o.delete)
        task = Counted(
            "", facts, init, goal, [tasks.Operator(o.name, o.pre, o.add, o.delete) for o in operators]
        )
        estimate = getattr(importlib.import_module("pyperplan.heuristics.relaxation"), heuristic)(task)
        plan = getattr(importlib.import_module("pyperplan.search"), name)(task, estimate, *more)
        return None if plan is None else [operator.name for operator in plan]

    return search


SEARCHES: dict[str, Search] = {
    "bfs": _breadth_first,
    "helpful": _heuristic("greedy_best_first_search", "hFFHeuristic", True, limit=HELPFUL_LIMIT),
    "gbfs": _heuristic("greedy_best_first_search", "hFFHeuristic"),
    "astar": _heuristic("astar_search", "hMaxHeuristic"),
}
_WORDS = {
    "bfs": "breadth-first search, fewest actions",
    "helpful": "greedy best-first search with FF, helpful actions",
    "gbfs": "greedy best-first search with FF",
    "astar": "A* with hmax, fewest actions",
}
