"""Matrices and frames as the library takes them: CSR without a copy, dense rows as CSR by chunks, cells as batches."""

from __future__ import annotations

import re
from typing import Any, Iterable, Iterator, NamedTuple

import numpy as np

from . import _frames
from ._left_out import left_out

_CHUNK = 1 << 19  # elements of a dense array that are converted at once


class Rows(NamedTuple):
    """Rows `start` to `stop` of a matrix in the arrays of CSR. `columns`: their names; None: they are numbers."""

    start: int
    stop: int
    indptr: np.ndarray
    ids: np.ndarray
    values: np.ndarray
    columns: tuple[str, ...] | None

    def margins(self, model: Any, out: np.ndarray) -> None:
        """Asks a model of two classes."""
        model.margins_csr(self.indptr, self.ids, self.values, self.columns, out)

    def classify(self, model: Any, best: Any, margins: Any, probabilities: Any) -> None:
        """Asks a model of several classes."""
        model.classify_csr(self.indptr, self.ids, self.values, self.columns, best, margins, probabilities)

    def features(self) -> dict[Any, float]:
        """Those of the first row, by id or name."""
        pairs = zip(self.ids.tolist(), self.values.tolist())
        return {j + 1 if self.columns is None else self.columns[j]: value for j, value in pairs}


class Cells(NamedTuple):
    """Rows `start` to `stop` of a frame as a batch of named features."""

    start: int
    stop: int
    batch: Any

    def margins(self, model: Any, out: np.ndarray) -> None:
        """Asks a model of two classes."""
        model.margins_batch(self.batch, out)

    def classify(self, model: Any, best: Any, margins: Any, probabilities: Any) -> None:
        """Asks a model of several classes."""
        model.classify_batch(self.batch, best, margins, probabilities)

    def features(self) -> dict[Any, float]:
        """Those of the first row, by name."""
        return dict(self.batch.row(0))


class Frame:
    """A frame with columns of text: every cell is a feature, as in a csv file."""

    def __init__(self, frame: Any):
        self.frame = frame
        self.shape: tuple[int, int] = (frame.shape[0], frame.shape[1])

    def cells(self, labels: Any = None, words: Any = None, weights: Any = None) -> Iterator[Cells]:
        """Its rows by batches, with labels where they are to be learned."""
        start = 0
        for batch in _frames.to_batches(self.frame, labels=labels, words=words, weights=weights):
            yield Cells(start, start + batch.rows, batch)
            start += batch.rows


def frame_of(X: Any) -> Frame | None:
    """X as a frame with columns that are no numbers; None where it is no frame, or one of numbers alone."""
    if not _frames.is_frame(X) or not hasattr(X, "shape"):
        return None
    if _frames.is_pandas(X):
        numbers = all(getattr(dtype, "kind", "O") in "biuf" for dtype in X.dtypes)
    elif hasattr(X, "schema") and hasattr(X, "lazy"):  # polars
        numbers = all(dtype.is_numeric() or str(dtype) == "Boolean" for dtype in X.dtypes)
    else:
        numbers = False
    return None if numbers else Frame(X)


def names_of(X: Any) -> list[str] | None:
    """The names of a frame's columns; None where X is no frame."""
    if not _frames.is_frame(X):
        return None
    return [str(name) for name in (X.column_names if hasattr(X, "column_names") else X.columns)]


def _native(a: np.ndarray, kinds: str, other: type) -> np.ndarray:
    """An array that is contiguous, aligned, in native byte order and of one of `kinds`: itself where it is."""
    dtype = a.dtype.newbyteorder("=") if a.dtype.str[1:] in kinds.split() else np.dtype(other)
    return np.require(a, dtype, ["C", "A"])


def csr_arrays(X: Any, columns: tuple[str, ...] | None = None, start: int = 0) -> Rows:
    """The arrays of a scipy CSR matrix or array; int32 and int64 indices, float32 and float64 values uncopied. Its
    rows are those from `start` on of a larger one."""
    return Rows(start, start + X.shape[0], _native(X.indptr, "i4 i8", np.int64), _native(X.indices, "i4 i8", np.int64),
                _native(X.data, "f4 f8", np.float64), columns)


def check_indices(X: Any) -> None:
    """ValueError where a CSR matrix has a column beyond its shape: scipy makes such matrices without a look. Seen as
    unsigned, what is negative is beyond it too; the largest of 10 million takes 3 ms."""
    if len(X.indices):
        seen = X.indices.view(np.uint32 if X.indices.dtype.itemsize == 4 else np.uint64)
        most = int(seen[: X.indptr[-1]].max(initial=0))
        if most >= X.shape[1]:
            raise ValueError(f"a row has column {int(X.indices[int(np.argmax(seen))])}, but the matrix has the shape {X.shape}")


def dense_chunks(X: np.ndarray, columns: tuple[str, ...] | None = None) -> Iterator[Rows]:
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
        yield Rows(start, start + len(part), indptr, ids, values, columns)


def rows_of(X: Any, columns: tuple[str, ...] | None = None) -> Iterator[Any]:
    """The rows of a validated X: a scipy CSR matrix in one piece, a dense array and a frame by chunks."""
    if isinstance(X, Frame):
        yield from X.cells()
    elif isinstance(X, np.ndarray):
        yield from dense_chunks(X, columns)
    else:
        yield csr_arrays(X, columns)


def sum_duplicates(X: Any) -> Any:
    """A CSR matrix in which no column stands twice in a row: X itself, or a copy with such values added up."""
    if X.has_canonical_format:
        return X
    X = X.copy()
    X.sum_duplicates()
    return X


# ---- features that have names ---------------------------------------------------------------------------------------

_ID = re.compile(r"[1-9][0-9]{0,18}\Z")


def ids_of(names: Iterable[Any]) -> np.ndarray | None:
    """The ids that names are, as int64; None where one is no id. A model of names has ids under their digits."""
    names = list(names)
    if not all(isinstance(name, str) and _ID.match(name) for name in names):
        return None
    return np.array(names, dtype=np.str_).astype(np.int64) if names else np.zeros(0, np.int64)


def name_of_no_column(model: Any) -> str | None:
    """A name of the model's features that is no id, so that no column of a matrix can be meant; None: there is none."""
    if not model.quick_facts()["has_names"] or model.settings()["hash_bits"]:
        return None
    problems = range(len(model.problems())) if model.settings()["classes"] else (None,)
    for names in ([name for name, _ in model.newest(64)], *(model.weights(problem)[0] or () for problem in problems)):
        for name in names:
            if ids_of([name]) is None:
                return str(name)
    return None


def refuse_matrix(name: str) -> ValueError:
    """The error of a matrix that is given to a model whose features have names."""
    return ValueError(f"the features of this model have names, such as {name!r}, and the columns of a matrix have "
                      "none: pass a frame with these columns")


def refuse_rows(model: Any, table: Any = None, label: str | None = None, weight: str | None = None) -> None:
    """Refuses a model that makes its features of lines, where rows of features would come without them: crossed ones, and
    the words of columns of text. And a frame with columns that the model leaves out, other than these two."""
    does = {"quadratic": "crosses features of lines and files", "text": "cuts columns of lines and files into words"}
    for key, work in does.items():
        kept = model.metadata(f"reader.{key}")
        if kept:
            asked = kept.decode("utf-8", "replace").split("\n")
            raise ValueError(f"the model {work} ({key}={asked}), and rows of features do not go through that here: "
                             "sluiceway.predict(model, inputs) and train(inputs, resume=model) take lines, files and dicts")
    names = _frames.column_names(table) if table is not None and _frames.is_frame(table) else []
    extra = [name for name in left_out(model, names) if name not in (label, weight)]
    if extra:
        raise ValueError(f"the model was learned without the columns {', '.join(map(repr, extra[:5]))}"
                         f"{', ...' if extra[5:] else ''} (its columns and ignore): leave them out here, too, such as with "
                         "frame.drop(columns=...)")


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
