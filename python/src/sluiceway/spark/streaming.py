"""Learning a stream: a function for foreachBatch whose effect is exactly once."""

from __future__ import annotations

import json
import os
import threading
from typing import Any

from .. import _sluice
from .estimator import SluiceClassifier

_KEY = "spark.epochs"


#: One for each path: two queries of this program that learn into one file take turns.
_locks: dict[str, threading.Lock] = {}


class StreamLearner:
    """Learns every batch of a stream into a model file: ``stream.writeStream.foreachBatch(StreamLearner(...))``.

    Spark may give a batch again after a failure. The file holds, beside the model, the last epoch that each query has
    learned, and both are written at once; a batch that is given again is left out, and where one is missing learning ends
    with an error. ``sluice serve`` takes a new file over by its ``reload``. Several queries of one program may learn into
    one file; several programs must not.

    Parameters
    ----------
    classifier : SluiceClassifier
        How to learn. `classes` is needed unless the labels are signs.
    path : path
        The file of the model, on the driver; it is made by the first batch, and gone on with where it exists.
    query : str
        What the epochs are counted by; by default the id of the query, which its checkpoint keeps.
    """

    def __init__(self, classifier: SluiceClassifier, path: Any, query: str | None = None):
        self.classifier, self.path, self.query = classifier, os.path.abspath(os.fspath(path)), query

    def __call__(self, batch: Any, epoch: int) -> None:
        """Learns a batch, unless it was learned before."""
        query = self.query or batch.sparkSession.sparkContext.getLocalProperty("sql.streaming.queryId")
        if not query:
            raise ValueError("this is no batch of a streaming query; give the query a name: StreamLearner(query=...)")
        with _locks.setdefault(os.path.realpath(self.path), threading.Lock()):
            self._learn(batch, epoch, query)

    def _learn(self, batch: Any, epoch: int, query: str) -> None:
        model = _sluice.Model.load(self.path) if os.path.exists(self.path) else None
        epochs = learned_epochs(model)
        last = epochs.get(query)
        if last is not None and epoch <= last:
            return
        if last is not None and epoch > last + 1:
            raise ValueError(f"{self.path} has learned the batches of this query up to {last}, and now comes {epoch}: was an "
                             "older model put there? Put the newer one back, or begin anew with another checkpoint")
        classifier = self.classifier.copy()
        if model is not None:
            classifier.init_model = model.to_bytes()
        goes_over_it_again = model is None or classifier.getOrDefault("rounds") > 1
        if goes_over_it_again:
            batch = batch.persist()
        try:
            fitted = classifier._learned(batch)
        finally:
            if goes_over_it_again:
                batch.unpersist()
        if fitted is not None:
            fitted.to_bytes()
            model = fitted.model
        if model is None:
            return
        model.set_metadata(_KEY, json.dumps({**epochs, query: epoch}, sort_keys=True).encode())
        model.save(self.path)


def learned_epochs(model: Any) -> dict[str, int]:
    """The last epoch of each query that a model has learned."""
    found = None if model is None else model.metadata(_KEY)
    return {} if found is None else {str(query): int(epoch) for query, epoch in json.loads(found).items()}
