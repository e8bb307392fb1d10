"""A short tour over numbers, by local search: two stretches change places, or one is turned round.

Moves are looked for among near neighbours only (Bentley 1992), and a changed tour is searched again from
where it changed. Kicks, which rearrange three neighbouring stretches, lead out of a local optimum (Martin,
Otto and Felten 1991); their random numbers have a fixed seed, so the same costs give the same tour. The
numbers of neighbours and kicks may be tuned. Nothing here proves anything: see `tree_bound` for that.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator

from ...domains.deadline import check_time
from .travel import Matrix

NEIGHBOURS = 15
"""Nearest nodes that a move looks at, before and after a node."""

LONGEST_STRETCH = 30
"""Most nodes in each of the stretches that a kick rearranges."""

Move = tuple[int, int, int, int]
"""What is saved, and three places: the stretches up to the second and up to the third change places.

With the last two equal, the stretch after the first place is turned round instead.
"""


class Tour:
    """A tour that is improved in place; its first node stays, and the last one as well if ``fixed_end``."""

    def __init__(self, costs: Matrix, tour: Iterable[int], fixed_end: bool) -> None:
        self.nodes = list(tour)
        end = len(costs)
        self.open_end = not fixed_end
        if self.open_end:  # a node after all others, which costs nothing to go to
            costs = [[*row, 0] for row in costs] + [[0] * (end + 1)]
            self.nodes.append(end)
        self.costs = costs
        self.place = [0] * len(costs)
        inner = sorted(self.nodes[1:-1])
        self.after: list[list[int]] = [[] for _ in costs]
        self.before: list[list[int]] = [[] for _ in costs]
        for node in self.nodes:
            check_time("improving the order of subgoals")
            row = costs[node]
            others = [other for other in inner if other != node]
            self.after[node] = sorted(others, key=row.__getitem__)[:NEIGHBOURS]
            self.before[node] = sorted(others, key=lambda other, n=node: costs[other][n])[:NEIGHBOURS]  # type: ignore[misc]
        self._changed(0, len(self.nodes))

    @property
    def tour(self) -> list[int]:
        return self.nodes[:-1] if self.open_end else list(self.nodes)

    @property
    def cost(self) -> int:
        return self.onwards[-1]

    def _changed(self, first: int, end: int) -> None:
        """Note where nodes are now, and the costs up to each place, going on and coming back."""
        nodes, costs = self.nodes, self.costs
        for place in range(first, end):
            self.place[nodes[place]] = place
        if first == 0:
            self.onwards, self.backwards = [0], [0]
        else:
            del self.onwards[first:], self.backwards[first:]
        spent, back = self.onwards[-1], self.backwards[-1]
        for place in range(len(self.onwards), len(nodes)):
            here, there = nodes[place - 1], nodes[place]
            spent += costs[here][there]
            back += costs[there][here] if place > 1 else 0
            self.onwards.append(spent)
            self.backwards.append(back)

    def improve(self, nodes: Iterable[int] | None = None) -> None:
        """Make moves that save something until none is left near the nodes given (all of them)."""
        waiting = dict.fromkeys(self.nodes if nodes is None else nodes)
        while waiting:
            check_time("improving the order of subgoals")
            node = next(iter(waiting))
            del waiting[node]
            move = max(self._moves(self.place[node]), default=None)
            if move is not None and move[0] > 0:
                waiting |= dict.fromkeys(self._apply(move))

    def _apply(self, move: Move) -> list[int]:
        """Carry a move out; return the nodes at which the tour changed."""
        _, first, second, third = move
        nodes = self.nodes
        ends = [nodes[p] for p in (first, first + 1, second, second + 1, third) if p < len(nodes)]
        ends += [nodes[third + 1]]
        if second == third:
            nodes[first + 1 : third + 1] = nodes[first + 1 : third + 1][::-1]
        else:
            nodes[first + 1 : third + 1] = nodes[second + 1 : third + 1] + nodes[first + 1 : second + 1]
        self._changed(first + 1, third + 1)
        return ends

    def _moves(self, place: int) -> Iterator[Move]:
        """Yield the moves that begin by going from the node at a place to a nearer one than now."""
        nodes, where, costs = self.nodes, self.place, self.costs
        final = len(nodes) - 2  # the last place that may change
        if place > final:
            return
        here, following = nodes[place], nodes[place + 1]
        row = costs[here]
        for other in self.after[here]:
            gain = row[following] - row[other]
            if gain <= 0:
                return
            to = where[other]
            if to > final:
                continue
            if to > place:
                behind = [where[n] for n in self.before[following]]
                for third in (to, to + 1, to + 2, final, *(p for p in behind if p >= to)):
                    if to <= third <= final:
                        yield self._exchange(place, to - 1, third)
                for first in (place - 1, place - 2, place - 3, 0, *behind):
                    if 0 <= first < place and to - 1 > place:
                        yield self._exchange(first, place, to - 1)
                yield self._turn(place, to)
            elif place >= to >= 1:
                ahead = [where[n] - 1 for n in self.after[nodes[to - 1]]]
                for second in (to, to + 1, to + 2, place - 1, place - 2, place - 3, *ahead):
                    if to <= second < place:
                        yield self._exchange(to - 1, second, place)

    def _exchange(self, first: int, second: int, third: int) -> Move:
        nodes, costs = self.nodes, self.costs
        a, b, c = costs[nodes[first]], costs[nodes[second]], costs[nodes[third]]
        next_a, next_b, next_c = nodes[first + 1], nodes[second + 1], nodes[third + 1]
        saved = a[next_a] + b[next_b] + c[next_c] - a[next_b] - c[next_a] - b[next_c]
        return saved, first, second, third

    def _turn(self, first: int, third: int) -> Move:
        nodes, costs = self.nodes, self.costs
        here, following, other, beyond = nodes[first], nodes[first + 1], nodes[third], nodes[third + 1]
        saved = costs[here][following] - costs[here][other] + costs[other][beyond] - costs[following][beyond]
        saved += self.onwards[third] - self.onwards[first + 1]
        saved -= self.backwards[third] - self.backwards[first + 1]
        return saved, first, third, third

    def kick(self, times: int) -> None:
        """Rearrange stretches at random places and improve from there; what became no better is undone."""
        inner = len(self.nodes) - 2
        if inner < 4:
            return
        numbers = random.Random(inner)
        longest = min(LONGEST_STRETCH, (inner - 1) // 3)
        for _ in range(times):
            check_time("improving the order of subgoals")
            before, cost = list(self.nodes), self.cost
            first = numbers.randrange(0, inner - 2)
            cuts = [first]
            for left in (2, 1, 0):
                cuts.append(min(cuts[-1] + numbers.randint(1, longest), inner - left))
            a, b, c, d = cuts
            self.nodes[a + 1 : d + 1] = (
                self.nodes[c + 1 : d + 1] + self.nodes[b + 1 : c + 1] + self.nodes[a + 1 : b + 1]
            )
            self._changed(a + 1, d + 1)
            self.improve(before[p] for cut in cuts for p in (cut, cut + 1))
            if self.cost > cost:
                self.nodes = before
                self._changed(0, len(before))
