"""Columns of Arrow as rows of features: vectors, arrays, maps of named features, and lines of text."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .._matrix import Rows

#: Kinds of a features column.
VECTORS, ARRAYS, MAPS, LINES = "vectors", "arrays", "maps", "lines"


def kind_of(data_type: Any) -> str:
    """The kind of a column by its Spark type; TypeError for one that is no features."""
    from pyspark.ml.linalg import VectorUDT
    from pyspark.sql import types as t

    if isinstance(data_type, VectorUDT):
        return VECTORS
    if isinstance(data_type, t.ArrayType) and isinstance(data_type.elementType, t.NumericType):
        return ARRAYS
    if isinstance(data_type, t.MapType) and isinstance(data_type.valueType, t.NumericType):
        if isinstance(data_type.keyType, t.StringType):
            return MAPS
    if isinstance(data_type, (t.StringType, t.BinaryType)):
        return LINES
    raise TypeError(f"a features column is a vector, an array of numbers, a map from names to numbers, or lines of text, "
                    f"not {data_type.simpleString()}")


def _whole(column: Any) -> Any:
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def _refuse_nulls(column: Any, what: str) -> None:
    if column.null_count:
        row = pc.index(pc.is_null(column), True).as_py()
        raise ValueError(f"row {row + 1} of a batch has no {what}: it is null; leave such rows out (DataFrame.na.drop)")


def _list_bounds(lists: Any) -> np.ndarray:
    """The bounds of each list, from 0 on; a null list is empty."""
    lengths = pc.fill_null(pc.list_value_length(lists), 0).to_numpy(zero_copy_only=False)
    bounds = np.zeros(len(lists) + 1, np.int64)
    np.cumsum(lengths, out=bounds[1:])
    return bounds


def _numbers(values: Any, what: str) -> np.ndarray:
    _refuse_nulls(values, what)
    found = values.to_numpy(zero_copy_only=False)
    return found if found.dtype in (np.float32, np.float64) else found.astype(np.float64)


def _positions(bounds: np.ndarray) -> np.ndarray:
    """0, 1, 2, ... in each list."""
    lengths = np.diff(bounds)
    return np.arange(bounds[-1]) - np.repeat(bounds[:-1], lengths)


def _vectors(column: Any) -> Rows:
    """Sparse and dense vectors. Column j is the feature j + 1, as in matrices."""
    kind, _, indices, values = column.flatten()
    bounds, found = _list_bounds(values), _numbers(values.flatten(), "value")
    dense = kind.to_numpy(zero_copy_only=False) == 1
    given = indices.flatten().to_numpy(zero_copy_only=False)
    if not dense.any():
        return Rows(0, len(column), bounds, given.astype(np.int32, copy=False), found, None)
    is_dense = np.repeat(dense, np.diff(bounds))
    ids = np.empty(len(found), np.int64)
    ids[is_dense] = _positions(bounds)[is_dense]
    ids[~is_dense] = given
    return Rows(0, len(column), bounds, ids, found, None)


def _arrays(column: Any) -> Rows:
    bounds = _list_bounds(column)
    return Rows(0, len(column), bounds, _positions(bounds), _numbers(column.flatten(), "value"), None)


def _maps(column: Any) -> Rows:
    lists = column.cast(pa.list_(pa.struct([("key", column.type.key_type), ("value", column.type.item_type)])))
    names, values = lists.flatten().flatten()
    words = pc.dictionary_encode(names)
    return Rows(0, len(column), _list_bounds(lists), words.indices.to_numpy(zero_copy_only=False).astype(np.int64),
                _numbers(values, "value"), tuple(words.dictionary.to_pylist()))


_READERS: dict[str, Callable[[Any], Rows]] = {VECTORS: _vectors, ARRAYS: _arrays, MAPS: _maps}


def rows_of(kind: str, column: Any) -> Rows:
    """The rows of a column that is not lines."""
    column = _whole(column)
    _refuse_nulls(column, "features")
    if isinstance(column, pa.ExtensionArray):
        column = column.storage
    return _READERS[kind](column)


def text_of(column: Any) -> bytes:
    """The lines of a column as one block of bytes, each with a newline at its end."""
    column = _whole(column)
    _refuse_nulls(column, "line")
    if not len(column):
        return b""
    column = column.cast(pa.large_binary() if pa.types.is_binary(column.type) else pa.large_string())
    end = pa.scalar(b"\n" if pa.types.is_large_binary(column.type) else "\n", column.type)
    lists = pa.LargeListArray.from_arrays(pa.array([0, len(column)], pa.int64()), column)
    return pc.binary_join(lists, end)[0].as_buffer().to_pybytes() + b"\n"


class Labels(NamedTuple):
    """Labels of rows as the library takes them."""

    values: np.ndarray
    words: tuple[bytes, ...] | None


def labels_of(column: Any, classes: Any) -> Labels:
    """The labels of a column."""
    column = _whole(column)
    _refuse_nulls(column, "label")
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):  # each label is looked up once
        words = column.dictionary_encode()
        found = classes.indices(np.array(words.dictionary.to_pylist(), object))[words.indices.to_numpy(zero_copy_only=False)]
    else:
        found = classes.indices(column.to_numpy(zero_copy_only=False))
    return Labels(*classes.encode(found))


def weights_of(column: Any) -> np.ndarray:
    """The importances of rows."""
    return _numbers(_whole(column), "weight").astype(np.float64)
