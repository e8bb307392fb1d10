"""Decoding grammars: each compiles in its own engine, gives only goals that fit, and all of its fragment.

The engines are the oracles: llguidance for Lark, llama.cpp's own grammar code for GBNF.
"""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from functools import cache
from itertools import groupby
from random import Random
from typing import Any

import llama_grammar
import pytest
from canonical import canonical, goal_to_json
from draws import draws
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from strategies import beliefs, household

from groundplan.compiler.decoding import grammar
from groundplan.compiler.decoding.grammar import decoding_grammar
from groundplan.compiler.decoding.json_form import goal_from_json
from groundplan.compiler.decoding.rules import levels
from groundplan.compiler.decoding.templates import (
    CONSTRUCTS,
    JOINED,
    MANY,
    MAX_LEVELS,
    MAX_NUMBER,
    MISSING,
    PROHIBITION,
    QUANTIFIERS,
    RUNS,
)
from groundplan.compiler.decoding.vocabulary import BoundVariable, Vocabulary, vocabulary
from groundplan.compiler.goals.checker import check
from groundplan.compiler.goals.goal import (
    Goal,
    GoalSyntaxError,
    Missing,
    grammar_text,
    parse_answer,
    parse_goal,
)
from groundplan.datasets.library import load_set
from groundplan.datasets.scenes import load_scene
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
)
from groundplan.domains.pack import load_pack
from groundplan.simulator.belief import Belief, ground

llguidance = pytest.importorskip("llguidance")
LLAMA = llama_grammar.library()
needs_llama = pytest.mark.skipif(LLAMA is None, reason="needs xllamacpp")

# What a grammar rules out. Contradictions and the like are for the check.
NEVER = {
    *("syntax", "unknown-node", "unknown-class", "unknown-predicate", "arity", "type", "affordance"),
    *("unbound-variable", "sometime-literal", "unsupported", "count"),
}
SEEDS = st.integers(0, 2**32)
SLOW = draws(15, by_day=5, suppress_health_check=list(HealthCheck))


@cache
def office() -> Belief:
    return ground(load_scene("office"), household())


@cache
def office_forms() -> tuple[Engine, Engine | None]:
    return forms(office())


class Engine:
    """One compiled grammar."""

    def __init__(self, text: str, lark: bool) -> None:
        if lark:
            self.grammar = llguidance.LLMatcher.grammar_from_lark(text)
            failed, messages = llguidance.LLMatcher.validate_grammar_with_warnings(self.grammar)
            assert not failed, messages
            self.matcher = llguidance.LLMatcher(llguidance.LLTokenizer("byte"), self.grammar)
        else:
            self.llama = llama_grammar.LlamaGrammar(LLAMA, text)

    def accepts(self, text: str) -> bool:
        if not hasattr(self, "matcher"):
            # Character by character: a name of 10,000 takes seconds.
            return len(text) > 3000 or self.llama.accepts(text)
        raw = list(text.encode())
        self.matcher.reset()
        taken = self.matcher.try_consume_tokens(raw)
        assert not self.matcher.is_error() or taken < len(raw), self.matcher.get_error()
        return taken == len(raw) and self.matcher.is_accepting()


def forms(belief: Belief, ids: frozenset[str] | None = None) -> tuple[Engine, Engine | None]:
    """Both forms, compiled by their engines."""
    lark = Engine(decoding_grammar(belief, ids, "lark"), True)
    gbnf = Engine(decoding_grammar(belief, ids, "gbnf"), False) if LLAMA else None
    return lark, gbnf


def faults(text: str, belief: Belief) -> set[str]:
    """The codes of what a grammar should have ruled out."""
    answer = parse_answer(text)
    if isinstance(answer, Missing):
        return set()
    return {d.code for d in check(answer, belief).diagnostics if d.severity == "error"} & NEVER


# Compiling


def test_the_office_compiles_in_every_engine() -> None:
    lark, gbnf = office_forms()
    for text, good in {
        "(closed cabinet5)": True,
        '(missing "a red äpple")': True,
        "(and (sometime (turned_on coffee_machine)) (turned_off coffee_machine))": True,
        "(exists (?asset1 - storage) (and (inside_of phone ?asset1) (closed ?asset1)))": True,
        "(exactly 3 (?item1 - bottle_water) (ontop_of ?item1 table5))": True,
        "(forall (?item1 - item) (imply (rotten ?item1) (in_room ?item1 kitchen)))": True,
        "(exists (?asset1 - bin) (forall (?item1 - apple) (inside_of ?item1 ?asset1)))": True,
        "(forall (?item1 - apple) (exists (?item2 - apple) (not (= ?item1 ?item2))))": True,
        "(closed chair1)": False,  # does not close
        "(inside_of apple1 desk1)": False,  # holds nothing inside
        "(holding fridge)": False,  # cannot be picked up
        "(in_room apple1 fridge)": False,  # no room
        "(robot_at pose1)": False,  # places to pass
        "(under apple1 desk1)": False,  # nothing brings that about
        "(filled apple1)": False,  # no vessel
        "(exists (?asset1 - desk) (closed ?asset1))": False,  # no desk closes
        "(closed ?asset1)": False,  # not declared
        "(exists (?asset1 - bin) (holding ?item1))": False,
        "(exactly 21 (?item1 - item) (hot ?item1))": False,
        "(exactly 7 (?item1 - bottle_water) (hot ?item1))": False,  # there are fewer
        "(sometime (and (open fridge) (closed fridge)))": False,
        "(or (sometime (open fridge)) (closed fridge))": False,
        "(not (not (open fridge)))": False,
        "(and)": False,
        "(open fridgee)": False,
        '(and (missing "x"))': False,
        '(missing "")': False,
        "(open fridge) ": False,
    }.items():
        assert lark.accepts(text) is good, text
        assert gbnf is None or gbnf.accepts(text) is good, text


@pytest.mark.parametrize(
    ("text", "good"),
    [
        ("(never (robot_at kitchen))", True),
        ("(and (open fridge) (always (closed cabinet1)))", True),
        ("(sometime-before (open fridge) (closed cabinet1))", True),
        (
            "(and (sometime-after (open fridge) (and (closed fridge) (closed cabinet1))) (open cabinet5))",
            True,
        ),
        ("(at-most-once (open fridge))", True),
        ("(always (exists (?item1 - apple) (holding ?item1)))", True),
        ("(closed cabinet5)", True),
        ("(not (never (open fridge)))", False),
        ("(or (always (open fridge)) (closed fridge))", False),
        ("(always (sometime (open fridge)))", False),
        ("(always (never (open fridge)))", False),
        ("(sometime-before (open fridge))", False),
        ("(never (do open fridge))", True),
        ("(and (closed cabinet5) (never (do pickup ?item1) :when (in_room ?item1 kitchen)))", True),
        ("(never (do pickup apple1) :when (and (robot_at kitchen) (not (hot apple1))))", True),
        ("(never (do pickup ?item1) :when (exists (?item2 - apple) (ontop_of ?item2 fridge)))", True),
        ("(never (do goto kitchen ?room1))", True),
        ("(never (do goto ?room1 ?room2) :when (not (hand_free)))", True),
        ("(never (do open apple1))", False),
        ("(never (do access fridge))", False),
        ("(never (do pickup apple1 fridge))", False),
        ("(never (do pickup ?item1) :when (in_room ?item2 kitchen))", False),
        ("(never (do pickup ?item1) :when (sometime (hot ?item1)))", False),
        ("(or (never (do open fridge)) (closed fridge))", False),
        ("(always (closed chair1))", False),
    ],
)
def test_what_is_asked_of_the_run_is_admitted_where_that_is_wanted(text: str, good: bool) -> None:
    lark, gbnf = forms_of_run()
    assert lark.accepts(text) is good and (gbnf is None or gbnf.accepts(text) is good)
    if good:
        assert check(parse_goal(text), office()).ok or "already" in str(check(parse_goal(text), office()))
    assert not (office_forms()[0].accepts(text) and "closed cabinet5" not in text)


@cache
def forms_of_run() -> tuple[Engine, Engine | None]:
    texts = [decoding_grammar(office(), None, form, of_run=True) for form in ("lark", "gbnf")]
    return Engine(texts[0], True), Engine(texts[1], False) if LLAMA else None


@needs_llama
def test_llama_cpp_refuses_what_is_no_grammar() -> None:
    text = decoding_grammar(office(), None, "gbnf")
    assert Engine(text, False).accepts("(open fridge)")
    with pytest.raises(ValueError, match="refuses"):
        Engine(text.replace("part-0-2 ::=", "parts ::="), False)


def test_nested_too_deep_is_not_admitted() -> None:
    lark, gbnf = office_forms()
    formula: Formula = Atom("open", ("fridge",))
    for level in range(MAX_LEVELS + 1):
        assert lark.accepts(str(formula)) and (gbnf is None or gbnf.accepts(str(formula))), level
        formula = Or((formula,))
    assert not lark.accepts(str(formula))
    deep = "(open ?asset1)"
    for number in (3, 2, 1):
        deep = f"(exists (?asset{number} - fridge) {deep})"
    assert lark.accepts(deep)
    assert not lark.accepts(f"(exists (?asset1 - fridge) {deep.replace('?asset1', '?asset4')})")


@pytest.mark.parametrize("ids", [(), ("kitchen",), ("agent", "pose1"), ("no such node",)])
def test_the_smallest_subgraphs_still_give_an_answer(ids: tuple[str, ...]) -> None:
    lark, gbnf = forms(office(), frozenset(ids))
    text = '(missing "an apple")'
    assert lark.accepts(text) and (gbnf is None or gbnf.accepts(text))
    assert lark.accepts("(robot_at kitchen)") is ("kitchen" in ids)
    assert not lark.accepts("(open fridge)")


def test_where_a_goal_can_be_written_nothing_need_be_missing() -> None:
    office = ground(load_scene("office"), load_pack())
    for form in ("lark", "gbnf"):
        assert "missing" not in decoding_grammar(office, ["kitchen", "fridge"], form, may_miss=False)
        assert "missing" in decoding_grammar(office, ["fridge"], form)


def test_only_the_subgraph_is_named() -> None:
    lark, _ = forms(office(), frozenset({"kitchen", "fridge", "cabinet4", "apple1"}))
    assert lark.accepts("(inside_of apple1 fridge)")
    assert not lark.accepts("(inside_of apple2 fridge)")
    assert not lark.accepts("(exists (?asset1 - desk) (ontop_of apple1 ?asset1))")


# What is generated fits


TOKENS = re.compile(r'("(?:[^"\\]|\\.)*")|/.*\{0,([0-9]+)\}/|(\w+)(?: \(" " \3\)~0\.\.([0-9]+))?|(\|)')
LETTERS = [chr(c) for c in (*range(33, 127), 0xE4, 0x42F, 0x1F600) if chr(c) not in '"\\']


def generated(random: Random, grammar: str) -> str:
    """A text of a Lark grammar, drawn from its rules; what its engine would give is another test's."""
    rules = {}
    for line in grammar.strip().split("\n"):
        name, _, body = line.partition(": ")
        rules[name] = [list(row) for bar, row in groupby(TOKENS.findall(body), lambda t: t[4]) if not bar]
    out: list[str] = []
    stack: list[tuple[str, ...]] = [("", "", "start", "", "")]
    while stack:
        exact, most, rule, more, _ = stack.pop()
        if exact:
            out.append(re.sub(r"\\(.)", r"\1", exact[1:-1]))
        elif most:
            out.append("".join(random.choices(LETTERS, k=random.randint(1, 1 + int(most)))))
        else:
            stack += reversed(random.choice(rules[rule]))
        for _ in range(min(int(more or 0), random.choice((0, 0, 1, 2)))):
            stack += [('" "', "", "", "", ""), ("", "", rule, "", "")]
    return "".join(out)


@SLOW
@given(st.data())
def test_what_a_grammar_gives_parses_and_fits(data: st.DataObject) -> None:
    belief = data.draw(beliefs(hostile=None))
    ids = data.draw(st.none() | st.frozensets(st.sampled_from(list(belief.scene.nodes))))
    of_run = data.draw(st.booleans())
    grammar = decoding_grammar(belief, ids, "lark", of_run=of_run)
    lark = Engine(grammar, True)
    gbnf = Engine(decoding_grammar(belief, ids, "gbnf", of_run=of_run), False) if LLAMA else None
    random = Random(data.draw(SEEDS))
    for _ in range(25):
        text = generated(random, grammar)
        assert lark.accepts(text)
        assert gbnf is None or gbnf.accepts(text)
        assert faults(text, belief) == set()
        answer = parse_answer(text)
        if isinstance(answer, Goal) and of_run:  # `never` of a fact is printed as `always` of its negation
            assert parse_goal(str(answer)).formula == answer.formula
        elif isinstance(answer, Goal):
            assert canonical(answer.formula, vocabulary(belief, ids)) == answer.formula
            assert str(answer) == text


@pytest.mark.parametrize("seed", range(12))
def test_random_walks_through_llguidance_fit_the_office(seed: int) -> None:
    lark, gbnf = forms_of_run() if seed % 2 else office_forms()
    random, matcher, out = Random(seed), lark.matcher, bytearray()
    matcher.reset()
    while not matcher.is_stopped() and len(out) < 20_000:
        mask = matcher.compute_bitmask()
        allowed = [b for b in range(256) if mask[b // 8] >> b % 8 & 1]
        if not allowed:
            break
        # Closing as soon as that is possible keeps the walk short.
        close = ord(")")
        byte = close if close in allowed and random.random() < 0.7 else random.choice(allowed)
        assert matcher.consume_token(byte)
        out.append(byte)
    text = out.decode()
    assert matcher.is_accepting()
    assert faults(text, office()) == set()
    assert gbnf is None or gbnf.accepts(text)


# All of the fragment is given


class Fragment:
    """Random goals of the fragment, with names of variables of their own and quantifiers over two at once."""

    def __init__(self, words: Vocabulary, random: Random) -> None:
        self.words, self.random = words, random
        self.left = 0

    def goal(self) -> Formula:
        self.left = 20  # formulas until only literals follow
        if self.random.random() < 0.8:
            return self.formula({}, MAX_LEVELS)
        literal = Sometime(self.literal({}))
        parts = [self.formula({}, MAX_LEVELS - 1) for _ in range(self.random.randint(0, 2))]
        return self.random.choice((literal, And((literal, *parts))))

    def literal(self, scope: dict[str, BoundVariable]) -> Formula:
        options: list[Formula] = []
        for predicate, arity in self.words.predicates.items():
            args: list[Term] = []
            for argument in ((predicate, i) for i in range(arity)):
                groups = [g for g in self.words.nodes if argument in g.arguments]
                fitting: list[Term] = [n for g in groups for n in g.names]
                bound: list[Term] = [Var(n) for n, b in scope.items() if argument in b.arguments]
                args.append(self.random.choice(self.random.choice([p for p in (fitting, bound) if p])))
            options.append(Atom(predicate, tuple(args)))
        for name, bound_to in scope.items():
            types = self.words.sorts[bound_to.sort]
            held = [n for g in self.words.properties if g.types & types for n in g.names]
            options += [Atom(self.random.choice(held), (Var(name),))] * 4 if held else []
            node = self.random.choice([n for g in self.words.nodes if g.type in types for n in g.names])
            options += [Equal(Var(name), node), Equal(node, Var(name))]
            options += [
                Equal(Var(name), Var(n))
                for n, b in scope.items()
                if n != name and types & self.words.sorts[b.sort]
            ]
        atom = self.random.choice(options)
        return self.random.choice((atom, Not(atom)))

    def formula(self, scope: dict[str, BoundVariable], level: int) -> Formula:
        ranges = self.words.choices(tuple(scope.values()))
        self.left -= 1
        shapes = ["literal"] * 4 + ["and", "or", "imply"] * bool(level) + ["quantified"] * 2 * bool(ranges)
        shape = self.random.choice(shapes) if self.left > 0 else "literal"
        result: Formula
        if shape == "literal":
            return self.literal(scope)
        if shape == "quantified":
            result = self.quantified(scope)
        elif shape == "imply":
            result = Imply(self.formula(scope, level - 1), self.formula(scope, level - 1))
        else:
            parts = tuple(self.formula(scope, level - 1) for _ in range(self.random.randint(1, 3)))
            result = And(parts) if shape == "and" else Or(parts)
        return self.random.choice((result, result, Not(result), Not(Not(Not(result)))))

    def quantified(self, scope: dict[str, BoundVariable]) -> Formula:
        kind = self.random.choice(("exists", "forall", "exactly", "at-least", "at-most"))
        plain = kind in ("exists", "forall")
        declared, number = [], 0
        for _ in range(2 if plain and self.random.random() < 0.3 else 1):
            before = tuple(scope.values())
            if not self.words.choices(before):
                break
            chosen = self.random.choice(self.words.choices(before))
            word, size = self.random.choice(chosen.words)
            name = self.random.choice([n for n in ("x", "y", "z", "item1", "asset3") if n not in scope])
            other = [s for s, same in self.words.synonyms.items() if same == word]
            declared.append(TypedVar(name, self.random.choice((word, *other))))
            number = self.random.randint(0, min(size, MAX_NUMBER))
            after = {(b.sort, b.index): b for b in self.words.bind(before, chosen)}
            index = 1 + sum(b.sort == chosen.sort for b in before)
            scope = {n: after[b.sort, b.index] for n, b in scope.items()}
            scope[name] = after[chosen.sort, index]
        body = self.formula(scope, levels(tuple(scope.values())))
        if plain:
            return (Exists if kind == "exists" else Forall)(tuple(declared), body)
        return Count(kind, number, tuple(declared), body)  # type: ignore[arg-type]


def admitted(formula: Formula, words: Vocabulary, engines: tuple[Engine, Engine | None]) -> None:
    lark, gbnf = engines
    spelled = canonical(formula, words)
    assert canonical(spelled, words) == spelled
    assert lark.accepts(str(spelled)), str(spelled)
    assert gbnf is None or gbnf.accepts(str(spelled)), str(spelled)
    value = goal_to_json(spelled, household())
    assert parse_goal(goal_from_json(value)).formula == spelled


@SLOW
@given(st.data())
def test_every_goal_of_the_fragment_is_given(data: st.DataObject) -> None:
    belief = data.draw(beliefs(hostile=None))
    words, engines = vocabulary(belief), forms(belief)
    fragment = Fragment(words, Random(data.draw(SEEDS)))
    for _ in range(15):
        admitted(fragment.goal(), words, engines)


@pytest.mark.parametrize("seed", range(6))
def test_every_goal_of_the_fragment_is_given_for_the_office(seed: int) -> None:
    fragment = Fragment(vocabulary(office()), Random(seed))
    for _ in range(40):
        admitted(fragment.goal(), fragment.words, office_forms())


@pytest.mark.parametrize("task", load_set("office-planning"), ids=lambda t: t.id)
def test_every_gold_goal_is_in_the_fragment(task: Any) -> None:
    scene = task.load()
    belief = office() if scene.hash == office().scene.hash else ground(scene, household())
    engines = office_forms() if belief is office() else forms(belief)
    admitted(parse_goal(task.gold.goal).formula, vocabulary(belief), engines)


@pytest.mark.parametrize("pack", ["household", "household-locks"])
def test_every_step_that_a_goal_may_forbid_is_given(pack: str) -> None:
    """Each with every node that it fits, and with a variable of which the condition says something."""
    belief = ground(load_scene("office"), load_pack(pack))
    words = vocabulary(belief, None, True)
    lark = Engine(decoding_grammar(belief, None, "lark", of_run=True), True)
    assert {"do pickup", "do release", "do open", "do goto"} <= set(words.steps)
    random = Random(pack)
    for step, arity in words.steps.items():
        fitting = [[g for g in words.nodes if (step, i) in g.arguments] for i in range(arity)]
        for _ in range(20):
            args: list[str] = []
            for group in (random.choice(some) for some in fitting):
                index = 1 + sum(arg.startswith(f"?{group.type}") for arg in args)
                args.append(random.choice((*random.sample(group.names, 1), f"?{group.type}{index}")))
            bound = next((arg for arg in args if arg.startswith("?room")), "kitchen")
            for condition in ("", " :when (hand_free)", f" :when (not (robot_at {bound}))"):
                text = f"(never ({step} {' '.join(args)}){condition})"
                assert lark.accepts(text), text
                assert faults(text, belief) == set() and str(parse_goal(text)) == text


def test_variables_are_canonical() -> None:
    words = vocabulary(office())
    text = "(forall (?a - object ?b - desk) (not (not (exists (?a - apple) (= apple1 ?a)))))"
    expected = (
        "(forall (?item1 - item) (forall (?asset1 - desk) (exists (?item2 - apple) (= ?item2 apple1))))"
    )
    assert str(canonical(parse_goal(text).formula, words)) == expected
    assert str(canonical(parse_goal("(exists (?x - nonsense) (p ?x ?free))").formula, words)) == (
        "(exists (?any1 - nonsense) (p ?any1 ?free))"
    )


# One source


def test_the_forms_are_those_of_the_goal_grammar() -> None:
    rules = dict(re.findall(r"^\??(\w+): (.+)$", grammar_text(), re.M))
    assert set(rules["formula"].split(" | ")) == {*CONSTRUCTS, "run", "atom"}
    parts = {"formula": "(open fridge)", MANY: "(open fridge) (hot x)", "NUMBER": "2", "term": "fridge"}
    parts |= {"variables": "(?x - apple)", "STRING": '"a red apple"'}
    for form in (*CONSTRUCTS.values(), *RUNS, *JOINED, *QUANTIFIERS, MISSING):
        for keyword in form.keywords:
            text = " ".join([f"({keyword}", *map(parts.__getitem__, form.parts)]) + ")"
            assert str(parse_answer(text))
            if form.parts != (MANY,):
                with pytest.raises(GoalSyntaxError):
                    parse_answer(text.replace(" ", " (open fridge) ", 1))
    never, do, when = PROHIBITION
    assert parse_goal(f"({never} ({do} open ?x) {when} (holding ?x))")


def test_the_example_runs() -> None:
    assert doctest.testmod(grammar) == (0, 5)


def test_grammars_are_the_same_in_every_process() -> None:
    code = (
        "import json, hashlib\n"
        "from groundplan.compiler.decoding.grammar import decoding_grammar\n"
        "from groundplan.datasets.scenes import load_scene\n"
        "from groundplan.domains.pack import load_pack\n"
        "from groundplan.simulator.belief import ground\n"
        "belief = ground(load_scene('office'), load_pack())\n"
        "ids = set(list(belief.scene.nodes)[10:150])\n"
        "made = [decoding_grammar(belief, ids, f) for f in ('lark', 'gbnf')]\n"
        "print(hashlib.sha256(json.dumps(made).encode()).hexdigest())\n"
    )
    hashes = {
        subprocess.run(
            [sys.executable, "-P", "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(hashes) == 1
