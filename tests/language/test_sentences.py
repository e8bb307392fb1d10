"""Goals in words: every goal has some, different goals different ones, and sentences of facts read back."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from draws import draws
from hypothesis import given
from hypothesis import strategies as st

from groundplan.compiler.goals.goal import parse_goal
from groundplan.datasets.library import SETS, load_set
from groundplan.datasets.scenes import open_scene
from groundplan.domains.errors import GoalError
from groundplan.domains.formula import (
    And,
    Atom,
    Count,
    Exists,
    Forall,
    Formula,
    Imply,
    Not,
    Or,
    Sometime,
    TypedVar,
    Var,
    rebuild,
    substitute,
)
from groundplan.domains.pack import load_pack
from groundplan.language.sentences.reading import goal_of, read_sentences
from groundplan.language.sentences.saying import say
from groundplan.simulator.belief import Belief, ground
from tests import strategies

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SENTENCES = ("household", "household-locks", "grasif", "search", "domains/template", "examples/greenhouse")


def belief_of(scene: str) -> Belief:
    return ground(open_scene(scene), load_pack())


@pytest.fixture(scope="module")
def office() -> Belief:
    return belief_of("office")


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        ("(and (hot kebab1) (inside_of apple1 fridge))", "Heat kebab1. Put apple1 into fridge."),
        ("(forall (?x - apple) (inside_of ?x fridge))", "Every apple is inside fridge."),
        ("(at-least 2 (?x - cup) (clean ?x))", "At least 2 cups are clean."),
        ("(exactly 1 (?x - cup) (clean ?x))", "Exactly 1 cup is clean."),
        ("(exists (?x - item) (and (apple ?x) (ontop_of ?x d)))", "Some item is an apple and is on d."),
        ("(exactly 2 (?x - item) (and (apple ?x) (hot ?x)))", "Exactly 2 items are apples and are hot."),
        ("(exists (?x - item) (holding ?x))", "The robot holds some item."),
        ("(not (exists (?x - item) (inside_of ?x bin)))", "No item is inside bin."),
        ("(not (holding apple1))", "The robot does not hold apple1."),
        (
            "(forall (?x - item) (imply (rotten ?x) (inside_of ?x bin)))",
            "Every item that is rotten is inside bin.",
        ),
        ("(forall (?x - apple) (not (hot ?x)))", "For every apple A, A has not been heated."),
        ("(not (forall (?x - apple) (hot ?x)))", "Not every apple is hot."),
        (
            "(forall (?x - apple) (exists (?y - cabinet) (inside_of ?x ?y)))",
            "For every apple A, A is inside some cabinet.",
        ),
        (
            "(exists (?y - cabinet) (forall (?x - apple) (inside_of ?x ?y)))",
            "For some cabinet A, every apple is inside A.",
        ),
        ("(and (sometime (turned_on m)) (turned_off m))", "Test m. Turn off m."),
        ("(sometime (turned_off m))", "At some time m is off."),
        ("(sometime (and (turned_on m) (open m)))", "At some time (m is on and m is open)."),
        ("(or (sometime (turned_on m)) (hot m))", "Either (at some time m is on) or m is hot."),
        ("(exists (?m - tv) (sometime (turned_on ?m)))", "For some tv A, at some time A is on."),
        (
            "(or (hot cup1) (and (cold cup2) (open box1)))",
            "Either cup1 is hot or (cup2 is cold and box1 is open).",
        ),
        ("(imply (open box1) (closed box2))", "If box1 is open, then box2 is closed."),
        ("(forall () (open box1))", "box1 is open."),
        ("(not (exists () (open box1)))", "It is not so that box1 is open."),
        ("(at-most 1 () (open box1))", "At most 1 of these hold: box1 is open."),
        ("(not (or (hot cup1) (cold cup1)))", "It is not so that (either cup1 is hot or cup1 is cold)."),
        ("(and)", "Nothing is asked for."),
        ('(and (hot "a b") (hot "and") (nearby x y))', 'Heat "a b". Heat "and". (nearby x y) holds.'),
        ("(under cup1 box1)", "cup1 is under box1."),
        ("(exists (?x - apple) (= ?x B))", "For some apple A, A is the same as B."),
        ("(exists (?x - apple) (= ?x C))", "For some apple A, A is the same as C."),
        ("(exists (?x - apple) (= ?x A))", 'For some apple B, B is the same as "A".'),
        (
            "(at-most 3 (?i - item ?b - box) (inside_of ?i ?b))",
            "For at most 3 choices of item A and box B, A is inside B.",
        ),
    ],
)
def test_goals_are_said_in_plain_english(office: Belief, goal: str, words: str) -> None:
    assert say(parse_goal(goal).formula, office) == words


def same(formula: Formula) -> Formula:
    """Return a formula without what changes no meaning: names of variables, brackets around one part."""

    def renamed(part: Formula, depth: int) -> Formula:
        match part:
            case Exists(variables, body) | Forall(variables, body) | Count(_, _, variables, body):
                new = tuple(TypedVar(f"v{depth + i}", v.type) for i, v in enumerate(variables))
                pairs = zip(variables, new, strict=True)
                inner = renamed(
                    substitute(body, {old.name: Var(v.name) for old, v in pairs}), depth + len(variables)
                )
                if isinstance(part, Count):
                    return Count(part.kind, part.number, new, inner)
                return type(part)(new, inner)
            case And((only,)) | Or((only,)):
                return renamed(only, depth)
        return rebuild(part, lambda below: renamed(below, depth))

    def flat(part: Formula) -> Iterator[Formula]:
        if isinstance(part, And):
            for below in part.parts:
                yield from flat(below)
        else:
            yield renamed(part, 0)

    return And(tuple(flat(formula)))


def assert_distinct(formulas: Iterable[Formula], belief: Belief) -> int:
    goals: dict[str, set[Formula]] = defaultdict(set)
    for formula in formulas:
        goals[say(formula, belief)].add(same(formula))
    several = {words: list(map(str, alike)) for words, alike in goals.items() if len(alike) > 1}
    assert not several, next(iter(several.items()))
    return len(goals)


def golds() -> dict[str, set[str]]:
    """Return the gold goals of every set of tasks and of every reading set, by scene."""
    goals: dict[str, set[str]] = defaultdict(set)
    for name in SETS:
        for task in load_set(name):
            if task.gold.goal:
                goals[task.scene].add(task.gold.goal)
    for file in sorted(HERE.glob("*.json")):
        for entry in json.loads(file.read_text(encoding="utf-8"))["instructions"]:
            gold = entry["gold"]
            if isinstance(gold, str) and gold.startswith("(") and not gold.startswith(("(find", "(missing")):
                goals[entry["scene"]].add(gold)
    return goals


def test_no_two_goals_of_the_test_sets_have_the_same_words() -> None:
    number = 0
    for scene, texts in golds().items():
        formulas = [parse_goal(text).formula for text in sorted(texts)]
        number += assert_distinct(formulas, belief_of(str(HERE / scene) if "/" in scene else scene))
    assert number > 300


def small_formulas() -> list[Formula]:
    """Return every formula of a few forms, two connectives deep, with and without variables."""
    x, y = Var("x"), Var("y")
    kinds = ("apple", "cabinet")

    def literals(*atoms: Atom) -> list[Formula]:
        return [*atoms, *map(Not, atoms)]

    def joined(parts: list[Formula]) -> list[Formula]:
        pairs = list(product(parts, repeat=2))
        made: list[Formula] = [And(p) for p in pairs] + [Or(p) for p in pairs] + [Imply(*p) for p in pairs]
        return made + [Not(m) for m in made]

    def quantified(variable: Var, bodies: list[Formula]) -> list[Formula]:
        made: list[Formula] = []
        for kind, body in product(kinds, bodies):
            ranges = (TypedVar(variable.name, kind),)
            made += [Exists(ranges, body), Forall(ranges, body), Count("exactly", 2, ranges, body)]
        return made + [Not(m) for m in made]

    of_names = literals(Atom("hot", ("cup1",)), Atom("inside_of", ("cup1", "box1")), Atom("holding", ("A",)))
    of_one = literals(Atom("hot", (x,)), Atom("inside_of", (x, "box1")), Atom("inside_of", ("A", x)))
    of_two = literals(Atom("inside_of", (x, y)), Atom("ripe", (y,)))
    flat = [*of_names, *joined(of_names)]
    single = quantified(x, [*of_one, *joined(of_one)])
    double = quantified(x, [*quantified(y, of_two), *joined(quantified(y, of_two[:1])[:4])])
    outer = joined([*of_names[:2], *joined(of_names[:3])[::7], *single[:6]])
    return [*flat, *single, *double, *outer, *(Sometime(a) for a in of_names)]


def test_no_two_small_formulas_have_the_same_words(office: Belief) -> None:
    formulas = small_formulas()
    assert len(formulas) > 3000
    assert_distinct(formulas, office)


@draws(60, deadline=None)
@given(st.data())
def test_every_goal_has_words_and_always_the_same(data: st.DataObject) -> None:
    belief = data.draw(strategies.beliefs())
    formula = data.draw(strategies.formulas(belief, sometime=True))
    words = say(formula, belief)
    assert words.isprintable() and words.endswith(".") and "?" not in words
    assert say(parse_goal(str(formula)).formula, belief) == words


@draws(100, deadline=None)
@given(st.data())
def test_sentences_read_back_to_the_same_facts(data: st.DataObject) -> None:
    belief = data.draw(strategies.beliefs())
    assert belief.pack.language is not None
    asked = [p for p in belief.pack.public_predicates() if p in belief.pack.language.sentences]
    name = st.sampled_from(list(belief.scene.nodes)) | st.text(min_size=1)
    atoms = data.draw(
        st.lists(
            st.sampled_from(asked).flatmap(
                lambda p: st.tuples(*[name] * belief.pack.public_predicates()[p]).map(lambda a: Atom(p, a))
            ),
            min_size=1,
            max_size=6,
        )
    )
    assert read_sentences(say(And(tuple(atoms)), belief), belief.pack) == tuple(atoms)


@pytest.mark.parametrize("name", SENTENCES)
def test_the_sentences_of_every_pack_read_back(name: str) -> None:
    pack = load_pack(str(ROOT / name) if "/" in name else name)
    office = belief_of("office")
    assert pack.language is not None
    for predicate, arity in pack.public_predicates().items():
        if predicate in pack.language.sentences:
            atom = Atom(predicate, ("thing1", "place 2")[:arity])
            words = say(atom, replace(office, pack=pack))
            assert read_sentences(words, pack) == (atom,)


def test_a_pack_without_sentences_says_its_words(office: Belief) -> None:
    bare = replace(office, pack=replace(office.pack, language=None))
    assert say(parse_goal("(and (hot cup1) (robot_at kitchen))").formula, bare) == (
        "cup1 is hot. The robot is at kitchen."
    )
    with pytest.raises(GoalError, match="no \\[sentences\\]"):
        read_sentences("Heat cup1.", bare.pack)


def test_facts_with_the_same_words_are_told_apart(office: Belief) -> None:
    """An attribute ``on`` would be said as the pack says turned_on."""
    assert say(parse_goal("(not (turned_on lamp1))").formula, office) == "lamp1 is not on."
    assert say(parse_goal("(not (on lamp1))").formula, office) == "(on lamp1) does not hold."


def test_what_is_free_in_a_sentence() -> None:
    pack = load_pack()
    text = ' put the  apple1 INTO the fridge .Heat "a b".\nTurn off lamp1'
    assert list(map(str, read_sentences(text, pack))) == [
        "(inside_of apple1 fridge)",
        '(hot "a b")',
        "(turned_off lamp1)",
    ]


@pytest.mark.parametrize(
    ("text", "goal"),
    [
        ("Put a1 into b1. Put a1 on c1.", "(ontop_of a1 c1)"),
        ("Open b1. Heat a1. Close b1.", "(and (hot a1) (closed b1))"),
        ("Go to k1. Go to h1.", "(robot_at h1)"),
        ("Bring a1 to k1. Bring a1 to h1. Put a1 on t1.", "(and (in_room a1 h1) (ontop_of a1 t1))"),
        ("Heat a1. Heat a1.", "(hot a1)"),
        ("Empty the hand. Hold a1.", "(and (hand_free) (holding a1))"),
    ],
)
def test_the_last_place_of_a_thing_counts(text: str, goal: str) -> None:
    pack = load_pack()
    assert str(goal_of(read_sentences(text, pack), pack)) == goal


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "at least one sentence"),
        ("  ", "at least one sentence"),
        ("Haet apple1.", "did you mean 'Heat'"),
        ("Eat apple1.", "got Eat apple1."),
        ("Heat apple1. And then eat it.", "got And then eat it."),
        ("Heat apple1 and apple2.", "got Heat apple1 and apple2."),
        ("(hot apple1)", "one of the pack's sentences"),
        ('Heat "a\\q".', "JSON escapes"),
    ],
)
def test_other_texts_are_no_sentences(text: str, said: str) -> None:
    with pytest.raises(GoalError, match="sentence") as caught:
        read_sentences(text, load_pack())
    assert said in str(caught.value)


def test_no_sentence_is_never_the_goal_of_nothing() -> None:
    with pytest.raises(GoalError, match="at least one"):
        goal_of((), load_pack())


def test_a_deep_goal_has_words(office: Belief) -> None:
    deep = "(not (or (hot apple1) " * 90 + "(hot apple2)" + "))" * 90
    words = say(parse_goal(deep).formula, office)
    assert words.startswith("It is not so that (either apple1 is hot or (it is not so")
    assert "(hot apple2)" in words
