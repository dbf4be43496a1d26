"""Labels of Python and their texts in sluice: encoding y, and which types the classes of a saved model had."""

from __future__ import annotations

import json
import math
import numbers
import re
from typing import Any, Iterable, Sequence

import numpy as np

#: Metadata that says which Python values the classes of a model are, where the model alone could not tell.
LABELS_KEY = "python.labels"
#: Metadata of a plain model whose first negative label was written 0; the program sets it too.
NEGATIVE_KEY = "reader.negative"

#: The labels that are signs; a model of these alone is plain.
PLAIN = (b"-1", b"0", b"1")
_NUMBER = re.compile(rb"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\Z")
_TABLE_ROOM = 1 << 16  # integer labels this close together are looked up in an array


def text_of(label: Any) -> bytes:
    """The text of a label: digits for booleans and whole numbers, repr for other floats, UTF-8 for str."""
    if isinstance(label, str):
        if label in ("", "?"):
            raise ValueError(f"the label {str(label)!r} means that there is none")
        return label.encode("utf-8", "surrogateescape")
    if isinstance(label, (bool, np.bool_)):
        return b"1" if label else b"0"
    if isinstance(label, numbers.Integral):
        return b"%d" % int(label)
    if isinstance(label, numbers.Real):
        value = float(label)
        if not math.isfinite(value):
            raise ValueError(f"a label is {value}; labels are finite")
        return b"%d" % int(value) if value.is_integer() else repr(value).encode()
    if is_missing(label):
        raise TypeError(f"a label is missing ({label})")
    raise TypeError(f"a label is a number, a bool or a str, not {type(label).__name__}")


def is_missing(label: Any) -> bool:
    """Whether it stands for a label that is not there: None, NaN, pandas.NA."""
    if label is None or isinstance(label, float):
        return label is None or label != label
    return type(label).__name__ in ("NAType", "NaTType")


def check_present(y: np.ndarray) -> None:
    """ValueError that names the first row without a label."""
    if y.dtype.kind in "OT":
        for row, label in enumerate(y.tolist()):
            if is_missing(label):
                raise ValueError(f"row {row} of y has no label: it is missing ({label}); leave such rows out, for example "
                                 "by y.notna() of a pandas series")


def number_of(text: bytes) -> float | None:
    """The number that a label's text is, or None where it is a word."""
    return float(text) if _NUMBER.match(text) else None


def check_distinct(labels: Sequence[Any], texts: Sequence[bytes]) -> None:
    """ValueError where two labels are one class: the same number, written differently."""
    seen: dict[Any, Any] = {}
    for label, text in zip(labels, texts):
        number = number_of(text)
        key = text if number is None else number
        if key in seen:
            raise same_class(seen[key], label)
        seen[key] = label


def same_class(a: Any, b: Any) -> ValueError:
    """The error of two labels that are one number."""
    words = f"the labels {a!r} and {b!r} are the same class"
    if isinstance(a, numbers.Integral) and isinstance(b, numbers.Integral) and int(a) != int(b):
        words += ": labels are 64-bit floats, which cannot tell these numbers apart; give such classes names"
    return ValueError(words)


def _greater(a: bytes, b: bytes) -> bytes | None:
    """The greater of two classes as sluice compares them; None where that is not certain here."""
    x, y = number_of(a), number_of(b)
    if x is not None and y is not None:
        return a if x > y else b
    words = [t.lower() in (b"true", b"false") for t in (a, b)]
    if x is None and y is None and not any(words):
        return max(a, b)
    return None


class Classes:
    """The classes of an estimator: sorted Python values, and how sluice has them.

    A *plain* model has the labels -1 or 0, and 1; every other model has label texts (words)."""

    def __init__(self, values: Any):
        """From distinct labels, sorted as numpy sorts them."""
        self.values = np.asarray(values)
        labels = self.values.tolist()
        self.texts: tuple[bytes, ...] = tuple(text_of(label) for label in labels)
        check_distinct(labels, self.texts)
        n = len(labels)
        self.plain = n <= 2 and all(t in PLAIN for t in self.texts) and (n < 2 or b"1" in self.texts)
        self.several = n > 2
        self._numbers = np.array([0.0 if t == b"0" else float(t) for t in self.texts]) if self.plain else None
        self._table: tuple[int, np.ndarray] | None = None
        self._codes: dict[Any, int] | None = None

    @property
    def positive(self) -> bytes | None:
        """The `positive` setting of the model of these classes: None where sluice's own choice is the last one."""
        if len(self.texts) != 2 or self.plain:
            return None
        if all(t in PLAIN for t in self.texts) or _greater(*self.texts) != self.texts[1]:
            return self.texts[1]
        return None

    @property
    def negative_zero(self) -> bool:
        """Whether these are plain classes whose negative one is written 0."""
        return self.plain and b"0" in self.texts

    def indices(self, y: np.ndarray) -> np.ndarray:
        """The position of every label in `values`, intp; ValueError names labels that are none of them."""
        values = self.values
        if y.dtype.kind in "OT" or values.dtype.kind in "OT":
            return self._look_up(y.tolist())
        if len(values) <= 2:
            last = y == values[-1]
            if not isinstance(last, np.ndarray):  # types that cannot be equal
                raise self._unknown(y)
            if not (last if len(values) == 1 else last | (y == values[0])).all():
                raise self._unknown(y)
            return last.astype(np.intp) if len(values) == 2 else np.zeros(len(y), np.intp)
        if y.dtype.kind in "iu" and values.dtype.kind in "iu" and self._has_table():
            low, table = self._table  # type: ignore[misc]
            if len(y) and (int(y.min()) < low or int(y.max()) >= low + len(table)):
                raise self._unknown(y)
            found = table[_above(y, low)]
            if len(y) and found.min() < 0:
                raise self._unknown(y)
            return found
        if (y.dtype.kind in "US") != (values.dtype.kind in "US"):
            raise self._unknown(y)
        if y.dtype.kind in "US":
            return self._look_up(y.tolist())
        found = np.minimum(np.searchsorted(values, y), len(values) - 1)
        if not (values[found] == y).all():
            raise self._unknown(y)
        return found

    def _has_table(self) -> bool:
        if self._table is None:
            low, high = int(self.values[0]), int(self.values[-1])
            table = np.full(high - low + 1 if high - low < _TABLE_ROOM else 0, -1, np.intp)
            if len(table):
                table[_above(self.values, low)] = np.arange(len(self.values))
            self._table = (low, table)
        return len(self._table[1]) > 0

    def _look_up(self, labels: list[Any]) -> np.ndarray:
        if self._codes is None:
            self._codes = {label: i for i, label in enumerate(self.values.tolist())}
        try:
            return np.fromiter(map(self._codes.__getitem__, labels), np.intp, len(labels))
        except (KeyError, TypeError):
            raise self._unknown(labels) from None

    def _unknown(self, y: Iterable[Any]) -> ValueError:
        known = set(self.values.tolist())
        foreign = sorted({v for v in np.asarray(y).ravel().tolist() if v not in known}, key=repr)
        return ValueError(f"The target label(s) {foreign[:10]} in y do not exist in the initial classes "
                          f"{self.values.tolist()}; StreamClassifier takes classes as they come")

    def encode(self, indices: np.ndarray) -> tuple[np.ndarray, tuple[bytes, ...] | None]:
        """The labels of rows as the library takes them: floats of a plain model, or codes and their words."""
        if self._numbers is not None:
            return self._numbers[indices], None
        return indices.astype(np.uint32), self.texts


def find_classes(y: np.ndarray) -> tuple[Classes, np.ndarray]:
    """The classes of y and the position of every label in them. Bool and small integers need no sort."""
    if y.dtype == np.bool_ and len(y):
        found = np.array([v for v, there in ((False, not y.all()), (True, y.any())) if there])
    elif y.dtype.kind in "iu" and len(y) and int(y.max()) - int(y.min()) < _TABLE_ROOM:
        low = int(y.min())
        there = np.zeros(int(y.max()) - low + 1, bool)
        there[_above(y, low)] = True
        wide = _wide(low)
        found = (np.flatnonzero(there).astype(wide) + wide(low)).astype(y.dtype)
    elif y.dtype.kind == "f" and len(y) and _is_sign(y):
        found = np.array([v for v in (-1, 0, 1) if (y == v).any()], y.dtype)
    elif y.dtype.kind in "OT":
        check_present(y)
        try:
            distinct = sorted(set(y.tolist()))
        except TypeError:
            raise TypeError("labels of one y are of one kind: all numbers, or all str") from None
        found = np.array(distinct, dtype=y.dtype)
    else:
        found = np.unique(y)
    classes = Classes(found)
    return classes, classes.indices(y)


def join_classes(a: Classes, b: Classes) -> Classes:
    """The classes of two models as one; ValueError where those of one are texts and those of the other numbers."""
    if len({isinstance(label, str) for classes in (a, b) for label in classes.values.tolist()}) > 1:
        raise ValueError(f"the classes are {a.values.tolist()} and {b.values.tolist()}: texts and numbers")
    return find_classes(np.concatenate([a.values, b.values]))[0]


def _wide(low: int) -> Any:
    """The integers that hold labels close to `low`: all of those of uint64 are no int64."""
    return np.int64 if low < 0 else np.uint64


def _above(y: np.ndarray, low: int) -> np.ndarray:
    """How far labels are above the lowest one."""
    wide = _wide(low)
    return (y.astype(wide, copy=False) - wide(low)).astype(np.intp, copy=False)


def _is_sign(y: np.ndarray) -> bool:
    return bool(((y == 1) | (y == 0) | (y == -1)).all())


# ---- the classes of a model -----------------------------------------------------------------------------------------


def plain_classes(model: Any) -> np.ndarray:
    """The classes of a plain model: 1.0 and -1.0, or 0.0 where its first negative label was written so."""
    return np.array([0.0 if model.metadata(NEGATIVE_KEY) == b"0" else -1.0, 1.0])


def told_classes(model: Any) -> np.ndarray:
    """The classes of a model as it alone tells them, sorted: floats where all are numbers, else str."""
    classes = model.classes()
    if not classes and not model.settings()["classes"]:
        return plain_classes(model)
    if all(c["number"] is not None for c in classes):
        return np.sort(np.array([c["number"] for c in classes], float))
    return np.sort(np.array([c["text"].decode("utf-8", "surrogateescape") for c in classes]))


def saved_classes(model: Any) -> np.ndarray:
    """The classes of a model: as its metadata says, else as it tells them alone."""
    found = model.metadata(LABELS_KEY)
    if found is None:
        return told_classes(model)
    try:
        kept = json.loads(found)
        values = kept.get("values")
        return (told_classes(model) if values is None else np.array(values, dtype=object)).astype(kept["dtype"])
    except (ValueError, KeyError, TypeError) as wrong:
        raise ValueError(f"the model's metadata {LABELS_KEY} cannot be read: {wrong}") from None


def keep_classes(model: Any, values: np.ndarray) -> None:
    """Writes `LABELS_KEY` where the model alone would not give these classes back, and removes it otherwise."""
    told = told_classes(model)
    text = None
    if told.dtype.kind != values.dtype.kind or told.tolist() != values.tolist() or (
            values.dtype.kind == "f" and told.dtype != values.dtype):
        kept: dict[str, Any] = {"dtype": "object" if values.dtype.kind in "OT" else values.dtype.str}
        if kept["dtype"] == "object" or told.dtype.kind not in "f" or told.tolist() != values.tolist():
            kept["values"] = values.tolist()
        text = json.dumps(kept, default=lambda value: value.item()).encode()
    if model.metadata(LABELS_KEY) != text:
        model.set_metadata(LABELS_KEY, text)


def keep_negative(model: Any, classes: Classes) -> None:
    """Sets `NEGATIVE_KEY` once a plain model of these classes has learned a negative label that is written 0."""
    if classes.negative_zero and model.metadata(NEGATIVE_KEY) is None:
        facts = model.quick_facts()
        if facts["examples"] > facts["positives"]:
            model.set_metadata(NEGATIVE_KEY, b"0")
