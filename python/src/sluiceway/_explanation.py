"""Why a margin is what it is: the terms of one row."""

from __future__ import annotations

from typing import Any, NamedTuple, Sequence


class Term(NamedTuple):
    """One term of a margin. `feature` is a column, an id or a name; None for the bias."""

    feature: Any
    value: float
    weight: float
    contribution: float


class Explanation(list[Term]):
    """The terms of a margin, the largest contributions first. Their contributions add up to `margin`."""

    def __init__(self, terms: Sequence[Term], margin: float, scale: float):
        super().__init__(terms)
        #: The margin of the explained class.
        self.margin = margin
        #: What normalizing multiplied the values by; 1 without it.
        self.scale = scale

    def __repr__(self) -> str:
        lines = [f"margin {self.margin:g}"]
        lines += [f"{t.contribution:+12.6g}  {'(bias)' if t.feature is None else t.feature}: value {t.value:g}, "
                  f"weight {t.weight:g}" for t in self]
        return "\n".join(lines)
