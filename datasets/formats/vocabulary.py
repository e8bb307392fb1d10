"""Words of the household pack that formats without a vocabulary of their own are read with.

DELTA, LookPlanGraph and node-link files spell states as the household pack does, and LookPlanGraph
affordances too; the formats keep other states as attributes. A word is added in the pack's mapping, not here.
"""

from __future__ import annotations

from functools import cache

from ...domains.pack import load_pack


@cache
def state_words() -> frozenset[str]:
    """Return the states that mean a fact in the household pack: ``open``, ``closed``, ``on`` and so on."""
    return frozenset(word for word, atoms in load_pack().mapping.states.items() if atoms)


@cache
def affordance_words() -> frozenset[str]:
    """Return the affordances of the household pack: ``pickup``, ``open``, ``turn_on`` and so on."""
    return frozenset(load_pack().mapping.affordances)
