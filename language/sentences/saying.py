"""Goals said back in plain English, so that a person can check what is going to be planned for.

Every goal of the language has words, and goals that mean different things have different words: a conjunct is
a sentence; what is joined inside a sentence is bracketed wherever it could be read in two ways; a variable is
"some apple" where nothing can come between it and its only mention, and a letter elsewhere ("for every apple
A, A is inside some box"). Facts that an instruction would ask for are said in the pack's ``[sentences]`` and
``[sometime]``, all others in its ``[words]``. A new connective needs a case in :meth:`_Speaker.clause`.
Records hold the words of a goal, so another wording is another record; nothing may be read from them but by
``reading``.

A fact is said as the pack's ``[words]`` say it, a class as "is an apple", an attribute as "is ripe". Where
two facts would be said alike, both are given as formulas: two goals must never have the same words. A word
that the frames of sentences use belongs into :data:`FRAME`, so that a thing of that name is quoted.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import NamedTuple

from ...domains.formula import (
    ANYTHING,
    PASSING,
    TRUE,
    And,
    Atom,
    Cardinality,
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
    TrajectoryConstraint,
    TypedVar,
    Var,
    free_variables,
    is_ground_atom,
    names,
    quote,
    step_name,
    substitute,
    walk,
)
from ...domains.pack import filled
from ...simulator.belief import Belief

FRAME = frozenset(
    "a an the and or not no every some either if then it is so that at time least most exactly for of are has"
    " have does do same as nothing will anything goes holds hold once robot hand things class pairs".split()
)
"""Words of the sentences themselves: as names of things they are quoted."""

_PLAIN = re.compile(r"\w[\w-]*\Z")
_PLURAL_VERBS = {"is": "are", "has": "have", "does": "do"}
MAX_LEVELS = 20
"""Deepest nesting that is put into words; what is below is given as a formula."""

Letters = Mapping[str, str]
"""The letter of each variable in scope."""


def name_of(name: str) -> str:
    """Return a name as sentences spell it: as it is if it is one plain word, else in double quotes.

    >>> name_of("apple1"), name_of("a b"), name_of("and")
    ('apple1', '"a b"', '"and"')
    """
    if _PLAIN.match(name) and name.lower() not in FRAME:
        return name
    spelled = quote(name)
    return spelled if spelled.startswith('"') else json.dumps(name, ensure_ascii=not name.isprintable())


def noun(kind: str, number: int = 1) -> str:
    """Return the name of a class or type as a noun, in the plural for other numbers than 1.

    >>> noun("cup"), noun("cup", 2), noun("dish", 2), noun("odd name", 2)
    ('cup', 'cups', 'dishes', 'things of class "odd name"')
    """
    words = name_of(kind) if kind != ANYTHING else "thing"
    if words.startswith('"'):
        return f"thing{'' if number == 1 else 's'} of class {words}"
    if number == 1:
        return words
    if re.search(r"(s|x|z|ch|sh)\Z", words):
        return f"{words}es"
    return f"{words[:-1]}ies" if re.search(r"[^aeiou_\W\d]y\Z", words) else f"{words}s"


@dataclass(frozen=True, slots=True)
class FactPhrase:
    """A fact in words. ``verb`` is what follows its subject, ``subject`` the argument that this is.

    ``verb`` and ``subject`` are there only where the words begin with an argument; ``verbs`` is ``verb`` with
    a subject in the plural, where that can be said.
    """

    text: str
    subject: int | None = None
    verb: str = ""
    verbs: str = ""


@dataclass(frozen=True)
class PackPhrases:
    """The words for facts about a scene in the words of its pack."""

    belief: Belief

    def fact(self, predicate: str, args: Sequence[str], holds: bool = True) -> FactPhrase:
        """Return the words for a fact, or for its negation; ``args`` are its arguments as they are said."""
        text = self._text(predicate, len(args), holds)
        if text is None:
            formula = f"({' '.join([quote(predicate), *args])})"
            return FactPhrase(f"{formula} {'holds' if holds else 'does not hold'}")
        binding = {str(index): arg for index, arg in enumerate(args)}
        words = filled(text, binding)
        opening = re.match(r"\{(\d+)\} (\w+)", text)
        if opening is None:
            return FactPhrase(words)
        verb = filled(text[opening.end(1) + 2 :], binding)
        several = _PLURAL_VERBS.get(opening[2])
        rest = verb[len(opening[2]) :]
        if predicate in self._classes:
            rest = f"{' not' if not holds else ''} {noun(predicate, 2)}"
        return FactPhrase(words, int(opening[1]), verb, f"{several}{rest}" if several else "")

    def sentence(self, atom: Atom, passing: bool = False) -> str | None:
        """Return the pack's sentence that asks for a fact; ``None`` where it has none.

        With ``passing`` that which asks that the fact holds at some time.
        """
        language = self.belief.pack.language
        if language is None:
            return None
        text = (language.sometime if passing else language.sentences).get(atom.predicate)
        if text is None or len(atom.args) != self._public.get(atom.predicate):
            return None
        names = {str(index): name_of(str(arg)) for index, arg in enumerate(atom.args)}
        return filled(text, names)

    def _text(self, predicate: str, arity: int, holds: bool) -> str | None:
        """Return the words with holes for the arguments; ``None`` without words, or with those of another."""
        if predicate in self._public:
            pair = self.belief.pack.mapping.words.get(predicate)
            if pair is None or arity != self._public[predicate]:
                return None
            text = pair[0] if holds else pair[1]
            return text if self._alike[text] == 1 else None
        if arity != 1:
            return None
        word = name_of(predicate)
        if predicate in self._classes:
            word = f"{'an' if word[:1].lower() in tuple('aeiou') else 'a'} {noun(predicate)}"
        text = f"{{0}} is {'' if holds else 'not '}{word}"
        return None if self._alike[text] else text

    @cached_property
    def _public(self) -> dict[str, int]:
        return self.belief.pack.public_predicates()

    @cached_property
    def _classes(self) -> frozenset[str]:
        return frozenset(self.belief.scene.by_class) - self._public.keys()

    @cached_property
    def _alike(self) -> Counter[str]:
        """Number of facts and negations of the pack that have the same words, by the words."""
        words = self.belief.pack.mapping.words
        return Counter(text for predicate in self._public for text in words.get(predicate, ()))


def say(formula: Formula, belief: Belief) -> str:
    """Say a goal in English: a sentence for each conjunct, in their order.

    The words are those of the belief's pack; its scene tells classes ("is an apple") from attributes.

    >>> from groundplan import ground, load_pack, load_scene, parse_goal
    >>> from groundplan.language.sentences import say
    >>> office = ground(load_scene("office"), load_pack())
    >>> say(parse_goal("(and (hot kebab1) (forall (?x - apple) (inside_of ?x fridge)))").formula, office)
    'Heat kebab1. Every apple is inside fridge.'
    """
    speaker = _Speaker(PackPhrases(belief), frozenset(_spoken(formula)))
    parts = list(_flat(formula))
    return " ".join(map(speaker.sentence, parts)) if parts else "Nothing is asked for."


def _flat(formula: Formula) -> Iterator[Formula]:
    """Yield the conjuncts of a formula, those of conjunctions within it as well."""
    stack = [formula]
    while stack:
        part = stack.pop()
        if isinstance(part, And):
            stack.extend(reversed(part.parts))
        else:
            yield part


def _spoken(formula: Formula) -> Iterator[str]:
    """Yield every name that a formula's words may hold: no letter may be one of them."""
    yield from names(formula)
    for node in walk(formula):
        match node:
            case Equal(left, right):
                yield from (t for t in (left, right) if isinstance(t, str))
            case Atom(predicate, _):
                yield predicate
            case Exists(variables, _) | Forall(variables, _) | Count(_, _, variables, _):
                yield from (v.type for v in variables)


class _Clause(NamedTuple):
    """Words for a formula; ``whole`` where nothing beside them can be taken for a part of them."""

    text: str
    whole: bool = True

    def __str__(self) -> str:
        return self.text if self.whole else f"({self.text})"


class _Group(NamedTuple):
    """A number of things of a class: "every apple", "at least 2 cups"."""

    words: str
    several: bool

    def does(self, phrase: FactPhrase) -> str:
        """Return what follows such a subject; empty where that cannot be said."""
        return phrase.verbs if self.several else phrase.verb


class _Speaker:
    """Speaker of one goal; ``taken`` are names that are no letters of variables."""

    def __init__(self, phrases: PackPhrases, taken: frozenset[str]) -> None:
        self.phrases, self.taken = phrases, taken

    def sentence(self, part: Formula) -> str:
        """Return a conjunct as a sentence; names keep their case."""
        fact = part.body if isinstance(part, Sometime) else part
        if is_ground_atom(fact):
            sentence = self.phrases.sentence(fact, passing=fact is not part)
            if sentence is not None:
                return sentence
        text = self.clause(part, {}, 0).text
        first = text.partition(" ")[0].rstrip(",")
        return f"{text if first in self.taken else text[0].upper() + text[1:]}."

    def clause(self, formula: Formula, letters: Letters, level: int) -> _Clause:
        """Return a formula in words; ``letters`` are those of the variables around it."""
        if level > MAX_LEVELS:
            return _Clause(f"{substitute(formula, letters)} holds")
        match formula:
            case Atom() | Not(Atom()):
                return _Clause(self.literal(formula, letters).text)
            case Equal() | Not(Equal()):
                return _Clause(self.equal(formula, letters))
            case Not(Exists((one,), body)):
                group = _Group(f"no {noun(one.type)}", False)
                return self.grouped(group, one, body, letters) or self.denied(formula, letters, level)
            case Not(Forall((one,), body)):
                group = _Group(f"not every {noun(one.type)}", False)
                return self.grouped(group, one, body, letters, "subject") or self.denied(
                    formula, letters, level
                )
            case Not():
                return self.denied(formula, letters, level)
            case And((part,)) | Or((part,)):
                return self.clause(part, letters, level + 1)
            case And(parts):
                joined = " and ".join(self.parts(parts, letters, level))
                return _Clause(joined, False) if parts else _Clause("anything goes")
            case Or(parts):
                joined = " or ".join(self.parts(parts, letters, level))
                return _Clause(f"either {joined}", False) if parts else _Clause("nothing will do")
            case Cardinality(kind, number, parts):
                joined = ", ".join(self.parts(parts, letters, level))
                return _Clause(f"{kind.replace('-', ' ')} {number} of these hold: {joined}", False)
            case Imply(left, right):
                before, after = self.parts((left, right), letters, level)
                return _Clause(f"if {before}, then {after}", False)
            case Sometime(body):
                return _Clause(f"at some time {self.clause(body, letters, level + 1)}", False)
            case TrajectoryConstraint("never-do", (Atom() as step, condition)):
                return self.forbidden(step, condition, letters, level)
            case TrajectoryConstraint(kind, parts):
                return self.constraint(kind, parts, letters, level)
            case Exists((), body) | Forall((), body):
                return self.clause(body, letters, level + 1)
            case Count(kind, number, (), body):
                return self.clause(Cardinality(kind, number, (body,)), letters, level + 1)
            case Exists(variables, body):
                return self.quantified("some", None, variables, body, letters, level)
            case Forall(variables, body):
                return self.quantified("every", None, variables, body, letters, level)
            case Count(kind, number, variables, body):
                return self.quantified(kind.replace("-", " "), number, variables, body, letters, level)
        raise TypeError(f"a formula of the kind {type(formula).__name__} has no words")

    def constraint(self, kind: str, parts: Sequence[Formula], letters: Letters, level: int) -> _Clause:
        """Return what is asked of the whole run."""
        first = parts[0]
        if kind == "always" and isinstance(first, Not):
            return _Clause(f"at no time {self.clause(first.part, letters, level + 1)}", False)
        words = {
            "always": "at all times {}",
            "at-most-once": "at most once {}, however long",
            "sometime-after": "whenever {}, {} then or later",
            "sometime-before": "before {}, {} at some time",
        }
        return _Clause(words[kind].format(*self.parts(parts, letters, level)), False)

    def forbidden(self, step: Atom, condition: Formula, letters: Letters, level: int) -> _Clause:
        """Return that a step is never done; its own variables stand for anything."""
        own = [TypedVar(name, "") for name in sorted(free_variables(step)) if name not in letters]
        inner = self.named(own, letters)
        args = [self.term(a, inner) for a in step.args]
        name = step_name(step).replace("_", " ")
        words = " ".join((name, *args))
        text = f"the step {words} is never done"
        if name == PASSING:
            text = f"the way between {' and '.join(args)} is never gone"
        if condition != TRUE:
            text += f" while {self.clause(condition, inner, level + 1)}"
        if own:
            letter_list = " and ".join(inner[one.name] for one in own)
            text += f", whatever {letter_list} {'is' if len(own) == 1 else 'are'}"
        return _Clause(text, False)

    def parts(self, parts: Sequence[Formula], letters: Letters, level: int) -> list[str]:
        return [str(self.clause(part, letters, level + 1)) for part in parts]

    def denied(self, formula: Not, letters: Letters, level: int) -> _Clause:
        return _Clause(f"it is not so that {self.clause(formula.part, letters, level + 1)}", False)

    def term(self, term: Term, letters: Letters) -> str:
        """Return a name, or the letter of a variable; a variable that nothing declares is said as it is."""
        return letters.get(term.name, str(term)) if isinstance(term, Var) else name_of(term)

    def literal(self, formula: Formula, letters: Letters) -> FactPhrase:
        atom = formula.part if isinstance(formula, Not) else formula
        assert isinstance(atom, Atom)
        args = [self.term(a, letters) for a in atom.args]
        return self.phrases.fact(atom.predicate, args, atom is formula)

    def equal(self, formula: Formula, letters: Letters) -> str:
        same = formula.part if isinstance(formula, Not) else formula
        assert isinstance(same, Equal)
        left, right = self.term(same.left, letters), self.term(same.right, letters)
        return f"{left} is {'' if same is formula else 'not '}the same as {right}"

    # Quantifiers

    def quantified(
        self,
        word: str,
        number: int | None,
        variables: Sequence[TypedVar],
        body: Formula,
        letters: Letters,
        level: int,
    ) -> _Clause:
        """Return "every apple is clean", or with letters "for every apple A, ..."."""
        amount = word if number is None else f"{word} {number}"
        several = number not in (None, 1)
        if len(variables) == 1:
            group = _Group(f"{amount} {noun(variables[0].type, 2 if several else 1)}", several)
            # "Every apple is not clean" could deny that all are.
            if not (word == "every" and _denies(body)):
                short = self.grouped(group, variables[0], body, letters)
                if short is not None:
                    return short
        inner = self.named(variables, letters)
        each = [f"{noun(v.type)} {inner[v.name]}" for v in variables]
        if number is None:
            range_ = " and ".join(f"{word} {one}" for one in each)
        elif len(variables) == 1:
            range_ = f"{amount} {noun(variables[0].type, 2 if several else 1)} {inner[variables[0].name]}"
        else:
            range_ = f"{amount} choices of {' and '.join(each)}"
        return _Clause(f"for {range_}, {self.clause(body, inner, level + 1).text}", False)

    def named(self, variables: Sequence[TypedVar], letters: Letters) -> dict[str, str]:
        """Return the letters with one more for each variable: A, B, .. Z, A2, B2, .."""
        inner = dict(letters)
        free = (
            letter
            for turn in count(1)
            for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
            if (letter := c if turn == 1 else f"{c}{turn}") not in self.taken
            and letter not in letters.values()
        )
        for variable, letter in zip(variables, free, strict=False):
            inner[variable.name] = letter
        return inner

    def grouped(
        self, group: _Group, one: TypedVar, body: Formula, letters: Letters, only: str = ""
    ) -> _Clause | None:
        """Say a quantifier as a part of its body's only sentence; ``None`` where that could be misread.

        ``only`` is "subject" where the group may stand nowhere else.
        """
        if isinstance(body, Imply) and group.words.startswith(("every ", "not every ")):
            which = self.verbs(_Group("", False), one, body.left, letters)
            does = self.verbs(_Group("", False), one, body.right, letters)
            return _Clause(f"{group.words} that {which} {does}", False) if which and does else None
        does = self.verbs(group, one, body, letters)
        if does:
            return _Clause(f"{group.words} {does}", not isinstance(body, And))
        if isinstance(body, Atom) and body.args.count(Var(one.name)) == 1 and not only:
            phrase = self.literal(body, {**letters, one.name: group.words})
            return (
                _Clause(phrase.text) if phrase.subject is None or not _is_subject(phrase, body, one) else None
            )
        return None

    def verbs(self, group: _Group, one: TypedVar, body: Formula, letters: Letters) -> str:
        """Return what the body says of a variable that is the subject of all of it; empty where it is not."""
        verbs = []
        for part in body.parts if isinstance(body, And) else (body,):
            atom = part.part if isinstance(part, Not) else part
            if not isinstance(atom, Atom) or atom.args.count(Var(one.name)) != 1:
                return ""
            phrase = self.literal(part, letters)
            if phrase.subject is None or not _is_subject(phrase, atom, one) or not group.does(phrase):
                return ""
            verbs.append(group.does(phrase))
        return " and ".join(verbs)


def _is_subject(phrase: FactPhrase, atom: Atom, one: TypedVar) -> bool:
    return phrase.subject is not None and atom.args[phrase.subject] == Var(one.name)


def _denies(body: Formula) -> bool:
    """Return whether a body denies anything that could be taken for all of it."""
    main = body.right if isinstance(body, Imply) else body
    return any(isinstance(part, Not) for part in (main.parts if isinstance(main, And) else (main,)))
