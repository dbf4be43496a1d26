"""SluiceClassifier: a scikit-learn classifier over a model of the library."""

from __future__ import annotations

import copy
import numbers
import os
import warnings
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, Callable, Mapping, NamedTuple, Sequence

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils import (
    _safe_indexing, assert_all_finite, check_array, check_consistent_length, check_random_state, column_or_1d)
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _num_samples, validate_data

from . import _frames, _inputs, _labels, _matrix, _sluice, _table
from ._explanation import Explanation, Term
from ._progress import ProgressBar
from ._view import View

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["SluiceClassifier", "Explanation", "FeatureWeight", "Term", "load"]


class FeatureWeight(NamedTuple):
    """A feature, by its column or name, and its weight."""

    feature: Any
    weight: float


class _Fitted:
    """The model of a fitted estimator, and what is computed from it when it is first asked for.

    `columns`: the names of a frame's columns; None: columns are numbers. `cells`: the frame had columns of text, so that
    every cell is a feature. `loaded`: the model came from a file, and what its columns were is not known."""

    def __init__(self, model: Any, classes: _labels.Classes, columns: tuple[str, ...] | None = None,
                 cells: bool = False, loaded: bool = False):
        self.model, self.classes, self.columns, self.cells, self.loaded = model, classes, columns, cells, loaded
        self.made_of: dict[str, Any] | None = None  # the parameters; None: not known
        self.forget()

    def forget(self) -> None:
        """The model has changed."""
        self._state = object()  # a view that another thread makes of the model as it was is not kept
        self._view: tuple[object, View] | None = None
        self.weights: tuple[Any, np.ndarray] | None = None
        self._named: tuple[str | None] | None = None

    @property
    def view(self) -> View:
        found, state = self._view, self._state
        if found is None or found[0] is not state:
            found = self._view = (state, View(self.model, self.classes))
        return found[1]

    def columns_of(self, names: Sequence[str] | None) -> tuple[str, ...] | None:
        """The names that the columns of a matrix go by; `names`: those of the frame that it was. A model of a file goes
        by them where it knows names, or where they are ids."""
        if not self.loaded:
            return self.columns
        if names is None:
            if self._named is None:
                self._named = (_matrix.name_of_no_column(self.view.model),)
            if self._named[0] is not None:
                raise _matrix.refuse_matrix(self._named[0])
            return None
        facts, settings = self.model.quick_facts(), self.model.settings()
        by_name = facts["has_names"] or settings["hash_bits"] or not facts["examples"]
        return tuple(names) if by_name or all(name.isdecimal() for name in names) else None

    def saveable(self) -> Any:
        """The model, with the metadata that tells the types of the labels."""
        _labels.keep_classes(self.model, self.classes.values)
        return self.model

    def __getstate__(self) -> dict[str, Any]:
        return {"bytes": bytes(self.saveable().to_bytes()), "classes": self.classes.values, "columns": self.columns,
                "cells": self.cells, "loaded": self.loaded, "made_of": self.made_of}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(_sluice.Model.from_bytes(state["bytes"]), _labels.Classes(state["classes"]),  # type: ignore[misc]
                      state["columns"], state["cells"], state["loaded"])
        self.made_of = state.get("made_of")


def attribute_of(name: str) -> str:
    """Where a parameter is stored. What has an attribute `transform` is a transformer to scikit-learn, and `score` is a
    method."""
    return "_" + name if name in ("transform", "score") else name


class BaseSluiceClassifier(ClassifierMixin, BaseEstimator):
    """What SluiceClassifier and the classes of single learners share."""

    _fitted: _Fitted

    # ---- what a subclass says of itself

    def _learner(self) -> str:
        raise NotImplementedError

    def _learner_params(self) -> dict[str, Any]:
        raise NotImplementedError

    # ---- scikit-learn's protocol

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters of this estimator.

        Parameters
        ----------
        deep : bool, default=True
            Without effect: no parameter is an estimator.

        Returns
        -------
        params : dict
            Values by name.
        """
        return {name: getattr(self, attribute_of(name)) for name in self._get_param_names()}

    def set_params(self, **params: Any) -> Self:
        """Sets parameters of this estimator.

        Parameters
        ----------
        **params : dict
            Values by name. Whether the learner takes them is looked at in `fit`.

        Returns
        -------
        self : object
            The estimator.
        """
        own = self._get_param_names()
        for name, value in _table.canonical(params).items():
            if name in own:
                setattr(self, attribute_of(name), value)
            elif not self._set_other(name, value):
                raise ValueError(f"Invalid parameter {name!r} for estimator {self}. Valid parameters are: "
                                 f"{sorted(self.get_params())!r}.")
        return self

    def _set_other(self, name: str, value: Any) -> bool:
        """Sets a parameter that stands not in the signature; False: there is none."""
        return False

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        learner = _table.learners().get(str(self._learner()))
        # a plane through the origin cannot divide classes that lie on one side of it; auto adds a bias where it helps
        tags.classifier_tags.poor_score = not self.bias and not (learner and learner.flags & _table.TUNES)
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return "_fitted" in self.__dict__

    def _check_fitted(self) -> _Fitted:
        fitted = self.__dict__.get("_fitted")
        if fitted is None:
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet. Call 'fit' or 'partial_fit' "
                                 "with appropriate arguments before using this estimator.")
        return fitted

    # ---- data in

    def _check_X(self, X: Any, fitted: _Fitted | None) -> tuple[Any, tuple[str, ...] | None]:
        """X as a CSR matrix, a dense array or a `_matrix.Frame`, with the names that its columns go by. `fitted`: it must
        have the columns of this model; None: it is the first X. The values of CSR are not looked at."""
        first = fitted is None
        if not sparse.issparse(X) and not _frames.is_frame(X):
            self._refuse_texts(X, fitted)
        if fitted is not None:
            _matrix.refuse_rows(fitted.model, X)
        if fitted is not None and not fitted.cells and sparse.issparse(X) and self._is_like_before(X):
            return X, None
        frame = _matrix.frame_of(X)
        if fitted is not None and fitted.cells:
            if frame is None and not _frames.is_frame(X):
                raise ValueError(f"this {type(self).__name__} was fitted on a frame with columns of text: it takes frames "
                                 "with the same columns")
            frame = frame or _matrix.Frame(X)
        if frame is not None and (first or fitted.cells or fitted.loaded):  # type: ignore[union-attr]
            if first or not fitted.loaded:  # type: ignore[union-attr]
                self._check_columns(X, first)
            if frame.shape[0] == 0:
                raise ValueError(f"Found array with 0 sample(s) (shape={frame.shape}) while a minimum of 1 is required.")
            return frame, None
        is_csr = sparse.issparse(X) and X.format == "csr"
        how: dict[str, Any] = {"accept_sparse": "csr", "accept_large_sparse": True, "ensure_all_finite": not is_csr,
                               "dtype": (np.float32, np.float64) if is_csr else "numeric"}
        if fitted is not None and fitted.loaded:
            names = _matrix.names_of(X)
            return check_array(X, estimator=self, input_name="X", **how), fitted.columns_of(names)
        if _frames.is_frame(X) and not _frames.is_pandas(X):
            self._check_columns(X, first)
            X = check_array(X, estimator=self, input_name="X", **how)
        else:
            X = validate_data(self, X, reset=first, **how)
        if not first:
            return X, fitted.columns  # type: ignore[union-attr]
        names = getattr(self, "feature_names_in_", None)
        return X, None if names is None else tuple(names.tolist())

    @staticmethod
    def _refuse_texts(X: Any, fitted: _Fitted | None) -> None:
        """Says what to do with texts, which are no rows."""
        if isinstance(X, (str, bytes)) or len(getattr(X, "shape", (0,))) != 1 or not hasattr(X, "__iter__"):
            return
        try:
            text = next(iter(X), None)
        except TypeError:  # an array of no dimensions
            return
        if not isinstance(text, (str, bytes)):
            return
        if fitted is not None and fitted.model.metadata("reader.format") in (b"text", b"url"):
            raise ValueError("X is a list of texts, and an estimator takes rows of features: sluiceway.predict(model, texts) "
                             "reads texts as the model was learned")
        raise ValueError("X is a list of texts, not of rows of numbers: put a vectorizer before the classifier, "
                         "make_pipeline(HashingVectorizer(), SluiceClassifier()), or learn the texts as they are, "
                         'sluiceway.train((texts, labels), format="text")')

    def _check_columns(self, X: Any, first: bool) -> None:
        """Keeps the columns of a frame, or compares them: what `validate_data` does for pandas. Which other frames it
        knows depends on the versions of both."""
        if _frames.is_pandas(X):
            validate_data(self, X, reset=first, skip_check_array=True)
            return
        names = _matrix.names_of(X) or []
        if first:
            self.n_features_in_ = len(names)
            self.feature_names_in_ = np.array(names, dtype=object)
            return
        known = getattr(self, "feature_names_in_", None)
        if known is None:
            warnings.warn(f"X has feature names, but {type(self).__name__} was fitted without feature names", stacklevel=4)
            if len(names) != self.n_features_in_:
                raise ValueError(f"X has {len(names)} features, but {type(self).__name__} is expecting "
                                 f"{self.n_features_in_} features as input.")
        elif names != known.tolist():
            parts = [("unseen at fit time", [n for n in names if n not in set(known)]),
                     ("seen at fit time, yet now missing", [n for n in known if n not in set(names)])]
            told = [f"Feature names {what}: {', '.join(found)}" for what, found in parts if found]
            raise ValueError("\n".join(["The feature names should match those that were passed during fit.",
                                        *(told or ["Feature names must be in the same order as they were in fit."])]))

    def _is_like_before(self, X: Any) -> bool:
        """Whether a CSR matrix is what `validate_data` would return as it is: of small pieces of a stream its checks
        would take longer than learning them."""
        return (X.format == "csr" and X.ndim == 2 and X.shape[0] > 0 and X.shape[1] == getattr(self, "n_features_in_", -1)
                and X.data.dtype in (np.float32, np.float64) and not hasattr(self, "feature_names_in_"))

    def _refuse_nan(self, X: Any) -> None:
        """ValueError in scikit-learn's words where a value is not finite, or is no float32."""
        if isinstance(X, _matrix.Frame):
            return
        values = X.data if sparse.issparse(X) else X
        with np.errstate(over="ignore"):
            for part in (values, values.astype(np.float32)):
                assert_all_finite(part, estimator_name=type(self).__name__, input_name="X")

    def _check_values(self, X: Any) -> None:
        """Refuses CSR values that are not finite before anything is learned. One product is quicker than a look at
        every value; dense arrays were looked at before."""
        if sparse.issparse(X):
            _matrix.check_indices(X)
            with np.errstate(over="ignore", invalid="ignore"):
                if not np.isfinite(np.dot(X.data, X.data)):
                    self._refuse_nan(X)

    def _check_y(self, y: Any, X: Any) -> np.ndarray:
        if y is None:
            raise ValueError(f"This {type(self).__name__} estimator requires y to be passed, but the target y is None.")
        if not (type(y) is np.ndarray and y.ndim == 1 and len(y) == getattr(X, "shape", (None,))[0]):
            y = column_or_1d(y, warn=True)
            check_consistent_length(X, y)
        if y.dtype.kind == "f":
            if not np.isfinite(y).all():
                assert_all_finite(y, input_name="y")
            if not (y == np.trunc(y)).all():
                check_classification_targets(y)
        elif y.dtype.kind not in "biuUOT":
            check_classification_targets(y)
        return y

    def _check_weights(self, sample_weight: Any, n: int) -> np.ndarray | None:
        if sample_weight is None:
            return None
        if isinstance(sample_weight, numbers.Number):
            weights = np.full(n, sample_weight, np.float64)
        else:
            weights = check_array(sample_weight, ensure_2d=False, dtype=(np.float64, np.float32), order="C",
                                  input_name="sample_weight", ensure_min_samples=0)
        if weights.ndim != 1:
            raise ValueError(f"Sample weights must be 1D array or scalar, got {weights.ndim}D array.")
        if weights.shape != (n,):
            raise ValueError(f"sample_weight.shape == {weights.shape}, expected {(n,)}!")
        if n and weights.min() < 0:
            raise ValueError("Negative values in data passed to `sample_weight`.")
        return weights

    def _class_factors(self, classes: _labels.Classes, indices: np.ndarray, weights: np.ndarray | None,
                       whole: bool) -> np.ndarray | None:
        """What class_weight multiplies the weights of each class by; `whole`: y has all labels."""
        class_weight = getattr(self, "class_weight", None)
        if class_weight is None:
            return None
        if isinstance(class_weight, str):
            if class_weight != "balanced":
                raise ValueError(f"class_weight={class_weight!r}: it takes None, 'balanced' or a dict")
            if not whole:
                raise ValueError("class_weight 'balanced' is not supported for partial_fit. In order to use 'balanced' "
                                 "weights, use compute_class_weight('balanced', classes=classes, y=y), and pass the "
                                 "resulting weights as the class_weight parameter.")
            counts = np.bincount(indices, weights, len(classes.values)).astype(np.float64)
            total = counts.sum()
            return np.divide(total, np.count_nonzero(counts) * counts, out=np.zeros_like(counts), where=counts > 0)
        factors = compute_class_weight(class_weight, classes=classes.values, y=classes.values)
        if not (np.isfinite(factors) & (factors >= 0)).all():
            raise ValueError(f"class_weight={class_weight!r}: weights are numbers of at least 0")
        return factors

    def _row_weights(self, classes: _labels.Classes, indices: np.ndarray, weights: np.ndarray | None,
                     whole: bool) -> np.ndarray | None:
        factors = self._class_factors(classes, indices, weights, whole)
        if factors is None:
            return weights
        return factors[indices] if weights is None else factors[indices] * weights

    # ---- learning

    def _shuffled(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, ...]:
        """The rows in an order that is drawn with `random_state`."""
        X = X.tocsr() if sparse.issparse(X) else X  # not every format can be indexed
        parts = [a for a in (X, y, sample_weight) if a is not None and not isinstance(a, numbers.Number)]
        check_consistent_length(*parts)
        order = check_random_state(self.random_state).permutation(_num_samples(X))
        return tuple(_safe_indexing(a, order) if any(a is part for part in parts) else a for a in (X, y, sample_weight))

    @staticmethod
    def _warn_if_sorted(indices: np.ndarray) -> None:
        """Rows that come class after class teach a learner of one pass little but the last class."""
        n = len(indices)
        if n < 30 or indices[0] == indices[-1]:
            return
        changes = np.count_nonzero(indices[1:] != indices[:-1])
        expected = n - np.square(np.bincount(indices)).sum() / n  # in random order
        if changes < expected / 20:
            warnings.warn("the rows are sorted by label, and a learner that sees them once, in order, learns little but "
                          "the last one: set shuffle=True", UserWarning, stacklevel=4)

    def _new_model(self, classes: _labels.Classes) -> Any:
        learner = _table.find(self._learner())
        settings = _table.model_settings({name: getattr(self, attribute_of(name))
                                          for name in (*_table.MODEL_SETTINGS, "multiclass")},
                                         classes.several, classes.positive)
        return _sluice.Model(learner.name, _table.param_strings(learner, self._learner_params()), settings)

    def _made_of(self) -> dict[str, Any]:
        """The learner, its parameters and the settings that a model would be made of now."""
        names = (*_table.MODEL_SETTINGS, "multiclass")
        return {"learner": self._learner(), **self._learner_params(),
                **{name: getattr(self, attribute_of(name)) for name in names}}

    @staticmethod
    def _as_texts(made_of: dict[str, Any]) -> dict[str, str]:
        """What `_made_of` gives, with defaults, so that what means the same is equal."""
        learner = _table.find(made_of["learner"])
        values = {**learner.defaults, **made_of, "learner": learner.name}
        return {name: str(_table.setting_value(name, value)) if name in _table.SETTINGS else _table.value_text(value)
                for name, value in values.items()}

    def _check_unchanged(self, fitted: _Fitted) -> None:
        """Refuses to go on with a model that was made of other parameters: the new ones would have no effect."""
        now = self._made_of()
        if fitted.made_of is None or fitted.made_of == now:
            return
        old, new = self._as_texts(fitted.made_of), self._as_texts(now)
        changed = ["learner"] if old["learner"] != new["learner"] else [n for n in {**old, **new} if old.get(n) != new.get(n)]
        if changed:
            told = ", ".join(f"{name} was {fitted.made_of.get(name, old.get(name))!r} and is {now.get(name, new.get(name))!r}"
                             for name in changed)
            raise ValueError(f"{told}: the model goes on with what it was made of. Set it back to go on; "
                             "sklearn.base.clone(estimator), or fit without warm_start, begins anew")

    def _learn(self, fitted: _Fitted, X: Any, columns: tuple[str, ...] | None, indices: np.ndarray,
               weights: np.ndarray | None, passes: int, title: str) -> None:
        """Learns the rows of X `passes` times and ends the run. What an interrupt or a failure leaves is what was
        learned until then."""
        labels, words = fitted.classes.encode(indices)
        bar = ProgressBar(title, X.shape[0] * passes) if getattr(self, "verbose", 0) else None
        try:
            with bar or nullcontext():
                for _ in range(passes):
                    if isinstance(X, _matrix.Frame):
                        for cells in X.cells(labels, words, weights):
                            fitted.model.learn_batch(cells.batch, bar)
                            if bar is not None:
                                bar.add(cells.stop - cells.start)
                    else:
                        self._learn_matrix(fitted.model, X, columns, labels, words, weights, bar)
            fitted.model.end_run()
        finally:
            fitted.forget()
            _labels.keep_negative(fitted.model, fitted.classes)

    def _learn_matrix(self, model: Any, X: Any, columns: tuple[str, ...] | None, labels: np.ndarray,
                      words: tuple[bytes, ...] | None, weights: np.ndarray | None, bar: ProgressBar | None) -> None:
        """Learns the rows of a matrix once."""
        pieces = _matrix.rows_of(X, columns)
        rows = next(pieces, None)
        while rows is not None:
            part = slice(rows.start, rows.stop)
            try:
                model.learn_csr(rows.indptr, rows.ids, rows.values, labels[part],
                                None if weights is None else weights[part], words, columns, bar)
            except ValueError as error:
                row = _matrix.row_of(error)
                if row is not None and sparse.issparse(X) and _matrix.says_twice(error):
                    rows = _matrix.csr_arrays(_matrix.sum_duplicates(X[row:]), columns, row)  # those before are learned
                    continue
                self._refuse_nan(X)
                raise _matrix.in_whole(error, rows.start) from None
            if bar is not None:
                bar.add(rows.stop - rows.start)
            rows = next(pieces, None)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learns from all rows, in order, `passes` times; what was learned before is forgotten unless `warm_start`.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            CSR with float32 or float64 values goes to the library as it is; other matrices are converted.
        y : array-like of shape (n_samples,)
            Labels: numbers, bools or strings.
        sample_weight : array-like of shape (n_samples,), default=None
            Importances of the rows; 0 is as if the row were absent.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        before = dict(self.__dict__)
        try:
            return self._fit(X, y, sample_weight)
        except Exception:
            self.__dict__.clear()
            self.__dict__.update(before)  # the columns of X too are those of the model that there is
            raise

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Self:
        go_on = bool(getattr(self, "warm_start", False)) and self.__sklearn_is_fitted__()
        passes = _table.setting_value("passes", self.passes)
        if getattr(self, "shuffle", False):
            X, y, sample_weight = self._shuffled(X, y, sample_weight)
        X, columns = self._check_X(X, self._fitted if go_on else None)
        self._check_values(X)
        y = self._check_y(y, X)
        weights = self._check_weights(sample_weight, X.shape[0])
        if weights is not None and not weights.any():
            raise ValueError("Sample weights must contain at least one non-zero number.")
        if go_on:
            fitted = self._fitted
            _matrix.refuse_rows(fitted.model)
            self._check_unchanged(fitted)
            indices = fitted.classes.indices(y)
        else:
            classes, indices = _labels.find_classes(y)
            self._warn_if_sorted(indices)
            fitted = _Fitted(self._new_model(classes), classes, columns, isinstance(X, _matrix.Frame))
            fitted.made_of = self._made_of()
            if fitted.cells:
                _frames.warn_of_texts(X.frame, stacklevel=4)
        weights = self._row_weights(fitted.classes, indices, weights, True)
        try:
            self._learn(fitted, X, columns, indices, weights, passes, "fit")
        except KeyboardInterrupt:
            self._take(fitted)
            raise
        self._take(fitted)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Goes on learning from more rows, once and in order.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            Their labels.
        classes : array-like of shape (n_classes,), default=None
            All labels that will ever come; needed in the first call. `StreamClassifier` takes classes as they come.
        sample_weight : array-like of shape (n_samples,), default=None
            Importances of the rows; 0 is as if the row were absent.

        Returns
        -------
        self : object
            The estimator.
        """
        fitted = self.__dict__.get("_fitted")
        if fitted is not None:
            self._check_unchanged(fitted)
        if fitted is None and classes is None:
            raise ValueError("classes must be passed on the first call to partial_fit. (StreamClassifier takes classes "
                             "as they come.)")
        X, columns = self._check_X(X, fitted)
        self._check_values(X)
        y = self._check_y(y, X)
        weights = self._check_weights(sample_weight, X.shape[0])
        if classes is not None and not (fitted is not None and np.array_equal(classes, fitted.classes.values)):
            given = _labels.find_classes(self._check_y(classes, classes))[0]
            if fitted is not None and given.values.tolist() != fitted.classes.values.tolist():
                raise ValueError(f"`classes={given.values.tolist()!r}` is not the same as on last call to partial_fit, "
                                 f"was: {fitted.classes.values.tolist()!r}")
        if fitted is None:
            fitted = _Fitted(self._new_model(given), given, columns, isinstance(X, _matrix.Frame))
            fitted.made_of = self._made_of()
        indices = fitted.classes.indices(y)
        weights = self._row_weights(fitted.classes, indices, weights, False)
        self._take(fitted)
        self._learn(fitted, X, columns, indices, weights, 1, "partial_fit")
        return self

    def _take(self, fitted: _Fitted) -> None:
        """Makes a model that of this estimator."""
        self._fitted = fitted
        self._sparse_coef = False
        self.classes_ = fitted.classes.values

    # ---- predicting

    def _pieces(self, X: Any, ask: Callable[[View, _matrix.Rows], Any]) -> list[Any]:
        """What `ask` gives for the rows of X, piece by piece."""
        fitted = self._check_fitted()
        view = fitted.view
        X, columns = self._check_X(X, fitted)
        if view.needs_sums and sparse.issparse(X):
            X = _matrix.sum_duplicates(X)
        found = []
        for rows in _matrix.rows_of(X, columns):
            while True:
                try:
                    found.append(ask(view, rows))
                    break
                except (ValueError, IndexError) as error:
                    if view.has_all_classes():
                        self._refuse_nan(X)
                        raise _matrix.in_whole(error, rows.start) from None
                    view = View(fitted.model, fitted.classes)  # another thread has learned a class that had not come
        return found

    def predict(self, X: Any) -> np.ndarray:
        """The predicted label of every row.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Labels, of the type that was learned.
        """
        def ask(view: View, rows: _matrix.Rows) -> np.ndarray:
            if view.several:
                return view.best(rows)
            if view.only is not None:
                return np.full(rows.stop - rows.start, view.only, np.intp)
            return (view.two_decisions(view.margins(rows)) > 0).astype(np.intp)

        found = np.concatenate(self._pieces(X, ask))
        return self.classes_[found]

    def decision_function(self, X: Any) -> np.ndarray:
        """The margins of every row: how far it is on the side of a class.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        decision : ndarray of shape (n_samples,) or (n_samples, n_classes)
            Two classes: the margin of ``classes_[1]``, which is predicted where it is above 0. Several: the margin of
            every class; the largest is predicted.
        """
        def ask(view: View, rows: _matrix.Rows) -> np.ndarray:
            if view.several:
                return view.several_decisions(*view.classify(rows, False)[:2])
            return view.two_decisions(view.margins(rows))

        return np.concatenate(self._pieces(X, ask))

    def _probabilities(self, X: Any, agreeing: bool) -> np.ndarray:
        def ask(view: View, rows: _matrix.Rows) -> np.ndarray:
            if view.several:
                best, _, chances = view.classify(rows, True)
                assert chances is not None
                return view.several_probabilities(best, chances, agreeing)
            return view.two_probabilities(view.margins(rows), agreeing)

        return np.concatenate(self._pieces(X, ask))

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of every class, by the calibration that the model learns beside its weights.

        The predicted class has the largest probability, as in all of scikit-learn. Labels are predicted by the margin,
        so where calibration puts the predicted class below 1/2, its probabilities are moved to the other side in their
        order; `calibrated_proba` has them as they are.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``. Models without calibration, such as those whose margins are all 0, give the
            logistic function of the margin.
        """
        return self._probabilities(X, True)

    def calibrated_proba(self, X: Any) -> np.ndarray:
        """The probability of every class as it was calibrated: what ``sluice predict --proba`` prints.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``. The predicted class, which goes by the margin, may be below 1/2.
        """
        return self._probabilities(X, False)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """The logarithm of `predict_proba`.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        log_probabilities : ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    # ---- weights

    def _weights(self) -> tuple[Any, np.ndarray]:
        """The weights as a CSR matrix with a row for every vector, and the intercepts."""
        fitted = self.__dict__.get("_fitted")
        if fitted is None:
            raise AttributeError(f"this {type(self).__name__} has no weights: it is not fitted yet")
        if fitted.cells:
            raise AttributeError("the features of a frame with columns of text are its cells, and have no columns: "
                                 "top_features() names them")
        if fitted.weights is None:
            fitted.weights = _weight_matrix(fitted.view, fitted.columns, getattr(self, "n_features_in_", None))
        return fitted.weights

    @property
    def coef_(self) -> Any:
        """Weights of the columns: (1, n_features) for two classes, (n_classes, n_features) for several, one against one
        a row for every pair of classes. They apply to values as `transform`, `scale` and `normalize` leave them."""
        matrix = self._weights()[0]
        if matrix is None:
            raise AttributeError("which columns the weights of a loaded model belong to is not known: its features have "
                                 "names, which top_features() tells, or are hashed")
        return matrix if self._sparse_coef else matrix.toarray()

    @property
    def intercept_(self) -> np.ndarray:
        """What is added to the weighted sum of the columns: the constant feature, and a threshold, if there are."""
        return self._weights()[1]

    def sparsify(self) -> Self:
        """Makes ``coef_`` a sparse matrix.

        Returns
        -------
        self : object
            The estimator.
        """
        self._check_fitted()
        self._sparse_coef = True
        return self

    def densify(self) -> Self:
        """Makes ``coef_`` a dense array, as it is at first.

        Returns
        -------
        self : object
            The estimator.
        """
        self._check_fitted()
        self._sparse_coef = False
        return self

    def _facts(self) -> dict[str, Any]:
        fitted = self.__dict__.get("_fitted")
        if fitted is None:
            raise AttributeError(f"this {type(self).__name__} is not fitted yet")
        return fitted.view.model.facts()

    @property
    def n_nonzeros_(self) -> int:
        """How many weights are not 0."""
        return self._facts()["nonzeros"]

    @property
    def n_features_seen_(self) -> int:
        """How many features have occurred in some row."""
        return self._facts()["features_seen"]

    @property
    def n_examples_(self) -> int:
        """How many rows were learned."""
        return self._facts()["examples"]

    @property
    def model_(self) -> Any:
        """The model of the library."""
        fitted = self.__dict__.get("_fitted")
        if fitted is None:
            raise AttributeError(f"this {type(self).__name__} is not fitted yet")
        return fitted.model

    # ---- explaining

    def _class_of(self, view: View, label: Any) -> tuple[float, int | None]:
        """The sign and the class number (several classes) of a label's margin; None: the last of two classes."""
        labels = self.classes_.tolist()
        if label is not None and label not in labels:
            raise ValueError(f"the model knows no class {label!r}; its classes are {labels}")
        if view.several:
            number = view.model.find_class(_labels.text_of(label))
            if number is None:
                raise ValueError(f"no row of the class {label!r} was learned yet")
            return 1.0, number
        return (view.sign if label is None or label == labels[-1] else -view.sign), None

    def top_features(self, n: int = 10, label: Any = None) -> list[FeatureWeight]:
        """The features of largest weight, positive or negative.

        Parameters
        ----------
        n : int, default=10
            How many.
        label : label, default=None
            The class that positive weights speak for: ``classes_[1]`` where there are two; several classes need it.

        Returns
        -------
        features : list of FeatureWeight
            Pairs (feature, weight), the largest first. Features of a matrix are columns from 0, others names.
        """
        fitted = self._check_fitted()
        view = fitted.view
        settings = view.model.settings()
        if settings["hash_bits"]:
            raise ValueError("a model that hashes its features does not know them")
        if settings["classes"] == _table.SETTINGS["multiclass"].words["ovo"]:  # type: ignore[index]
            raise ValueError("one against one, a class has no weights of its own")
        if view.several and label is None:
            raise ValueError(f"whose features? label is one of {self.classes_.tolist()}")
        sign, number = self._class_of(view, label)
        names, ids, raw, _ = view.model.weights(number)
        weights = np.frombuffer(raw, np.float32)
        order = np.argsort(-np.abs(weights), kind="stable")[:n].tolist()
        if names is None:
            columns = np.frombuffer(ids, np.uint64).astype(np.int64)
        else:
            columns = None if fitted.columns is not None else _matrix.ids_of(names)
        features = names if columns is None else (columns - 1).tolist()
        return [FeatureWeight(features[i], sign * float(weights[i])) for i in order]

    def _features_of(self, x: Any) -> tuple[dict[Any, float], bool]:
        """One row as a dict of features, and whether its keys are ids of columns."""
        if isinstance(x, Mapping):
            return dict(x), False
        fitted = self._check_fitted()
        if hasattr(x, "index") and hasattr(x, "to_frame"):  # a row of a pandas frame
            x = x.to_frame().T.infer_objects()
        elif np.ndim(x) == 1:
            x = (x if sparse.issparse(x) else np.asarray(x)).reshape(1, -1)
        X, columns = self._check_X(x, fitted)
        if X.shape[0] != 1:
            raise ValueError(f"explain takes one row, not {X.shape[0]}")
        if sparse.issparse(X):
            X = _matrix.sum_duplicates(X)
        rows = next(_matrix.rows_of(X, columns))
        return rows.features(), isinstance(rows, _matrix.Rows) and columns is None

    def explain(self, x: Any, label: Any = None) -> Explanation:
        """Why one row has its margin: what each of its features contributes.

        Parameters
        ----------
        x : array-like of one row, sparse row, frame of one row, or dict
            A dict has names of features, or ids, which are columns counted from 1.
        label : label, default=None
            Whose margin to explain. By default ``classes_[1]`` of two classes, and the predicted one of several.

        Returns
        -------
        terms : Explanation
            A list of `Term` (feature, value, weight, contribution), the largest contributions first, with the margin
            as attribute `margin`. Features of a matrix are columns from 0; of a frame, names.
        """
        view = self._check_fitted().view
        _matrix.refuse_rows(view.model)
        features, by_column = self._features_of(x)
        if view.several and label is None:
            sign, number = 1.0, view.model.classify_one(features)[0]
        else:
            sign, number = self._class_of(view, label)
        margin, scale, raw = view.model.explain_one(features, number or 0)
        terms = [Term(f - 1 if by_column and f is not None else f, v, sign * w, sign * c) for f, v, w, c in raw]
        terms.sort(key=lambda t: -abs(t.contribution))
        return Explanation(terms, sign * margin, scale)

    # ---- copies and files

    def __copy__(self) -> Self:
        """A copy learns for itself: its model is one of its own."""
        made = type(self).__new__(type(self))
        made.__dict__.update(copy.deepcopy(self.__dict__))
        return made

    def save(self, path: Any) -> None:
        """Writes the model to a file that the program ``sluice`` and `sluiceway.load` read.

        Parameters
        ----------
        path : str or path-like
            The file; it is replaced when the new one is complete.
        """
        model = self._check_fitted().saveable()
        with _inputs.os_errors(path):
            model.save(os.fspath(path))

    def merge(self, other: "BaseSluiceClassifier") -> Self:
        """Adds what another estimator of the same learner, parameters and settings has learned.

        Parameters
        ----------
        other : estimator
            A fitted estimator; it is not changed. Learners whose state is no sum refuse: UnsupportedError.

        Returns
        -------
        self : object
            The estimator.
        """
        if not isinstance(other, BaseSluiceClassifier):
            raise TypeError(f"merge takes a fitted estimator, not {type(other).__name__}")
        mine, theirs = self._check_fitted(), other._check_fitted()
        both = _labels.join_classes(mine.classes, theirs.classes)
        if not both.several and (mine.classes.several or theirs.classes.several or both.plain != mine.classes.plain):
            raise ValueError("the two estimators have different kinds of classes")
        if both.several and not mine.classes.several:
            raise ValueError(f"the classes are {mine.classes.values.tolist()} and {theirs.classes.values.tolist()}: "
                             "models of two classes merge where these are the same")
        if (mine.columns, mine.cells) != (theirs.columns, theirs.cells) and not (mine.loaded or theirs.loaded):
            raise ValueError("the two estimators have different columns")
        mine.model.merge(theirs.model)
        fitted = _Fitted(mine.model, both, mine.columns, mine.cells, mine.loaded)
        fitted.made_of = mine.made_of
        _labels.keep_negative(fitted.model, both)
        self._take(fitted)
        return self


def _weight_matrix(view: View, columns: tuple[str, ...] | None, n_features: int | None) -> tuple[Any, np.ndarray]:
    """The weights of a model as CSR over the columns of its matrices, None where these are not known, and the
    intercepts."""
    model = view.model
    settings = model.settings()
    vectors: list[tuple[float, int | None]]
    if view.several:
        vectors = _problem_order(view)
    else:
        vectors = [(view.sign, None)]
    place = None if columns is None else {name: j for j, name in enumerate(columns)}
    data, indices, indptr, intercepts = [], [], [0], []
    known = True
    for sign, problem in vectors:
        if problem == -1:  # a class that has not come
            cols, values, bias = np.zeros(0, np.int64), np.zeros(0), 0.0
        else:
            found, values, bias = _vector(model, problem, place, n_features)
            known, cols = known and found is not None, np.zeros(0, np.int64) if found is None else found
        data.append(sign * values)
        indices.append(cols)
        indptr.append(indptr[-1] + len(cols))
        intercepts.append(sign * bias * settings["bias"])
    matrix = None
    if known:
        if n_features is None:
            n_features = max([int(c.max()) + 1 for c in indices if len(c)], default=0)
        matrix = sparse.csr_matrix((np.concatenate(data), np.concatenate(indices), np.array(indptr)),
                                   shape=(len(vectors), n_features))
        matrix.sort_indices()
    intercept = np.array(intercepts)
    if not view.several:
        intercept = intercept - view.sign * view.threshold
    return matrix, intercept


def _problem_order(view: View) -> list[tuple[float, int | None]]:
    """The vectors of several classes as coef_ has them: a row a class, or a pair of classes, with their signs."""
    problems = view.model.problems()
    if any(negative is not None for _, negative in problems):  # one against one: pairs (i, j), i < j, for class j
        rows = []
        for p, (positive, negative) in enumerate(problems):
            a, b = int(view.place[negative]), int(view.place[positive])
            rows.append(((min(a, b), max(a, b)), 1.0 if b > a else -1.0, p))
        return [(sign, p) for _, sign, p in sorted(rows)]
    of = {int(view.place[positive]): p for p, (positive, _) in enumerate(problems) if positive < view.n_known}
    return [(1.0, of.get(i, -1)) for i in range(view.n)]


def _vector(model: Any, problem: int | None, place: dict[str, int] | None,
            n_features: int | None) -> tuple[np.ndarray | None, np.ndarray, float]:
    """The columns (None: not known) and values of the nonzero weights of one vector, and the weight of the bias."""
    if model.settings()["hash_bits"]:  # which column a weight belongs to only the model can say
        names: Any = list(place) if place is not None else range(1, (n_features or 0) + 1)
        try:
            terms = model.explain_one(dict.fromkeys(names, 1.0), problem or 0)[2]
        except _sluice.UnsupportedError as error:
            raise AttributeError(f"a model that hashes its features, one against one: {error}") from None
        found = np.array([weight for feature, _, weight, _ in terms if feature is not None])
        cols = np.flatnonzero(found)
        bias = next((weight for feature, _, weight, _ in terms if feature is None), 0.0)
        return None if place is None and n_features is None else cols, found[cols], bias
    names, ids, raw, bias = model.weights(problem)
    values = np.frombuffer(raw, np.float32).astype(np.float64)
    if place is not None:
        if names is None:
            names = [str(i) for i in np.frombuffer(ids, np.uint64).tolist()]
        cols = np.array([place.get(name if isinstance(name, str) else str(name), -1) for name in names], np.int64)
    elif ids is not None:
        cols = np.frombuffer(ids, np.uint64).astype(np.int64) - 1
    else:  # with max_features ids are names too
        by_name = _matrix.ids_of(names)
        if by_name is None:
            return None, values, bias
        cols = by_name - 1
    keep = cols >= 0
    if n_features is not None:
        keep &= cols < n_features
    return cols[keep], values[keep], bias


class SluiceClassifier(BaseSluiceClassifier):
    """A sparse linear classifier that learns from a stream, with any learner of sluice.

    Parameters
    ----------
    learner : str, default="auto"
        The rule to learn with. ``"auto"`` races several rules, scalings and strengths and takes the best.
    {settings}
    class_weight : dict or "balanced", default=None
        Factors for the weights of the rows of each class. ``"balanced"``, in `fit` alone: in inverse proportion to how
        often the classes come.
    shuffle : bool, default=False
        `fit` shuffles the rows before it learns them: for rows that are sorted by label. Otherwise they are learned in
        order, as a stream is.
    random_state : int, RandomState instance or None, default=None
        What `shuffle` draws with.
    warm_start : bool, default=False
        `fit` goes on from what was learned before.
    **params
        Parameters of the learner; those left out have their defaults. ``lambda`` is written ``lambda_``.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    coef_ : ndarray or sparse matrix of shape (1, n_features) or (n_classes, n_features)
        The weights.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        The weights of the constant feature, times `bias`.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X was a frame.

    Notes
    -----
    The parameters of all learners:

    {params}

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sluiceway import SluiceClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> SluiceClassifier().fit(X, y).score(X, y) > 0.9
    True
    """

    def __init__(self, learner: str = "auto", *, bias: float = 0.0, normalize: str | None = None,
                 scale: str | None = None, transform: str | None = None, hash_bits: int = 0, max_features: int = 0,
                 multiclass: str = "ovr", passes: int = 1, class_weight: Any = None, verbose: int = 0,
                 shuffle: bool = False, random_state: Any = None, warm_start: bool = False, **params: Any):
        self.learner = learner
        self.bias = bias
        self.normalize = normalize
        self.scale = scale
        self._transform = transform
        self.hash_bits = hash_bits
        self.max_features = max_features
        self.multiclass = multiclass
        self.passes = passes
        self.class_weight = class_weight
        self.verbose = verbose
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self._params = _table.canonical(params)

    def _learner(self) -> str:
        return self.learner

    def _learner_params(self) -> dict[str, Any]:
        return self._params

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters of this estimator.

        Parameters
        ----------
        deep : bool, default=True
            Also those parameters of the learner that have their defaults.

        Returns
        -------
        params : dict
            Values by name.
        """
        found = super().get_params(deep)
        if deep and isinstance(self.learner, str) and self.learner in _table.learners():
            found.update(_table.learners()[self.learner].defaults)
        found.update(self._params)
        return found

    def _set_other(self, name: str, value: Any) -> bool:
        if name not in _table.all_keys() and name not in self._params:
            return False
        self._params[name] = value
        return True

    @classmethod
    def load(cls, path: Any) -> Self:
        """The estimator of a model file.

        Parameters
        ----------
        path : str or path-like
            A file of `save` or of the program ``sluice``.

        Returns
        -------
        estimator : SluiceClassifier
            It predicts, and goes on learning with `partial_fit`.
        """
        with _inputs.os_errors(path):
            model = _sluice.Model.load(os.fspath(path))
        return cls._of_model(model)

    @classmethod
    def _of_model(cls, model: Any) -> Self:
        settings = model.settings()
        given: dict[str, Any] = {"hash_bits": settings["hash_bits"], "max_features": settings["max_features"]}
        if settings["classes"]:
            given["multiclass"] = _table.setting_word("multiclass", settings["classes"])
        learner = model.quick_facts()["learner"]
        if not _table.find(learner).flags & _table.TUNES:  # else they are those of the leader
            given.update((name, _table.setting_word(name, settings[name])) for name in _table.MODEL_SETTINGS)
        known = _table.find(learner).defaults
        params = {name: value for name, value in _table.canonical(model.params()).items() if value != known.get(name)}
        estimator = cls(learner, **given, **params)
        estimator._take(_Fitted(model, _labels.Classes(_labels.saved_classes(model)), loaded=True))
        estimator._fitted.made_of = estimator._made_of()
        return estimator


def load(path: Any) -> SluiceClassifier:
    """The classifier of a model file, whether Python or the program ``sluice`` has written it.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    estimator : SluiceClassifier
        It predicts, and goes on learning with `partial_fit`.
    """
    return SluiceClassifier.load(path)


SluiceClassifier.__doc__ = _table.filled(SluiceClassifier.__doc__, settings=_table.setting_doc(),
                                         params=_table.all_params_doc())
