"""Jobs of Spark: time-outs that end in an error, and the tree that merges the models of partitions."""

from __future__ import annotations

import threading
import time
import uuid
from typing import Any, Callable, Iterable, Iterator

from pyspark import RDD

from .. import _sluice
from . import _part_models

#: How many models are merged at once; above that, executors merge them first.
FAN = 8
_KEPT = ("spark.job.description", "spark.job.interruptOnCancel")


class Watch:
    """Cancels the jobs of a `with` block after `timeout` seconds (None: never), or when for `idle` seconds no task
    ran though a job was under way: no executor has a core for it. The block then ends with a TimeoutError. Its jobs are
    known by a tag, so that a group that they have (a streaming query's) stays theirs."""

    def __init__(self, spark: Any, title: str, timeout: float | None, idle: float | None):
        self.context, self.title, self.timeout, self.idle = spark.sparkContext, title, timeout, idle
        self.tag = f"sluice-{uuid.uuid4()}"
        self.done = threading.Event()
        self.reason: str | None = None

    def __enter__(self) -> Watch:
        self.before = {name: self.context.getLocalProperty(name) for name in _KEPT}
        self.context.addJobTag(self.tag)
        self.context.setInterruptOnCancel(True)
        self.context.setLocalProperty("spark.job.description", self.title)
        self.thread = threading.Thread(target=self._watch, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self.done.set()
        self.thread.join()
        self.context.removeJobTag(self.tag)
        for name, value in self.before.items():
            self.context.setLocalProperty(name, value)
        if error is not None and self.reason:
            raise TimeoutError(f"{self.title}: {self.reason}") from error

    def _running(self) -> tuple[bool, int]:
        """Whether a job is under way, and how many tasks run for it."""
        tracker = self.context.statusTracker()
        numbers = self.context._jsc.sc().statusTracker().getJobIdsForTag(self.tag)  # pyspark has none for tags
        jobs = [tracker.getJobInfo(job) for job in numbers]
        stages = [tracker.getStageInfo(s) for job in jobs if job and job.status == "RUNNING" for s in job.stageIds]
        return any(job and job.status == "RUNNING" for job in jobs), sum(s.numActiveTasks for s in stages if s)

    def _watch(self) -> None:
        began = busy = time.monotonic()
        while not self.done.wait(0.2):
            now = time.monotonic()
            there, tasks = self._running()
            if tasks or not there:
                busy = now
            if self.timeout is not None and now - began > self.timeout:
                self.reason = f"not done after {self.timeout:g} seconds (timeout); its jobs were cancelled"
            elif self.idle is not None and now - busy > self.idle:
                self.reason = (f"no task ran for {self.idle:g} seconds (idle_timeout): is there an executor with a free "
                               "core? Its jobs were cancelled")
            if self.reason:
                self.context.cancelJobsWithTag(self.tag)


def _merge_nodes(start: Any) -> Callable[[Iterable[Any]], Iterator[_part_models.PartModel]]:
    """Merges the models of a node of the tree, which a partition has for itself."""

    def merge(rows: Iterable[Any]) -> Iterator[_part_models.PartModel]:
        found = list(rows)
        if found:
            whole, examples = _part_models.merged((row for _, row in found), _sluice.Model.from_bytes(start.value))
            yield _part_models.PartModel(found[0][0], examples, whole.to_bytes())

    return merge


def merge_tree(models: Any, start: Any) -> tuple[Any, int]:
    """The model of all partitions, None where there are none, and how many examples they had. `models`: an RDD or a data
    frame of `PartModel`s; `start`: the broadcast model that all began with. Executors merge FAN neighbours at a time until
    so few are left that the driver does it. Which models meet depends on the numbers of the partitions alone."""
    rows = models if isinstance(models, RDD) else models.rdd
    parts = rows.getNumPartitions()
    if parts > FAN:
        models = rows
    while parts > FAN:
        parts = -(-parts // FAN)
        nodes = models.map(lambda row: (row[0] // FAN, tuple(row)))
        models = nodes.partitionBy(parts, lambda node: node).mapPartitions(_merge_nodes(start))
    if isinstance(models, RDD):
        found = models.collect()
    else:
        table = models.toArrow()
        found = zip(*(table.column(name).to_pylist() for name in _part_models.PartModel._fields))
    return _part_models.merged(found, _sluice.Model.from_bytes(start.value))


def first_with_examples(models: Any) -> bytes | None:
    """The model of the first partition that has examples. Those behind it are not learned, but for the few that Spark tries
    at once."""
    rows = models if isinstance(models, RDD) else models.rdd
    found = rows.filter(lambda row: row[1] > 0).take(1)
    return bytes(found[0][2]) if found else None


def train(spark: Any, model: Any, rounds: int, job: Callable[[Any], Any]) -> Any:
    """Learns `rounds` rounds from the model on: `job` gives, for the broadcast bytes of the model that all begin with, the
    models of the partitions. None where there are no examples."""
    for _ in range(rounds):
        start = spark.sparkContext.broadcast(model.to_bytes())
        try:
            found, examples = merge_tree(job(start), start)
        finally:
            start.destroy()
        if not examples:
            return None
        model = found
    return model
