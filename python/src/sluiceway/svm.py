"""LIBSVM files and sparse matrices: read_svm and write_svm."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from sluiceway import _extras, _inputs, _matrix, _sluice
from sluiceway._labels import check_distinct, check_present, number_of, text_of

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


def read_svm(
    path: Any,
    *,
    n_features: int | None = None,
    dtype: Any = np.float32,
    zero_based: bool = False,
    format: str | None = None,
    on_error: str = "stop",
) -> tuple[csr_matrix, np.ndarray]:
    """Reads a LIBSVM file, or several as one, into a sparse matrix and its labels.

    Column j of the matrix is id j + 1, as in `SluiceClassifier`. Explicit zeros stay. Compressed files (gzip, zstd,
    bzip2, xz) are recognised by their content.

    Parameters
    ----------
    path : path, several paths, file object, or iterable of lines
        What to read.
    n_features : int, default=None
        How many columns the matrix has; None: as many as the largest id needs.
    dtype : type, default=numpy.float32
        Of the values, which are read as 32-bit floats.
    zero_based : bool, default=False
        Ids begin at 0: column j is id j.
    format : str, default=None
        ``"libsvm"``, ``"bin"`` or another one with ids; None: by the content, then by the ending.
    on_error : str, default="stop"
        ``"stop"`` at a malformed line, or ``"skip"`` it.

    Returns
    -------
    X : scipy.sparse.csr_matrix
        The rows.
    y : ndarray
        Labels: float64, or str where a label is no number.

    Examples
    --------
    >>> X, y = read_svm(["1 1:0.5 3:2", "0 2:1"])
    >>> X.toarray()
    array([[0.5, 0. , 2. ],
           [0. , 1. , 0. ]], dtype=float32)
    >>> y
    array([1., 0.])
    """
    csr_matrix = _extras.scipy_sparse("read_svm").csr_matrix
    if on_error not in ("stop", "skip"):
        raise ValueError(f"on_error must be 'stop' or 'skip', not {on_error!r}")
    reader = _inputs.reader(path, format=format, skip_errors=on_error == "skip")
    try:
        found = reader.read_matrix(zero_based)
    finally:
        reader.close()
    n_columns = found["n_columns"]
    if n_features is not None:
        if n_features < n_columns:
            raise ValueError(f"n_features is {n_features}, but the file has {n_columns} columns")
        n_columns = n_features
    values = np.frombuffer(found["values"], dtype=np.float32)
    columns = np.frombuffer(found["columns"], dtype=np.int64 if found["wide"] else np.int32)
    starts = np.frombuffer(found["starts"], dtype=np.int64)
    if not found["wide"] and len(values) < 2**31 and n_columns < 2**31:
        starts = starts.astype(np.int32)
    if np.dtype(dtype) != values.dtype:
        values = values.astype(dtype)
    X = csr_matrix((values, columns, starts), shape=(len(starts) - 1, n_columns), copy=False)
    return X, labels_of(found)


def labels_of(found: dict[str, Any]) -> np.ndarray:
    """The labels of what was read: numbers, or texts if one is a word."""
    labels = np.frombuffer(found["labels"], dtype=np.float64)
    if found["words"] is None:
        return labels
    codes = np.frombuffer(found["codes"], dtype=np.int32)
    words = list(found["words"])
    numbers = [number_of(w.encode("utf-8", "surrogateescape")) for w in words]
    if None not in numbers:
        return np.where(codes >= 0, np.array(numbers)[codes], labels)
    plain = ["-1", "0", "1"]
    places = np.where(codes >= 0, codes, len(words) + 1 + labels.astype(np.int32))
    return np.array(words + plain)[places]


def write_svm(
    path: str | os.PathLike[str], X: Any, y: Any, *, zero_based: bool = False, format: str | None = "libsvm"
) -> None:
    """Writes a matrix and its labels as a LIBSVM file, which appears when it is complete.

    Parameters
    ----------
    path : path
        Where to; an existing file is replaced.
    X : sparse or dense matrix
        Column j becomes id j + 1. Explicit zeros of a sparse one are written; a column that stands twice in a row is
        its sum.
    y : array-like
        Labels: numbers or texts.
    zero_based : bool, default=False
        Column j becomes id j.
    format : str, default="libsvm"
        ``"libsvm"``, ``"bin"``, ``"vw"``, ``"jsonl"``, or None: by the path's ending.

    Examples
    --------
    >>> import tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "a.svm")
    >>> write_svm(path, [[0.5, 0, 2], [0, 1, 0]], [1, 0])
    >>> print(open(path).read(), end="")
    1 1:0.5 3:2
    0 2:1
    """
    with _inputs.os_errors(path):
        writer = _sluice.Writer(os.fsencode(path), format)
        try:
            put_matrix(writer, X, y, zero_based)
            writer.commit()
        finally:
            writer.close()


def put_matrix(writer: Any, X: Any, y: Any, zero_based: bool = False, weights: Any = None) -> None:
    """Writes the rows of a sparse or dense matrix."""
    scipy_sparse = _extras.scipy_sparse("a matrix")
    csr_matrix, issparse = scipy_sparse.csr_matrix, scipy_sparse.issparse
    X = _matrix.sum_duplicates(X.tocsr()) if issparse(X) else csr_matrix(np.atleast_2d(as_numbers(X)))
    rows = _matrix.csr_arrays(X)
    labels, words = label_words(np.asarray(y))
    if len(labels) != X.shape[0]:
        raise ValueError(f"X has {X.shape[0]} rows, but y has {len(labels)}")
    if weights is not None:
        weights = np.require(weights, np.float64, ["C", "A"])
    writer.put_csr(rows.indptr, rows.ids, rows.values, labels, words, zero_based, weights)


def as_numbers(X: Any) -> np.ndarray:
    """A dense X as an array of numbers."""
    X = np.asarray(X)
    if X.dtype.kind in "biuf":
        return X
    try:
        return X.astype(np.float64)
    except (TypeError, ValueError):
        raise TypeError(f'X is no matrix of numbers but has the type {X.dtype}; texts are learned with format="text": '
                        'train((texts, labels), format="text")') from None


def label_words(y: np.ndarray) -> tuple[np.ndarray, tuple[bytes, ...] | None]:
    """Labels as the library takes them: numbers -1, 0 and 1, or positions in a list of texts."""
    if y.ndim != 1:
        raise ValueError(f"y has {y.ndim} dimensions, not 1")
    if y.dtype.kind in "biuf":
        numbers = np.require(y, np.float64, ["C", "A"])
        if not np.isfinite(numbers).all():
            raise ValueError("y has NaN or infinite labels")
        if np.isin(numbers, (-1, 0, 1)).all():
            return numbers, None
    check_present(y)
    values, codes = np.unique(y, return_inverse=True)
    words = tuple(text_of(v) for v in values.tolist())
    if y.dtype.kind in "iu":
        check_distinct(values.tolist(), words)
    return np.ascontiguousarray(codes.reshape(-1), dtype=np.int32), words
