"""Ground forms of goals that are to be compared: what follows between them follows between the goals.

A normal form that is not exact asks for more than its goal, so that nothing is shown of the goal by what
follows from it. Where one of the forms is not exact, derived literals therefore stay atoms in all of them,
and of such an atom nothing is assumed but what makes it true, or by an exact form false. More may be
assumed; each part must hold in every state.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...domains.errors import GoalError
from ...domains.formula import TRUE, And, Atom, Formula, Imply, Not, Or, as_ground, conjunction, walk
from ...simulator.belief import Belief
from ..forms import literals
from ..goals.invariants import invariants
from ..normal import Expanded, expanded, with_derived


def ground_forms(goals: Sequence[Formula], belief: Belief) -> tuple[list[Formula | None], Formula]:
    """Return a form for each goal, ``None`` for one that is too large, and what holds in every state."""
    # Where one goal mentions a place, derived predicates expand to more; all are to agree on that.
    speaks = dict.fromkeys(a for goal in goals for a in walk(goal) if isinstance(a, Atom))
    places = {*belief.pack.locations, belief.pack.standing}
    context = Or((TRUE, *(a for a in speaks if a.predicate in places)))

    def form(goal: Formula, derived: bool) -> Expanded | None:
        try:
            return (with_derived if derived else expanded)(And((goal, context)), belief)
        except GoalError:
            return None

    made = [form(goal, False) for goal in goals]
    given: list[Formula] = []
    if any(one is not None and not one.exact for one in made):
        made = [form(goal, True) for goal in goals]
        kept = dict.fromkeys(a for one in made if one is not None for a, _ in literals(one.form))
        for atom in (a for a in kept if a.predicate in belief.pack.mapping.derived):
            for literal in (atom, Not(atom)):
                ways = form(literal, False)
                if ways is not None and (ways.exact or literal is atom):
                    given.append(Imply(ways.form, literal))
    forms = [one.form if one is not None else None for one in made]
    spoken = (node for f in (*forms, *given) if f is not None for node in walk(f))
    atoms = dict.fromkeys(as_ground(node) for node in spoken if isinstance(node, Atom))
    return forms, conjunction((invariants(atoms, belief), *given))
