"""Many configurations on a cluster: each task goes over the data once, for its share of them."""

from __future__ import annotations

import itertools
import os
from typing import Any, Mapping, NamedTuple

from pyspark.sql import SparkSession

from .. import _labels, _sluice, _table
from . import _files, _scoring, _trials
from .estimator import SluiceClassificationModel, SluiceClassifier


class TunedPoint(NamedTuple):
    """A configuration, and the error that it made on examples before it learned them; infinite where it has left the range
    of numbers."""

    params: dict[str, Any]
    error: float
    nonzeros: int


class TuneResult(NamedTuple):
    """All configurations in the order of the grid, and the best one's model of all examples."""

    points: list[TunedPoint]
    best: TunedPoint
    model: SluiceClassificationModel


def points_of(grid: Mapping[str, Any]) -> list[dict[str, Any]]:
    """All combinations of the values."""
    names = list(grid)
    return [dict(zip(names, values)) for values in itertools.product(*(grid[name] for name in names))]


def tune(classifier: SluiceClassifier, grid: Mapping[str, Any], paths: Any, *, partitions: int | None = None,
         spark: SparkSession | None = None) -> TuneResult:
    """Tries configurations on files that every executor can read. Each partition of configurations goes over the data once:
    a line is read once for all of them. The error is progressive: of every example before it is learned.

    Parameters
    ----------
    classifier : SluiceClassifier
        Learner, format and what the grid does not say.
    grid : dict
        Parameters, and `learner`, with the values to combine.
    paths : str or list of str
        Files in the format of the classifier.
    partitions : int
        How many tasks; by default as many as there are cores.

    Returns
    -------
    TuneResult
        points, best, model.
    """
    spark = spark or SparkSession.active()
    names = _files.names_of(paths)
    points = points_of(grid)
    if not points:
        raise ValueError("the grid has no configuration")
    reader = classifier._reader()
    head, header = classifier._head(names[0])
    classes = classifier._classes_of_lines(reader, b"", head)
    starts = []
    for point in points:
        one = classifier.copy()
        one.setParams(**point)
        model = one._new_model(classes)
        if _table.find(model.quick_facts()["learner"]).flags & _table.TUNES:
            raise ValueError("tune tries named learners; auto tunes itself")
        starts.append(model.to_bytes())
    tasks = min(partitions or spark.sparkContext.defaultParallelism, len(points))
    shares = [[(place, starts[place]) for place in range(task, len(points), tasks)] for task in range(tasks)]
    learn = _trials.learner([os.fsencode(name) for name in names], reader)
    with classifier._watch(spark, f"sluiceway.spark.tune of {len(points)} configurations"):
        found = spark.sparkContext.parallelize(shares, tasks).flatMap(learn).collect()
    found.sort(key=lambda one: one.place)
    if not any(one.examples for one in found):
        raise ValueError("there are no examples to learn")
    best = min((one for one in found if one.model is not None), key=lambda one: one.rank, default=None)
    if best is None:
        raise ValueError("every configuration has left the range of numbers")
    tried = [TunedPoint(point, one.error, one.nonzeros) for point, one in zip(points, found)]
    model = _sluice.Model.from_bytes(best.model)
    if classes is not None:
        _labels.keep_negative(model, classes)
    _scoring.keep_reading(model, classifier._reading(), header)
    return TuneResult(tried, tried[best.place], SluiceClassificationModel.from_bytes(model.to_bytes()))
