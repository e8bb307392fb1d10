"""Goals up to the names of their variables: the form in which decoding grammars spell them."""

from __future__ import annotations

from collections.abc import Mapping

from ...domains.formula import Atom, Count, Equal, Exists, Forall, Formula, Not, Term, TypedVar, Var, rebuild
from .vocabulary import Lexicon


def canonical(formula: Formula, words: Lexicon) -> Formula:
    """The same goal with one variable a quantifier, named after its sort and how many of it are in scope.

    Types with several names get the pack's, double negation goes, and ``=`` has a variable on its left.
    A type or class that the lexicon lacks makes a variable ``?any1``; a free variable keeps its name.
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
