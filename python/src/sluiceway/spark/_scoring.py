"""Predictions on a data frame: the model is sent to each executor once."""

from __future__ import annotations

import json
import uuid
from typing import Any, Callable, Iterator, NamedTuple

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, types as t
from pyspark.sql import functions as f

from .. import _labels, _sluice
from .._matrix import Cells, Rows, refuse_rows
from .._view import View
from . import _rows

#: What an estimator says of lines, and its types.
READING = {"format": str, "label": str, "weight": str, "ngrams": int, "chars": str, "tf": str, "min_length": int,
           "stop_words": str, "quadratic": str}
_TF = {"binary": 1, "count": 2, "log": 3}  # as in sluice.h
_READER_KEY = "spark.reader"
_TERMS = t.ArrayType(t.StructType([t.StructField("feature", t.StringType()), t.StructField("value", t.DoubleType()),
                                   t.StructField("weight", t.DoubleType()), t.StructField("contribution", t.DoubleType())]))
_views: dict[str, View] = {}


def reader_of(reading: dict[str, Any]) -> dict[str, Any]:
    """The options of a reader of lines, from what an estimator says of them."""
    options = {"threads": 1, "words": 1, "format": "libsvm", **reading}
    if "tf" in options:
        if options["tf"] not in _TF:
            raise ValueError(f"tf={options['tf']!r}: it takes {', '.join(map(repr, _TF))}")
        options["tf"] = _TF[options["tf"]]
    if options.get("ngrams") == 0:
        if "chars" not in options:
            raise ValueError("ngrams=0: without words there are no features; give chars")
        options["no_words"] = 1
    if "stop_words" in options:
        options["stop_words"] = _sluice.stop_words(options["stop_words"]) or options["stop_words"]
    return options


def keep_reading(model: Any, reading: dict[str, Any], header: bytes) -> None:
    """Notes how lines were read, so that predicting reads them in the same way, here and by the program."""
    kept = {"reader": reading,
            "header": header.decode("utf-8", "surrogateescape").rstrip("\r\n") + "\n" * bool(header)}
    model.set_metadata(_READER_KEY, json.dumps(kept, sort_keys=True).encode())
    for name, value in reading.items():
        if name == "stop_words":
            value = reader_of(reading)[name]
        if name != "format" or value in ("text", "url"):
            model.set_metadata(f"reader.{name}", str(value).encode())


def kept_reading(model: Any) -> tuple[dict[str, Any], bytes] | None:
    """What `keep_reading` has noted. A model may come from anywhere: ValueError for options that are never noted."""
    text = model.metadata(_READER_KEY)
    if text is None:
        return None
    try:
        kept = json.loads(text)
        reading, header = kept["reader"], kept["header"].encode("utf-8", "surrogateescape")
        fine = all(type(value) is READING.get(name) for name, value in reading.items())
    except (ValueError, KeyError, TypeError, AttributeError):
        fine = False
    if not fine:
        raise ValueError(f"the model's metadata {_READER_KEY} cannot be read")
    return reading, header


def refuse_unsaid(model: Any, reading: dict[str, Any]) -> None:
    """ValueError where a model that was not made here reads its lines in a way that `reading` does not say."""
    if model.metadata(_READER_KEY) is not None:
        return
    for name in ("separator", "columns", "ignore", "text"):
        if model.metadata(f"reader.{name}"):
            raise ValueError(f"init_model reads its lines with {name}, which is not there on Spark: sluiceway.train goes on from it")
    for name in READING.keys() - reading.keys() - {"format"}:
        value = model.metadata(f"reader.{name}")
        if value:
            shown = "what it was trained with" if name == "stop_words" else repr(value.decode("utf-8", "replace"))
            raise ValueError(f"init_model reads its lines with {name}: give {name}, {shown}")


class Sent(NamedTuple):
    """A model that was broadcast in a context; a context that has ended has it no more."""

    context: Any
    broadcast: Any
    name: str


def _view(sent: Any, name: str) -> View:
    """The model of a broadcast of this name, parsed once in a Python process."""
    found = _views.get(name)
    if found is None:
        model = _sluice.Model.from_bytes(sent.value)
        _views.clear()
        found = _views[name] = View(model, _labels.Classes(_labels.saved_classes(model)))
    return found


def _label_type(values: np.ndarray) -> Any:
    kinds = {"b1": t.BooleanType(), "i1": t.ByteType(), "i2": t.ShortType(), "i4": t.IntegerType(), "f4": t.FloatType()}
    others = {"b": t.BooleanType(), "i": t.LongType(), "u": t.LongType(), "f": t.DoubleType()}
    return kinds.get(values.dtype.str[1:]) or others.get(values.dtype.kind, t.StringType())


def _batches(kind: str, column: Any, reader: dict[str, Any], header: bytes) -> Iterator[Rows | Cells]:
    """The rows of a column, a piece at a time."""
    if kind != _rows.LINES:
        yield _rows.rows_of(kind, column)
        return
    start = 0
    for batch in _sluice.Reader(header + _rows.text_of(column), reader):
        yield Cells(start, start + batch.rows, batch)
        start += batch.rows
    if start != len(column):
        raise ValueError(f"{len(column)} lines are {start} examples: blank lines and comments cannot be predicted")


def _two(view: View, rows: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    margins = view.margins(rows)
    decisions = view.two_decisions(margins.copy())
    n = rows.stop - rows.start
    best = np.full(n, view.only, np.intp) if view.only is not None else (decisions > 0).astype(np.intp)
    raw = np.stack([-decisions, decisions], axis=1) if view.n == 2 else decisions[:, None]
    return best, raw, view.two_probabilities(margins, True)


def _several(view: View, rows: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    best, margins, chances = view.classify(rows, True)
    assert chances is not None
    return best, margins.copy(), view.several_probabilities(best, chances, True)


def _terms(view: View, rows: Any, best: np.ndarray, most: int) -> list[list[dict[str, Any]]]:
    """The contributions of each row to the margin of its predicted class."""
    found = []
    for i in range(rows.stop - rows.start):
        if isinstance(rows, Cells):
            features = dict(rows.batch.row(i))
        else:
            part = slice(rows.indptr[i], rows.indptr[i + 1])
            one = Rows(0, 1, rows.indptr[:2], rows.ids[part], rows.values[part], rows.columns)
            features = one.features()
        if view.several:
            sign, number = 1.0, int(np.flatnonzero(view.place == best[i])[0])
        else:
            sign, number = (view.sign if best[i] else -view.sign), 0
        raw = sorted(view.model.explain_one(features, number)[2], key=lambda term: -abs(term[3]))[:most]
        found.append([{"feature": "(bias)" if name is None else str(name), "value": value, "weight": sign * weight,
                       "contribution": sign * part} for name, value, weight, part in raw])
    return found


def _answers(sent: Any, name: str, kind: str, explain: int, label: Any, reader: dict[str, Any], header: bytes
             ) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """The function of the Arrow UDF: a struct for every row."""
    def answer(columns: Iterator[Any]) -> Iterator[Any]:
        view = _view(sent, name)
        values = pa.array(_labels.saved_classes(view.model).tolist(), label)
        for column in columns:
            parts = []
            for rows in _batches(kind, column, reader, header):
                best, raw, chances = (_several if view.several else _two)(view, rows)
                terms = _terms(view, rows, best, explain) if explain else []
                parts.append((best, raw, chances, terms))
            best, raw, chances = (np.concatenate([p[k] for p in parts]) if parts else np.zeros((0, 1)) for k in range(3))
            bounds = pa.array(np.arange(len(raw) + 1) * raw.shape[1], pa.int32())
            arrays = [values.take(pa.array(best.ravel().astype(np.int64))),
                      pa.ListArray.from_arrays(bounds, pa.array(raw.ravel(), pa.float64())),
                      pa.ListArray.from_arrays(bounds, pa.array(chances.ravel(), pa.float64()))]
            names = ["prediction", "raw", "probability"]
            if explain:
                names.append("explanation")
                struct = pa.struct([("feature", pa.string()), ("value", pa.float64()), ("weight", pa.float64()),
                                    ("contribution", pa.float64())])
                arrays.append(pa.array([one for p in parts for one in p[3]], pa.list_(struct)))
            yield pa.StructArray.from_arrays(arrays, names)

    return answer


def _line_reader(model: Any) -> tuple[dict[str, Any], bytes]:
    kept = kept_reading(model)
    if kept is None:
        raise ValueError("the model was not learned from lines by this package, and how to read them is not known; fit with "
                         "init_model, or predict with the program")
    return {**reader_of(kept[0]), "unlabelled": 0, "missing_labels": 1}, kept[1]


def transform(fitted: Any, dataset: DataFrame) -> DataFrame:
    """The data frame with the columns that the model adds."""
    from pyspark.ml.functions import array_to_vector
    from pyspark.sql.pandas.types import to_arrow_type

    features = fitted.getFeaturesCol()
    kind = _rows.kind_of(dataset.schema[features].dataType)
    reader, header = _line_reader(fitted.model) if kind == _rows.LINES else ({}, b"")
    if kind != _rows.LINES:
        refuse_rows(fitted.model)
    explain = fitted.getOrDefault("explain") if fitted.getOrDefault("explanation_col") else 0
    if explain:
        fitted.model.explain_one({}, 0)  # an error where its margins are not explained
    context = dataset.sparkSession.sparkContext
    if fitted._sent is None or fitted._sent.context is not context:
        fitted._sent = Sent(context, context.broadcast(fitted.final_bytes()), uuid.uuid4().hex)
    label_type = _label_type(fitted.known.values)
    fields = [t.StructField("prediction", label_type), t.StructField("raw", t.ArrayType(t.DoubleType())),
              t.StructField("probability", t.ArrayType(t.DoubleType()))]
    if explain:
        fields.append(t.StructField("explanation", _TERMS))
    function = _answers(fitted._sent.broadcast, fitted._sent.name, kind, explain, to_arrow_type(label_type), reader, header)
    function.__annotations__ = {"columns": Iterator[pa.Array], "return": Iterator[pa.Array]}
    answers = f.arrow_udf(function, t.StructType(fields))
    found = dataset.withColumn("__sluice", answers(f.col(features)))
    wanted = [(fitted.getPredictionCol(), f.col("__sluice.prediction")),
              (fitted.getRawPredictionCol(), array_to_vector(f.col("__sluice.raw"))),
              (fitted.getProbabilityCol(), array_to_vector(f.col("__sluice.probability")))]
    if explain:
        wanted.append((fitted.getOrDefault("explanation_col"), f.col("__sluice.explanation")))
    for name, column in wanted:
        if name:
            found = found.withColumn(name, column)
    return found.drop("__sluice")
