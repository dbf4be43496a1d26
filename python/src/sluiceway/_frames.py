"""Frames of pandas, polars and others as batches: what the csv reader makes of a file with the same cells."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from decimal import Decimal
from numbers import Integral
from typing import Any

import numpy as np


def is_frame(thing: Any) -> bool:
    """Whether it is a table of named columns. A series of pandas or polars and an array of Arrow have the interface of
    tables too."""
    if is_pandas(thing):
        return True
    if not (hasattr(thing, "__arrow_c_stream__") or hasattr(thing, "__arrow_c_array__")):
        return False
    return len(getattr(thing, "shape", "no")) == 2 and str(getattr(thing, "type", "struct")).startswith("struct")


def is_pandas(thing: Any) -> bool:
    """Whether it is a frame of pandas, found without importing pandas."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(thing, pandas.DataFrame)


def to_batches(
    frame: Any,
    label: str | None = None,
    weight: str | None = None,
    *,
    labels: Any = None,
    words: tuple[str | bytes, ...] | None = None,
    weights: Any = None,
) -> Iterator[Any]:
    """The rows of a frame as batches. A number is the value of its column's name, any other text the feature
    `column=text`, true and false are 1 and 0, what is missing is no feature.

    label, weight: names of columns that are no features. Or beside the frame: labels (an array of floats, or whole
    numbers that are positions in `words`) and weights. With no labels at all rows have the label 0, for predicting.
    """
    from sluiceway import _sluice

    if is_pandas(frame):
        return pandas_batches(frame, label, weight, labels, words, weights)
    refuse_nul(frame)
    if hasattr(frame, "__arrow_c_stream__"):
        return _sluice.ArrowReader(frame.__arrow_c_stream__(), label, weight, labels, words, weights)
    if hasattr(frame, "__arrow_c_array__"):
        return _sluice.ArrowReader(frame.__arrow_c_array__(), label, weight, labels, words, weights)
    raise TypeError(f"{type(frame).__name__} is no frame: it has no __arrow_c_stream__")


def warn_of_texts(frame: Any, without: tuple[Any, ...] = (), stacklevel: int = 2) -> None:
    """A warning of columns in which hardly any text comes twice: each text is a feature, which is then of no use for
    other rows. `without`: columns that are no features. The first rows are looked at, of frames that can be cut."""
    if not is_frame(frame) or not (hasattr(frame, "head") or hasattr(frame, "slice")):
        return
    first = frame.head(1000) if hasattr(frame, "head") else frame.slice(0, 1000)
    for name in column_names(first):
        try:
            column = None if name in without else first[name]
        except (KeyError, TypeError, IndexError):  # its name is no text, or the frame gives no columns: an array of structs
            continue
        if column is None or getattr(column, "ndim", 1) != 1:
            continue
        if is_pandas(first) and getattr(column.dtype, "kind", "O") in "biuf":
            continue
        cells = column.to_pylist() if hasattr(column, "to_pylist") else column.to_list()
        texts = [cell for cell in cells if isinstance(cell, str) and not is_number(cell)]
        if len(texts) >= 100 and len(set(texts)) > 0.9 * len(texts):
            warnings.warn(f"in the column {name!r} hardly any text comes twice, and each of them is one feature: leave the "
                          'column out; or learn its words, by train((frame["text"], frame["label"]), format="text") or '
                          "with a vectorizer in a ColumnTransformer", UserWarning, stacklevel=stacklevel)


def is_number(text: str) -> bool:
    """Whether a cell is read as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def schema_names(frame: Any) -> list[str]:
    """The names in the schema of a frame that has one."""
    names = getattr(getattr(frame, "schema", None), "names", ())
    return list(names() if callable(names) else names)


def column_names(frame: Any) -> list[str]:
    """The names of a frame's columns, as far as they can be had without reading it."""
    if is_pandas(frame):
        return [str(name) for name in frame.columns]
    return schema_names(frame) or [field.name for field in getattr(frame, "type", ())]  # an array of structs has a type


def refuse_nul(frame: Any) -> None:
    """Refuses names of columns that Arrow's C interface, where a name ends at a NUL, would cut."""
    for name in schema_names(frame):
        if "\0" in name:
            raise ValueError(f"column {name!r}: a NUL in its name")


def pandas_batches(
    frame: Any, label: Any, weight: Any, labels: Any, words: Any, weights: Any
) -> Iterator[Any]:
    """The rows of a frame of pandas; its index is left out. Columns are laid out as Arrow has them: no pyarrow."""
    from sluiceway import _sluice

    keep: list[Any] = []
    columns = [column_of(str(name), frame.iloc[:, i], keep) for i, name in enumerate(frame.columns)]
    if not columns:
        columns = [("", "n", len(frame), len(frame), (), None)]
    source = Columns(columns)
    source.keep = keep
    return _sluice.ArrowReader(source, label, weight, labels, words, weights)


class Columns(list):
    """Columns for the extension, and the arrays that they lie in."""

    keep: list[Any]


Column = tuple[str, str, int, int, tuple[int, ...], Any]


def column_of(name: str, column: Any, keep: list[Any]) -> Column:
    """A column of pandas as Arrow has it: (name, format, rows, nulls, addresses of buffers, dictionary)."""
    kind = getattr(column.dtype, "kind", "O")
    if kind in "mMc" or kind == "V":
        raise TypeError(
            f"column {name!r} has the type {column.dtype}, which has no meaning as features: turn it into numbers or "
            "text, or drop the column"
        )
    if hasattr(column, "cat"):
        codes = np.ascontiguousarray(column.cat.codes, dtype=np.int32)
        values = column_of(name, column.cat.categories.to_series(), keep)
        return layout(name, "i", codes < 0, (codes,), keep, values)
    missing = np.asarray(column.isna(), dtype=bool)
    if kind == "b":
        truths = np.asarray(column.to_numpy(dtype=bool, na_value=False) if missing.any() else column, dtype=bool)
        return layout(name, "b", missing, (np.packbits(truths, bitorder="little"),), keep)
    if kind in "iuf":
        wide = {"i": np.int64, "u": np.uint64, "f": np.float64}[kind]
        if getattr(column.dtype, "itemsize", 8) == 4 and kind == "f":
            wide = np.float32
        numbers = column.to_numpy(dtype=wide, na_value=0) if missing.any() else np.ascontiguousarray(column, dtype=wide)
        return layout(
            name, {"i": "l", "u": "L", "f": "f" if wide is np.float32 else "g"}[kind], missing, (numbers,), keep
        )
    texts = [b"" if gone else cell_text(value, name) for value, gone in zip(column.tolist(), missing.tolist())]
    offsets = np.zeros(len(texts) + 1, dtype=np.int64)
    np.cumsum([len(t) for t in texts], out=offsets[1:])
    return layout(name, "U", missing, (offsets, np.frombuffer(b"".join(texts) + b"\0", dtype=np.uint8)), keep)


def layout(
    name: str, format: str, missing: Any, buffers: tuple[Any, ...], keep: list[Any], dictionary: Any = None
) -> Column:
    """A column of these buffers; bits are set where nothing is missing."""
    nulls = int(missing.sum())
    there = np.packbits(~missing, bitorder="little") if nulls else None
    keep.extend((there, *buffers))
    addresses = (0 if there is None else there.ctypes.data, *(b.ctypes.data for b in buffers))
    return name, format, len(missing), nulls, addresses, dictionary


def cell_text(value: Any, column: str) -> bytes:
    """The text of one cell that is an object."""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape")
    if isinstance(value, bytes):
        return value
    if isinstance(value, (bool, np.bool_)):
        return b"1" if value else b"0"
    if isinstance(value, (float, np.floating)):
        return repr(float(value)).encode()
    if isinstance(value, (Integral, Decimal)):
        return str(value).encode()
    raise TypeError(
        f"column {column!r} has a {type(value).__name__}, which has no meaning as a feature: turn it into numbers "
        "or text, or drop the column"
    )
