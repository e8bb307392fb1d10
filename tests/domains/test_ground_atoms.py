"""An atom without variables: one class with all other atoms, told apart by one test."""

import pickle
from typing import get_type_hints

import pytest

from groundplan.domains import And, Atom, GroundAction, GroundAtom, Var
from groundplan.domains.action import bind, ground_all, ground_atom
from groundplan.domains.formula import as_ground, is_ground_atom, walk

X, Y = Var("x"), Var("y")
PUT = Atom("inside_of", (X, Y))
MUG_IN_SINK: GroundAtom = Atom("inside_of", ("mug1", "sink"))


def test_an_atom_is_ground_where_no_argument_is_a_variable() -> None:
    half = Atom("inside_of", ("mug1", Y))
    free: GroundAtom = Atom("hand_free")
    parts = (PUT, half, MUG_IN_SINK, free)
    assert [*filter(is_ground_atom, walk(And(parts)))] == [MUG_IN_SINK, free]
    assert as_ground(MUG_IN_SINK) is MUG_IN_SINK
    with pytest.raises(ValueError, match=r"not ground: \(inside_of mug1 \?y\)"):
        as_ground(half)


def test_grounding_replaces_all_variables_and_binding_those_that_it_can() -> None:
    assert ground_atom(PUT, {"x": "mug1", "y": "sink"}) == MUG_IN_SINK
    assert ground_all((PUT, PUT), {"x": "mug1", "y": "sink"}) == (MUG_IN_SINK, MUG_IN_SINK)
    assert bind(PUT, {"x": "mug1"}) == Atom("inside_of", ("mug1", Y))
    with pytest.raises(KeyError):
        ground_atom(PUT, {"x": "mug1"})
    with pytest.raises(KeyError):
        ground_all((PUT,), {"x": "mug1"})


def test_at_run_time_there_is_one_class() -> None:
    made = ground_atom(PUT, {"x": "mug1", "y": "sink"})
    assert type(made) is type(PUT) is Atom
    assert {MUG_IN_SINK: 1}[made] == 1
    assert pickle.loads(pickle.dumps(made)) == made
    assert repr(made) == "Atom(predicate='inside_of', args=('mug1', 'sink'))"
    assert get_type_hints(GroundAction)["add"] == tuple[GroundAtom, ...]
