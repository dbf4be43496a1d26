"""predict: what `sluice predict` does, from Python: the answers of a model for files, lines of text, frames and matrices."""
from __future__ import annotations

import html
import os
import re
from collections import Counter
from typing import Any

import numpy as np

from sluiceway import _frames, _inputs, _labels, _matrix, _sluice
from sluiceway._child import Run
from sluiceway.svm import put_matrix

__all__ = ["predict", "Predictions"]

_ESCAPED = re.compile(rb"\\x([0-9a-f]{2})")


class Predictions:
    """The answers for the rows of some inputs, in their order."""

    def __init__(self, classes: np.ndarray, labels: np.ndarray, margins: np.ndarray, probabilities: np.ndarray | None):
        #: The labels that the model knows, sorted.
        self.classes = classes
        #: The predicted label of every row, of the type that was learned.
        self.labels = labels
        #: Two classes: the margin of ``classes[1]`` of every row. Several: a column for every class.
        self.margins = margins
        #: A column for every class; None where the model has none.
        self.probabilities = probabilities

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        if not len(self):
            return "Predictions(0 rows)"
        counts = self._counts()
        found = ", ".join(f"{count:,} labelled {value!r}" for value, count in counts[:5])
        more = f", and {len(counts) - 5:,} other labels" if len(counts) > 5 else ""
        return f"Predictions({len(self):,} row{'s' if len(self) > 1 else ''}: {found}{more})"

    def _counts(self) -> list[tuple[Any, int]]:
        """The labels and how often they were predicted, the most frequent first; None: of lines that were left out."""
        return Counter(self.labels.tolist()).most_common()

    def _repr_html_(self) -> str:
        """The first answers as a table, for notebooks."""
        most = 10
        wide = self.margins.ndim > 1
        names = ["label", "margin", *([] if self.probabilities is None else ["probability"])]
        place = {label: i for i, label in enumerate(self.classes.tolist())}
        rows = ""
        for i, label in enumerate(self.labels[:most].tolist()):
            at = place.get(label)
            cells = [str(label), "" if at is None else f"{self.margins[i, at] if wide else self.margins[i]:.4g}"]
            if self.probabilities is not None:
                cells.append("" if at is None else f"{self.probabilities[i, at]:.4g}")
            rows += "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells) + "</tr>"
        head = "".join(f"<th>{name}</th>" for name in names)
        more = f"<p>and {len(self) - most:,} more</p>" if len(self) > most else ""
        return f"<p>{html.escape(repr(self))}</p><table><tr>{head}</tr>{rows}</table>{more}"

    def to_frame(self) -> Any:
        """The answers as a frame of pandas: label, margin, probability of the predicted label."""
        import pandas

        at = np.searchsorted(self.classes, self.labels)
        rows = np.arange(len(self))
        columns = {"label": self.labels, "margin": self.margins if self.margins.ndim == 1 else self.margins[rows, at]}
        if self.probabilities is not None:
            columns["probability"] = self.probabilities[rows, at]
        return pandas.DataFrame(columns)


def predict(model: Any, inputs: Any, *, threshold: Any = None, verbose: int = 0, **options: Any) -> Predictions:
    """Predicts with a model that was saved or learned: `sluice predict`. Labels in the inputs are not looked at.

    Parameters
    ----------
    model : path, result of train or tune, SluiceClassifier or StreamClassifier
        What to predict with.
    inputs : path, several paths, lines of text, dicts of features, file object, frame or matrix
        As for `train`, with or without labels, and with an answer for each item. Lines need `format`, unless they are
        LIBSVM text or the model was trained with ``format="text"`` or ``"url"``, which it remembers. A list of texts or
        URLs names files only where all of them are files; what stands before a tab is taken for a label.
    threshold : float or str, default=None
        The probability above which the positive class is predicted, or ``"margin=M"``; None: what the model has.
    verbose : int, default=0
        1 shows the program's messages.
    **options
        Other options of ``sluice predict --help``: `format`, `label`, `on_error` and so on.

    Returns
    -------
    Predictions
        labels, margins, probabilities, classes.

    Examples
    --------
    >>> from sluiceway import predict, train
    >>> run = train(["spam\\tfree prize", "ham\\tlunch at noon"] * 50, "arow", format="text")
    >>> found = predict(run, ["free lunch prize", "at noon"])
    >>> found.labels.tolist()
    ['spam', 'ham']
    """
    run = Run("predict", {"threshold": threshold, **options}, verbose)
    path = path_of(model, run)
    with _inputs.os_errors(path):
        known = _sluice.Model.load(path)
    classes = _labels.Classes(_labels.saved_classes(known))
    several = bool(known.settings()["classes"])
    chances = known.has_probability()
    run.extra = ["--model", path, *(["--proba"] if chances else [])]
    if several:
        run.extra += ["--top-classes", str(len(classes.values))]
    out = run.output(input_of(inputs, run, known))
    rows = [line.split(b"\t") for line in out.split(b"\n")[:-1]]
    if several:
        return several_answers(rows, classes, chances)
    positive = next((c["text"] for c in known.classes() if c["positive"]), b"1")
    return two_answers(rows, classes, chances, places(classes).get(key_of(positive), 0))


def path_of(model: Any, run: Run) -> str:
    """The file of a model."""
    if _inputs.is_path(model):
        _inputs.check_files([os.fspath(model)])
        return os.fspath(model)
    if not hasattr(model, "save"):
        raise TypeError(f"a model is a path, a result of train, or a classifier, not {type(model).__name__}")
    path = run.path("model")
    model.save(path)
    return path


def input_of(inputs: Any, run: Run, model: Any) -> Any:
    """The inputs as the program can read them: tables become a file; a list of texts that are no files is lines."""
    run.kept = model
    raw = run.format_of_lines() in ("text", "url")
    if isinstance(inputs, (list, tuple)) and _inputs.paths_of(inputs, bare=raw) is None:
        return iter(inputs)
    if raw and not _inputs.is_path(inputs) and (_frames.is_frame(inputs) or len(getattr(inputs, "shape", ())) == 2):
        raise ValueError('the model was learned from lines of text: pass the texts, such as frame["text"]')
    if not _frames.is_frame(inputs) and len(getattr(inputs, "shape", ())) != 2:
        return inputs
    _matrix.refuse_rows(model, inputs, run.options.get("label"), run.options.get("weight"))
    path = run.path("input.bin")
    run.shown[path] = "input"
    writer = _sluice.Writer(os.fsencode(path), "bin")
    try:
        if _frames.is_frame(inputs):
            label = run.options.pop("label", None) or (model.metadata("reader.label") or b"").decode("utf-8", "replace")
            for batch in _frames.to_batches(inputs, label if label in _frames.column_names(inputs) else None):
                writer.put_batch(batch)
        else:
            name = _matrix.name_of_no_column(model)
            if name is not None:
                raise _matrix.refuse_matrix(name)
            put_matrix(writer, inputs, np.zeros(inputs.shape[0]))
        writer.commit()
    finally:
        writer.close()
    run.options.pop("format", None)
    return path


def number(text: bytes) -> float:
    return float(text) if text else np.nan


def key_of(text: bytes) -> Any:
    """What tells classes apart in what the program prints: the number that a label is, or its text. Characters that no
    terminal shows are printed as \\xNN; since \\ itself is printed as it is, the same is done to the classes' texts."""
    value = _labels.number_of(text)
    return _ESCAPED.sub(lambda found: bytes([int(found[1], 16)]), text) if value is None else value


def places(classes: _labels.Classes) -> dict[Any, int]:
    """The position of every class. The program prints 1 and -1 for a plain model, whatever was written in training."""
    found: dict[Any, int] = {}
    for i, text in enumerate(classes.texts):
        if found.setdefault(key_of(text), i) != i:
            other = classes.values.tolist()[found[key_of(text)]]
            raise ValueError(f"the classes {other!r} and {classes.values.tolist()[i]!r} are printed as the same text")
    if classes.plain and 0.0 in found:
        found[-1.0] = found[0.0]
    return found


def labels_of(texts: list[bytes], classes: _labels.Classes) -> np.ndarray:
    """The labels that the program has printed, as Python values; None for a line that was left out."""
    place = places(classes)
    only = len(classes.values) == 1  # then it is the answer, whatever the margin
    at = np.array([(0 if only else place[key_of(text)]) if text else -1 for text in texts], np.intp)
    found = classes.values[at]
    if (at < 0).any():
        found = found.astype(object)
        found[at < 0] = None
    return found


def two_answers(rows: list[list[bytes]], classes: _labels.Classes, chances: bool, positive: int) -> Predictions:
    """Rows of label, margin and probability of the positive class, which is at this place."""
    margins = np.array([number(row[1]) for row in rows], np.float64)
    last = positive == len(classes.values) - 1
    probabilities = None
    if chances and len(classes.values) == 1:
        probabilities = np.ones((len(rows), 1))
    elif chances:
        p = np.array([number(row[2]) for row in rows], np.float64)
        probabilities = np.stack([1 - p, p] if last else [p, 1 - p], axis=1)
    return Predictions(classes.values, labels_of([row[0] for row in rows], classes), margins if last else -margins, probabilities)


def several_answers(rows: list[list[bytes]], classes: _labels.Classes, chances: bool) -> Predictions:
    """Rows of label, margin and probability of every class, the predicted one first."""
    step = 3 if chances else 2
    place = places(classes)
    table = np.full((step - 1, len(rows), len(classes.values)), np.nan)
    for i, row in enumerate(rows):
        for at in range(0, len(row), step):
            if row[at]:
                table[:, i, place[key_of(row[at])]] = [number(field) for field in row[at + 1:at + step]]
    return Predictions(classes.values, labels_of([row[0] for row in rows], classes), table[0], table[1] if chances else None)
