"""Judgement of a search through a house: success, SPL, the order of the finds, and how far the robot drove.

- ``success``: a thing of every type was seen, within the moves of the search;
- ``spl``: success weighted by path length, S · l / max(p, l) (Anderson et al., 2018), with the metres p that
  were driven and the length l of the shortest tour to the targets;
- ``tau``: Kendall's tau of the order in which targets were found and the order of that tour, 1 - 2 d / pairs
  with d disagreeing pairs (Lapata, 2006), for successful searches. Targets that one command showed have no
  order among themselves: they are taken in the order of the tour, and ``tied`` is the share of such pairs;
- ``to_tour`` and ``to_sighting``: p as a multiple of l, and of the shortest path after which all was seen,
  for successful searches; ``None`` where that path has no length.

The first three are those of SayNav (Rajvanshi et al., 2024).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from ..datasets.episodes.episode import SearchEpisode
from ..pipeline.record import Record


@dataclass(frozen=True, slots=True)
class WalkJudgement:
    """Judgement of a walk; lengths are metres, ``moves`` steps and turns."""

    success: bool = False
    answered: bool = False
    spl: float = 0.0
    tau: float | None = None
    tied: float | None = None
    finds: int = 0
    metres: float | None = None
    moves: int | None = None
    looks: int | None = None
    to_tour: float | None = None
    to_sighting: float | None = None


def judge_walk(record: Record, episode: SearchEpisode) -> WalkJudgement:
    """Judge the walk of a record; one without a walk found nothing."""
    walk = record.house
    finds = walk.get("finds")
    metres, moves, looks = (walk.get(key) for key in ("metres", "moves", "looks"))
    if not isinstance(finds, list) or not isinstance(metres, int | float):
        return WalkJudgement()
    targets = {target.kind: target.id for target in episode.targets}
    # The set has one thing of each type, so another id would be one that the house does not have.
    looks_by_target = {f["target"]: f["look"] for f in finds if targets.get(f["target"]) == f["id"]}
    success = looks_by_target.keys() == targets.keys()
    tau, tied = kendall_tau(looks_by_target, episode.order) if success else (None, None)
    return WalkJudgement(
        success,
        success,
        path_weighted(success, episode.metres, metres),
        tau,
        tied,
        len(looks_by_target),
        metres,
        moves if isinstance(moves, int) else None,
        looks if isinstance(looks, int) else None,
        metres / episode.metres if success and episode.metres else None,
        metres / episode.sighting_metres if success and episode.sighting_metres else None,
    )


def path_weighted(success: bool, shortest: float, driven: float) -> float:
    """Return S · l / max(p, l); 1 for a success where nothing had to be driven and nothing was."""
    longer = max(driven, shortest)
    return float(success) * (shortest / longer if longer else 1.0)


def kendall_tau(looks: dict[str, int], truth: Sequence[str]) -> tuple[float, float]:
    """Return Kendall's tau of the order of finds and the true one, and the share of pairs that were tied.

    ``looks`` are the numbers of the commands that showed each target. Fewer than two targets agree.
    """
    pairs = list(combinations(truth, 2))
    if not pairs:
        return 1.0, 0.0
    disagreeing = sum(looks[first] > looks[second] for first, second in pairs)
    tied = sum(looks[first] == looks[second] for first, second in pairs)
    return 1 - 2 * disagreeing / len(pairs), tied / len(pairs)
