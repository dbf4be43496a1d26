"""Why a margin is what it is: the terms of one row."""

from __future__ import annotations

import html
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
        lines = [f"margin {self.margin + 0.0:g}"]  # + 0.0 makes 0 of -0
        lines += [f"{t.contribution + 0.0:+12.6g}  {name_of(t)}: value {t.value + 0.0:g}, weight {t.weight + 0.0:g}"
                  for t in self]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """A table of the largest terms, for notebooks."""
        most = 50
        head = "".join(f"<th>{name}</th>" for name in ("feature", "value", "weight", "contribution"))
        rows = "".join(f"<tr><td>{html.escape(str(name_of(t)))}</td><td>{t.value + 0.0:g}</td><td>{t.weight + 0.0:g}</td>"
                       f"<td>{t.contribution + 0.0:+.6g}</td></tr>" for t in self[:most])
        more = f"<p>and {len(self) - most:,} more</p>" if len(self) > most else ""
        return f"<p>margin {self.margin + 0.0:g}</p><table><tr>{head}</tr>{rows}</table>{more}"


def name_of(term: Term) -> Any:
    """What a term is called."""
    return "(bias)" if term.feature is None else term.feature
