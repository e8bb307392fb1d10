"""The methods of comparison by name.

A new method is a module beside this one with a class that has a ``name`` and a ``run`` (``method.Method``),
and an entry in :data:`METHODS`. Names stay: results are kept under them. Presets are entries, not code.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..acting.policies.likely import LeastExpectedCost
from ..domains.errors import InputError, clip, did_you_mean
from ..language.chat.search.protocols import PROTOCOLS
from .baselines.delta import Delta
from .baselines.llm_as_planner import LlmAsPlanner
from .baselines.llm_p import LlmP
from .baselines.llm_p_sayplan import LlmPSayPlan
from .full_scene import FullScene
from .gold import GoldMethod
from .houses.house_method import EXPLORERS, HouseMethod
from .hybrid import Hybrid
from .looking.instructed import Instructed
from .looking.seeking import POLICIES, Seeking
from .lookplangraph.loop import MANY_ACTIONS
from .lookplangraph.method import LookPlanGraph, LookPlanGraphByBeliefs
from .method import Method
from .sayplan import SayPlan
from .sayplan_lite import SayPlanLite
from .sayplan_star import SayPlanStar
from .subgoals import SubGoals

UNCONSTRAINED = "-unconstrained"
"""End of the names of methods whose model answers without a schema; a row of its own for each."""
SUBGRAPH = "-subgraph"
"""End of the names of methods that get what a search by ``naming`` shows in place of the whole scene."""

_LISTED: tuple[Method, ...] = (
    GoldMethod(),
    Hybrid(),
    *(Hybrid(f"hybrid-{protocol}", protocol) for protocol in PROTOCOLS),
    Hybrid("query", "query", rounds=1),
    FullScene(),
    SayPlan(),
    SayPlan("sayplan" + UNCONSTRAINED, constrained=False),
    LlmAsPlanner(),
    LlmAsPlanner("llm-as-planner" + UNCONSTRAINED, constrained=False),
    LlmPSayPlan(),
    LlmPSayPlan("llm+p-sayplan" + UNCONSTRAINED, constrained=False),
    LlmP(),
    LlmP("llm+p" + UNCONSTRAINED, constrained=False),
    LlmP("llm+p" + SUBGRAPH, subgraph=True),
    Delta(),
    Delta("delta" + UNCONSTRAINED, constrained=False),
    Delta("delta" + SUBGRAPH, subgraph=True),
    Delta("delta-given", given=True),
    Delta("delta-given" + UNCONSTRAINED, given=True, constrained=False),
    Delta("delta-given" + SUBGRAPH, given=True, subgraph=True),
    SubGoals(),
    SubGoals("subgoals" + UNCONSTRAINED, constrained=False),
    SayPlanStar(),
    SayPlanStar("sayplan-star" + UNCONSTRAINED, constrained=False),
    SayPlanLite(),
    SayPlanLite("sayplan-lite" + UNCONSTRAINED, constrained=False),
    *(HouseMethod(name) for name in EXPLORERS),
    LookPlanGraph(),
    LookPlanGraph("lookplangraph" + UNCONSTRAINED, constrained=False),
    LookPlanGraphByBeliefs(),
    LookPlanGraphByBeliefs("lookplangraph-beliefs-long", MANY_ACTIONS),
    LookPlanGraphByBeliefs("lookplangraph-beliefs-task", task=True),
    LookPlanGraphByBeliefs("lookplangraph-beliefs-task-long", MANY_ACTIONS, task=True),
    *(Seeking(policy) for policy in POLICIES),
    Seeking(LeastExpectedCost(), equal=True),
    Seeking(LeastExpectedCost(), task=False),
    Instructed(),
    Instructed("hybrid-looking-asked", asks=True),
)

METHODS: Mapping[str, Method] = {method.name: method for method in _LISTED}


def method_named(name: str) -> Method:
    """Return the method of a name. Raises :class:`InputError` with the nearest names.

    >>> from groundplan.methods import method_named
    >>> method_named("gold").name
    'gold'
    """
    if name not in METHODS:
        hint = did_you_mean(name, METHODS) or f"methods are {', '.join(METHODS)}"
        raise InputError("method", "the name of a method", clip(name), hint)
    return METHODS[name]
