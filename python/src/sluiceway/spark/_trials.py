"""What a task of tune does: it learns its share of the configurations. It imports the library alone."""

from __future__ import annotations

import math
from typing import Any, Callable, Iterator, NamedTuple

from .. import _sluice


class Tried(NamedTuple):
    """What a task tells of a configuration: its place in the grid, its figures, and its model if it is the task's best."""

    place: int
    examples: int
    error: float
    nonzeros: int
    model: bytes | None

    @property
    def rank(self) -> tuple[float, int, int]:
        """The smaller, the better."""
        return self.error, self.nonzeros, self.place


def learner(paths: list[bytes], reader: dict[str, Any]) -> Callable[[list[tuple[int, bytes]]], Iterator[Tried]]:
    """The function for configurations and their empty models: one pass for all. Models stay with the task, but for the best
    one; a configuration that leaves the range of numbers learns no more."""

    def learn(share: list[tuple[int, bytes]]) -> Iterator[Tried]:
        models = {place: _sluice.Model.from_bytes(start) for place, start in share}
        going = dict(models)
        for batch in _sluice.Reader(tuple(paths), reader):
            for place, model in list(going.items()):
                try:
                    model.learn_batch(batch)
                except FloatingPointError:
                    del going[place]
        tried = []
        for place, model in models.items():
            facts = model.quick_facts() if place not in going else model.facts()
            error = facts["mistakes"] / max(facts["examples"], 1) if place in going else math.inf
            tried.append(Tried(place, facts["examples"], error, facts.get("nonzeros") or 0, None))
        best = min(tried, key=lambda one: one.rank)
        for one in tried:
            yield one._replace(model=models[one.place].to_bytes()) if one is best and one.place in going else one

    return learn
