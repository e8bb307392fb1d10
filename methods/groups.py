"""The methods of this package by kind: the paper of each, what it gets of a task, and what a model writes.

`groundplan methods` prints this list.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from ..acting.policies.likely import LeastExpectedCost
from ..language.chat.search.protocols import PROTOCOLS
from .baselines.delta import Delta
from .baselines.llm_p import LlmP
from .gold import GoldMethod
from .houses.errand import HouseErrand
from .houses.house_method import EXPLORERS, HouseMethod
from .hybrid import Hybrid
from .looking.instructed import Instructed
from .looking.seeking import POLICIES, Seeking
from .lookplangraph.loop import MANY_ACTIONS
from .lookplangraph.method import LookPlanGraph, LookPlanGraphByBeliefs
from .method import Method
from .sayplan import ACTIONS, LITE, LLM_AS_PLANNER, LLM_P, STAR, SayPlan
from .subgoals import SubGoals

UNCONSTRAINED = "-unconstrained"
"""End of the names of methods whose model answers without a schema; a row of its own for each."""
SCENE = "-scene"
"""End of the names of hybrids whose problems are compiled from the whole scene."""
SUBGRAPH = "-subgraph"
"""End of the names of methods that get what a search by ``naming`` shows in place of the whole scene."""


def _both(make: Callable[..., Method], name: str) -> tuple[Method, Method]:
    """Return a method with and without a schema for the answers of its model."""
    return make(name=name), make(name=name + UNCONSTRAINED, constrained=False)


@dataclass(frozen=True, slots=True)
class MethodGroup:
    """Methods of one kind: the paper that they are from, what they get, and what is written in them."""

    paper: str
    gets: str
    writes: str
    methods: tuple[Method, ...]


OURS = "groundplan"
_SAYPLAN = "SayPlan (Rana et al. 2023, arXiv:2307.06135)"
_SAYNAV = "SayNav (Rajvanshi et al. 2024, arXiv:2309.04077)"
_LOOKPLANGRAPH = "LookPlanGraph (Onishchenko et al. 2025)"
_SEARCHED = "the collapsed scene, and the rooms that it opens in a search"

GROUPS: tuple[MethodGroup, ...] = (
    MethodGroup(OURS, "the goal itself and the whole scene", "nothing", (GoldMethod(),)),
    MethodGroup(
        OURS,
        _SEARCHED,
        "a goal, repaired on feedback",
        (Hybrid(), *(Hybrid(f"hybrid-{protocol}", protocol) for protocol in PROTOCOLS)),
    ),
    MethodGroup(
        OURS,
        f"{_SEARCHED}; its planner the whole scene",
        "a goal, repaired on feedback",
        (Hybrid("hybrid" + SCENE, compile_form="scene"),),
    ),
    MethodGroup(
        "Heracles (MIT), in its form",
        "the collapsed scene, and the answers to one set of queries",
        "queries, then a goal",
        (Hybrid("query", "query", rounds=1),),
    ),
    MethodGroup(
        OURS,
        "the whole scene",
        "a goal, repaired on feedback",
        (Hybrid("full-scene", without="search", compile_form="scene"),),
    ),
    MethodGroup(
        _SAYPLAN,
        f"{_SEARCHED}; Dijkstra fills in the ways",
        "the plan, again on the simulator's words, at most 5 times",
        _both(SayPlan, "sayplan"),
    ),
    MethodGroup(
        f"{_SAYPLAN}: LLM-As-Planner",
        _SEARCHED,
        "one plan with every way in it",
        _both(partial(SayPlan, form=LLM_AS_PLANNER), "llm-as-planner"),
    ),
    MethodGroup(
        f"{_SAYPLAN}: what it calls LLM+P",
        f"{_SEARCHED}; Dijkstra fills in the ways",
        "one plan",
        _both(partial(SayPlan, form=LLM_P), "llm+p-sayplan"),
    ),
    MethodGroup(
        "LLM+P (Liu et al. 2023, arXiv:2304.11477)",
        "the domain, an example, and the whole scene in sentences",
        "one problem in PDDL, with its initial state",
        (*_both(LlmP, "llm+p"), LlmP("llm+p" + SUBGRAPH, subgraph=True)),
    ),
    MethodGroup(
        "DELTA (Liu et al. 2024, arXiv:2404.03275)",
        "actions in words, an example for each stage, and the whole scene",
        "domain, items to keep, problem and sub-goals, all in PDDL",
        (*_both(Delta, "delta"), Delta("delta" + SUBGRAPH, subgraph=True)),
    ),
    MethodGroup(
        "DELTA (Liu et al. 2024), with the domain given",
        "the domain, an example for each stage, and the whole scene",
        "items to keep, problem and sub-goals in PDDL",
        (
            *_both(partial(Delta, given=True), "delta-given"),
            Delta("delta-given" + SUBGRAPH, given=True, subgraph=True),
        ),
    ),
    MethodGroup(
        "AHAT (arXiv:2602.12244), its form without its training",
        _SEARCHED,
        "an ordered list of goals",
        _both(SubGoals, "subgoals"),
    ),
    MethodGroup(
        f"{_LOOKPLANGRAPH}: SayPlan*",
        f"{_SEARCHED}; needs --pack grasif",
        "the plan, again on the simulator's words, at most 5 times",
        _both(partial(SayPlan, form=STAR, tells_as="sayplan without poses", actions=ACTIONS), "sayplan-star"),
    ),
    MethodGroup(
        f"{_LOOKPLANGRAPH}: SayPlan Lite",
        f"{_SEARCHED}; needs --pack grasif",
        "the plan in a dialogue of its own, again on the simulator's words, at most 5 times",
        _both(partial(SayPlan, form=LITE, tells_as="memory graph", actions=ACTIONS), "sayplan-lite"),
    ),
    MethodGroup(
        _LOOKPLANGRAPH,
        "the furniture, and what it sees when it looks; needs --pack grasif-looking",
        "one action at a time",
        _both(LookPlanGraph, "lookplangraph"),
    ),
    MethodGroup(
        f"{_LOOKPLANGRAPH}, its loop without a model",
        "a goal, the furniture and what it sees when it looks; needs --pack grasif-looking",
        "nothing: beliefs from the meaning of names choose the actions",
        (
            LookPlanGraphByBeliefs(),
            LookPlanGraphByBeliefs("lookplangraph-beliefs-long", MANY_ACTIONS),
            LookPlanGraphByBeliefs("lookplangraph-beliefs-task", task=True),
            LookPlanGraphByBeliefs("lookplangraph-beliefs-task-long", MANY_ACTIONS, task=True),
        ),
    ),
    MethodGroup(
        OURS,
        "a goal, the furniture, and what the robot sees where it looks",
        "nothing: a policy chooses where to look",
        (
            *(Seeking(policy) for policy in POLICIES),
            Seeking(LeastExpectedCost(), equal=True),
            Seeking(LeastExpectedCost(), task=False),
        ),
    ),
    MethodGroup(
        OURS,
        "the furniture, and what the robot sees where it looks",
        "a goal about things that nobody has seen yet",
        (Instructed(), Instructed("hybrid-looking-asked", asks=True)),
    ),
    MethodGroup(
        _SAYNAV,
        "a house that nobody knows, as the robot sees it",
        "advice on rooms: what they are, where to look, when to come back",
        tuple(HouseMethod(name) for name in EXPLORERS if name.startswith("saynav")),
    ),
    MethodGroup(
        OURS,
        "a house that nobody knows, as the robot sees it (known-..: the places of the things, too)",
        "nothing (-model: how likely things are where)",
        tuple(HouseMethod(name) for name in EXPLORERS if not name.startswith("saynav")),
    ),
    MethodGroup(
        OURS,
        "a house that nobody knows, as the robot sees it, then what was seen of it",
        "a goal, repaired on feedback",
        (HouseErrand("least-cost-errand", HouseMethod("least-cost")),),
    ),
)
"""All methods by kind, as ``groundplan methods`` lists them."""
