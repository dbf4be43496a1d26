"""Matrices as the library takes them: rows of a CSR matrix without a copy, or dense rows turned into CSR by chunks."""

from __future__ import annotations

import re
from typing import Any, Iterator, NamedTuple

import numpy as np

_CHUNK = 1 << 19  # elements of a dense array that are converted at once


class Rows(NamedTuple):
    """Rows `start` to `stop` of a matrix in the arrays of CSR."""

    start: int
    stop: int
    indptr: np.ndarray
    ids: np.ndarray
    values: np.ndarray


def _native(a: np.ndarray, kinds: str, other: type) -> np.ndarray:
    """An array that is contiguous, aligned, in native byte order and of one of `kinds`: itself where it is."""
    dtype = a.dtype.newbyteorder("=") if a.dtype.str[1:] in kinds.split() else np.dtype(other)
    return np.require(a, dtype, ["C", "A"])


def csr_arrays(X: Any, start: int = 0) -> Rows:
    """The arrays of a scipy CSR matrix or array; int32 and int64 indices, float32 and float64 values uncopied. Its
    rows are those from `start` on of a larger one."""
    return Rows(start, start + X.shape[0], _native(X.indptr, "i4 i8", np.int64), _native(X.indices, "i4 i8", np.int64),
                _native(X.data, "f4 f8", np.float64))


def dense_chunks(X: np.ndarray) -> Iterator[Rows]:
    """The rows of a dense array without their zeros."""
    n, d = X.shape
    step = max(1, _CHUNK // max(d, 1))
    for start in range(0, n, step):
        part = X[start:start + step]
        if part.dtype.str[1:] not in ("f4", "f8") or not part.dtype.isnative:
            part = part.astype(np.float64)
        mask = part != 0
        indptr = np.zeros(len(part) + 1, np.int64)
        np.cumsum(np.count_nonzero(mask, axis=1), out=indptr[1:])
        if indptr[-1] == mask.size:
            ids = np.tile(np.arange(d, dtype=np.int32), len(part))
            values = np.ascontiguousarray(part).ravel()
        else:
            ids = np.ascontiguousarray(np.nonzero(mask)[1])
            values = part[mask]
        yield Rows(start, start + len(part), indptr, ids, values)


def rows_of(X: Any) -> Iterator[Rows]:
    """The rows of a validated matrix: a scipy CSR matrix in one piece, a dense array by chunks."""
    if isinstance(X, np.ndarray):
        yield from dense_chunks(X)
    else:
        yield csr_arrays(X)


def sum_duplicates(X: Any) -> Any:
    """A CSR matrix in which no column stands twice in a row: X itself, or a copy with such values added up."""
    if X.has_canonical_format:
        return X
    X = X.copy()
    X.sum_duplicates()
    return X


# ---- failures of the library in a row -------------------------------------------------------------------------------

_ROW = re.compile(r"row (\d+): ")


def row_of(error: Exception) -> int | None:
    """The row that an error of the library names, counted from 0; the rows before it are learned."""
    found = _ROW.match(str(error))
    return int(found.group(1)) - 1 if found else None


def says_twice(error: Exception) -> bool:
    """Whether a row has a column twice, which the library refuses to learn."""
    return str(error).endswith("a feature appears twice")


def in_whole(error: Exception, start: int) -> Exception:
    """The error of rows from `start` on, with the number that its row has in the whole matrix."""
    row = row_of(error)
    if row is None or not start:
        return error
    return type(error)(_ROW.sub(f"row {start + row + 1}: ", str(error), count=1))
