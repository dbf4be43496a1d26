"""What a fitted model answers, in the order of an estimator's classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._labels import Classes
from ._matrix import Cells, Rows

_TINY = np.finfo(np.float64).tiny


def _sigmoid(margins: np.ndarray) -> np.ndarray:
    """1 / (1 + exp(-m)) without overflow."""
    small = np.exp(-np.abs(margins))
    return np.where(margins >= 0, 1.0, small) / (1.0 + small)


def _softmax(margins: np.ndarray) -> np.ndarray:
    shifted = np.exp(margins - margins.max(axis=1, keepdims=True))
    return shifted / shifted.sum(axis=1, keepdims=True)


def _to_side(p: np.ndarray, up: np.ndarray, turn: float) -> np.ndarray:
    """Moves probabilities to the side of 1/2 that the predicted class is on, keeping their order.

    `up`: the rows of the positive class. `turn`: the probability at which the class changes, which need not be 1/2.
    Only probabilities between `turn` and 1 - `turn` change: they are squeezed into the half of this band on their
    side."""
    if turn < 0.5:
        return np.where(up & (p < 1 - turn), np.maximum(0.5 + (p - turn) / 2, np.nextafter(0.5, 1)), p)
    return np.where(~up & (p > 1 - turn), 0.5 - (turn - p) / 2, p)


class View:
    """A model that does not change, seen through the classes of its estimator. Used by many threads at once."""

    def __init__(self, model: Any, classes: Classes):
        facts = model.quick_facts()
        self.model = model.finished() if facts["waiting"] else model
        self.n = len(classes.values)
        settings = self.model.settings()
        self.several = bool(settings["classes"])
        self.needs_sums = bool(settings["normalize"] or settings["transform"])  # a column twice is not its sum to it
        known = self.model.classes()
        self.n_known = len(known)
        if self.several:
            self._see_several(classes)
        else:
            self._see_two(classes, known, facts)

    # ---- two classes

    def _see_two(self, classes: Classes, known: list[dict[str, Any]], facts: dict[str, Any]) -> None:
        """`only`: the one class that has come, which is then always predicted. `sign`: -1 where the model's positive
        class is not the last one."""
        self.only: int | None = 0 if self.n == 1 else None
        self.sign = 1.0
        seen = {c["text"]: c for c in known if c["examples"]}
        if self.n == 2 and classes.plain:
            at = {text: i for i, text in enumerate(classes.texts)}
            if facts["examples"] and facts["positives"] == facts["examples"]:
                self.only = at[b"1"]
            elif facts["examples"] and not facts["positives"]:
                self.only = 1 - at[b"1"]
            self.sign = 1.0 if at[b"1"] == 1 else -1.0
        elif self.n == 2:
            found = [self.model.find_class(text) for text in classes.texts]
            if len(seen) == 2 and None not in found:
                self.sign = 1.0 if known[found[1]]["positive"] else -1.0
            elif facts["examples"]:
                self.only = next((i for i, c in enumerate(found) if c is not None), None)
                if self.only is None:  # the one class that has come is the number 1, 0 or -1: the model is plain yet
                    self.only = next((i for i, t in enumerate(classes.texts) if t in (b"-1", b"0", b"1")), None)
        threshold = self.model.threshold()
        self.threshold = 0.0 if threshold is None else threshold
        self.tie_last = self.model.predicts_positive(self.threshold) == (self.sign > 0)

    def margins(self, rows: Rows | Cells) -> np.ndarray:
        """The margins of the positive class."""
        out = np.empty(rows.stop - rows.start)
        rows.margins(self.model, out)
        return out

    def two_decisions(self, margins: np.ndarray) -> np.ndarray:
        """Above 0 where the last class is predicted. Of one class alone: how far a row is on its side."""
        if self.n == 1:
            return np.abs(margins)
        decisions = margins - self.threshold if self.threshold else margins
        if self.sign < 0:
            decisions = -decisions
        if self.only is not None:
            return np.maximum(np.abs(margins), _TINY) if self.only else -np.abs(margins)
        if self.tie_last:
            decisions[decisions == 0] = _TINY
        return decisions

    def two_probabilities(self, margins: np.ndarray, agreeing: bool) -> np.ndarray:
        """Rows of probabilities of the classes; `agreeing` with the predicted class, or as they were calibrated."""
        if self.only is not None:
            out = np.zeros((len(margins), self.n))
            out[:, self.only] = 1.0
            return out
        if self.model.has_probability():
            p = np.array(margins)
            self.model.probabilities(p)
            if agreeing:
                p = _to_side(p, margins > self.threshold, self.model.probability(self.threshold))
        else:
            p = _sigmoid(margins - self.threshold)
        last = p if self.sign > 0 else 1.0 - p
        if agreeing and self.tie_last:
            last = np.where((margins == self.threshold) & (last <= 0.5), np.nextafter(0.5, 1), last)
        return np.stack([1.0 - last, last], axis=1)

    # ---- several classes

    def _see_several(self, classes: Classes) -> None:
        """`columns_of`: for every class of the model its position among the estimator's."""
        self.only = None
        texts = [self.model.find_class(text) for text in classes.texts]
        there = [number is not None and number < self.n_known for number in texts]  # others came in the meantime
        self.place = np.full(self.n_known, -1, np.intp)
        for i, number in enumerate(texts):
            if there[i]:
                self.place[number] = i
        self.unseen = np.array([i for i, known in enumerate(there) if not known], np.intp)

    def has_all_classes(self) -> bool:
        """False where the model has learned a class since: it changes while another thread learns."""
        return not self.several or len(self.model.classes()) == self.n_known

    def best(self, rows: Rows | Cells) -> np.ndarray:
        """The position of the predicted class."""
        n = rows.stop - rows.start
        if not self.n_known:
            return np.zeros(n, np.intp)
        out = np.empty(n, np.uint32)
        rows.classify(self.model, out, None, None)
        return self.place[out]

    def classify(self, rows: Rows | Cells, probabilities: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """The predicted class, margins and, if asked for, probabilities, in the estimator's order of classes."""
        n = rows.stop - rows.start
        margins = np.zeros((n, self.n))
        chances = np.full((n, self.n), 1.0 / self.n) if probabilities else None
        if not self.n_known or not n:
            return np.zeros(n, np.intp), margins, chances
        best = np.empty(n, np.uint32)
        raw = np.empty((n, self.n_known))
        raw_chances = np.empty((n, self.n_known)) if probabilities else None
        rows.classify(self.model, best, raw, raw_chances)
        margins[:, self.place] = raw
        if len(self.unseen):
            margins[:, self.unseen] = raw.min(axis=1, keepdims=True) - 1.0
        if chances is not None and raw_chances is not None:
            chances[:] = 0.0
            if np.isnan(raw_chances).any():
                raw_chances = _softmax(raw)
            chances[:, self.place] = raw_chances
        return self.place[best], margins, chances

    def several_decisions(self, best: np.ndarray, margins: np.ndarray) -> np.ndarray:
        """Margins in which the predicted class is the first of the largest; of two classes their difference."""
        if self.n == 1:
            return np.abs(margins[:, 0])
        at = np.arange(len(best))
        other = np.flatnonzero(margins.argmax(axis=1) != best)
        if len(other):
            margins[other, best[other]] = np.nextafter(margins[other].max(axis=1), np.inf)
        if self.n > 2:
            return margins
        return np.where(best == 1, 1.0, -1.0) * np.abs(margins[at, best] - margins[at, 1 - best])

    @staticmethod
    def several_probabilities(best: np.ndarray, chances: np.ndarray, agreeing: bool) -> np.ndarray:
        """Probabilities of which, if `agreeing`, the predicted class has the largest: it changes places with that."""
        if agreeing:
            top = chances.argmax(axis=1)
            other = np.flatnonzero(top != best)
            a, b = chances[other, best[other]], chances[other, top[other]]
            chances[other, best[other]], chances[other, top[other]] = b, a
            tied = other[a == b]  # equal ones: argmax takes the first
            if len(tied):
                chances[tied, best[tied]] = np.nextafter(chances[tied, best[tied]], 2)
        return chances
