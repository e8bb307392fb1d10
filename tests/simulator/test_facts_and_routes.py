"""Facts against a plain set, the matcher against trying everything, routes against Floyd and Warshall."""

from __future__ import annotations

import itertools

from draws import draws
from hypothesis import given
from hypothesis import strategies as st

from groundplan.domains.formula import Atom, Var
from groundplan.simulator.facts import Facts, match
from groundplan.simulator.routes import Routes
from groundplan.simulator.scene import Link, Node, Scene

NAMES = "abc"
FACTS = st.one_of(
    st.just(("free", ())),
    st.tuples(st.just("p"), st.tuples(st.sampled_from(NAMES))),
    st.tuples(st.just("q"), st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES))),
)
CHANGES = st.lists(st.tuples(st.sampled_from(("add", "discard", "layer", "copy", "ask")), FACTS), max_size=30)


def everything() -> list[tuple[str, tuple[str, ...]]]:
    pairs = itertools.product(NAMES, repeat=2)
    return [("free", ()), *(("p", (n,)) for n in NAMES), *(("q", pair) for pair in pairs)]


@draws(300)
@given(CHANGES)
def test_layered_facts_are_a_set(changes: list[tuple[str, tuple[str, tuple[str, ...]]]]) -> None:
    facts, plain = Facts(), set[tuple[str, tuple[str, ...]]]()
    below: list[tuple[Facts, frozenset[tuple[str, tuple[str, ...]]]]] = []
    for change, fact in changes:
        if change == "add":
            assert facts.add(*fact) == (fact not in plain)
            plain.add(fact)
        elif change == "discard":
            assert facts.discard(*fact) == (fact in plain)
            plain.discard(fact)
        elif change == "layer":
            below.append((facts, frozenset(plain)))
            facts = Facts(facts)
        elif change == "ask":  # builds the indexes, which must be kept up from then on
            predicate, args = fact
            assert (
                all(fact[1] in facts.with_argument(predicate, i, n) for i, n in enumerate(args))
                or fact not in plain
            )
        else:
            below.append((facts, frozenset(plain)))
            facts = facts.copy()
    for layer, expected in [*below, (facts, frozenset(plain))]:
        held = [(a.predicate, a.args) for a in layer]
        assert len(held) == len(set(held))
        assert set(held) == expected
        for predicate, args in everything():
            assert layer.holds(predicate, args) == ((predicate, args) in expected)
            for place, name in enumerate(args):
                found = layer.with_argument(predicate, place, name)
                assert sorted(found) == sorted(a for p, a in expected if p == predicate and a[place] == name)


TERMS = st.one_of(st.sampled_from(NAMES), st.sampled_from("xyz").map(Var))
PATTERNS = st.lists(
    st.one_of(
        st.just(Atom("free")),
        TERMS.map(lambda t: Atom("p", (t,))),
        st.tuples(TERMS, TERMS).map(lambda t: Atom("q", t)),
    ),
    max_size=4,
)


@draws(300)
@given(
    st.lists(FACTS, max_size=10), PATTERNS, st.dictionaries(st.sampled_from("xyz"), st.sampled_from(NAMES))
)
def test_the_matcher_finds_what_trying_everything_finds(
    held: list[tuple[str, tuple[str, ...]]], pattern: list[Atom], start: dict[str, str]
) -> None:
    facts = Facts()
    for fact in held:
        facts.add(*fact)
    free = sorted({a.name for x in pattern for a in x.args if isinstance(a, Var)} - set(start))
    wanted = []
    for values in itertools.product(NAMES, repeat=len(free)):
        binding = {**start, **dict(zip(free, values, strict=True))}
        ground = [
            (x.predicate, tuple(binding[a.name] if isinstance(a, Var) else a for a in x.args))
            for x in pattern
        ]
        if all(g in held for g in ground):
            wanted.append(binding)
    found = list(match(pattern, facts, start))
    assert sorted(map(sorted, (b.items() for b in found))) == sorted(map(sorted, (b.items() for b in wanted)))


@st.composite
def topologies(draw: st.DrawFn) -> Scene:
    count = draw(st.integers(1, 7))
    nodes = [Node(f"pose{i}", "pose", classes=("pose",)) for i in range(count)]
    nodes.append(Node("room", "room", classes=("room",)))
    nodes.append(Node("table", "asset", "room", "in", ("table",)))
    nodes.append(Node("agent", "agent", at="pose0", classes=("agent",)))
    ends = [n.id for n in nodes[: count + 1]]
    links = draw(
        st.lists(
            st.builds(Link, st.sampled_from(ends), st.sampled_from(ends), st.integers(0, 4).map(float)),
            max_size=14,
        )
    )
    return Scene("t", {n.id: n for n in nodes}, tuple(x for x in links if x.a != x.b))


@draws(200)
@given(topologies(), st.randoms())
def test_routes_are_shortest_and_do_not_depend_on_the_order_of_links(scene: Scene, random: object) -> None:
    ends = [i for i, n in scene.nodes.items() if n.type in ("pose", "room")]
    far = float("inf")
    best = {(a, b): 0 if a == b else far for a in ends for b in ends}
    for link in scene.links:
        for a, b in ((link.a, link.b), (link.b, link.a)):
            best[a, b] = min(best[a, b], round(link.length * 1000))
    for k, a, b in itertools.product(ends, repeat=3):
        best[a, b] = min(best[a, b], best[a, k] + best[k, b])
    routes = Routes(scene)
    other = Routes(Scene("t", dict(reversed(scene.nodes.items())), tuple(reversed(scene.links))))
    for a, b in itertools.product(ends, repeat=2):
        assert routes.connected(a, b) == (best[a, b] < far)
        if best[a, b] == far:
            continue
        assert routes.distance(a, b) == best[a, b] == routes.distance(b, a)
        route = routes.route(a, b)
        assert route == other.route(a, b)
        here, length = a, 0
        for hop in route.hops:
            length += scene.neighbours[here][hop]
            here = hop
        assert (here, length) == (b, route.length)
        assert route.length == best[a, b]
    assert routes.distance("table", "room") == 0
    assert routes.route("table", "room").hops == ()
