"""StreamClassifier: learns dicts of named features, one event at a time, in river's manner."""

from __future__ import annotations

import copy
import math
import os
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Callable, Hashable, Iterator, Mapping

import numpy as np

from . import _frames, _inputs, _labels, _matrix, _sluice, _table
from ._explanation import Explanation, Term

try:
    from river.base import MiniBatchClassifier as _Base
except ImportError:  # the same behaviour without river

    class _Base:  # type: ignore[no-redef]
        """What river's base classes do, as far as it is used here."""

        def _get_params(self) -> dict[str, Any]:
            return {**{name: getattr(self, name) for name in _SETTINGS}, **self.params}  # type: ignore[attr-defined]

        def clone(self, new_params: dict[str, Any] | None = None, include_attributes: bool = False) -> Any:
            """A fresh classifier with the same parameters, or with what was learned too."""
            made = type(self)(**{**copy.deepcopy(self._get_params()), **(new_params or {})})
            if include_attributes:
                made.__dict__.update(copy.deepcopy({k: v for k, v in self.__dict__.items() if k.startswith("_")}))
            return made


if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["StreamClassifier"]

_KINDS = {"two": 0, **_table.SETTINGS["multiclass"].words}  # type: ignore[dict-item]
_SETTINGS = ("learner", *_table.MODEL_SETTINGS, "multiclass", "positive")
_DEFAULTS = {"learner": "auto", "multiclass": None, "positive": None,
             **{name: _table.SETTINGS[name].default for name in _table.MODEL_SETTINGS}}
_TERMS = 20  # that debug_one shows


@lru_cache(maxsize=None)
def _can_turn(learner: str) -> bool:
    """Whether a model of two classes can go on with several."""
    try:
        _sluice.Model(learner, (), {}).several(None)
    except _sluice.UnsupportedError:
        return False
    return True


class StreamClassifier(_Base):
    """A classifier of events: dicts of features that come and go, labels that come.

    Where river is installed it is a river classifier (`river.base.MiniBatchClassifier`): it works in pipelines, with
    ``evaluate.progressive_val_score``, ``clone`` and so on. It needs no river.

    Features are named by their keys: texts, whole numbers (ids) or anything else that has a text. Values are numbers; a
    text is a feature ``key=text`` of value 1, as in the csv reader, and None is absent. Labels are bools, numbers or
    texts, and come back as they were given first.

    Parameters
    ----------
    learner : str, default="auto"
        The rule; ``"auto"`` races several rules, scalings and strengths and answers with the best. `sluice learners`
        lists all of them.
    {settings}
    multiclass : {None, "two", "ovr", "ovo", "matrix"}, default=None
        None: two classes are learned by one model; when a third class comes, it goes on as one against the rest, and
        both classes keep what was learned, to the bit. (One against the rest from the start takes, for two classes, 1.2
        times the time of ``pa-1``, ``arow`` and ``ssol``, 1.6 times that of ``auto`` and ``ftrl``, and 1.6 to 2.8
        times the memory of a model of 2,000 names.
        Learners that cannot go on, which keep a limited number of features, draw at random or learn in batches, are one
        against the rest from the start; those that are told costs of the two classes take no third one.) ``"two"``: a
        third class is an error. ``"ovr"``, ``"ovo"``, ``"matrix"``: one against the rest, one against one, or in one
        matrix, from the start.
    positive : label, default=None
        The class that costs such as ``cost_pos`` are about, where labels are not -1, 0, 1, False or True.
    **params
        Parameters of the learner; ``lambda_`` stands for ``lambda``.

    Examples
    --------
    >>> from sluiceway import StreamClassifier
    >>> model = StreamClassifier("pa-1")
    >>> for _ in range(3):
    ...     model.learn_one({"wings": 2, "colour": "grey"}, "bird")
    ...     model.learn_one({"wings": 0, "legs": 4}, "cat")
    >>> model.predict_one({"wings": 2})
    'bird'
    >>> model.learn_one({"fins": 5, "colour": "grey"}, "fish")    # classes come
    >>> model.predict_one({"fins": 4})
    'fish'
    """

    params: dict[str, Any]

    def __init__(self, learner: str = "auto", *, bias: float = 0.0, normalize: str | None = None,
                 scale: str | None = None, transform: str | None = None, hash_bits: int = 0, max_features: int = 0,
                 multiclass: str | None = None, positive: Hashable = None, **params: Any):
        self.learner = learner
        self.bias = bias
        self.normalize = normalize
        self.scale = scale
        self.transform = transform
        self.hash_bits = hash_bits
        self.max_features = max_features
        self.multiclass = multiclass
        self.positive = positive
        self.params = _table.canonical(params)
        self._model = self._new_model()
        self._forget()

    def _new_model(self) -> Any:
        learner = _table.find(self.learner)
        if self.multiclass is not None and self.multiclass not in _KINDS:
            raise ValueError(f"multiclass={self.multiclass!r}: it takes None, {', '.join(map(repr, _KINDS))}")
        settings = {name: _table.setting_value(name, getattr(self, name)) for name in _table.MODEL_SETTINGS}
        settings["positive"] = None if self.positive is None else _labels.text_of(self.positive)
        settings["classes"] = _KINDS[self.multiclass or "two"]
        strings = _table.param_strings(learner, self.params)
        model = _sluice.Model(learner.name, strings, settings)
        if self.multiclass is None and self.positive is None and not _can_turn(learner.name) and not _is_sided(model):
            settings["classes"] = _KINDS["ovr"]
            model = _sluice.Model(learner.name, strings, settings)
        return model

    # ---- labels

    def _forget(self) -> None:
        self._labels: dict[Any, float | bytes] = {}  # label -> what the library is given for it
        self._names: dict[bytes | float, Any] = {}  # its text, or its number -> the label
        self._values: list[Any] = []  # labels by class; of two classes: the negative and the positive one
        self._several = self._model.settings()["classes"] != 0

    def _key(self, text: bytes) -> bytes | float:
        number = _labels.number_of(text)
        return text if number is None else number

    def _admit(self, y: Any) -> float | bytes:
        """What the library is given for a new label. A third class, or one that two signs cannot tell from the first,
        makes the model one of several."""
        text = _labels.text_of(y)
        if self._key(text) in self._names:
            raise _labels.same_class(self._names[self._key(text)], y)
        if not self._several and self._names and self.multiclass is None:
            known = [_labels.text_of(label) for label in self._labels]
            if len(known) == 2 or (text in (b"-1", b"0") and known[0] in (b"-1", b"0")):
                self._turn(text)
        return self._given_for(text)

    def _given_for(self, text: bytes) -> float | bytes:
        """What the library is given for a label of this text."""
        return text if self._several or text not in _labels.PLAIN else float(text)

    def _turn(self, coming: bytes) -> None:
        """The model of two classes becomes one of several."""
        texts = sorted((_labels.text_of(label) for label in self._labels), key=lambda text: text == b"1")
        try:
            self._model = self._model.several(tuple(texts + [coming])[:2])
        except _sluice.UnsupportedError:
            return  # then the library says why there can be no third class
        self._several = True
        self._labels = {label: _labels.text_of(label) for label in self._labels}
        self._order()

    def _order(self) -> None:
        """Which label each class is."""
        classes = self._model.classes()
        if classes:
            found = [self._names[self._key(c["text"])] for c in classes if self._key(c["text"]) in self._names]
            if not self._several and (len(found) == 1 or classes[0]["positive"]):
                found.reverse()
                found = [found[0], found[-1]]
        else:
            found = sorted(self._labels, key=lambda label: self._labels[label] > 0)  # type: ignore[operator]
            if len(found) == 1:
                other = not found[0] if isinstance(found[0], (bool, np.bool_)) else found[0]
                first_is_plus = self._labels[found[0]] > 0  # type: ignore[operator]
                found = [other, found[0]] if first_is_plus else [found[0], other]
        self._values = found

    # ---- one event

    def learn_one(self, x: Mapping[Hashable, Any], y: Any, w: float = 1.0) -> None:
        """Learns one event.

        Parameters
        ----------
        x : dict
            The features.
        y : bool, number or str
            The label; a new one is a new class.
        w : float, default=1.0
            The importance; 0 is as if the event were absent.
        """
        try:
            label = self._labels[y]
        except (KeyError, TypeError):
            self._learn_new(x, y, w)
            return
        self._model.learn_one(x, label, w)

    def _learn_new(self, x: Mapping[Hashable, Any], y: Any, w: float) -> None:
        if w == 0:
            _labels.text_of(y)
        else:
            self._learn_first(y, lambda label: self._model.learn_one(x, label, w))

    def _learn_first(self, y: Any, learn: Callable[[float | bytes], None]) -> None:
        """Learns an event of a new label."""
        before = dict(self.__dict__)
        try:
            label = self._admit(y)
            learn(label)
        except BaseException as error:
            self.__dict__.update(before)  # of two classes again, if it was
            raise (_in_python(error) if isinstance(error, ValueError) else error) from None
        self._labels[y] = label
        self._names[self._key(_labels.text_of(y))] = y
        self._order()

    def predict_one(self, x: Mapping[Hashable, Any], **kwargs: Any) -> Any:
        """The label of one event; None before anything was learned.

        Parameters
        ----------
        x : dict
            The features.

        Returns
        -------
        y : label
            As it was given in learning.
        """
        values = self._values
        return values[self._model.predict_one(x)] if values else None

    def predict_proba_one(self, x: Mapping[Hashable, Any], **kwargs: Any) -> dict[Any, float]:
        """The probability of every class, by the calibration that the model learns beside its weights.

        Parameters
        ----------
        x : dict
            The features.

        Returns
        -------
        probabilities : dict
            By label; empty before anything was learned.
        """
        values = self._values
        if not values:
            return {} if self._multiclass else {False: 0.5, True: 0.5}
        if self._several:
            chances = self._model.classify_one(x)[2]
            return dict(zip(values, chances if chances[0] == chances[0] else self._shares()))
        positive = self._model.probability_one(x)
        if positive != positive:
            positive = self._shares()[1]
        if values[0] is values[1]:
            return {values[0]: 1.0}
        return {values[0]: 1.0 - positive, values[1]: positive}

    def _shares(self) -> list[float]:
        """The share of the events of every class, where the model has no probabilities yet."""
        if self._several:
            counts = [c["examples"] for c in self._model.classes()]
        else:
            facts = self._model.quick_facts()
            counts = [facts["examples"] - facts["positives"], facts["positives"]]
        total = sum(counts)
        return [n / total if total else 1 / len(counts) for n in counts]

    # ---- many events

    def _pieces(self, labels: list[Any], weights: np.ndarray | None) -> Iterator[tuple[int, int]]:
        """The rows from one event of a new label to the next; those of new labels and importance 0 are left out."""
        start, known = 0, set(self._labels)
        for i, label in enumerate(labels):
            if label not in known:
                if i > start:
                    yield start, i
                if weights is None or weights[i] != 0:
                    yield i, i + 1
                    known.add(label)
                start = i + 1
        if start < len(labels):
            yield start, len(labels)

    def learn_many(self, X: Any, y: Any, w: Any = None) -> None:
        """Learns the rows of a frame in order, as `learn_one` would one by one.

        Parameters
        ----------
        X : frame of pandas or polars, or anything with an Arrow stream
            Columns are features; what is missing is absent.
        y : Series or sequence
            The labels.
        w : sequence of float, default=None
            The importances.

        KeyboardInterrupt stops it within a tenth of a second; the rows until then are learned.
        """
        if _frames.is_frame(X) and not hasattr(X, "__len__"):  # a stream, which is read once
            import pyarrow

            X = pyarrow.table(X)
        labels = y.tolist() if hasattr(y, "tolist") else y.to_list() if hasattr(y, "to_list") else list(y)
        weights = None if w is None else np.ascontiguousarray(w, dtype=np.float64)
        if len(X) != len(labels) or (weights is not None and weights.shape != (len(labels),)):
            raise ValueError(f"X has {len(X)} rows, and there are {len(labels)} labels"
                             + ("" if weights is None else f" and {weights.size} weights"))
        for start, end in self._pieces(labels, weights):
            part = X[start:end] if end - start < len(labels) else X
            own = None if weights is None else weights[start:end]
            if labels[start] in self._labels:
                self._learn_rows(part, [self._labels[label] for label in labels[start:end]], own)
            else:
                self._learn_first(labels[start], lambda label: self._learn_rows(part, [label], own))

    def _learn_rows(self, X: Any, labels: list[Any], weights: Any) -> None:
        if all(isinstance(label, float) for label in labels):
            words, codes = None, np.array(labels, np.float64)
        else:
            texts = [label if isinstance(label, bytes) else b"%g" % label for label in labels]
            words = tuple(dict.fromkeys(texts))
            place = {word: i for i, word in enumerate(words)}
            codes = np.array([place[text] for text in texts], np.uint32)
        for batch in _frames.to_batches(X, labels=codes, words=words, weights=weights):
            self._model.learn_batch(batch)

    def _batches(self, X: Any) -> Iterator[Any]:
        return iter(_frames.to_batches(X))

    def predict_many(self, X: Any) -> Any:
        """The labels of the rows of a frame, as a pandas Series where X is a pandas frame, else as a list.

        Parameters
        ----------
        X : frame
            As for `learn_many`.

        Returns
        -------
        y : Series or list
            Empty before anything was learned.
        """
        values, found = self._values, []
        for batch in self._batches(X) if values else ():
            best = np.zeros(batch.rows, np.uint32)
            if self._several:
                self._model.classify_batch(batch, best, None, None)
            else:
                margins = np.zeros(batch.rows)
                self._model.margins_batch(batch, margins)
                self._model.predict_positive(margins, best)
            found += [values[i] for i in best.tolist()]
        return _like(X, found)

    def predict_proba_many(self, X: Any) -> Any:
        """The probabilities of the rows of a frame, one column a class.

        Parameters
        ----------
        X : frame
            As for `learn_many`.

        Returns
        -------
        probabilities : frame or dict
            A pandas frame where X is one, else a dict of lists by label.
        """
        rows: list[list[float]] = []
        values = self._values
        for batch in self._batches(X) if values else ():
            if self._several:
                chances = np.zeros((batch.rows, len(values)))
                self._model.classify_batch(batch, None, None, chances)
            else:
                positive = np.zeros(batch.rows)
                self._model.margins_batch(batch, positive)
                self._model.probabilities(positive)
                chances = np.stack([1 - positive, positive], axis=1)
            chances[np.isnan(chances).any(axis=1)] = self._shares()
            rows += chances.tolist()
        columns = list(dict.fromkeys(values))
        table = {label: [1.0 if len(columns) == 1 else row[values.index(label)] for row in rows] for label in columns}
        if not _frames.is_pandas(X):
            return table
        import pandas

        return pandas.DataFrame(table, index=X.index if values else [], columns=columns)

    # ---- explaining

    def explain(self, x: Mapping[Hashable, Any], label: Any = None) -> Explanation:
        """Why one event has its margin: what each of its features contributes.

        Parameters
        ----------
        x : dict
            The features.
        label : label, default=None
            Whose margin to explain: by default that of the predicted class.

        Returns
        -------
        terms : Explanation
            A list of `Term` (feature, value, weight, contribution), the largest contributions first, with the margin
            as attribute `margin`.
        """
        if not self._values:
            return Explanation([], 0.0, 1.0)
        if label is None:
            label = self.predict_one(x)
        elif label not in self._values:
            raise ValueError(f"the model knows no class {label!r}")
        at = self._values.index(label)
        sign = 1.0 if self._several or self._values[1] == label else -1.0
        margin, scale, found = self._model.explain_one(x, at if self._several else 0)
        terms = [Term(name, value, sign * weight, sign * part) for name, value, weight, part in found]
        terms.sort(key=lambda term: -abs(term.contribution))
        return Explanation(terms, sign * margin, scale)

    def debug_one(self, x: Mapping[Hashable, Any]) -> str:
        """A text that says why an event is predicted as it is: its heaviest contributions.

        Parameters
        ----------
        x : dict
            The features.

        Returns
        -------
        text : str
            A table of at most 20 features.
        """
        label = self.predict_one(x)
        if label is None:
            return "nothing was learned yet"
        why = self.explain(x, label)
        chance = self.predict_proba_one(x)[label]
        rows = [("Name", "Value", "Weight", "Contribution")]
        rows += [("(bias)" if t.feature is None else str(t.feature), f"{t.value:.5g}", f"{t.weight:.5g}",
                  f"{t.contribution:.5g}") for t in why[:_TERMS]]
        widths = [max(len(row[i]) for row in rows) for i in range(4)]
        lines = [f"{label!r}: margin {why.margin:.5g}, probability {chance:.5g}"]
        lines += ["  ".join([row[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])])
                  for row in rows]
        if len(why) > _TERMS:
            lines.append(f"... and {len(why) - _TERMS} more")
        return "\n".join(lines)

    # ---- what was learned

    @property
    def classes(self) -> list[Any]:
        """The labels that were learned, in the order of the library's classes."""
        return list(dict.fromkeys(value for value in self._values if value in self._labels))

    @property
    def model_(self) -> Any:
        """The model of the library."""
        return self._model

    @property
    def n_events(self) -> int:
        """How many events were learned."""
        return self._model.quick_facts()["examples"]

    # ---- files and copies

    def save(self, path: Any) -> None:
        """Writes the model to a file that the program ``sluice``, `load` and `sluiceway.load` read.

        Parameters
        ----------
        path : str or path-like
            The file; it is replaced when the new one is complete.
        """
        labels = list(self._labels)
        if labels:
            _labels.keep_classes(self._model, _array_of(labels))
        if not self._several and self._model.metadata(_labels.NEGATIVE_KEY) is None and 0 in self._labels and all(
                isinstance(label, float) for label in self._labels.values()):
            self._model.set_metadata(_labels.NEGATIVE_KEY, b"0")
        with _inputs.os_errors(path):
            self._model.save(os.fspath(path))

    @classmethod
    def load(cls, path: Any) -> Self:
        """The classifier of a model file.

        Parameters
        ----------
        path : str or path-like
            A file of `save`, of `SluiceClassifier` or of the program ``sluice``.

        Returns
        -------
        classifier : StreamClassifier
            It predicts and goes on learning.
        """
        with _inputs.os_errors(path):
            model = _sluice.Model.load(os.fspath(path))
        _matrix.refuse_rows(model)
        settings, learner = model.settings(), _table.find(model.quick_facts()["learner"])
        given = {name: settings[name] for name in ("hash_bits", "max_features")}
        if settings["classes"]:
            given["multiclass"] = next(word for word, number in _KINDS.items() if number == settings["classes"])
        if not learner.flags & _table.TUNES:  # else they are those of the leader
            given.update((name, _table.setting_word(name, settings[name]))
                         for name in ("bias", "normalize", "scale", "transform"))
        params = {name: value for name, value in _table.canonical(model.params()).items()
                  if value != learner.defaults.get(name)}
        made = cls(learner.name, **given, **params)
        made._take(model)
        return made

    def _take(self, model: Any) -> None:
        """Makes a model that of this classifier, with the labels that it has seen."""
        self._model = model
        self._forget()
        facts, classes = model.quick_facts(), {self._key(c["text"]) for c in model.classes()}
        for value in _labels.saved_classes(model).tolist() if facts["examples"] or facts["is_final"] else ():
            text = _labels.text_of(value)
            seen = self._key(text) in classes if classes else self._has_sign(facts, text == b"1")
            if seen:
                self._labels[value] = self._given_for(text)
                self._names[self._key(text)] = value
        if self._names and self.positive is None and model.settings()["positive"] is not None:
            self.positive = self._names.get(self._key(model.settings()["positive"]))
        self._order()

    @staticmethod
    def _has_sign(facts: Mapping[str, Any], positive: bool) -> bool:
        return facts["positives"] > 0 if positive else facts["examples"] > facts["positives"]

    def merge(self, other: "StreamClassifier") -> Self:
        """Adds what another classifier of the same learner, parameters and settings has learned.

        Parameters
        ----------
        other : StreamClassifier
            It is not changed. Learners whose state is no sum refuse: UnsupportedError.

        Returns
        -------
        self : StreamClassifier
            The classifier.
        """
        if not isinstance(other, StreamClassifier):
            raise TypeError(f"merge takes a StreamClassifier, not {type(other).__name__}")
        labels = {**dict.fromkeys(self._labels), **dict.fromkeys(other._labels)}
        _labels.check_distinct(list(labels), [_labels.text_of(label) for label in labels])
        joined = copy.deepcopy(self)
        if len(labels) > 2 or self._several != other._several:
            other = copy.deepcopy(other)
            for one in (joined, other):
                if not one._several and len(one._labels) == 2:
                    one._turn(b"")
        joined._model.merge(other._model)
        joined._names = {**other._names, **joined._names}
        joined._labels = {label: joined._given_for(_labels.text_of(label)) for label in labels}
        joined._order()
        self.__dict__.update(joined.__dict__)
        return self

    def __copy__(self) -> Self:
        made = type(self).__new__(type(self))
        made.__dict__.update(copy.deepcopy(self.__dict__))
        return made

    # ---- river

    @property
    def _multiclass(self) -> bool:
        return self.multiclass != "two" and (self._several or not _is_sided(self._model))

    def __repr__(self) -> str:
        shown = [repr(self.learner)]
        shown += [f"{name}={getattr(self, name)!r}" for name in _SETTINGS[1:] if getattr(self, name) != _DEFAULTS[name]]
        shown += [f"{name}={value!r}" for name, value in self.params.items()]
        return f"{type(self).__name__}({', '.join(shown)})"


StreamClassifier.__doc__ = _table.filled(StreamClassifier.__doc__, settings=_table.setting_doc(_table.MODEL_SETTINGS))


def _is_sided(model: Any) -> bool:
    """Whether parameters treat the two classes differently."""
    params = model.params()
    pairs = ((value, params.get(name[:-4] + "_neg", value)) for name, value in params.items() if name.endswith("_pos"))
    return any(positive != negative for positive, negative in pairs)


def _in_python(error: ValueError) -> ValueError:
    """An error of labels in the words of this class."""
    text = str(error).replace("say which one is positive: --positive W", "say which one is: positive=LABEL")
    return type(error)(text.replace("with --classes ovr|ovo|matrix", 'with multiclass="ovr", "ovo" or "matrix"'))


def _array_of(labels: list[Any]) -> np.ndarray:
    """Labels as an array that keeps their types, sorted if that is possible."""
    plain = [label.item() if isinstance(label, np.generic) else label for label in labels]
    if len({type(label) for label in plain}) == 1:
        return np.array(sorted(plain))
    array = np.empty(len(plain), object)
    array[:] = plain
    return array


def _like(X: Any, labels: list[Any]) -> Any:
    if not _frames.is_pandas(X):
        return labels
    import pandas

    return pandas.Series(labels, index=X.index if labels else [], dtype=None if labels else object)
