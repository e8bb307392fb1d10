"""Print what beliefs of where things are gain in searches: right, equal, of another thing, turned round.

    python tools/measure_beliefs.py

The set `multi-object-search` has to be prepared (docs/house-search.md). The Brier score is that of the
types of rooms for each target, over four types: 0.75 where all are equally likely.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from groundplan.acting import EqualLikelihood, MeaningLikelihood
from groundplan.acting.beliefs.likelihood import ROOMS
from groundplan.datasets.episodes import SearchEpisode, StoredHouse
from groundplan.datasets.library import load_set
from groundplan.evaluation.walking import path_weighted
from groundplan.language.english.embedding import load
from groundplan.methods.houses import HouseBeliefs, OracleDriver, UsualPlaces, search_house
from groundplan.methods.houses.least_cost import LeastCost
from groundplan.simulator.navigation import Camera, SeenMap, complete_graph

MAPPED = "by meaning, with the map known"


@dataclass
class Instead:
    """Beliefs about another thing than the one that is looked for."""

    inner: HouseBeliefs
    other: Mapping[str, str]

    def prepare(self, targets: Sequence[str], furniture: Sequence[str]) -> None:
        self.inner.prepare([self.other.get(t, t) for t in targets], furniture)

    def account(self) -> dict[str, object]:
        return {"source": "another thing"}

    def rooms(self, furniture: Sequence[str]) -> Mapping[str, float]:
        return self.inner.rooms(furniture)

    def weight(self, target: str, furniture: str, rooms: Mapping[str, float]) -> float:
        return self.inner.weight(self.other.get(target, target), furniture, rooms)

    def unseen(self, target: str) -> float:
        return self.inner.unseen(self.other.get(target, target))


@dataclass
class Turned:
    """Beliefs turned round: what was likely is unlikely."""

    inner: HouseBeliefs

    def prepare(self, targets: Sequence[str], furniture: Sequence[str]) -> None:
        self.inner.prepare(targets, furniture)

    def account(self) -> dict[str, object]:
        return {"source": "turned round"}

    def rooms(self, furniture: Sequence[str]) -> Mapping[str, float]:
        return self.inner.rooms(furniture)

    def weight(self, target: str, furniture: str, rooms: Mapping[str, float]) -> float:
        return 1 / self.inner.weight(target, furniture, rooms)

    def unseen(self, target: str) -> float:
        return 1 / self.inner.unseen(target)


def brier(beliefs: HouseBeliefs, episode: SearchEpisode, house: StoredHouse) -> list[float]:
    """The Brier score of each target whose room is of one of the four types."""
    scores = []
    for target in episode.targets:
        truth = house.plan.room[house.plan.body[target.id].room].kind.replace("_", " ")
        weights = {kind: beliefs.weight(target.kind, "furniture", {kind: 1.0}) for kind in ROOMS}
        total = sum(weights.values())
        if truth in ROOMS:
            scores.append(sum((w / total - (kind == truth)) ** 2 for kind, w in weights.items()))
    return scores


def known_map(house: StoredHouse) -> SeenMap:
    """A map of the rooms, doors, floor and furniture of a house, without anything small."""
    camera = Camera(house.plan, house.raster)
    truth = complete_graph(house.plan, camera)
    free = zip(camera.cells, house.raster.free.tolist(), strict=True)
    return SeenMap(
        bodies=dict(truth.large),
        passages=dict(truth.passages),
        floor={cell: (camera.room_of(cell), fits) for cell, fits in free},
        rooms=dict.fromkeys(truth.rooms, ""),
        reach=2.0,
    )


def main() -> None:
    stored = [task.house for task in load_set("multi-object-search") if task.house is not None]
    meaning = UsualPlaces(MeaningLikelihood(load()))
    kinds = sorted({kind for one in stored for kind in one.episode.kinds})
    other = dict(zip(kinds, kinds[len(kinds) // 2 :] + kinds[: len(kinds) // 2], strict=True))
    every: dict[str, HouseBeliefs] = {
        "by meaning": meaning,
        "equal": UsualPlaces(EqualLikelihood()),
        "of another thing": Instead(meaning, other),
        "turned round": Turned(meaning),
        MAPPED: meaning,
    }
    keep: Mapping[str, Callable[[SearchEpisode], bool]] = {
        "all": lambda e: True,
        "collected": lambda e: e.origin == "collected",
        "generated": lambda e: e.origin == "generated",
    }
    print("| beliefs | houses | Brier | success | SPL | metres |\n|---|---|---|---|---|---|")
    for name, beliefs in every.items():
        runs = []
        for one in stored:
            episode, house = one.episode, one.house
            search = episode.search(house)
            world, explorer, seen = search.world(), LeastCost(beliefs), SeenMap(reach=2.0)
            if name == MAPPED:
                seen = known_map(house)
                explorer.rest.entered = dict.fromkeys(seen.rooms)
            run = search_house(world, explorer, OracleDriver(world.grid), search.targets, 2.0, seen=seen)
            runs.append((episode, run, brier(beliefs, episode, house)))
        for part, fits in keep.items():
            chosen = [(e, r, b) for e, r, b in runs if fits(e)]
            spl = fmean(path_weighted(r.success, e.metres, r.metres) for e, r, _ in chosen)
            score = fmean(s for _, _, scores in chosen for s in scores)
            success = f"{sum(r.success for _, r, _ in chosen)}/{len(chosen)}"
            metres = fmean(r.metres for _, r, _ in chosen)
            print(f"| {name} | {part} | {score:.3f} | {success} | {spl:.3f} | {metres:.1f} |", flush=True)


if __name__ == "__main__":
    main()
