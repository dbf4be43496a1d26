"""What an executor does with a data frame: it learns a partition from a model that was sent to it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Iterable, Iterator

import pyarrow as pa

from .. import _labels, _sluice
from . import _part_models, _rows

#: The columns of `PartModel` as Spark has them.
SCHEMA = "part long, examples long, model binary"


@dataclass
class Source:
    """How the rows of a data frame are read: columns of features and labels, or lines."""

    kind: str
    features: str
    label: str | None = None
    weight: str | None = None
    classes: Any = None  # of labels in a column
    reader: dict[str, Any] = field(default_factory=dict)  # of lines
    header: bytes = b""  # before the lines of each partition (csv)

    def columns(self) -> list[str]:
        """The columns that are needed, each once."""
        found = [self.features] + ([] if self.kind == _rows.LINES else [self.label, self.weight])
        return list(dict.fromkeys(name for name in found if name))


def learn_columns(model: Any, batches: Iterable[Any], source: Source) -> None:
    """Learns batches of Arrow."""
    for batch in batches:
        if not batch.num_rows:
            continue
        rows = _rows.rows_of(source.kind, batch.column(source.features))
        labels = _rows.labels_of(batch.column(source.label), source.classes)
        weights = _rows.weights_of(batch.column(source.weight)) if source.weight else None
        model.learn_csr(rows.indptr, rows.ids, rows.values, labels.values, weights, labels.words, rows.columns, None)


def learn(model: Any, batches: Iterable[Any], source: Source, part: int) -> None:
    """Learns a partition of a data frame."""
    if source.kind == _rows.LINES:
        blocks = (_rows.text_of(batch.column(source.features)) for batch in batches)
        _part_models.learn_text(model, _after(source.header, blocks), source.reader, f"partition {part}")
    else:
        learn_columns(model, batches, source)


def _after(header: bytes, blocks: Iterable[bytes]) -> Iterator[bytes]:
    if header:
        yield header.rstrip(b"\r\n") + b"\n"
    yield from blocks


def part_number() -> int:
    """The number of the partition that this task has."""
    from pyspark import TaskContext

    context = TaskContext.get()
    assert context is not None
    return context.partitionId()


def over_batches(source: Source, start: Any) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """The function for mapInArrow that learns a partition."""

    def over(batches: Iterator[Any]) -> Iterator[Any]:
        model, part = _sluice.Model.from_bytes(start.value), part_number()
        before = _part_models.examples_of(model)
        learn(model, batches, source, part)
        found = _part_models.PartModel(part, _part_models.examples_of(model) - before, model.to_bytes())
        yield pa.RecordBatch.from_arrays([pa.array([found.part], pa.int64()), pa.array([found.examples], pa.int64()),
                                          pa.array([found.model], pa.binary())], list(found._fields))

    return over


def seeded(model: Any, classes: _labels.Classes | None) -> Any:
    """The model, with classes whose order is the same in every part."""
    if classes is None or classes.plain:
        return model
    n = len(classes.texts)
    import numpy as np

    model.learn_csr(np.zeros(n + 1, np.int64), np.zeros(0, np.int64), np.zeros(0), np.arange(n, dtype=np.uint32), None,
                    classes.texts, None, None)
    model.begin_anew()
    return model
