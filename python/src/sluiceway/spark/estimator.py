"""SluiceClassifier and its model for pipelines of pyspark.ml."""

from __future__ import annotations

import os
import tempfile
from typing import Any, Iterable

import numpy as np
from pyspark import keyword_only
from pyspark.ml import Estimator, Model
from pyspark.ml.param import Param, Params, TypeConverters
from pyspark.ml.param.shared import (
    HasFeaturesCol, HasLabelCol, HasPredictionCol, HasProbabilityCol, HasRawPredictionCol, HasWeightCol)
from pyspark.ml.util import (
    DefaultParamsReadable, DefaultParamsReader, DefaultParamsWritable, DefaultParamsWriter, MLReadable, MLReader, MLWritable,
    MLWriter)
from pyspark.sql import DataFrame, SparkSession, types as t

from .. import _labels, _sluice, _table
from .._matrix import refuse_rows
from . import _files, _jobs, _learning, _part_models, _race, _rows, _scoring

_SAMPLE = 1000  # lines that are looked at for the classes
_MOST_CLASSES = 10000
_MODEL_FILE = "model.sluice"  # in the folder that pyspark.ml saves a model in
_MATRIX = 3  # of the setting `classes`
_COLUMNS = {"features_col": "featuresCol", "label_col": "labelCol", "weight_col": "weightCol",
            "prediction_col": "predictionCol", "probability_col": "probabilityCol", "raw_prediction_col": "rawPredictionCol"}
_DTYPES: dict[type, Any] = {t.BooleanType: np.bool_, t.ByteType: np.int8, t.ShortType: np.int16, t.IntegerType: np.int32,
                            t.LongType: np.int64, t.FloatType: np.float32, t.DoubleType: np.float64}


class _SluiceParams(HasFeaturesCol, HasLabelCol, HasWeightCol, HasPredictionCol, HasProbabilityCol, HasRawPredictionCol):
    """What the estimator and the model have in common."""

    explanation_col: Param[str] = Param(Params._dummy(), "explanation_col", "column for what each feature contributes; '': "
                                        "none", TypeConverters.toString)
    explain: Param[int] = Param(Params._dummy(), "explain", "how many features an explanation names", TypeConverters.toInt)

    def setParams(self, **given: Any) -> Any:
        """Sets parameters by the names that __init__ has."""
        named = {_COLUMNS.get(name, name): value for name, value in given.items() if value is not None}
        for name, value in _table.canonical(named).items():
            if not self.hasParam(name):
                known = [*_COLUMNS, *(p.name for p in self.params)]
                raise ValueError(f"{type(self).__name__} has no parameter {name!r}{_table.nearest(name, known)}")
            self._set(**{name: value})
        return self


def _setting_params() -> dict[str, Param[Any]]:
    """A Param for every parameter that a learner has, and for every setting of a model, under its name in Python."""
    found: dict[str, Param[Any]] = {}
    for learner in _table.learners().values():
        for param in learner.params:
            found.setdefault(param.key, Param(Params._dummy(), param.key, param.help))
    for name in _table.MODEL_SETTINGS + ("multiclass",):
        found.setdefault(name, Param(Params._dummy(), name, f"{name} of the model, as in sluiceway.SluiceClassifier"))
    return found


class SluiceClassifier(Estimator[Any], _SluiceParams, DefaultParamsWritable, DefaultParamsReadable[Any]):
    """Learns a sparse linear classifier from a data frame or from files: a model for every partition, merged.

    Parameters
    ----------
    learner : str
        The rule; `sluice merge --help` lists those whose models merge. ``auto`` races on one partition, and its winner
        among these is trained on all.
    features_col : str
        A vector, an array of numbers, a map from names to numbers, or lines of text in the format `format`, with their
        labels.
    label_col, weight_col : str
        Not looked at where the features are lines.
    format, label, weight, ngrams, chars, tf, min_length, stop_words, quadratic : as the options of ``sluice train``, for lines
    header : str
        Lines of csv: the names of the columns.
    classes : list
        All labels. By default a pass over the labels finds them; of lines the first ones are looked at.
    rounds : int
        How often all data is learned; each round begins with the merged model of the one before.
    timeout, idle_timeout : float
        Seconds after which the fit ends with a TimeoutError: in all, and while no task of it runs.
    init_model : bytes, path or SluiceClassificationModel
        What to go on from. Learner, parameters, settings and classes are its own; those that are given must agree with it.
        It is not saved with the estimator.
    **params
        Parameters of the learner, and settings: bias, normalize, transform, hash_bits, multiclass.
    """

    learner: Param[str] = Param(Params._dummy(), "learner", "the rule to learn with", TypeConverters.toString)
    format: Param[str] = Param(Params._dummy(), "format", "format of lines: libsvm, vw, jsonl, csv, text, url",
                               TypeConverters.toString)
    label: Param[str] = Param(Params._dummy(), "label", "csv, jsonl: the name of the label", TypeConverters.toString)
    weight: Param[str] = Param(Params._dummy(), "weight", "csv, jsonl: the name of the importance", TypeConverters.toString)
    header: Param[str] = Param(Params._dummy(), "header", "csv: the names of the columns", TypeConverters.toString)
    ngrams: Param[int] = Param(Params._dummy(), "ngrams", "text: runs of so many words; 0, with chars: none",
                               TypeConverters.toInt)
    chars: Param[str] = Param(Params._dummy(), "chars", "text: runs of so many characters too: 3, or 2-5",
                              TypeConverters.toString)
    tf: Param[str] = Param(Params._dummy(), "tf", "text: what the occurrences of a word count: binary, count, log",
                           TypeConverters.toString)
    min_length: Param[int] = Param(Params._dummy(), "min_length", "text: leave shorter words out", TypeConverters.toInt)
    quadratic: Param[str] = Param(Params._dummy(), "quadratic", "vw, csv, jsonl: products of features, a,b; a crossing a line",
                                  TypeConverters.toString)
    stop_words: Param[str] = Param(Params._dummy(), "stop_words", "text: words to leave out, or english",
                                   TypeConverters.toString)
    classes: Param[Any] = Param(Params._dummy(), "classes", "all labels", TypeConverters.toList)
    rounds: Param[int] = Param(Params._dummy(), "rounds", "how often all data is learned", TypeConverters.toInt)
    timeout: Param[float] = Param(Params._dummy(), "timeout", "seconds for a fit; 0: no limit", TypeConverters.toFloat)
    idle_timeout: Param[float] = Param(Params._dummy(), "idle_timeout", "seconds without a running task; 0: no limit",
                                       TypeConverters.toFloat)

    @keyword_only
    def __init__(self, *, learner: str = "auto", features_col: str = "features", label_col: str = "label",
                 weight_col: str | None = None, prediction_col: str = "prediction", probability_col: str = "probability",
                 raw_prediction_col: str = "rawPrediction", explanation_col: str = "", explain: int = 5,
                 format: str | None = None, label: str | None = None, weight: str | None = None, header: str | None = None,
                 ngrams: int | None = None, chars: str | None = None, tf: str | None = None, min_length: int | None = None,
                 stop_words: str | None = None, quadratic: str | None = None, classes: list[Any] | None = None, rounds: int = 1,
                 timeout: float = 0, idle_timeout: float = 300, init_model: Any = None, **params: Any):
        super().__init__()
        given = dict(self._input_kwargs)
        self.init_model = given.pop("init_model", None)
        self._setDefault(learner="auto", rounds=1, timeout=0.0, idle_timeout=300.0, explanation_col="", explain=5)
        self.setParams(**given)

    # ---- what a model is made of

    def _given(self, names: Iterable[str]) -> dict[str, Any]:
        return {name: self.getOrDefault(name) for name in names if self.isSet(name)}

    def _made_of(self) -> tuple[str, dict[str, Any], dict[str, Any]]:
        """Learner, its parameters, and settings."""
        learner = _table.find(self.getOrDefault("learner"))
        own = set(_SETTING_PARAMS) - set(_table.MODEL_SETTINGS) - {"multiclass"}
        settings = {name: _table.SETTINGS[name].default for name in (*_table.MODEL_SETTINGS, "multiclass")}
        settings.update(self._given((*_table.MODEL_SETTINGS, "multiclass")))
        return learner.name, self._given(sorted(own)), settings

    def _new_model(self, classes: _labels.Classes | None) -> Any:
        name, params, given = self._made_of()
        several = classes is not None and classes.several
        settings = _table.model_settings(given, several, None if classes is None else classes.positive)
        model = _sluice.Model(name, _table.param_strings(_table.find(name), params), settings)
        return _learning.seeded(model, classes)

    def _reader(self) -> dict[str, Any]:
        """The options of the reader of lines."""
        reading, init = self._reading(), self._initial()
        if init is not None:
            _scoring.refuse_unsaid(init.model, reading)
        return _scoring.reader_of(reading)

    def _reading(self) -> dict[str, Any]:
        """What is said of lines; where nothing is, what was said to the model to go on from."""
        given = self._given(_scoring.READING)
        init = self._initial()
        kept = None if init is None else _scoring.kept_reading(init.model)
        for name, value in (kept[0] if kept else {}).items():
            if given.setdefault(name, value) != value:
                raise ValueError(f"init_model has {name}={value!r}, and {name}={given[name]!r} is given")
        return {"format": "libsvm", **given}

    def _initial(self) -> SluiceClassificationModel | None:
        """The model to go on from; ValueError where the estimator says that it is another."""
        init = self.init_model
        if init is None:
            return None
        if not isinstance(init, SluiceClassificationModel):
            is_bytes = isinstance(init, (bytes, bytearray))
            init = SluiceClassificationModel.from_bytes(init) if is_bytes else SluiceClassificationModel.load_file(init)
        name, params, _ = self._made_of()
        own = _table.find(init.model.quick_facts()["learner"])
        if self.isSet("learner") and _table.find(name).flags & _table.TUNES:
            return init
        if self.isSet("learner") and name != own.name:
            raise ValueError(f"init_model is of the learner {own.name}, and learner={name!r} is given")
        settings = self._given(_table.MODEL_SETTINGS)
        wanted = _sluice.Model(own.name, _table.param_strings(own, params),
                               {key: _table.setting_value(key, value) for key, value in settings.items()})
        for given, theirs, ours in ((params, init.model.params(), wanted.params()),
                                    (settings, init.model.settings(), wanted.settings())):
            for key in given:
                there = next(k for k in theirs if _table.key_of(k) == key)
                if theirs[there] != ours[there]:
                    raise ValueError(f"init_model has {there}={theirs[there]}, and {key}={given[key]!r} is given")
        return init

    def _check_merges(self, start: Any) -> None:
        """ValueError where models that begin with this one would not merge: before anything is learned."""
        learner = _table.find(start.quick_facts()["learner"])
        if not learner.flags & _table.MERGES:
            raise ValueError(f"{learner.name} models do not merge; sluice merge --help lists those that do")
        empty = start.copy()
        empty.begin_anew()
        empty.merge(empty.copy())
        if start.settings()["classes"] == _MATRIX and (self.getOrDefault("rounds") > 1 or _part_models.examples_of(start)):
            raise ValueError("in a matrix of classes models with a common start do not merge: take rounds=1 and no init_model, "
                             "or multiclass='ovr'")

    def write(self) -> MLWriter:
        """For pyspark.ml: `estimator.write().overwrite().save(path)`."""
        if self.init_model is not None:
            raise ValueError("init_model is not saved with the estimator; save the model by itself, and set "
                             "estimator.init_model = None")
        return super().write()

    # ---- fitting

    def _fit(self, dataset: DataFrame) -> SluiceClassificationModel:
        return _some(self._learned(dataset))

    def _learned(self, dataset: DataFrame) -> SluiceClassificationModel | None:
        """The model of a data frame; None where it has no rows."""
        features = self.getFeaturesCol()
        kind = _rows.kind_of(dataset.schema[features].dataType)
        init = self._initial()
        if init is not None and kind != _rows.LINES:
            refuse_rows(init.model)
        with self._watch(dataset.sparkSession, f"SluiceClassifier.fit on {features}"):
            if kind == _rows.LINES:
                header = self.getOrDefault("header").encode() if self.isSet("header") else b""
                source = _learning.Source(kind, features, reader=self._reader(), header=header)
                sample: list[Any] = []
                if not self.isSet("classes") and init is None:
                    sample = [row[0] for row in dataset.select(features).limit(_SAMPLE).collect()]
                lines = [line.encode() if isinstance(line, str) else line for line in sample if line is not None]
                classes = self._classes_of_lines(source.reader, header, b"\n".join(map(bytes, lines)))
            else:
                known = self._classes_of_column(dataset, init)
                if known is None:
                    return None
                classes = known
                weight = self.getWeightCol() if self.isDefined("weightCol") else None
                source = _learning.Source(kind, features, reader={}, label=self.getLabelCol(), weight=weight, classes=known)
            rows = dataset.select(*source.columns())
            return self._train(dataset.sparkSession, init, classes, kind == _rows.LINES, source.header,
                               lambda start: rows.mapInArrow(_learning.over_batches(source, start), _learning.SCHEMA))

    def fit_files(self, paths: Any, partitions: int | None = None, spark: SparkSession | None = None) -> Any:
        """Learns files that every executor can open under the same paths: executors read ranges of bytes themselves.

        Parameters
        ----------
        paths : str or list of str
            Files in the format `format`; compressed ones are read by one partition each.
        partitions : int
            How many models are learned; by default as many as there are cores (spark.default.parallelism).
        spark : SparkSession
            By default the active one.

        Returns
        -------
        SluiceClassificationModel
        """
        spark = spark or SparkSession.active()
        names = _files.names_of(paths)
        parts = spark.sparkContext.defaultParallelism if partitions is None else partitions
        if parts < 1:
            raise ValueError(f"partitions={parts}: there is at least one")
        init, reader = self._initial(), self._reader()
        with self._watch(spark, f"SluiceClassifier.fit_files of {len(names)} files"):
            head, header = self._head(names[0])
            classes = self._classes_of_lines(reader, b"", head if init is None else b"")
            job = _files.job_of(spark, _files.ranges_of(names, parts), reader)
            return _some(self._train(spark, init, classes, True, header, job))

    def _head(self, path: str) -> tuple[bytes, bytes]:
        """The first lines of a file, and the names of its columns."""
        header = self.getOrDefault("header").encode() if self.isSet("header") else b""
        if _files.is_packed(path):
            return b"", header
        with open(path, "rb") as f:
            lines = f.readlines(1 << 20)[:_SAMPLE]
        return b"".join(lines), lines[0] if self._reader()["format"] == "csv" and lines else header

    def _watch(self, spark: Any, title: str) -> _jobs.Watch:
        return _jobs.Watch(spark, title, self.getOrDefault("timeout") or None, self.getOrDefault("idle_timeout") or None)

    def _classes_of_column(self, dataset: DataFrame, init: SluiceClassificationModel | None) -> _labels.Classes | None:
        """The classes of the label column, in its type; None where it has no rows."""
        column = self.getLabelCol()
        kind = dataset.schema[column].dataType
        if not isinstance(kind, (t.StringType, *_DTYPES)):
            raise TypeError(f"a label is a number, a bool or a string, but the column {column} is {kind.simpleString()}")
        if self.isSet("classes"):
            found = _typed(self.getOrDefault("classes"), kind, column)
            if init is not None and set(found.texts) != set(init.known.texts) and not (found.plain and init.known.plain):
                raise ValueError(f"init_model has the classes {init.classes}, and classes={found.values.tolist()} is given")
            return found
        if init is not None:
            return _typed(init.classes, kind, column)
        labels = [row[0] for row in dataset.select(column).distinct().limit(_MOST_CLASSES + 1).collect()]
        if None in labels:
            raise ValueError(f"the column {column} has rows without a label; leave them out (DataFrame.na.drop)")
        if len(labels) > _MOST_CLASSES:
            raise ValueError(f"the column {column} has more than {_MOST_CLASSES:,} labels")
        return _typed(labels, kind, column) if labels else None

    def _classes_of_lines(self, reader: dict[str, Any], header: bytes, sample: bytes) -> _labels.Classes | None:
        """The classes as they are given, or as the first lines say; None where these say too little. What is malformed the
        task says that learns it."""
        if self.isSet("classes"):
            return _labels.find_classes(_array(self.getOrDefault("classes")))[0]
        labels: dict[Any, None] = {}
        if sample:
            for batch in _sluice.Reader(header.rstrip(b"\r\n") + b"\n" * bool(header) + sample, {**reader, "skip_errors": 1}):
                labels.update(dict.fromkeys(batch.labels()))
        if set(labels) <= {-1.0, 0.0, 1.0}:
            negative = next((label for label in labels if label != 1), None)
            return _labels.Classes([0.0, 1.0]) if negative == 0 else None  # signs; what is not 1 is written 0
        texts = {_labels.text_of(label) for label in labels}
        if len(texts) < 2:
            return None
        numbers = [_labels.number_of(text) for text in texts]
        if None not in numbers:
            return _labels.Classes(sorted(numbers))
        return _labels.Classes(sorted(text.decode("utf-8", "surrogateescape") for text in texts))

    def _train(self, spark: Any, init: SluiceClassificationModel | None, classes: _labels.Classes | None,
               are_lines: bool, header: bytes, job: Any) -> SluiceClassificationModel | None:
        """Learns from a new model on, or from `init`. None: there are no rows."""
        rounds = self.getOrDefault("rounds")
        if rounds < 1:
            raise ValueError(f"rounds={rounds}: all data is learned at least once")
        start = self._new_model(classes) if init is None else init.model.copy()
        if _table.find(start.quick_facts()["learner"]).flags & _table.TUNES:
            if init is not None:
                raise ValueError("init_model is a race of auto, which does not merge; take its leader: sluice train --final")
            won = _race.winner(spark, start, job)
            if won is None:
                return None
            start = _learning.seeded(won, classes)
        self._check_merges(start)
        model = _jobs.train(spark, start, rounds, job)
        if model is None:
            return None
        if classes is not None:
            _labels.keep_negative(model, classes)
        if are_lines:
            _scoring.keep_reading(model, self._reading(), header)
            classes = None
        known = classes or _labels.Classes(_labels.saved_classes(model))
        return self._copyValues(SluiceClassificationModel(model, known))


def _some(fitted: SluiceClassificationModel | None) -> SluiceClassificationModel:
    if fitted is None:
        raise ValueError("there are no examples to learn")
    return fitted


def _array(labels: list[Any]) -> np.ndarray:
    return np.array(labels, dtype=object if any(isinstance(label, str) for label in labels) else None)


def _typed(labels: list[Any], kind: Any, column: str) -> _labels.Classes:
    """Classes in the type of the label column; ValueError where they are none of its values."""
    is_text = isinstance(kind, t.StringType)
    values = _array(labels)
    if all(isinstance(label, str) == is_text for label in labels):
        typed = values if is_text else values.astype(_DTYPES[type(kind)])
        if is_text or typed.tolist() == values.tolist():
            return _labels.find_classes(typed)[0]
    raise ValueError(f"the column {column} is {kind.simpleString()}, and the classes are {labels}")


_SETTING_PARAMS = _setting_params()
for _name, _param in _SETTING_PARAMS.items():
    if not hasattr(SluiceClassifier, _name):
        setattr(SluiceClassifier, _name, _param)


class SluiceClassificationModel(Model, _SluiceParams, MLWritable, MLReadable[Any]):
    """A fitted SluiceClassifier: it adds predictions, margins and probabilities to a data frame."""

    def __init__(self, model: Any = None, known: Any = None):
        super().__init__()
        self._setDefault(explanation_col="", explain=5)
        self.model = model
        #: The labels, and how the model has them: _labels.Classes.
        self.known = known
        self._sent: _scoring.Sent | None = None

    @property
    def classes(self) -> list[Any]:
        """The labels that it predicts."""
        return list(self.known.values.tolist())

    def _transform(self, dataset: DataFrame) -> DataFrame:
        return _scoring.transform(self, dataset)

    def facts(self) -> dict[str, Any]:
        """Counts of the model: examples, mistakes, nonzeros and others."""
        return dict(self.model.facts())

    def to_bytes(self) -> bytes:
        """The bytes of the model file that `save_file` writes."""
        _labels.keep_classes(self.model, self.known.values)
        return bytes(self.model.to_bytes())

    def final_bytes(self) -> bytes:
        """The bytes of a predict-only model: the nonzero weights alone."""
        _labels.keep_classes(self.model, self.known.values)
        return bytes(self.model.final().to_bytes())

    def save_file(self, path: Any) -> None:
        """Writes a file that the program ``sluice`` and `sluiceway.load` read."""
        self.to_bytes()
        self.model.save(path)

    @classmethod
    def load_file(cls, path: Any) -> SluiceClassificationModel:
        """The model of a file of ``sluice``."""
        return cls.from_bytes(_sluice.Model.load(os.fspath(path)).to_bytes())

    @classmethod
    def from_bytes(cls, data: bytes) -> SluiceClassificationModel:
        """The model of the bytes of such a file."""
        model = _sluice.Model.from_bytes(bytes(data))
        return cls(model, _labels.Classes(_labels.saved_classes(model)))

    def write(self) -> MLWriter:
        """For pyspark.ml: `model.write().overwrite().save(path)`."""
        return _ModelWriter(self)

    @classmethod
    def read(cls) -> MLReader[Any]:
        """For pyspark.ml: `SluiceClassificationModel.load(path)`."""
        return _ModelReader()


class _ModelWriter(MLWriter):
    """Parameters as pyspark.ml has them, and beside them the model as a plain file: a large one is never a row of Spark."""

    def __init__(self, instance: SluiceClassificationModel):
        super().__init__()
        self.instance = instance

    def saveImpl(self, path: str) -> None:
        DefaultParamsWriter.saveMetadata(self.instance, path, self.sparkSession)
        files, there = _file_system(self.sparkSession, path)
        with tempfile.TemporaryDirectory() as folder:
            local = os.path.join(folder, _MODEL_FILE)
            self.instance.save_file(local)
            files.copyFromLocalFile(_hadoop_path(self.sparkSession, f"file://{local}"), there)


class _ModelReader(MLReader[Any]):
    def load(self, path: str) -> SluiceClassificationModel:
        metadata = DefaultParamsReader.loadMetadata(path, self.sparkSession)
        files, there = _file_system(self.sparkSession, path)
        with tempfile.TemporaryDirectory() as folder:
            local = os.path.join(folder, _MODEL_FILE)
            files.copyToLocalFile(there, _hadoop_path(self.sparkSession, f"file://{local}"))
            model = SluiceClassificationModel.load_file(local)
        model._resetUid(metadata["uid"])
        DefaultParamsReader.getAndSetParams(model, metadata)
        return model


def _hadoop_path(spark: SparkSession, path: str) -> Any:
    return spark._jvm.org.apache.hadoop.fs.Path(path)  # type: ignore[union-attr]


def _file_system(spark: SparkSession, path: str) -> tuple[Any, Any]:
    """The file system of a folder that a model is saved in, and the model's path there."""
    there = _hadoop_path(spark, f"{path}/{_MODEL_FILE}")
    return there.getFileSystem(spark.sparkContext._jsc.hadoopConfiguration()), there
