"""Methods that search an unexplored house: an explorer and a driver by name, and the record.

The house of the request goes to the world alone; an explorer sees the map that the robot makes. What was
found is the ``subgraph`` of the record, as in every search, and the walk is its ``house``. A new explorer is
an entry in :data:`EXPLORERS`, and in the registry of methods.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace

from ...acting.beliefs.asking import USUAL, AskedLikelihood
from ...acting.beliefs.likelihood import EqualLikelihood, MeaningLikelihood
from ...domains.deadline import LimitReached, limited
from ...domains.errors import InputError
from ...language.chat.prompt_form import PromptForm, version
from ...language.chat.servers.meter import Meter, MeteredModel
from ...language.reader import ReaderError
from ...pipeline.record import Record
from ...planners.classical import cut_off
from ...planners.request import Request
from ...simulator.navigation.camera import REACH, Noise
from ...simulator.navigation.house_world import HouseSearch, HouseWorld
from ..method import Limits, Needs, Tools, unsupported
from .advice import ADVICE_PROMPTS, BelievingAdvisor, ModelAdvisor
from .algorithm import SayNav
from .beliefs import HouseBeliefs, UsualPlaces
from .driving.driver import Driver, OracleDriver
from .driving.learned import LearnedDriver
from .driving.optimistic import OptimisticDriver
from .explorer import Explorer
from .known import known_positions, known_sightings
from .least_cost import LeastCost, PlaceOrder
from .nearest_door import NearestDoor
from .search import MAX_MOVES, SearchRun, search_house

ENDINGS: Mapping[str, str] = {
    "found": "answered",
    "gave-up": "not-found",
    "stuck": "not-found",
    "out-of-moves": "out-of-budget",
}
"""Outcomes of records by those of searches."""

EXPLORERS: Mapping[str, Callable[[HouseSearch, Tools], Explorer]] = {
    "nearest-door": lambda search, tools: NearestDoor(),
    "known-positions": lambda search, tools: known_positions(search),
    "known-sightings": lambda search, tools: known_sightings(search),
    "least-cost": lambda search, tools: _least_cost(tools, "least-cost", "soonest"),
    "least-cost-equal": lambda search, tools: LeastCost(UsualPlaces(EqualLikelihood()), "least-cost-equal"),
    "least-cost-single": lambda search, tools: LeastCost(
        _beliefs(tools), "least-cost-single", "expected", single=True
    ),
    "least-cost-model": lambda search, tools: LeastCost(_asked(tools), "least-cost-model"),
    "greedy-rate": lambda search, tools: _least_cost(tools, "greedy-rate", "rate"),
    "greedy-rate-model": lambda search, tools: LeastCost(_asked(tools), "greedy-rate-model", "rate"),
    "greedy-mass": lambda search, tools: _least_cost(tools, "greedy-mass", "mass"),
    "nearest-place": lambda search, tools: _least_cost(tools, "nearest-place", "way"),
    "saynav": lambda search, tools: SayNav(_advisor(tools)),
    "saynav-beliefs": lambda search, tools: SayNav(BelievingAdvisor(_beliefs(tools)), "saynav-beliefs"),
    "saynav-memory": lambda search, tools: SayNav(_advisor(tools), "saynav-memory", memory=True),
    "saynav-pseudocode": lambda search, tools: SayNav(_advisor(tools), "saynav-pseudocode", revisit=False),
}
"""Explorers by name. The two that know the house are made from it, no other may be."""

DRIVERS: Mapping[str, Callable[[str, HouseWorld], Driver]] = {
    "oracle": lambda house, world: OracleDriver(world.grid),
    "optimistic": lambda house, world: OptimisticDriver(),
    "learned": lambda house, world: LearnedDriver.of_house(house),
}
"""Drivers by name, from the name of a house and its world. Only the oracle may be made from the world."""

BELIEVING = frozenset(
    {"least-cost", "least-cost-single", "greedy-rate", "greedy-mass", "nearest-place", "saynav-beliefs"}
)
"""Explorers that need the similarity of texts for their beliefs."""
ASKING = frozenset({"saynav", "saynav-memory", "saynav-pseudocode", "least-cost-model", "greedy-rate-model"})
"""Explorers that ask a chat model."""


def _beliefs(tools: Tools) -> HouseBeliefs:
    assert tools.similarity is not None  # a method with beliefs is unsupported without it
    return UsualPlaces(MeaningLikelihood(tools.similarity))


def _asked(tools: Tools) -> HouseBeliefs:
    assert tools.model is not None  # a method that asks is unsupported without one
    return UsualPlaces(AskedLikelihood(tools.model, own=tools.own_prompts))


def _least_cost(tools: Tools, name: str, order: PlaceOrder) -> LeastCost:
    return LeastCost(_beliefs(tools), name, order)


def _advisor(tools: Tools) -> ModelAdvisor:
    assert tools.model is not None  # a method that asks is unsupported without one
    return ModelAdvisor(tools.model, tools.own_prompts)


@dataclass(frozen=True)
class HouseMethod:
    """A search by an explorer, and a driver below it, both by name; ``name`` where it is left out.

    ``reach`` are the metres within which small objects are seen.
    """

    name: str
    reach: float = REACH
    noise: Noise | None = None
    max_moves: int = MAX_MOVES
    driver: str = "oracle"
    explorer: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "explorer", self.explorer or self.name)

    @property
    def plans(self) -> bool:
        """False: no engine takes part in a search of a house."""
        return False

    @property
    def needs(self) -> Needs:
        """A model for explorers that ask one."""
        return "model" if self.explorer in ASKING else "nothing"

    @property
    def prompts(self) -> tuple[str, ...]:
        """The names of the prompts that it asks a model with."""
        return tuple(form.name for form in self._forms)

    @property
    def _forms(self) -> tuple[PromptForm, ...]:
        if self.explorer not in ASKING:
            return ()
        return tuple(ADVICE_PROMPTS.values()) if self.explorer.startswith("saynav") else (USUAL,)

    def run(self, request: Request, tools: Tools, limits: Limits) -> Record:
        """Search the house of a request; without one the run is unsupported."""
        if request.house is None:
            return unsupported(request, f"{self.name} needs a house with a floor plan to search")
        if self.explorer in ASKING and tools.model is None:
            return unsupported(request, f"{self.name} needs a chat model")
        if self.explorer in BELIEVING and tools.similarity is None:
            return unsupported(request, f"{self.name} needs the similarity of texts")
        kept = Record("not-found", task=request.task, instruction=request.instruction, method=self.name)
        meter = Meter()
        if tools.model is not None:
            tools = replace(tools, model=MeteredModel(tools.model, meter))
        try:
            with limited(limits.seconds):
                record = self._searched(kept, request.house, tools)
        except LimitReached as cut:
            record = replace(kept, outcome=cut.ending.value, planning=cut_off(cut))
        except ReaderError as error:  # a model that does not answer, or embeddings that are not installed
            record = replace(kept, outcome=error.outcome, failures=(str(error),))
        except InputError as error:  # the extra is not installed, or the robot does not fit where it starts
            return unsupported(request, str(error))
        if self.explorer not in ASKING:
            return record
        prompts = {form.name: version(form.text(tools.own_prompts)) for form in self._forms}
        return replace(record, usage={**meter.as_json(), "prompts": prompts})

    def _searched(self, kept: Record, search: HouseSearch, tools: Tools) -> Record:
        world = search.world(self.reach, self.noise)
        explorer = EXPLORERS[self.explorer](search, tools)
        driver = DRIVERS[self.driver](search.plan.name, world)
        run = search_house(world, explorer, driver, search.targets, self.reach, self.max_moves)
        noise = asdict(self.noise) if self.noise is not None else None
        return _record(kept, run, {**_account(explorer), "reach": self.reach, "noise": noise})


def _account(explorer: Explorer) -> dict[str, object]:
    """Return where the beliefs of an explorer come from; nothing for one without any."""
    match explorer:
        case LeastCost(beliefs=beliefs) | SayNav(advisor=BelievingAdvisor(beliefs=beliefs)):
            return {"beliefs": beliefs.account()}
    return {}


def _record(kept: Record, run: SearchRun, account: Mapping[str, object]) -> Record:
    """Return the record of a search that came to its end, with what is missing before why it ended."""
    seen = {find.target for find in run.finds}
    missing = tuple(f"not found: {target}" for target in run.targets if target not in seen)
    return replace(
        kept,
        outcome=ENDINGS[run.outcome],
        failures=(*missing, *filter(None, (run.reason,))),
        subgraph=tuple(find.id for find in run.finds),
        trace=tuple({"intent": line} for line in run.intents),
        house={**run.as_json(), **account},
    )
