"""Goals as decoding grammars spell them: with canonical names of variables, as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from groundplan.compiler.decoding.json_form import ANSWER, HOLDS, OF, key_of
from groundplan.compiler.decoding.templates import CONSTRUCTS, MISSING
from groundplan.compiler.decoding.vocabulary import Vocabulary
from groundplan.compiler.goals.goal import Missing
from groundplan.domains.formula import (
    And,
    Atom,
    Count,
    Equal,
    Exists,
    Forall,
    Formula,
    Imply,
    Not,
    Or,
    Sometime,
    Term,
    TypedVar,
    Var,
    rebuild,
)
from groundplan.domains.pack import Pack


def term_text(name: str) -> str:
    """Return a name as a JSON value: in double quotes where it could be taken for something else."""
    return json.dumps(name) if name.startswith(("?", '"')) else name


def canonical(formula: Formula, words: Vocabulary) -> Formula:
    """Return the goal with one variable a quantifier, named after its sort and how many of it are in scope.

    Types with several names get the pack's, double negation goes, and ``=`` has a variable on its left.
    A type or class that the vocabulary lacks makes a variable ``?any1``; a free variable keeps its name.
    """
    sorts = {word: one.sort for one in words.ranges for word, _ in one.words}
    return _Renamer(sorts, words.synonyms).rename(formula, {}, {})


class _Renamer:
    def __init__(self, sorts: Mapping[str, str], synonyms: Mapping[str, str]) -> None:
        self.sorts, self.synonyms = sorts, synonyms

    def rename(self, formula: Formula, names: Mapping[str, str], used: Mapping[str, int]) -> Formula:
        def term(one: Term) -> Term:
            return Var(names.get(one.name, one.name)) if isinstance(one, Var) else one

        match formula:
            case Atom(predicate, args):
                return Atom(predicate, tuple(map(term, args)))
            case Equal(left, right):
                left, right = term(left), term(right)
                return Equal(left, right) if isinstance(left, Var) else Equal(right, left)
            case Not(Not(part)):
                return self.rename(part, names, used)
            case Exists(variables, body) | Forall(variables, body):
                declared, inner, used = self.declare(variables, names, used)
                result = self.rename(body, inner, used)
                for variable in reversed(declared):
                    one = (variable,)
                    result = Exists(one, result) if isinstance(formula, Exists) else Forall(one, result)
                return result
            case Count(kind, number, variables, body):
                declared, inner, used = self.declare(variables, names, used)
                return Count(kind, number, declared, self.rename(body, inner, used))
        return rebuild(formula, lambda part: self.rename(part, names, used))

    def declare(
        self, variables: tuple[TypedVar, ...], names: Mapping[str, str], used: Mapping[str, int]
    ) -> tuple[tuple[TypedVar, ...], dict[str, str], dict[str, int]]:
        declared, names, used = [], dict(names), dict(used)
        for variable in variables:
            kind = self.synonyms.get(variable.type, variable.type)
            sort = self.sorts.get(kind, "any")
            used[sort] = used.get(sort, 0) + 1
            names[variable.name] = f"{sort}{used[sort]}"
            declared.append(TypedVar(names[variable.name], kind))
        return tuple(declared), names, used


def goal_to_json(answer: Formula | Missing, pack: Pack) -> dict[str, object]:
    """Return an answer as JSON. Raises ``ValueError`` for formulas with several variables a quantifier."""
    if isinstance(answer, Missing):
        return {ANSWER: {MISSING.keywords[0]: answer.words}}
    return {ANSWER: _Writer(frozenset(pack.public_predicates())).write(answer)}


@dataclass(frozen=True, slots=True)
class _Writer:
    predicates: frozenset[str]

    def write(self, formula: Formula) -> dict[str, object]:
        match formula:
            case Atom(predicate, (Var() as variable,)) if predicate not in self.predicates:
                return {str(variable): term_text(predicate)}
            case Atom(predicate, ()):
                return {predicate: True}
            case Atom(predicate, args):
                return {predicate if i == 0 else key_of(i): _value(a) for i, a in enumerate(args)}
            case Equal(left, right):
                return {self.word("equal"): _value(left), key_of(1): _value(right)}
            case Not(part):
                return {self.word("negation"): self.write(part)}
            case And(parts):
                return {self.word("conjunction"): [self.write(p) for p in parts]}
            case Or(parts):
                return {self.word("disjunction"): [self.write(p) for p in parts]}
            case Imply(left, right):
                return {self.word("implication"): self.write(left), key_of(1): self.write(right)}
            case Exists((variable,), body):
                return {self.word("exists"): self.bound(variable, body)}
            case Forall((variable,), body):
                return {self.word("forall"): self.bound(variable, body)}
            case Count(kind, number, (variable,), body):
                return {kind: number, OF: self.bound(variable, body)}
            case Sometime(body):
                return {self.word("sometime"): self.write(body)}
        raise ValueError(f"not one variable a quantifier: {formula}")

    def word(self, rule: str) -> str:
        return CONSTRUCTS[rule].keywords[0]

    def bound(self, variable: TypedVar, body: Formula) -> dict[str, object]:
        return {f"?{variable.name}": term_text(variable.type), HOLDS: self.write(body)}


def _value(term: Term) -> str:
    return str(term) if isinstance(term, Var) else term_text(term)
